//! What was done to each byte of the heaps, as far as a later access may conflict with it.
//!
//! A heap is divided into words of 8 bytes. The *state* of a word is a set of records, each for some
//! of its bytes. Many words have the same state, so a word holds the number of a state. An access
//! to many words looks at each state once.
//!
//! Where PEs access words at random, there are nearly as many states as words. So a state takes 4 bytes
//! for each of its records and 4 bytes more.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::batches::NO_BATCH;
use super::event::{Kind, Span};
use super::pages::{PAGE, Pages};

const WORD: u64 = 8;
/// How many steps, states and records that came up lately are remembered at most.
const LATELY: usize = 1 << 12;

/// An access, as later ones are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) pe: u16,
    /// The time of the PE.
    pub(crate) time: u32,
    /// The puts that are completed with it, or [`NO_BATCH`].
    pub(crate) batch: u32,
    pub(crate) ctx: u32,
    pub(crate) kind: Kind,
    /// The size of an atomic cell; 0 for other accesses.
    pub(crate) width: u8,
    pub(crate) place: u32,
    /// The bytes of a word, as a mask.
    pub(crate) bytes: u8,
}

impl Record {
    /// The same access to other bytes.
    fn of_bytes(self, bytes: u8) -> Record {
        Record { bytes, ..self }
    }

    /// Whether the two may not happen at the same time.
    pub(crate) fn conflicts(&self, other: &Record) -> bool {
        let writes = self.kind.writes() || other.kind.writes();
        let are_atomic = self.kind.is_atomic() && other.kind.is_atomic();
        writes && !(are_atomic && self.width == other.width)
    }

    /// Whether this is complete no earlier than `other`, which came before it: both are under way, to
    /// the same PE and by the same context.
    fn is_completed_after(&self, other: &Record) -> bool {
        (self.pe, self.ctx) == (other.pe, other.ctx) && self.batch != NO_BATCH && other.batch != NO_BATCH
    }

    /// Whether everything that conflicts with `other` conflicts with this as well.
    fn is_stronger(&self, other: &Record) -> bool {
        match (self.kind.writes(), self.kind.is_atomic()) {
            (true, false) => true,
            (false, false) => !other.kind.writes(),
            (true, true) => other.kind.is_atomic() && other.width == self.width,
            (false, true) => other.kind.is_atomic() && other.width == self.width && !other.kind.writes(),
        }
    }
}

/// The states of all words.
///
/// The same records and states come up again and again, mostly soon. Those of a hash that came up last are
/// found again; others get another number, which costs memory and nothing else.
pub(crate) struct History {
    /// By word, the number of its state; 0 is the state of a word that nobody has accessed.
    words: Pages,
    records: Vec<Record>,
    /// By PE, the number of its last record.
    lasts: Vec<u32>,
    /// By hash, the number of the last record.
    numbers: Vec<u32>,
    /// Of each state, where its entries end. They begin where those of the state before end.
    ends: Vec<u32>,
    /// The numbers of the records of each state, in order.
    entries: Vec<u32>,
    /// By hash, the number of the last state.
    names: Vec<u32>,
    /// Steps that were taken lately: state and record, and the state after it.
    steps: Vec<(u32, u32, u32)>,
    /// The entries of a state that is being made.
    made: Vec<u32>,
    /// Beyond this [size](History::size), records and states that matter no more are forgotten.
    limit: usize,
    /// The least that the limit is.
    least: usize,
}

/// No state, and no record.
const NONE: u32 = u32::MAX;

/// A slot of one of so many, a power of two.
fn slot(of: impl Hash, slots: usize) -> usize {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish() as usize & (slots - 1)
}

impl History {
    /// An empty history, with room for so many states of some records. Beyond that, those that matter no
    /// more are forgotten.
    pub(crate) fn new(n_pes: usize, room: usize) -> History {
        let lately = room.clamp(1, LATELY).next_power_of_two();
        let limit = room.saturating_mul(4);
        History {
            words: Pages::new(n_pes),
            records: Vec::new(),
            lasts: vec![0; n_pes],
            numbers: vec![0; lately],
            ends: vec![0],
            entries: Vec::new(),
            names: vec![0; lately],
            steps: vec![(NONE, 0, 0); lately],
            made: Vec::new(),
            least: limit,
            limit,
        }
    }

    /// Adds an access to the copy of PE `pe`, to the bytes of a span. For each earlier access that conflicts with it and is
    /// not `ordered` before it, `race` gets that access and the bytes.
    pub(crate) fn access(
        &mut self,
        pe: usize,
        span: Span,
        record: Record,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u64, u32),
    ) {
        for (start, len) in span.pieces() {
            let end = start + u64::from(len);
            // The words of a piece mostly have one state. Of the last one: the state, the bytes, the
            // state after it, and the races.
            let (mut last, mut races) = ((NONE, 0_u8, 0_u32), Vec::<(Record, u8)>::new());
            let (mut word, end_word) = (start / WORD, end.div_ceil(WORD));
            while word < end_word {
                let of_page = word;
                let mut page = self.words.take(pe, of_page);
                while word < end_word && word / PAGE == of_page / PAGE {
                    let first = start.saturating_sub(word * WORD);
                    let after = (end - word * WORD).min(WORD);
                    let mask = (((1_u16 << after) - 1) & !((1 << first) - 1)) as u8;
                    let state = &mut page[(word % PAGE) as usize];
                    if (*state, mask) != (last.0, last.1) {
                        races.clear();
                        let found = &mut |earlier: &Record, bytes| races.push((*earlier, bytes));
                        last = (*state, mask, self.step(*state, record.of_bytes(mask), ordered, found));
                    }
                    *state = last.2;
                    for (earlier, bytes) in &races {
                        race(earlier, word * WORD + u64::from(bytes.trailing_zeros()), bytes.count_ones());
                    }
                    word += 1;
                }
                self.words.put_back(pe, of_page, page);
            }
        }
    }

    /// Forgets what was done to bytes of PE `pe`, which become a new object. `race` gets each access that
    /// is not `ordered` before that, and the bytes.
    pub(crate) fn renew(
        &mut self,
        pe: usize,
        offset: u64,
        len: u64,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u64, u32),
    ) {
        let History { words, ends, entries, records, .. } = self;
        // The last state, if all its accesses are over.
        let mut is_over = 0;
        for (word, state) in words.set_in(pe, offset / WORD..(offset + len).div_ceil(WORD)) {
            let state = std::mem::take(state);
            if state == is_over {
                continue;
            }
            let mut races = entries[range(ends, state)]
                .iter()
                .map(|number| &records[*number as usize])
                .filter(|earlier| !ordered(earlier))
                .peekable();
            if races.peek().is_none() {
                is_over = state;
            }
            for earlier in races {
                let bytes = earlier.bytes;
                race(earlier, word * WORD + u64::from(bytes.trailing_zeros()), bytes.count_ones());
            }
        }
    }

    /// The state after an access to some bytes of a word in this state.
    #[inline]
    fn step(
        &mut self,
        state: u32,
        record: Record,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u8),
    ) -> u32 {
        let number = self.number(record);
        let slot = slot((state, number), self.steps.len());
        let (of_state, of_record, after) = self.steps[slot];
        if (of_state, of_record) == (state, number) {
            return after;
        }
        let (after, is_race) = self.first_step(state, number, ordered, race);
        if !is_race {
            self.steps[slot] = (state, number, after);
        }
        after
    }

    /// The same, and whether it is part of a race.
    fn first_step(
        &mut self,
        state: u32,
        number: u32,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u8),
    ) -> (u32, bool) {
        let record = self.records[number as usize];
        let mask = record.bytes;
        let mut entries = std::mem::take(&mut self.made);
        entries.clear();
        let (mut races, mut is_redundant) = (false, false);
        // The entry of the same access to other bytes, and the bytes.
        let mut same: Option<(u32, u8)> = None;
        for at in range(&self.ends, state) {
            let earlier_number = self.entries[at];
            let earlier = self.records[earlier_number as usize];
            let common = earlier.bytes & mask;
            let mut rest = earlier.bytes;
            if common != 0 {
                let is_before = ordered(&earlier);
                let is_race = !is_before && record.conflicts(&earlier);
                if is_race {
                    races = true;
                    race(&earlier, common);
                }
                // After a race the later access stands for both, so that each is reported once.
                let is_covered = record.is_stronger(&earlier)
                    && (is_before || is_race || record.is_completed_after(&earlier));
                rest = if is_covered { earlier.bytes & !mask } else { earlier.bytes };
                is_redundant |= !is_covered
                    && common == mask
                    && earlier.is_stronger(&record)
                    && (earlier.pe, earlier.time, earlier.batch) == (record.pe, record.time, record.batch);
            }
            if rest == 0 {
                continue;
            }
            let left = if rest == earlier.bytes {
                earlier_number
            } else {
                self.other_number(earlier.of_bytes(rest))
            };
            if earlier.of_bytes(mask) == record {
                same = Some((left, rest));
            } else {
                entries.push(left);
            }
        }
        match same {
            _ if is_redundant => entries.extend(same.map(|(left, _)| left)),
            Some((_, bytes)) if bytes & !mask != 0 => {
                entries.push(self.other_number(record.of_bytes(bytes | mask)));
            }
            _ => entries.push(number),
        }
        let after = self.name(entries);
        (after, races)
    }

    #[inline]
    fn number(&mut self, record: Record) -> u32 {
        let last = self.lasts[usize::from(record.pe)];
        if self.records.get(last as usize) == Some(&record) {
            return last;
        }
        let number = self.other_number(record);
        self.lasts[usize::from(record.pe)] = number;
        number
    }

    /// That of a record that is not the last one of its PE.
    fn other_number(&mut self, record: Record) -> u32 {
        let slot = slot(record, self.numbers.len());
        let lately = self.numbers[slot];
        if self.records.get(lately as usize) == Some(&record) {
            return lately;
        }
        let number = self.records.len() as u32;
        self.records.push(record);
        self.numbers[slot] = number;
        number
    }

    /// The number of the state that has these entries.
    fn name(&mut self, mut entries: Vec<u32>) -> u32 {
        entries.sort_unstable();
        let slot = slot(&entries, self.names.len());
        let lately = self.names[slot];
        let name = if self.entries[range(&self.ends, lately)] == entries {
            lately
        } else if entries.is_empty() {
            0
        } else {
            self.entries.extend(&entries);
            self.ends.push(self.entries.len() as u32);
            self.ends.len() as u32 - 1
        };
        self.names[slot] = name;
        self.made = entries;
        name
    }

    /// The memory of records and states, in units of 4 bytes.
    fn size(&self) -> usize {
        self.records.len() * (size_of::<Record>() / size_of::<u32>()) + self.ends.len() + self.entries.len()
    }

    /// Whether it is time to forget.
    pub(crate) fn is_full(&self) -> bool {
        self.size() > self.limit
    }

    /// Forgets all records that are `over`: that are ordered before whatever any PE does next. Returns
    /// the batches of the others.
    pub(crate) fn collect(&mut self, over: &dyn Fn(&Record) -> bool) -> Vec<u32> {
        let mut renamed = vec![NONE; self.ends.len()];
        self.words.change(|state| {
            renamed[state as usize] = 0;
            state
        });
        let renumbered = self.collect_records(&renamed, over);
        self.names.fill(0);
        // In place, as what is left of a state is no more than it was. `start` is where the old one begins.
        let (mut start, mut kept, mut states) = (0, 0, 1);
        for (state, name) in renamed.iter_mut().enumerate().skip(1) {
            let old = start..self.ends[state] as usize;
            start = old.end;
            if *name == NONE {
                continue;
            }
            let begin = kept;
            for at in old {
                let number = renumbered[self.entries[at] as usize];
                if number != NONE {
                    self.entries[kept] = number;
                    kept += 1;
                }
            }
            let left = &self.entries[begin..kept];
            let slot = slot(left, self.names.len());
            let lately = self.names[slot];
            *name = if self.entries[range(&self.ends, lately)] == *left {
                kept = begin;
                lately
            } else if left.is_empty() {
                0
            } else {
                self.ends[states] = kept as u32;
                states += 1;
                states as u32 - 1
            };
            self.names[slot] = *name;
        }
        self.ends.truncate(states);
        self.entries.truncate(kept);
        self.words.change(|state| renamed[state as usize]);
        self.steps.fill((NONE, 0, 0));
        // What is left is needed: the next time is when there is half as much more.
        self.limit = self.least.max(self.size() / 2 * 3);
        self.ends.shrink_to(self.limit);
        self.entries.shrink_to(self.limit);
        self.records.iter().map(|record| record.batch).filter(|batch| *batch != NO_BATCH).collect()
    }

    /// Forgets the records that are `over`, and those of states that are not `used`. Returns the number
    /// that each has now.
    fn collect_records(&mut self, used: &[u32], over: &dyn Fn(&Record) -> bool) -> Vec<u32> {
        let mut renumbered = vec![NONE; self.records.len()];
        for state in (1..self.ends.len()).filter(|state| used[*state] != NONE) {
            for number in &self.entries[range(&self.ends, state as u32)] {
                renumbered[*number as usize] = 0;
            }
        }
        let mut kept = 0;
        for (old, number) in renumbered.iter_mut().enumerate() {
            let record = self.records[old];
            if *number == NONE || over(&record) {
                *number = NONE;
            } else {
                // In order, so that the entries of the states stay in order.
                self.records[kept] = record;
                *number = kept as u32;
                kept += 1;
            }
        }
        self.records.truncate(kept);
        self.records.shrink_to(2 * kept);
        self.lasts.fill(0);
        self.numbers.fill(0);
        renumbered
    }
}

/// Where the entries of a state are.
fn range(ends: &[u32], state: u32) -> std::ops::Range<usize> {
    let start = state.checked_sub(1).map_or(0, |before| ends[before as usize]);
    start as usize..ends[state as usize] as usize
}
