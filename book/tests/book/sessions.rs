//! Sessions at a terminal: a line that begins with `$ ` is a command, the lines below it are what
//! it printed.

use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{files, read};

/// Programs at this many PEs must do as well as at the count that their page shows.
const COUNTS: [&str; 5] = ["1", "2", "3", "4", "7"];

/// As many sessions run at the same time: most of them wait most of the time, for a limit or for a
/// report.
const WORKERS: usize = 3;

#[test]
fn sessions_print_what_is_shown() {
    let overwrite =
        env::var_os("BOOK").is_some_and(|value| value == "overwrite");
    // A package has this folder once something was built in it; this one is built elsewhere.
    std::fs::create_dir_all("target").expect("sessions can write there");
    let (paths, next) = (files("examples", "out"), AtomicUsize::new(0));
    let work = || {
        let mut wrong = String::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            wrong += &differs(path, overwrite);
        }
        wrong
    };
    let wrong: String = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let wrong = workers.into_iter().map(|worker| worker.join());
        wrong.map(|wrong| wrong.expect("a session can be run")).collect()
    });
    assert!(wrong.is_empty(), "{wrong}BOOK=overwrite takes what was printed");
}

/// Runs a session, and writes it if `overwrite` is set. Otherwise returns how it differs.
fn differs(path: &Path, overwrite: bool) -> String {
    let shown = read(path);
    let mut printed = String::new();
    for command in shown.lines().filter_map(|line| line.strip_prefix("$ ")) {
        printed += &format!("$ {command}\n{}", run(command));
    }
    assert!(!printed.is_empty(), "{} has no command", path.display());
    if without_chance(&shown) == without_chance(&printed) {
        return String::new();
    }
    if overwrite {
        std::fs::write(path, printed).expect("a session can be written");
        return String::new();
    }
    let path = path.display();
    format!("{path}\n--- shown\n{shown}--- printed\n{printed}\n")
}

#[test]
fn programs_run_at_any_number_of_pes() {
    for path in files("examples", "rs") {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a program's name is plain text");
        for npes in COUNTS {
            let command = format!(
                "SHMEM_NPES={npes} cargo run -qp book --example {name}; echo \"status $?\""
            );
            let printed = run(&command);
            // Those that fail as their page says fail with a report; no other end is right for
            // them.
            let fails = name.starts_with("fails_") && name != "fails_ends";
            let right = if fails {
                printed.contains("\nshmem: PE 0 of ")
                    && printed.ends_with("status 101\n")
            } else {
                printed.ends_with("status 0\n")
            };
            assert!(right, "{name} on {npes} PEs:\n{printed}");
        }
    }
}

/// What a command prints, on both streams.
fn run(command: &str) -> String {
    let (mut reader, writer) = std::io::pipe().expect("a pipe can be had");
    // One of the programs aborts, and leaves no core file for that.
    let mut shell = shell(&format!("ulimit -c 0; {command}"));
    shell
        .stdout(writer.try_clone().expect("a pipe can be shared"))
        .stderr(writer);
    let mut child = shell.spawn().expect("there is a shell");
    drop(shell); // with it the writing ends of the pipe that are ours
    let mut printed = Vec::new();
    reader.read_to_end(&mut printed).expect("a pipe can be read");
    child.wait().expect("the shell ends");
    String::from_utf8_lossy(&printed).into_owned()
}

/// A shell for a command of the book.
pub(crate) fn shell(command: &str) -> Command {
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bin");
    let path = env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .env("PATH", format!("{}:{path}", stand_in.display()))
        .env("EXAMPLES", programs())
        .env(
            "HARNESS",
            env::current_exe().expect("this test knows its own file"),
        )
        .stdin(std::process::Stdio::null());
    // What the reader of the book has not set is not set here.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("SHMEM_")
            || name.starts_with("RUST_")
            || name.starts_with("NEXTEST")
        {
            shell.env_remove(&*name);
        }
    }
    shell
}

/// Where cargo puts the programs of the book when it builds them together with this test.
///
/// `cargo test` builds them, and `cargo test NAME` does not.
pub(crate) fn programs() -> PathBuf {
    let test = env::current_exe().expect("this test knows its own file");
    let programs = test
        .ancestors()
        .nth(2)
        .expect("cargo has folders in its target")
        .join("examples");
    let newest =
        |path: PathBuf| path.metadata().and_then(|found| found.modified()).ok();
    for source in files("examples", "rs") {
        let program =
            programs.join(source.file_stem().expect("a file has a name"));
        assert!(
            newest(program.clone()) >= newest(source),
            "{} is missing or older than its source: run `cargo build -p book --examples`",
            program.display()
        );
    }
    programs
}

/// A text without what is different in every run: thread numbers, times, how many other tests there
/// are, which of two PEs that disagree is the one that the report is about, and how far the PEs of
/// a test that hangs have come in its time.
fn without_chance(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines() {
        let sides = line
            .split_once(
                "the PEs disagree on collective call number 1 of the team: ",
            )
            .and_then(|(_, rest)| rest.split_once("; every PE of a team must"));
        if let Some((sides, _)) = sides {
            let mut sides: Vec<&str> = sides.split(", and ").collect();
            sides.sort_unstable();
            plain += &format!("the PEs disagree: {sides:?}\n");
            continue;
        }
        let line = match line.split_once("' (") {
            Some((thread, rest)) if line.contains("thread '") => {
                match rest.split_once(')') {
                    Some((_, rest)) => format!("{thread}'{rest}"),
                    None => line.to_owned(),
                }
            }
            _ => line.to_owned(),
        };
        let line = match line.split_once("; finished in ") {
            Some((result, _)) => {
                let (result, others) =
                    result.rsplit_once("; ").unwrap_or((result, ""));
                assert!(others.ends_with(" filtered out"), "{line}");
                result.to_owned()
            }
            None => line,
        };
        plain += &without_times(&line.replace(" (has not joined)", ""));
        plain.push('\n');
    }
    plain
}

/// A line of the table of what PEs do, or its heading, without times and without the width of
/// columns, which the times change.
fn without_times(line: &str) -> String {
    if !(line.contains(" PEs, ")
        || line.starts_with("  PE ")
        || line.starts_with("                  "))
    {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |at: usize| {
        let next =
            words.get(at + 1).map(|next| next.trim_end_matches([')', ':']));
        next == Some("s") && words[at].parse::<f64>().is_ok()
    };
    let plain =
        (0..words.len()).map(|at| if is_time(at) { "N" } else { words[at] });
    plain.collect::<Vec<_>>().join(" ")
}
