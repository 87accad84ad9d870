//! How the indices of a global array are dealt to the PEs, as a program says it.

use std::fmt;

/// How the indices of a global array are dealt to the PEs.
///
/// In an array of rank 1 the indices are those of the elements. In an array of a higher rank,
/// `Block`, `Cyclic` and `BlockCyclic` deal the indices of the first axis: whole rows, planes and so
/// on. Variants may be added.
///
/// | | PE of index `i`, of `n` on `p` PEs | suits |
/// |---|---|---|
/// | `Block` | `i / b`, with `b = n.div_ceil(p)` | neighbours that need each other |
/// | `Cyclic` | `i % p` | work that grows or shrinks along the index |
/// | `BlockCyclic(k)` | `i / k % p` | both |
/// | `Block2d` | a grid of PEs, and a block of both axes for each | grids with long borders |
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let owners = |distribution| -> Result<Vec<usize>, shmem::Error> {
///         let array = world.global_array::<u8, 1>([8], distribution)?;
///         Ok((0..8).map(|i| array.owner(i)).collect())
///     };
///     assert_eq!(owners(Distribution::Block)?, [0, 0, 0, 1, 1, 1, 2, 2]);
///     assert_eq!(owners(Distribution::Cyclic)?, [0, 1, 2, 0, 1, 2, 0, 1]);
///     assert_eq!(owners(Distribution::BlockCyclic(2))?, [0, 0, 1, 1, 2, 2, 0, 0]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// One block for each PE. The blocks have equal lengths, but for the last: it may be shorter,
    /// and PEs after it have none.
    Block,
    /// One index for each PE in turn.
    Cyclic,
    /// A block of so many indices for each PE in turn. The last block may be shorter.
    BlockCyclic(usize),
    /// A block of rows and columns for each PE, in an array of rank 2. The PEs form a grid whose
    /// sides are as near to each other as their number allows, and which has at least as many rows
    /// as columns: 2 × 2 for 4 PEs, 3 × 2 for 6, 7 × 1 for 7. They are numbered row by row.
    Block2d,
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Block => write!(f, "in blocks"),
            Distribution::Cyclic => write!(f, "cyclically"),
            Distribution::BlockCyclic(k) => write!(f, "cyclically in blocks of {k}"),
            Distribution::Block2d => write!(f, "in blocks of rows and columns"),
        }
    }
}
