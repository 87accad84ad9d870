//! The programs that are killed.

use std::path::Path;
use std::process::id;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use shmem::Error;
use shmem::prelude::*;

use crate::harness::{Program, say};

/// All of them, by name.
pub(crate) const PROGRAMS: &[Program] = &[
    ("steps", steps),
    ("once-more", once_more),
    ("long", long),
    ("at-start", at_start),
    ("at-start-with-array", at_start_with_array),
    ("another-number", crate::another::another_number),
    ("ghosts", crate::ghosts::ghosts),
];

#[symmetric]
pub(crate) static STEP: u64 = 0;
/// Of several blocks.
#[symmetric]
pub(crate) static DATA: [u64; 40_000] = [0; 40_000];

/// The argument of this number after the name of the program.
pub(crate) fn argument(number: usize) -> String {
    std::env::args().nth(3 + number).expect("the test gives it")
}

/// What an element holds after a step.
pub(crate) fn value(step: u64, pe: usize, at: usize) -> u64 {
    if step == 0 { 0 } else { step * 1_000_000_007 + (pe * 100_000 + at) as u64 }
}

/// Restores, checks that all objects of all PEs are those of one step, and goes on, with a
/// checkpoint after each step.
#[shmem::main(npes = 3, heap = "4M")]
fn steps(world: &World) -> Result<(), Error> {
    let (directory, until) = (argument(0), argument(1).parse().expect("a number"));
    let me = world.my_pe();
    let array = world.zeros::<u64, 1>([30_000])?;
    let found = world.restore(&directory)?;
    let step = local!(STEP);
    assert_eq!(found, step > 0);
    assert_eq!(collective!(min step), collective!(max step), "all PEs are at one step");
    let mut values = vec![0; 40_000];
    local!(DATA[..] => &mut values);
    for (at, &found) in values.iter().chain(&local!(array[..])).enumerate() {
        assert_eq!(found, value(step, me, at), "element {at} after step {step}");
    }
    say(&format!("PE {me} is {}", id()));
    world.barrier_all();
    if me == 0 {
        say(&format!("restored {step}"));
    }
    for step in step + 1..=until {
        let values: Vec<u64> = (0..70_000).map(|at| value(step, me, at)).collect();
        local!(DATA[..] = &values[..40_000]);
        local!(array[..] = &values[40_000..]);
        local!(STEP = step);
        world.checkpoint(&directory)?;
        if me == 0 {
            say(&format!("done {step}"));
        }
    }
    Ok(())
}

/// Restores, and writes one checkpoint. If that fails, the one before is still there.
#[shmem::main(npes = 3, heap = "4M")]
fn once_more(world: &World) -> Result<(), Error> {
    let directory = argument(0);
    let me = world.my_pe();
    world.restore(&directory)?;
    let before = local!(STEP);
    let is_of_step = |step: u64| {
        let mut values = vec![0; 40_000];
        local!(DATA[..] => &mut values);
        local!(STEP) == step && values.iter().zip(0..).all(|(&found, at)| found == value(step, me, at))
    };
    assert!(is_of_step(before));
    let values: Vec<u64> = (0..40_000).map(|at| value(before + 1, me, at)).collect();
    local!(DATA[..] = &values);
    local!(STEP = before + 1);
    match world.checkpoint(&directory) {
        Ok(()) => say("written"),
        Err(error) => {
            say(&error.to_string());
            assert!(is_of_step(before + 1), "an error changes nothing");
            let was_there = world.restore(&directory)?;
            assert_eq!(was_there, before > 0);
            assert!(!was_there || is_of_step(before));
        }
    }
    Ok(())
}

/// Writes checkpoints of some megabytes until there is a file of the name `end`, and ends with a word
/// on standard error. Errors of checkpoints are printed.
#[shmem::main(npes = 2, heap = "32M")]
fn long(world: &World) -> Result<(), Error> {
    let (folder, how) = (argument(0), argument(1));
    let folder = Path::new(&folder);
    let me = world.my_pe();
    let _array = world.ones::<u64, 1>([3 << 20])?;
    if how == "no-room" && me == 1 {
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let limit = getrlimit(Resource::Fsize);
        setrlimit(Resource::Fsize, Rlimit { current: Some(100_000), ..limit }).expect("it can be lowered");
    }
    say(&format!("{me} {}", id()));
    loop {
        if let Err(error) = world.checkpoint(folder.join("checkpoints"))
            && me == 0
        {
            eprintln!("{error}");
        }
        if collective!(max u8::from(folder.join("end").exists())) == 1 {
            break;
        }
    }
    if me == 0 {
        eprintln!("done");
    }
    Ok(())
}

/// Runs in a directory of its own, and restores by the attribute.
#[shmem::main(npes = 2, restore = "checkpoints")]
fn at_start(world: &World) -> Result<(), Error> {
    assert_eq!(local!(DATA[3]), local!(STEP) * 10);
    local!(STEP = local!(STEP) + 1);
    local!(DATA[3] = local!(STEP) * 10);
    if world.my_pe() == 0 {
        say(&format!("step {}", local!(STEP)));
    }
    world.checkpoint("checkpoints")
}

/// The same directory, with an array that the attribute cannot know.
#[shmem::main(npes = 2, restore = "checkpoints")]
fn at_start_with_array(world: &World) -> Result<(), Error> {
    let _array = world.ones::<f32, 1>([5])?;
    world.checkpoint("checkpoints")
}
