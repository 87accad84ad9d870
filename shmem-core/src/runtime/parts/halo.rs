//! How many ghost cells an array has, and what those at its ends are.

/// How many ghost cells a [`HaloArray`](crate::HaloArray) has on each side of a part, and what those at the ends of the
/// whole array are.
///
/// ```
/// use shmem::Halo;
///
/// assert_eq!(Halo::fixed(2).width(), 2);
/// assert_ne!(Halo::fixed(2), Halo::periodic(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Halo {
    width: usize,
    periodic: bool,
}

impl Halo {
    /// So many ghost cells on each side. Beyond the ends of the array they keep what the program
    /// writes to them, at first zeros.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let rod = world.halo_array::<f64, 1>([8], Distribution::Block, Halo::fixed(1))?;
    ///     world.local_phase(|p| rod.view_mut(p)[4] = 20.0); // warm at the right end of each part
    ///     rod.refresh(); // the neighbour's border over that in the middle
    ///     let right = world.local_phase(|p| rod.view(p)[4]);
    ///     assert_eq!(right, [0.0, 20.0][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub const fn fixed(width: usize) -> Halo {
        Halo { width, periodic: false }
    }

    /// So many ghost cells on each side. Beyond an end of the array are the cells of the other end.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ring = world.halo_array::<usize, 1>([8], Distribution::Block, Halo::periodic(1))?;
    ///     remote!(ring[@0]) = 5;
    ///     world.barrier_all();
    ///     ring.refresh();
    ///     let right = world.local_phase(|p| ring.view(p)[4]);
    ///     assert_eq!(right, [0, 5][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub const fn periodic(width: usize) -> Halo {
        Halo { width, periodic: true }
    }

    /// Returns how many ghost cells there are on each side.
    ///
    /// ```
    /// assert_eq!(shmem::Halo::periodic(3).width(), 3);
    /// ```
    #[must_use]
    pub const fn width(self) -> usize {
        self.width
    }

    /// Whether the cells beyond an end are those of the other end.
    pub(crate) const fn is_periodic(self) -> bool {
        self.periodic
    }
}
