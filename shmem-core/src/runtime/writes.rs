//! Which cells this PE has updated, and what it wrote last, in a run that
//! [counts](super::statistics). The supervisor asks for it when it prints what each PE does.

use std::collections::HashMap;
use std::panic::Location;

use crate::runtime::observe::OperationKind;
use crate::system::told::{AskedCells, Counted, LastWrite, Updates};
use crate::transport::node::waits;

/// How many cells are noted. Programs wait for few cells, and may update millions.
const CELLS: usize = 1 << 14;

/// Where in the program a cell was updated, how often, and when for the last time.
struct UpdateLine {
    at: Option<&'static Location<'static>>,
    count: u64,
    last: u64,
}

/// The last put or update.
struct Write {
    kind: OperationKind,
    pe: usize,
    bytes: usize,
    at: Option<&'static Location<'static>>,
    when: u64,
}

/// What this PE has written.
#[derive(Default)]
pub(super) struct WriteLog {
    last: Option<Write>,
    /// The object of the last write.
    object: String,
    /// The cells that were updated, by their PE and their offset.
    cells: HashMap<(usize, usize), Vec<UpdateLine>>,
    /// Whether some updates are not noted.
    is_incomplete: bool,
}

impl WriteLog {
    /// From now on, some updates are not noted.
    pub(super) fn misses_some(&mut self) {
        self.is_incomplete = true;
    }

    /// Notes a put or an update of `object`.
    pub(super) fn wrote(
        &mut self,
        kind: OperationKind,
        pe: usize,
        bytes: usize,
        object: &str,
        at: Option<&'static Location<'static>>,
    ) {
        self.last = Some(Write { kind, pe, bytes, at, when: waits::now() });
        self.object.clear();
        self.object.push_str(object);
    }

    /// Notes an update of the cell at `offset` in the heap of `pe`.
    pub(super) fn updated(&mut self, pe: usize, offset: usize, at: Option<&'static Location<'static>>) {
        let is_full = self.cells.len() >= CELLS;
        if is_full && !self.cells.contains_key(&(pe, offset)) {
            self.is_incomplete = true;
            return;
        }
        let lines = self.cells.entry((pe, offset)).or_default();
        let last = waits::now();
        match lines.iter_mut().find(|line| line.at == at) {
            Some(line) => (line.count, line.last) = (line.count + 1, last),
            None => lines.push(UpdateLine { at, count: 1, last }),
        }
    }

    /// What is noted, with the updates of each of these cells.
    pub(super) fn counted(&self, asked: &[AskedCells]) -> Counted {
        let updates = |cells: &AskedCells| -> Option<Updates> {
            if self.is_incomplete {
                return None;
            }
            let found = self.cells.iter().filter(|((pe, offset), _)| cells.contain(*pe, *offset));
            let mut lines: Vec<&UpdateLine> = found.flat_map(|(_, lines)| lines).collect();
            // The latest first.
            lines.sort_by_key(|line| std::cmp::Reverse(line.last));
            let mut places: Vec<String> = lines.iter().filter_map(|line| Some(place(line.at?))).collect();
            places.dedup();
            let count = lines.iter().map(|line| line.count).sum();
            Some(Updates { count, last: lines.first().map_or(0, |line| line.last), places })
        };
        let last_write = self.last.as_ref().map(|last| LastWrite {
            what: self.describe(last),
            place: last.at.map(place).unwrap_or_default(),
            at: last.when,
        });
        Counted { last_write, updates: asked.iter().map(updates).collect() }
    }

    /// `put of 64 bytes to HALO of PE 0`.
    fn describe(&self, last: &Write) -> String {
        let Write { kind, pe, bytes, .. } = last;
        let name = kind.name();
        let what = if kind.is_atomic() { name.to_owned() } else { format!("{name} of {bytes} bytes") };
        // Without its type and the line of its declaration.
        let object = match self.object.strip_prefix('`').and_then(|rest| rest.split_once(':')) {
            Some((name, _)) => name,
            None => &self.object,
        };
        let object = if object.is_empty() { "memory" } else { object };
        format!("{what} to {object} of PE {pe}")
    }
}

fn place(at: &Location<'_>) -> String {
    format!("{}:{}", at.file(), at.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_those_of_the_cells_that_are_asked_for() {
        let mut log = WriteLog::default();
        let first = Some(Location::caller());
        let second = Some(Location::caller());
        log.updated(1, 800, first);
        log.updated(1, 808, second);
        log.updated(1, 808, second);
        log.updated(2, 800, None);
        let ask = |log: &WriteLog, pe, offset, len| {
            let counted = log.counted(&[AskedCells { pe, offset, len }]);
            counted.updates[0].as_ref().map(|updates| (updates.count, updates.places.len()))
        };
        assert_eq!(ask(&log, 1, 800, 8), Some((1, 1)));
        assert_eq!(ask(&log, 1, 800, 16), Some((3, 2)));
        assert_eq!(ask(&log, 2, 800, 8), Some((1, 0)));
        assert_eq!(ask(&log, 0, 800, 8), Some((0, 0)));
        log.misses_some();
        assert_eq!(ask(&log, 1, 800, 8), None);
    }

    #[test]
    fn cells_that_are_too_many_are_not_noted() {
        let mut log = WriteLog::default();
        for cell in 0..CELLS {
            log.updated(0, cell * 8, None);
        }
        log.updated(0, 0, None);
        assert!(!log.is_incomplete);
        log.updated(0, CELLS * 8, None);
        assert!(log.is_incomplete && log.cells.len() == CELLS);
    }

    #[test]
    fn the_last_write_is_described() {
        let mut log = WriteLog::default();
        assert_eq!(log.counted(&[]).last_write, None);
        let last = |log: &WriteLog| log.counted(&[]).last_write.unwrap();
        log.wrote(OperationKind::Put, 3, 64, "`HALO: [f64; 64]` (src/main.rs:9)", None);
        assert_eq!(last(&log).what, "put of 64 bytes to HALO of PE 3");
        log.wrote(OperationKind::Add, 0, 8, "a SymmetricArray", Some(Location::caller()));
        assert_eq!(last(&log).what, "atomic_add to a SymmetricArray of PE 0");
        assert!(last(&log).place.contains("writes.rs:"));
    }
}
