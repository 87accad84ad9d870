//! What was done to each byte of the heaps, as far as a later access may conflict with it.
//!
//! A heap is divided into words of 8 bytes. The *state* of a word is a list of records, each for some
//! of its bytes. Many words have the same state, so a word holds the number of a state. An access
//! to many words looks at each state once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::event::{Kind, Span};

const WORD: u64 = 8;
/// Words of a page.
const PAGE: usize = 512;

/// No batch: what was over when its call returned.
pub(crate) const NO_BATCH: u32 = 0;

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
pub(crate) struct History {
    /// By PE and page, the states of the words; 0 is the state of a word that nobody has accessed.
    heaps: Vec<Vec<Option<Box<[u32; PAGE]>>>>,
    records: Vec<Record>,
    numbers: FxHashMap<Record, u32>,
    /// The last one that was looked up.
    last: Option<(Record, u32)>,
    states: Vec<Rc<[Entry]>>,
    names: FxHashMap<Rc<[Entry]>, u32>,
    /// Steps that were taken lately: state, record and bytes, and the state after it.
    steps: Vec<(u32, u32, u8, u32)>,
    /// Beyond this number of records or states, those that matter no more are forgotten.
    limit: usize,
    /// The least that the limit is.
    least: usize,
}

impl History {
    /// An empty history. Beyond `limit` records or states, those that matter no more are forgotten.
    pub(crate) fn new(n_pes: usize, limit: usize) -> History {
        let empty: Rc<[Entry]> = Rc::from([]);
        History {
            heaps: vec![Vec::new(); n_pes],
            records: Vec::new(),
            numbers: FxHashMap::default(),
            last: None,
            states: vec![empty.clone()],
            names: FxHashMap::from_iter([(empty, 0)]),
            steps: vec![(u32::MAX, 0, 0, 0); 1 << 12],
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
            for word in start / WORD..end.div_ceil(WORD) {
                let first = start.saturating_sub(word * WORD);
                let after = (end - word * WORD).min(WORD);
                let mask = (((1_u16 << after) - 1) & !((1 << first) - 1)) as u8;
                let state = *self.state_of(pe, word);
                if (state, mask) != (last.0, last.1) {
                    races.clear();
                    let found = &mut |earlier: &Record, bytes| races.push((*earlier, bytes));
                    last = (state, mask, self.step(state, number, mask, ordered, found));
                }
                for (earlier, bytes) in &races {
                    race(earlier, word * WORD + u64::from(bytes.trailing_zeros()), bytes.count_ones());
                }
                *self.state_of(pe, word) = last.2;
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
        let end = (offset + len).div_ceil(WORD);
        let mut word = offset / WORD;
        // The last state, if all its accesses are over.
        let mut is_over = 0;
        while word < end {
            let next_page = (word / PAGE as u64 + 1) * PAGE as u64;
            let Some(page) = self.heaps[pe].get_mut(word as usize / PAGE).and_then(Option::as_mut) else {
                word = next_page;
                continue;
            };
            for word in word..end.min(next_page) {
                let state = std::mem::take(&mut page[word as usize % PAGE]);
                if state == is_over {
                    continue;
                }
                let mut races = self.states[state as usize]
                    .iter()
                    .map(|(bytes, number)| (bytes, &self.records[*number as usize]))
                    .filter(|(_, earlier)| !ordered(earlier))
                    .peekable();
                if races.peek().is_none() {
                    is_over = state;
                }
                for (bytes, earlier) in races {
                    race(earlier, word * WORD + u64::from(bytes.trailing_zeros()), bytes.count_ones());
                }
            }
            word = next_page;
        }
    }

    fn state_of(&mut self, pe: usize, word: u64) -> &mut u32 {
        let (page, word) = (word as usize / PAGE, word as usize % PAGE);
        let pages = &mut self.heaps[pe];
        if pages.len() <= page {
            pages.resize(page + 1, None);
        }
        &mut pages[page].get_or_insert_with(|| Box::new([0; PAGE]))[word]
    }

    /// The state after an access to some bytes of a word in this state.
    fn step(
        &mut self,
        state: u32,
        number: u32,
        mask: u8,
        ordered: &dyn Fn(&Record) -> bool,
        race: &mut dyn FnMut(&Record, u8),
    ) -> u32 {
        let hash =
            (state.wrapping_mul(0x9E37_79B1) ^ number.wrapping_mul(0x85EB_CA6B) ^ u32::from(mask)) >> 7;
        let slot = hash as usize % self.steps.len();
        let (of_state, of_record, of_mask, after) = self.steps[slot];
        if (of_state, of_record, of_mask) == (state, number, mask) {
            return after;
        }
        let record = self.records[number as usize];
        let mut entries: Vec<Entry> = Vec::with_capacity(self.states[state as usize].len() + 1);
        let (mut races, mut is_redundant) = (false, false);
        for &(bytes, earlier_number) in self.states[state as usize].iter() {
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
        entries.sort_unstable_by_key(|(_, number)| *number);
        let after = self.name(entries);
        if !races {
            self.steps[slot] = (state, number, mask, after);
        }
        after
    }

    fn number(&mut self, record: Record) -> u32 {
        if let Some((last, number)) = self.last
            && last == record
        {
            return number;
        }
        let next = self.records.len() as u32;
        let number = *self.numbers.entry(record).or_insert(next);
        if number == next {
            self.records.push(record);
        }
        self.last = Some((record, number));
        number
    }

    fn name(&mut self, entries: Vec<Entry>) -> u32 {
        if let Some(name) = self.names.get(&entries[..]) {
            return *name;
        }
        let name = self.states.len() as u32;
        let entries: Rc<[Entry]> = entries.into();
        self.states.push(entries.clone());
        self.names.insert(entries, name);
        name
    }

    /// Whether it is time to forget.
    pub(crate) fn is_full(&self) -> bool {
        self.records.len().max(self.states.len()) > self.limit
    }

    /// Forgets all records that are `over`: that are ordered before whatever any PE does next. Returns
    /// the batches of the others.
    pub(crate) fn collect(&mut self, over: &dyn Fn(&Record) -> bool) -> Vec<u32> {
        let mut old = std::mem::replace(self, History::new(0, self.least));
        let mut heaps = std::mem::take(&mut old.heaps);
        let mut renamed: FxHashMap<u32, u32> = FxHashMap::from_iter([(0, 0)]);
        for page in heaps.iter_mut().flatten() {
            let Some(words) = page else { continue };
            for word in words.iter_mut() {
                *word = match renamed.get(word) {
                    Some(name) => *name,
                    None => {
                        let mut entries: Vec<Entry> = Vec::new();
                        for &(bytes, number) in old.states[*word as usize].iter() {
                            let record = old.records[number as usize];
                            if !over(&record) {
                                entries.push((bytes, self.number(record)));
                            }
                        }
                        entries.sort_unstable_by_key(|(_, number)| *number);
                        let name = self.name(entries);
                        renamed.insert(*word, name);
                        name
                    }
                };
            }
            if words.iter().all(|word| *word == 0) {
                *page = None;
            }
        }
        self.heaps = heaps;
        // What is left is needed: the next time is when there is as much again.
        self.limit = self.least.max(2 * self.records.len().max(self.states.len()));
        self.records.iter().map(|record| record.batch).filter(|batch| *batch != NO_BATCH).collect()
    }
}
