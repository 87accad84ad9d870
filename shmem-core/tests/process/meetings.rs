//! PEs that do not come to the same meeting: the job ends, and its report names both sides.

use crate::program_of_meetings::{MEETINGS, called};
use crate::watch::{program, run};

/// Runs the program with these two meetings: what was reported.
fn disagree(npes: usize, check: &str, others: &str, last: &str) -> String {
    disagree_with(&[], npes, check, others, last)
}

/// As [`disagree`], with these variables.
fn disagree_with(variables: &[(&str, &str)], npes: usize, check: &str, others: &str, last: &str) -> String {
    let mut command = program("meetings");
    command.arg(format!("{others},{last}")).env("SHMEM_NPES", npes.to_string()).env("SHMEM_CHECK", check);
    command.envs(variables.iter().copied());
    let ended = run(&mut command);
    let reports = ended.reports();
    assert!(!ended.status.success() && reports.len() == 1, "{others}, {last}: {ended:#?}");
    // Nobody has come out of the meeting.
    assert_eq!(ended.stdout, "", "{others}, {last}: {ended:#?}");
    reports[0].to_owned()
}

/// At how many PEs they meet; at one number where other tests run at one, as `SHMEM_TEST_NPES` says.
fn counts() -> Vec<usize> {
    if std::env::var_os("SHMEM_TEST_NPES").is_some() { vec![3] } else { vec![2, 3, 5] }
}

/// A PE has returned, and the others wait for it.
pub(crate) fn a_pe_that_has_returned_is_named() {
    for npes in counts() {
        for check in ["0", "1"] {
            for (meeting, _) in &MEETINGS[1..] {
                let report = disagree(npes, check, meeting, "return");
                let told = format!("PE {} has returned from its function, and PE ", npes - 1);
                let waits = format!(" waits for it in {}", called(meeting));
                assert!(
                    report.contains(&told) && report.contains(&waits),
                    "{npes} PEs, {check}, {meeting}: {report}"
                );
            }
        }
    }
}

/// The others have returned, and a PE waits for them.
pub(crate) fn pes_that_have_returned_are_named() {
    for npes in counts() {
        for (meeting, _) in &MEETINGS[1..] {
            if meeting.contains("broadcast") {
                // It says its value, and waits for nobody.
                continue;
            }
            let report = disagree(npes, "0", "return", meeting);
            let waits = format!(
                " has returned from its function, and PE {} waits for it in {}",
                npes - 1,
                called(meeting)
            );
            assert!(report.contains(&waits), "{npes} PEs, {meeting}: {report}");
        }
    }
}

/// PEs wait for each other in meetings that have nothing to do with each other.
pub(crate) fn pes_in_different_meetings_are_named() {
    let apart = [
        ("phase", "barrier"),
        ("barrier", "phase"),
        ("phase", "sum"),
        ("allocation", "phase"),
        ("phase", "split"),
        ("broadcast", "phase"),
        ("row", "barrier"),
        ("row_barrier", "phase"),
        ("barrier", "row_barrier"),
        ("sync", "row"),
        ("allocation", "row"),
        ("row_broadcast", "barrier"),
    ];
    for npes in counts() {
        for check in ["0", "1"] {
            for (others, last) in apart {
                let report = disagree(npes, check, others, last);
                assert_disagreement(&report, others, last);
            }
        }
    }
}

/// With each form of the system layer.
pub(crate) fn a_phase_against_another_call_is_named() {
    for system in crate::cases::SYSTEMS {
        for npes in [2, 3, 4] {
            let pairs = [("phase", "barrier"), ("sum", "phase"), ("row", "phase")];
            // A conflict with a team is found where the threads of both processes are known.
            for (others, last) in &pairs[..if cfg!(target_os = "linux") { 3 } else { 2 }] {
                let report = disagree_with(&[("SHMEM_SYSTEM", system)], npes, "0", others, last);
                assert_disagreement(&report, others, last);
            }
        }
    }
}

#[track_caller]
fn assert_disagreement(report: &str, others: &str, last: &str) {
    for meeting in [others, last] {
        let place = called(meeting);
        assert!(
            report.contains("the PEs disagree: PE ") && report.contains(&place),
            "{others} and {last}: {report}"
        );
    }
}

/// An allocation on one PE meets another call of all PEs on the others: a checked run names both,
/// with their places, any other one the allocation.
pub(crate) fn an_allocation_that_meets_another_call_is_named() {
    for npes in [2, 3] {
        for (heap, other) in [
            ("allocation", "barrier"),
            ("allocation", "sync"),
            ("release", "barrier"),
            ("allocation", "split"),
            ("allocation", "collect"),
        ] {
            for (others, last) in [(heap, other), (other, heap)] {
                let report = disagree(npes, "1", others, last);
                let theirs = called(other);
                let ours = format!(
                    "is in an allocation or a release of memory at {}",
                    &theirs[theirs.find(" at ").unwrap() + 4..]
                );
                let named = theirs.split(" at ").next().unwrap();
                assert!(
                    report.contains(&ours) && report.contains(named),
                    "{npes} PEs, {others} and {last}: {report}"
                );
            }
        }
        let report = disagree(npes, "0", "allocation", "barrier");
        assert!(
            report.contains("allocates a SymmetricArray<u64, 1> of 10 (80 bytes, alignment 8) at ")
                && report.contains("makes a collective call of another kind (SHMEM_CHECK=1 says which"),
            "{npes} PEs: {report}"
        );
    }
}
