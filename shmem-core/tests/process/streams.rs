//! A stream that fails on one PE alone: what becomes of the job.

use libtest_mimic::Trial;
use shmem::prelude::*;

use crate::harness::{Program, trials};
use crate::programs::argument;
use crate::watch::{program, run};

pub(crate) const LEAVES_OUT: Program = ("a-stream-leaves-out", leaves_out);

pub(crate) fn all() -> Vec<Trial> {
    trials! {
        a_call_that_one_pe_leaves_out_ends_the_job
        a_call_that_one_pe_leaves_out_and_forgets_is_named
    }
}

/// The first stream of PE 0 fails, and leaves out a collective call. The second one makes another.
#[shmem::main(npes = 2)]
fn leaves_out(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (one, two) = (gpu.stream()?, gpu.stream()?);
    let count = gpu.ones::<u64, 1>([1])?;
    world.local_phase(|_| {
        if world.my_pe() == 0 {
            one.quiet(); // in a phase
            while !one.is_idle() {
                std::thread::yield_now();
            }
        }
    });
    collective!(one; count[..] = sum count[..]); // left out by PE 0
    collective!(two; count[..] = sum count[..]); // not to meet that of the line before
    let result = two.synchronize();
    if argument() == "forget" && world.my_pe() == 0 {
        world.barrier_all(); // which PE 1 does not come to
    }
    result
}

/// The place of the line of this file that has this text, once.
fn place(text: &str) -> String {
    let lines = include_str!("streams.rs").lines().zip(1..);
    let found: Vec<_> = lines.filter(|(line, _)| line.contains(text) && !line.contains("place(")).collect();
    assert_eq!(found.len(), 1, "{text:?} is there once");
    format!("{}:{}:", file!(), found[0].1)
}

/// PE 0 is told why it makes no call that would meet another one of PE 1, and PE 1 is not left waiting.
fn a_call_that_one_pe_leaves_out_ends_the_job() {
    let ended = run(&mut program("a-stream-leaves-out"));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let mut rest = &ended.stderr[..];
    for part in [
        "PE 0 of 2 returned an error: an operation of a stream has failed: the sum that was issued at ",
        &place("not to meet that of the line before"),
        "this PE makes no call of the team after one that failed or was left out, the sum that was issued at ",
        &place("left out by PE 0"),
        "its stream had failed before: the quiet that was issued at ",
        &place("in a phase"),
    ] {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
}

/// Where PE 0 goes on all the same, the job says who waits for whom.
fn a_call_that_one_pe_leaves_out_and_forgets_is_named() {
    let ended = run(program("a-stream-leaves-out").arg("forget"));
    assert_eq!(ended.status.code(), Some(1), "{ended:#?}");
    let (left_out, forgets) = (place("left out by PE 0"), place("which PE 1 does not come to"));
    for part in
        [format!("PE 1 waits for PE 0 in `sum` at {left_out}"), format!("in `barrier_all` at {forgets}")]
    {
        assert!(ended.stderr.contains(&part), "{part}: {ended:#?}");
    }
}
