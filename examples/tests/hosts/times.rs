//! How long collectives take on several hosts, and how many packets cross the cable for each.
//!
//! ```text
//! cargo test --release -p example-tests --features openshmem --test hosts -- --times
//! ```
//!
//! It prints rows of comma-separated values. The PEs of all hosts share the cores of this machine, so
//! the times are those of jobs with more PEs than cores. The packets are those of any machine.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use shmem::prelude::*;

use super::network::Network;
use super::{cluster, counted, on};

/// Started with this argument, the binary measures.
pub(crate) const MEASURE: &str = "--times";
/// Started with this argument, and what to repeat and how often, the binary is a PE of it.
pub(crate) const PROGRAM: &str = "--repeats";

/// How many hosts there are, and how many PEs on each.
const JOBS: [(usize, usize); 6] = [(2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (4, 4)];
/// What connects more than two hosts. A small message takes longer than the turns of the PEs on the cores that all of
/// them share.
const NETWORK: Network =
    Network { latency: Duration::from_micros(200), rate: 1_250_000_000, lost: 0, goes_first: true };
/// How often a collective is called between two looks at the clock, and how many looks there are.
const BATCH: usize = 20;
const BATCHES: usize = 31;

/// How many words a mebibyte has.
const LARGE: usize = 1 << 17;

/// What is called.
const CALLS: [&str; 7] =
    ["nothing", "barrier_all", "broadcast", "broadcast 1 MiB", "fcollect", "fcollect 64 KiB", "sum f64"];

/// By whom: by this crate, which knows the hosts; by this crate, where it treats each PE as a host of its own;
/// and by the C library.
const FORMS: [&str; 3] = ["among hosts", "among PEs", "C"];

/// Measures all of it.
pub(crate) fn measure() -> ExitCode {
    println!("form,call,hosts,PEs on each,packets,microseconds,lower quartile,upper quartile");
    let this = std::env::current_exe().expect("the test has a path");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).expect("a folder for the C program");
    let of_c = folder.join("times");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts/times.c");
    let mut compiler = Command::new("oshcc");
    compiler.args(["-O2", "-std=c11", "-D_POSIX_C_SOURCE=199309L", "-o"]);
    let compiled = compiler.arg(&of_c).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "oshcc has failed");
    for (hosts, each) in JOBS {
        let npes = vec![each; hosts];
        for form in FORMS {
            let mut launch = 0;
            for call in CALLS {
                let mut cluster = if hosts > 2 { on(NETWORK, hosts) } else { cluster() };
                let before = cluster.packets();
                let (_, out) = counted(&mut cluster, |cluster| {
                    let mut command = cluster.oshrun(&npes);
                    command.env("SHMEM_CHECK", "0").args(["-x", "SHMEM_CHECK"]);
                    if form == "among PEs" {
                        command.env("SHMEM_DIRECT", "own").args(["-x", "SHMEM_DIRECT"]);
                    }
                    if form == "C" {
                        // Otherwise the library crashes at the end of a program in C.
                        command.env("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0").arg(&of_c);
                    } else {
                        command.arg(&this).arg(PROGRAM);
                    }
                    command.arg(call);
                    command
                });
                let packets = cluster.packets() - before;
                if call == "nothing" {
                    launch = packets;
                    continue;
                }
                let packets = packets.saturating_sub(launch) as f64 / (BATCH * (BATCHES + 1)) as f64;
                println!("{form},{call},{hosts},{each},{packets:.1},{}", out.trim_end());
            }
        }
    }
    ExitCode::SUCCESS
}

/// Repeats a call, and prints the median of its time in microseconds, and the quartiles.
#[shmem::main]
pub(crate) fn repeats(world: &World) -> Result<(), shmem::Error> {
    let call = std::env::args().nth(2).expect("what to repeat");
    let me = world.my_pe();
    let (from, to) = (world.zeros::<u64, 1>([LARGE])?, world.zeros::<u64, 1>([LARGE])?);
    let part = LARGE / 16;
    let once = || match &*call {
        "nothing" => {}
        "barrier_all" => world.barrier_all(),
        "broadcast" => _ = black_box(collective!(broadcast me from 0)),
        "broadcast 1 MiB" => collective!(to[..] = broadcast from[..] from 0),
        "fcollect 64 KiB" => collective!(to[..part * world.n_pes()] = fcollect from[..part]),
        "fcollect" => _ = black_box(collective!(fcollect me)),
        "sum f64" => _ = black_box(collective!(sum me as f64)),
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
