//! What a host tells of one PE, as text: a line for each fact, which begins with a word and a tab. What
//! the PE tells of itself follows, as in [`told`](crate::system::told).
//!
//! Each host has its own clock. So a text has how long ago something was, and who reads it counts from
//! [`NOW`].

use std::fmt::Display;
use std::str::{FromStr, Split};
use std::time::Duration;

use super::table::FRAMES;
use super::view::{Activity, PeView};
use crate::system::status::PeState;
use crate::system::told::{AskedCells, Told};
use crate::transport::node::traffic::Transferred;
use crate::transport::node::waits::{Seen, WaitEntry, WaitKind};

/// The time at which all rows were made that are read.
pub(super) const NOW: u64 = 1 << 62;

/// What begins the line of the PE.
const PE: &str = "pe";
/// What begins the line of its wait.
const WAIT: &str = "wait";
/// What begins a line of cells that it was asked about.
const CELLS: &str = "cells";
/// In place of a number that is not known.
const UNKNOWN: &str = "-";

/// What is known of one PE.
#[derive(Clone, Debug)]
pub(super) struct HostRow {
    pub(super) pe: usize,
    pub(super) view: PeView,
    /// How often it has come to a collective routine of the library for all PEs.
    pub(super) visits: u32,
    /// How long it has used a processor.
    pub(super) processor: Option<Duration>,
    /// What it has moved, in a run that counts.
    pub(super) moved: Option<Transferred>,
    /// The cells that it was asked about.
    pub(super) asked: Vec<AskedCells>,
}

/// A line of fields.
struct LineFields(String);

impl LineFields {
    fn new(word: &str) -> LineFields {
        LineFields(word.to_owned())
    }

    fn field(mut self, field: impl Display) -> LineFields {
        // A text of the program may have any characters.
        self.0 += "\t";
        self.0 += &field.to_string().replace(['\t', '\n'], " ");
        self
    }

    fn maybe(self, field: Option<impl Display>) -> LineFields {
        match field {
            Some(field) => self.field(field),
            None => self.field(UNKNOWN),
        }
    }

    fn end(self) -> String {
        self.0 + "\n"
    }
}

/// The fields of a line that are left to read.
struct FieldReader<'a>(Split<'a, char>);

impl<'a> FieldReader<'a> {
    /// Those of the first line of the text with this word.
    fn of(text: &'a str, word: &str) -> Option<FieldReader<'a>> {
        text.lines().find_map(|line| {
            let mut fields = line.split('\t');
            (fields.next() == Some(word)).then_some(FieldReader(fields))
        })
    }

    fn text(&mut self) -> Option<String> {
        self.0.next().map(str::to_owned)
    }

    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn maybe<T: FromStr>(&mut self) -> Option<Option<T>> {
        match self.0.next()? {
            UNKNOWN => Some(None),
            field => field.parse().ok().map(Some),
        }
    }
}

impl HostRow {
    /// The text of what was known at the time `now`.
    pub(super) fn encode(&self, now: u64) -> String {
        let HostRow { pe, visits, processor, moved, asked, .. } = self;
        let mut view = self.view.clone();
        view.change_times(|time| now.saturating_sub(time));
        // More are not shown.
        view.told.frames.truncate(FRAMES);
        let (activity, signal) = activity_fields(view.activity);
        let mut text = LineFields::new(PE)
            .field(pe)
            .field(view.state as u32)
            .field(activity)
            .maybe(signal)
            .field(visits)
            .maybe(processor.map(|time| time.as_millis()))
            .maybe(moved.map(|moved| moved.calls))
            .maybe(moved.map(|moved| moved.bytes))
            .end();
        text += &view.wait.map(|wait| wait_line(&wait)).unwrap_or_default();
        for AskedCells { pe, offset, len } in asked {
            text += &LineFields::new(CELLS).field(pe).field(offset).field(len).end();
        }
        text + &view.told.encode(usize::MAX)
    }

    /// What a text tells, counted from [`NOW`].
    pub(super) fn decode(text: &str) -> Option<HostRow> {
        let mut fields = FieldReader::of(text, PE)?;
        let pe = fields.number()?;
        let state = PeState::from_word(fields.number()?);
        let activity = activity_of(&fields.text()?, fields.maybe()?)?;
        let visits = fields.number()?;
        let processor = fields.maybe()?.map(Duration::from_millis);
        let (calls, bytes) = (fields.maybe()?, fields.maybe()?);
        let moved = calls.zip(bytes).map(|(calls, bytes)| Transferred { calls, bytes });
        let wait = match FieldReader::of(text, WAIT) {
            Some(mut fields) => Some(wait_of(&mut fields)?),
            None => None,
        };
        let asked = text.lines().filter_map(|line| {
            let mut fields = FieldReader::of(line, CELLS)?;
            Some(AskedCells { pe: fields.number()?, offset: fields.number()?, len: fields.number()? })
        });
        let asked = asked.collect();
        let mut view = PeView { told: Told::decode(text), ..PeView::new(state, activity, wait) };
        view.change_times(|ago| NOW.saturating_sub(ago));
        Some(HostRow { pe, view, visits, processor, moved, asked })
    }
}

fn activity_fields(activity: Activity) -> (&'static str, Option<i32>) {
    match activity {
        Activity::Runs => ("runs", None),
        Activity::Sleeps => ("sleeps", None),
        Activity::Stopped(signal) => ("stopped", signal),
        Activity::Traced => ("traced", None),
        Activity::Ended => ("ended", None),
    }
}

fn activity_of(word: &str, signal: Option<i32>) -> Option<Activity> {
    match word {
        "runs" => Some(Activity::Runs),
        "sleeps" => Some(Activity::Sleeps),
        "stopped" => Some(Activity::Stopped(signal)),
        "traced" => Some(Activity::Traced),
        "ended" => Some(Activity::Ended),
        _ => None,
    }
}

/// All of a wait, its texts at the end.
fn wait_line(wait: &WaitEntry) -> String {
    let listed: Vec<String> = wait.listed.iter().map(usize::to_string).collect();
    LineFields::new(WAIT)
        .field(wait.wait)
        .field(u8::from(wait.is_live))
        .field(wait.kind.word())
        .field(wait.number)
        .maybe(wait.other)
        .field(u8::from(wait.is_alone))
        .field(wait.offset)
        .field(wait.identity)
        .field(wait.missing)
        .field(wait.members)
        .field(wait.since)
        .field(wait.ended)
        .field(wait.seen_since)
        .field(wait.changes)
        .maybe(wait.seen.map(|seen| seen.value))
        .maybe(wait.seen.and_then(|seen| seen.position))
        .maybe(wait.cells.map(|cells| cells.pe))
        .maybe(wait.cells.map(|cells| cells.offset))
        .maybe(wait.cells.map(|cells| cells.len))
        .field(listed.join(","))
        .field(&wait.text)
        .field(&wait.place)
        .end()
}

fn wait_of(fields: &mut FieldReader<'_>) -> Option<WaitEntry> {
    let wait = fields.number()?;
    let is_live = fields.number::<u8>()? != 0;
    let kind = WaitKind::of(fields.number()?)?;
    let mut entry = WaitEntry::new(kind, String::new(), None, 0);
    (entry.wait, entry.is_live) = (wait, is_live);
    entry.number = fields.number()?;
    entry.other = fields.maybe()?;
    entry.is_alone = fields.number::<u8>()? != 0;
    entry.offset = fields.number()?;
    entry.identity = fields.number()?;
    entry.missing = fields.number()?;
    entry.members = fields.number()?;
    entry.since = fields.number()?;
    entry.ended = fields.number()?;
    entry.seen_since = fields.number()?;
    entry.changes = fields.number()?;
    let (value, position) = (fields.maybe()?, fields.maybe()?);
    entry.seen = value.map(|value| Seen { value, position });
    let (pe, offset, len) = (fields.maybe()?, fields.maybe()?, fields.maybe()?);
    entry.cells = pe.zip(offset).zip(len).map(|((pe, offset), len)| AskedCells { pe, offset, len });
    let listed = fields.text()?;
    let listed: Result<Vec<usize>, _> =
        listed.split(',').filter(|pe| !pe.is_empty()).map(str::parse).collect();
    entry.listed = listed.ok()?;
    (entry.text, entry.place) = (fields.text()?, fields.text()?);
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::told::{Counted, Frame, LastWrite, Updates};

    const SECOND: u64 = 1_000_000_000;

    fn row() -> HostRow {
        let entry = WaitEntry::new(WaitKind::Cells, "READY[3] >= 7".to_owned(), None, 69 * SECOND);
        let wait = WaitEntry {
            wait: 9,
            number: 3,
            other: Some(4),
            is_alone: true,
            offset: 4096,
            identity: u64::MAX,
            missing: 9,
            members: 12,
            listed: vec![0, 7],
            place: "src/main.rs:58:9".to_owned(),
            ended: 70 * SECOND,
            cells: Some(AskedCells { pe: 1, offset: 64, len: 8 }),
            seen: Some(Seen { value: i128::from(i64::MIN), position: Some(2) }),
            seen_since: 71 * SECOND,
            changes: 2,
            ..entry
        };
        let updates = Updates { count: 6, last: 90 * SECOND, places: vec!["a.rs:1".to_owned()] };
        let write = LastWrite { what: "put".to_owned(), place: String::new(), at: 95 * SECOND };
        let counted = Counted { last_write: Some(write), updates: vec![None, Some(updates)] };
        let frame = Frame { place: "src/main.rs:1".to_owned(), function: "f".to_owned() };
        let mut view = PeView::new(PeState::Running, Activity::Stopped(Some(19)), Some(wait));
        view.told = Told {
            frames: vec![frame; 9],
            last_call: Some("sum at a.rs:3".to_owned()),
            counted: Some(counted),
        };
        HostRow {
            pe: 3,
            view,
            visits: 17,
            processor: Some(Duration::from_millis(250)),
            moved: Some(Transferred { calls: 3, bytes: 24 }),
            asked: vec![AskedCells { pe: 1, offset: 64, len: 8 }, AskedCells { pe: 0, offset: 8, len: 16 }],
        }
    }

    /// Of two clocks, only how long ago something was is the same.
    #[test]
    fn what_is_encoded_is_decoded() {
        let row = row();
        let read = HostRow::decode(&row.encode(100 * SECOND)).unwrap();
        let mut expected = row.view.clone();
        expected.change_times(|time| NOW - 100 * SECOND + time);
        expected.told.frames.truncate(FRAMES);
        assert_eq!((read.pe, read.visits, read.processor, read.moved), (3, 17, row.processor, row.moved));
        assert_eq!((&read.asked, read.view.activity), (&row.asked, Activity::Stopped(Some(19))));
        assert_eq!((read.view.state, &read.view.wait), (PeState::Running, &expected.wait));
        assert_eq!(read.view.told, expected.told);
        // The second time, nothing has another time.
        let again = HostRow::decode(&read.encode(NOW)).unwrap();
        assert_eq!((again.view.wait, again.view.told), (read.view.wait, read.view.told));
    }

    #[test]
    fn what_is_not_known_stays_so() {
        for activity in
            [Activity::Runs, Activity::Sleeps, Activity::Stopped(None), Activity::Traced, Activity::Ended]
        {
            let view = PeView::new(PeState::Starting, activity, None);
            let row = HostRow { pe: 0, view, visits: 0, processor: None, moved: None, asked: Vec::new() };
            let read = HostRow::decode(&row.encode(5)).unwrap();
            assert_eq!((read.view.activity, read.view.wait, read.processor), (activity, None, None));
            assert!(read.moved.is_none() && read.asked.is_empty() && read.view.told == Told::default());
        }
        let text = row().encode(100 * SECOND);
        let torn = text.replacen('\t', "\tx", 1);
        assert!(["", "pe", "pe\t1\t1", &torn].iter().all(|text| HostRow::decode(text).is_none()));
    }
}
