//! Starts the programs that are measured side by side with ours, each as a job of two PEs, and
//! sends them work.
//!
//! Each peer checks its works itself at its start, and ends with an error if one is wrong. The
//! tests check its answers: see `benches/peers/README.md`. Peers whose library is not installed are
//! skipped, and the tests print a line about it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use benches::conductor::{Job, Peers, Program};

/// Whether the PEs of a job sleep, and none of them has woken up after a while.
fn sleeps(job: &Job) -> bool {
    // The first thread of each: its state, and how often it has been on a core, and has left it.
    let look = || -> Vec<String> {
        let status = |pid| fs::read_to_string(format!("/proc/{pid}/status")).expect("the PE lives");
        let of_interest = |line: &&str| line.starts_with("State:") || line.contains("ctxt_switches:");
        let seen = job.pids().map(|pid| status(pid.as_raw_nonzero()));
        seen.map(|status| status.lines().filter(of_interest).collect()).collect()
    };
    let before = look();
    sleep(Duration::from_millis(50));
    before.iter().all(|seen| seen.contains("(sleeping)")) && look() == before
}

/// Works that peers without lists, global arrays and halos lack.
const OF_THE_LANGUAGE: [&str; 15] = [
    "gather_constant ",
    "gather ",
    "scatter ",
    "outer ",
    "reversed ",
    "column ",
    "block ",
    "global_",
    "updates",
    "lookups",
    "sync_with ",
    "barrier_with ",
    "halo ",
    "signal ",
    "team_sync ",
];

/// Works that this project's programs have alone, and peers lack that have lists and halos by hand.
const OURS_ALONE: [&str; 3] = ["global_", "signal ", "team_sync "];

/// Sends all works to a peer. It may lack the works that begin with one of `lacking`, but no
/// others.
fn answers(program: Program, lacking: &[&str]) {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{program:?}"));
    fs::create_dir_all(&scratch).unwrap();
    let peers = Peers::find(Path::new(env!("CARGO_BIN_EXE_peer")), cfg!(feature = "openshmem"), &scratch);
    let Some(command) = peers.command(program, 2) else {
        let why = format!("{} is not installed (see benches/peers/README.md)", program.name());
        // Not by `eprintln!`, which a test that passes does not show.
        return drop(writeln!(std::io::stderr(), "NOT TESTED: {why}"));
    };
    let mut job = Job::start(program, command, 2).unwrap();
    let works = [
        "p 8 1",
        "g 8 1",
        "put 1 1",
        "put 8 1",
        "put 4 64",
        "put 8 64",
        "put 8192 64",
        "put 1048576 8",
        "get 2 1",
        "get 8 1",
        "get 8192 64",
        "get 1048576 8",
        "put_nbi 8 1",
        "put_nbi 4096 1",
        "fetch_add 8 1",
        "add 8 1",
        "compare_swap 8 1",
        "ping_pong 8 1",
        "ping_pong 4096 1",
        "signal 8 1",
        "barrier 0 1",
        "sync 0 1",
        "team_sync 0 1",
        "reduce 8 1",
        "reduce 8388608 1",
        "broadcast 8 1",
        "broadcast 1048576 1",
        "fcollect 8 1",
        "fcollect 65536 1",
        "collect 64 1",
        "collect 4096 1",
        "alltoall 8 1",
        "alltoall 65536 1",
        "alltoall_to_ready 65536 1",
        "gather_constant 32 1",
        "gather 8192 1",
        "scatter 8192 1",
        "outer 8192 1",
        "reversed 8192 1",
        "column 512 1",
        "block 8192 1",
        "global_p 8 1",
        "global_p_cyclic 8 1",
        "global_p_array 8 1",
        "global_p_array_cyclic 8 1",
        "global_g 8 1",
        "global_g_array 8 1",
        "global_fetch_add 8 1",
        "global_put 4096 1",
        "global_put_cyclic 4096 1",
        "global_put_array 4096 1",
        "global_put_array_cyclic 4096 1",
        "global_get_array 4096 1",
        "global_gather 4096 1",
        "updates 8192 1",
        "updates_batch 8192 1",
        "lookups 8192 1",
        "lookups_batch 8192 1",
        "sync_with 0 1",
        "barrier_with 0 1",
        "halo 4096 1",
    ];
    for work in works {
        let lacks = lacking.iter().any(|lack| work.starts_with(lack));
        // Twice, the second time with the data of the first.
        for repeats in [1, 3] {
            let time = job.ask(&format!("{work} {repeats}")).unwrap();
            assert_eq!(time.is_none(), lacks, "{work}");
            assert!(time.is_none_or(|time| time > 0.0), "{work} takes {time:?} ns");
        }
    }
    // Of an unknown name, with a stride where there is none, of half an element, and too large.
    let wrong = ["no_such_work 8 1", "barrier 0 2", "reduce 4 1", "put 1048576 64", "fetch_add 16 1"];
    for work in wrong.into_iter().chain(["gather 8 1", "block 8192 2", "global_p 16 1", "halo 8 1"]) {
        assert_eq!(job.ask(&format!("{work} 1")).unwrap(), None, "{work}");
    }
    // Of all repeats together, in nanoseconds: no memory takes a terabyte in a second.
    assert!(job.ask("put 1048576 1 64").unwrap().unwrap() > 64e3);

    // A program without work sleeps, after some time on a busy machine.
    let asked = Instant::now();
    while !sleeps(&job) {
        assert!(asked.elapsed() < Duration::from_secs(60), "PEs that have nothing to do go on");
    }

    assert!(job.end().unwrap().success());

    // An empty line is an error.
    let mut job = Job::start(program, peers.command(program, 2).unwrap(), 2).unwrap();
    job.tell("put eight").unwrap();
    assert!(!job.end().unwrap().success());
}

#[test]
fn ours_answers() {
    answers(Program::Ours, &[]);
}

#[test]
fn ours_answers_in_its_other_ways() {
    let peers =
        Peers::find(Path::new(env!("CARGO_BIN_EXE_peer")), false, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut job = Job::start(Program::Ours, peers.command(Program::Ours, 3).unwrap(), 3).unwrap();
    for way in ["limit:", "raw:"] {
        for work in ["p 8 1", "g 8 1", "put 8192 2", "get 4096 1", "fetch_add 8 1", "compare_swap 8 1"] {
            assert!(job.ask(&format!("{way}{work} 10")).unwrap().is_some(), "{way}{work}");
        }
    }
    for work in
        ["ping_pong 8", "barrier 0", "reduce 64", "broadcast 64", "fcollect 64", "collect 64", "alltoall 64"]
            .into_iter()
            .chain(["gather_constant 32", "gather 8192", "scatter 8192", "outer 8192", "reversed 8192"])
            .chain(["column 512", "block 8192", "updates 8192", "updates_batch 8192", "lookups 8192"])
            .chain(["lookups_batch 8192", "sync_with 0", "barrier_with 0"])
    {
        assert!(job.ask(&format!("limit:{work} 1 3")).unwrap().is_some(), "{work}");
    }
    assert!(job.end().unwrap().success());
}

/// What the limit of it takes for granted: two halves, and a grid of equal parts.
#[test]
fn ours_answers_by_hand_on_two_and_four_pes() {
    let peers =
        Peers::find(Path::new(env!("CARGO_BIN_EXE_peer")), false, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let start =
        |n_pes| Job::start(Program::Ours, peers.command(Program::Ours, n_pes).unwrap(), n_pes).unwrap();
    let (mut two, mut four) = (start(2), start(4));
    let names = ["p", "p_cyclic", "p_array", "p_array_cyclic", "g", "g_array", "fetch_add"];
    let ranges = ["put", "put_cyclic", "put_array", "put_array_cyclic", "get_array", "gather"];
    let elements = names.map(|name| format!("global_{name} 8"));
    for work in elements.into_iter().chain(ranges.map(|name| format!("global_{name} 4096"))) {
        assert!(two.ask(&format!("limit:{work} 1 3000")).unwrap().is_some(), "{work}");
        assert_eq!(four.ask(&format!("{work} 1 3")).unwrap(), None, "{work}");
    }
    for job in [&mut two, &mut four] {
        // In turns, as each pair counts its meetings.
        for work in ["limit:halo 4096", "limit:sync_with 0", "halo 4096", "limit:halo 4096", "sync_with 0"] {
            assert!(job.ask(&format!("{work} 1 3")).unwrap().is_some(), "{work}");
        }
        assert!(job.end().unwrap().success());
    }
}

#[test]
fn ours_answers_over_the_c_library() {
    answers(Program::Library, &[]);
}

#[test]
fn the_peer_in_c_answers() {
    answers(Program::C, &OURS_ALONE);
}

#[test]
fn the_peer_in_python_answers() {
    answers(Program::Shmem4py, &[&["p ", "g "], &OF_THE_LANGUAGE[..]].concat());
}

#[test]
fn the_peer_in_c_answers_over_our_c_library() {
    answers(Program::OwnC, &OURS_ALONE);
}

#[test]
fn the_peer_in_python_answers_over_our_c_library() {
    answers(Program::OwnShmem4py, &[&["p ", "g "], &OF_THE_LANGUAGE[..]].concat());
}

#[test]
fn the_peer_over_lamellar_answers() {
    let strided = ["put 8192 64", "put 1048576 8", "get 8192 64", "get 1048576 8"];
    answers(Program::Lamellar, &[&strided[..], &["alltoall", "collect "], &OF_THE_LANGUAGE].concat());
}

#[test]
fn the_peer_in_fortran_answers() {
    answers(
        Program::Fortran,
        &[&["put 1 1", "put 4 64", "get 2 1", "put_nbi ", "collect ", "alltoall_"], &OURS_ALONE[..]].concat(),
    );
}
