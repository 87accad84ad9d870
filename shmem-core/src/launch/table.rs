//! The table of what each PE does: one line for PEs that do the same.

use std::fmt::Write as _;

use super::history::History;
use super::view::{Activity, PeView};
use crate::system::status::PeState;
use crate::system::told::{Frame, LastWrite};
use crate::transport::node::barrier::Part;
use crate::transport::node::waits::{Seen, WaitEntry, WaitKind};

/// How many lines of a backtrace are shown.
pub(super) const FRAMES: usize = 4;

/// A line of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) what: String,
    /// Nanoseconds.
    pub(super) lasts: Option<u64>,
    pub(super) place: String,
    pub(super) note: String,
    /// What it has seen of the value that it waits for.
    pub(super) value: Option<Watched>,
    /// More lines, each a place and a note.
    pub(super) more: Vec<(String, String)>,
}

/// What a PE has seen of a value that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    /// Whether it has changed.
    has_changed: bool,
    /// For how many nanoseconds it has not.
    nanos: u64,
}

impl Row {
    /// Whether two PEs do the same, be it since another time.
    fn is_as(&self, other: &Row) -> bool {
        (&self.what, &self.place, &self.note, &self.more)
            == (&other.what, &other.place, &other.note, &other.more)
            && self.lasts.is_some() == other.lasts.is_some()
            && self.value.map(|value| value.has_changed) == other.value.map(|value| value.has_changed)
    }

    /// Joins a PE that does the same.
    fn join(&mut self, other: &Row) {
        self.lasts = self.lasts.max(other.lasts);
        if let (Some(value), Some(theirs)) = (&mut self.value, other.value) {
            value.nanos = value.nanos.min(theirs.nanos);
        }
    }

    fn note(&self) -> String {
        let value = self.value.map(|Watched { has_changed, nanos }| match has_changed {
            true => format!("last change seen {} ago", seconds(nanos)),
            false => format!("no change seen for {}", seconds(nanos)),
        });
        let notes = [Some(self.note.clone()).filter(|note| !note.is_empty()), value];
        notes.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// What one PE does, or `many` do.
    fn what(&self, many: bool) -> String {
        let what = if many { plural(&self.what) } else { self.what.clone() };
        match self.lasts {
            Some(nanos) => format!("{what} since {}", seconds(nanos)),
            None => what,
        }
    }
}

/// The table at time `now`, with a line feed after each line.
pub(super) fn table(pes: &[PeView], now: u64) -> String {
    table_of(pes, &(0..pes.len()).collect::<Vec<_>>(), now)
}

/// The part of the table for the PEs that are `shown`.
pub(super) fn table_of(pes: &[PeView], shown: &[usize], now: u64) -> String {
    let mut groups: Vec<(Vec<usize>, Row)> = Vec::new();
    for (pe, row) in rows(pes, now).into_iter().enumerate().filter(|(pe, _)| shown.contains(pe)) {
        match groups.iter_mut().find(|(_, other)| other.is_as(&row)) {
            Some((members, other)) => {
                members.push(pe);
                other.join(&row);
            }
            None => groups.push((vec![pe], row)),
        }
    }
    let width = |texts: &mut dyn Iterator<Item = String>| texts.map(|text| text.chars().count()).max();
    let names = width(&mut groups.iter().map(|(members, _)| name(members))).unwrap_or(0);
    let what = |(members, row): &(Vec<usize>, Row)| row.what(members.len() > 1);
    let whats = width(&mut groups.iter().map(what)).unwrap_or(0);
    let more = |row: &Row| row.more.iter().map(|(place, _)| place.clone()).collect::<Vec<_>>();
    let mut places = groups.iter().flat_map(|(_, row)| [vec![row.place.clone()], more(row)].concat());
    let places = width(&mut places).unwrap_or(0);
    let mut text = String::new();
    let mut line = |name: &str, what: &str, place: &str, note: &str| {
        let line = format!("  {name:names$}  {what:whats$}  {place:places$}  {note}");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    };
    for group in &groups {
        let (members, row) = group;
        line(&name(members), &what(group), &row.place, &row.note());
        for (place, note) in &row.more {
            line("", "", place, note);
        }
    }
    text
}

/// What one PE does, said of several.
fn plural(what: &str) -> String {
    let verbs = [
        ("has returned, and waits", "have returned, and wait"),
        ("sleeps, or waits", "sleep, or wait"),
        ("computes", "compute"),
        ("waits", "wait"),
        ("has", "have"),
        ("is", "are"),
    ];
    let plural = |(one, many)| Some(format!("{many}{}", what.strip_prefix(one)?));
    verbs.into_iter().find_map(plural).unwrap_or_else(|| what.to_owned())
}

/// The line of each PE at time `now`.
pub(super) fn rows(pes: &[PeView], now: u64) -> Vec<Row> {
    pes.iter().enumerate().map(|(pe, view)| row(pes, pe, view, now)).collect()
}

/// The line of one PE.
fn row(pes: &[PeView], pe: usize, view: &PeView, now: u64) -> Row {
    let stopped = view.stopped().unwrap_or_default();
    let plain = |what: &str| Row {
        what: what.to_owned(),
        lasts: None,
        place: String::new(),
        note: stopped.clone(),
        ..Row::default()
    };
    match view.state {
        PeState::Starting => return plain("has not joined the job yet"),
        PeState::Debugged => return plain("waits for a debugger"),
        PeState::Finished => return plain("has finished"),
        PeState::Panicked | PeState::Failed | PeState::NoStart => return plain("has failed"),
        PeState::Exited => return plain("has ended the job"),
        PeState::Stopped | PeState::Stuck | PeState::Running | PeState::Leaving => {}
    }
    if view.state == PeState::Leaving && view.activity != Activity::Ended {
        return plain("has returned, and waits for the others");
    }
    if let Some(wait) = view.waits() {
        let place = line_of(&wait.place).to_owned();
        let lasts = Some(now.saturating_sub(wait.since));
        let notes = [stopped.clone(), note(pes, pe, wait)];
        let note = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
        let value = wait
            .seen
            .map(|_| Watched { has_changed: wait.changes > 0, nanos: now.saturating_sub(wait.seen_since) });
        let more = view.history.as_ref().map(|history| history.lines(now)).unwrap_or_default();
        return Row { what: waiting(wait), lasts, place, note, value, more };
    }
    let what = match view.activity {
        Activity::Ended => return plain("has ended"),
        Activity::Stopped(_) => return Row { note: "SIGCONT lets it go on".to_owned(), ..plain(&stopped) },
        Activity::Traced => return Row { note: String::new(), ..plain(&stopped) },
        Activity::Runs => "computes",
        Activity::Sleeps => "sleeps, or waits outside of this library",
    };
    let function = |frame: &Frame| match frame.function.as_str() {
        "" => String::new(),
        name => format!("in {name}"),
    };
    let mut lines = view.told.frames.iter().take(FRAMES).map(|frame| (frame.place.clone(), function(frame)));
    let (place, mut note) = lines.next().unwrap_or_default();
    let mut more: Vec<_> = lines.collect();
    for last in lasts(view, now) {
        if note.is_empty() {
            note = last;
        } else {
            more.push((String::new(), last));
        }
    }
    more.extend(last_write(view, now));
    Row { what: what.to_owned(), place, note, more, ..Row::default() }
}

/// What a PE that computes did last, as far as it is known.
fn lasts(view: &PeView, now: u64) -> Vec<String> {
    let wait = view.wait.as_ref().map(|last| {
        let at = match line_of(&last.place) {
            "" => String::new(),
            place => format!(" at {place}"),
        };
        let ago = seconds(now.saturating_sub(last.ended));
        (format!("{}{at}", last.text), format!("until {ago} ago"))
    });
    match (view.told.last_call.as_ref(), wait) {
        (Some(call), Some((wait, until))) if *call == wait => {
            vec![format!("its last collective call: {call}, where it waited {until}")]
        }
        (call, wait) => {
            let call = call.map(|call| format!("its last collective call: {call}"));
            let wait = wait.map(|(wait, until)| format!("its last long wait: {wait}, {until}"));
            call.into_iter().chain(wait).collect()
        }
    }
}

/// The last put or update of a PE that computes: its place, and what it was.
fn last_write(view: &PeView, now: u64) -> Option<(String, String)> {
    let LastWrite { what, place, at } = view.told.counted.as_ref()?.last_write.as_ref()?;
    let ago = seconds(now.saturating_sub(*at));
    Some((place.clone(), format!("its last put or update: {what}, {ago} ago")))
}

/// What a PE waits for, to be read after its name.
fn waiting(wait: &WaitEntry) -> String {
    match wait.kind {
        kind if kind.is_meeting() => format!("in {}", wait.text),
        _ => format!("waits for {}{}", wait.text, saw(wait)),
    }
}

/// What was seen, in brackets.
fn saw(wait: &WaitEntry) -> String {
    match wait.seen {
        Some(Seen { value, position: None }) => format!(" (is {value})"),
        Some(Seen { value, position: Some(at) }) => format!(" (number {at} is {value})"),
        None => String::new(),
    }
}

/// Who is waited for.
fn note(pes: &[PeView], pe: usize, wait: &WaitEntry) -> String {
    match wait.kind {
        WaitKind::Meeting(Part::Broadcast) => match wait.other {
            Some(root) => format!("waits for the root, PE {root}"),
            None => String::new(),
        },
        WaitKind::Partner => format!("waits for {}", listed(wait)),
        kind if kind.is_meeting() => match wait.missing {
            // It is not known who is missing.
            0 if wait.members == 0 => String::new(),
            0 => "about to go on".to_owned(),
            missing => {
                let are = if missing == 1 { "is" } else { "are" };
                format!("{missing} of {} {are} missing: {}", wait.members, listed(wait))
            }
        },
        WaitKind::Lock => match wait.other.map(|before| (before, holder(pes, pe, wait))) {
            Some((before, Some(holder))) if holder != before => {
                format!("PE {holder} has it, and PE {before} gets it before this one")
            }
            Some((before, _)) => format!("PE {before} has it"),
            None => String::new(),
        },
        WaitKind::Turn => "another thread of this PE has it, or waits for it".to_owned(),
        _ => String::new(),
    }
}

/// The PEs that have not come.
fn listed(wait: &WaitEntry) -> String {
    let more = if wait.listed.len() < wait.missing { ", and others" } else { "" };
    format!("{}{more}", name(&wait.listed))
}

/// The PE that has the lock which `pe` waits for, at the head of the queue.
fn holder(pes: &[PeView], pe: usize, wait: &WaitEntry) -> Option<usize> {
    let mut holder = wait.other?;
    for _ in 0..pes.len() {
        let before = pes.get(holder)?.waits().filter(|other| {
            other.kind == WaitKind::Lock && (other.offset, other.identity) == (wait.offset, wait.identity)
        });
        match before.and_then(|other| other.other) {
            Some(before) if before != pe => holder = before,
            _ => break,
        }
    }
    Some(holder)
}

/// Why `pe` waits for `other`, as a clause; or, without another PE, what it waits for.
pub(super) fn clause(pes: &[PeView], members: &[usize], other: Option<usize>) -> Option<String> {
    let pe = *members.first()?;
    let wait = pes.get(pe)?.waits()?;
    let (who, waits) = (name(members), if members.len() == 1 { "waits" } else { "wait" });
    let whom = match other {
        Some(other) => format!("PE {other}"),
        None => listed(wait),
    };
    Some(match wait.kind {
        WaitKind::Meeting(Part::End) => {
            let have = if members.len() == 1 { "has" } else { "have" };
            format!("{who} {have} returned, and {waits} for {whom}")
        }
        WaitKind::Lock => {
            let before = wait.other?;
            match holder(pes, pe, wait) {
                Some(holder) if holder == before => {
                    format!("{who} {waits} for {}, which PE {before} has", wait.text)
                }
                _ => format!("{who} {waits} for {}, which PE {before} gets before", wait.text),
            }
        }
        kind if kind.is_meeting() => format!("{who} {waits} in {} for {whom}", wait.text),
        _ => {
            // PEs that wait for the same may each wait for a cell of its own.
            let clauses = members.iter().map(|pe| pes[*pe].history.as_ref().map(History::clause));
            let mut clauses: Vec<String> = clauses.map(Option::unwrap_or_default).collect();
            clauses.dedup();
            let history = if clauses.len() == 1 { clauses.remove(0) } else { String::new() };
            format!("{who} {waits} for {}{}{history}", wait.text, saw(wait))
        }
    })
}

/// PEs that wait for the same, in groups.
pub(super) fn groups(pes: &[PeView]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let key = |pe: usize| {
        pes[pe].waits().map(|wait| (wait.kind, &wait.text, &wait.place, &wait.listed, wait.seen, wait.other))
    };
    for pe in (0..pes.len()).filter(|pe| pes[*pe].waits().is_some()) {
        match groups.iter_mut().find(|group| key(group[0]) == key(pe)) {
            Some(group) => group.push(pe),
            None => groups.push(vec![pe]),
        }
    }
    groups
}

/// The name of PEs, which are in order: `PE 1-6, 9`.
pub(super) fn name(pes: &[usize]) -> String {
    let mut text = String::from("PE ");
    let mut rest = pes;
    while let Some(&first) = rest.first() {
        let len = rest.iter().zip(first..).take_while(|(pe, expected)| **pe == *expected).count();
        let before = if rest.len() == pes.len() { "" } else { ", " };
        let _ = match len {
            1 => write!(text, "{before}{first}"),
            2 => write!(text, "{before}{first}, {}", first + 1),
            len => write!(text, "{before}{first}-{}", first + len - 1),
        };
        rest = &rest[len..];
    }
    text
}

/// A place in the program without its column.
fn line_of(place: &str) -> &str {
    // One of another language has none.
    let ends_with_line = |text: &str| {
        text.rsplit_once(':')
            .is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
    };
    place.rsplit_once(':').map(|(line, _)| line).filter(|line| ends_with_line(line)).unwrap_or(place)
}

/// A time: `0.4 s`, `31 s`.
pub(super) fn seconds(nanos: u64) -> String {
    match nanos {
        0..10_000_000_000 => format!("{}.{} s", nanos / 1_000_000_000, nanos / 100_000_000 % 10),
        _ => format!("{} s", nanos / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::told::{AskedCells, Counted, Updates};

    const SECOND: u64 = 1_000_000_000;
    const NOW: u64 = 100 * SECOND;

    fn view(state: PeState, wait: Option<WaitEntry>) -> PeView {
        PeView::new(state, Activity::Runs, wait)
    }

    fn wait(kind: WaitKind, text: &str, place: &str) -> WaitEntry {
        let place = place.to_owned();
        WaitEntry { place, ..WaitEntry::new(kind, text.to_owned(), None, 69 * SECOND) }
    }

    #[test]
    fn names_of_pes() {
        assert_eq!(name(&[3]), "PE 3");
        assert_eq!(name(&[3, 4]), "PE 3, 4");
        assert_eq!(name(&[0, 1, 2, 5, 7, 8, 9]), "PE 0-2, 5, 7-9");
    }

    #[test]
    fn the_table_of_a_halo_exchange_that_hangs() {
        let mut flag = wait(WaitKind::Cells, "HALO_READY[3] >= 7", "src/main.rs:58:9");
        flag.seen = Some(Seen { value: 6, position: None });
        flag.seen_since = flag.since;
        let mut barrier = wait(WaitKind::Meeting(Part::Barrier), "barrier_all", "src/main.rs:61:15");
        (barrier.missing, barrier.members, barrier.listed) = (2, 8, vec![0, 7]);
        let mut last = barrier.clone();
        (last.is_live, last.ended) = (false, 95 * SECOND);
        let mut computes = view(PeState::Running, Some(last));
        computes.told.frames = vec![
            Frame { place: "src/relax.rs:9".to_owned(), function: "heat::relax".to_owned() },
            Frame { place: "src/main.rs:49".to_owned(), function: "heat::main".to_owned() },
        ];
        let mut pes = vec![view(PeState::Running, Some(flag))];
        // One of them has come a second later.
        pes.extend((1..7).map(|pe| {
            let since = if pe == 1 { 70 * SECOND } else { barrier.since };
            view(PeState::Running, Some(WaitEntry { since, ..barrier.clone() }))
        }));
        pes.push(computes);
        let expected = "  \
  PE 0    waits for HALO_READY[3] >= 7 (is 6) since 31 s  src/main.rs:58  no change seen for 31 s
  PE 1-6  in barrier_all since 31 s                       src/main.rs:61  2 of 8 are missing: PE 0, 7
  PE 7    computes                                        src/relax.rs:9  in heat::relax
                                                          src/main.rs:49  in heat::main
                                                                          its last long wait: barrier_all at src/main.rs:61, until 5.0 s ago
";
        assert_eq!(table(&pes, NOW), expected);
        let notes = |pes: &[PeView]| lasts(&pes[7], NOW).join("; ");
        pes[7].told.last_call = Some("barrier_all at src/main.rs:61".to_owned());
        assert_eq!(
            notes(&pes),
            "its last collective call: barrier_all at src/main.rs:61, where it waited until 5.0 s ago"
        );
        pes[7].told.last_call = Some("sum at src/main.rs:65".to_owned());
        assert_eq!(
            notes(&pes),
            "its last collective call: sum at src/main.rs:65; its last long wait: barrier_all at src/main.rs:61, until 5.0 s ago"
        );
        pes[7].wait = None;
        assert_eq!(notes(&pes), "its last collective call: sum at src/main.rs:65");
        let (what, place) = ("put of 64 bytes to HALO of PE 0".to_owned(), "src/main.rs:49".to_owned());
        let last_write = Some(LastWrite { what, place, at: 98 * SECOND });
        pes[7].told.counted = Some(Counted { last_write, updates: Vec::new() });
        let last = "  src/main.rs:49  its last put or update: put of 64 bytes to HALO of PE 0, 2.0 s ago\n";
        assert!(table(&pes, NOW).ends_with(last));
    }

    /// PEs that wait for the same have one line, with what is true of all of them.
    #[test]
    fn a_value_that_changes() {
        let waits = |changes, seen_since: u64| {
            let seen = Some(Seen { value: 6, position: None });
            let entry = wait(WaitKind::Cells, "READY >= 7", "src/main.rs:58:9");
            view(
                PeState::Running,
                Some(WaitEntry { seen, seen_since: seen_since * SECOND, changes, ..entry }),
            )
        };
        let text = table(&[waits(0, 70), waits(0, 71), waits(2, 95), waits(1, 97)], NOW);
        let start = "wait for READY >= 7 (is 6) since 31 s  src/main.rs:58";
        let expected = format!(
            "  PE 0, 1  {start}  no change seen for 29 s\n  PE 2, 3  {start}  last change seen 3.0 s ago\n"
        );
        assert_eq!(text, expected);
    }

    /// In a run that counts, those who have updated the cell have lines too.
    #[test]
    fn who_has_updated_the_cell() {
        let cells = AskedCells { pe: 0, offset: 64, len: 8 };
        let entry = wait(WaitKind::Cells, "READY >= 7", "src/main.rs:58:9");
        let seen = Some(Seen { value: 6, position: None });
        let mut pes = [
            view(PeState::Running, Some(WaitEntry { seen, cells: Some(cells), ..entry })),
            view(PeState::Running, None),
        ];
        let updates = Updates { count: 6, last: 69 * SECOND, places: vec!["src/main.rs:50".to_owned()] };
        for (view, updates) in pes.iter_mut().zip([Updates::default(), updates]) {
            view.told.counted = Some(Counted { last_write: None, updates: vec![Some(updates)] });
        }
        pes[0].history = History::of(&pes, &[cells], cells);
        let text = table(&pes, NOW);
        assert!(text.contains("src/main.rs:58  no change seen for 31 s\n"), "{text}");
        assert!(
            text.contains("  src/main.rs:50  updated 6 times by PE 1 alone, the last time 31 s ago\n"),
            "{text}"
        );
        assert_eq!(
            clause(&pes, &[0], None).unwrap(),
            "PE 0 waits for READY >= 7 (is 6), which only PE 1 has ever updated (src/main.rs:50)"
        );
    }

    #[test]
    fn what_several_pes_do() {
        for (one, many) in [
            ("computes", "compute"),
            ("has returned, and waits for the others", "have returned, and wait for the others"),
            ("sleeps, or waits outside of this library", "sleep, or wait outside of this library"),
            ("in barrier_all", "in barrier_all"),
            ("is stopped (SIGSTOP)", "are stopped (SIGSTOP)"),
        ] {
            assert_eq!(plural(one), many);
        }
    }

    #[test]
    fn a_queue_for_a_lock() {
        let lock =
            |before| WaitEntry { other: Some(before), ..wait(WaitKind::Lock, "the lock HELD", "a.rs:1:2") };
        let free = view(PeState::Running, None);
        let pes = [free, view(PeState::Running, Some(lock(0))), view(PeState::Running, Some(lock(1)))];
        let text = table(&pes, NOW);
        assert!(
            text.contains("PE 0 has it\n") && text.contains("PE 0 has it, and PE 1 gets it before"),
            "{text}"
        );
        assert_eq!(clause(&pes, &[1], Some(0)).unwrap(), "PE 1 waits for the lock HELD, which PE 0 has");
        assert_eq!(
            clause(&pes, &[2], Some(1)).unwrap(),
            "PE 2 waits for the lock HELD, which PE 1 gets before"
        );
    }

    #[test]
    fn what_is_not_a_wait() {
        let is_stopped = |signal, view| PeView { activity: Activity::Stopped(signal), ..view };
        let stop = Some(rustix::process::Signal::STOP.as_raw());
        let running = |wait| view(PeState::Running, wait);
        let mut end = wait(WaitKind::Meeting(Part::End), "the end of the job", "");
        (end.missing, end.members, end.listed) = (1, 5, vec![3]);
        let flag = wait(WaitKind::Cells, "GO == 1", "src/main.rs:58:9");
        let pes = [
            view(PeState::Starting, None),
            view(PeState::Finished, None),
            view(PeState::Leaving, Some(end.clone())),
            is_stopped(stop, running(None)),
            view(PeState::Panicked, None),
            is_stopped(stop, running(Some(flag))),
            is_stopped(stop, view(PeState::Starting, None)),
            is_stopped(None, view(PeState::Leaving, Some(end))),
        ];
        let text = table(&pes, NOW);
        let expected = "  \
  PE 0  has not joined the job yet
  PE 1  has finished
  PE 2  has returned, and waits for the others
  PE 3  is stopped (SIGSTOP)                                    SIGCONT lets it go on
  PE 4  has failed
  PE 5  waits for GO == 1 since 31 s            src/main.rs:58  is stopped (SIGSTOP)
  PE 6  has not joined the job yet                              is stopped (SIGSTOP)
  PE 7  has returned, and waits for the others                  is stopped
";
        assert_eq!(text, expected);
    }
}
