//! A line on a terminal, where it takes long.
//!
//! PE 0 prints it over itself, on standard error, from one second on, and wipes it in the end. If
//! the PE is killed before, its supervisor does. It speaks of the file of PE 0; those of other PEs
//! are as long. These few lines are here, and no library for progress bars, because every program
//! would build that one.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

use crate::system::{env, process};

/// What takes no longer than this is not shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes at most.
const PAUSE: Duration = Duration::from_millis(200);
/// Wipes the line that the cursor is in, and goes to its beginning.
pub(crate) const WIPE: &str = "\r\x1b[K";
/// The columns of a terminal that does not tell them.
const COLUMNS: usize = 80;
/// The columns of the longest bar, and of the shortest one that is shown.
const BARS: (usize, usize) = (40, 8);

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
        let is_smart = || env::set("TERM").is_none_or(|term| term != "dumb");
        let is_shown = me == 0 && stderr().is_terminal() && is_smart();
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
            // The user may have changed it since the last time.
            let columns = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col.into());
            let text = format!("shmem: PE 0 {}: {text}", self.what);
            let line = line(&text, self.done as f64 / self.total.max(1) as f64, columns);
            process::set_shows_line(true);
            // In one piece, so that nothing comes between.
            let _ = stderr().write_all(format!("{WIPE}{line}").as_bytes());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = stderr().write_all(WIPE.as_bytes());
            process::set_shows_line(false);
        }
    }
}

/// The text, and after it a bar where the terminal has room for one. The last column stays free: some
/// terminals go to the next line after it, which nobody would wipe.
fn line(text: &str, part: f64, columns: usize) -> String {
    let columns = (if columns == 0 { COLUMNS } else { columns }) - 1;
    let text: String = text.chars().take(columns).collect();
    // A space and the two ends.
    let free = columns.saturating_sub(text.chars().count() + 3).min(BARS.0);
    if free < BARS.1 {
        return text;
    }
    let full = ((part * free as f64) as usize).min(free);
    format!("{text} [{:.<free$}]", "#".repeat(full))
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
    use super::{line, size};

    #[test]
    fn sizes_have_units() {
        assert_eq!(size(0.0), "0.0 B");
        assert_eq!(size(1023.0), "1023.0 B");
        assert_eq!(size(1536.0), "1.5 KiB");
        assert_eq!(size(3.0 * 1024_f64.powi(3)), "3.0 GiB");
    }

    #[test]
    fn a_line_fits_the_terminal() {
        let text = "shmem: PE 0 writes a checkpoint: 42 % of 3.0 GiB, 812.0 MiB/s";
        assert_eq!(line(text, 0.42, 79), format!("{text} [#####.........]"));
        assert_eq!(line(text, 0.42, 0), format!("{text} [######.........]"));
        assert_eq!(line(text, 0.0, 200), format!("{text} [{}]", ".".repeat(40)));
        assert_eq!(line(text, 1.01, 200), format!("{text} [{}]", "#".repeat(40)));
        assert_eq!(line(text, 0.42, 72), text);
        assert_eq!(line(text, 0.42, 40), "shmem: PE 0 writes a checkpoint: 42 % o");
        assert_eq!(line(text, 0.42, 1), "");
        for columns in 1..200 {
            assert!(line(text, 0.5, columns).chars().count() < columns, "{columns}");
        }
    }
}
