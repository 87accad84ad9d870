//! Three ways to divide elements over PEs: who owns which, and where it lies.

use shmem::prelude::*;

// ANCHOR: owners
/// Where element `i` of `n` lies, as PE and index there: one block for each PE.
fn block(i: usize, n: usize, npes: usize) -> (usize, usize) {
    let pe = ((i + 1) * npes - 1) / n;
    (pe, i - pe * n / npes)
}

/// The same, one element for each PE in turn.
fn cyclic(i: usize, npes: usize) -> (usize, usize) {
    (i % npes, i / npes)
}

/// The same, `b` elements for each PE in turn.
fn block_cyclic(i: usize, b: usize, npes: usize) -> (usize, usize) {
    let (pe, round) = cyclic(i / b, npes);
    (pe, round * b + i % b)
}
// ANCHOR_END: owners

// ANCHOR: owned
/// The elements of a PE, in the order in which they lie there.
fn of_block(pe: usize, n: usize, npes: usize) -> impl Iterator<Item = usize> {
    pe * n / npes..(pe + 1) * n / npes
}

fn of_cyclic(pe: usize, n: usize, npes: usize) -> impl Iterator<Item = usize> {
    (pe..n).step_by(npes)
}

fn of_block_cyclic(
    pe: usize,
    n: usize,
    b: usize,
    npes: usize,
) -> impl Iterator<Item = usize> {
    let starts = (pe * b..n).step_by(b * npes);
    starts.flat_map(move |start| start..n.min(start + b))
}
// ANCHOR_END: owned

// ANCHOR: use
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let n: usize = 10;

    // As many places on each PE as the PE with the most elements needs.
    let squares = world.zeros::<usize, 1>([n.div_ceil(npes)])?;
    for (at, i) in of_block(me, n, npes).enumerate() {
        local!(squares[at]) = i * i; // each PE computes its own
    }
    world.barrier_all();
    for i in 0..n {
        let (pe, at) = block(i, n, npes);
        assert_eq!(remote!(squares[pe, at]), i * i); // any PE reads any
    }
    // ANCHOR_END: use

    if me == 0 {
        draw("block", n, |i| block(i, n, npes));
        draw("cyclic", n, |i| cyclic(i, npes));
        draw("block-cyclic, b = 2", n, |i| block_cyclic(i, 2, npes));
    }
    check();
    Ok(())
}

/// Who owns what, and where it lies.
fn draw(name: &str, n: usize, of: impl Fn(usize) -> (usize, usize)) {
    let row = |what: &str, value: &dyn Fn(usize) -> usize| {
        let values = (0..n).map(|i| format!("{:3}", value(i)));
        println!("  {what:6}{}", values.collect::<String>());
    };
    println!("{name}");
    row("i", &|i| i);
    row("PE", &|i| of(i).0);
    row("index", &|i| of(i).1);
}

/// Both directions agree, and nothing lies where there is no room.
fn check() {
    for (n, npes) in (0..30).flat_map(|n| (1..9).map(move |npes| (n, npes))) {
        for pe in 0..npes {
            for (at, i) in of_block(pe, n, npes).enumerate() {
                assert_eq!(block(i, n, npes), (pe, at));
                assert!(at < n.div_ceil(npes));
            }
            for (at, i) in of_cyclic(pe, n, npes).enumerate() {
                assert_eq!(cyclic(i, npes), (pe, at));
                assert!(at < n.div_ceil(npes));
            }
            for b in 1..6 {
                for (at, i) in of_block_cyclic(pe, n, b, npes).enumerate() {
                    assert_eq!(block_cyclic(i, b, npes), (pe, at));
                    assert!(at < n.div_ceil(b * npes) * b);
                }
            }
        }
        let all = |of: &dyn Fn(usize) -> usize| (0..npes).map(of).sum();
        assert_eq!(n, all(&|pe| of_block(pe, n, npes).count()));
        assert_eq!(n, all(&|pe| of_cyclic(pe, n, npes).count()));
        assert_eq!(n, all(&|pe| of_block_cyclic(pe, n, 3, npes).count()));
    }
}
