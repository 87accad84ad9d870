//! Conjugate gradients: how a string bends under its own weight.

use shmem::prelude::*;

const CELLS: usize = 16;

/// The direction of the search, with a ghost cell at each end.
#[symmetric]
static P: [f64; CELLS + 2] = [0.0; CELLS + 2];

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let mut x = [0.0; CELLS];
    let mut r = [1.0; CELLS];
    local!(P[1..=CELLS]) = r;
    let mut length = dot(&r, &r);
    let mut steps = 0;
    while length > 1e-9 {
        world.sync_all();
        if me > 0 {
            local!(P[0]) = remote!(P[me - 1, CELLS]);
        }
        if me < n - 1 {
            local!(P[CELLS + 1]) = remote!(P[me + 1, 1]);
        }
        world.sync_all();
        let p = local!(P[..]);
        let q: [f64; CELLS] =
            std::array::from_fn(|i| 2.0 * p[i + 1] - p[i] - p[i + 2]);
        let step = length / dot(&p[1..=CELLS], &q);
        let old = length;
        for i in 0..CELLS {
            x[i] += step * p[i + 1];
            r[i] -= step * q[i];
        }
        length = dot(&r, &r);
        for i in 0..CELLS {
            local!(P[i + 1]) = r[i] + length / old * p[i + 1];
        }
        steps += 1;
    }
    let middle = collective!(max x.into_iter().fold(0.0, f64::max));
    if me == 0 {
        println!("{steps} steps, in the middle {middle:.3}");
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let part: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    collective!(sum part)
}
