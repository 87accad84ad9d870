//! The two figures of the PySHMEM paper: the rate of puts and the latency of gets, over the size of
//! the message, contiguous and strided.
//!
//! ```text
//! cargo bench -p benches --features openshmem --bench figures             1 B to 1 MiB in powers of two, at strides 1, 2 and 8
//! cargo bench -p benches --features openshmem --bench figures -- --quick  every fourth size
//! ```
//!
//! Puts of one size go to the same place, one after the other, and their time includes the quiet
//! that completes them. A size below 8 bytes is one element of that size. Above, elements have 8
//! bytes, and every second or eighth place of the target's memory is written. Each point is the
//! median of the rounds, and the band around it shows the quartiles. The results are
//! `target/bench/put_rate` and `get_latency`, as CSV, SVG and PNG (`--out FOLDER`).

use std::path::Path;
use std::process::ExitCode;

use benches::chart::{Axis, Chart, Panel, Scale, Series, Unit};
use benches::conductor::{Conductor, Peers, Program};
use benches::results::Row;
use benches::work::{Operation, Work};
use benches::{Options, results};

/// The programs that are shown, beginning with the limit.
const PROGRAMS: [Program; 6] =
    [Program::Limit, Program::Ours, Program::Library, Program::C, Program::Shmem4py, Program::Lamellar];
/// The distances of two elements.
const STRIDES: [usize; 3] = [1, 2, 8];
/// The largest message is 2 to this power.
const LARGEST: u32 = 20;

/// One of the two figures.
struct Figure {
    /// The name of its files, and what `cargo bench -- NAME` selects it by.
    name: &'static str,
    title: &'static str,
    operation: Operation,
    /// The quantity over the size, and its formula from the nanoseconds of one message.
    y: (&'static str, Unit, fn(f64) -> f64),
}

const FIGURES: [Figure; 2] = [
    Figure {
        name: "put_rate",
        title: "Puts per second, back to back",
        operation: Operation::Put,
        y: ("puts per second", Unit::Count, |ns| 1e9 / ns),
    },
    Figure {
        name: "get_latency",
        title: "Time of one get",
        operation: Operation::Get,
        y: ("time", Unit::Seconds, |ns| ns * 1e-9),
    },
];

fn main() -> ExitCode {
    benches::main(run)
}

fn run(options: &Options) -> Result<(), String> {
    let figures: Vec<&Figure> = FIGURES.iter().filter(|figure| options.wants(figure.name)).collect();
    if figures.is_empty() {
        return Ok(());
    }
    let ours = Path::new(env!("CARGO_BIN_EXE_peer"));
    let peers = Peers::find(ours, cfg!(feature = "openshmem"), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let failed = |error| format!("cannot measure: {error}");
    let mut conductor = Conductor::start(&peers, &PROGRAMS, 2).map_err(failed)?;
    for figure in figures {
        let rows = figure.measure(&mut conductor, options);
        println!("{}\n{}", figure.title, results::table(&rows));
        options.write(&format!("{}.csv", figure.name), &results::csv(&rows))?;
        let path = options.out.join(figure.name);
        let chart = figure.chart(&rows);
        chart.write(&path).map_err(|error| format!("cannot draw {}: {error}", path.display()))?;
        println!("{0}.svg\n{0}.png\n", path.display());
    }
    Ok(())
}

impl Figure {
    fn measure(&self, conductor: &mut Conductor, options: &Options) -> Vec<Row> {
        let every = if options.quick { 4 } else { 1 };
        let mut rows = Vec::new();
        for stride in STRIDES {
            for power in (0..=LARGEST).step_by(every) {
                // One element, or as many elements of 8 bytes as fit. Below 8 bytes there is no
                // stride.
                let bytes = 1 << power;
                if stride > 1 && bytes <= 8 {
                    continue;
                }
                let work = Work::new(self.operation, bytes).stride(stride);
                let name = format!("{} of {bytes} B, stride {stride}", self.operation);
                let starts = vec![conductor.measure(work, options.rounds())];
                rows.push(Row { name, work, n_pes: conductor.n_pes, goals: Vec::new(), starts });
            }
        }
        rows
    }

    fn chart(&self, rows: &[Row]) -> Chart {
        let (label, unit, value) = self.y;
        let panels = STRIDES.map(|stride| {
            let rows: Vec<&Row> = rows.iter().filter(|row| row.work.stride == stride).collect();
            // A program that was not measured has no points, but keeps its colour in other charts.
            let series = PROGRAMS.map(|program| {
                let times: Vec<_> =
                    rows.iter().filter_map(|row| Some((row.work.bytes as f64, row.time(program)?))).collect();
                let points = times.iter().map(|&(bytes, [_, ns, _])| (bytes, value(ns))).collect();
                let spread = times.iter().map(|&(_, [low, _, high])| (value(low), value(high))).collect();
                Series { name: program.name().to_owned(), points, spread: Some(spread) }
            });
            let title = if stride == 1 { "contiguous".to_owned() } else { format!("stride {stride}") };
            Panel { title, series: series.into() }
        });
        Chart {
            title: self.title.to_owned(),
            x: Axis { label: "message".to_owned(), scale: Scale::Log2, unit: Unit::Bytes },
            y: Axis { label: label.to_owned(), scale: Scale::Log10, unit },
            panels: panels.into(),
        }
    }
}
