//! Programs over the C library are traced in the same way, where all PEs run on one host and the program
//! has started the launcher itself.
//!
//! These tests are instead of the others in a run with `SHMEM_TRANSPORT=openshmem`. A job over the
//! library takes long to start, so only some of the programs run.

use std::process::Command;

use libtest_mimic::Trial;

use crate::cases::{
    a_job_that_falls_leaves_its_timeline, a_job_that_is_interrupted_leaves_its_timeline,
    arrows_join_signals_and_waits, every_operation_and_call_is_in_the_timeline,
    races_and_statistics_go_with_it, the_picture_counts_as_the_statistics_do, traced,
};
use crate::harness::trials;
use crate::open_mpi::for_tests;
use crate::watch::run;

/// Whether the tests are to run over the library.
pub(crate) fn is_wanted() -> bool {
    cfg!(feature = "openshmem") && std::env::var_os("SHMEM_TRANSPORT").is_some_and(|it| it == "openshmem")
}

/// Lets a program run over the library, if the tests are to.
pub(crate) fn use_if_wanted(command: &mut Command) {
    if is_wanted() {
        command.env("SHMEM_TRANSPORT", "openshmem");
        for_tests(command);
    }
}

/// The tests over the library.
pub(crate) fn all() -> Vec<Trial> {
    trials! {
        every_operation_and_call_is_in_the_timeline
        arrows_join_signals_and_waits
        the_picture_counts_as_the_statistics_do
        a_job_that_falls_leaves_its_timeline
        a_job_that_is_interrupted_leaves_its_timeline
        races_and_statistics_go_with_it
        a_launcher_alone_writes_no_trace
    }
}

/// Nobody reads what the PEs of a launcher would write that the user has started. The program runs, and
/// says that.
fn a_launcher_alone_writes_no_trace() {
    let (folder, file, itself) = traced("moves", 2, "run.json");
    let mut command = Command::new("oshrun");
    command.args(["-np", "2"]).arg(itself.get_program()).args(itself.get_args());
    for (variable, value) in itself.get_envs() {
        match value {
            Some(value) => command.env(variable, value),
            None => command.env_remove(variable),
        };
    }
    let ended = run(command.env_remove("SHMEM_TRANSPORT").env_remove("SHMEM_NPES"));
    assert!(ended.status.success(), "{ended:#?}");
    let expected = format!(
        "shmem: SHMEM_TRACE={} is not used: a trace is written where the program starts the launcher itself: start it without \
         one, with SHMEM_TRANSPORT=openshmem and SHMEM_NPES=2",
        file.display()
    );
    assert_eq!(ended.reports(), [expected], "{ended:#?}");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
}
