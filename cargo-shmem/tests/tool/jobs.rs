//! `where`, `kill` and `info` with running jobs.
//!
//! The jobs of these tests run in a network of their own, where the names of sockets are their own
//! too: another job on this machine changes nothing. Only root gets one, so for others the tests are
//! about the jobs that they name.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::package::{Ended, TOOL, command, ended, is_alone, tool};

/// A number that no process has: the largest is 2²².
fn no_process(which: u32) -> u32 {
    2_000_000_000 + 64 * std::process::id() + which
}

fn ask(words: &[&str]) -> Ended {
    ended(command(TOOL, Path::new("/")).args(words))
}

/// A job that answers as a supervisor does, from this thread's network, until the test program ends.
/// Returns what it is asked, less what every tool asks every job.
fn supervisor(name: &'static str, pid: u32, seconds: u64) -> Arc<Mutex<Vec<String>>> {
    let user = rustix::process::geteuid().as_raw();
    let address =
        SocketAddr::from_abstract_name(format!("shmem-{user}-{pid}")).expect("a name of this length");
    let listener = UnixListener::bind_addr(&address).expect("the name is free");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let words = Arc::clone(&asked);
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.expect("a client");
            let mut word = String::new();
            BufReader::new(&client).read_line(&mut word).expect("a word");
            let answer = match word.as_str() {
                "info\n" => format!(
                    "name: {name}\npid: {pid}\npes: 4\nseconds: {seconds}\ntransport: smp\nprogram: /bin/{name}\n"
                ),
                "where\n" => format!("the table of {name}\n"),
                "end\n" => format!("{name} ends"),
                other => panic!("{other:?}"),
            };
            if word != "info\n" {
                words.lock().expect("no thread panics").push(word);
            }
            // A tool that was killed reads nothing.
            let _ = client.write_all(answer.as_bytes());
        }
    });
    asked
}

#[test]
fn a_job_is_found_by_name_and_by_process() {
    is_alone();
    let pid = no_process(0);
    let asked = supervisor("found-by-name", pid, 75);
    ask(&["where", "found-by-name"]).assert(0, "the table of found-by-name\n", "");
    ask(&["where", &pid.to_string()]).assert(0, "the table of found-by-name\n", "");
    let facts = format!(
        "name: found-by-name\npid: {pid}\npes: 4\nseconds: 75\ntransport: smp\nprogram: /bin/found-by-name\n"
    );
    ask(&["info", "found-by-name"]).assert(0, &facts, "");
    let unknown = ask(&["where", "found"]);
    unknown.assert_fails(1, "error: no job `found`\nhelp: these run\n  name ");
    // The columns are as wide as other jobs make them.
    let row = format!("found-by-name {pid} 4 1 min 15 s");
    let is_row = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") == row;
    assert!(unknown.stderr.lines().any(is_row), "{unknown:#?}");
    // The line has an end, also if the answer has none.
    ask(&["kill", "found-by-name"]).assert(0, "found-by-name ends\n", "");
    assert_eq!(*asked.lock().expect("no thread panics"), ["where\n", "where\n", "end\n"]);
}

#[test]
fn jobs_of_one_name_are_told_apart() {
    is_alone();
    let (one, other) = (no_process(1), no_process(2));
    let asked = [supervisor("twice", one, 3), supervisor("twice", other, 4000)];
    let both = ask(&["kill", "twice"]);
    both.assert_fails(1, "error: several jobs are called twice: name the process\nhelp: these run\n");
    both.assert_fails(1, &format!("{other}    4  1 h 6 min"));
    ask(&["kill", &one.to_string()]).assert(0, "twice ends\n", "");
    let asked = asked.map(|words| words.lock().expect("no thread panics").clone());
    assert_eq!(asked, [vec!["end\n".to_owned()], vec![]]);
}

#[test]
fn the_only_job_needs_no_name() {
    if !is_alone() {
        return;
    }
    ask(&["where"]).assert(1, "", "error: no job of this user runs on this machine\n");
    ask(&["kill", "heat"]).assert(1, "", "error: no job `heat`: no job of this user runs on this machine\n");
    let info = ask(&["info"]);
    assert!(info.stdout.contains("\nrunning jobs\n  none\n"), "{info:#?}");
    supervisor("one", no_process(3), 1);
    ask(&["where"]).assert(0, "the table of one\n", "");
    let info = ask(&["info"]);
    let row =
        format!("\nrunning jobs\n  name     process  PEs  age\n  one   {}    4  1 s\n\n", no_process(3));
    assert!(info.stdout.contains(&row), "{info:#?}");
    supervisor("two", no_process(4), 90_000);
    ask(&["where"]).assert(
        1,
        "",
        &format!(
            "error: several jobs run: name one of them, or its process\nhelp: these run\n  \
             name     process  PEs      age\n  one   {}    4      1 s\n  two   {}    4  1 d 1 h\n",
            no_process(3),
            no_process(4)
        ),
    );
}

/// A supervisor that is stopped accepts and does not answer.
#[test]
fn a_job_that_does_not_answer() {
    if !is_alone() {
        return;
    }
    let user = rustix::process::geteuid().as_raw();
    let pid = no_process(5);
    let address =
        SocketAddr::from_abstract_name(format!("shmem-{user}-{pid}")).expect("a name of this length");
    let _silent = UnixListener::bind_addr(&address).expect("the name is free");
    let asked = ask(&["where", &pid.to_string()]);
    asked.assert(1, "", &format!("error: the supervisor of the job, process {pid}, does not answer\nhelp: it may be stopped: `kill -CONT {pid}` lets it go on\n"));
}

/// A real job.
#[test]
fn a_running_program_answers_and_ends() {
    let mut child = tool("run -q -n 3 --example ends -- wait")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a pipe can be read");
    assert_eq!(line, "ready\n");
    let pid = child.id().to_string();
    let info = ask(&["info", &pid]);
    assert!(info.stdout.contains(&format!("\npid: {pid}\npes: 3\nseconds: ")), "{info:#?}");
    assert!(info.stdout.contains("\ntransport: smp\nprogram: "), "{info:#?}");
    let table = ask(&["where", &pid]);
    assert!(table.status == 0 && table.stdout.contains("PE 0"), "{table:#?}");
    // The output is no terminal.
    let top = ask(&["top", &pid]);
    let lines: Vec<&str> = top.stdout.lines().collect();
    assert!(top.status == 0 && lines.len() == 5, "{top:#?}");
    assert!(lines[0].starts_with("job ends (3 PEs, ") && lines[1].starts_with("PE  does"), "{top:#?}");
    assert!((0..3).all(|pe| lines[2 + pe].starts_with(&format!(" {pe}  "))), "{top:#?}");
    let killed = ask(&["kill", &pid]);
    assert!(killed.status == 0 && killed.stdout.lines().count() == 1, "{killed:#?}");
    // The job is over when all PEs have closed the pipe.
    output.read_to_string(&mut line).expect("a pipe can be read");
    let ended = child.wait_with_output().expect("a child can be waited for");
    let report = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(143) && report.contains(" was ended from outside\n"), "{report}");
    assert!(!fs::read_to_string("/proc/net/unix").expect("Linux has it").contains(&format!("-{pid}\n")));
}
