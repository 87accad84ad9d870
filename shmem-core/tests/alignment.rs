//! A `#[symmetric]` static whose type asks for more alignment than a small heap has.

use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(65536))]
struct Wide([u64; 8192]);

#[symmetric]
static FIRST: u8 = 1;
#[symmetric]
static WIDE: Wide = Wide([7; 8192]);

/// Where it lies on every PE, as this one sees it; nothing where only the transport reaches it.
fn addresses(world: &World) -> impl Iterator<Item = usize> {
    (0..world.n_pes())
        .map(|pe| shmem::__private::peer_address(remote!(&WIDE[pe])).addr())
        .filter(|&address| address != 0)
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_large_heap_has_it(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    for address in addresses(world) {
        assert_eq!(address % 65536, 0);
    }
    assert_eq!((remote!(WIDE[right]), local!(FIRST)), (Wide([7; 8192]), 1));
}

// Pages have 4096 bytes on this one for certain.
#[cfg(target_arch = "x86_64")]
#[shmem::test(npes = [1, 2, 3], heap = "512K")]
#[should_panic(
    expected = "cannot be aligned to 65536 bytes: a symmetric heap of 524288 bytes starts at a multiple of 4096"
)]
fn a_small_heap_refuses_to_start(world: &World) {
    panic!("PE {} has started", world.my_pe());
}
