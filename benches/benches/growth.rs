//! How synchronisation, starts and memory grow with the number of PEs.
//!
//! ```text
//! cargo bench -p benches --bench growth                        2 to 256 PEs; over C as many as start soon
//! cargo bench -p benches --bench growth -- --quick             up to 64 PEs, few rounds
//! cargo bench -p benches --bench growth -- memory              or barrier, all-reduce, alltoall, start
//! cargo bench -p benches --features openshmem --bench growth   this crate over the C library too, and a forecast
//! ```
//!
//! The tables are also written to `target/bench/growth.md`, and their data to `growth.csv`. The
//! charts are `growth-time`, `growth-start` and `growth-memory`. `--out ../book/src/figures`
//! updates all of these in the book.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use benches::book::{markdown, section};
use benches::chart::{Axis, Chart, Panel, Scale, Series, Unit};
use benches::conductor::{self, Conductor, Job, Peers, Program};
use benches::fit::{Fit, Term};
use benches::memory::Memory;
#[cfg(feature = "openshmem")]
use benches::model::{self, Forecast, Measured, NETWORK};
use benches::work::{Operation, Work};
use benches::{Options, nanoseconds, quartiles};
#[cfg(feature = "openshmem")]
use shmem::bench::Kept;

/// The numbers of PEs that are measured.
const SIZES: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// The largest that is measured with `--quick`.
const QUICK: usize = 64;
/// The largest over a C library, unless its starts become too long before.
const LIBRARY: usize = 32;
/// The same with `--quick`: a start takes a second.
const QUICK_LIBRARY: usize = 4;
/// If a start over a C library takes this long, a job of twice the size is not measured.
const LONG: Duration = Duration::from_secs(8);

/// The collective operations.
const WORKS: [(&str, Work); 4] = [
    ("barrier", Work::new(Operation::Barrier, 0)),
    ("all-reduce of 1 f64", Work::new(Operation::ReduceValue, 8)),
    ("alltoall 8 B", Work::new(Operation::Alltoall, 8)),
    ("alltoall 4 KiB", Work::new(Operation::Alltoall, 4 << 10)),
];
/// The same for a program without values, with arrays of one element.
const REDUCE: Work = Work::new(Operation::Reduce, 8);

const START: &str = "start";
const PROCESSOR: &str = "start, processor time of a PE";
const MEMORY: &str = "memory of a PE";
const PARTS: [&str; 4] =
    ["memory: private", "memory: files", "memory: symmetric and shared", "memory: page tables"];
const USED: &str = "memory: page tables, after the collectives";

/// A figure: how it is distributed over the rounds, in seconds or bytes.
struct Point {
    what: &'static str,
    n_pes: usize,
    program: Program,
    quartiles: [f64; 3],
}

/// All figures.
#[derive(Default)]
struct Points(Vec<Point>);

impl Points {
    fn add(&mut self, what: &'static str, n_pes: usize, program: Program, values: Vec<f64>) {
        self.0.push(Point { what, n_pes, program, quartiles: quartiles(values) });
    }

    /// One figure, as PEs and quartiles.
    fn of(&self, what: &str, program: Program) -> Vec<(f64, [f64; 3])> {
        let points = self.0.iter().filter(|point| point.what == what && point.program == program);
        points.map(|point| (point.n_pes as f64, point.quartiles)).collect()
    }

    /// The programs that have this figure, in the order of the charts.
    fn programs(&self, what: &str) -> Vec<Program> {
        let all = [Program::Limit, Program::Ours, Program::Library, Program::Far, Program::C];
        all.into_iter().filter(|program| !self.of(what, *program).is_empty()).collect()
    }

    fn csv(&self) -> String {
        let mut csv = String::from("what,n_pes,program,unit,median,q1,q3\n");
        for Point { what, n_pes, program, quartiles: [low, median, high] } in &self.0 {
            let unit = if is_memory(what) { "bytes" } else { "s" };
            let name = program.name();
            let _ = writeln!(csv, "\"{what}\",{n_pes},\"{name}\",{unit},{median:.4e},{low:.4e},{high:.4e}");
        }
        csv
    }
}

fn is_memory(what: &str) -> bool {
    what.starts_with("memory")
}

fn written(what: &str, value: f64) -> String {
    if is_memory(what) { bytes(value) } else { time(value) }
}

/// A time with three digits or so.
fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1e-3 => nanoseconds(seconds * 1e9),
        seconds if seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

/// A size with three digits or so.
fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 10.0 => format!("{bytes:.1} B"),
        bytes if bytes < 1e4 => format!("{bytes:.0} B"),
        bytes if bytes < 1e7 => format!("{:.0} KiB", bytes / 1024.0),
        bytes => format!("{:.0} MiB", bytes / f64::from(1 << 20)),
    }
}

fn main() -> ExitCode {
    benches::main(run)
}

fn run(options: &Options) -> Result<(), String> {
    let points = measure(options).map_err(|error| format!("cannot measure: {error}"))?;
    report(options, &points)
}

fn measure(options: &Options) -> io::Result<Points> {
    let peers = |program: &str| {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Peers::ours_and_c(Path::new(program), cfg!(feature = "openshmem"), scratch)
    };
    let (peer, meet) = (peers(env!("CARGO_BIN_EXE_peer")), peers(env!("CARGO_BIN_EXE_meet")));
    let mut points = Points::default();
    let mut wanted = vec![Program::Ours, Program::Library, Program::Far, Program::C];
    if options.quick {
        wanted.retain(|program| *program != Program::Far);
    }
    for n_pes in SIZES.into_iter().filter(|n_pes| !options.quick || *n_pes <= QUICK) {
        if n_pes > if options.quick { QUICK_LIBRARY } else { LIBRARY } {
            wanted.retain(|program| *program == Program::Ours);
        }
        if options.wants(START) {
            let mut late = Vec::new();
            for &program in &wanted {
                let Some(command) = meet.command(program, n_pes) else { continue };
                let longest = start(program, command, n_pes, options, &mut points)?;
                if program != Program::Ours && longest > LONG {
                    late.push(program);
                }
            }
            wanted.retain(|program| !late.contains(program));
        }
        if PARTS.iter().any(|part| options.wants(part)) {
            memory(&meet, &wanted, n_pes, &mut points)?;
        }
        let works: Vec<_> = WORKS.into_iter().filter(|(name, _)| options.wants(name)).collect();
        if n_pes > 1 && !works.is_empty() {
            together(&peer, &wanted, n_pes, &works, options, &mut points)?;
        }
        eprintln!("measured: {n_pes} PEs");
    }
    Ok(points)
}

/// How long jobs take from the start of the first process to the end of the last. Answers with the
/// longest.
fn start(
    program: Program,
    mut command: Command,
    n_pes: usize,
    options: &Options,
    points: &mut Points,
) -> io::Result<Duration> {
    let (mut times, mut longest) = (Vec::new(), Duration::ZERO);
    let before = processor_time()?;
    let enough = Duration::from_millis(if options.quick { 200 } else { 3000 });
    let begun = Instant::now();
    // Odd, so that the median is one of the starts.
    while times.is_empty() || times.len() % 2 == 0 || times.len() < 11 && begun.elapsed() < enough {
        let started = Instant::now();
        let status = command.status()?;
        if !status.success() {
            return Err(io::Error::other(format!("{} ended with {status} on {n_pes} PEs", program.name())));
        }
        longest = longest.max(started.elapsed());
        times.push(started.elapsed().as_secs_f64());
        if longest > LONG {
            break;
        }
    }
    let each = (processor_time()? - before) / (times.len() * n_pes) as f64;
    points.add(START, n_pes, program, times);
    points.add(PROCESSOR, n_pes, program, vec![each]);
    Ok(longest)
}

/// The processor time in seconds of all ended processes that this one, or one of them, has started.
fn processor_time() -> io::Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // After the name of the program, which may have any characters in it, there are 13 other
    // fields.
    let figures = text.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> =
        figures.split_whitespace().skip(13).take(2).filter_map(|t| t.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Ok((user + system) / rustix::param::clock_ticks_per_second() as f64),
        _ => Err(io::Error::other("the system does not tell the time of processes")),
    }
}

/// The memory of each PE when all have joined and synchronised once.
fn memory(meet: &Peers, wanted: &[Program], n_pes: usize, points: &mut Points) -> io::Result<()> {
    // One job after the other, so that no job shares files with another.
    for &program in wanted {
        let Some(command) = meet.command(program, n_pes) else { continue };
        let memory = Memory::of(Job::start(program, command, n_pes)?.pids())?;
        points.add(MEMORY, n_pes, program, vec![memory.total()]);
        let parts = [memory.private, memory.files, memory.shared, memory.tables];
        for (what, part) in PARTS.into_iter().zip(parts) {
            points.add(what, n_pes, program, vec![part]);
        }
    }
    Ok(())
}

/// Measures the collective operations of all programs, in turns.
fn together(
    peer: &Peers,
    wanted: &[Program],
    n_pes: usize,
    works: &[(&'static str, Work)],
    options: &Options,
    points: &mut Points,
) -> io::Result<()> {
    let rounds = if options.quick { 5 } else { 31.min(2048 / n_pes) };
    let mut jobs = Conductor::start(peer, &[&[Program::Limit], wanted].concat(), n_pes)?;
    jobs.least = 8;
    for &(name, work) in works {
        let mut times = jobs.measure(work, rounds);
        if work.operation == Operation::ReduceValue {
            let arrays = jobs.measure(REDUCE, rounds);
            times.extend(arrays.into_iter().filter(|(program, _)| *program == Program::C));
        }
        for (program, times) in times {
            points.add(name, n_pes, program, times.into_iter().map(|ns| ns / 1e9).collect());
        }
    }
    for (program, job) in jobs.jobs().filter(|_| works.len() == WORKS.len()) {
        points.add(USED, n_pes, program, vec![Memory::of(job.pids())?.tables]);
    }
    Ok(())
}

fn report(options: &Options, points: &Points) -> Result<(), String> {
    let names = WORKS.map(|(name, _)| name);
    let all = names.into_iter().chain([START, PROCESSOR, MEMORY]).chain(PARTS).chain([USED]);
    let all: Vec<&str> = all.filter(|what| points.0.iter().any(|point| point.what == *what)).collect();
    let mut text = String::new();
    for what in &all {
        text += &section(what, &table(what, points));
    }
    // The share of shared memory falls with more PEs, and gives no further information.
    let grown: Vec<&str> = all.iter().copied().filter(|what| !PARTS[1..3].contains(what)).collect();
    text += &section("growth", &growth(&fits(&grown, points)));
    // Only a build over the library knows how much it keeps for each PE.
    #[cfg(feature = "openshmem")]
    {
        text += &section("expected", &forecasts());
        text += &section("kept", &model::table(&Kept::HERE));
    }
    print!("{text}");
    options.write("growth.md", &text)?;
    options.write("growth.csv", &points.csv())?;
    for (file, title, panels, unit) in [
        ("growth-time", "Time of a collective operation", &names[..], Unit::Seconds),
        ("growth-start", "From the start of a job to its end", &[START], Unit::Seconds),
        ("growth-memory", "Memory of a PE that has met the others once", &[MEMORY, PARTS[3]], Unit::Bytes),
    ] {
        let panels: Vec<&str> = panels.iter().copied().filter(|what| all.contains(what)).collect();
        if !panels.is_empty() {
            let path = options.out.join(file);
            let drawn = chart(title, &panels, unit, points).write(&path);
            drawn.map_err(|error| format!("cannot draw {}: {error}", path.display()))?;
            println!("{}.svg and .png", path.display());
        }
    }
    Ok(())
}

/// One figure: a line for each size, a column for each program, and the ratio to the value at half
/// the size.
fn table(what: &str, points: &Points) -> String {
    let columns: Vec<_> =
        points.programs(what).into_iter().map(|program| (program, points.of(what, program))).collect();
    let head = [format!("{what}; PEs")].into_iter();
    let mut rows = vec![head.chain(columns.iter().map(|(program, _)| program.name().to_owned())).collect()];
    for n_pes in SIZES.map(|n_pes| n_pes as f64) {
        let at = |column: &[(f64, [f64; 3])], n: f64| {
            column.iter().find(|(size, _)| *size == n).map(|(_, [_, median, _])| *median)
        };
        if columns.iter().all(|(_, column)| at(column, n_pes).is_none()) {
            continue;
        }
        let cells = columns.iter().map(|(_, column)| {
            let Some(whole) = at(column, n_pes) else { return "-".to_owned() };
            let half = at(column, n_pes / 2.0);
            written(what, whole) + &half.map_or_else(String::new, |half| format!(" (×{:.2})", whole / half))
        });
        rows.push([n_pes.to_string()].into_iter().chain(cells).collect::<Vec<_>>());
    }
    markdown(&rows)
}

/// The growth of each figure for which there are enough sizes.
fn fits<'a>(all: &[&'a str], points: &Points) -> BTreeMap<(&'a str, Program), Fit> {
    let mut fits = BTreeMap::new();
    for what in all {
        for program in points.programs(what) {
            let meets = WORKS.iter().any(|(name, _)| name == what);
            // With a core for each PE, PEs synchronise in another way.
            let least = if meets { conductor::cores() } else { 0 } as f64;
            let terms: &[Term] = if is_memory(what) {
                &[Term::Constant, Term::Share, Term::Linear]
            } else {
                &[Term::Constant, Term::Linear, Term::Square]
            };
            let medians: Vec<(f64, f64)> = points
                .of(what, program)
                .into_iter()
                .filter(|(n, [_, median, _])| *n > least && *median > 0.0)
                .map(|(n, [_, median, _])| (n, median))
                .collect();
            if let Some(fit) = Fit::of(&medians, terms) {
                fits.insert((*what, program), fit);
            }
        }
    }
    fits
}

fn growth(fits: &BTreeMap<(&str, Program), Fit>) -> String {
    let head = ["with n PEs", "program", "it is about", "off by at most"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for ((what, program), fit) in fits {
        let sum = fit.written(|factor| written(what, factor));
        let error = format!("{:.0} %", 100.0 * fit.error);
        rows.push(vec![(*what).to_owned(), program.name().to_owned(), sum, error]);
    }
    markdown(&rows)
}

/// The time to combine one of the gathered values, as an all-reduce over a C library does it.
#[cfg(feature = "openshmem")]
fn join() -> f64 {
    use std::hint::black_box;

    let values = vec![1.5_f64; 1 << 20];
    let add = |sum: &mut f64, bytes: &[u8]| *sum += f64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let each: &mut dyn FnMut(&mut f64, &[u8]) = &mut { add };
    let rounds = (0..11).map(|_| {
        let (mut sum, started) = (0.0, Instant::now());
        for value in &values {
            each(&mut sum, black_box(&value.to_ne_bytes()));
        }
        black_box(sum);
        started.elapsed().as_secs_f64() / values.len() as f64
    });
    quartiles(rounds.collect())[1]
}

/// The expected values over a C library on many nodes.
#[cfg(feature = "openshmem")]
fn forecasts() -> String {
    let measured = Measured { join: join() };
    eprintln!("joining a value: {}", time(measured.join));
    let head = [
        "PEs",
        "kept of other PEs",
        "learning of all, at the start",
        "allocating an array",
        "barrier",
        "all-reduce of 1 u64",
        "all-reduce of 1 f64",
        "pairwise all-reduce of 1 f64",
        "alltoall 8 B",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for n in [1e3, 1e4, 1e5, 1e6] {
        let forecast = model::forecast(n, Kept::HERE, NETWORK, measured);
        let mut row = vec![n.to_string(), bytes(forecast.kept)];
        let Forecast { telling, allocation, barrier, integer, double, pairs, alltoall, .. } = forecast;
        row.extend([telling, allocation, barrier, integer, double, pairs, alltoall].map(time));
        rows.push(row);
    }
    markdown(&rows)
}

fn chart(title: &str, panels: &[&str], unit: Unit, points: &Points) -> Chart {
    let axis = |label: &str, scale, unit| Axis { label: label.to_owned(), scale, unit };
    let label = if unit == Unit::Bytes { "memory" } else { "time" };
    let scale = if unit == Unit::Bytes { Scale::Log2 } else { Scale::Log10 };
    let series = |what: &str, program: Program| {
        let points = points.of(what, program);
        Series {
            name: program.name().to_owned(),
            points: points.iter().map(|(n, [_, median, _])| (*n, *median)).collect(),
            spread: (unit == Unit::Seconds)
                .then(|| points.iter().map(|(_, [low, _, high])| (*low, *high)).collect()),
        }
    };
    // The same programs in all panels and charts, so that they keep their colours.
    let programs = [Program::Limit, Program::Ours, Program::Library, Program::Far, Program::C];
    let panel = |what: &&str| Panel {
        title: if panels.len() > 1 { (*what).to_owned() } else { String::new() },
        series: programs.map(|program| series(what, program)).into(),
    };
    Chart {
        title: title.to_owned(),
        x: axis("PEs", Scale::Log2, Unit::Count),
        y: axis(label, scale, unit),
        panels: panels.iter().map(panel).collect(),
    }
}
