//! The sessions of the book's page: a line that begins with `$ ` is a command, the lines below it
//! are what it printed. `BOOK=overwrite cargo test -p cargo-shmem` writes them anew.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::package::{SHMEMRUN, command, ended, package, scratch, target};

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
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let folder = package();
    // The reader's package has a target folder of its own, these have one for all.
    let _ = fs::remove_file(folder.join("target"));
    std::os::unix::fs::symlink(target(), folder.join("target")).expect("a link can be made");
    let made = scratch().join("shown");
    let _ = fs::remove_dir_all(&made);
    fs::create_dir(&made).expect("a folder can be made");
    let mut wrong = String::new();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(sessions).expect("the sessions").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let shown = fs::read_to_string(&path).expect("a session is text");
        let folder = if path.ends_with("new.out") { &made } else { &folder };
        let mut printed = String::new();
        for command in shown.lines().filter_map(|line| line.strip_prefix("$ ")) {
            printed += &format!("$ {command}\n{}", as_shown(&run(command, folder)));
        }
        if shown == printed {
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

/// A text without the folders of this machine and the times.
fn as_shown(text: &str) -> String {
    let checkout =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").display().to_string();
    let echo = which::which("echo").expect("every system has it").display().to_string();
    let text = text
        .replace(scratch().to_str().expect("a plain path"), "/home/me")
        .replace(&checkout, "/home/me/shmem")
        .replace(&echo, "/usr/bin/echo");
    let lines = text.lines().map(|line| line.split_once("; finished in ").map_or(line, |(line, _)| line));
    lines.map(|line| format!("{line}\n")).collect()
}
