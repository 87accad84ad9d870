//! Elements and reductions of the types that other crates define: `--features num-complex,half`.
#![cfg(all(feature = "num-complex", feature = "half"))]

use half::{bf16, f16};
use num_complex::Complex;
use shmem::prelude::*;
use shmem::{Error, HasOne};

#[symmetric]
static WAVE: [Complex<f64>; 8] = [Complex::new(0.5, -1.0); 8];
#[symmetric]
static SMALL: [[Complex<f32>; 3]; 2] = [[Complex::new(0.0, 0.0); 3]; 2];
#[symmetric]
static HALVES: [f16; 9] = [f16::ONE; 9];
#[symmetric]
static BRAINS: PerPe<bf16> = PerPe::new(bf16::ZERO);

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Sample {
    signal: Complex<f32>,
    weight: [f16; 2],
    scale: [bf16; 2],
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn selections_of_complex_numbers(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    assert_eq!(local!(WAVE[..]), [Complex::new(0.5, -1.0); 8]);
    world.barrier_all();
    let mine = Complex::new(me as f64, 2.0);
    remote!(WAVE[right, 1..8;3]) = [mine, mine * 2.0, mine * Complex::I];
    remote!(SMALL[right, 1, ..]) = Complex::new(me as f32, -1.0);
    world.barrier_all();
    let left = Complex::new(((me + world.n_pes() - 1) % world.n_pes()) as f64, 2.0);
    assert_eq!(local!(WAVE[0..8;3]), [Complex::new(0.5, -1.0); 3]);
    assert_eq!(local!(WAVE[1..8;3]), [left, left * 2.0, left * Complex::I]);
    // The parts are fields.
    assert_eq!(local!(WAVE[1..3].re), [left.re, 0.5]);
    assert_eq!(local!(SMALL[.., 0].im), [0.0, -1.0]);
    assert_eq!(local!(SMALL[1, 2]).re, left.re as f32);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn selections_of_half_floats(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    remote!(HALVES[right, 0..9;2]) = [f16::from_f32(me as f32 + 0.25); 5];
    for pe in 0..world.n_pes() {
        remote!(BRAINS[pe, me]) = bf16::from_f32(me as f32 * 4.0);
    }
    world.barrier_all();
    let left = ((me + world.n_pes() - 1) % world.n_pes()) as f32;
    assert_eq!(local!(HALVES[..]).map(f16::to_f32)[..3], [left + 0.25, 1.0, left + 0.25]);
    let expected: Vec<bf16> = (0..world.n_pes()).map(|pe| bf16::from_f32(pe as f32 * 4.0)).collect();
    assert_eq!(local!(BRAINS[..]), expected);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn arrays_of_all_of_them(world: &World) -> Result<(), Error> {
    fn check<T: Symmetric + HasOne + PartialEq + std::fmt::Debug>(
        world: &World,
        values: [T; 3],
    ) -> Result<(), Error> {
        let right = (world.my_pe() + 1) % world.n_pes();
        let [zero, one, other] = values;
        let zeros = world.zeros::<T, 2>([3, 5])?;
        assert_eq!(remote!(zeros[right, .., ..]), [zero; 15]);
        let ones = world.ones::<T, 1>([70])?;
        assert_eq!(remote!(ones[right, ..]), [one; 70]);
        let mut array = world.array_from_slice(&values)?;
        array.resize([5], other)?;
        assert_eq!(remote!(array[right, ..]), [zero, one, other, other, other]);
        Ok(())
    }
    check(world, [Complex::new(0.0_f32, 0.0), Complex::new(1.0, 0.0), Complex::new(2.0, -3.0)])?;
    check(world, [Complex::new(0.0_f64, 0.0), Complex::new(1.0, 0.0), Complex::new(2.0, -3.0)])?;
    check(world, [f16::ZERO, f16::ONE, f16::from_f32(-1.5)])?;
    check(world, [bf16::ZERO, bf16::ONE, bf16::from_f32(-1.5)])?;
    let sample = |i: usize| Sample {
        signal: Complex::new(i as f32, 1.0),
        weight: [f16::from_f32(i as f32); 2],
        scale: [bf16::ONE; 2],
    };
    let samples = world.array_from_fn([6], |[i]| sample(i))?;
    assert_eq!(remote!(samples[0, ..]), (0..6).map(sample).collect::<Vec<_>>());
    assert_eq!(remote!(samples[0, 2..4].signal), [Complex::new(2.0, 1.0), Complex::new(3.0, 1.0)]);
    Ok(())
}

/// To the last bit: joined in the order of the PEs.
macro_rules! complex_reductions {
    ($($test:ident $float:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            for round in 0..6 {
                let of = |pe: usize| {
                    Complex::new(0.1 + pe as $float, (round as $float - 2.5) * 0.3 * (pe as $float + 1.0))
                };
                let mine = of(world.my_pe());
                let all = || (0..world.n_pes()).map(of);
                assert_eq!(Some(collective!(sum mine)), all().reduce(|a, b| a + b));
                assert_eq!(Some(collective!(prod mine)), all().reduce(|a, b| a * b));
            }
        }
    )*};
}

complex_reductions! {
    reductions_of_complex_f32 f32;
    reductions_of_complex_f64 f64;
}

macro_rules! half_reductions {
    ($($test:ident $float:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) {
            for round in 0..6 {
                let of = |pe: usize| {
                    let sign = if (pe + round) % 2 == 0 { 1.0 } else { -1.0 };
                    $float::from_f64(sign * (0.1 + pe as f64) * 1.7_f64.powi(round as i32))
                };
                let mine = of(world.my_pe());
                let all = || (0..world.n_pes()).map(of);
                // Rounded after each step.
                let steps = |join: fn(f64, f64) -> f64| {
                    all().reduce(|a, b| $float::from_f64(join(a.to_f64(), b.to_f64()))).map($float::to_bits)
                };
                assert_eq!(Some(collective!(sum mine).to_bits()), steps(|a, b| a + b));
                assert_eq!(Some(collective!(prod mine).to_bits()), steps(|a, b| a * b));
                assert_eq!(Some(collective!(min mine).to_bits()), steps(f64::min));
                assert_eq!(Some(collective!(max mine).to_bits()), steps(f64::max));
            }
            // A NaN is left out of min and max, as with the other floats.
            let one_nan = if world.my_pe() == 0 && world.n_pes() > 1 { $float::NAN } else { $float::ONE };
            assert_eq!(collective!(min one_nan), $float::ONE);
            assert_eq!(collective!(max one_nan), $float::ONE);
            assert_eq!(collective!(sum one_nan).is_nan(), world.n_pes() > 1);
        }
    )*};
}

half_reductions! {
    reductions_of_f16 f16;
    reductions_of_bf16 bf16;
}

#[shmem::test(npes = [2, 3])]
fn different_types_are_told_apart(world: &World) {
    let told = std::panic::catch_unwind(|| {
        if world.my_pe() == 0 {
            collective!(sum Complex::new(1.0_f32, 0.0));
        } else {
            collective!(sum Complex::new(1.0_f64, 0.0));
        }
    });
    let message = told.expect_err("the PEs disagree");
    let message = message.downcast_ref::<String>().expect("a text");
    assert!(
        message.contains("`sum` of 1 num_complex::Complex<f32>") && message.contains("Complex<f64>"),
        "{message}"
    );
}
