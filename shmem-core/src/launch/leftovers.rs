//! Removes what Open MPI's launcher leaves on its host when it has no time to clean up.
//! See [`known`](crate::transport::openshmem).
//!
//! A launcher that is killed leaves a folder of its own, with what it has told its PEs, and the
//! shared memory of the PEs of its host, which are killed with it. Both carry numbers that no other
//! job of this host has: that of the launcher's process, and that of its jobs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Where Open MPI puts the shared memory of the PEs of a host.
const SHARED: &str = "/dev/shm";
/// The variables that may name the folder of temporary files, in the order in which Open MPI asks.
const FOLDERS: [&str; 5] =
    ["OMPI_MCA_orte_local_tmpdir_base", "OMPI_MCA_orte_tmpdir_base", "TMPDIR", "TEMP", "TMP"];

/// Removes what the launcher with this process number has left, which has ended.
pub(super) fn remove(launcher: u32) {
    let folder = FOLDERS.iter().find_map(|name| env::var_os(name).filter(|value| !value.is_empty()));
    let folder = folder.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    remove_from(&folder, Path::new(SHARED), &format!("{host}.{}", geteuid().as_raw()), launcher);
}

/// Kills the processes that the launcher has started on this host, where the system lists them.
pub(super) fn kill_children(launcher: Pid) {
    let threads = fs::read_dir(format!("/proc/{}/task", launcher.as_raw_nonzero())).into_iter().flatten();
    for thread in threads.flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)) {
            // It may have ended. The launcher has not, so nobody else has its number.
            let _ = kill_process(child, Signal::KILL);
        }
    }
}

/// As [`remove`], in these folders. `user` is the host and the user, as Open MPI writes them. What
/// is not there, or cannot be removed, stays.
fn remove_from(folder: &Path, shared: &Path, user: &str, launcher: u32) {
    let of_user = folder.join(format!("ompi.{user}"));
    let of_launcher = of_user.join(format!("pid.{launcher}"));
    // `NUMBER.0;tcp://…`, where the upper half of the number is that of all jobs of the launcher.
    let contact = fs::read_to_string(of_launcher.join("contact.txt")).unwrap_or_default();
    let number = contact.split('.').next().and_then(|number| number.parse::<u32>().ok());
    if let Some(number) = number {
        let jobs = format!("vader_segment.{user}.{:x}", number >> 16);
        let files = fs::read_dir(shared).into_iter().flatten().flatten();
        let is_of_jobs = |name: &str| {
            name.strip_prefix(&jobs)
                .and_then(|rest| rest.split_once('.'))
                .is_some_and(|(job, _)| job.len() == 4)
        };
        for file in files.filter(|file| is_of_jobs(&file.file_name().to_string_lossy())) {
            let _ = fs::remove_file(file.path());
        }
    }
    let _ = fs::remove_dir_all(of_launcher);
    // Other jobs of the user may be in it.
    let _ = fs::remove_dir(of_user);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a folder, and in the folders within it.
    fn files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.path().is_dir() {
                true => found.extend(files(&entry.path())),
                false => found.push(entry.file_name().to_string_lossy().into_owned()),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn what_another_job_uses_stays() {
        let top = env::temp_dir().join(format!("leftovers-{}", std::process::id()));
        let (folder, shared) = (top.join("tmp"), top.join("shm"));
        let write = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (launcher, number) in [(96, 0x234b_0000_u32), (97, 0x0234_0000)] {
            let of_launcher = folder.join(format!("ompi.near.0/pid.{launcher}"));
            write(
                of_launcher.join("contact.txt"),
                &format!("{number}.0;tcp://10.77.0.1:41417\n{launcher}\n"),
            );
            write(of_launcher.join(format!("1/0/of-{launcher}")), "");
        }
        for name in
            ["near.0.234b0001.1", "near.0.234b0002.0", "near.0.2340001.0", "near.1.234b0001.1", "other"]
        {
            write(shared.join(format!("vader_segment.{name}")), "");
        }
        remove_from(&folder, &shared, "near.0", 96);
        assert_eq!(files(&folder), ["contact.txt", "of-97"]);
        let left =
            ["near.0.2340001.0", "near.1.234b0001.1", "other"].map(|name| format!("vader_segment.{name}"));
        assert_eq!(files(&shared), left);
        remove_from(&folder, &shared, "near.0", 97);
        remove_from(&folder, &shared, "near.0", 98);
        assert!(!folder.join("ompi.near.0").exists());
        assert_eq!(files(&shared), left[1..]);
        fs::remove_dir_all(top).unwrap();
    }
}
