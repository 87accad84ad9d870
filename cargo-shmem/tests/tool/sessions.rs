//! The sessions of the book's page: a line that begins with `$ ` is a command, the lines below it
//! are what it printed. `BOOK=overwrite cargo test -p cargo-shmem` writes them anew.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::package::{SHMEMRUN, TOOL, command, empty, ended, is_alone, package, scratch, target};

/// Runs a command of the book in a shell, in the folder of the package.
fn run(line: &str, folder: &Path) -> String {
    let tools = Path::new(SHMEMRUN).parent().expect("the tools are in a folder");
    let path = env::var("PATH").unwrap_or_default();
    let mut shell = command("sh", folder);
    shell.args(["-c", &format!("exec 2>&1; {line}")]);
    shell.env("PATH", format!("{}:{path}", tools.display()));
    ended(&mut shell).stdout
}

#[test]
fn sessions_print_what_is_shown() {
    let is_alone = is_alone();
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let folder = package();
    // The reader's package has a target folder of its own, these have one for all.
    let _ = fs::remove_file(folder.join("target"));
    std::os::unix::fs::symlink(target(), folder.join("target")).expect("a link can be made");
    let made = empty("shown");
    let _ = fs::remove_dir_all(folder.join("checkpoints"));
    let mut wrong = String::new();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(sessions).expect("the sessions").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let shown = fs::read_to_string(&path).expect("a session is text");
        let folder = if path.ends_with("new.out") { &made } else { &folder };
        if path.ends_with("where.out") && !is_alone {
            continue;
        }
        let job = path.ends_with("where.out").then(|| Hanging::start(folder));
        let mut printed = String::new();
        for command in shown.lines().filter_map(|line| line.strip_prefix("$ ")) {
            printed += &format!("$ {command}\n{}", as_shown(&run(command, folder)));
        }
        drop(job);
        if without_chance(&shown) == without_chance(&printed) {
            continue;
        }
        if env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
            fs::write(&path, printed).expect("a session can be written");
        } else {
            wrong += &format!("{}\n--- shown\n{shown}--- printed\n{printed}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}BOOK=overwrite takes what was printed");
}

/// A job of which PE 2 does not come to the barrier. Dropping it ends the job.
struct Hanging(Child);

impl Hanging {
    /// Starts it, and waits until the others are seen in the barrier.
    fn start(folder: &Path) -> Hanging {
        let job = command(TOOL, folder)
            .args(["shmem", "run", "-q", "-n", "4", "--example", "pipeline"])
            .stderr(Stdio::null())
            .spawn()
            .expect("the job can be started");
        let job = Hanging(job);
        let begun = Instant::now();
        loop {
            let table = run("cargo shmem where pipeline", folder);
            if ["PE 0, 1, 3  in barrier_all", "wait_for_input"].iter().all(|text| table.contains(text)) {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{table}");
            thread::sleep(Duration::from_millis(20));
        }
        job
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A text without seconds, and without the widths of columns that follow from them.
fn without_chance(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    for at in 1..words.len() {
        let is_number = words[at - 1].parse::<f64>().is_ok();
        let unit = words[at].trim_end_matches(|c: char| !c.is_alphanumeric());
        if is_number && ["s", "ms"].contains(&unit) {
            words[at] = "s";
            words[at - 1] = "N";
        }
    }
    words.join(" ")
}

/// A text without the folders of this machine and the times.
fn as_shown(text: &str) -> String {
    let checkout =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").display().to_string();
    let echo = which::which("echo").expect("every system has it").display().to_string();
    let text = text
        .replace(scratch().to_str().expect("a plain path"), "/home/me")
        .replace(&checkout, "/home/me/shmem")
        .replace(&echo, "/usr/bin/echo");
    let lines =
        text.lines().map(|line| match (line.split_once("; finished in "), line.split_once(", written ")) {
            (Some((line, _)), _) => line.to_owned(),
            (_, Some((line, _))) => format!("{line}, written 2026-11-22 16:20:11 UTC"),
            _ => line.to_owned(),
        });
    lines.map(|line| format!("{line}\n")).collect()
}
