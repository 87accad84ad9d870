//! Non-blocking operations: each against the blocking one, and the end of the scope.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::context::{Private, Shared};
use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Cell {
    mass: f64,
    place: [f32; 2],
}

const ZERO: Cell = Cell { mass: 0.0, place: [0.0; 2] };

#[symmetric]
static GRID: [[u32; 6]; 4] = [[0; 6]; 4];
#[symmetric]
static CELLS: [Cell; 5] = [ZERO; 5];
#[symmetric]
static COUNT: Atomic<i64> = Atomic::new(0);
#[symmetric]
static COUNTS: [Atomic<u32>; 8] = [Atomic::new(0); 8];
#[symmetric]
static SIGNAL: Atomic<u64> = Atomic::new(0);
#[symmetric]
static REAL: Atomic<f64> = Atomic::new(0.5);

/// Puts and gets of every kind of selection, source and buffer.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn puts_and_gets(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    let right = (me + 1) % n;
    let left = (me + n - 1) % n;
    let base = 100 * me as u32;

    let row = [base + 1, base + 2, base + 3];
    let column = vec![base + 4, base + 5];
    let corner = base + 6;
    let block = [[base + 7, base + 8], [base + 9, base + 10]];
    let boxed: Box<[u32]> = vec![base + 11; 2].into_boxed_slice();
    let from = me.min(1);
    world.nbi(|s| {
        s.put(remote!(&GRID[right, 0, 0..6;2]), &row);
        s.put(remote!(&GRID[right, 1..3, 5]), &column);
        s.put(remote!(&GRID[right, 3, 5]), &corner);
        s.put(remote!(&GRID[right, 1..3, 1..3]), &block);
        s.put(remote!(&GRID[right, 3, 2..4]), &boxed);
        // The lengths of a selection and a slice that are known at run time.
        s.put(remote!(&GRID[right, 3, from..from + 1]), &column[..1]);
        s.put(remote!(&GRID[right, 0, 1]), &77);
        let empty: &[u32] = &[];
        s.put(remote!(&GRID[right, 3, from..from]), empty);
    });
    world.barrier_all();

    let base = 100 * left as u32;
    let mut model = [[0; 6]; 4];
    (model[0][0], model[0][2], model[0][4]) = (base + 1, base + 2, base + 3);
    (model[1][5], model[2][5], model[3][5]) = (base + 4, base + 5, base + 6);
    (model[1][1], model[1][2], model[2][1], model[2][2]) = (base + 7, base + 8, base + 9, base + 10);
    (model[3][2], model[3][3]) = (base + 11, base + 11);
    model[3][left.min(1)] = base + 4;
    model[0][1] = 77;
    assert_eq!(local!(GRID[.., ..]), model);

    let mut whole = [[0; 6]; 4];
    let mut strided = [0; 3];
    let mut one = 0;
    let mut list = vec![0; 4];
    let mut part = [0; 9];
    let (first, rest) = part.split_at_mut(3);
    world.nbi(|s| {
        s.get(remote!(&GRID[me, .., ..]), &mut whole);
        s.get(remote!(&GRID[me, 0, ..;2]), &mut strided);
        s.get(remote!(&GRID[me, 3, 5]), &mut one);
        s.get(remote!(&GRID[me, .., 5]), &mut list);
        // Two parts of one buffer at once.
        s.get(remote!(&GRID[me, 1, 0..3]), first);
        s.get(remote!(&GRID[me, 2, ..]), rest);
    });
    assert_eq!(whole, model);
    assert_eq!(strided, [model[0][0], model[0][2], model[0][4]]);
    assert_eq!(one, model[3][5]);
    assert_eq!(list, model.map(|row| row[5]));
    assert_eq!(part[..3], model[1][..3]);
    assert_eq!(part[3..], model[2]);
    world.barrier_all();
}

/// Fields of structs, of a static and of an array, and one value for all places.
#[shmem::test(npes = [1, 2, 3])]
fn fields_and_fills(world: &World) {
    let n = world.n_pes();
    let right = (world.my_pe() + 1) % n;
    let array = world.zeros::<f32, 2>([3, 4]).unwrap();
    let masses = [1.0, 2.0];
    let (value, whole) = (1.5_f32, Cell { mass: 9.0, place: [8.0, 7.0] });
    world.nbi(|s| {
        s.put(remote!(&CELLS[right, 1..4;2].mass), &masses);
        s.put(remote!(&CELLS[right, 4]), &whole);
        s.put(remote!(&array[right, .., 1..3]), &value);
    });
    world.barrier_all();
    let mut cells = [ZERO; 5];
    let mut rows = vec![0.0; 12];
    world.nbi(|s| {
        s.get(remote!(&CELLS[right, ..]), &mut cells);
        s.get(remote!(&array[right, .., ..]), &mut rows);
    });
    assert_eq!(cells.map(|cell| cell.mass), [0.0, 1.0, 0.0, 2.0, 9.0]);
    assert_eq!(cells[4], whole);
    assert_eq!(rows, [0.0, 1.5, 1.5, 0.0].repeat(3));
}

/// Every operation of a cell, alone on it.
#[shmem::test(npes = [1, 2, 4])]
fn cells(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let mut old = [0_i64; 6];
    let [a, b, c, d, e, f] = &mut old;
    world.nbi(|s| s.set(remote!(&COUNT[right]), 40));
    world.nbi(|s| s.fetch_add(remote!(&COUNT[right]), 2, a));
    world.nbi(|s| s.fetch_sub(remote!(&COUNT[right]), 12, b));
    world.nbi(|s| s.compare_exchange(remote!(&COUNT[right]), 30, -7, c));
    world.nbi(|s| s.compare_exchange(remote!(&COUNT[right]), 30, 1, d));
    world.nbi(|s| s.swap(remote!(&COUNT[right]), 12, e));
    world.nbi(|s| s.fetch(remote!(&COUNT[right]), f));
    assert_eq!(old, [40, 42, 30, -7, -7, 12]);
    world.nbi(|s| s.add(remote!(&COUNT[right]), 5));
    world.nbi(|s| s.sub(remote!(&COUNT[right]), 1));
    assert_eq!(remote!(COUNT[right]), 16);
    let [a, b, ..] = &mut old;
    world.nbi(|s| s.fetch_min(remote!(&COUNT[right]), 3, a));
    world.nbi(|s| s.fetch_max(remote!(&COUNT[right]), 2, b));
    assert_eq!(old[..2], [16, 3]);
    world.nbi(|s| s.max(remote!(&COUNT[right]), 9));
    world.nbi(|s| s.min(remote!(&COUNT[right]), 11));
    assert_eq!(remote!(COUNT[right]), 9);

    let mut bits = [0_u32; 3];
    let [a, b, c] = &mut bits;
    world.nbi(|s| {
        s.set(remote!(&COUNTS[right, 0]), 0b1100);
        s.set(remote!(&COUNTS[right, 1]), 0b1100);
        s.set(remote!(&COUNTS[right, 2]), 0b1100);
    });
    world.nbi(|s| {
        s.fetch_and(remote!(&COUNTS[right, 0]), 0b0110, a);
        s.fetch_or(remote!(&COUNTS[right, 1]), 0b0110, b);
        s.fetch_xor(remote!(&COUNTS[right, 2]), 0b0110, c);
    });
    assert_eq!(bits, [0b1100; 3]);
    assert_eq!(remote!(COUNTS[right, 0..3]), [0b0100, 0b1110, 0b1010]);
    world.nbi(|s| {
        s.and(remote!(&COUNTS[right, 0]), 0b1000);
        s.or(remote!(&COUNTS[right, 1]), 0b1_0000);
        s.xor(remote!(&COUNTS[right, 2]), 0b1010);
    });
    assert_eq!(remote!(COUNTS[right, 0..3]), [0, 0b1_1110, 0]);

    let mut real = 0.0;
    world.nbi(|s| s.swap(remote!(&REAL[right]), 2.5, &mut real));
    world.nbi(|s| s.sub(remote!(&REAL[right]), 4.0));
    assert_eq!((real, remote!(REAL[right])), (0.5, -1.5));
}

/// All PEs and several threads add to one cell: what they were told is every number once.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn tickets(world: &World) {
    const EACH: usize = 50;
    let n = world.n_pes();
    let all = world.zeros::<i64, 2>([2 * n, EACH]).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..2 {
            let all = &all;
            threads.spawn(move || {
                let mut mine = [0_i64; EACH];
                world.nbi(|s| {
                    for ticket in &mut mine {
                        s.fetch_add(remote!(&COUNT[0]), 1, ticket);
                    }
                });
                let me = 2 * world.my_pe() + thread;
                world.nbi(|s| s.put(remote!(&all[0, me, ..]), &mine));
            });
        }
    });
    world.barrier_all();
    let mut tickets: Vec<i64> = remote!(all[0, .., ..]);
    tickets.sort_unstable();
    assert_eq!(tickets, (0..(2 * n * EACH) as i64).collect::<Vec<_>>());
}

/// On a context, whose team has other numbers; and what a scope returns.
#[shmem::test(npes = [1, 2, 3, 4])]
fn on_a_context(world: &World) {
    let n = world.n_pes();
    let team = world.team().split_strided(n - 1, -1, n).unwrap().expect("all are members");
    let ctx = team.context(Private.nostore()).unwrap();
    let me = team.my_pe();
    let value = me as u32 + 1;
    let mut found = 0;
    let returned = ctx.nbi(|s| {
        for pe in 0..n {
            s.put(remote!(ctx; &GRID[pe, 0, me % 6]), &value);
        }
        s.get(remote!(ctx; &GRID[me, 3, 3]), &mut found);
        "returned"
    });
    assert_eq!((returned, found), ("returned", 0));
    world.barrier_all();
    let mut row = [0; 6];
    let shared = team.context(Shared).unwrap();
    shared.nbi(|s| s.get(remote!(shared; &GRID[0, 0, ..]), &mut row));
    for (pe, value) in row.iter().enumerate().take(n) {
        assert_eq!(*value as usize, pe + 1);
    }
}

/// Data and its signal, round a ring: a PE that sees the signals sees the data.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn signals(world: &World) {
    let n = world.n_pes();
    let right = (world.my_pe() + 1) % n;
    let left = (world.my_pe() + n - 1) % n;
    for round in 1..=20_u64 {
        let row = [world.my_pe() as u32 * 1000 + round as u32; 3];
        world.nbi(|s| {
            s.put_signal(remote!(&GRID[right, 1, 0..3]), &row, remote!(&SIGNAL[right]), SignalOp::Add(1));
            s.put_signal(remote!(&GRID[right, 3, 1..6;2]), &row, remote!(&SIGNAL[right]), SignalOp::Add(1));
        });
        wait!(SIGNAL == 2 * round);
        let expected = [left as u32 * 1000 + round as u32; 3];
        assert_eq!(local!(GRID[1, 0..3]), expected);
        assert_eq!(local!(GRID[3, 1..6;2]), expected);
        world.barrier_all();
    }
    let value = 5;
    world.nbi(|s| {
        s.put_signal(remote!(&GRID[right, 0, 0]), &value, remote!(&SIGNAL[right]), SignalOp::Set(7))
    });
    wait!(SIGNAL == 7);
    assert_eq!(local!(GRID[0, 0]), 5);
}

/// A panic ends the scope, and what was issued before it has been done.
#[shmem::test(npes = [1, 2, 3])]
fn a_panic_ends_the_scope(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let source = [5, 6];
    let mut before = -1;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        world.nbi(|s| {
            s.put(remote!(&GRID[right, 2, 0..2]), &source);
            s.fetch_add(remote!(&COUNT[right]), 3, &mut before);
            // Without a hook: a caught panic is not worth a page of output.
            std::panic::resume_unwind(Box::new("in between"));
        });
    }));
    assert!(caught.is_err());
    assert_eq!(before, 0);
    assert_eq!((remote!(GRID[right, 2, 0..2]), remote!(COUNT[right])), ([5, 6], 3));
}

#[shmem::test(npes = 2)]
#[should_panic(expected = "the source has 3 elements, and the selection of")]
fn another_length(world: &World) {
    let source = vec![0; 3];
    world.nbi(|s| s.put(remote!(&GRID[1, 0, ..]), &source));
}
