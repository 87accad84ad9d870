//! What a PE does, as far as it matters for the order of accesses.

/// One thing that a PE did. The events of a PE come in the order of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It accessed a symmetric object.
    Access(Access),
    /// It ordered its puts and updates of a context, for each target PE by itself.
    Fence {
        /// The context.
        ctx: u32,
    },
    /// It completed its operations of a context.
    Quiet {
        /// The context.
        ctx: u32,
    },
    /// It completed its operations of a context on one PE.
    PeQuiet {
        /// The context.
        ctx: u32,
        /// The target PE.
        pe: u16,
    },
    /// It completed its operations of all contexts.
    QuietAll,
    /// It came to a meeting.
    Arrive(Meeting),
    /// It left the meeting.
    Leave {
        /// The meeting.
        meeting: Meeting,
        /// The call, as a number that the names of the report know.
        place: u32,
    },
    /// Its copy of these bytes becomes a new object.
    Renew {
        /// Where it begins in the heap.
        offset: u64,
        /// How many bytes.
        len: u64,
        /// The line of the program that asked for it.
        place: u32,
    },
}

/// A place in a queue. The turns of a queue are counted from 0, without a gap, over all PEs. What has
/// a turn happened in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The number of the queue.
    pub queue: u32,
    /// The number in the queue.
    pub number: u64,
}

/// An access to the copy of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is done.
    pub kind: Kind,
    /// Whose copy it is.
    pub pe: u16,
    /// The context.
    pub ctx: u32,
    /// Which bytes.
    pub span: Span,
    /// The line of the program, as a number that the names of the report know.
    pub place: u32,
    /// The order of the atomic operations; `None` for others.
    pub turn: Option<Turn>,
    /// Whether it is a part of a put with signal.
    pub part: Part,
    /// Whether anything can race with it. Nothing does with an atomic operation on a cell that no
    /// other access reaches, by its type, and that is complete before the memory becomes a new object.
    /// Such an operation only passes on what its PE knows.
    pub can_race: bool,
}

/// What an access is of a put with signal (`shmem_put_signal`). The signal is ordered after its data,
/// and after nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is none.
    Whole,
    /// It puts data; there may be several before the signal.
    Data,
    /// It updates the signal, of the same PE and context.
    Signal,
}

/// Bytes in the heap of a PE: `count` pieces of `len` bytes, the starts of which are `stride` bytes
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where the first begins.
    pub offset: u64,
    /// The bytes of a piece.
    pub len: u32,
    /// The number of pieces.
    pub count: u32,
    /// From the start of one piece to that of the next, in bytes.
    pub stride: u64,
}

impl Span {
    /// Contiguous bytes.
    pub fn contiguous(offset: u64, len: u32) -> Span {
        Span { offset, len, count: 1, stride: 0 }
    }

    /// The pieces, each as its start and its length.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, u32)> {
        let Span { offset, len, count, stride } = *self;
        (0..u64::from(count)).map(move |piece| (offset + piece * stride, len))
    }
}

/// The kinds of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A read of the PE's own copy, by a load.
    Load,
    /// A write that is over when it returns: a store to the PE's own copy, or by a collective call to another's.
    Store,
    /// A read that is over when it returns.
    Get,
    /// A read that is over after a quiet.
    GetNbi,
    /// A write that is complete after a quiet.
    Put,
    /// An atomic read.
    AtomicFetch,
    /// An atomic write that is complete after a quiet.
    AtomicSet,
    /// An atomic update of which nothing comes back; complete after a quiet.
    AtomicUpdate,
    /// An atomic update that returns a value.
    AtomicFetchUpdate,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 9] = [
        Kind::Load,
        Kind::Store,
        Kind::Get,
        Kind::GetNbi,
        Kind::Put,
        Kind::AtomicFetch,
        Kind::AtomicSet,
        Kind::AtomicUpdate,
        Kind::AtomicFetchUpdate,
    ];

    /// Whether it changes the object.
    pub fn writes(self) -> bool {
        !matches!(self, Kind::Load | Kind::Get | Kind::GetNbi | Kind::AtomicFetch)
    }

    /// Whether it is an atomic operation.
    pub fn is_atomic(self) -> bool {
        use Kind::{AtomicFetch, AtomicFetchUpdate, AtomicSet, AtomicUpdate};
        matches!(self, AtomicFetch | AtomicSet | AtomicUpdate | AtomicFetchUpdate)
    }

    /// Whether the PE sees the value, so that it knows of the update that wrote it.
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Kind::AtomicFetch | Kind::AtomicFetchUpdate)
    }

    /// Whether it may be under way when the call has returned: until the context's next quiet. A PE
    /// updates its own cells at once.
    pub fn is_pending(self, of_own_copy: bool) -> bool {
        match self {
            Kind::Put | Kind::GetNbi => true,
            Kind::AtomicSet | Kind::AtomicUpdate => !of_own_copy,
            _ => false,
        }
    }

    /// Whether a fence orders it.
    pub(crate) fn is_ordered_by_fences(self) -> bool {
        matches!(self, Kind::Put | Kind::AtomicSet | Kind::AtomicUpdate | Kind::AtomicFetchUpdate)
    }
}

/// One time at which members of a team meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meeting {
    /// The number of the team, the same on all members, and never that of another team.
    pub team: u64,
    /// How often its members have met before.
    pub visit: u32,
    /// How many PEs the team has.
    pub members: u16,
    /// The PE that the others wait for; `None` if all wait for all.
    pub root: Option<u16>,
}
