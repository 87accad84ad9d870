// Names that the expansions use or could use, as the user's own.
#![allow(non_upper_case_globals, non_snake_case)]

use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Item {
    it: f64,
    offset: u64,
}

#[symmetric]
static P: [Item; 4] = [Item { it: 0.0, offset: 1 }; 4];
#[symmetric]
static N: [u32; 4] = [2; 4];
#[symmetric]
static OUT: Atomic<u64> = Atomic::new(0);

mod launch {}
mod select {}

fn read() {}
fn write() {}
fn field() {}
fn add() {}
fn check_index() {}
fn ends_the_process() {}
fn every_field_is_symmetric() {}

/// The value, the PE and the index have the names of parameters and variables of ours.
#[shmem::kernel]
fn object(pe: usize, it: f64, offset: usize, selection: u64) {
    remote!(P[pe, offset].it) = it;
    let value = selection;
    remote!(P[pe, offset].offset) = value;
    remote!(OUT[pe]) += value;
}

#[shmem::main(npes = 2)]
fn main(returned: &World) -> Result<(), shmem::Error> {
    (read(), write(), field(), add(), check_index(), ends_the_process(), every_field_is_symmetric());
    let world = returned.my_pe();
    let pe = (world + 1) % returned.n_pes();
    let (it, offset, outcome) = (2.5, 3, 4);
    object(pe, it, offset, outcome);
    returned.barrier_all();
    assert_eq!(local!(P[offset].it), it);
    assert_eq!(local!(P[..].offset), [1, 1, 1, outcome]);
    assert_eq!(local!(N[0..2]), [2; 2]);
    assert_eq!(local!(OUT), outcome);
    let (start, end, step, extent) = (0, 4, 2, [2; 2]);
    assert_eq!(remote!(N[pe, start..end;step]), extent);
    let r#in = pe;
    assert_eq!(remote!(N[r#in, 3]), 2);
    let shmem = returned.symmetric_array::<u8, 1>([2], 1)?;
    assert_eq!(remote!(shmem[pe, ..]), [1, 1]);
    let it = Some(it).map(|it| it + collective!(sum it));
    assert_eq!(it, Some(7.5));
    Ok(())
}
