// Every operation, and what can be its value.
use shmem::prelude::*;

#[symmetric]
static ROW: [u16; 4] = [1, 2, 3, 4];

fn norm(values: &[f64]) -> f64 {
    collective!(sum values.iter().map(|v| v * v).sum::<f64>()).sqrt()
}

#[shmem::main(npes = 3)]
fn main(world: &World) {
    let me = world.my_pe();
    assert_eq!(collective!(sum 1), 3);
    assert_eq!(collective!(prod me + 1), 6);
    assert_eq!(collective!(min me as i8 - 1), -1);
    assert_eq!(collective!(max { -(me as f32) }), 0.0);
    assert_eq!(collective!(and 6u8 | me as u8), 6);
    assert_eq!(collective!(or 1u128 << me), 7);
    assert_eq!(collective!(xor !0u64), !0);
    assert_eq!(collective!(sum local!(ROW[3])), 12);
    assert_eq!(collective!(sum collective!(sum 1usize)), 9);
    assert_eq!(collective!(sum u8::MAX), 253);
    // A value with the name of an operation.
    let (sum, max) = (2, 5);
    assert_eq!(collective!(sum sum) + collective!(max max), 11);
    assert_eq!(norm(&[1.0, 0.0]), 3f64.sqrt());
}
