//! A timeline in the JSON of Chrome's trace viewer, which Perfetto reads:
//! [the format](https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
//!
//! It is an array of events, one on each line, so that what was written is readable if the end is
//! missing. Times are in microseconds. The job is a process there, and each PE a thread of it.

use std::fmt::Write as _;

use crate::system::json;

/// The texts of events.
pub(super) struct EventTexts {
    /// The process of the supervisor.
    process: u32,
    /// When the job began.
    base: u64,
    /// Those that were not taken yet.
    text: String,
    /// How many slices and arrows there were.
    pub(super) slices: u64,
    pub(super) arrows: u64,
}

/// A detail of a slice.
pub(super) enum Detail<'a> {
    Text(&'a str),
    Number(u64),
    /// A time in nanoseconds.
    Time(u64),
}

/// What stands before each event but the first.
pub(super) const SEPARATOR: &str = ",\n";
/// What the end of the file is.
pub(super) const END: &str = "\n]\n";

impl EventTexts {
    /// Those of a job with this name, whose supervisor is `process`, and which began at `base`.
    pub(super) fn new(process: u32, name: &str, base: u64) -> EventTexts {
        let mut texts = EventTexts { process, base, text: "[".to_owned(), slices: 0, arrows: 0 };
        texts.metadata(None, "process_name", &json::string(name));
        texts
    }

    /// The texts since the last call.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// How many bytes wait to be taken.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    fn begin(&mut self, phase: &str, thread: Option<u64>) {
        // Writing to a String cannot fail.
        let separator = if self.text == "[" { "\n" } else { SEPARATOR };
        let _ = write!(self.text, "{separator}{{\"ph\":\"{phase}\",\"pid\":{}", self.process);
        if let Some(thread) = thread {
            let _ = write!(self.text, ",\"tid\":{thread}");
        }
    }

    fn metadata(&mut self, thread: Option<u64>, what: &str, value: &str) {
        self.begin("M", thread);
        let key = if what.ends_with("index") { "sort_index" } else { "name" };
        let _ = write!(self.text, ",\"name\":\"{what}\",\"args\":{{\"{key}\":{value}}}}}");
    }

    /// A thread has a name, and a place among the others.
    pub(super) fn track(&mut self, thread: u64, name: &str, place: u64) {
        self.metadata(Some(thread), "thread_name", &json::string(name));
        self.metadata(Some(thread), "thread_sort_index", &place.to_string());
    }

    /// A time in microseconds after the beginning.
    fn time(&self, time: u64) -> String {
        microseconds(time.saturating_sub(self.base))
    }

    /// A slice of a track.
    pub(super) fn slice(
        &mut self,
        thread: u64,
        category: &str,
        name: &str,
        (start, end): (u64, u64),
        details: &[(&str, Detail<'_>)],
    ) {
        self.slices += 1;
        self.begin("X", Some(thread));
        let (at, lasts) = (self.time(start), microseconds(end.saturating_sub(start)));
        let name = json::string(name);
        let _ = write!(self.text, ",\"ts\":{at},\"dur\":{lasts},\"cat\":\"{category}\",\"name\":{name}");
        self.text.push_str(",\"args\":{");
        for (number, (key, value)) in details.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let value = match value {
                Detail::Text(text) => json::string(text),
                Detail::Number(number) => number.to_string(),
                Detail::Time(time) => microseconds(*time),
            };
            let _ = write!(self.text, "{comma}\"{key}\":{value}");
        }
        self.text.push_str("}}");
    }

    /// An arrow between the slices that are at these times in these tracks.
    pub(super) fn arrow(&mut self, what: &str, from: (u64, u64), to: (u64, u64)) {
        self.arrows += 1;
        let id = self.arrows;
        for (phase, (thread, at)) in [("s", from), ("f", to)] {
            self.begin(phase, Some(thread));
            let at = self.time(at);
            let _ = write!(self.text, ",\"ts\":{at},\"cat\":\"arrow\",\"name\":\"{what}\",\"id\":{id}");
            // The slice around it, and not the next one.
            self.text.push_str(if phase == "f" { ",\"bp\":\"e\"}" } else { "}" });
        }
    }

    /// A mark in a track.
    pub(super) fn mark(&mut self, thread: u64, at: u64, text: &str) {
        self.begin("i", Some(thread));
        let (at, text) = (self.time(at), json::string(text));
        let _ = write!(self.text, ",\"ts\":{at},\"s\":\"t\",\"cat\":\"left out\",\"name\":{text}}}");
    }
}

/// Nanoseconds as microseconds.
fn microseconds(time: u64) -> String {
    format!("{}.{:03}", time / 1000, time % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_a_line() {
        let mut texts = EventTexts::new(7, "a \"job\"", 1_000);
        texts.track(8, "PE 0", 0);
        assert!(texts.len() > 0);
        let mut all = texts.take();
        let details =
            [("line", Detail::Text("a\nb")), ("bytes", Detail::Number(3)), ("busy", Detail::Time(5))];
        texts.slice(8, "put", "put A", (1_500, 2_750), &details);
        texts.arrow("signal", (8, 1_600), (9, 1_001_000));
        texts.mark(8, 500, "x");
        all += &texts.take();
        all += END;
        let expected = r#"[
{"ph":"M","pid":7,"name":"process_name","args":{"name":"a \"job\""}},
{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"PE 0"}},
{"ph":"M","pid":7,"tid":8,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"X","pid":7,"tid":8,"ts":0.500,"dur":1.250,"cat":"put","name":"put A","args":{"line":"a\u000ab","bytes":3,"busy":0.005}},
{"ph":"s","pid":7,"tid":8,"ts":0.600,"cat":"arrow","name":"signal","id":1},
{"ph":"f","pid":7,"tid":9,"ts":1000.000,"cat":"arrow","name":"signal","id":1,"bp":"e"},
{"ph":"i","pid":7,"tid":8,"ts":0.000,"s":"t","cat":"left out","name":"x"}
]
"#;
        assert_eq!(all, expected);
        assert_eq!((texts.slices, texts.arrows), (1, 1));
    }
}
