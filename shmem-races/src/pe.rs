//! What is kept of each PE: what it knows, and what it has under way.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::batches::Streams;
use super::clock::{Clock, Stream};
use super::why::{Synchronisation, Update};

/// How a PE may have learned of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    Meeting { place: u32, team: u64, root: Option<u16> },
    Read { place: u32, cell: (u16, u64), update: Option<Update> },
}

/// The members of each team.
pub(crate) type Teams = FxHashMap<u64, Vec<u16>>;

impl Learned {
    /// The same, as is said of a race with an access of PE `other`.
    pub(crate) fn for_race(self, teams: &Teams, other: u16) -> Synchronisation {
        match self {
            Learned::Meeting { place, team, root } => {
                let is_common = teams.get(&team).is_some_and(|members| members.contains(&other));
                Synchronisation::Meeting { place, root, is_common }
            }
            Learned::Read { place, cell: (pe, offset), update } => {
                Synchronisation::Read { place, pe, offset, update }
            }
        }
    }
}

/// How many quiets, and how many synchronisations, of a PE are kept.
const KEPT: usize = 16;

/// What is kept of a PE.
pub(crate) struct Pe {
    me: usize,
    pub(crate) clock: Clock,
    /// Whether another PE may know the present time.
    is_passed_on: bool,
    /// The same, by a call in which PEs meet.
    has_met: bool,
    /// The clock, as it is passed on.
    snapshot: Option<Rc<Clock>>,
    /// The same, with the fences of a stream.
    by_stream: FxHashMap<Stream, Rc<Clock>>,
    pub(crate) open: Streams,
    /// Whether a fence has ordered anything.
    has_fenced: bool,
    /// The last news that were learned from a cell.
    news: Option<Rc<Clock>>,
    /// For each PE, how the news came.
    sources: Vec<Option<Learned>>,
    /// The last quiets: when, the context, and the PE if it was of one.
    quiets: VecDeque<(u32, u32, Option<u16>)>,
    /// The last calls in which it may have learned of others, and the time of what it does after.
    synchronisations: VecDeque<(u32, Learned)>,
    /// By line, the time when it was there first.
    first_times: FxHashMap<u32, u32>,
    last_place: Option<u32>,
}

impl Pe {
    pub(crate) fn new(me: usize, n_pes: usize) -> Pe {
        let mut clock = Clock::new(n_pes);
        // Nobody knows of it yet.
        clock.times[me] = 1;
        Pe {
            me,
            clock,
            is_passed_on: false,
            has_met: false,
            snapshot: None,
            by_stream: FxHashMap::default(),
            open: Streams::default(),
            has_fenced: false,
            news: None,
            sources: vec![None; n_pes],
            quiets: VecDeque::new(),
            synchronisations: VecDeque::new(),
            first_times: FxHashMap::default(),
            last_place: None,
        }
    }

    /// The time of something that is over when it returns: one that no other PE knows yet.
    pub(crate) fn time(&mut self) -> u32 {
        let me = self.me;
        self.has_met = false;
        if std::mem::take(&mut self.is_passed_on) {
            self.clock.times[me] += 1;
            self.changed();
        }
        self.clock.times[me]
    }

    /// The time of an atomic update that is under way. It passes on the time itself, and a new time for
    /// each would fill the memory. So only the first after a meeting has one, for the explanation of
    /// a race: what orders the update is not its time.
    pub(crate) fn time_of_update(&mut self) -> u32 {
        if self.has_met { self.time() } else { self.clock.times[self.me] }
    }

    /// The time of the next such thing.
    fn next_time(&self) -> u32 {
        self.clock.times[self.me] + u32::from(self.is_passed_on)
    }

    fn changed(&mut self) {
        self.snapshot = None;
        self.by_stream.clear();
    }

    /// What this PE passes on where PEs meet.
    pub(crate) fn snapshot(&mut self) -> Rc<Clock> {
        self.has_met = true;
        self.passed_on()
    }

    fn passed_on(&mut self) -> Rc<Clock> {
        self.is_passed_on = true;
        self.snapshot.get_or_insert_with(|| Rc::new(self.clock.clone())).clone()
    }

    /// What this PE passes on by an update of the stream: also what its fences have ordered.
    pub(crate) fn snapshot_by(&mut self, stream: Stream) -> Rc<Clock> {
        let fenced = self.fenced(stream);
        if fenced == 0 {
            return self.passed_on();
        }
        self.is_passed_on = true;
        let by_stream = self.by_stream.entry(stream).or_insert_with(|| {
            let mut clock = self.clock.clone();
            clock.arrived.entry(stream).or_default().add_all_before(fenced);
            Rc::new(clock)
        });
        by_stream.clone()
    }

    /// The same by a signal, after the batch of its data.
    pub(crate) fn snapshot_after(&mut self, stream: Stream, data: u32) -> Rc<Clock> {
        self.is_passed_on = true;
        let mut clock = self.clock.clone();
        let arrived = clock.arrived.entry(stream).or_default();
        arrived.add_all_before(self.fenced(stream));
        arrived.add(data);
        Rc::new(clock)
    }

    /// How many batches of a stream a fence has ordered.
    pub(crate) fn fenced(&self, stream: Stream) -> u32 {
        if self.has_fenced { self.open.get(stream).map_or(0, |open| open.fenced) } else { 0 }
    }

    /// Orders what was put by a context before what is put after.
    pub(crate) fn fence(&mut self, ctx: u32) {
        for (stream, open) in self.open.iter_mut().filter(|(stream, _)| stream.ctx == ctx) {
            if open.fenced < open.serials {
                (open.puts, open.data) = (None, None);
                open.fenced = open.serials;
                self.has_fenced = true;
                self.by_stream.remove(stream);
            }
        }
    }

    /// An update of the stream is over: so what its fences have ordered has arrived.
    pub(crate) fn learn_own_fences(&mut self, stream: Stream) {
        let fenced = self.fenced(stream);
        let arrived = self.clock.arrived.get(&stream);
        if fenced > 0 && arrived.is_none_or(|arrived| !arrived.has_all_before(fenced)) {
            self.clock.arrived.entry(stream).or_default().add_all_before(fenced);
            self.changed();
        }
    }

    /// Adds what the updates of a cell have passed on. Many cells have the same.
    pub(crate) fn learn_once(&mut self, news: &Rc<Clock>, source: Learned) {
        if !self.news.as_ref().is_some_and(|known| Rc::ptr_eq(known, news)) {
            self.learn(news, source);
            self.news = Some(news.clone());
        }
    }

    /// Adds what another PE has passed on.
    pub(crate) fn learn(&mut self, news: &Clock, source: Learned) {
        if self.clock.covers(news) {
            return;
        }
        for ((source_of, mine), theirs) in self.sources.iter_mut().zip(&self.clock.times).zip(&news.times) {
            if mine < theirs {
                *source_of = Some(source);
            }
        }
        self.clock.join(news);
        self.changed();
    }

    /// How this PE has learned last of what PE `other` did.
    pub(crate) fn learned_of(&self, other: usize) -> Option<Learned> {
        self.sources[other]
    }

    /// Keeps a quiet for the explanation of a race.
    pub(crate) fn note_quiet(&mut self, ctx: u32, pe: Option<u16>) {
        let quiet = (self.next_time(), ctx, pe);
        if self.quiets.back() != Some(&quiet) {
            self.quiets.push_back(quiet);
            if self.quiets.len() > KEPT {
                self.quiets.pop_front();
            }
        }
    }

    /// The last quiets: when, the context, and the PE if it was of one.
    pub(crate) fn quiets(&self) -> impl Iterator<Item = (u32, u32, Option<u16>)> {
        self.quiets.iter().copied()
    }

    /// Keeps a synchronisation for the explanation of a race.
    pub(crate) fn note_synchronisation(&mut self, learned: Learned) {
        let place = |learned: &Learned| match *learned {
            Learned::Meeting { place, .. } | Learned::Read { place, .. } => place,
        };
        if let Some((_, last)) = self.synchronisations.back_mut()
            && place(last) == place(&learned)
        {
            *last = learned;
            return;
        }
        // So that what comes after it has another time than what came before.
        self.is_passed_on = true;
        self.synchronisations.push_back((self.next_time(), learned));
        if self.synchronisations.len() > KEPT {
            self.synchronisations.pop_front();
        }
    }

    /// The last synchronisation before an access at this time.
    pub(crate) fn synchronised_before(&self, time: u32) -> Option<Learned> {
        let before = self.synchronisations.iter().rev().find(|(next, _)| *next <= time);
        before.map(|(_, learned)| *learned)
    }

    /// Keeps when the PE was at a line first.
    #[inline]
    pub(crate) fn note_place(&mut self, place: u32, time: u32) {
        if self.last_place != Some(place) {
            self.last_place = Some(place);
            self.first_times.entry(place).or_insert(time);
        }
    }

    /// Whether it was at this line before `time`, and one that knows what it did until `known` knows of
    /// that.
    pub(crate) fn was_at(&self, place: u32, time: u32, known: u32) -> bool {
        self.first_times.get(&place).is_some_and(|first| *first < time && *first <= known)
    }
}
