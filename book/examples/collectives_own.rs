//! Reductions by a function of the program.

use shmem::prelude::*;

// ANCHOR: moments
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn of(number: f64) -> Moments {
        Moments { count: 1.0, mean: number, squares: 0.0 }
    }

    fn join(self, other: Moments) -> Moments {
        let count = self.count + other.count;
        let apart = other.mean - self.mean;
        let between = apart * apart * self.count * other.count / count;
        Moments {
            count,
            mean: self.mean + apart * other.count / count,
            squares: self.squares + other.squares + between,
        }
    }
}
// ANCHOR_END: moments

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    // ANCHOR: join
    let numbers = (0..10).map(|i| (10 * me + i) as f64);
    let mine = numbers.map(Moments::of).reduce(Moments::join).unwrap();
    let all = world.team().reduce_value_with(mine, Moments::join);
    let variance = all.squares / all.count;
    // ANCHOR_END: join
    let n = 10.0 * npes as f64;
    assert!((all.mean - (n - 1.0) / 2.0).abs() < 1e-9);
    assert!((variance - (n * n - 1.0) / 12.0).abs() < 1e-9);

    // ANCHOR: located
    let load = (me * 7) % 5;
    let (least, pe) = world.team().minloc_value(load);
    // ANCHOR_END: located
    assert_eq!((least, pe), (0, 0));
}
