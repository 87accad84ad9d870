//! Published kernels, in this language and in C over an OpenSHMEM library.
//!
//! ```text
//! cargo bench -p benches --bench kernels                            all of them, 2 PEs, some minutes
//! cargo bench -p benches --bench kernels -- --quick                 small and few rounds
//! cargo bench -p benches --bench kernels -- stencil                 what has `stencil` in its name
//! cargo bench -p benches --features openshmem --bench kernels      also in Rust over the C library
//! SHMEM_NPES=4 cargo bench -p benches --bench kernels               the same with more PEs
//! ```
//!
//! Each kernel is an example of this project, `examples/examples/*.rs`, and a C program,
//! `kernels/*.c`. Both take the same arguments, check their result, and print their rate on the
//! last line. The rate does not include the start. This benchmark builds them and runs them in
//! turns. The program that begins changes from round to round. Every round gives a ratio of rates,
//! and the result is the median of the ratios. Without `oshcc` and `oshrun` there is no C program,
//! and only the rates of the Rust programs are shown.
//!
//! Where there is a core for each PE, PE n is bound to core n, on all sides.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use benches::book::{markdown, section};
use benches::conductor::{bind_pes, command, compile, cores, launched, oshcc};
use benches::{Options, examples, quartiles};

/// The goal for the ratio of our rate to that of C: at least as fast.
const GOAL: f64 = 1.0;

/// A program, and how to run it.
struct Kernel {
    name: &'static str,
    /// Its name in the results, and an argument more of the Rust program, where C has no such form.
    batch: Option<(&'static str, &'static str)>,
    /// As published, as far as it fits: a run takes one to three seconds on two cores.
    arguments: &'static str,
    /// For `--quick`: about a second, most of it for the start. The rate is that of a tenth of a
    /// second or more; for `bale_ig` of a fifth of that, as its indices would take a gigabyte.
    quick: &'static str,
}

/// The symmetric memory of each PE, enough for the largest kernels.
const HEAP: &str = "512M";

const KERNELS: [Kernel; 10] = [
    // Iterations, order.
    Kernel { name: "prk_stencil", batch: None, arguments: "50 4000", quick: "20 2000" },
    // Iterations, order, tile.
    Kernel { name: "prk_transpose", batch: None, arguments: "50 4000 32", quick: "20 2000 32" },
    // Iterations, rows, columns.
    Kernel { name: "prk_synch_p2p", batch: None, arguments: "800 2000 2000", quick: "200 1000 1000" },
    // Keys of each PE, iterations.
    Kernel { name: "isx", batch: None, arguments: "16777216 4", quick: "2097152 3 24" },
    // The logarithm of the words of each PE.
    Kernel { name: "gups", batch: None, arguments: "22", quick: "20" },
    // Updates of each PE, words.
    Kernel { name: "bale_histo", batch: None, arguments: "20000000 1000", quick: "10000000 1000" },
    Kernel { name: "bale_ig", batch: None, arguments: "20000000 1000", quick: "10000000 1000" },
    // The same with a table that is larger than the caches: here in a batch, in C one by one.
    Kernel {
        name: "bale_histo",
        batch: Some(("bale_histo, batch", "2")),
        arguments: "10000000 4000000",
        quick: "2000000 1000000",
    },
    Kernel {
        name: "bale_ig",
        batch: Some(("bale_ig, batch", "2")),
        arguments: "10000000 4000000",
        quick: "2000000 1000000",
    },
    // Elements of each of three arrays, on each PE, iterations.
    Kernel { name: "stream", batch: None, arguments: "16777216 20", quick: "4194304 10" },
];

/// In which form a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The Rust program, which starts its own PEs on this machine.
    Embedded,
    /// The Rust program over the C library.
    Library,
    /// The C program.
    C,
}

impl Kernel {
    /// Its name in the results.
    fn label(&self) -> &'static str {
        self.batch.map_or(self.name, |(label, _)| label)
    }
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::Embedded => "embedded",
            Form::Library => "over the library",
            Form::C => "C",
        }
    }

    /// Where its programs are.
    fn folder(self) -> PathBuf {
        match self {
            Form::Embedded => examples::folder(&target()),
            Form::Library => examples::folder(&library_target()),
            Form::C => Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels"),
        }
    }

    /// The command that runs a kernel, without its arguments.
    fn command(self, kernel: &Kernel, n_pes: usize) -> Command {
        let program = self.folder().join(kernel.name);
        let mut command = match self {
            Form::Embedded | Form::Library => command(&program, n_pes, HEAP),
            Form::C => launched(&program, n_pes, HEAP),
        };
        command.env("SHMEM_TRANSPORT", if self == Form::Library { "openshmem" } else { "smp" });
        if n_pes <= cores() {
            command.env("OMPI_MCA_hwloc_base_binding_policy", "core");
        }
        command
    }
}

/// The content of the last line of a kernel: `name: rate unit, …`.
#[derive(Debug, PartialEq)]
struct Rate {
    value: f64,
    unit: String,
}

impl Rate {
    /// Reads what a kernel has printed.
    fn of(kernel: &str, printed: &str) -> Option<Rate> {
        let last = printed.lines().next_back()?.strip_prefix(kernel)?.strip_prefix(": ")?;
        let (value, unit) = last.split_once(',')?.0.split_once(' ')?;
        let value = value.parse().ok().filter(|value: &f64| value.is_normal() && *value > 0.0)?;
        Some(Rate { value, unit: unit.to_owned() })
    }
}

/// The rates of a kernel, in all forms and rounds.
struct Measured {
    kernel: &'static str,
    arguments: &'static str,
    unit: String,
    /// Of each form, the rates, round by round.
    rates: Vec<(Form, Vec<f64>)>,
}

impl Measured {
    fn of(&self, form: Form) -> Option<&[f64]> {
        self.rates.iter().find(|(other, _)| *other == form).map(|(_, rates)| rates.as_slice())
    }

    /// Each form in Rust: its rate, and beside it that of C, where there is one.
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let median = |rates: &[f64]| quartiles(rates.to_vec())[1];
        let c = self.of(Form::C);
        self.rates.iter().filter(|(form, _)| *form != Form::C).map(move |(form, ours)| Row {
            kernel: self,
            form: *form,
            ours: median(ours),
            c: c.map(|c| Beside {
                rate: median(c),
                ratio: quartiles(ours.iter().zip(c).map(|(ours, c)| ours / c).collect()),
            }),
        })
    }
}

/// A line of the results.
struct Row<'a> {
    kernel: &'a Measured,
    form: Form,
    /// The median of our rates.
    ours: f64,
    c: Option<Beside>,
}

/// The rate of C, and our ratio to it.
struct Beside {
    /// The median of the rates of C.
    rate: f64,
    /// Our rate, divided by that of C in the same round: first quartile, median, third quartile.
    ratio: [f64; 3],
}

impl Beside {
    fn verdict(&self) -> &'static str {
        if self.ratio[1] >= GOAL { "met" } else { "MISSED" }
    }
}

fn main() -> ExitCode {
    benches::main(measure)
}

fn measure(options: &Options) -> Result<(), String> {
    let n_pes = examples::n_pes()?;
    let kernels: Vec<&Kernel> = KERNELS.iter().filter(|kernel| options.wants(kernel.label())).collect();
    if kernels.is_empty() {
        // Other benchmarks may have operations of this name.
        return Ok(());
    }

    let mut forms = vec![Form::Embedded];
    let names = || kernels.iter().map(|kernel| kernel.name);
    examples::build(names(), &target(), &[])?;
    let has_c = has_c();
    if cfg!(feature = "openshmem") && has_c {
        examples::build(names(), &library_target(), &["--features", "openshmem"])?;
        forms.push(Form::Library);
    }
    if has_c {
        kernels.iter().try_for_each(|kernel| build_c(kernel))?;
        forms.push(Form::C);
    } else {
        println!("oshcc or oshrun is not there: without an OpenSHMEM library there is no C to compare with");
    }

    // Odd, so that the median is one of the rounds.
    let rounds = if options.quick { 3 } else { 7 };
    let mut measured = Vec::new();
    for kernel in kernels {
        measured.push(in_turns(kernel, &forms, rounds, n_pes, options.quick)?);
    }
    println!("{n_pes} PEs, {rounds} rounds\n{}", table(&measured));
    options.write("kernels.md", &section("kernels", &for_the_book(&measured)))?;
    options.write("kernels.csv", &csv(&measured, n_pes))
}

/// The target directory that this program was built in.
fn target() -> PathBuf {
    examples::target(env!("CARGO_TARGET_TMPDIR"))
}

/// The target directory of the programs with the C library: those without have the same names.
fn library_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("library")
}

/// Whether the tools that compile and start C programs are installed.
fn has_c() -> bool {
    // If a tool is installed, it may not know `--version`, but any answer shows that it exists.
    ["oshcc", "oshrun"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok())
}

/// Compiles the C form of a kernel.
fn build_c(kernel: &Kernel) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(format!("{}.c", kernel.name));
    compile(&oshcc(), &source, &Form::C.folder()).map(drop)
}

/// Runs all forms of a kernel in each of the rounds. The order changes from round to round, so that
/// no form always runs after the same other one.
fn in_turns(
    kernel: &Kernel,
    forms: &[Form],
    rounds: usize,
    n_pes: usize,
    quick: bool,
) -> Result<Measured, String> {
    let arguments = if quick { kernel.quick } else { kernel.arguments };
    let mut rates: Vec<(Form, Vec<f64>)> = forms.iter().map(|form| (*form, Vec::new())).collect();
    let mut unit = None;
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..forms.len()).collect();
        order.rotate_left(round / 2 % forms.len());
        if round % 2 == 1 {
            order.reverse();
        }
        for which in order {
            let (form, rates) = &mut rates[which];
            let rate = run(kernel, *form, arguments, n_pes)?;
            let unit = unit.get_or_insert_with(|| rate.unit.clone());
            if *unit != rate.unit {
                return Err(format!(
                    "{} counts in {unit}, and {} in {}",
                    kernel.name,
                    form.name(),
                    rate.unit
                ));
            }
            rates.push(rate.value);
        }
    }
    let unit = unit.expect("there are rounds and forms");
    Ok(Measured { kernel: kernel.label(), arguments, unit, rates })
}

/// Runs a kernel once.
fn run(kernel: &Kernel, form: Form, arguments: &str, n_pes: usize) -> Result<Rate, String> {
    let mut command = form.command(kernel, n_pes);
    command.args(arguments.split(' '));
    command.args(kernel.batch.filter(|_| form != Form::C).map(|(_, argument)| argument));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let shown = format!("{command:?}");
    let cannot = |error| format!("cannot run {shown}: {error}");
    let child = command.spawn().map_err(cannot)?;
    if form == Form::Embedded {
        bind_pes(&child, n_pes);
    }
    // The output of a kernel fits into a pipe.
    let output = child.wait_with_output().map_err(cannot)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let rate = Rate::of(kernel.name, &printed).filter(|_| output.status.success());
    rate.ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}, {}: {}, and no rate; it said:\n{printed}{said}", kernel.name, form.name(), output.status)
    })
}

/// A rate with four digits at least.
fn digits(rate: f64) -> String {
    let decimals = (3.0 - rate.log10().floor()).max(0.0);
    format!("{rate:.0$}", decimals as usize)
}

/// The results as a table for the terminal: one line for each kernel and form.
fn table(measured: &[Measured]) -> String {
    let mut table = format!(
        "{:<17} {:<16} {:<17} {:>10} {:>10} {:<10} {:>6}  {:<13} {:>5}  {}\n",
        "kernel", "form", "arguments", "ours", "C", "", "ratio", "(quartiles)", "goal", "verdict"
    );
    for Row { kernel, form, ours, c } in measured.iter().flat_map(Measured::rows) {
        let (rate, judgement) = c.map_or((String::new(), String::new()), |c| {
            let [low, median, high] = c.ratio;
            let quartiles = format!("({low:.2}-{high:.2})");
            (digits(c.rate), format!("{median:>6.2}  {quartiles:<13} {GOAL:>5.2}  {}", c.verdict()))
        });
        let line = format!(
            "{:<17} {:<16} {:<17} {:>10} {rate:>10} {:<10} {judgement}",
            kernel.kernel,
            form.name(),
            kernel.arguments,
            digits(ours),
            kernel.unit,
        );
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

/// The results for a page of the book.
fn for_the_book(measured: &[Measured]) -> String {
    let head = ["kernel", "arguments", "form", "rate", "in C", "", "ratio", "quartiles"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for Row { kernel, form, ours, c } in measured.iter().flat_map(Measured::rows) {
        let [low, median, high] = c.as_ref().map_or([f64::NAN; 3], |c| c.ratio);
        let quartiles = if c.is_some() { format!("{low:.2} to {high:.2}") } else { String::new() };
        rows.push(vec![
            kernel.kernel.to_owned(),
            kernel.arguments.to_owned(),
            form.name().to_owned(),
            digits(ours),
            c.as_ref().map_or_else(String::new, |c| digits(c.rate)),
            kernel.unit.clone(),
            c.map_or_else(String::new, |_| format!("{median:.2}")),
            quartiles,
        ]);
    }
    markdown(&rows)
}

/// The results as CSV, with a heading. Texts are in quotes, and contain none.
fn csv(measured: &[Measured], n_pes: usize) -> String {
    let mut csv =
        String::from("kernel,form,arguments,n_pes,unit,rate,c_rate,ratio,ratio_q1,ratio_q3,goal,verdict\n");
    for Row { kernel, form, ours, c } in measured.iter().flat_map(Measured::rows) {
        let judgement = c.map_or(",,,,,".to_owned(), |c| {
            let [low, median, high] = c.ratio;
            format!("{},{median:.4},{low:.4},{high:.4},{GOAL},\"{}\"", digits(c.rate), c.verdict())
        });
        // Writing into a `String` does not fail.
        let _ = writeln!(
            csv,
            "\"{}\",\"{}\",\"{}\",{n_pes},\"{}\",{},{judgement}",
            kernel.kernel,
            form.name(),
            kernel.arguments,
            kernel.unit,
            digits(ours),
        );
    }
    csv
}
