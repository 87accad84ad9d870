//! What Linux tells of a process or of a thread, in the files of `/proc`. On other systems there are
//! no such files, and nothing is known.
//!
//! A task is named by its folder there: `4711`, `self/task/4712`.

use std::fmt::Display;
use std::time::Duration;

/// The file `status` of a task: lines of names and values.
pub(crate) struct Status(String);

impl Status {
    pub(crate) fn of(task: impl Display) -> Option<Status> {
        std::fs::read_to_string(format!("/proc/{task}/status")).ok().map(Status)
    }

    /// The value with this name.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let value = |line| str::strip_prefix(line, name)?.strip_prefix(':');
        self.0.lines().find_map(value).map(str::trim)
    }

    /// Whether a debugger, or a program like it, follows the process.
    pub(crate) fn is_traced(&self) -> bool {
        self.field("TracerPid").is_some_and(|tracer| tracer != "0")
    }
}

/// The words of the file `stat` of a task, from its state on.
pub(crate) fn stat(task: impl Display) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{task}/stat")).ok()?;
    // They stand after the name, which is in brackets and may contain anything.
    let (_, words) = stat.rsplit_once(')')?;
    Some(words.split_whitespace().map(str::to_owned).collect())
}

/// The letter for the state of a task.
pub(crate) fn state(task: impl Display) -> Option<String> {
    stat(task)?.into_iter().next()
}

/// Whether a thread of a process has or wants a processor. The thread that asks does not count.
pub(crate) fn has_thread_that_runs(process: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let asks = rustix::thread::gettid().as_raw_nonzero().to_string();
    let names = threads.filter_map(|thread| thread.ok()?.file_name().into_string().ok());
    names
        .filter(|thread| *thread != asks)
        .any(|thread| state(format_args!("{process}/task/{thread}")).as_deref() == Some("R"))
}

/// How long a task has used a processor.
pub(crate) fn processor_time(task: impl Display) -> Option<Duration> {
    let stat = stat(task)?;
    // In the user's program, and in the system.
    let ticks = |word: usize| stat.get(word)?.parse::<u64>().ok();
    let ticks = ticks(11)? + ticks(12)?;
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_millis(ticks * 1000 / per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let status = Status("Name:\theat\nTracerPid:\t4711\nUid:\t0 0\n".to_owned());
        assert_eq!((status.field("Name"), status.field("Uid")), (Some("heat"), Some("0 0")));
        assert_eq!((status.field("Tracer"), status.field("Threads")), (None, None));
        assert!(status.is_traced());
        assert!(!Status("Name:\theat\nTracerPid:\t0\nUid:\t0\n".to_owned()).is_traced());
        assert!(!Status(String::new()).is_traced());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_there() {
        assert_eq!(stat("thread-self").unwrap()[0], "R");
        assert_eq!(Status::of("self").unwrap().field("Pid"), Some(&*std::process::id().to_string()));
        let used = processor_time("self").unwrap();
        while processor_time("self").unwrap() == used {
            std::hint::spin_loop();
        }
        assert!(processor_time("no-such-process").is_none());
        assert!(Status::of("no-such-process").is_none() && stat("no-such-process").is_none());
    }
}
