//! Which update ended which wait, and which puts came with it: the arrows of a timeline.
//!
//! A PE writes down each value that an atomic update gave a cell, and each other value that it saw in a
//! cell. The journals are read in any order, so the two are brought together when the later of them is
//! read. What is remembered is bounded.

use std::collections::{HashMap, VecDeque};

use crate::runtime::recorder::notes::CellValue;

/// How many updates and looks are remembered at a time, and how many puts.
const REMEMBERED: usize = 1 << 19;
/// How many puts of one update get an arrow: the last ones.
const PUT_ARROWS: usize = 4;

/// A place in a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) pe: u16,
    pub(super) track: u16,
    pub(super) at: u64,
}

/// From what one PE did to the wait of another one that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) from: Point,
    pub(super) to: Point,
    /// `signal`, or `data` for a put that came with it.
    pub(super) what: &'static str,
}

/// A value of a cell: given to it, or seen in it.
#[derive(Clone, Copy, Debug)]
struct ValueAt {
    value: u64,
    point: Point,
}

#[derive(Default)]
struct CellStory {
    /// In the order of their times.
    updates: VecDeque<ValueAt>,
    /// Looks whose updates have not been read yet.
    looks: VecDeque<ValueAt>,
    /// For each PE that has seen an update, the time of the last one.
    seen: Vec<(u16, u64)>,
}

/// Finds the arrows of a job.
pub(super) struct Arrows {
    /// How many updates and looks are remembered at a time, and how many puts.
    room: usize,
    cells: HashMap<(u16, u64), CellStory>,
    /// How many updates and looks they have.
    values: usize,
    /// By origin and target.
    puts: HashMap<(u16, u16), VecDeque<Point>>,
    /// How many there are.
    all_puts: usize,
    /// The time of the last update by the first PE that the second one has seen.
    announced: HashMap<(u16, u16), u64>,
}

impl Arrows {
    pub(super) fn new() -> Arrows {
        Arrows::with_room(REMEMBERED)
    }

    fn with_room(room: usize) -> Arrows {
        let (cells, puts, announced) = (HashMap::new(), HashMap::new(), HashMap::new());
        Arrows { room, cells, values: 0, puts, all_puts: 0, announced }
    }

    /// A put of elements, to `target`.
    pub(super) fn put(&mut self, from: Point, target: u16) {
        if self.all_puts >= self.room {
            self.all_puts = 0;
            self.puts.clear();
        }
        self.all_puts += 1;
        self.puts.entry((from.pe, target)).or_default().push_back(from);
    }

    /// PE `pe` has updated a cell.
    pub(super) fn updated(&mut self, pe: u16, cell: &CellValue, found: &mut dyn FnMut(Arrow)) {
        let update = ValueAt { value: cell.value, point: Point { pe, track: cell.track, at: cell.at } };
        let story = self.story(cell);
        let place = story.updates.partition_point(|other| other.point.at <= cell.at);
        story.updates.insert(place, update);
        let looks = std::mem::take(&mut story.looks);
        for look in looks {
            let is_its = look.value == cell.value && look.point.at >= cell.at;
            let is_matched = is_its && self.matched((cell.pe, cell.offset), &look, found);
            if !is_matched && let Some(story) = self.cells.get_mut(&(cell.pe, cell.offset)) {
                story.looks.push_back(look);
            }
        }
    }

    /// PE `pe` has seen another value in a cell than before.
    pub(super) fn seen(&mut self, pe: u16, cell: &CellValue, found: &mut dyn FnMut(Arrow)) {
        let look = ValueAt { value: cell.value, point: Point { pe, track: cell.track, at: cell.at } };
        if !self.matched((cell.pe, cell.offset), &look, found) {
            self.story(cell).looks.push_back(look);
        }
    }

    /// What is known of a cell, to which a value is about to be added.
    fn story(&mut self, cell: &CellValue) -> &mut CellStory {
        if self.values >= self.room {
            self.values = 0;
            self.cells.clear();
        }
        self.values += 1;
        self.cells.entry((cell.pe, cell.offset)).or_default()
    }

    /// Finds the update that `look` saw, if it was read already.
    fn matched(&mut self, cell: (u16, u64), look: &ValueAt, found: &mut dyn FnMut(Arrow)) -> bool {
        let Some(story) = self.cells.get_mut(&cell) else { return false };
        let reader = look.point.pe;
        let known = story.seen.iter().position(|(pe, _)| *pe == reader);
        let after = known.map(|at| story.seen[at].1);
        let end = story.updates.partition_point(|update| update.point.at <= look.point.at);
        let start = after.map_or(0, |after| story.updates.partition_point(|update| update.point.at <= after));
        let before = story.updates.range(start.min(end)..end);
        // The last updates to this value: the first of them ended the wait. What the reader wrote
        // itself is older than what it sees after that.
        let mut first: Option<ValueAt> = None;
        for update in before.rev() {
            match first {
                None if update.point.pe == reader && update.value != look.value => return false,
                None if update.value == look.value => first = Some(*update),
                Some(_) if update.value == look.value => first = Some(*update),
                Some(_) => break,
                None => {}
            }
        }
        let Some(update) = first else { return false };
        match known {
            Some(at) => story.seen[at].1 = update.point.at,
            None => story.seen.push((reader, update.point.at)),
        }
        let from = update.point;
        if from.pe != reader {
            self.arrows(from, look.point, found);
        }
        true
    }

    /// The arrow of an update, and those of the puts that came with it.
    fn arrows(&mut self, from: Point, to: Point, found: &mut dyn FnMut(Arrow)) {
        let pair = (from.pe, to.pe);
        let announced = self.announced.entry(pair).or_default();
        let puts = self.puts.get(&pair).into_iter().flatten();
        let with_it = |put: &&Point| (*announced..=from.at).contains(&put.at);
        let puts: Vec<Point> = puts.filter(with_it).copied().collect();
        for put in &puts[puts.len().saturating_sub(PUT_ARROWS)..] {
            found(Arrow { from: *put, to, what: "data" });
        }
        found(Arrow { from, to, what: "signal" });
        *announced = from.at.max(*announced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell at offset 64 of PE 1 got, or has, this value.
    fn cell(value: u64, at: u64) -> CellValue {
        CellValue { track: 0, pe: 1, offset: 64, value, at }
    }

    fn point(pe: u16, at: u64) -> Point {
        Point { pe, track: 0, at }
    }

    /// What is read of the journals: `U` for an update and `S` for a look, with PE, value and time; `P`
    /// for a put to a PE. Returns the ends of the arrows: PE and time.
    fn arrows(notes: &[(char, u16, u64, u64)]) -> Vec<((u16, u64), (u16, u64))> {
        let (mut arrows, mut found) = (Arrows::new(), Vec::new());
        for &(what, pe, value, at) in notes {
            let mut take = |arrow: Arrow| {
                found.push(((arrow.from.pe, arrow.from.at), (arrow.to.pe, arrow.to.at)));
            };
            match what {
                'U' => arrows.updated(pe, &cell(value, at), &mut take),
                'S' => arrows.seen(pe, &cell(value, at), &mut take),
                _ => arrows.put(point(pe, at), value as u16),
            }
        }
        found
    }

    #[test]
    fn an_update_is_found_in_either_order() {
        assert_eq!(arrows(&[('U', 0, 1, 10), ('S', 1, 1, 20)]), [((0, 10), (1, 20))]);
        assert_eq!(arrows(&[('S', 1, 1, 20), ('U', 0, 1, 10)]), [((0, 10), (1, 20))]);
        // Another value, a later update, and what one has written oneself.
        assert_eq!(arrows(&[('S', 1, 1, 20), ('U', 0, 2, 10)]), []);
        assert_eq!(arrows(&[('S', 1, 1, 20), ('U', 0, 1, 30)]), []);
        assert_eq!(arrows(&[('U', 1, 1, 10), ('S', 1, 1, 20)]), []);
    }

    #[test]
    fn a_flag_that_is_set_back_belongs_to_its_own_turn() {
        let first = [('U', 0, 1, 10), ('S', 1, 1, 20), ('U', 1, 0, 30)];
        // The second turn is read before its update.
        let mut notes = first.to_vec();
        notes.extend([('S', 1, 1, 50), ('U', 0, 1, 40)]);
        assert_eq!(arrows(&notes), [((0, 10), (1, 20)), ((0, 40), (1, 50))]);
        // The first update was never looked at.
        assert_eq!(
            arrows(&[('U', 0, 1, 10), ('U', 1, 0, 30), ('S', 1, 1, 50), ('U', 0, 1, 40)]),
            [((0, 40), (1, 50))]
        );
    }

    #[test]
    fn of_several_counts_it_is_the_one_that_was_seen() {
        let notes = [('U', 0, 1, 10), ('U', 2, 2, 11), ('U', 3, 3, 12), ('S', 1, 2, 15)];
        assert_eq!(arrows(&notes), [((2, 11), (1, 15))]);
        // Two set the same value: the first ended the wait.
        assert_eq!(arrows(&[('U', 2, 1, 11), ('U', 0, 1, 10), ('S', 1, 1, 15)]), [((0, 10), (1, 15))]);
    }

    #[test]
    fn puts_come_with_the_next_update_that_is_seen() {
        let notes = [
            ('P', 0, 1, 5),
            ('P', 0, 2, 6),
            ('U', 0, 1, 10),
            ('S', 1, 1, 20),
            ('P', 0, 1, 25),
            ('U', 0, 2, 30),
            ('P', 0, 1, 35),
            ('S', 1, 2, 40),
        ];
        let expected = [((0, 5), (1, 20)), ((0, 10), (1, 20)), ((0, 25), (1, 40)), ((0, 30), (1, 40))];
        assert_eq!(arrows(&notes), expected);
        let many: Vec<_> = (0..100).map(|at| ('P', 0, 1, at)).collect();
        let mut notes = many;
        notes.extend([('U', 0, 1, 200), ('S', 1, 1, 300)]);
        let found = arrows(&notes);
        assert_eq!(found.len(), PUT_ARROWS + 1);
        assert_eq!(found[0], ((0, 96), (1, 300)));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let room = 1000;
        let mut arrows = Arrows::with_room(room);
        for number in 0..10 * room as u64 {
            let cell = CellValue { offset: number % 170, ..cell(number, number) };
            arrows.seen(1, &cell, &mut |_| panic!("nothing was updated"));
            arrows.put(point(0, number), (number % 7) as u16);
        }
        let looks: usize = arrows.cells.values().map(|story| story.looks.len()).sum();
        let puts: usize = arrows.puts.values().map(VecDeque::len).sum();
        assert!(looks <= room && puts <= room, "{looks} {puts}");
    }
}
