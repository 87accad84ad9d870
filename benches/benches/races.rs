//! What it costs to look for races: the kernels of the examples with and without `SHMEM_RACES`.
//!
//! ```text
//! cargo bench -p benches --bench races                            all of them, 2 PEs, some minutes
//! cargo bench -p benches --bench races -- --quick                 few rounds
//! cargo bench -p benches --bench races -- gups                    what has `gups` in its name
//! SHMEM_NPES=4 cargo bench -p benches --bench races               the same with more PEs
//! ```
//!
//! Each round runs a kernel without the search and with it, and gives a ratio of the times from the
//! start of the job to its end. The result is the median of the ratios. The memory of the search is what
//! the processes of a job take more, in relation to the symmetric memory that they take without it: each
//! at its largest, in runs of their own.

use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use benches::book::{markdown, section};
use benches::conductor::{children, command};
use benches::memory::Memory;
use benches::{Options, examples, quartiles};
use rustix::process::Pid;

/// The symmetric memory of each PE, enough for the largest kernels.
const HEAP: &str = "512M";
/// The goal for the memory.
const MEMORY_GOAL: f64 = 8.0;
/// The symmetric memory from which on it is judged: less than that, and the search takes most for itself.
const LEAST_JUDGED: f64 = 1.0;

struct Kernel {
    name: &'static str,
    /// A run without the search takes some tenths of a second.
    arguments: &'static str,
    /// The largest ratio of times that is wanted.
    goal: f64,
}

const KERNELS: [Kernel; 9] = [
    Kernel { name: "prk_stencil", arguments: "40 2000", goal: 10.0 },
    Kernel { name: "prk_transpose", arguments: "20 2000 32", goal: 10.0 },
    Kernel { name: "prk_synch_p2p", arguments: "200 1000 1000", goal: 10.0 },
    Kernel { name: "isx", arguments: "2097152 3 24", goal: 10.0 },
    Kernel { name: "stream", arguments: "4194304 10", goal: 10.0 },
    Kernel { name: "halo", arguments: "", goal: 10.0 },
    // Random access, word by word.
    Kernel { name: "gups", arguments: "17", goal: 30.0 },
    Kernel { name: "bale_histo", arguments: "400000 1000", goal: 30.0 },
    Kernel { name: "bale_ig", arguments: "400000 1000", goal: 30.0 },
];

struct Measured {
    kernel: &'static Kernel,
    /// Seconds without and with the search: the medians.
    times: [f64; 2],
    ratio: [f64; 3],
    /// Megabytes that the search takes, and those of symmetric memory without it.
    memory: [f64; 2],
}

fn main() -> ExitCode {
    benches::main(measure)
}

fn measure(options: &Options) -> Result<(), String> {
    let n_pes = examples::n_pes()?;
    let kernels: Vec<&Kernel> = KERNELS.iter().filter(|kernel| options.wants(kernel.name)).collect();
    if kernels.is_empty() {
        // Other benchmarks may have operations of this name.
        return Ok(());
    }
    examples::build(kernels.iter().map(|kernel| kernel.name), &target(), &[])?;
    // Odd, so that the median is one of the rounds.
    let rounds = if options.quick { 3 } else { 7 };
    let mut rows = vec![
        ["kernel", "arguments", "time", "with the search", "ratio", "quartiles", "goal", "memory", "goal"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for kernel in kernels {
        let Measured { kernel, times, ratio, memory: [taken, symmetric] } = in_turns(kernel, rounds, n_pes)?;
        let judged =
            |value: f64, goal: f64| format!("{goal:.0}, {}", if value <= goal { "met" } else { "MISSED" });
        rows.push(vec![
            kernel.name.to_owned(),
            kernel.arguments.to_owned(),
            format!("{:.2} s", times[0]),
            format!("{:.2} s", times[1]),
            format!("{:.1}", ratio[1]),
            format!("{:.1} to {:.1}", ratio[0], ratio[2]),
            judged(ratio[1], kernel.goal),
            format!("{taken:.1} MiB for {symmetric:.1} MiB"),
            if symmetric < LEAST_JUDGED {
                "too little to judge".to_owned()
            } else {
                judged(taken / symmetric, MEMORY_GOAL)
            },
        ]);
        println!("{}", rows[rows.len() - 1].join("  "));
    }
    let table = markdown(&rows);
    println!("{n_pes} PEs, {rounds} rounds\n{table}");
    options.write("races.md", &section("races", &table))
}

/// The target directory that this program was built in.
fn target() -> PathBuf {
    examples::target(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a kernel without and with the search in each of the rounds. The one that begins changes from
/// round to round.
fn in_turns(kernel: &'static Kernel, rounds: usize, n_pes: usize) -> Result<Measured, String> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for turn in 0..2 {
            let looks = (round + turn) % 2;
            let start = Instant::now();
            run(kernel, looks == 1, n_pes, |_| {})?;
            times[looks].push(start.elapsed().as_secs_f64());
        }
    }
    let mut largest = [Sizes::default(); 2];
    for (looks, largest) in largest.iter_mut().enumerate() {
        run(kernel, looks == 1, n_pes, |job| {
            let now = Sizes::of(job, n_pes).unwrap_or_default();
            *largest =
                Sizes { all: largest.all.max(now.all), symmetric: largest.symmetric.max(now.symmetric) };
        })?;
    }
    let ratio = quartiles(times[1].iter().zip(&times[0]).map(|(with, without)| with / without).collect());
    let [without, with] = largest;
    let memory = [with.all - without.all, without.symmetric];
    Ok(Measured {
        kernel,
        ratio,
        times: times.map(|times| quartiles(times)[1]),
        memory: memory.map(|bytes| bytes.max(0.0) / f64::from(1 << 20)),
    })
}

/// Runs a kernel once, and lets `look` see it from time to time.
fn run(kernel: &Kernel, looks: bool, n_pes: usize, mut look: impl FnMut(&Child)) -> Result<(), String> {
    let program = examples::folder(&target()).join(kernel.name);
    let mut command = command(&program, n_pes, HEAP);
    command.env("SHMEM_TRANSPORT", "smp").env("SHMEM_RACES", if looks { "1" } else { "0" });
    command.args(kernel.arguments.split_whitespace());
    if kernel.name == "halo" {
        command.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("races.png"));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut child = command.spawn().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) if status.success() => return Ok(()),
            ended => return Err(format!("{command:?}: {ended:?}")),
        }
        look(&child);
        thread::sleep(Duration::from_millis(2));
    }
}

/// Bytes that all processes of a job take.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    all: f64,
    /// The memory that they share: without a search the symmetric heaps alone, nearly.
    symmetric: f64,
}

impl Sizes {
    /// What a job takes now, if all its PEs run.
    fn of(job: &Child, n_pes: usize) -> Option<Sizes> {
        let mut processes = children(job);
        if processes.len() != n_pes {
            return None;
        }
        processes.push(Pid::from_child(job));
        let n = processes.len() as f64;
        let memory = Memory::of(processes).ok()?;
        Some(Sizes { all: n * (memory.private + memory.shared), symmetric: n * memory.shared })
    }
}
