//! The programs whose processes are watched: each a `#[shmem::main]` function, chosen by its name.

use std::io::Read;
use std::process::{Command, ExitCode, exit};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use shmem::Error;
use shmem::prelude::*;

use crate::harness::{Program, say};
use crate::phases;
use crate::stuck;

/// More than a small heap holds.
#[symmetric]
pub(crate) static TABLE: [u64; 1 << 17] = [0; 1 << 17];
#[symmetric]
pub(crate) static VISITS: Atomic<u64> = Atomic::new(0);

/// All of them, by name.
pub(crate) const PROGRAMS: &[Program] = &[
    ("hello", hello),
    ("one-thread", crate::levels::one_thread),
    ("one-of-many", crate::levels::one_of_many),
    ("in-turn", crate::levels::in_turn),
    ("names", names),
    ("bound", bound),
    ("default", default),
    ("heap", heap),
    ("touches", touches),
    ("failing", failing),
    ("waiting", waiting),
    ("code", code),
    ("result", result),
    ("never", never),
    ("thread", thread_panics),
    ("long-error", long_error),
    ("large-output", large_output),
    ("stdin", stdin),
    ("nested", nested),
    ("statics", statics),
    ("beyond", beyond),
    ("meeting", meeting),
    ("waits-alone", waits_alone),
    ("locks-alone", locks_alone),
    ("two-threads", two_threads),
    ("twice", twice),
    ("crowd", crowd),
    ("forged", forged),
    ("cut", cut),
    ("early", early),
    ("printing", crate::output::printing),
    ("debugged", crate::debugger::debugged),
    ("refused", phases::refused),
    ("mixed-up", stuck::mixed_up),
    ("thread-computes", stuck::thread_computes),
    ("caught", phases::caught),
    ("waits-in-a-phase", phases::waits_in_a_phase),
    ("behind", phases::behind),
    ("prints", phases::prints),
    ("turns", phases::turns),
    ("signal-never-sent", stuck::signal_never_sent),
    ("several-never-sent", stuck::several_never_sent),
    ("crossed-locks", stuck::crossed_locks),
    ("lock-in-a-wait", stuck::lock_in_a_wait),
    ("too-few-updates", stuck::too_few_updates),
    ("lock-in-a-barrier", stuck::lock_in_a_barrier),
    ("one-computes", stuck::one_computes),
    ("one-computes-after-puts", stuck::one_computes_after_puts),
    ("beside-threads", stuck::beside_threads),
    ("one-is-to-write", stuck::one_is_to_write),
    ("partners-in-a-circle", stuck::partners_in_a_circle),
    ("partner-computes", stuck::partner_computes),
    ("partner-returns", stuck::partner_returns),
    ("hand-over", stuck::hand_over),
    ("meetings", crate::program_of_meetings::meetings),
    ("in-a-batch", crate::batches::in_a_batch),
    #[cfg(feature = "gpu")]
    crate::streams::LEAVES_OUT,
];

/// An argument after the program's name.
pub(crate) fn argument() -> String {
    std::env::args().nth(3).unwrap_or_default()
}

#[shmem::main(npes = 3)]
fn hello(world: &World) {
    say(&format!("hello from PE {} of {}", world.my_pe(), world.n_pes()));
}

/// What the system shows of this PE, and what the PE sees of its arguments.
#[shmem::main(npes = 3)]
fn names(world: &World) {
    let shown = |path: &str| std::fs::read(path).map(|text| String::from_utf8_lossy(&text).into_owned());
    let shown = move |path: &str| shown(path).unwrap_or_default().replace(['\0', '\n'], "|");
    let here = || shown("/proc/thread-self/comm");
    let unnamed = thread::spawn(move || shown("/proc/thread-self/comm")).join();
    let named = thread::Builder::new().name("worker".into()).spawn(move || shown("/proc/thread-self/comm"));
    say(&format!(
        "PE {}: {} {} {} {} {:?}",
        world.my_pe(),
        here(),
        unnamed.expect("it ends"),
        named.expect("it starts").join().expect("it ends"),
        shown("/proc/self/cmdline"),
        std::env::args().collect::<Vec<_>>()
    ));
    // The supervisor, and a program that this PE starts, have names of their own.
    let supervisor = rustix::process::getppid().expect("it has one").as_raw_nonzero();
    say(&format!("supervisor: {}", shown(&format!("/proc/{supervisor}/comm"))));
    let child = Command::new("sh").args(["-c", "cat /proc/$$/comm"]).output().expect("there is a shell");
    say(&format!("child: {}", String::from_utf8_lossy(&child.stdout).trim_end()));
}

/// The processors that this PE may use.
#[shmem::main(npes = 3)]
fn bound(world: &World) {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    say(&format!("PE {} may use {}", world.my_pe(), crate::cases::processors(&status)));
}

#[shmem::main]
fn default(world: &World) {
    say(&format!("hello from PE {} of {}", world.my_pe(), world.n_pes()));
}

#[shmem::main(npes = 2, heap = "8M")]
fn heap(world: &World) {
    // Behind the statics and the runtime's own words.
    say(&format!("{} free", world.heap_free()));
}

/// Writes more than it is given.
#[shmem::main(npes = 2)]
fn touches(world: &World) -> Result<(), Error> {
    let _much = world.ones::<u64, 1>([32 << 20])?;
    world.barrier_all();
    Ok(())
}

/// PE 1 fails as the argument says, while PE 0 waits in a barrier and PE 2 computes and waits for
/// nobody.
#[shmem::main(npes = 3)]
fn failing(world: &World) -> Result<(), String> {
    world.barrier_all();
    match world.my_pe() {
        1 => fail(&argument()),
        0 => {
            world.barrier_all();
            Ok(())
        }
        _ => compute(),
    }
}

/// Computes for longer than any test waits; not for ever, so that nothing is left of a test that
/// fails.
fn compute() -> ! {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(300) {
        thread::yield_now();
    }
    panic!("nobody has ended the job");
}

pub(crate) fn fail(how: &str) -> Result<(), String> {
    match how {
        "panic" => panic!("a deliberate panic"),
        "error" => return Err(String::from("no input")),
        "exit-0" => exit(0),
        "exit-3" => exit(3),
        "exit-256" => exit(256),
        "abort" => std::process::abort(),
        "kill" => {
            let itself = rustix::process::getpid();
            rustix::process::kill_process(itself, rustix::process::Signal::KILL)
                .expect("this process is ours");
            unreachable!("it does not come back");
        }
        // SAFETY: none, on purpose: nothing is mapped there, and the process ends by that.
        "segv" => unsafe {
            std::ptr::without_provenance::<u8>(4096).read_volatile();
        },
        "overflow" => {
            #[allow(unconditional_recursion)]
            fn deeper(depth: u64) -> u64 {
                std::hint::black_box([depth; 64]);
                deeper(std::hint::black_box(depth + 1)) + 1
            }
            deeper(0);
        }
        "double-panic" => {
            struct Panics;
            impl Drop for Panics {
                fn drop(&mut self) {
                    panic!("the second panic");
                }
            }
            let _panics = Panics;
            panic!("the first panic");
        }
        "payload" => std::panic::panic_any(17),
        "resume" => std::panic::resume_unwind(Box::new("without a hook")),
        "caught-abort" => {
            let _caught = std::panic::catch_unwind(|| panic!("an old panic"));
            std::process::abort();
        }
        "caught-resume" => {
            let _caught = std::panic::catch_unwind(|| panic!("an old panic"));
            std::panic::resume_unwind(Box::new("without a hook"));
        }
        "resumed" => {
            let caught = std::panic::catch_unwind(|| panic!("a caught panic"));
            std::panic::resume_unwind(caught.expect_err("it panics"));
        }
        "scoped" => thread::scope(|scope| {
            let _thread = scope.spawn(|| panic!("a panic of a thread"));
        }),
        "joined" => {
            let thread = thread::spawn(|| panic!("a panic of a thread"));
            thread.join().unwrap();
        }
        "bounds" => {
            let beyond = std::hint::black_box(1 << 17);
            remote!(TABLE[0, beyond] = 1);
        }
        "no-such-pe" => {
            let pe = std::hint::black_box(3);
            remote!(TABLE[pe, 0] = 1);
        }
        _ => unreachable!("{how} is no way to fail"),
    }
    Ok(())
}

/// Goes on: PE 0 in a barrier, PE 1 asleep, PE 2 computing. The first lines are the numbers of the
/// processes.
#[shmem::main(npes = 3)]
fn waiting(world: &World) {
    say(&format!("process {}", std::process::id()));
    match world.my_pe() {
        0 => world.barrier_all(),
        1 => thread::sleep(Duration::from_secs(300)),
        _ => compute(),
    }
}

/// Returns the argument as its status: on PE 1, or on all.
#[shmem::main(npes = 2)]
fn code(world: &World) -> ExitCode {
    let argument = argument();
    match argument.strip_prefix("all:") {
        Some(code) => ExitCode::from(code.parse::<u8>().expect("a status")),
        None if world.my_pe() == 1 => ExitCode::from(argument.parse::<u8>().expect("a status")),
        None => ExitCode::SUCCESS,
    }
}

#[shmem::main(npes = 2)]
fn result() -> Result<ExitCode, Error> {
    Ok(ExitCode::from(argument().parse::<u8>().expect("a status")))
}

#[shmem::main(npes = 2)]
fn never(world: &World) -> ! {
    world.barrier_all();
    panic!("it never returns")
}

/// A thread's panic is its own affair.
#[shmem::main(npes = 3)]
fn thread_panics(world: &World) {
    let ended = thread::spawn(|| panic!("only this thread")).join();
    assert!(ended.is_err());
    let mine = 1;
    let all = collective!(sum mine);
    say(&format!("PE {} goes on with {all}", world.my_pe()));
}

#[shmem::main(npes = 2)]
fn long_error() -> Result<(), String> {
    Err(format!("begin {} end", "é".repeat(5000)))
}

/// A megabyte from each PE.
#[shmem::main(npes = 3)]
fn large_output(world: &World) {
    let line = "x".repeat(99 - world.my_pe());
    for _ in 0..10_000 {
        println!("{line}");
    }
}

/// What is typed goes to PE 0.
#[shmem::main(npes = 2)]
fn stdin(world: &World) {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    say(&format!("PE {} read {:?}: {text:?}", world.my_pe(), read.ok()));
}

/// A PE may start a program that is a job of its own.
#[shmem::main(npes = 2)]
fn nested(world: &World) {
    if world.my_pe() == 1 {
        let program = std::env::current_exe().expect("the program's path");
        let status = Command::new(program).args(["--program", "hello"]).status().expect("the program starts");
        assert!(status.success());
    }
}

#[shmem::main(npes = 2)]
fn statics(world: &World) {
    let me = world.my_pe();
    remote!(TABLE[(me + 1) % 2, (1 << 17) - 1]) = me as u64 + 1;
    world.barrier_all();
    say(&format!("PE {me} has {}", local!(TABLE[(1 << 17) - 1])));
}

/// Allocates more than there is.
#[shmem::main(npes = 2)]
fn beyond(world: &World) -> Result<(), Error> {
    let elements: usize = argument().parse().expect("a number of elements");
    let array = world.symmetric_array::<u64, 1>([elements], 1)?;
    say(&format!("{} elements", array.len()));
    Ok(())
}

/// All PEs meet, and PE 0 says how many they were.
#[shmem::main]
fn meeting(world: &World) {
    remote!(VISITS[0]) += 1;
    world.barrier_all();
    let visits = remote!(VISITS[0]);
    assert_eq!(visits, world.n_pes() as u64);
    let mine = world.my_pe();
    let sum = collective!(sum mine);
    if mine == 0 {
        say(&format!("{visits} PEs met, and their numbers make {sum}"));
    }
}

#[symmetric]
static NEVER: Atomic<u64> = Atomic::new(0);
#[symmetric]
static HELD: Lock = Lock::new();

/// PE 1, or the only PE, waits for what nobody does; what was done before the others left is seen.
#[shmem::main(npes = 3)]
fn waits_alone(world: &World) {
    let waits = (world.n_pes() - 1).min(1);
    if world.my_pe() == waits {
        wait!(NEVER == world.n_pes() as u64 - 1);
        say("all");
        wait!(NEVER == 3);
    } else {
        thread::sleep(Duration::from_millis(200));
        remote!(NEVER[waits]) += 1;
    }
}

/// PE 1 wants a lock that PE 0 has taken with it; others wait for what nobody does.
#[shmem::main(npes = 2)]
fn locks_alone(world: &World) {
    let guard = (world.my_pe() == 0).then(|| HELD.lock());
    world.barrier_all();
    match world.my_pe() {
        0 => std::mem::forget(guard),
        1 => drop(HELD.lock()),
        _ => drop(wait!(NEVER == 1)),
    }
}

/// A thread of PE 0 is in the collective call of the argument, which PE 1 does not make; another
/// one comes to a barrier.
#[shmem::main(npes = 2)]
fn two_threads(world: &World) {
    if world.my_pe() == 1 {
        wait!(NEVER == 1);
    }
    let (sender, first) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            sender.send(rustix::thread::gettid().as_raw_nonzero()).expect("it is waited for");
            if argument() == "sum" { _ = collective!(sum 1) } else { world.barrier_all() }
        });
        let first = first.recv().expect("the thread says its number");
        let stat = format!("/proc/self/task/{first}/stat");
        let sleeps = |stat: String| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S'));
        while !std::fs::read_to_string(&stat).is_ok_and(sleeps) {
            thread::yield_now();
        }
        let panic = std::panic::catch_unwind(|| world.barrier_all()).expect_err("two threads");
        say(panic.downcast_ref::<String>().expect("a text"));
        exit(3);
    });
}

/// A second job in the same process: the supervisor's is a new one, a PE has none.
fn twice() -> ExitCode {
    hello();
    hello()
}

/// A job that a PE joins from many threads at once.
fn crowd() -> ExitCode {
    if std::env::var_os("SHMEM_SMP_JOB").is_none() {
        return hello();
    }
    let start = std::sync::Barrier::new(8);
    let joined = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    hello()
                })
            })
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .filter(|code| *code == ExitCode::SUCCESS)
            .count()
    });
    assert_eq!(joined, 1);
    ExitCode::SUCCESS
}

/// Sets the variable that makes a PE, in words that fit two files of this process. In edition 2021
/// that is safe code.
fn forged() -> ExitCode {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let [memory, lifeline] = ["/dev/zero", "/dev/null"].map(|path| std::fs::File::open(path).unwrap());
    let object = memory.metadata().unwrap();
    let job = format!(
        "pe=0,npes=1,heap=4096,memory={},object={}:{},lifeline={},supervisor=1,system=portable,debugged=false,journals=0",
        memory.as_raw_fd(),
        object.dev(),
        object.ino(),
        lifeline.as_raw_fd()
    );
    // SAFETY: the process has one thread.
    unsafe { std::env::set_var("SHMEM_SMP_JOB", job) };
    let code = hello();
    // Both are still ours, and open.
    assert!(memory.metadata().is_ok() && lifeline.metadata().is_ok());
    code
}

/// A PE that cuts the file behind the job's memory, through the names that the system gives to its
/// descriptors.
#[shmem::main(npes = 2)]
fn cut(world: &World) {
    let mut found = 0;
    for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_link(&path).is_ok_and(|to| to.to_string_lossy().contains("memfd:shmem")) {
            found += 1;
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            assert!(file.set_len(0).is_err() && file.set_len(1 << 60).is_err());
        }
    }
    assert!(found > 0);
    world.barrier_all();
    remote!(VISITS[1 - world.my_pe()]) += 1;
    world.barrier_all();
    assert_eq!(local!(VISITS), 1);
}

/// A reference that was made before there was a job, and is used in it.
fn early() -> ExitCode {
    static EARLY: OnceLock<Remote<'static, u64, shmem::select::One>> = OnceLock::new();

    #[shmem::main(npes = 2)]
    fn late() {
        say("in the job");
        let early = EARLY.get().unwrap();
        match argument().as_str() {
            "get" => assert_eq!(early.get(), 0),
            _ => early.put(7),
        }
        say("not reached");
    }

    EARLY.set(remote!(&TABLE[0, 5])).unwrap();
    late()
}
