// Every cell type, and the operations that it has.
use shmem::prelude::*;

macro_rules! cells {
    (integers: $($int:ident)*; floats: $($float:ident)*) => {
        mod statics {
            $(
                #[allow(non_upper_case_globals)]
                pub mod $int {
                    #[shmem::symmetric]
                    pub static CELLS: [shmem::Atomic<$int>; 3] = [shmem::Atomic::new(1); 3];
                }
            )*
            $(
                pub mod $float {
                    #[shmem::symmetric]
                    pub static CELLS: [shmem::Atomic<$float>; 3] = [shmem::Atomic::new(1.0); 3];
                }
            )*
        }

        fn integers(right: usize, world: &World) {
            $(
                use statics::$int::CELLS as $int;
                let cell = remote!(&($int)[right, 1]);
                remote!(($int)[right, 1] += 6);
                remote!(($int)[right, 1] -= 1);
                remote!(($int)[right, 1] |= 1);
                remote!(($int)[right, 1] ^= 2);
                remote!(($int)[right, 1] &= 5);
                assert_eq!((cell.fetch_add(3), cell.fetch_sub(1)), (5, 8));
                assert_eq!((cell.fetch_and(6), cell.fetch_or(8), cell.fetch_xor(2)), (7, 6, 14));
                assert_eq!((cell.swap(4), cell.compare_exchange(3, 9)), (12, Err(4)));
                assert_eq!(cell.compare_exchange(4, 9), Ok(4));
                world.barrier_all();
                assert_eq!(local!(($int)[..]), [1, 9, 1]);
                world.barrier_all();
                remote!(($int)[right, ..] = [5, 6, 7]);
                world.barrier_all();
                assert_eq!(remote!(($int)[right, ..;2]), [5, 7]);
            )*
        }

        fn floats(right: usize, world: &World) {
            $(
                use statics::$float::CELLS as $float;
                assert_eq!(remote!(&($float)[right, 1]).swap(2.5), 1.0);
                remote!(($float)[right, 2] = 3.5);
                world.barrier_all();
                assert_eq!(local!(($float)[..]), [1.0, 2.5, 3.5]);
            )*
        }
    };
}

cells! { integers: i32 i64 isize u32 u64 usize; floats: f32 f64 }

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    integers(right, world);
    floats(right, world);
}
