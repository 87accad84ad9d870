//! The tests.

use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;

use libtest_mimic::Trial;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use crate::another::another_number_of_pes_restores;
use crate::ghosts::{ghost_cells_are_restored_by_another_number_of_pes, other_ghost_cells_are_refused};
use crate::harness::trials;
use crate::random::Random;
use crate::terminal::*;
use crate::watch::{Running, program, run};

pub(crate) fn all() -> Vec<Trial> {
    #[cfg(target_os = "linux")]
    let on_disks = trials![a_full_disk_leaves_the_checkpoint_before]
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!crate::small_disk::is_possible()));
    #[cfg(not(target_os = "linux"))]
    let on_disks = [];
    let all = trials![
        killed_in_the_middle_of_a_checkpoint
        restored_at_the_start
        another_number_of_pes_restores
        ghost_cells_are_restored_by_another_number_of_pes
        other_ghost_cells_are_refused
        a_terminal_shows_how_far_a_checkpoint_is
        the_end_of_a_checkpoint_wipes_its_line
        nothing_else_than_a_terminal_shows_a_checkpoint
    ];
    all.into_iter().chain(on_disks).collect()
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
    // All PEs have the same values, so another number of PEs gets them too.
    for (step, npes) in [(1, "2"), (2, "2"), (3, "3"), (4, "2")] {
        let ended = run(program("at-start").current_dir(&folder).env("SHMEM_NPES", npes));
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
}

/// Whatever does not fit on the disk: every PE gets one error that names it, the checkpoint before is
/// whole, and nothing else is left.
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_checkpoint_before() {
    use crate::small_disk::{on_small_disk, resize};

    on_small_disk(|disk| {
        let directory = disk.join("checkpoints");
        let write = || {
            let ended = run(program("once-more").arg(&directory));
            ended.assert_quiet_success();
            let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
            assert!(
                lines.len() == 3 && lines.iter().all(|line| *line == lines[0]),
                "all PEs agree: {lines:?}"
            );
            lines[0].clone()
        };
        let names = || {
            let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
            names.map(|name| name.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(write(), "written");
        assert_eq!(names(), ["00000001"]);
        let statistics = rustix::fs::statvfs(disk).unwrap();
        let page = statistics.f_frsize;
        let pages = statistics.f_blocks - statistics.f_bfree;
        let inodes = statistics.f_files - statistics.f_ffree;
        // The last is the manifest.
        let rooms: Vec<u64> = [0, 1, pages / 3, pages / 2, pages - 2, pages - 1].into();
        for room in rooms {
            resize(disk, &format!("size={}", (pages + room) * page));
            let said = write();
            let words = format!("cannot write a checkpoint to {}: PE ", directory.display());
            assert!(said.starts_with(&words), "{room} pages: {said}");
            let words = format!(": cannot write {}/00000002.part/", directory.display());
            assert!(said.contains(&words), "{room} pages: {said}");
            assert_eq!(room == pages - 1, said.contains("/manifest: "), "{room} of {pages} pages: {said}");
            let (_, why) = said.rsplit_once(": No space left on device (os error 28)").unwrap();
            assert!(
                why.starts_with("; make room there: while a checkpoint is written, the one before is kept"),
                "{said}"
            );
            assert_eq!(names(), ["00000001"], "{room} pages");
        }
        // The folder, a file for each PE, and the manifest.
        resize(disk, "size=100m");
        for room in 0..5 {
            resize(disk, &format!("nr_inodes={}", inodes + room));
            let said = write();
            let what = ["00000002.part: ", "/pe-0000", "/pe-0000", "/pe-0000", "/manifest: "][room as usize];
            assert!(said.contains(": cannot make ") && said.contains(what), "{room} files: {said}");
            assert!(
                said.contains("; make room there: while a checkpoint is written, the one before is kept"),
                "{said}"
            );
            assert_eq!(names(), ["00000001"], "{room} files");
        }
        // What is needed, and no more.
        resize(disk, &format!("size={},nr_inodes={}", 2 * pages * page, inodes + 5));
        assert_eq!(write(), "written");
        assert_eq!(names(), ["00000002"]);
    });
}
