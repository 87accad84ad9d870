//! A line on a terminal, where it takes long.
//!
//! PE 0 prints it over itself, on standard error, from one second on, and wipes it in the end. It
//! speaks of the file of PE 0; those of other PEs are as long. These few lines are here, and no
//! library for progress bars, because every program would build that one.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// What takes no longer than this is not shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes at most.
const PAUSE: Duration = Duration::from_millis(200);

/// How far this PE has come. Dropping it wipes the line.
pub(super) struct Progress {
    what: &'static str,
    total: u64,
    done: u64,
    begun: Instant,
    /// When the line was printed last.
    shown: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// PE `me` begins with `total` bytes.
    pub(super) fn new(what: &'static str, me: usize, total: u64) -> Progress {
        let is_shown = me == 0 && stderr().is_terminal();
        Progress { what, total, done: 0, begun: Instant::now(), shown: None, is_shown }
    }

    /// `bytes` more are done.
    pub(super) fn add(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if !self.is_shown || self.shown.unwrap_or(self.begun).elapsed() < PAUSE {
            return;
        }
        let (percent, rate) =
            (self.done * 100 / self.total.max(1), self.done as f64 / self.begun.elapsed().as_secs_f64());
        self.say(&format!("{percent} % of {}, {}/s", size(self.total as f64), size(rate)));
    }

    /// Says what is going on, if it takes long already.
    pub(super) fn say(&mut self, text: &str) {
        if self.is_shown && self.begun.elapsed() >= PATIENCE {
            self.shown = Some(Instant::now());
            let _ = write!(stderr(), "\r\x1b[Kshmem: PE 0 {}: {text}", self.what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

/// A number of bytes as a person writes it.
fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = units.iter().enumerate().rev().find(|(step, _)| bytes >= 1024_f64.powi(*step as i32));
    let (step, unit) = step.unwrap_or((0, &"B"));
    format!("{:.1} {unit}", bytes / 1024_f64.powi(step as i32))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size(0.0), "0.0 B");
        assert_eq!(size(1023.0), "1023.0 B");
        assert_eq!(size(1536.0), "1.5 KiB");
        assert_eq!(size(3.0 * 1024_f64.powi(3)), "3.0 GiB");
    }
}
