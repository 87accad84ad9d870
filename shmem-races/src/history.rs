//! What was done to each byte of the heaps, as far as a later access may conflict with it.
//!
//! A heap is divided into words of 8 bytes. The *state* of a word is a list of records, each for some
//! of its bytes. Many words have the same state, so a word holds the number of a state. An access
//! to many words looks at each state once.

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
}

impl Record {
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

/// Some bytes of a word, as a mask, and the number of a record.
type Entry = (u8, u32);

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
    entries: Vec<Entry>,
    /// By hash, the number of the last state.
    names: Vec<u32>,
    /// Steps that were taken lately: state, record and bytes, and the state after it.
    steps: Vec<(u32, u32, u8, u32)>,
    /// The entries of a state that is being made.
    made: Vec<Entry>,
    /// Beyond this number of records or states, those that matter no more are forgotten.
    limit: usize,
    /// The least that the limit is.
    least: usize,
}

/// A slot of one of so many, a power of two.
fn slot(of: impl Hash, slots: usize) -> usize {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish() as usize & (slots - 1)
}

impl History {
    /// An empty history. Beyond `limit` records or states, those that matter no more are forgotten.
    pub(crate) fn new(n_pes: usize, limit: usize) -> History {
        let lately = limit.clamp(1, LATELY).next_power_of_two();
        History {
            words: Pages::new(n_pes),
            records: Vec::new(),
            lasts: vec![0; n_pes],
            numbers: vec![0; lately],
            ends: vec![0],
            entries: Vec::new(),
            names: vec![0; lately],
            steps: vec![(u32::MAX, 0, 0, 0); lately],
            made: Vec::new(),
            least: limit,
            limit,
        }
    }

    /// Adds an access to the copy of PE `pe`. For each earlier access that conflicts with it and is
    /// not `ordered` before it, `race` gets that access and the bytes.
    pub(crate) fn access(
        &mut self,
        pe: usize,
        span: Span,
        record: Record,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u64, u32),
    ) {
        let number = self.number(record);
        for (start, len) in span.pieces() {
            let end = start + u64::from(len);
            // The words of a piece mostly have one state. Of the last one: the state, the bytes, the
            // state after it, and the races.
            let (mut last, mut races) = ((u32::MAX, 0_u8, 0_u32), Vec::<(Record, u8)>::new());
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
                        last = (*state, mask, self.step(*state, number, mask, ordered, found));
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
                .map(|(bytes, number)| (bytes, &records[*number as usize]))
                .filter(|(_, earlier)| !ordered(earlier))
                .peekable();
            if races.peek().is_none() {
                is_over = state;
            }
            for (bytes, earlier) in races {
                race(earlier, word * WORD + u64::from(bytes.trailing_zeros()), bytes.count_ones());
            }
        }
    }

    /// The state after an access to some bytes of a word in this state.
    #[inline]
    fn step(
        &mut self,
        state: u32,
        number: u32,
        mask: u8,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u8),
    ) -> u32 {
        let slot = slot((state, number, mask), self.steps.len());
        let (of_state, of_record, of_mask, after) = self.steps[slot];
        if (of_state, of_record, of_mask) == (state, number, mask) {
            return after;
        }
        let (after, is_race) = self.first_step(state, number, mask, ordered, race);
        if !is_race {
            self.steps[slot] = (state, number, mask, after);
        }
        after
    }

    /// The same, and whether it is part of a race.
    fn first_step(
        &mut self,
        state: u32,
        number: u32,
        mask: u8,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u8),
    ) -> (u32, bool) {
        let record = self.records[number as usize];
        let mut entries = std::mem::take(&mut self.made);
        entries.clear();
        let (mut races, mut is_redundant) = (false, false);
        for &(bytes, earlier_number) in &self.entries[range(&self.ends, state)] {
            let earlier = self.records[earlier_number as usize];
            let common = bytes & mask;
            if common == 0 {
                entries.push((bytes, earlier_number));
                continue;
            }
            let is_before = ordered(&earlier);
            let is_race = !is_before && record.conflicts(&earlier);
            if is_race {
                races = true;
                race(&earlier, common);
            }
            // After a race the later access stands for both, so that each is reported once.
            let is_covered =
                record.is_stronger(&earlier) && (is_before || is_race || record.is_completed_after(&earlier));
            let rest = if is_covered { bytes & !mask } else { bytes };
            is_redundant |= !is_covered
                && common == mask
                && earlier.is_stronger(&record)
                && (earlier.pe, earlier.time, earlier.batch) == (record.pe, record.time, record.batch);
            if rest != 0 {
                entries.push((rest, earlier_number));
            }
        }
        if !is_redundant {
            match entries.iter_mut().find(|(_, same)| *same == number) {
                Some((bytes, _)) => *bytes |= mask,
                None => entries.push((mask, number)),
            }
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
    fn name(&mut self, mut entries: Vec<Entry>) -> u32 {
        entries.sort_unstable_by_key(|(_, number)| *number);
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

    /// Whether it is time to forget.
    pub(crate) fn is_full(&self) -> bool {
        self.records.len().max(self.ends.len()) > self.limit
    }

    /// Forgets all records that are `over`: that are ordered before whatever any PE does next. Returns
    /// the batches of the others.
    pub(crate) fn collect(&mut self, over: &dyn Fn(&Record) -> bool) -> Vec<u32> {
        let mut old = std::mem::replace(self, History::new(self.lasts.len(), self.least));
        let mut words = std::mem::take(&mut old.words);
        let mut renumbered: Vec<Option<u32>> = vec![None; old.records.len()];
        let mut renamed: Vec<Option<u32>> = vec![None; old.ends.len()];
        words.change(|state| {
            if let Some(name) = renamed[state as usize] {
                return name;
            }
            let mut entries = std::mem::take(&mut self.made);
            entries.clear();
            for &(bytes, number) in &old.entries[range(&old.ends, state)] {
                let record = old.records[number as usize];
                if !over(&record) {
                    let number = &mut renumbered[number as usize];
                    entries.push((bytes, *number.get_or_insert_with(|| self.other_number(record))));
                }
            }
            let name = self.name(entries);
            renamed[state as usize] = Some(name);
            name
        });
        self.words = words;
        // What is left is needed: the next time is when there is as much again.
        self.limit = self.least.max(2 * self.records.len().max(self.ends.len()));
        self.records.iter().map(|record| record.batch).filter(|batch| *batch != NO_BATCH).collect()
    }
}

/// Where the entries of a state are.
fn range(ends: &[u32], state: u32) -> std::ops::Range<usize> {
    let start = state.checked_sub(1).map_or(0, |before| ends[before as usize]);
    start as usize..ends[state as usize] as usize
}
