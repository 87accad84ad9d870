//! What the page on debugging shows of gdb, done again. `figures/debugging_*.txt` are sessions as
//! [`crate::sessions`] has them; here the first command may stay in the background, and process
//! numbers are those of now.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::read;
use crate::sessions::{programs, shell};

/// Time for what must come, on a machine that is busy with other things.
const LONG: Duration = Duration::from_secs(120);

/// Ends a job: when its supervisor is killed, so are its PEs.
struct Job(Child);

impl Drop for Job {
    fn drop(&mut self) {
        // A job that has ended is there no more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a session in a folder of its own. In a job in the background, the last word of a line is a
/// process.
fn session(name: &str) {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = read(&book.join(format!("figures/debugging_{name}.txt")));
    let examples = programs().display().to_string();
    text = text.replace("target/debug/examples", &examples);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");

    let mut jobs = Vec::new();
    while let Some(rest) = text.strip_prefix("$ ") {
        let rest = rest.to_owned();
        let (command, rest) = rest.split_once('\n').expect("a line has an end");
        let end = rest.find("$ ").unwrap_or(rest.len());
        let (shown, rest) = rest.split_at(end);
        text = rest.to_owned();
        if let Some(job) = command.strip_suffix(" &") {
            let mut child = shell(&format!("exec env {job} 2>&1"))
                .current_dir(&folder)
                .stdout(Stdio::piped())
                .spawn()
                .expect("there is a shell");
            let stdout = child.stdout.take().expect("it was asked for");
            jobs.push(Job(child));
            let lines = BufReader::new(stdout).lines();
            let mut lines: Vec<String> = lines
                .take(shown.lines().count())
                .map(|line| line.expect("a pipe can be read"))
                .collect();
            lines.sort();
            assert_eq!(lines.len(), shown.lines().count(), "{job}: {lines:?}");
            for (line, shown) in lines.iter().zip(shown.lines()) {
                let (said, now) = line.rsplit_once(' ').expect("two words");
                let (words, then) = shown.rsplit_once(' ').expect("two words");
                assert_eq!(said, words, "{job}");
                text = text.replace(then, now);
            }
        } else {
            // A PE may not be yet where it will be.
            let begun = Instant::now();
            loop {
                let output = shell(command)
                    .current_dir(&folder)
                    .output()
                    .expect("there is a shell");
                let printed = [output.stdout, output.stderr].concat();
                let printed = String::from_utf8_lossy(&printed);
                if printed == shown {
                    break;
                }
                assert!(
                    begun.elapsed() < LONG,
                    "{command}\n--- shown\n{shown}--- printed\n{printed}"
                );
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
    assert!(text.is_empty(), "{name}: not a session: {text}");
    drop(jobs);
    fs::remove_dir_all(folder).expect("a folder can be removed");
}

/// Whether gdb is there, and may attach to processes.
fn may_debug() -> bool {
    let mut sleeper =
        Command::new("sleep").arg("600").spawn().expect("there is sleep");
    let attached = Command::new("gdb")
        .args(["-batch", "-ex", "info inferiors", "-p"])
        .arg(sleeper.id().to_string())
        .output();
    sleeper.kill().expect("a child can be killed");
    sleeper.wait().expect("a child that was killed ends");
    let may = attached.is_ok_and(|output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success() && !said.contains("not permitted")
    });
    if !may {
        notice("gdb is not installed, or may not attach");
    }
    may
}

/// Says what was left out, past the harness, which keeps what is printed.
fn notice(what: &str) {
    let _ = writeln!(io::stderr(), "\nNOT TESTED on debugging: {what}\n");
}

#[test]
fn gdb_shows_what_the_page_shows() {
    if !cfg!(debug_assertions) {
        return; // functions are inlined, and lines moved
    }
    if !may_debug() {
        return;
    }
    for name in ["attach", "one"] {
        session(name);
    }
    // Elsewhere a core goes to a service of the system.
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern");
    if pattern.is_ok_and(|pattern| pattern.trim() == "core") {
        session("core");
    } else {
        notice("core files, which are not `core` here");
    }
}
