//! What becomes of a job when what is around it goes: its memory, its terminal.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::cases::Process;
use crate::watch::{is_ignored, program, run};

/// A group of processes that the system gives so much memory and no more. It is removed when this
/// is dropped.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// `None` where this user cannot make one.
    fn new(limit: u64) -> Option<MemoryGroup> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let one = |line: &str| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
            // Version 2 has one tree, version 1 one for each controller.
            let (tree, limits) = match controllers {
                "" => ("/sys/fs/cgroup", ["memory.max", "memory.swap.max"]),
                "memory" => {
                    ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"])
                }
                _ => return None,
            };
            let name = format!("shmem-test-{}", std::process::id());
            // In a container, the path may be that of the host.
            let parent = [Path::new(tree).join(path), tree.into()].into_iter().find(|path| path.is_dir())?;
            fs::create_dir(parent.join(&name)).ok()?;
            let group = MemoryGroup(parent.join(name));
            fs::write(group.0.join(limits[0]), limit.to_string()).ok()?;
            let swap = if controllers.is_empty() { 0 } else { limit };
            // Not there where there is no swap.
            let _ = fs::write(group.0.join(limits[1]), swap.to_string());
            Some(group)
        };
        groups.lines().find_map(one)
    }

    /// Puts the processes of `command` into the group.
    fn hold(&self, command: &mut Command) -> io::Result<()> {
        let list = File::options().write(true).open(self.0.join("cgroup.procs"))?;
        // SAFETY: between fork and exec the closure makes one system call, and nothing else. `0`
        // stands for the process that writes.
        unsafe {
            command.pre_exec(move || match libc::write(list.as_raw_fd(), b"0".as_ptr().cast(), 1) {
                1 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
        Ok(())
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The system kills one PE, and the report says why it may have done so.
pub(crate) fn a_job_that_gets_no_more_memory_is_told_so() {
    let Some(group) = MemoryGroup::new(64 << 20) else {
        eprintln!("this user cannot limit the memory of processes: not tested");
        return;
    };
    let mut command = program("touches");
    command.env("SHMEM_NPES", "2");
    group.hold(&mut command).expect("the group takes a process");
    let ended = run(&mut command);
    let reports = ended.reports();
    assert_eq!(reports.len(), 1, "{ended:#?}");
    match ended.status.code() {
        Some(137) => {
            assert!(reports[0].contains(" of 2 was killed by signal 9 (SIGKILL): "), "{ended:#?}");
            assert!(reports[0].contains("because memory ran out"), "{ended:#?}");
        }
        // Where the system refuses the page instead.
        Some(135 | 1) => assert!(reports[0].contains("out of memory at byte"), "{ended:#?}"),
        _ => panic!("{ended:#?}"),
    }
}

/// As closing the window does: the system sends SIGHUP to the processes of the terminal.
pub(crate) fn a_job_whose_terminal_is_closed_ends() {
    if is_ignored(Signal::HUP) {
        return;
    }
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    // A copy of this end in the job would keep the terminal open.
    rustix::io::fcntl_setfd(&terminal, rustix::io::FdFlags::CLOEXEC).expect("a flag can be set");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("the terminal can be used");
    let name = ptsname(&terminal, Vec::new()).expect("the terminal has a name");
    let name = name.to_str().expect("the name is text").to_owned();
    let end = || File::options().read(true).write(true).open(&name).expect("the other end");
    let mut command = program("waiting");
    command.stdin(end()).stdout(end()).stderr(end());
    // SAFETY: between fork and exec the closure makes two system calls, and nothing else.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let mut child = command.spawn().expect("the program starts");
    drop(command); // and the ends that it has
    let mut lines = BufReader::new(File::from(terminal)).lines();
    let mut line = || lines.next().expect("a line").expect("a terminal can be read");
    let processes: Vec<Process> = (0..3)
        .map(|_| Process::new(line().trim_end().strip_prefix("process ").expect("a process number")))
        .collect();
    drop(lines);
    let status = child.wait().expect("the program is ours");
    assert!(!status.success(), "{status:?}");
    // They would go on for minutes.
    processes.iter().for_each(Process::wait);
}
