//! Meetings and broadcasts of PEs on different hosts: real runs beside simulated ones, and C.
//!
//! ```text
//! cargo bench -p benches --features openshmem --bench simulated -- --out ../book/src/figures
//! ```
//!
//! The parameters of the simulation are measured in the same run, from single messages between two
//! PEs. The real runs treat each PE as if it were on a host of its own. The tables are written to
//! `simulated.md`, and the measurements to `simulated.csv`.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use benches::conductor::{Conductor, Peers, Program, cores};
use benches::work::{Operation, Work};
use benches::{Options, quartiles};
use simulation::tables::{
    ADD, BROADCAST, HAND_OVER, LARGE, MEETING, Measurements, PUT_LARGE, PUT_SMALL, SIGNAL, SIGNAL_ON_A_CORE,
    SMALL, YIELDS,
};

/// The numbers of PEs that are measured.
const SIZES: [usize; 4] = [2, 4, 8, 16];

/// A row: the name, the number of PEs, the program, and the nanoseconds.
type Row = (&'static str, usize, &'static str, f64);

fn main() -> ExitCode {
    benches::main(run)
}

fn run(options: &Options) -> Result<(), String> {
    let rows = measure(options).map_err(|error| format!("cannot measure: {error}"))?;
    let csv = Measurements::file(&rows, cores());
    let page = Measurements::read(&csv).page();
    print!("{page}");
    options.write("simulated.csv", &csv)?;
    options.write("simulated.md", &page)
}

fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let peers = Peers::ours_and_c(Path::new(env!("CARGO_BIN_EXE_peer")), true, scratch);
    let mut rows = Vec::new();
    // One PE shows about what calls take beside their messages: it meets in its own memory.
    let mut sizes = vec![1];
    sizes.extend(SIZES);
    // Where two PEs share a core.
    if !sizes.contains(&(2 * cores())) {
        sizes.push(2 * cores());
    }
    for pes in sizes {
        let programs = [Program::Limit, Program::Far, Program::C];
        let mut jobs = Conductor::start(&peers, &programs, pes)?;
        jobs.least = 64;
        // A work of some programs, each with the name of its row; a row is one of so many parts.
        let mut measure = |work, parts: f64, wanted: &[(&'static str, Program)]| {
            let mut found = jobs.measure(work, options.rounds());
            for &(name, program) in wanted {
                let times = found.iter_mut().find(|(found, times)| *found == program && !times.is_empty());
                let (_, times) = times.ok_or_else(|| io::Error::other(format!("{name} was not measured")))?;
                let [_, median, _] = quartiles(std::mem::take(times));
                // What is measured on plain memory is a parameter of the same machine.
                let program = if program == Program::C { program } else { Program::Far };
                rows.push((name, pes, program.name(), median / parts));
            }
            io::Result::Ok(())
        };
        let (meeting, broadcast) =
            (Work::new(Operation::TeamSync, 0), Work::new(Operation::Broadcast, SMALL));
        // There and back.
        let signal = |distance| Work::new(Operation::Signal, SMALL).stride(distance);
        if pes == 1 {
            measure(meeting, 1.0, &[(MEETING, Program::Far)])?;
            measure(broadcast, 1.0, &[(BROADCAST, Program::Far)])?;
        }
        if pes == 2 {
            measure(Work::new(Operation::Add, SMALL), 1.0, &[(ADD, Program::Far)])?;
            measure(signal(1), 2.0, &[(SIGNAL, Program::Far)])?;
            measure(Work::new(Operation::PingPong, SMALL), 2.0, &[(HAND_OVER, Program::Limit)])?;
            measure(Work::new(Operation::Put, SMALL), 1.0, &[(PUT_SMALL, Program::Far)])?;
            measure(Work::new(Operation::Put, LARGE), 1.0, &[(PUT_LARGE, Program::Far)])?;
        }
        if pes == 2 * cores() {
            measure(signal(cores()), 2.0, &[(SIGNAL_ON_A_CORE, Program::Far)])?;
        }
        if pes >= 2 * cores() {
            measure(Work::new(Operation::Sync, 0), 1.0, &[(YIELDS, Program::Limit)])?;
        }
        if SIZES.contains(&pes) {
            measure(meeting, 1.0, &[(MEETING, Program::Far)])?;
            measure(Work::new(Operation::Sync, 0), 1.0, &[(MEETING, Program::C)])?;
            let both = [(BROADCAST, Program::Far), (BROADCAST, Program::C)];
            measure(broadcast, 1.0, &both)?;
        }
        eprintln!("measured: {pes} PEs");
    }
    Ok(rows)
}
