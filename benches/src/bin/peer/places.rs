//! The memory that the works access.

use std::hint::black_box;
use std::sync::Mutex;

use benches::loops;
use benches::loops::updates::TABLE;
use shmem::prelude::*;
use shmem::{Halo, HaloArray};

/// The PE that PE 0 works on.
pub(crate) const TARGET: usize = 1;
/// The largest message of one PE to another, in bytes, and the room for a smaller one that is
/// strided.
const LARGEST: usize = 16 << 20;
/// The largest contribution to a collective that gathers, in bytes.
const GATHERED: usize = 64 << 10;
/// The largest array that is reduced, in bytes.
const REDUCED: usize = 8 << 20;
/// The rows, and the columns, of the array with ghost cells.
const SQUARE: usize = 512;
/// Jobs of more PEs than this do not touch all of their memory.
const MANY: usize = 16;
/// The size of a page. Messages and what collectives take and give begin at one, as in the programs of the peers.
const PAGE: usize = 4096;

/// An element of a message.
pub(crate) trait Element: Symmetric + Default {}

impl Element for u8 {}
impl Element for u16 {}
impl Element for u32 {}
impl Element for u64 {}

/// Symmetric memory, and private memory to put from and to get into.
pub(crate) struct Pair<T: Element> {
    pub(crate) far: SymmetricArray<T, 1>,
    /// The address of the target's copy, or null.
    pub(crate) there: *mut T,
    pub(crate) near: Mutex<Vec<T>>,
}

impl<T: Element> Pair<T> {
    /// Room for messages of up to `n` elements. Collective.
    fn new(world: &World, n: usize) -> Result<Pair<T>, shmem::Error> {
        let far = room(world, n, T::default())?;
        let mut near = vec![T::default(); n + PAGE / size_of::<T>()];
        if is_written(world) {
            // Not by `vec!`, which asks the system for zeros.
            black_box(&mut near[..]).fill(T::default());
        }
        let there = loops::address(remote!(&far[TARGET.min(world.n_pes() - 1), 0]));
        Ok(Pair { far, there, near: Mutex::new(near) })
    }
}

/// Whether each PE writes its memory before the work, as in the programs of the peers. Otherwise the PE that touches a
/// page first decides its place, and what nobody has written is one page of zeros. A job of many PEs uses little of it.
fn is_written(world: &World) -> bool {
    world.n_pes() <= MANY
}

/// Symmetric memory for `n` elements from the start of a page on, each of them `init` where it [is
/// written](is_written), and 0 elsewhere. Collective.
fn room<T: Symmetric>(world: &World, n: usize, init: T) -> Result<SymmetricArray<T, 1>, shmem::Error> {
    let pages = world.allocate().align(PAGE);
    if is_written(world) { pages.symmetric_array([n], init) } else { pages.zeros([n]) }
}

/// `n` elements of a buffer, from the start of a page on.
pub(crate) fn aligned<T>(buffer: &mut [T], n: usize) -> &mut [T] {
    let skipped = buffer.as_ptr().align_offset(PAGE);
    &mut buffer[skipped..skipped + n]
}

/// All memory that a work may use, allocated once.
pub(crate) struct Places<'a> {
    pub(crate) world: &'a World,
    pub(crate) bytes: Pair<u8>,
    pub(crate) halves: Pair<u16>,
    pub(crate) singles: Pair<u32>,
    pub(crate) words: Pair<u64>,
    /// As [`loops::ROW`], with an extent that is known at run time.
    pub(crate) row: SymmetricArray<u64, 1>,
    /// The source and the destination of collectives.
    pub(crate) from: SymmetricArray<f64, 1>,
    pub(crate) to: SymmetricArray<f64, 1>,
    /// The messages between PE 0 and its target.
    pub(crate) parcel: SymmetricArray<u64, 1>,
    /// Global arrays of [`loops::WORDS`] words, in blocks and dealt in turn.
    pub(crate) line: GlobalArray<u64, 1>,
    pub(crate) turns: GlobalArray<u64, 1>,
    /// Cells for random updates, [`TABLE`] on each PE. Jobs of many PEs have none.
    pub(crate) table: GlobalArray<Atomic<u64>, 1>,
    /// An array with ghost cells, and room for a part and its frame.
    pub(crate) halo: HaloArray<f64, 2>,
    pub(crate) frame: SymmetricArray<f64, 1>,
}

impl Places<'_> {
    /// Collective.
    pub(crate) fn new(world: &World) -> Result<Places<'_>, shmem::Error> {
        let collected = REDUCED.max(GATHERED * world.n_pes()) / 8;
        Ok(Places {
            world,
            bytes: Pair::new(world, 8)?,
            halves: Pair::new(world, 8)?,
            singles: Pair::new(world, 8)?,
            words: Pair::new(world, LARGEST / 8)?,
            row: world.zeros([loops::WORDS])?,
            from: room(world, collected, 1.0)?,
            to: room(world, collected, 1.0)?,
            parcel: world.zeros([GATHERED / 8])?,
            line: world.global_array([loops::WORDS], Distribution::Block)?,
            turns: world.global_array([loops::WORDS], Distribution::Cyclic)?,
            table: world.global_array(
                [if world.n_pes() <= MANY { world.n_pes() * TABLE } else { 1 }],
                Distribution::Block,
            )?,
            halo: world.halo_array([SQUARE, SQUARE], Distribution::Block2d, Halo::fixed(1))?,
            frame: world.zeros([(SQUARE + 2) * (SQUARE + 2)])?,
        })
    }
}
