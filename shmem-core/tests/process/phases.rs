//! What local phases refuse, and what ends a job because of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use shmem::Error;
use shmem::prelude::*;

use crate::harness::say;
use crate::programs::{TABLE, VISITS, argument};
use crate::watch::{program, run, with};

#[symmetric]
static SMALL: [u64; 4] = [0; 4];
#[symmetric]
static LOCK: Lock = Lock::new();

/// A buffer of the program's own, which would be read into while the room is asked for.
struct OwnBuffer([u64; 2]);

// SAFETY: the elements are behind the reference.
unsafe impl shmem::Target<u64, [u64; 2]> for &mut OwnBuffer {
    fn slots(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// What a phase refuses, and a part of the report.
const REFUSED: &[(&str, &str)] = &[
    ("read", "`SMALL: [u64; 4]` ("),
    ("read-all", "was accessed by `remote!` or `local!` inside a local phase"),
    ("read-into", "`SMALL: [u64; 4]` ("),
    ("write", "use `as_slice` or `as_mut_slice`"),
    ("write-slice", "`TABLE: [u64; 1 << 17]` ("),
    ("fill", "`SMALL: [u64; 4]` ("),
    ("no-element", "`SMALL: [u64; 4]` ("),
    ("own", "`SMALL: [u64; 4]` ("),
    ("local", "`SMALL: [u64; 4]` ("),
    ("local-write", "`SMALL: [u64; 4]` ("),
    ("add", "`VISITS: Atomic<u64>` ("),
    ("fetch-add", "`VISITS: Atomic<u64>` ("),
    ("reference", "`SMALL: [u64; 4]` ("),
    ("array", "`symmetric array #"),
    ("thread", "`SMALL: [u64; 4]` ("),
    ("allocation", "an allocation was called inside a local phase"),
    ("reclaim", "a collective release of memory was called inside a local phase"),
    ("free", "a collective release of memory was called inside a local phase"),
    ("reduction", "`sum` was called inside"),
    ("swap", "`VISITS: Atomic<u64>` ("),
    ("compare", "`VISITS: Atomic<u64>` ("),
    ("wait", "`VISITS: Atomic<u64>` ("),
    ("wait-all", "`VISITS: Atomic<u64>` ("),
    ("wait-any", "`VISITS: Atomic<u64>` ("),
    ("poll", "`VISITS: Atomic<u64>` ("),
    ("poll-some", "`VISITS: Atomic<u64>` ("),
    ("signal", "`SMALL: [u64; 4]` ("),
    ("lock", "`LOCK: Lock` ("),
    ("try-lock", "`LOCK: Lock` ("),
    ("unlock", "the release of the lock `LOCK: Lock` ("),
    ("unlock-thread", "`LOCK: Lock` ("),
    ("zeros", "an allocation was called inside a local phase"),
    ("from-slice", "an allocation was called inside a local phase"),
    ("from-fn", "an allocation was called inside a local phase"),
    ("resize", "an allocation was called inside a local phase"),
    ("context", "`SMALL: [u64; 4]` ("),
    ("context-own", "`VISITS: Atomic<u64>` ("),
    ("nbi-put", "`SMALL: [u64; 4]` ("),
    ("nbi-get", "`SMALL: [u64; 4]` ("),
    ("nbi-add", "`VISITS: Atomic<u64>` ("),
    ("address", "`SMALL: [u64; 4]` ("),
    ("own-buffer", "`SMALL: [u64; 4]` ("),
    ("team-sync", "a synchronisation of a team that is not the world was called inside a local phase"),
    ("team-barrier", "a synchronisation of a team that is not the world was called inside a local phase"),
    ("team-value", "`broadcast` was called inside a local phase"),
    ("split-strided", "`split_strided` was called inside a local phase"),
    ("split-2d", "`split_2d` was called inside a local phase"),
    ("split-list", "`split_list` was called inside a local phase"),
    ("split-color", "`split_by_color` was called inside a local phase"),
    ("collect", "`collect` was called inside a local phase"),
    ("broadcast", "`broadcast` was called inside a local phase"),
    ("scan", "`exscan` was called inside a local phase"),
    ("reference-reduced", "`max` was called inside a local phase"),
    ("phase", "this PE is in a local phase already"),
    ("panic", "a deliberate panic"),
    ("payload", "a value that is not a string"),
    ("resume", "without a hook"),
];

/// PE 1 does in a phase what the argument says; the others do nothing, and wait for it. It tries to
/// catch what comes of it, on either side.
#[shmem::main(npes = 3)]
pub(crate) fn refused(world: &World) -> Result<(), Error> {
    let way = argument();
    let mut array = world.symmetric_array::<u64, 1>([4], 0)?;
    let team = world.team().split_strided(0, 1, world.n_pes())?.expect("all are members");
    let ctx = team.context(shmem::context::Shared)?;
    let reference = remote!(&SMALL[0, 1..3]);
    let own = local!(&SMALL[..]);
    let visits = local!(&VISITS);
    // Taken before, and released inside.
    let mut guard = (world.my_pe() == 1 && way.starts_with("unlock")).then(|| LOCK.lock());
    let caught = catch_unwind(AssertUnwindSafe(|| {
        world.local_phase(|p| {
            if world.my_pe() != 1 {
                return;
            }
            match way.as_str() {
                "panic" => panic!("a deliberate panic"),
                "payload" => std::panic::panic_any(17),
                "resume" => std::panic::resume_unwind(Box::new("without a hook")),
                _ => {}
            }
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let source = TABLE.as_slice(p);
                match way.as_str() {
                    "read" => assert_eq!(remote!(SMALL[0, 1]), 0),
                    "read-all" => assert_eq!(remote!(SMALL[2, ..]), [0; 4]),
                    "read-into" => remote!(SMALL[0, 0..2] => &mut [1, 2]),
                    "write" => remote!(SMALL[0, 0..4;2] = [1, 2]),
                    "write-slice" => remote!(TABLE[2, { 0 }..] = &source[..]),
                    "fill" => remote!(SMALL[0, ..] = 5),
                    "no-element" => remote!(SMALL[0, 2..2] = 5),
                    "own" => remote!(SMALL[1, 0] = 5),
                    "local" => assert_eq!(local!(SMALL[3]), 0),
                    "local-write" => local!(SMALL[3] = 1),
                    "add" => remote!(VISITS[0] += 1),
                    "fetch-add" => assert_eq!(remote!(&VISITS[0]).fetch_add(1), 0),
                    "reference" => assert_eq!(reference.get(), [0; 2]),
                    "array" => remote!(array[0, 0] = 1),
                    "thread" => assert!(thread::spawn(|| remote!(SMALL[0, 0] = 1)).join().is_err()),
                    "allocation" => drop(world.symmetric_array::<u8, 1>([1], 0)),
                    "reclaim" => world.reclaim().expect("it does not come back"),
                    "free" => array.free().expect("it does not come back"),
                    "reduction" => assert_eq!(collective!(sum 1_u64), 3),
                    "swap" => assert_eq!(visits.swap(1), 0),
                    "compare" => assert_eq!(visits.compare_exchange(0, 1), Ok(0)),
                    "wait" => assert_eq!(wait!(VISITS == 0), 0),
                    "wait-all" => visits.wait_until_all(Comparison::Eq, 0),
                    "wait-any" => {
                        assert_eq!(visits.except(&[false]).wait_until_any(Comparison::Eq, 0), Some(0))
                    }
                    "poll" => assert!(poll!(VISITS == 0)),
                    "poll-some" => assert_eq!(visits.test_some(Comparison::Eq, 0), [0]),
                    "signal" => local!(&SMALL[0..0]).put_signal([], visits, SignalOp::Set(1)),
                    "lock" => drop(LOCK.lock()),
                    "try-lock" => drop(LOCK.try_lock()),
                    "unlock" => drop(guard.take()),
                    "unlock-thread" => {
                        // The lock is held; a thread of the phase waits for it.
                        assert!(thread::spawn(|| drop(LOCK.lock())).join().is_err());
                    }
                    "zeros" => drop(world.zeros::<u8, 1>([1])),
                    "from-slice" => drop(world.array_from_slice(&[1_u8])),
                    "from-fn" => drop(world.array_from_fn([1], |_| 1_u8)),
                    "resize" => array.resize([9], 0).expect("it does not come back"),
                    "context" => remote!(ctx; SMALL[0, 1] = 1),
                    "context-own" => remote!(ctx; VISITS[1] += 1),
                    "nbi-put" => world.nbi(|s| s.put(own, &[0; 4])),
                    "nbi-get" => {
                        let mut buffer = [0; 4];
                        world.nbi(|s| s.get(own, &mut buffer));
                    }
                    "nbi-add" => ctx.nbi(|s| s.add(visits, 1)),
                    "address" => assert!(own.as_ptr().is_none()),
                    "own-buffer" => local!(&SMALL[1..3]).get_into(&mut OwnBuffer([0; 2])),
                    "team-sync" => team.sync(),
                    "team-barrier" => team.barrier(),
                    "team-value" => assert_eq!(team.broadcast_value(1, 0), 1),
                    "split-strided" => drop(team.split_strided(0, 1, 1)),
                    "split-2d" => drop(world.team().split_2d(1)),
                    "split-list" => drop(team.split_list(&[0])),
                    "split-color" => drop(world.team().split_by_color(None, 0)),
                    "collect" => assert_eq!(team.collect_values(&[1]).len(), 3),
                    "broadcast" => world.team().broadcast(own, own, 0),
                    "scan" => assert_eq!(team.exscan_value(1), 1),
                    "reference-reduced" => team.reduce(shmem::reduction::Max, own, own),
                    "phase" => world.local_phase(|_| say("in the second phase")),
                    other => panic!("{other} is not known"),
                }
            }));
            say(&format!("caught inside: {}", caught.is_err()));
        });
    }));
    say(&format!("caught outside: {}", caught.is_err()));
    world.barrier_all();
    Ok(())
}

/// The job ends, with a report that says what and where, however much the program catches.
pub(crate) fn what_a_phase_refuses_ends_the_job() {
    for (system, direct) in [("linux", "1"), ("portable", "1"), ("linux", "0")] {
        if system == "linux" && !cfg!(target_os = "linux") {
            continue;
        }
        for (way, told) in REFUSED {
            let ended = run(with("refused", "SHMEM_SYSTEM", system).env("SHMEM_DIRECT", direct).arg(way));
            let place = match *way {
                "resume" => "an unknown place",
                // A destructor does not know who runs it.
                "unlock" => "shmem-core/src/lock/mod.rs:",
                _ => "shmem-core/tests/process/phases.rs:",
            };
            ended.assert_failed(101, &format!("shmem: PE 1 of 3 panicked at {place}"));
            assert!(ended.reports()[0].contains(told), "{way}, {system}, {direct}: {ended:#?}");
            assert_eq!(ended.stdout, "", "{way}, {system}, {direct}: {ended:#?}");
        }
    }
}

/// A second thread of PE 1 puts all the time (a megabyte: it is in a copy nearly always), while the
/// PE enters a phase and stays there until the thread has done ten more.
#[shmem::main(npes = 2)]
pub(crate) fn caught(world: &World) {
    static STARTED: AtomicBool = AtomicBool::new(false);
    let how = argument();
    let me = world.my_pe();
    if me == 1 {
        let (puts, done) = mpsc::channel();
        let to = usize::from(how == "own");
        thread::spawn(move || {
            let source = vec![7_u64; 1 << 17];
            let mut value = [0; 4];
            loop {
                match how.as_str() {
                    "small" => remote!(SMALL[to, 0] = 1),
                    "atomic" => remote!(VISITS[to] += 1),
                    "read" => remote!(SMALL[to, ..] => &mut value),
                    _ => remote!(TABLE[to, { 0 }..] = &source[..]),
                }
                STARTED.store(true, Ordering::Relaxed);
                puts.send(()).expect("the PE listens");
            }
        });
        while !STARTED.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        world.local_phase(|p| {
            let sum: u64 = TABLE.as_slice(p).iter().sum();
            // What was sent until now was put before the phase; one more can have been on its way.
            let before = done.try_iter().count();
            let _ = done.recv();
            let _ = done.recv();
            say(&format!("it put {before} before and went on, {sum}"));
        });
    } else {
        world.local_phase(|p| drop(TABLE.as_slice(p)));
    }
    world.barrier_all();
}

/// It is caught in the middle of its access, or by the next one; and the job ends in either case.
pub(crate) fn a_thread_that_accesses_in_a_phase_ends_the_job() {
    let mut in_the_middle = 0;
    for (system, direct) in [("linux", "1"), ("portable", "1"), ("linux", "0")] {
        if system == "linux" && !cfg!(target_os = "linux") {
            continue;
        }
        for how in ["large", "own", "small", "atomic", "read"] {
            for _ in 0..4 {
                let ended = run(with("caught", "SHMEM_SYSTEM", system).env("SHMEM_DIRECT", direct).arg(how));
                let reports = ended.reports();
                let Some(report) = reports.last() else { panic!("{how}, {system}, {direct}: {ended:#?}") };
                assert_eq!(ended.stdout, "", "{how}, {system}, {direct}: {ended:#?}");
                if ended.status.code() == Some(139) {
                    in_the_middle += 1;
                    assert!(
                        report.starts_with(
                            "shmem: PE 1 of 2 was stopped: a thread of PE 1 was in an access to symmetric memory of PE "
                        ) && report.contains("when PE 1 entered a local phase: join or pause the threads"),
                        "{how}, {system}, {direct}: {ended:#?}"
                    );
                } else {
                    assert_eq!(ended.status.code(), Some(101), "{how}, {system}, {direct}: {ended:#?}");
                    assert!(
                        report.starts_with("shmem: PE 1 of 2 panicked at ")
                            && (report.contains("by `remote!` or `local!` inside a local phase")
                                || report.contains(
                                    "access to symmetric memory when the PE entered a local phase"
                                )),
                        "{how}, {system}, {direct}: {ended:#?}"
                    );
                }
            }
        }
    }
    assert!(in_the_middle > 0, "large copies were never caught in the middle");
}

#[symmetric]
static CAUGHT: Atomic<u64> = Atomic::new(0);
#[symmetric]
static HELD: Lock = Lock::new();

/// Another thread waits as the argument says while its PE enters a phase.
#[shmem::main(npes = 2)]
pub(crate) fn waits_in_a_phase(world: &World) {
    let (me, how) = (world.my_pe(), argument());
    let held = (me == 0).then(|| HELD.lock());
    world.barrier_all();
    thread::scope(|scope| {
        if me == 1 {
            scope.spawn(|| match how.as_str() {
                "cell" => _ = wait!(CAUGHT == 1), // of a thread
                _ => drop(HELD.lock()),           // of a thread as well
            });
            while how == "lock" && shmem::LockRef::from(&HELD).queue().1 == 0 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(50));
        }
        world.local_phase(|_| thread::sleep(Duration::from_secs(20)));
    });
    drop(held);
}

/// The place is that of the wait in the program.
pub(crate) fn a_thread_that_waits_in_a_phase_ends_the_job() {
    for (how, what, mark) in
        [("cell", "CAUGHT == 1", "// of a thread\n"), ("lock", "the lock HELD", "// of a thread as well")]
    {
        let line =
            1 + include_str!("phases.rs").split(mark).next().expect("the program").matches('\n').count();
        for direct in ["1", "0"] {
            let ended = run(program("waits-in-a-phase").env("SHMEM_DIRECT", direct).arg(how));
            let place = format!("shmem-core/tests/process/phases.rs:{line}:");
            let stopped = format!("shmem: PE 1 of 2 was stopped: a thread of PE 1 waited at {place}");
            let why = format!(
                " for {what} when the PE entered a local phase: join or pause the threads that use remote! or local! before \
                 local_phase"
            );
            // Where the machine is busy, the thread may come to its first look late.
            let late = format!("shmem: PE 1 of 2 panicked at {place}");
            let [report] = &ended.reports()[..] else { panic!("{ended:#?}") };
            let is_stopped = report.starts_with(&stopped) && report.contains(&why);
            assert!(is_stopped || how == "cell" && report.starts_with(&late), "{ended:#?}");
        }
    }
}

/// Behind a phase with several threads, for which a signal handler was installed, PE 1 fails as the
/// argument says.
#[shmem::main(npes = 2)]
pub(crate) fn behind(world: &World) {
    let (_end, until) = mpsc::channel::<()>();
    thread::spawn(move || until.recv());
    world.local_phase(|p| SMALL.as_mut_slice(p).fill(1));
    if world.my_pe() == 1 {
        crate::programs::fail(&argument()).expect("it does not come back");
    }
    world.barrier_all();
}

/// Faults that have nothing to do with phases are what they are without.
pub(crate) fn faults_behind_a_phase_are_what_they_were() {
    for (way, status, report) in [
        ("segv", 139, "was killed by signal 11 (SIGSEGV)"),
        ("overflow", 134, "was killed by signal 6 (SIGABRT)"),
    ] {
        let ended = run(program("behind").arg(way));
        ended.assert_failed(status, &format!("shmem: PE 1 of 2 {report}"));
        assert_eq!(ended.stderr.contains("has overflowed its stack"), way == "overflow", "{ended:#?}");
    }
}

/// What is printed in a phase arrives also when the phase ends the job: `print!` without an end of
/// line too.
#[shmem::main(npes = 1)]
pub(crate) fn prints(world: &World) -> ExitCode {
    print!("before");
    world.local_phase(|_| {
        print!(" and inside");
        panic!("a deliberate panic")
    })
}

pub(crate) fn what_was_printed_arrives() {
    let ended = run(&mut program("prints"));
    ended.assert_failed(101, "shmem: PE 0 of 1 panicked at shmem-core/tests/process/phases.rs:");
    assert_eq!(ended.stdout, "before and inside");
}

/// Phases alone and beside another thread, in turns: the slices lie in different mappings of the
/// same memory.
#[shmem::main]
pub(crate) fn turns(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    let mut seen = [0, 0];
    for round in 0..90_u64 {
        remote!(SMALL[right, 1] = round << 8 | me as u64);
        let mut step = || {
            let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
            seen[usize::from(threads == 1)] += 1;
            world.local_phase(|p| {
                let (mut table, mut small) = (TABLE.as_mut_slice(p), SMALL.as_mut_slice(p));
                assert!(table.iter().step_by(1013).all(|value| *value == round), "round {round}");
                table.iter_mut().for_each(|value| *value += 1);
                assert_eq!(small[1], round << 8 | left as u64);
                small[2] = !small[1];
            });
        };
        if (round / 2 + me as u64).is_multiple_of(3) {
            thread::scope(|scope| {
                let (end, until) = mpsc::channel::<()>();
                scope.spawn(move || until.recv());
                step();
                drop(end);
            });
        } else {
            step();
        }
        assert_eq!(remote!(TABLE[right, (1 << 17) - 1]), round + 1);
        assert_eq!(remote!(SMALL[right, 2]), !(round << 8 | me as u64));
    }
    say(&format!("{seen:?}"));
}

pub(crate) fn phases_alone_and_beside_other_threads() {
    for npes in ["1", "2", "3", "4", "7"] {
        for (system, direct) in [("linux", "1"), ("linux", "0"), ("portable", "1")] {
            if system == "linux" && !cfg!(target_os = "linux") {
                continue;
            }
            let mut command = with("turns", "SHMEM_SYSTEM", system);
            let ended = run(command.env("SHMEM_DIRECT", direct).env("SHMEM_NPES", npes));
            ended.assert_quiet_success();
            if system == "linux" {
                // A PE that runs alone, or never does, would be tested by half. The portable form
                // has a thread of its own.
                assert!(!ended.stdout.contains(", 0]") && !ended.stdout.contains("[0, "), "{ended:#?}");
            }
        }
    }
}
