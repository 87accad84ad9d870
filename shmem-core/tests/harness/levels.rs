//! Programs that declare which threads call the library, and another thread that calls nevertheless.

use std::panic::resume_unwind;
use std::process::Command;
use std::thread;

use shmem::prelude::*;
use shmem::{Error, ThreadLevel};

use crate::programs::argument;
use crate::watch::run;

#[symmetric]
static INBOX: u64 = 0;
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

/// The only thread of the program works, and then another one does what the argument says.
#[shmem::main(npes = 2, threads = single)] // one thread
pub(crate) fn one_thread(world: &World) -> Result<(), Error> {
    assert_eq!(world.thread_level(), ThreadLevel::Single);
    works(world)?;
    of_the_last(world)
}

/// As [`one_thread`], at a level at which there are others.
#[shmem::main(npes = 2, threads = funneled)] // one calls
pub(crate) fn one_of_many(world: &World) -> Result<(), Error> {
    assert_eq!(world.thread_level(), ThreadLevel::Funneled);
    works(world)?;
    of_the_last(world)
}

/// Any thread calls, one at a time.
#[shmem::main(npes = 2, threads = serialized)]
pub(crate) fn in_turn(world: &World) -> Result<(), Error> {
    assert_eq!(world.thread_level(), ThreadLevel::Serialized);
    works(world)?;
    in_another_thread(|| works(world))
}

/// One PE alone, so that there is one report, and nobody is killed in the middle of another.
fn of_the_last(world: &World) -> Result<(), Error> {
    if world.my_pe() == 0 {
        return Ok(());
    }
    in_another_thread(|| calls(world, &argument()))
}

fn in_another_thread(work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    thread::scope(|threads| threads.spawn(work).join().unwrap_or_else(|panic| resume_unwind(panic)))
}

/// Accesses of each kind, collective calls, and calls on the heap.
#[shmem::kernel]
fn works(world: &World) -> Result<(), Error> {
    let other = 1 - world.my_pe();
    world.barrier_all();
    local!(INBOX) = 0;
    let before = local!(COUNT);
    world.barrier_all();
    remote!(INBOX[other]) = 5;
    remote!(COUNT[other]) += 2;
    world.barrier_all();
    assert_eq!((local!(INBOX), local!(COUNT), remote!(INBOX[other])), (5, before + 2, 5));
    let array = world.zeros::<u64, 1>([3])?;
    remote!(array[other, ..]) = [1, 2, 3];
    assert_eq!(collective!(sum world.my_pe() + 1), 3);
    assert_eq!(local!(array[..]), [1, 2, 3]);
    array.free()
}

#[shmem::kernel]
fn calls(world: &World, what: &str) -> Result<(), Error> {
    let other = 1 - world.my_pe();
    match what {
        "nothing" => {}
        "barrier" => world.barrier_all(),                  // calls barrier
        "sum" => assert_eq!(collective!(sum 1), 2),        // calls sum
        "allocation" => drop(world.zeros::<u64, 1>([3])?), // calls allocation
        "put" => remote!(INBOX[other]) = 6,                // calls put
        "update" => remote!(COUNT[other]) += 6,            // calls update
        other => unreachable!("{other} is not known"),
    }
    Ok(())
}

/// The line of this file that has this text at its end.
fn line(text: &str) -> String {
    let mut lines = include_str!("levels.rs").lines().zip(1..).filter(|(line, _)| line.ends_with(text));
    let (_, number) = lines.next().expect("it is there");
    format!("levels.rs:{number}:")
}

/// What `program`, of these programs, is told if another thread of it makes each of these calls.
pub(crate) fn assert_refused(mut program: impl FnMut(&str, &str) -> Command, calls: &[(&str, &str)]) {
    for (name, word, declared) in
        [("one-thread", "single", "// one thread"), ("one-of-many", "funneled", "// one calls")]
    {
        let ended = run(&mut program(name, "nothing"));
        assert!(ended.status.success() && ended.reports().is_empty(), "{name}: {ended:#?}");
        for (call, what) in calls {
            let ended = run(&mut program(name, call));
            let reports = ended.reports();
            assert!(!ended.status.success() && reports.len() == 1, "{name}, {call}: {ended:#?}");
            // A transfer knows no place.
            let place =
                if what.ends_with(" at ") { line(&format!("// calls {call}")) } else { String::new() };
            let told = format!("a thread that does not run the function marked #[shmem::main] is in {what}");
            for part in [
                told.as_str(),
                place.as_str(),
                &format!("declares `threads = {word}` at "),
                &line(declared),
                "`serialized`, or `multiple`",
            ] {
                assert!(reports[0].contains(part), "{name}, {call}: no {part:?} in {}", reports[0]);
            }
        }
    }
    let ended = run(&mut program("in-turn", ""));
    assert!(ended.status.success() && ended.reports().is_empty(), "{ended:#?}");
}
