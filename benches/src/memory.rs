//! The memory of the processes of a job, as Linux counts it.

use std::fs;
use std::io;

use rustix::process::Pid;

/// Bytes of one PE, on average over a job. Memory that several processes share counts for each of
/// them by its share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// The private memory of the process.
    pub private: f64,
    /// Its share of programs and libraries.
    pub files: f64,
    /// Its share of the symmetric heaps, and of other shared memory.
    pub shared: f64,
    /// The page tables of the process, which are not part of the other fields.
    pub tables: f64,
}

impl Memory {
    /// Everything.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.private + self.files + self.shared + self.tables
    }

    /// The memory of processes that are alive.
    ///
    /// # Errors
    ///
    /// When one is not, or when the system does not provide the numbers.
    ///
    /// # Panics
    ///
    /// When there are none.
    pub fn of(processes: impl IntoIterator<Item = Pid>) -> io::Result<Memory> {
        let (mut all, mut n) = (Memory::default(), 0.0);
        for process in processes {
            n += 1.0;
            let read = |what| fs::read_to_string(format!("/proc/{}/{what}", process.as_raw_nonzero()));
            let (shares, status) = (read("smaps_rollup")?, read("status")?);
            let parts = [
                (&mut all.private, &shares, "Pss_Anon"),
                (&mut all.files, &shares, "Pss_File"),
                (&mut all.shared, &shares, "Pss_Shmem"),
                (&mut all.tables, &status, "VmPTE"),
            ];
            for (sum, text, name) in parts {
                *sum += bytes(text, name)
                    .ok_or_else(|| io::Error::other(format!("the system does not tell {name}")))?;
            }
        }
        assert!(n > 0.0, "a job has at least one PE");
        let Memory { private, files, shared, tables } = all;
        Ok(Memory { private: private / n, files: files / n, shared: shared / n, tables: tables / n })
    }
}

/// The value of a name in a file of `/proc`, as in `Pss_Anon:   1234 kB`.
fn bytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kib)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_whole_names() {
        let text = "Pss:   12 kB\nPss_Dirty:  3 kB\nPss_Anon:    672 kB\nThreads:\t1\n";
        assert_eq!(bytes(text, "Pss_Anon"), Some(672.0 * 1024.0));
        assert_eq!(bytes(text, "Pss"), Some(12.0 * 1024.0));
        assert_eq!(bytes(text, "Pss_File"), None);
        assert_eq!(bytes(text, "Threads"), None);
    }

    #[test]
    fn a_process_that_takes_more_is_seen_to_take_more() {
        let me = [rustix::process::getpid()];
        let before = Memory::of(me).expect("this process is alive");
        let taken = std::hint::black_box(vec![1_u8; 32 << 20]);
        let after = Memory::of(me).expect("this process is alive");
        let more = after.private - before.private;
        // Other tests of this process use memory too.
        assert!(more > 0.9 * taken.len() as f64, "{more}");
        assert!(before.files > 0.0 && before.tables > 0.0 && after.total() > before.total());
    }
}
