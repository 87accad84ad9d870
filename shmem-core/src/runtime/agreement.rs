//! What the PEs compare, so that PEs that disagree get a message and not a hang or wrong results.
//!
//! | what | when | with whom |
//! |---|---|---|
//! | the layout of the statics | at the start ([`compare_layouts`]) | the next PE |
//! | calls on the symmetric heap | in every run ([`ComparedCalls`]) | all PEs |
//! | collective calls of a team | in checked runs ([`ComparedCalls`]) | all PEs of the team |
//! | arguments of a split or of a library routine | in every run ([`hash`]) | all PEs of the team |
//!
//! A call is compared by a record that each PE writes in its own heap. All PEs synchronise, and
//! each reads the records of the others. The arguments of the last row are hashed, and the hash
//! travels with values that the call exchanges anyway. PEs that do not come to the same meeting
//! compare nothing: `transport::node::deadlock` finds those.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;

use super::bytes::{get_bytes, get_words, put_bytes, put_words};
use crate::system::error::Error;
use crate::system::place::{self, Stored};
use crate::transport::layout::{HEAP_CALLS, LAYOUT, RECORD_SIZE, TEAM_CALLS};
use crate::transport::{Endpoint, Facts, Members, Transport};

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
    /// The offsets of the destination and the source.
    offsets: (usize, usize),
    pub(crate) place: &'static Location<'static>,
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
            offsets: (0, 0),
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

    /// Adds the offsets of the destination and the source, which are the same on all PEs.
    pub(crate) fn places(self, to: usize, from: usize) -> Call {
        Call { offsets: (to, from), ..self }
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

    /// What the other PEs compare with theirs.
    pub(crate) fn statement(&self) -> Statement {
        let Call { what, operation, element, count, root, offsets, place, .. } = *self;
        let identity = (what, operation, element, count, root, offsets);
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
        match self.offsets {
            (0, 0) => Ok(()),
            (to, 0) => write!(f, " (to heap offset {to})"),
            (to, from) => write!(f, " (heap offsets {from} to {to})"),
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

/// What a PE has left of a call for the others to read.
pub(crate) struct Record {
    pub(crate) place: u64,
    /// The length of the text in bytes.
    text_len: u64,
    /// What it tells besides.
    pub(crate) extra: [u64; Record::EXTRA],
}

impl Record {
    /// How many words a PE can add to a record.
    pub(crate) const EXTRA: usize = 3;
    /// With the number of the call and its identity.
    const WORDS: usize = 4 + Record::EXTRA;
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
    pub(crate) slot: usize,
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

    /// Writes this PE's record of the current call. All PEs then have to synchronise before they
    /// [compare](ComparedCalls::compare). A call may do both several times.
    pub(crate) fn publish(
        &mut self,
        transport: &dyn Transport,
        me: usize,
        mine: &Statement,
        [x, y, z]: [u64; Record::EXTRA],
    ) {
        self.slot ^= 1;
        let text = &mine.text.as_bytes()[..mine.text.len().min(Record::TEXT_SIZE)];
        let words = [self.number, mine.identity, mine.place, text.len() as u64, x, y, z];
        put_words(transport, me, self.at(), &words);
        put_bytes(transport, me, self.at() + Record::TEXT, text);
    }

    /// Compares the records of all `members`, of which this PE is number `me` and has published
    /// `mine`. Returns the records in the order of the members.
    ///
    /// # Errors
    ///
    /// In words, when the PEs disagree.
    pub(crate) fn compare(
        &self,
        transport: &dyn Transport,
        members: &Members,
        me: usize,
        mine: &Statement,
    ) -> Result<Vec<Record>, String> {
        let read = |pe| {
            let mut words = [0; Record::WORDS];
            get_words(transport, members.pe(pe), self.at(), &mut words);
            let [number, identity, place, text_len, extra @ ..] = words;
            let record = Record { place, text_len, extra };
            if (number, identity) == (self.number, mine.identity) {
                return Ok(record);
            }
            // A record with another number is an old one: the PE is in a call that writes none.
            let theirs = (number == self.number).then(|| self.text(transport, members.pe(pe), &record));
            Err(self.disagreement((me, &mine.text), (pe, theirs)))
        };
        (0..members.len()).map(read).collect()
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

    /// `theirs` is `None` where the other PE has written no record.
    #[cold]
    fn disagreement(&self, (me, mine): (usize, &str), (pe, theirs): (usize, Option<String>)) -> String {
        let number = self.number;
        let (call, unknown, rule) = match self.of {
            Caller::Job => (
                format!("in collective memory call number {number},"),
                "makes a collective call of another kind (SHMEM_CHECK=1 says which, and where)",
                "every PE must allocate and free the same arrays in the same order",
            ),
            Caller::Team => (
                format!("on collective call number {number} of the team:"),
                "is in a collective call of another kind",
                "every PE of a team must make the same collective calls in the same order",
            ),
        };
        let (mine, theirs) = (place::shown(mine), theirs.as_deref().unwrap_or(unknown));
        format!("{call} PE {me} {mine}, and PE {pe} {theirs}; {rule}")
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

/// Compares hashes of the arguments of `what`, those of all PEs of a team, of which this PE is
/// number `me`.
pub(crate) fn compare_arguments(what: &str, me: usize, all: &[u64]) -> Result<(), Error> {
    let Some(pe) = all.iter().position(|other| *other != all[me]) else { return Ok(()) };
    Err(Error::Disagreement {
        reason: format!(
            "in {what}, PE {me} of the team gives other arguments than PE {pe}; every PE of the team must give the same"
        ),
    })
}
