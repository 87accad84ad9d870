//! How long collectives take on several hosts, and how many packets cross the cable for each.
//!
//! ```text
//! cargo test --release -p example-tests --features openshmem --test hosts -- --times
//! cargo test --release -p example-tests --features openshmem --test hosts -- --messages
//! ```
//!
//! Each prints rows of comma-separated values: `--times` of the collectives, and `--messages` of those that the
//! simulation knows, and of single messages, which give its parameters, on a network that is slow. The PEs of all
//! hosts share the cores of this machine, so the first are times of jobs with more PEs than cores. The packets are
//! those of any machine.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use shmem::prelude::*;
use shmem::reduction::Sum;

use super::network::Network;
use super::{cluster, counted, on};

/// Started with one of these arguments, the binary measures.
pub(crate) const MEASURE: &str = "--times";
pub(crate) const MEASURE_MESSAGES: &str = "--messages";
/// Started with this argument, and what to repeat, the binary is a PE of it.
pub(crate) const PROGRAM: &str = "--repeats";

/// How often a collective is called between two looks at the clock, and how many looks there are.
const BATCH: usize = 20;
const BATCHES: usize = 31;

/// How many words a mebibyte has.
const LARGE: usize = 1 << 17;

/// Calls that are measured in some jobs.
pub(crate) struct Series {
    /// How many hosts there are, and how many PEs on each.
    jobs: &'static [(usize, usize)],
    /// What connects the hosts, if not a cable between two.
    network: Option<Network>,
    calls: &'static [&'static str],
    forms: &'static [Form],
}

/// Who makes the calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// This crate, which knows the hosts.
    AmongHosts,
    /// This crate, where it treats each PE as a host of its own.
    AmongPes,
    /// The C library.
    C,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::AmongHosts => "among hosts",
            Form::AmongPes => "among PEs",
            Form::C => "C",
        }
    }
}

/// A switch between hosts.
const fn network(latency: Duration, rate: u64) -> Option<Network> {
    Some(Network { latency, rate, lost: 0, goes_first: true })
}

const ALL: &[Form] = &[Form::AmongHosts, Form::AmongPes, Form::C];
const COLLECTIVES: &[&str] = &[
    "barrier_all",
    "broadcast",
    "broadcast 1 MiB",
    "fcollect",
    "fcollect 64 KiB",
    "sum f64",
    "sum f64 of 64 KiB",
    "sum f64 of 1 MiB",
];
/// The collectives.
pub(crate) const TIMES: [Series; 2] = [
    Series { jobs: &[(2, 1), (2, 2), (2, 4)], network: None, calls: COLLECTIVES, forms: ALL },
    // A small message takes longer than the turns of the PEs on the cores that all of them share.
    Series {
        jobs: &[(4, 1), (4, 2), (4, 4)],
        network: network(Duration::from_micros(200), 1_250_000_000),
        calls: COLLECTIVES,
        forms: ALL,
    },
];
/// So slow that the PEs, which share cores, hardly wait for these.
const SLOW: Option<Network> = network(Duration::from_millis(1), 125_000_000);
/// The parameters of the simulation, and what it knows.
pub(crate) const MESSAGES: [Series; 2] = [
    Series {
        jobs: &[(2, 1)],
        network: SLOW,
        calls: &["round trip", "update", "put 8 B", "put 1 MiB"],
        forms: &[Form::AmongHosts],
    },
    Series {
        jobs: &[(2, 1), (2, 4), (4, 1), (4, 2), (4, 4)],
        network: SLOW,
        calls: &["barrier_all", "sum of integers", "broadcast and sync", "broadcast 1 MiB"],
        forms: &[Form::AmongHosts, Form::C],
    },
];

/// Measures these series.
pub(crate) fn measure(all: &[Series]) -> ExitCode {
    println!("form,call,hosts,PEs on each,packets,microseconds,lower quartile,upper quartile");
    let of_c = program_in_c();
    for Series { jobs, network, calls, forms } in all {
        for &(hosts, each) in *jobs {
            for &form in *forms {
                let repeats = |call| repeated(form, call, *network, &vec![each; hosts], &of_c);
                let (launch, _) = repeats("nothing");
                for call in *calls {
                    let (packets, out) = repeats(call);
                    let packets = packets.saturating_sub(launch) as f64 / (BATCH * (BATCHES + 1)) as f64;
                    println!("{},{call},{hosts},{each},{packets:.1},{}", form.name(), out.trim_end());
                }
            }
        }
    }
    ExitCode::SUCCESS
}

/// Compiles the program in C.
fn program_in_c() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).expect("a folder for the C program");
    let of_c = folder.join("times");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts/times.c");
    let mut compiler = Command::new("oshcc");
    compiler.args(["-O2", "-std=c11", "-D_POSIX_C_SOURCE=199309L", "-o"]);
    let compiled = compiler.arg(&of_c).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "oshcc has failed");
    of_c
}

/// Runs a job with so many PEs on each host that repeats a call: the packets that have crossed, and what it says.
fn repeated(
    form: Form,
    call: &str,
    network: Option<Network>,
    npes: &[usize],
    of_c: &Path,
) -> (usize, String) {
    let mut cluster = network.map_or_else(cluster, |network| on(network, npes.len()));
    let before = cluster.packets();
    let (_, out) = counted(&mut cluster, |cluster| {
        let mut command = cluster.oshrun(npes);
        command.env("SHMEM_CHECK", "0").args(["-x", "SHMEM_CHECK"]);
        if form == Form::AmongPes {
            command.env("SHMEM_DIRECT", "own").args(["-x", "SHMEM_DIRECT"]);
        }
        if form == Form::C {
            // Otherwise the library crashes at the end of a program in C.
            command.env("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0").arg(of_c);
        } else {
            command.arg(std::env::current_exe().expect("the test has a path")).arg(PROGRAM);
        }
        command.arg(call);
        command
    });
    (cluster.packets() - before, out)
}

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

/// Repeats a call, and prints the median of its time in microseconds, and the quartiles.
#[shmem::main]
pub(crate) fn repeats(world: &World) -> Result<(), shmem::Error> {
    let call = std::env::args().nth(2).expect("what to repeat");
    let (me, other) = (world.my_pe(), world.n_pes() - 1 - world.my_pe());
    let (from, to) = (world.zeros::<u64, 1>([LARGE])?, world.zeros::<u64, 1>([LARGE])?);
    let (values, results) = (world.zeros::<f64, 1>([LARGE])?, world.zeros::<f64, 1>([LARGE])?);
    let part = LARGE / 16;
    let ones = vec![1; LARGE];
    let (mut trips, mut sums) = (0, [0_u64; 2]);
    let mut once = || match &*call {
        "nothing" => {}
        "barrier_all" => world.barrier_all(),
        "round trip" => {
            trips += 1;
            if me == 0 {
                remote!(COUNT[other] += 1);
            }
            wait!(COUNT >= trips);
            if me != 0 {
                remote!(COUNT[other] += 1);
            }
        }
        "update" if me == 0 => remote!(COUNT[other] += 1),
        "put 8 B" if me == 0 => {
            remote!(to[other, 0] = 1);
            world.quiet();
        }
        "put 1 MiB" if me == 0 => {
            remote!(to[other, ..] = &ones[..]);
            world.quiet();
        }
        "update" | "put 8 B" | "put 1 MiB" => {}
        "sum of integers" => world.team().reduce_values(Sum, &mut sums),
        "broadcast and sync" => {
            black_box(collective!(broadcast me from 0));
            world.sync_all();
        }
        "broadcast" => _ = black_box(collective!(broadcast me from 0)),
        "broadcast 1 MiB" => collective!(to[..] = broadcast from[..] from 0),
        "fcollect 64 KiB" => collective!(to[..part * world.n_pes()] = fcollect from[..part]),
        "fcollect" => _ = black_box(collective!(fcollect me)),
        "sum f64" => _ = black_box(collective!(sum me as f64)),
        "sum f64 of 64 KiB" => collective!(results[..part] = sum values[..part]),
        "sum f64 of 1 MiB" => collective!(results[..] = sum values[..]),
        other => unreachable!("{other:?} is no call"),
    };
    let mut times: Vec<f64> = (0..=BATCHES)
        .map(|_| {
            // The root of a broadcast runs ahead of the others.
            let start = Instant::now();
            (0..BATCH).for_each(|_| once());
            start.elapsed().as_secs_f64() * 1e6 / BATCH as f64
        })
        .skip(1)
        .collect();
    times.sort_by(f64::total_cmp);
    world.barrier_all();
    if me == 0 {
        println!("{:.1},{:.1},{:.1}", times[BATCHES / 2], times[BATCHES / 4], times[BATCHES * 3 / 4]);
    }
    Ok(())
}
