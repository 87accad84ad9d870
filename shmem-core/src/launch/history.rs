//! Who has updated the cells that a PE waits for, in a run that counts (`SHMEM_STATS`).

use super::table::{name, seconds};
use super::view::PeView;
use crate::system::told::{AskedCells, Updates};

/// How many PEs are named that have updated the same cells.
const NAMED: usize = 3;

/// The updates of some cells in this job, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct History {
    /// The PEs that have updated them, the latest first.
    by: Vec<(usize, Updates)>,
    /// Whether all PEs have told.
    is_complete: bool,
}

impl History {
    /// That of the cells `of`, from what the PEs tell of the cells that they were `asked` for. `None`
    /// where nothing is known.
    pub(super) fn of(pes: &[PeView], asked: &[AskedCells], of: AskedCells) -> Option<History> {
        let at = asked.iter().position(|cells| *cells == of)?;
        let told = |view: &PeView| view.told.counted.as_ref()?.updates.get(at)?.clone();
        let told: Vec<Option<Updates>> = pes.iter().map(told).collect();
        let is_complete = told.iter().all(Option::is_some);
        let mut by: Vec<(usize, Updates)> =
            (0..).zip(told).filter_map(|(pe, updates)| Some((pe, updates?))).collect();
        by.retain(|(_, updates)| updates.count > 0);
        by.sort_by_key(|(_, updates)| std::cmp::Reverse(updates.last));
        (is_complete || !by.is_empty()).then_some(History { by, is_complete })
    }

    /// For the table: lines of a place and what was done there.
    pub(super) fn lines(&self, now: u64) -> Vec<(String, String)> {
        if self.by.is_empty() {
            return vec![(String::new(), "no PE has updated it".to_owned())];
        }
        let is_only = self.is_complete && self.by.len() == 1;
        let line = |(pe, updates): &(usize, Updates)| {
            let times = match updates.count {
                1 => "once".to_owned(),
                2 => "twice".to_owned(),
                count => format!("{count} times"),
            };
            let last = if updates.count == 1 { "" } else { "the last time " };
            let only = if is_only { " alone" } else { "" };
            let ago = seconds(now.saturating_sub(updates.last));
            let place = updates.places.first().cloned().unwrap_or_default();
            let places = if updates.places.len() > 1 { ", here and elsewhere" } else { "" };
            (place, format!("updated {times} by PE {pe}{only}{places}, {last}{ago} ago"))
        };
        let mut lines: Vec<_> = self.by.iter().take(NAMED).map(line).collect();
        if self.by.len() > NAMED {
            let mut more: Vec<usize> = self.by[NAMED..].iter().map(|(pe, _)| *pe).collect();
            more.sort_unstable();
            lines.push((String::new(), format!("updated by {} before", name(&more))));
        }
        lines
    }

    /// For a sentence, after the name of the cells: `, which only PE 7 has ever updated
    /// (src/main.rs:50)`. Nothing where several PEs have, or not all have told.
    pub(super) fn clause(&self) -> String {
        match &self.by[..] {
            [] => ", which no PE has ever updated".to_owned(),
            [(pe, updates)] if self.is_complete => {
                let places = updates.places.join(", ");
                let at = if places.is_empty() { String::new() } else { format!(" ({places})") };
                format!(", which only PE {pe} has ever updated{at}")
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::Activity;
    use super::*;
    use crate::system::status::PeState;
    use crate::system::told::{Counted, Told};

    const CELLS: AskedCells = AskedCells { pe: 0, offset: 64, len: 8 };
    const SECOND: u64 = 1_000_000_000;

    fn view(updates: Option<Updates>) -> PeView {
        let told =
            Told { counted: Some(Counted { last_write: None, updates: vec![updates] }), ..Told::default() };
        PeView { told, ..PeView::new(PeState::Running, Activity::Runs, None) }
    }

    fn updates(count: u64, last: u64) -> Option<Updates> {
        Some(Updates { count, last: last * SECOND, places: vec!["a.rs:5".to_owned()] })
    }

    fn lines(pes: &[PeView]) -> Vec<String> {
        let history = History::of(pes, &[CELLS], CELLS).unwrap();
        let lines = history.lines(100 * SECOND).into_iter();
        lines.map(|(place, text)| format!("{place} {text}")).chain([history.clause()]).collect()
    }

    #[test]
    fn one_pe_has_updated() {
        let none = || view(Some(Updates::default()));
        assert_eq!(lines(&[none(), none()]), [" no PE has updated it", ", which no PE has ever updated"]);
        assert_eq!(
            lines(&[none(), view(updates(6, 69))]),
            [
                "a.rs:5 updated 6 times by PE 1 alone, the last time 31 s ago",
                ", which only PE 1 has ever updated (a.rs:5)"
            ]
        );
        assert_eq!(lines(&[view(updates(1, 98)), none()])[0], "a.rs:5 updated once by PE 0 alone, 2.0 s ago");
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        // One PE has not told, or does not know.
        for unknown in [view(None), PeView::new(PeState::Running, Activity::Runs, None)] {
            assert_eq!(
                lines(&[unknown, view(updates(6, 69))]),
                ["a.rs:5 updated 6 times by PE 1, the last time 31 s ago", ""]
            );
        }
        assert_eq!(History::of(&[view(None)], &[CELLS], CELLS), None);
        assert_eq!(History::of(&[view(updates(1, 1))], &[], CELLS), None);
    }

    #[test]
    fn many_have_updated() {
        let pes: Vec<PeView> = (0..6).map(|pe| view(updates(2, 90 - pe))).collect();
        let told = lines(&pes);
        assert_eq!(told[0], "a.rs:5 updated twice by PE 0, the last time 10 s ago");
        assert_eq!(told[3..], [" updated by PE 3-5 before", ""]);
    }
}
