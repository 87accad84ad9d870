//! A heap that is not zero: what a C library gives out may have been used before.
//!
//! This binary has a `shmem_align` of its own, which stands before the library's and fills what
//! that gives out, where a variable asks for it.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use shmem::prelude::*;
use shmem::{Error, Team};

/// Asks for heaps that are filled.
pub(crate) const FILL: &str = "FILL_SYMMETRIC_MEMORY";

/// How many bytes were filled.
static FILLED: AtomicUsize = AtomicUsize::new(0);

#[unsafe(no_mangle)]
extern "C" fn shmem_align(align: usize, size: usize) -> *mut c_void {
    type Align = unsafe extern "C" fn(usize, usize) -> *mut c_void;
    // SAFETY: the next function of this name is the library's, which has this signature; who calls
    // this keeps its conditions. The block that it returns has `size` bytes, and belongs to the
    // caller of this function alone.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, c"shmem_align".as_ptr());
        assert!(!next.is_null(), "the library has `shmem_align`");
        let block = std::mem::transmute::<*mut c_void, Align>(next)(align, size);
        if !block.is_null() && std::env::var_os(FILL).is_some() {
            libc::memset(block, c_int::from(0xaa_u8), size);
            FILLED.fetch_add(size, Ordering::Relaxed);
        }
        block
    }
}

#[symmetric]
static ZEROS: [u64; 1000] = [0; 1000];
/// A page of zeros between others.
#[symmetric]
static MIXED: [[u8; 4096]; 3] = [[1; 4096], [0; 4096], [2; 4096]];
#[symmetric]
static SLOTS: PerPe<[i32; 100]> = PerPe::new([0; 100]);
#[symmetric]
static COUNT: Atomic<u32> = Atomic::new(0);
#[symmetric]
static SIGNAL: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LOCKS: [Lock; 3] = [Lock::new(); 3];
#[symmetric]
static TURNS: [u64; 3] = [0; 3];

/// Everything that is zero at first: statics, locks, arrays, what teams and collectives count with,
/// and what phases do.
#[shmem::main(npes = 3, heap = "48M")]
pub(crate) fn dirty(world: &World) -> Result<(), Error> {
    assert!(FILLED.load(Ordering::Relaxed) >= 48 << 20, "the heap was filled");
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    assert!(local!(ZEROS[..]).iter().all(|&value| value == 0));
    for (row, value) in [1, 0, 2].into_iter().enumerate() {
        assert_eq!(remote!(MIXED[right, row, ..]), [value; 4096]);
    }
    assert_eq!(remote!(SLOTS[right, .., ..]), vec![0; 100 * n]);
    assert_eq!((remote!(COUNT[right]), remote!(SIGNAL[right])), (0, 0));
    let zeros = world.zeros::<u64, 1>([100_000])?;
    assert!(remote!(zeros[right, ..]).iter().all(|&value| value == 0));
    world.barrier_all();
    for round in 0..10 {
        for lock in 0..3 {
            let _guard = LOCKS.at(lock).lock();
            let now = remote!(TURNS[0, lock]);
            remote!(TURNS[0, lock]) = now + 1;
        }
        let other = world.team().split_list(&[0, n - 1][..n.min(2)])?;
        for team in [Some(world.team()), other.as_ref()].into_iter().flatten() {
            collectives(team, round);
        }
        world.local_phase(|p| assert_eq!(ZEROS.as_slice(p)[0], 0));
        remote!(&COUNT[right]).fetch_add(1);
        wait!(COUNT >= round as u32 + 1);
        let array = world.symmetric_array::<u8, 1>([round + 1], 7)?;
        assert_eq!(remote!(array[right, ..]), vec![7; round + 1]);
    }
    world.barrier_all();
    assert_eq!(remote!(TURNS[0, ..]), [10 * n as u64; 3]);
    Ok(())
}

fn collectives(team: &Team, round: usize) {
    let (me, n) = (team.my_pe(), team.n_pes());
    assert_eq!(collective!(sum me + round; on team), n * (n - 1) / 2 + n * round);
    assert_eq!(team.broadcast_value(me + round, n - 1), n - 1 + round);
    assert_eq!(team.collect_values(&[me]), (0..n).collect::<Vec<_>>());
    let mut long = vec![me as u64; 3000];
    team.reduce_values(shmem::reduction::Max, &mut long);
    assert!(long.iter().all(|&value| value == n as u64 - 1));
    team.sync();
}
