//! The messages of real meetings and broadcasts between hosts, against those of the simulation.
//!
//! The program runs over this project's own C library, which counts each operation that it carries
//! (`SHMEM_STATS`): whom it reaches, and how many bytes. The simulation takes the steps of the same source
//! files on virtual PEs. Over another library nothing counts, and the tests are ignored.

mod harness;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::Trial;
use shmem::prelude::*;
use simulation::{Call, Machine, network};

use harness::Program;

const PROGRAMS: &[Program] = &[("calls", calls)];

/// How many messages, and how many bytes, by the PE that sent them and the one that they reached.
type Messages = BTreeMap<(usize, usize), (i64, i64)>;

/// The bytes of a broadcast.
const BYTES: usize = 40;

/// The calls that are counted: more broadcasts than there are cells, from several roots.
fn all_calls(pes: usize) -> Vec<Call> {
    let broadcast = |i| Call::Broadcast { root: i % pes, bytes: BYTES };
    [Call::Meet].into_iter().chain((0..20).map(broadcast)).chain([Call::Meet; 3]).collect()
}

unsafe extern "C" {
    /// At level 2, prints what this PE has done so far.
    fn shmem_pcontrol(level: c_int, ...);
}

/// Makes the calls. Before and after them, each PE prints what the C library has counted on it.
#[shmem::main]
fn calls(world: &World) {
    let pes = world.n_pes();
    // Not the team of the world: that meets by a routine of the library.
    let team = world.team().split_strided(0, 1, pes).expect("a team").expect("all are members");
    // SAFETY: the library is initialised, and the function takes a number.
    let print_counts = || unsafe { shmem_pcontrol(2) };
    print_counts();
    for call in all_calls(pes) {
        match call {
            Call::Meet => team.sync(),
            Call::Broadcast { root, .. } => {
                let mut values = [if world.my_pe() == root { root as u64 + 1 } else { 0 }; BYTES / 8];
                team.broadcast_values(&mut values, root);
                assert_eq!(values, [root as u64 + 1; BYTES / 8]);
            }
        }
    }
    print_counts();
    world.barrier_all();
}

fn main() -> ExitCode {
    harness::main(PROGRAMS, tests)
}

fn tests() -> Vec<Trial> {
    // Each PE on a host of its own, and two PEs on each host.
    let cases = [("0", 1, &[2, 3, 7, 16][..]), ("2", 2, &[3, 7, 16])];
    let test = |(direct, per_host, sizes): (&'static str, usize, &'static [usize])| {
        let trial = Trial::test(format!("messages_with_{per_host}_on_a_host"), move || {
            sizes.iter().for_each(|&pes| compare(direct, per_host, pes));
            Ok(())
        });
        trial.with_ignored_flag(!is_own_library())
    };
    cases.map(test).into()
}

/// Whether the program runs over this project's own C library.
fn is_own_library() -> bool {
    let Some(library) = std::env::var_os("SHMEM_DIR") else { return false };
    let header = fs::read_to_string(Path::new(&library).join("include/shmem.h"));
    header.is_ok_and(|text| text.contains("SHMEM_VENDOR_STRING \"shmem "))
}

/// Compares the messages of a real run with those of a simulated one.
fn compare(direct: &str, per_host: usize, pes: usize) {
    let mut simulated = Messages::new();
    let machine = Machine::of_hosts(pes, per_host, 0, network::SLINGSHOT, network::SLINGSHOT);
    let outcome = simulation::run(&machine, &all_calls(pes), |from, to, bytes| {
        add(&mut simulated, (from, to), (1, bytes as i64));
    });
    let mut real = counted(direct, pes);
    if per_host > 1 {
        // Which PE of a host is the last to come, and signals the next host, is a matter of time.
        [&mut simulated, &mut real].map(|messages| *messages = by_target(messages));
    }
    assert_eq!(real, simulated, "{pes} PEs, {per_host} on a host");
    let sum = real.values().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    assert_eq!(sum, (outcome.messages as i64, outcome.bytes as i64));
}

fn add(messages: &mut Messages, pes: (usize, usize), (count, bytes): (i64, i64)) {
    let entry = messages.entry(pes).or_default();
    *entry = (entry.0 + count, entry.1 + bytes);
}

/// The messages that reach each PE, as if PE 0 had sent all.
fn by_target(messages: &Messages) -> Messages {
    let mut sums = Messages::new();
    messages.iter().for_each(|(&(_, to), &counts)| add(&mut sums, (0, to), counts));
    sums
}

/// The messages that the C library has carried.
fn counted(direct: &str, pes: usize) -> Messages {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["--program", "calls"]);
    for (name, value) in [("TRANSPORT", "openshmem"), ("CHECK", "0"), ("STATS", "1"), ("DIRECT", direct)] {
        command.env(format!("SHMEM_{name}"), value);
    }
    let output = command.env("SHMEM_NPES", pes.to_string()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let mut messages = Messages::new();
    let mut tables = vec![0; pes];
    for table in said.split("shmem: what PE ").skip(1) {
        let mut lines = table.lines();
        let title = lines.next().expect("a title");
        let from: usize =
            title.strip_suffix(" did so far (SHMEM_STATS=1)").expect(title).parse().expect(title);
        tables[from] += 1;
        for line in lines.skip(1).take_while(|line| !line.starts_with("shmem: ")) {
            // A row without a target is no message.
            let [_, to, name, calls, bytes] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                continue;
            };
            // A waiter reads: its own word, and after a while whether the others have come.
            if !matches!(name, "get" | "atomic_fetch") {
                let to = to.parse().expect(line);
                let [calls, bytes] = [calls, bytes].map(|number| number.parse::<i64>().expect(line));
                // The first table has what came before, the second one all.
                let sign = if tables[from] == 1 { -1 } else { 1 };
                add(&mut messages, (from, to), (sign * calls, sign * bytes));
            }
        }
    }
    assert_eq!(tables, vec![2; pes], "{said}");
    messages.retain(|_, counts| *counts != (0, 0));
    messages
}
