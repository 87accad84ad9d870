//! What PEs have under way, in batches that are completed together.

use rustc_hash::FxHashMap;

use super::clock::Stream;

/// No batch: what was over when its call returned.
pub(crate) const NO_BATCH: u32 = 0;

/// Puts, updates or non-blocking reads that are completed together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    pub(crate) stream: Stream,
    /// How many batches of puts and updates the stream had before; none for reads, which no fence
    /// orders.
    pub(crate) serial: Option<u32>,
    /// The time of the PE when a quiet completed it.
    pub(crate) completed: Option<u32>,
}

/// What a PE has under way on one PE by one context.
#[derive(Default)]
pub(crate) struct Open {
    /// The batch to which the next put belongs.
    pub(crate) puts: Option<u32>,
    /// That of the next non-blocking read, which no fence orders.
    pub(crate) gets: Option<u32>,
    /// That of the data of which the next signal tells.
    pub(crate) data: Option<u32>,
    /// How many batches of puts and updates there have been.
    pub(crate) serials: u32,
    /// How many of them a fence has ordered.
    pub(crate) fenced: u32,
    /// Those that no quiet has completed.
    pub(crate) pending: Vec<u32>,
}

/// What a PE has under way.
#[derive(Default)]
pub(crate) struct Streams {
    all: Vec<(Stream, Open)>,
    /// Where those of context 0 are, by target, counted from 1. Most operations are on them.
    of_first: Vec<u32>,
    /// Where the others are.
    of_others: FxHashMap<Stream, u32>,
}

impl Streams {
    #[inline]
    fn find(&self, stream: Stream) -> Option<usize> {
        let at = match stream.ctx {
            0 => self.of_first.get(usize::from(stream.target)),
            _ => self.of_others.get(&stream),
        };
        at.and_then(|at| at.checked_sub(1)).map(|at| at as usize)
    }

    pub(crate) fn get(&self, stream: Stream) -> Option<&Open> {
        self.find(stream).map(|at| &self.all[at].1)
    }

    pub(crate) fn get_mut(&mut self, stream: Stream) -> Option<&mut Open> {
        self.find(stream).map(|at| &mut self.all[at].1)
    }

    /// That of a stream, which may be a new one.
    pub(crate) fn of(&mut self, stream: Stream) -> &mut Open {
        let at = self.find(stream).unwrap_or_else(|| {
            self.all.push((stream, Open::default()));
            let (target, at) = (usize::from(stream.target), self.all.len() as u32);
            if stream.ctx == 0 {
                self.of_first.resize(self.of_first.len().max(target + 1), 0);
                self.of_first[target] = at;
            } else {
                self.of_others.insert(stream, at);
            }
            at as usize - 1
        });
        &mut self.all[at].1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Stream, &Open)> {
        self.all.iter().map(|(stream, open)| (stream, open))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&Stream, &mut Open)> {
        self.all.iter_mut().map(|(stream, open)| (&*stream, open))
    }
}

/// The batches that matter, by number. The number of one that was forgotten is given again.
pub(crate) struct Batches {
    all: Vec<Option<Batch>>,
    free: Vec<u32>,
}

impl Batches {
    pub(crate) fn new() -> Batches {
        Batches { all: vec![None], free: Vec::new() }
    }

    /// The batch with this number; none for [`NO_BATCH`].
    pub(crate) fn get(&self, number: u32) -> Option<&Batch> {
        self.all[number as usize].as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Batch> {
        self.all[number as usize].as_mut()
    }

    /// The number of a new batch.
    pub(crate) fn add(&mut self, batch: Batch) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = Some(batch);
                number
            }
            None => {
                self.all.push(Some(batch));
                self.all.len() as u32 - 1
            }
        }
    }

    /// Forgets those that `keep` does not want.
    pub(crate) fn retain(&mut self, keep: impl Fn(u32, &Batch) -> bool) {
        for (number, slot) in (0..).zip(&mut self.all) {
            if slot.take_if(|batch| !keep(number, batch)).is_some() {
                self.free.push(number);
            }
        }
    }
}
