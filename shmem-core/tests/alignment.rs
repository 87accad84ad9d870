//! `#[symmetric]` statics and arrays whose types ask for more alignment than a page.

use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(65536))]
struct Wide([u64; 8192]);

#[symmetric]
static FIRST: u8 = 1;
#[symmetric]
static WIDE: Wide = Wide([7; 8192]);

/// Values of it pass through the stack, as those of any element.
#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(16384))]
struct Narrower([u64; 2048]);

fn has_it(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    assert_eq!((remote!(WIDE[right]), local!(FIRST)), (Wide([7; 8192]), 1));
    let array = world.symmetric_array::<Narrower, 1>([2], Narrower([8; 2048])).expect("there is room");
    assert_eq!(remote!(array[right, 1]), Narrower([8; 2048]));
    world.local_phase(|p| {
        assert_eq!(WIDE.as_slice(p)[0].0[8191], 7);
        assert_eq!(WIDE.as_slice(p).as_ptr().addr() % 65536, 0);
        assert_eq!(array.as_slice(p).as_ptr().addr() % 16384, 0);
    });
    let address = remote!(&WIDE[world.my_pe()]).as_ptr();
    assert!(address.is_none_or(|address| address.addr() % 65536 == 0), "{address:?}");
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_large_heap_has_it(world: &World) {
    has_it(world);
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "512K")]
fn a_small_heap_has_it_too(world: &World) {
    has_it(world);
}
