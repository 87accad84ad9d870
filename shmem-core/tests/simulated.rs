//! The messages of real meetings, sums and broadcasts between hosts, against those of the simulation.
//!
//! The program counts the messages where the C library gets them, by the library's profiling
//! interface: it has routines of the library's names, which count and call the library's own. The
//! simulation takes the steps of the same source files on virtual PEs.

mod harness;
#[path = "harness/open_mpi.rs"]
mod open_mpi;

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use libtest_mimic::Trial;
use shmem::prelude::*;
use shmem::reduction::Sum;
use simulation::{Call, Machine, network};

use harness::{Program, say, trials};

const PROGRAMS: &[Program] = &[("calls", calls)];

/// How many messages, and how many bytes, by the PE that sent them and the one that they reached.
type Messages = BTreeMap<(usize, usize), (u64, u64)>;

/// The bytes of broadcasts in cells: of one, of several, and of the most.
const BYTES: [usize; 3] = [40, 304, 2048];
/// The bytes of broadcasts that go from host to host in pieces: two and a half.
const RELAYED: usize = 640 << 10;
/// How many words all PEs together give to each other without a signal: `GIVEN` in `steps.rs`.
const GIVEN: usize = 64;
/// The integers of a sum, which are combined where those of all PEs are more words than that.
const MANY: usize = 7;
/// The bytes that go with each signal then.
const COMBINED: usize = 128;

/// The calls that are counted: more broadcasts than there are cells of either kind, from several roots.
fn all_calls(pes: usize) -> Vec<Call> {
    let broadcast =
        |i: usize| Call::Broadcast { root: i % pes, bytes: if i < 70 { BYTES[i % BYTES.len()] } else { 8 } };
    let many =
        if pes * MANY > GIVEN { Call::Combine { bytes: COMBINED } } else { Call::Exchange { words: MANY } };
    let ends = [many, Call::Meet, many, Call::Meet];
    let [one, three] = [1, 3].map(|words| Call::Exchange { words });
    let relays = [pes - 1, pes / 2, 0].map(|root| Call::Relay { root, bytes: RELAYED });
    let broadcasts = (0..210).map(broadcast).chain(relays);
    let meetings = [one, three, Call::Meet, one, three, three];
    [Call::Meet].into_iter().chain(broadcasts).chain(ends).chain(meetings).collect()
}

/// The calls of more hosts than meet at once.
fn calls_of_many() -> Vec<Call> {
    let pairs = [1, 3, 1].map(|values| Call::Pairs { bytes: values * 8 });
    let combined = Call::Combine { bytes: COMBINED };
    [Call::Meet].into_iter().chain(pairs).chain([combined, Call::Meet]).chain(pairs).collect()
}

/// The calls of so many PEs, with so many on a host.
fn calls_of(pes: usize, per_host: usize) -> Vec<Call> {
    if pes.div_ceil(per_host) > 16 { calls_of_many() } else { all_calls(pes) }
}

/// The messages that this PE has sent to each.
static SENT: Mutex<BTreeMap<usize, (u64, u64)>> = Mutex::new(BTreeMap::new());

/// Counts a message of this PE.
fn count(pe: c_int, bytes: usize) {
    let mut sent = SENT.lock().expect("nothing panics with it");
    let (messages, all) = sent.entry(pe as usize).or_default();
    *messages += 1;
    *all += bytes as u64;
}

/// Routines with the library's names, which count. The arguments before the PE are passed on.
macro_rules! counting {
    ($($name:ident $own:ident($($argument:ident: $kind:ty),*) $bytes:expr;)*) => {
        unsafe extern "C" {
            $(fn $own($($argument: $kind,)* pe: c_int);)*
        }
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind,)* pe: c_int) {
                count(pe, $bytes);
                // SAFETY: the library's own routine, with the arguments of the caller, who keeps
                // its conditions.
                unsafe { $own($($argument,)* pe) };
            }
        )*
    };
}

counting! {
    shmem_putmem pshmem_putmem(to: *mut c_void, from: *const c_void, bytes: usize) bytes;
    shmem_ctx_putmem pshmem_ctx_putmem(
        ctx: *mut c_void, to: *mut c_void, from: *const c_void, bytes: usize
    ) bytes;
    shmem_uint64_p pshmem_uint64_p(to: *mut u64, value: u64) size_of::<u64>();
    shmem_uint32_p pshmem_uint32_p(to: *mut u32, value: u32) size_of::<u32>();
}

/// Makes the calls, and prints the messages that they have sent.
#[shmem::main]
fn calls(world: &World) {
    let (me, pes) = (world.my_pe(), world.n_pes());
    let team = world.team();
    let objects = || world.zeros::<u64, 1>([RELAYED / 8]).expect("there is room");
    let (to, from) = (objects(), objects());
    SENT.lock().expect("nothing panics with it").clear();
    let per_host = std::env::var("SHMEM_DIRECT").ok().and_then(|direct| direct.parse().ok()).unwrap_or(1);
    for call in calls_of(pes, per_host) {
        match call {
            Call::Meet => team.sync(),
            Call::Pairs { bytes } => {
                let mut sums = vec![me as f64; bytes / 8];
                team.reduce_pairwise_values(Sum, &mut sums);
                assert_eq!(sums, vec![(pes * (pes - 1) / 2) as f64; bytes / 8]);
            }
            Call::Combine { .. } | Call::Exchange { .. } => {
                let mut sums = vec![me; if let Call::Exchange { words } = call { words } else { MANY }];
                team.reduce_values(Sum, &mut sums);
                assert_eq!(sums, vec![pes * (pes - 1) / 2; sums.len()]);
            }
            Call::Relay { root, bytes } => {
                team.broadcast(local!(&to[..bytes / 8]), local!(&from[..bytes / 8]), root)
            }
            Call::Broadcast { root, bytes } => {
                let mut values = vec![if me == root { root as u64 + 1 } else { 0 }; bytes / 8];
                team.broadcast_values(&mut values, root);
                assert_eq!(values, vec![root as u64 + 1; bytes / 8]);
            }
        }
    }
    let sent = std::mem::take(&mut *SENT.lock().expect("nothing panics with it"));
    // What a PE leaves in its own memory for those on its host is no message.
    for (pe, (messages, bytes)) in sent.into_iter().filter(|&(pe, _)| pe != me) {
        say(&format!("{me} {pe} {messages} {bytes}"));
    }
}

fn main() -> ExitCode {
    harness::main(PROGRAMS, tests)
}

fn tests() -> Vec<Trial> {
    trials! {
        messages_between_single_pes
        messages_between_hosts_of_two
    }
}

fn messages_between_single_pes() {
    for pes in [2, 3, 7, 16, 21] {
        let (real, simulated) = (counted("own", pes), simulated(1, pes));
        assert_eq!(real, simulated, "{pes} PEs");
    }
}

fn messages_between_hosts_of_two() {
    for pes in [3, 7, 16, 35] {
        let (real, simulated) = (counted("2", pes), simulated(2, pes));
        // Which PE of a host is the last to come, and signals the next host, is a matter of time.
        assert_eq!(by_target(real), by_target(simulated), "{pes} PEs");
    }
}

/// The messages of a simulated run on hosts with so many PEs.
fn simulated(per_host: usize, pes: usize) -> Messages {
    let mut messages = Messages::new();
    let machine = Machine::of_hosts(pes, per_host, 0, network::SLINGSHOT, network::SLINGSHOT);
    let outcome = simulation::run(&machine, &calls_of(pes, per_host), |from, to, bytes| {
        add(&mut messages, (from, to), (1, bytes as u64));
    });
    let sum = messages.values().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    assert_eq!(sum, (outcome.messages, outcome.bytes));
    messages
}

/// The messages of a real run, which `direct` divides into hosts.
fn counted(direct: &str, pes: usize) -> Messages {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["--program", "calls"]).env("SHMEM_NPES", pes.to_string());
    command.envs([("SHMEM_TRANSPORT", "openshmem"), ("SHMEM_CHECK", "0"), ("SHMEM_DIRECT", direct)]);
    open_mpi::for_tests(&mut command);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut messages = Messages::new();
    for line in String::from_utf8(output.stdout).expect("a text").lines() {
        let numbers: Vec<u64> = line.split(' ').map(|number| number.parse().expect(line)).collect();
        let [from, to, count, bytes] = numbers[..] else { panic!("{line}") };
        add(&mut messages, (from as usize, to as usize), (count, bytes));
    }
    messages
}

fn add(messages: &mut Messages, pes: (usize, usize), (count, bytes): (u64, u64)) {
    let entry = messages.entry(pes).or_default();
    *entry = (entry.0 + count, entry.1 + bytes);
}

/// The messages that reach each PE, as if PE 0 had sent all.
fn by_target(messages: Messages) -> Messages {
    let mut sums = Messages::new();
    messages.into_iter().for_each(|((_, to), counts)| add(&mut sums, (0, to), counts));
    sums
}
