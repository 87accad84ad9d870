//! What the PEs compare, so that PEs that disagree get a message and not a hang or wrong results.
//!
//! | what | when | with whom |
//! |---|---|---|
//! | the layout of the statics | at the start ([`compare_layouts`]) | the next PE |
//! | calls on the symmetric heap | in every run ([`ComparedCalls`]) | all PEs |
//! | collective calls of a team | in checked runs ([`ComparedCalls`]) | all PEs of the team |
//! | arguments of a split or of a library routine | in every run ([`hash`]) | all PEs of the team |
//!
//! A call is compared by a record that each PE writes in its own heap. Where all PEs are directly
//! addressable, they synchronise, and each reads the records of the others. Elsewhere the messages of
//! the synchronisation carry the lowest and the highest hash of the calls, so each PE learns at
//! once, or in log2(n) rounds, whether all are the same. Only if they are not, it reads records until it finds
//! another call. The arguments of the last row are hashed, and the hash travels with values that the
//! call exchanges anyway. PEs that do not come to the same meeting compare nothing:
//! `transport::node::deadlock` finds those.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;

use super::bytes::{get_bytes, get_words, put_bytes, put_words};
use super::direct;
use super::objects::beginning;
use super::team::Team;
use super::team::rounds::WORDS;
use crate::system::error::Error;
use crate::system::place::{self, Stored};
use crate::transport::layout::{HEAP_CALLS, LAYOUT, RECORD_SIZE, TEAM_CALLS};
use crate::transport::{Endpoint, Facts, Run, Transport};

/// A hash that is the same on all PEs for equal values: all PEs run the same build, and this
/// hasher's keys are fixed.
pub(crate) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A collective call of a team: all PEs of the team must make the same.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) what: &'static str,
    /// The operation, where `what` is not its name.
    operation: &'static str,
    /// The type of the elements.
    element: &'static str,
    /// The size of an element in bytes.
    #[cfg(feature = "tracing")]
    size: usize,
    /// The number of elements; `None` where it may differ between PEs.
    count: Option<usize>,
    pub(super) root: Option<usize>,
    /// Whether the root is the one that gets the elements.
    gives_to_root: bool,
    /// What the program has written after the source: ` to ready`, or nothing.
    to_ready: &'static str,
    /// The offsets of the destination and the source.
    offsets: (usize, usize),
    /// Their shapes.
    shapes: (CallShape, CallShape),
    pub(crate) place: &'static Location<'static>,
}

/// Which elements of an object take part in a call, from its offset on. All zeros where they lie side by side, or nothing
/// is compared.
#[derive(Clone, Copy, Default, Hash)]
pub(crate) struct CallShape {
    /// A hash of how many elements there are on each axis, and of their distances.
    hash: u64,
    /// How many there are on the last axis and on the one before, and their distances in bytes. Those of more axes are in
    /// the hash alone.
    row: (u32, u32),
    rows: (u32, u32),
}

impl CallShape {
    /// That of the axes of a region.
    pub(crate) fn of(runs: &[Run]) -> CallShape {
        // Of one element it does not matter how far the next one would be.
        let all: Vec<_> =
            runs.iter().filter(|run| run.count != 1).map(|run| (run.count, run.stride)).collect();
        let mut axes = all.iter().rev().map(|(count, stride)| (*count as u32, *stride as u32));
        let mut next = || axes.next().unwrap_or_default();
        CallShape { row: next(), rows: next(), hash: hash(all) }
    }
}

impl fmt::Display for CallShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hash == 0 {
            return Ok(());
        }
        write!(f, ", {} in a row and {} bytes apart", self.row.0, self.row.1)?;
        match self.rows {
            (0, _) => Ok(()),
            (rows, apart) => write!(f, ", {rows} rows {apart} bytes apart"),
        }
    }
}

impl Call {
    pub(crate) fn new(what: &'static str, place: &'static Location<'static>) -> Call {
        Call {
            what,
            operation: "",
            element: "",
            #[cfg(feature = "tracing")]
            size: 0,
            count: None,
            root: None,
            gives_to_root: false,
            to_ready: "",
            offsets: (0, 0),
            shapes: Default::default(),
            place,
        }
    }

    /// Adds the operation that combines the values.
    pub(crate) fn with(self, operation: &'static str) -> Call {
        Call { operation, ..self }
    }

    /// Adds the element type `T`.
    pub(crate) fn of<T>(self) -> Call {
        Call {
            element: std::any::type_name::<T>(),
            #[cfg(feature = "tracing")]
            size: size_of::<T>(),
            ..self
        }
    }

    /// The bytes of the elements, where their number is the same on all PEs.
    #[cfg(feature = "tracing")]
    pub(super) fn bytes(&self) -> Option<usize> {
        self.count.map(|count| count * self.size)
    }

    /// Adds the number of elements, which is the same on all PEs.
    pub(crate) fn count(self, count: usize) -> Call {
        Call { count: Some(count), ..self }
    }

    /// Adds the offsets and the shapes of the destination and the source, which are the same on all PEs.
    pub(crate) fn places(self, to: (usize, CallShape), from: (usize, CallShape)) -> Call {
        Call { offsets: (to.0, from.0), shapes: (to.1, from.1), ..self }
    }

    /// Adds the offset of the destination, which is the same on all PEs; the source may differ.
    pub(crate) fn destination(self, to: usize) -> Call {
        Call { offsets: (to, 0), ..self }
    }

    /// Adds the root, which is the same on all PEs.
    pub(crate) fn root(self, root: usize) -> Call {
        Call { root: Some(root), ..self }
    }

    /// Adds the root that gets the elements, which is the same on all PEs.
    pub(crate) fn to_root(self, root: usize) -> Call {
        Call { root: Some(root), gives_to_root: true, ..self }
    }

    /// Adds that the program says that all destinations are ready, and whether the ranges of the two places overlap.
    pub(crate) fn to_ready(self, overlap: bool) -> Call {
        Call { to_ready: if overlap { " to ready, with ranges that overlap" } else { " to ready" }, ..self }
    }

    /// What the other PEs compare with theirs.
    pub(crate) fn statement(&self) -> Statement {
        let Call { what, operation, element, count, root, to_ready, offsets, shapes, place, .. } = *self;
        let identity = (what, operation, element, count, root, to_ready, offsets, shapes);
        let number = place::noted().map_or_else(|| hash(place), hash);
        Statement { place: number, ..Statement::new(identity, format_args!("is in {self}"), place) }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A `what` with a space is a description and not a routine's name.
        if self.what.contains(' ') {
            f.write_str(self.what)?;
        } else {
            write!(f, "`{}`", self.what)?;
        }
        if !self.operation.is_empty() {
            write!(f, " with `{}`", self.operation)?;
        }
        match self.count {
            Some(count) => write!(f, " of {count} {}", self.element)?,
            None if !self.element.is_empty() => write!(f, " of {}", self.element)?,
            None => {}
        }
        if let Some(root) = self.root {
            write!(f, " {} PE {root}", if self.gives_to_root { "to" } else { "from" })?;
        }
        // C has no such words, and all its calls are of this kind.
        if place::noted().is_none() {
            f.write_str(self.to_ready)?;
        }
        match self.offsets {
            (0, 0) => Ok(()),
            // They may lie at the end of an object, where the next one begins.
            _ if self.count == Some(0) => Ok(()),
            (to, 0) => write!(f, " (to {})", beginning(to)),
            (to, from) => {
                let (to_shape, from_shape) = self.shapes;
                write!(f, " (from {}{from_shape}, to {}{to_shape})", beginning(from), beginning(to))
            }
        }
    }
}

/// What a PE says of a call.
pub(crate) struct Statement {
    /// A hash of what must be the same on all PEs.
    identity: u64,
    /// A hash of the place in the program, which may differ; 0 for calls on the heap.
    pub(crate) place: u64,
    /// What this PE does, and where, as it follows "PE 3" in a message. To be shown by
    /// [`place::shown`].
    pub(crate) text: String,
}

impl Statement {
    /// Two statements agree if their `identity` is equal. `what` is what this PE does, as it
    /// follows "PE 3" in a message.
    pub(crate) fn new(identity: impl Hash, what: fmt::Arguments<'_>, place: &Location<'_>) -> Statement {
        Statement { identity: hash(identity), place: 0, text: format!("{what} at {}", Stored(place)) }
    }
}

/// What a PE adds to a call that is compared, and then what all PEs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedWords {
    /// Whether this word is the same on all PEs. Before, the word of this PE.
    pub(crate) alike: u64,
    /// The least of each of these words.
    pub(crate) least: [u64; 2],
    /// The bits that are set on all PEs.
    pub(crate) common: [u64; SharedWords::COMMON],
}

impl SharedWords {
    pub(crate) const COMMON: usize = WORDS - 8;
    pub(crate) const NOTHING: SharedWords =
        SharedWords { alike: 0, least: [0; 2], common: [0; SharedWords::COMMON] };
}

/// What all PEs of a call say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreed {
    /// Whether all call from one place of the program.
    pub(crate) is_one_place: bool,
    /// Whether their word is the same.
    pub(crate) are_alike: bool,
    pub(crate) least: [u64; 2],
    pub(crate) common: [u64; SharedWords::COMMON],
}

/// What some PEs of a call say together. It does not matter in which order they are joined, or how
/// often each of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SaidTogether([u64; WORDS]);

impl SaidTogether {
    /// What the lowest and the highest of these are: the identity of the call, its place, and the word
    /// that may be alike. The least words and the common bits follow.
    const PAIRS: usize = 3;
    const LEAST: usize = 2 * SaidTogether::PAIRS;
    const COMMON: usize = SaidTogether::LEAST + 2;

    fn of_one(identity: u64, place: u64, SharedWords { alike, least, common }: &SharedWords) -> SaidTogether {
        let mut words = [0; WORDS];
        words[..SaidTogether::LEAST].copy_from_slice(&[identity, identity, place, place, *alike, *alike]);
        words[SaidTogether::LEAST..SaidTogether::COMMON].copy_from_slice(least);
        words[SaidTogether::COMMON..].copy_from_slice(common);
        SaidTogether(words)
    }

    fn join(&mut self, other: &SaidTogether) {
        for (i, (word, other)) in self.0.iter_mut().zip(other.0).enumerate() {
            *word = match i {
                i if i >= SaidTogether::COMMON => *word & other,
                i if i >= SaidTogether::LEAST || i.is_multiple_of(2) => other.min(*word),
                _ => other.max(*word),
            };
        }
    }

    /// Joins a PE that makes another call.
    fn join_another(&mut self) {
        (self.0[0], self.0[1]) = (0, u64::MAX);
    }

    /// Whether all make the same call.
    fn is_agreed(&self) -> bool {
        self.0[0] == self.0[1]
    }

    fn agreed(&self) -> Agreed {
        let [_, _, a, b, c, d, rest @ ..] = self.0;
        let (least, common) = rest.split_at(2);
        Agreed {
            is_one_place: a == b,
            are_alike: c == d,
            least: least.try_into().expect("two words"),
            common: common.try_into().expect("the rest of the words"),
        }
    }
}

/// What a PE has left of a call for the others to read.
pub(crate) struct Record {
    number: u64,
    identity: u64,
    pub(crate) place: u64,
    /// The length of the text in bytes.
    text_len: u64,
    /// What it says.
    said: SaidTogether,
}

impl Record {
    /// The number of the call, its identity, its place, the length of the text, and what the PE says.
    const WORDS: usize = 4 + WORDS;
    /// Where the text is.
    const TEXT: usize = Record::WORDS * size_of::<u64>();
    const TEXT_SIZE: usize = RECORD_SIZE - Record::TEXT;
}

/// Whose calls are compared.
enum Caller {
    /// All PEs, on the symmetric heap.
    Job,
    /// The members of a team, on the team.
    Team,
}

/// The calls that the same PEs compare with each other, one after the other.
pub(crate) struct ComparedCalls {
    of: Caller,
    /// The offset of two slots for records in the heap of each PE.
    offset: usize,
    /// The number of the current call, from 1 on: so unwritten memory is never taken for a record.
    number: u64,
    /// The slot of the current record. The slots are used alternately, because no PE waits after it
    /// has read: a PE that writes the third record has met all PEs in the second meeting, so all
    /// have read the first record.
    slot: usize,
}

impl ComparedCalls {
    /// Those of all PEs on the symmetric heap.
    pub(crate) fn on_heap() -> ComparedCalls {
        ComparedCalls { of: Caller::Job, offset: HEAP_CALLS, number: 0, slot: 0 }
    }

    /// Those on a team whose slot is at `offset`.
    pub(crate) fn on_team(offset: usize) -> ComparedCalls {
        ComparedCalls { of: Caller::Team, offset: offset + TEAM_CALLS, number: 0, slot: 0 }
    }

    /// Begins the next call.
    pub(crate) fn begin(&mut self) {
        self.number += 1;
    }

    /// All members of `team` compare their statements of the current call, and join what they say
    /// besides. They meet, on the heap in a barrier. A call may do so several times. Collective.
    ///
    /// # Errors
    ///
    /// In words, when the PEs disagree.
    pub(crate) fn agree(
        &mut self,
        transport: &dyn Transport,
        team: &Team,
        mine: &Statement,
        shared: SharedWords,
    ) -> Result<Agreed, String> {
        let mut said = SaidTogether::of_one(hash((self.number, mine.identity)), mine.place, &shared);
        self.publish(transport, mine, &said);
        let completes = matches!(self.of, Caller::Job);
        let is_far = team.combine(transport, completes, &mut said.0, |words, theirs, _| {
            let mut said = SaidTogether(*words);
            match theirs {
                Some(theirs) => said.join(&SaidTogether(*theirs)),
                None => said.join_another(),
            }
            *words = said.0;
        });
        if is_far && said.is_agreed() {
            return Ok(said.agreed());
        }
        if !is_far {
            if completes { team.barrier_unchecked() } else { team.sync_unchecked() }
        }
        for rank in 0..team.n_pes() {
            let pe = team.members.pe(rank);
            let record = self.record(transport, pe);
            if (record.number, record.identity) != (self.number, mine.identity) {
                // A record with another number is an old one: the PE is in a call that writes none.
                let theirs = (record.number == self.number).then(|| self.text(transport, pe, &record));
                return Err(self.disagreement((team.my_pe(), &mine.text), (Some(rank), theirs)));
            }
            if !is_far {
                said.join(&record.said);
            }
        }
        if is_far {
            // A PE was in a call of another kind, and has come to this one since.
            return Err(self.disagreement((team.my_pe(), &mine.text), (None, None)));
        }
        Ok(said.agreed())
    }

    /// Writes this PE's record of the current call.
    fn publish(&mut self, transport: &dyn Transport, mine: &Statement, said: &SaidTogether) {
        self.slot ^= 1;
        let text = &mine.text.as_bytes()[..mine.text.len().min(Record::TEXT_SIZE)];
        let mut words = [0; Record::WORDS];
        words[..4].copy_from_slice(&[self.number, mine.identity, mine.place, text.len() as u64]);
        words[4..].copy_from_slice(&said.0);
        put_words(transport, direct::my_pe(), self.at(), &words);
        put_bytes(transport, direct::my_pe(), self.at() + Record::TEXT, text);
    }

    /// What `pe` of the job has left of the current call.
    pub(crate) fn record(&self, transport: &dyn Transport, pe: usize) -> Record {
        let mut words = [0; Record::WORDS];
        get_words(transport, pe, self.at(), &mut words);
        let [number, identity, place, text_len, said @ ..] = words;
        Record { number, identity, place, text_len, said: SaidTogether(said) }
    }

    /// The text of `record`, that of `pe` of the job, as it is shown.
    pub(crate) fn text(&self, transport: &dyn Transport, pe: usize, record: &Record) -> String {
        let mut text = vec![0; Record::TEXT_SIZE.min(record.text_len as usize)];
        get_bytes(transport, pe, self.at() + Record::TEXT, &mut text);
        place::shown(&String::from_utf8_lossy(&text))
    }

    fn at(&self) -> usize {
        self.offset + self.slot * RECORD_SIZE
    }

    /// `theirs` is `None` where the other PE has written no record, and `pe` where it is not known any
    /// more.
    #[cold]
    fn disagreement(
        &self,
        (me, mine): (usize, &str),
        (pe, theirs): (Option<usize>, Option<String>),
    ) -> String {
        let number = self.number;
        let (call, unknown, rule) = match self.of {
            Caller::Job => (
                format!("in collective memory call number {number},"),
                "makes a collective call of another kind (SHMEM_CHECK=1 says which, and where)",
                "every PE must allocate and free the same arrays, of the same size, in the same order",
            ),
            Caller::Team => (
                format!("on collective call number {number} of the team:"),
                "is in a collective call of another kind",
                "every PE of a team must make the same collective calls, with the same arguments, in the same order",
            ),
        };
        let (mine, theirs) = (place::shown(mine), theirs.as_deref().unwrap_or(unknown));
        let other = pe.map_or_else(|| "another PE".to_owned(), |pe| format!("PE {pe}"));
        format!("{call} PE {me} {mine}, and {other} {theirs}; {rule}")
    }
}

/// Compares the layout of the statics, of which `layout` is a hash. Collective; no PE returns
/// before all have compared.
pub(crate) fn compare_layouts(endpoint: &Endpoint, layout: u64) -> Result<(), Error> {
    let Endpoint { transport, meetings, facts: Facts { my_pe: me, n_pes, .. }, .. } = *endpoint;
    put_words(transport, me, LAYOUT, &[layout]);
    meetings.barrier_all();
    // Each PE compares itself with the next PE alone: where not all are alike, some two neighbours
    // differ. To compare with all PEs would take time, and page tables, for each PE in each PE.
    let next = (me + 1) % n_pes;
    let mut other = [0];
    get_words(transport, next, LAYOUT, &mut other);
    if other[0] != layout {
        return Err(Error::Disagreement {
            reason: format!(
                "the symmetric statics of PE {next} are not those of PE {me}; every PE must run the same build of the \
                 same program"
            ),
        });
    }
    meetings.barrier_all();
    Ok(())
}
