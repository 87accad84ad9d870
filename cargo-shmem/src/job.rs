//! The options of a job. Each is a variable that the library reads, under the name and with the
//! values that the library has.

use std::process::Command;

use clap::Args;
use clap::builder::PossibleValuesParser;

/// The heading of these options in the help.
const HEADING: &str = "Options of the job";

/// The options of a job of a program.
#[derive(Args, Clone, Debug)]
pub(crate) struct JobOptions {
    /// How many PEs to start [default: one for each core, at least 2] [variable: SHMEM_NPES]
    #[arg(short = 'n', long = "npes", value_name = "PES", help_heading = HEADING, value_parser = checked("SHMEM_NPES", "-n "))]
    npes: Option<String>,
    /// Where the PEs print: plain, label (each line begins with its PE), files or files=FOLDER (two
    /// files for each PE) [variable: SHMEM_OUTPUT]
    #[arg(long, value_name = "FORM", help_heading = HEADING, value_parser = checked("SHMEM_OUTPUT", "--output "))]
    output: Option<String>,
    /// core: each PE runs on one processor; none: the system chooses [variable: SHMEM_BIND]
    #[arg(long, value_name = "WHERE", help_heading = HEADING, value_parser = checked("SHMEM_BIND", "--bind "))]
    bind: Option<String>,
    /// How long no PE may move before the job ends, such as 30s or 5m [default: no limit] [variable:
    /// SHMEM_TIMEOUT]
    #[arg(long, value_name = "TIME", help_heading = HEADING, value_parser = checked("SHMEM_TIMEOUT", "--timeout "))]
    timeout: Option<String>,
    /// Write what each PE does to this file: FILE.json, a timeline for Perfetto; or FILE.svg, a picture
    /// of who communicates with whom and where the time goes [variable: SHMEM_TRACE]
    #[arg(long, value_name = "FILE", help_heading = HEADING, value_parser = checked("SHMEM_TRACE", "--trace "))]
    trace: Option<String>,
    #[command(flatten)]
    common: CommonOptions,
}

/// The options of the jobs of tests.
#[derive(Args, Clone, Debug)]
pub(crate) struct TestOptions {
    /// Run each test at those of its numbers of PEs that are in this list, such as 1,2,4
    /// [variable: SHMEM_TEST_NPES]
    #[arg(short = 'n', long = "npes", value_name = "LIST", help_heading = HEADING, value_parser = checked("SHMEM_TEST_NPES", "-n "))]
    npes: Option<String>,
    /// How many seconds a test may take [default: 120] [variable: SHMEM_TEST_TIMEOUT]
    #[arg(long, value_name = "SECONDS", help_heading = HEADING, value_parser = checked("SHMEM_TEST_TIMEOUT", "--timeout "))]
    timeout: Option<String>,
    #[command(flatten)]
    common: CommonOptions,
}

/// What a program and a test have in common.
#[derive(Args, Clone, Debug)]
pub(crate) struct CommonOptions {
    /// The symmetric heap of each PE, such as 64M or 1.5G [variable: SHMEM_SYMMETRIC_SIZE]
    #[arg(long, value_name = "SIZE", help_heading = HEADING, value_parser = checked("SHMEM_SYMMETRIC_SIZE", "--size "))]
    size: Option<String>,
    /// smp: the memory of this machine; openshmem: the installed OpenSHMEM library, by its launcher
    /// [variable: SHMEM_TRANSPORT]
    #[arg(long, value_name = "NAME", help_heading = HEADING, value_parser = PossibleValuesParser::new(["smp", "openshmem"]))]
    transport: Option<String>,
    /// The launcher of the OpenSHMEM library, such as "srun --mpi=pmix" [default: oshrun] [variable:
    /// SHMEM_LAUNCHER]
    #[arg(long, value_name = "COMMAND", help_heading = HEADING, value_parser = checked("SHMEM_LAUNCHER", "--launcher "))]
    launcher: Option<String>,
    /// A debugger and PEs, such as gdb:3 or lldb:0,2: each of these PEs waits for it at the start
    /// [variable: SHMEM_DEBUGGER]
    #[arg(long, value_name = "DEBUGGER:PES", help_heading = HEADING, value_parser = checked("SHMEM_DEBUGGER", "--debugger "))]
    debugger: Option<String>,
    /// Count the operations of each PE, and print them at the end: 1 as tables, json for programs
    /// [default: 0; without a value: 1] [variable: SHMEM_STATS]
    #[arg(long, value_name = "FORM", help_heading = HEADING, num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = checked("SHMEM_STATS", "--stats="))]
    stats: Option<String>,
    /// Look for races: 1 ends a job at the first, all reports all at its end [default: 0; without a
    /// value: 1] [variable: SHMEM_RACES]
    #[arg(long, value_name = "FORM", help_heading = HEADING, num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = checked("SHMEM_RACES", "--races="))]
    races: Option<String>,
}

/// Options that are variables of the library.
pub(crate) trait Variables {
    /// The variables with the values of those options that are given.
    fn variables(&self) -> Vec<(&'static str, &str)>;
    /// The options that programs and tests have in common.
    fn common(&self) -> &CommonOptions;

    /// Sets the variables for `command`.
    fn set(&self, command: &mut Command) {
        command.envs(self.variables());
    }

    /// Whether the C library is asked for.
    fn is_openshmem(&self) -> bool {
        self.common().transport.as_deref() == Some("openshmem")
    }
}

impl Variables for JobOptions {
    fn variables(&self) -> Vec<(&'static str, &str)> {
        let JobOptions { npes, output, bind, timeout, trace, common } = self;
        common.with(&[
            ("SHMEM_NPES", npes),
            ("SHMEM_OUTPUT", output),
            ("SHMEM_BIND", bind),
            ("SHMEM_TIMEOUT", timeout),
            ("SHMEM_TRACE", trace),
        ])
    }

    fn common(&self) -> &CommonOptions {
        &self.common
    }
}

impl JobOptions {
    /// The option `-n` as it was written, for messages.
    pub(crate) fn npes(&self) -> Option<&str> {
        self.npes.as_deref()
    }
}

impl Variables for TestOptions {
    fn variables(&self) -> Vec<(&'static str, &str)> {
        let TestOptions { npes, timeout, common } = self;
        common.with(&[("SHMEM_TEST_NPES", npes), ("SHMEM_TEST_TIMEOUT", timeout)])
    }

    fn common(&self) -> &CommonOptions {
        &self.common
    }
}

impl CommonOptions {
    fn with<'a>(&'a self, own: &[(&'static str, &'a Option<String>)]) -> Vec<(&'static str, &'a str)> {
        let CommonOptions { size, transport, launcher, debugger, stats, races } = self;
        let common = [
            ("SHMEM_SYMMETRIC_SIZE", size),
            ("SHMEM_TRANSPORT", transport),
            ("SHMEM_LAUNCHER", launcher),
            ("SHMEM_DEBUGGER", debugger),
            ("SHMEM_STATS", stats),
            ("SHMEM_RACES", races),
        ];
        let all = own.iter().copied().chain(common);
        all.filter_map(|(variable, value)| Some((variable, value.as_deref()?))).collect()
    }
}

/// Checks a value as a program does that reads `variable`. The message names the option instead.
fn checked(
    variable: &'static str,
    option: &'static str,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |value| {
        if value.is_empty() {
            // For the library an empty variable is one that is not set.
            return Err("the value is empty".to_owned());
        }
        let named = |why: String| why.replace(&format!("{variable}="), option);
        shmem::tool::check(variable, value).map_err(named)?;
        Ok(value.to_owned())
    }
}
