// Where a static can stand, and the ways to its name.
use shmem::prelude::*;

mod halo {
    use shmem::prelude::*;

    pub const WIDTH: usize = 8;
    pub const LEFT: usize = 1;

    #[symmetric]
    pub static ROW: [u32; WIDTH] = [1; WIDTH];
    #[symmetric]
    pub(crate) static INNER: [u32; 2 * WIDTH] = [2; 2 * WIDTH];

    pub mod deep {
        use shmem::prelude::*;

        #[symmetric]
        pub(in crate::halo) static HIDDEN: u32 = 3;

        pub fn hidden(pe: usize) -> u32 {
            remote!(HIDDEN[pe])
        }
    }

    pub fn hidden(pe: usize) -> u32 {
        remote!(deep::HIDDEN[pe]) + remote!(self::deep::HIDDEN[pe])
    }
}

use halo::ROW;
use halo::{INNER as RENAMED, WIDTH};

/// One name for two objects: each function has its own.
fn first() -> u32 {
    #[symmetric]
    static LOCAL: u32 = 10;
    local!(LOCAL)
}

fn second() -> u32 {
    #[symmetric]
    static LOCAL: u32 = 20;
    local!(LOCAL = 21);
    local!(LOCAL)
}

struct Holder;

impl Holder {
    const AT: usize = 2;

    fn count() -> u64 {
        #[symmetric]
        static CALLS: Atomic<u64> = Atomic::new(0);
        local!(CALLS += 1);
        local!(CALLS)
    }
}

/// The name is that of a reference to a static.
fn by_reference(row: &shmem::Static<[u32; 8]>) -> u32 {
    local!(row[2])
}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let part: [u32; 3] = remote!(ROW[right, halo::LEFT..halo::LEFT + 3]);
    assert_eq!(part, [1; 3]);
    let whole: [u32; 8] = remote!(halo::ROW[right, ..]);
    assert_eq!(whole, [1; WIDTH]);
    let part: [u32; WIDTH] = remote!(RENAMED[right, WIDTH..]);
    assert_eq!(part, [2; 8]);
    assert_eq!(remote!(crate::halo::INNER[right, Holder::AT]), 2);
    assert_eq!(halo::hidden(right) + halo::deep::hidden(right), 9);
    assert_eq!((first(), second()), (10, 21));
    assert_eq!((Holder::count(), Holder::count()), (1, 2));
    assert_eq!(by_reference(&ROW), 1);
}
