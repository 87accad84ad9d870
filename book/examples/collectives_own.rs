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

#[symmetric]
static COLUMNS: [Moments; 8] =
    [Moments { count: 0.0, mean: 0.0, squares: 0.0 }; 8];
// ANCHOR_END: moments

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    // ANCHOR: join
    let numbers = (0..10).map(|i| (10 * me + i) as f64);
    let mine = numbers.map(Moments::of).reduce(Moments::join).unwrap();
    let all = collective!(reduce mine with Moments::join);
    let variance = all.squares / all.count;
    // ANCHOR_END: join
    let n = 10.0 * npes as f64;
    assert!((all.mean - (n - 1.0) / 2.0).abs() < 1e-9);
    assert!((variance - (n * n - 1.0) / 12.0).abs() < 1e-9);

    // ANCHOR: columns
    for column in 0..8 {
        let rows = (0..5).map(|row| ((5 * me + row) * column % 7) as f64);
        local!(COLUMNS[column]) =
            rows.map(Moments::of).reduce(Moments::join).unwrap();
    }
    collective!(COLUMNS[..] = reduce COLUMNS[..] with Moments::join);
    if me == 0 {
        for (column, all) in local!(COLUMNS[..]).iter().enumerate() {
            let variance = all.squares / all.count;
            println!(
                "column {column}: mean {:.3}, variance {variance:.3}",
                all.mean
            );
        }
    }
    // ANCHOR_END: columns
    for column in 0..8 {
        let rows = (0..5 * npes).map(|row| (row * column % 7) as f64);
        let expected = rows.map(Moments::of).reduce(Moments::join).unwrap();
        let found = local!(COLUMNS[column]);
        assert!((found.mean - expected.mean).abs() < 1e-9);
        assert!((found.squares - expected.squares).abs() < 1e-9);
    }

    // ANCHOR: located
    let load = (me * 7) % 5;
    let (least, pe) = collective!(minloc load);
    // ANCHOR_END: located
    assert_eq!((least, pe), (0, 0));
}
