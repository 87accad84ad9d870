//! The launcher, and the programs that it starts.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};

use shmem::Atomic;
use shmem::prelude::*;
use shmem::reduction::Sum;
use shmem::untyped::{self, JobOptions, Member};

use crate::harness::{Program, say};
use crate::{cells, memory, races};

/// All of them, by name.
pub(crate) const PROGRAMS: &[Program] = &[
    ("launch", launch),
    ("jobs", jobs),
    ("early", early),
    ("inside", inside),
    ("large", large),
    ("claims", memory::claims),
    ("strided", memory::strided),
    ("kept", memory::kept),
    ("cells", cells::cells),
    ("segments", memory::segments),
    #[cfg(feature = "openshmem")]
    ("no_segment", memory::no_segment),
    ("waiting", waiting),
    ("missed", missed),
    ("language", language),
    ("apart", apart),
    ("bytes_of_a_cell", bytes_of_a_cell),
    ("flag_and_cell", races::flag_and_cell),
];

#[symmetric]
static RECEIVED: [u64; 4] = [0; 4];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(40);

/// The arguments after the program's name.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().skip(3).collect()
}

/// Starts the command of its arguments as a job.
fn launch() -> ExitCode {
    let mut words = arguments().into_iter();
    let mut command = Command::new(words.next().expect("a program to start"));
    command.args(words).env("STARTED_BY", "the launcher").env_remove("NOT_FOR_PES");
    untyped::launch(
        &command,
        JobOptions { npes: Some(2), heap: Some("4M"), ..JobOptions::default() },
        |_, _| Vec::new(),
        false,
    )
}

/// Joins; a failure ends the process as a face would end it.
pub(crate) fn join() -> Member {
    untyped::join(None).unwrap_or_else(|error| {
        say(&format!("not joined: {error}"));
        std::process::exit(3)
    })
}

/// The message of the panic in `access`.
pub(crate) fn refused(access: impl FnOnce()) -> String {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let panic = catch_unwind(AssertUnwindSafe(access)).expect_err("it is refused");
    std::panic::set_hook(hook);
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).expect("a panic with words")
}

/// Joins and leaves some times, with transfers and collective calls in each job, and none between.
fn jobs() -> ExitCode {
    for job in 0..4_u64 {
        let accesses: [fn(); 3] =
            [|| _ = remote!(RECEIVED[0, 0]), || local!(RECEIVED[0] = 1), || remote!(COUNT[0] += 1)];
        for access in accesses {
            let message = refused(access);
            assert!(message.contains("was accessed outside of a job"), "{message}");
        }
        assert!(refused(|| _ = shmem::my_pe()).contains("was called outside of a job"));
        assert!(refused(|| collective!(barrier)).contains("is not in a job"));

        let member = join();
        let (me, n) = (member.my_pe(), member.n_pes());
        assert_eq!((me, n), (shmem::my_pe(), shmem::n_pes()));
        // Statics keep their values from job to job.
        let expected = if job == 0 { 0 } else { (me + n - 1) as u64 % n as u64 + 100 * (job - 1) };
        assert_eq!(local!(RECEIVED[2]), expected);
        assert_eq!(local!(COUNT), 40 + job * n as u64);
        member.barrier_all();

        let right = (me + 1) % n;
        remote!(RECEIVED[right, 2] = me as u64 + 100 * job);
        for pe in 0..n {
            remote!(COUNT[pe] += 1);
        }
        member.barrier_all();
        assert_eq!(local!(RECEIVED[2]), (me + n - 1) as u64 % n as u64 + 100 * job);
        assert_eq!(remote!(RECEIVED[right, 2]), me as u64 + 100 * job);
        assert_eq!(remote!(COUNT[right]), 40 + (job + 1) * n as u64);
        collectives(&member.world(), job);
        // SAFETY: what was made in the job is dropped, and there is no other thread.
        unsafe { member.leave() };
    }
    say("four jobs");
    ExitCode::SUCCESS
}

/// What the typed face makes of the job's state: the allocator, teams, and their meetings.
fn collectives(world: &World, job: u64) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let empty = world.heap_free();
    assert_eq!(world.team().reduce_value(Sum, me as u64 + job), (0..n as u64).sum::<u64>() + job * n as u64);
    for root in 0..n {
        assert_eq!(world.team().broadcast_value(if me == root { job + 7 } else { 0 }, root), job + 7);
    }
    // Longer in each job, and dirty afterwards: a new array is zeros nevertheless.
    let array: SymmetricArray<u64, 1> = world.zeros([1000 << job]).expect("there is room");
    assert!(local!(array[..]).iter().all(|&element| element == 0));
    assert!(world.heap_free() < empty);
    world.local_phase(|phase| array.as_mut_slice(phase).fill(u64::MAX));
    let pair = world.team().split_strided(0, 1, n.min(2)).expect("there is a slot");
    if let Some(pair) = &pair {
        assert_eq!(pair.reduce_value(Sum, 1_u64), n.min(2) as u64);
    }
    world.barrier_all();
}

/// PE 1 ends in its second job, without leaving it; PE 0 goes on.
fn early() -> ExitCode {
    let member = join();
    // SAFETY: nothing was made in the job.
    unsafe { member.leave() };
    let member = join();
    if member.my_pe() == 1 {
        return ExitCode::SUCCESS;
    }
    member.barrier_all();
    unreachable!("the job has ended")
}

/// Joins while it is in a job.
fn inside() -> ExitCode {
    let member = join();
    say(&untyped::join(None).err().expect("it is refused").to_string());
    // SAFETY: nothing was made in the job.
    unsafe { member.leave() };
    ExitCode::SUCCESS
}

/// Has a large static.
fn large() -> ExitCode {
    #[symmetric]
    static TABLE: [u64; 1 << 18] = [0; 1 << 18];
    let member = join();
    local!(TABLE[0] = 1);
    // SAFETY: nothing was made in the job.
    unsafe { member.leave() };
    ExitCode::SUCCESS
}

/// A program of the Rust language, which another one starts.
#[shmem::main(npes = 5)]
fn language(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(RECEIVED[right, 1]) = world.my_pe() as u64;
    world.barrier_all();
    say(&format!("PE {} of {}, beside PE {}", world.my_pe(), world.n_pes(), local!(RECEIVED[1])));
}

/// Says which process it is, and waits for another PE, which never comes.
fn waiting() -> ExitCode {
    let member = join();
    say(&format!("process {}", std::process::id()));
    if member.my_pe() > 0 {
        member.barrier_all();
    }
    std::thread::sleep(std::time::Duration::from_secs(300));
    unreachable!("the job has ended")
}

/// PE 0 joins a second job, the others do not.
fn missed() -> ExitCode {
    let member = join();
    let me = member.my_pe();
    // SAFETY: nothing was made in the job.
    unsafe { member.leave() };
    if me == 0 {
        join();
        unreachable!("the others have ended");
    }
    ExitCode::SUCCESS
}

/// In its second job PE 1 leaves while the others wait in a barrier.
fn apart() -> ExitCode {
    // SAFETY: nothing was made in the job.
    unsafe { join().leave() };
    let member = join();
    if member.my_pe() != 1 {
        collective!(barrier);
    }
    // SAFETY: nothing was made in the job.
    unsafe { member.leave() };
    ExitCode::SUCCESS
}

/// PE 0 updates a cell of PE 1, which reads its bytes, after a barrier if the argument says so.
fn bytes_of_a_cell() -> ExitCode {
    const MARK: u64 = 0x1234_5678_9abc_def0;
    let member = join();
    let me = member.my_pe();
    local!(COUNT = MARK);
    // SAFETY: the static lies in the heap, in which all bytes before it can be read.
    let marked = |at: &usize| unsafe { member.heap().add(*at).cast::<u64>().read_volatile() } == MARK;
    let offset = (0..).step_by(8).find(marked).expect("the static is there");
    member.barrier_all();
    if me == 0 {
        remote!(COUNT[1] += 1);
    }
    if arguments().iter().any(|word| word == "barrier") {
        member.barrier_all();
    }
    if me == 1 {
        let mut found = 0_u64;
        // SAFETY: a static, any bytes of which are a value.
        unsafe {
            member.area(None, 1, offset, &[], 8, &"a cell").get((&raw mut found).cast(), 8, false);
        }
        assert!((MARK..=MARK + 1).contains(&found), "{found:x}");
    }
    member.barrier_all();
    // SAFETY: nothing was made in the job, and there is no other thread.
    unsafe { member.leave() };
    ExitCode::SUCCESS
}
