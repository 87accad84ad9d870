//! What it costs that two PEs update one cache line, and what huge pages gain.
//!
//! ```text
//! cargo bench -p benches --bench lines                  both
//! cargo bench -p benches --bench lines -- sharing       counters of two PEs, in one line and in several
//! cargo bench -p benches --bench lines -- pages         random updates, with huge pages and without
//! cargo bench -p benches --bench lines -- --quick       few rounds
//! ```
//!
//! Each round measures everything, and gives ratios. The result is the median of the ratios. This program is
//! also the job that it measures. The tables are written to `target/bench/lines.csv` and `pages.csv`.
//!
//! Huge pages are measured where the system permits them. Half of the runs have them forbidden, by `prctl`.
//! Elsewhere a line says what is missing.

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use benches::conductor::command;
use benches::{Options, quartiles};
use shmem::prelude::*;

/// What the two PEs update, as the table says it.
const COUNTERS: [&str; 4] = [
    "a counter on this PE",
    "a counter on PE 0, in a line of its own",
    "a counter on PE 0, in the line of the other one",
    "one counter on PE 0, as the other one does",
];
/// The one that the others are compared with.
const APART: usize = 1;
/// How many updates a sample has.
const UPDATES: usize = 20_000;
/// The words of the table that is updated at random: 1 GiB.
const WORDS: usize = 1 << 27;
/// How many of them are updated in a sample.
const RANDOM: usize = 1 << 24;

#[symmetric]
static MINE: Atomic<u64> = Atomic::new(0);

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("--job-sharing") => sharing(),
        Some("--job-pages") => pages(),
        _ => benches::main(measure),
    }
}

fn measure(options: &Options) -> Result<(), String> {
    if options.wants("sharing") {
        let rounds = options.rounds();
        let printed = job("--job-sharing", rounds, 2, "64M", true)?.0;
        let times: Vec<Vec<f64>> = printed.lines().map(numbers).collect::<Result<_, _>>()?;
        let mut csv = String::from("counters,ns,ratio,first quartile,third quartile\n");
        for (which, name) in COUNTERS.into_iter().enumerate() {
            let median = quartiles(times.iter().map(|round| round[which]).collect())[1];
            let [first, ratio, third] =
                quartiles(times.iter().map(|round| round[which] / round[APART]).collect());
            csv += &format!("\"{name}\",{median:.2},{ratio:.2},{first:.2},{third:.2}\n");
        }
        print!("{rounds} rounds\n{csv}");
        options.write("lines.csv", &csv)?;
    }
    if options.wants("pages") {
        huge_pages(options)?;
    }
    Ok(())
}

/// Random updates with huge pages and without, in turns.
fn huge_pages(options: &Options) -> Result<(), String> {
    let run = |are_huge| job("--job-pages", 1, 1, "2G", are_huge);
    let (_, said) = run(true)?;
    if !said.contains("huge pages allowed") {
        println!(
            "NOT MEASURED: huge pages, which the system does not allow. As root: \
             echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled"
        );
        return Ok(());
    }
    let rounds = if options.quick { 3 } else { 11 };
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for turn in 0..2 {
            let are_huge = (round + turn) % 2;
            times[are_huge].push(numbers(run(are_huge == 1)?.0.trim())?[0]);
        }
    }
    let [first, ratio, third] =
        quartiles(times[1].iter().zip(&times[0]).map(|(huge, small)| huge / small).collect());
    let [small, huge] = times.map(|times| quartiles(times)[1]);
    let csv = format!(
        "ns with pages of 4 KiB,ns with huge pages,ratio,first quartile,third quartile\n\
         {small:.2},{huge:.2},{ratio:.2},{first:.2},{third:.2}\n"
    );
    print!("{rounds} rounds\n{csv}");
    options.write("pages.csv", &csv)
}

/// Runs this program as a job. Returns what it printed, and what `SHMEM_DEBUG` said.
fn job(
    what: &str,
    rounds: usize,
    n_pes: usize,
    heap: &str,
    may_be_huge: bool,
) -> Result<(String, String), String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    // The job inherits it.
    rustix::thread::disable_transparent_huge_pages(!may_be_huge).map_err(|error| error.to_string())?;
    let mut job: Command = command(&program, n_pes, heap);
    job.args([what, &rounds.to_string()]).env("SHMEM_TRANSPORT", "smp").env("SHMEM_BIND", "core");
    let ended = job.env("SHMEM_DEBUG", "1").stdin(Stdio::null()).output();
    rustix::thread::disable_transparent_huge_pages(false).map_err(|error| error.to_string())?;
    let ended = ended.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        return Err(format!("{}: {said}", ended.status));
    }
    Ok((String::from_utf8_lossy(&ended.stdout).into_owned(), said))
}

fn numbers(line: &str) -> Result<Vec<f64>, String> {
    let numbers: Result<_, _> = line.split_whitespace().map(str::parse).collect();
    numbers.map_err(|_| format!("the job printed {line:?}"))
}

fn rounds() -> usize {
    env::args().nth(2).and_then(|given| given.parse().ok()).expect("it was started with a number")
}

/// Two PEs update counters. PE 0 prints the nanoseconds of an update, on a line for each round.
#[shmem::main]
fn sharing(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let dense = world.zeros::<Atomic<u64>, 1>([8])?;
    let apart = world.zeros::<Atomic<u64>, 2>([2, 8])?;
    // In each round another one begins.
    for round in 0..=rounds() {
        let mut times = [0.0; COUNTERS.len()];
        for turn in 0..COUNTERS.len() {
            let which = (round + turn) % COUNTERS.len();
            world.barrier_all();
            let start = Instant::now();
            for _ in 0..UPDATES {
                match which {
                    0 => remote!(MINE[me]) += 1,
                    1 => remote!(apart[0, me, 0]) += 1,
                    2 => remote!(dense[0, me]) += 1,
                    _ => remote!(dense[0, 0]) += 1,
                }
            }
            world.barrier_all();
            let all = collective!(max start.elapsed().as_nanos() as u64);
            times[which] = all as f64 / UPDATES as f64;
        }
        // The first round touches the memory.
        if me == 0 && round > 0 {
            println!("{}", times.map(|time| time.to_string()).join(" "));
        }
    }
    Ok(())
}

/// One PE updates random words of a large table, and prints the nanoseconds of an update.
#[shmem::main]
fn pages(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let table = world.symmetric_array::<u64, 1>([WORDS], 1)?;
    let mut random = 1_u64;
    let start = Instant::now();
    for _ in 0..RANDOM {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let place = (random >> 37) as usize;
        let value = remote!(table[me, place]);
        remote!(table[me, place]) = value ^ random;
    }
    let time = start.elapsed().as_nanos() as f64 / RANDOM as f64;
    black_box(remote!(table[me, 0]));
    println!("{time}");
    Ok(())
}
