//! The tests.

use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;

use libtest_mimic::Trial;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::trials;
use crate::random::Random;
use crate::watch::{Running, program, run};

pub(crate) fn all() -> Vec<Trial> {
    trials![
        killed_in_the_middle_of_a_checkpoint
        restored_at_the_start
    ]
}

/// How many changes are seen of one checkpoint: those of the directory, and of the folder that is
/// being written.
const CHANGES: usize = 40;

/// Returns after `count` changes to the directory and to the folders that are made in it.
fn wait_for_changes(directory: &Path, count: usize) {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    let changes = WatchFlags::CREATE
        | WatchFlags::MODIFY
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::MOVE
        | WatchFlags::DELETE;
    fs::create_dir_all(directory).unwrap();
    inotify::add_watch(&watch, directory, changes).unwrap();
    let mut room = [MaybeUninit::uninit(); 4096];
    let mut seen = 0;
    while seen < count {
        let mut ready = [PollFd::new(&watch, PollFlags::IN)];
        let minute = Timespec { tv_sec: 60, tv_nsec: 0 };
        assert!(poll(&mut ready, Some(&minute)).unwrap() > 0, "nothing is written any more");
        let mut events = Reader::new(&watch, &mut room);
        loop {
            match events.next() {
                Ok(event) => {
                    seen += 1;
                    let made = event.events().contains(ReadFlags::CREATE | ReadFlags::ISDIR);
                    if let Some(name) = event.file_name().filter(|_| made) {
                        // It may have another name by now.
                        let _ = inotify::add_watch(&watch, directory.join(name.to_str().unwrap()), changes);
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// A hundred times, a job is killed after a random number of changes to its directory: its
/// supervisor, or one of its PEs. The next job finds the last checkpoint that was done, or the one
/// that was being written, whole.
fn killed_in_the_middle_of_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("checkpoints");
    let mut random = Random(7);
    let (mut done, mut parts) = (0, 0);
    for round in 0..=100 {
        let mut command = program("steps");
        command.arg(&directory).arg(if round < 100 { u64::MAX } else { done + 3 }.to_string());
        let mut running = Running::start(&mut command);
        let mut pes = Vec::new();
        let restored: u64 = loop {
            let line = running.line();
            match line.split_once(" is ") {
                Some((_, number)) => pes.push(number.parse::<i32>().unwrap()),
                None => {
                    let step = line.strip_prefix("restored ").unwrap_or_else(|| panic!("{line:?}"));
                    break step.parse().unwrap();
                }
            }
        };
        assert!((done..=done + 1).contains(&restored), "round {round}: {restored} after {done}");
        done = restored;
        if round < 100 {
            wait_for_changes(&directory, 1 + random.below(2 * CHANGES));
            if round % 2 == 0 {
                running.send(Signal::KILL);
            } else {
                // It may be gone, if the supervisor of a job that failed has ended it.
                let _ = kill_process(Pid::from_raw(pes[random.below(pes.len())]).unwrap(), Signal::KILL);
            }
        }
        let ended = running.end();
        let last =
            ended.stdout.lines().filter_map(|line| line.strip_prefix("done ")?.parse().ok()).next_back();
        done = last.unwrap_or(done);
        assert_eq!(ended.status.success(), round == 100, "round {round}: {ended:#?}");
        let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
        parts += usize::from(names.into_iter().any(|name| name.to_string_lossy().ends_with(".part")));
    }
    assert!(done > 100, "only {done} checkpoints were written");
    // Most were killed while a folder was incomplete.
    assert!(parts > 30, "only {parts} jobs were killed in a checkpoint");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "nothing is left");
}

fn restored_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for step in 1..=3 {
        let ended = run(program("at-start").current_dir(&folder));
        ended.assert_quiet_success();
        assert_eq!(ended.stdout, format!("step {step}\n"));
    }
    // The arrays of a program cannot be restored before they are there.
    run(program("at-start-with-array").current_dir(&folder)).assert_quiet_success();
    let ended = run(program("at-start-with-array").current_dir(&folder));
    ended.assert_failed(1, "shmem: PE ");
    assert!(
        ended.reports()[0]
            .contains("it has `array 0: [f32; 5]` (shmem-core/tests/checkpoint_kills/programs.rs:")
            && ended.reports()[0].contains("had not allocated when it called `restore`"),
        "{ended:#?}"
    );
    // Of another number of PEs.
    let ended = run(program("at-start").current_dir(&folder).env("SHMEM_NPES", "3"));
    assert!(ended.reports()[0].contains("set SHMEM_NPES=2"), "{ended:#?}");
}
