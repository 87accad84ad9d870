//! What the program does, for those who want to know: the [statistics](super::statistics), a
//! [trace](super::recorder), the search for [races](super::races) and, with the feature `tracing`, the
//! program's own [subscriber](super::events).
//!
//! Where one of them wants operations, every operation goes through the transport, where
//! [`Observed`](super::observed::Observed) sees it. In other runs operations are not seen, at no
//! cost.
//!
//! The transport knows neither objects nor lines. But each operation looks up the way to its target
//! just before, and the [look-up](super::direct) then finds that nothing may be accessed without a
//! word: it takes down what is accessed and where, for its thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

use super::agreement::Call;
use super::races::{MeetingScope, PairMeetings};
use super::recorder::notes::TimeUse;
use super::recorder::{self, RecordedSpan};
use super::{direct, events, races, statistics};
use crate::transport::{Amo, Combine, Members};

thread_local! {
    /// How many collective calls this thread is in.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// What this thread accesses, or the collective call that it is in.
    static DOING: RefCell<Doing> = const { RefCell::new(Doing::NOTHING) };
}

/// Whether the statistics, a trace or the search for races wants operations, for the whole run.
static WANTED: AtomicBool = AtomicBool::new(false);

/// What a thread of the program does.
pub(super) struct Doing {
    /// The collective call, where it is one.
    pub(super) what: &'static str,
    /// The object, where it is an access.
    pub(super) object: String,
    /// What tells the object from others, where it is not formatted.
    stands_for: usize,
    /// Whether it is a look at a cell, of a wait or a test.
    is_look: bool,
    pub(super) at: Option<&'static Location<'static>>,
    /// The place in this crate that was seen last.
    inner: Option<&'static Location<'static>>,
}

impl Doing {
    const NOTHING: Doing =
        Doing { what: "", object: String::new(), stands_for: 0, is_look: false, at: None, inner: None };
}

/// The folder of the files of this crate.
const SOURCES: &str = file!().split_at(file!().len() - "runtime/observe.rs".len()).0;

/// Calls `act` with what this thread does. Of a thread that ends, nothing is known any more: it may
/// still drop the guard of a lock.
fn doing<R>(act: impl FnOnce(&RefCell<Doing>) -> R) -> R {
    let mut act = Some(act);
    let mut call = |doing: &RefCell<Doing>| act.take().map(|act| act(doing));
    let done = DOING.try_with(&mut call).ok().flatten();
    done.or_else(|| call(&RefCell::new(Doing::NOTHING))).expect("it is called once")
}

/// Something that lasts. A subscriber sees it as a span, which is entered as long as this lives.
pub(crate) struct ObservedSpan {
    #[cfg(feature = "tracing")]
    pub(super) entered: Option<tracing::span::EnteredSpan>,
    pub(super) recorded: RecordedSpan,
}

impl ObservedSpan {
    /// Nothing that lasts.
    #[inline(always)]
    pub(crate) const fn none() -> ObservedSpan {
        ObservedSpan {
            #[cfg(feature = "tracing")]
            entered: None,
            recorded: RecordedSpan::none(),
        }
    }

    /// A subscriber's span, which is also one of `activity` with `name`, `at` this place.
    fn also(
        mut self,
        activity: TimeUse,
        name: impl FnOnce() -> String,
        at: Option<&'static Location<'static>>,
    ) -> ObservedSpan {
        if is_wanted() {
            self.recorded = recorder::span(activity, name, 0, at);
        }
        self
    }
}

/// The kinds of operations on a target PE, in the order in which they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Put,
    Get,
    Iput,
    Iget,
    Fetch,
    Set,
    Swap,
    CompareSwap,
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    CollectivePut,
    CollectiveGet,
}

impl OperationKind {
    pub(super) const ALL: [OperationKind; 16] = {
        use OperationKind::*;
        [
            Put,
            Get,
            Iput,
            Iget,
            Fetch,
            Set,
            Swap,
            CompareSwap,
            Add,
            And,
            Or,
            Xor,
            Min,
            Max,
            CollectivePut,
            CollectiveGet,
        ]
    };

    /// Their names.
    pub(crate) const NAMES: [&str; 16] = [
        "put",
        "get",
        "iput",
        "iget",
        "atomic_fetch",
        "atomic_set",
        "atomic_swap",
        "atomic_compare_swap",
        "atomic_add",
        "atomic_and",
        "atomic_or",
        "atomic_xor",
        "atomic_min",
        "atomic_max",
        "put in collectives",
        "get in collectives",
    ];

    pub(crate) fn of(op: Amo) -> OperationKind {
        match op {
            Amo::Fetch => OperationKind::Fetch,
            Amo::Set(_) => OperationKind::Set,
            Amo::Swap(_) => OperationKind::Swap,
            Amo::CompareSwap { .. } => OperationKind::CompareSwap,
            Amo::Add(_) | Amo::Combine(Combine::AddFloats, _) => OperationKind::Add,
            Amo::And(_) => OperationKind::And,
            Amo::Or(_) => OperationKind::Or,
            Amo::Xor(_) => OperationKind::Xor,
            Amo::Combine(Combine::Min(_), _) => OperationKind::Min,
            Amo::Combine(Combine::Max(_), _) => OperationKind::Max,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        OperationKind::NAMES[self as usize]
    }

    pub(crate) fn is_atomic(self) -> bool {
        use OperationKind::{CollectiveGet, CollectivePut, Get, Iget, Iput, Put};
        !matches!(self, Put | Get | Iput | Iget | CollectivePut | CollectiveGet)
    }

    /// Whether it writes to the target, or may.
    pub(super) fn writes(self) -> bool {
        use OperationKind::{CollectiveGet, Fetch, Get, Iget};
        !matches!(self, Get | Iget | Fetch | CollectiveGet)
    }

    /// The kind, where the operation is part of a collective call.
    fn in_collectives(self) -> OperationKind {
        match self {
            OperationKind::Put | OperationKind::Iput => OperationKind::CollectivePut,
            OperationKind::Get | OperationKind::Iget => OperationKind::CollectiveGet,
            kind => kind,
        }
    }
}

/// From now on operations are wanted, for the whole run. To be called before the job is joined.
pub(super) fn want_operations() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Whether operations are wanted for the whole run.
#[inline]
pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Whether operations are wanted, so that they must go through the transport.
#[inline]
pub(crate) fn wants_operations() -> bool {
    is_wanted() || events::wants_operations()
}

/// Stops (level 0) or resumes (level 1) the counting and the recording on this PE, `me`. From level 2
/// on, prints the counts so far.
pub(crate) fn control(me: usize, level: u32) {
    statistics::control(me, level);
    recorder::control(level);
}

/// This thread is about to access `object`, `at` this place.
pub(crate) fn access(object: &dyn fmt::Display, at: &'static Location<'static>) {
    // What a subscriber accesses while it is told of an operation is not told of.
    if !wants_operations() || events::is_telling() {
        return;
    }
    doing(|doing| {
        let doing = &mut *doing.borrow_mut();
        if statistics::counts() || events::wants_operations() {
            doing.object.clear();
            // Writing to a String cannot fail.
            let _ = write!(doing.object, "{object}");
        }
        doing.is_look = false;
        doing.stands_for = std::ptr::from_ref(object).cast::<()>() as usize;
        // A closure of this crate, such as that of a wait, has no place of the program: then that of
        // the look-up before stands. Most accesses are at the place of the one before, and the names of files
        // take longer to compare than all else here.
        let is =
            |known: Option<&'static Location<'static>>| known.is_some_and(|known| std::ptr::eq(known, at));
        if !is(doing.at) && !is(doing.inner) {
            let place = if at.file().starts_with(SOURCES) { &mut doing.inner } else { &mut doing.at };
            *place = Some(at);
        }
    });
}

/// Where this thread is in the program, as far as is known.
pub(super) fn place() -> Option<&'static Location<'static>> {
    doing(|doing| doing.borrow().at)
}

/// The access that this thread is about to make is a look at a cell, of a wait or a test.
pub(super) fn looks() {
    if is_wanted() {
        doing(|doing| doing.borrow_mut().is_look = true);
    }
}

/// Where this thread is in the program, what stands for the object that it accesses, and whether it
/// [looks](looks) at a cell.
pub(super) fn accessed() -> (Option<&'static Location<'static>>, usize, bool) {
    doing(|doing| {
        let doing = doing.borrow();
        (doing.at, doing.stands_for, doing.is_look)
    })
}

/// Whether this thread is in a collective call.
pub(super) fn is_inside() -> bool {
    INSIDE.get() > 0
}

/// An operation of this thread on PE `pe`.
#[inline]
pub(super) fn operation(kind: OperationKind, pe: usize, bytes: usize) {
    if (statistics::counts() || events::wants_operations()) && !events::is_telling() {
        tell_operation(kind, pe, bytes);
    }
}

#[cold]
fn tell_operation(kind: OperationKind, pe: usize, bytes: usize) {
    let is_inside = INSIDE.get() > 0;
    let kind = if is_inside { kind.in_collectives() } else { kind };
    doing(|doing| {
        let doing = &*doing.borrow();
        if let Some(counts) = statistics::counting() {
            counts.operation(kind, pe, bytes, doing, is_inside);
        }
        let object = if is_inside { "" } else { &doing.object };
        events::operation(kind, pe, bytes, object, doing.at);
    });
}

/// This thread has updated the cell at `offset` in the heap of `pe`.
pub(super) fn updated(pe: usize, offset: usize) {
    if let Some(counts) = statistics::counting().filter(|_| !events::is_telling()) {
        doing(|doing| counts.updated(pe, offset, &doing.borrow()));
    }
}

/// A fence of this thread.
#[inline]
pub(super) fn fence() {
    order("fence");
}

/// A quiet of this thread.
#[inline]
pub(super) fn quiet() {
    order("quiet");
}

#[inline]
fn order(what: &'static str) {
    if statistics::counts() || events::wants_order() {
        tell_order(what);
    }
}

#[cold]
fn tell_order(what: &'static str) {
    if INSIDE.get() == 0 {
        if let Some(counts) = statistics::counting() {
            counts.order(what);
        }
        events::order(what);
    }
}

/// A collective call that only synchronises: `what` of the team with these members, `at` this place.
/// The result is to live as long as it lasts.
pub(super) fn synchronisation(
    what: &'static str,
    slot: usize,
    members: &Members,
    at: &'static Location<'static>,
) -> ObservedCall {
    let call = Call::new(what, at);
    called(&call);
    ObservedCall { _span: collective(&call, members), _meeting: MeetingScope::come(&call, slot, members) }
}

/// A collective call of the team with these members.
fn collective(call: &Call, members: &Members) -> ObservedSpan {
    let mut span = events::collective(call, members);
    let name = || call.what.to_owned();
    span.recorded = recorder::span(TimeUse::Collective, name, members.len(), Some(call.place));
    span
}

/// A wait that does not end at once; `before` is the PE that has the lock which is waited for, or
/// gets it before this one.
pub(super) fn wait(
    condition: impl Fn() -> String,
    before: Option<usize>,
    at: Option<&'static Location<'static>>,
) -> ObservedSpan {
    events::wait(&condition, before, at).also(TimeUse::Wait, || format!("wait for {}", condition()), at)
}

/// A local phase for the call `what`, at this place.
pub(crate) fn phase(what: &'static str, at: &'static Location<'static>) -> ObservedSpan {
    events::phase(what, at).also(TimeUse::Collective, || what.to_owned(), Some(at))
}

/// The part of a local phase in which the program runs.
pub(crate) fn inside_phase(at: &'static Location<'static>) -> ObservedSpan {
    ObservedSpan::none().also(TimeUse::Phase, || "in the phase".to_owned(), Some(at))
}

/// A collective call on the heap, `what`, of an object of this `kind` if any.
pub(super) fn heap(
    what: &'static str,
    kind: &str,
    bytes: Option<usize>,
    at: &'static Location<'static>,
) -> ObservedSpan {
    let name = || if kind.is_empty() { what.to_owned() } else { format!("{what} {kind}") };
    events::heap(what, kind, bytes, at).also(TimeUse::Heap, name, Some(at))
}

/// The wait for the other PEs at the end of the job.
pub(super) fn end_of_job() -> ObservedSpan {
    ObservedSpan::none().also(TimeUse::Collective, || "end of the job".to_owned(), None)
}

/// A call that only synchronises, as long as it lasts.
pub(crate) struct ObservedCall {
    _span: ObservedSpan,
    _meeting: MeetingScope,
}

impl ObservedCall {
    /// One that nobody observes.
    #[inline(always)]
    pub(crate) const fn none() -> ObservedCall {
        ObservedCall { _span: ObservedSpan::none(), _meeting: MeetingScope::none() }
    }
}

/// This PE synchronises with some PEs, as long as this lives.
pub(crate) struct ObservedPartners {
    // They end before the span does.
    _meetings: PairMeetings,
    _span: ObservedSpan,
}

impl ObservedPartners {
    /// The call `what` with these PEs of the world, which completes this PE's operations first or not.
    #[cold]
    pub(crate) fn begin(
        what: &'static str,
        completes: bool,
        pes: impl Iterator<Item = usize>,
        at: &'static Location<'static>,
    ) -> ObservedPartners {
        let (call, me) = (Call::new(what, at), direct::my_pe());
        called(&call);
        INSIDE.set(INSIDE.get() + 1);
        let mut pes: BTreeSet<usize> = pes.collect();
        pes.remove(&me);
        let team = Members::of(std::iter::once(me).chain(pes.iter().copied()).collect());
        ObservedPartners {
            _meetings: PairMeetings::come(&call, completes, &pes),
            _span: events::collective(&call, &team),
        }
    }
}

impl Drop for ObservedPartners {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() - 1);
    }
}

/// While it lives, the transfers of this thread are part of a collective call.
pub(super) struct CollectiveScope {
    /// Whether operations were wanted when it began.
    is_counted: bool,
    meeting: MeetingScope,
    _span: ObservedSpan,
}

impl CollectiveScope {
    /// A call of the team with these members.
    #[inline]
    pub(super) fn begin(call: &Call, slot: usize, members: &Members) -> CollectiveScope {
        let is_counted = wants_operations();
        let mut meeting = MeetingScope::none();
        if is_counted {
            called(call);
            INSIDE.set(INSIDE.get() + 1);
            meeting = MeetingScope::come(call, slot, members);
        }
        let span = if is_counted { collective(call, members) } else { events::collective(call, members) };
        CollectiveScope { is_counted, meeting, _span: span }
    }

    /// The members meet once more, after what the call has found out about the others.
    pub(super) fn meet_again(&mut self, call: &Call, slot: usize, members: &Members) {
        if self.is_counted {
            self.meeting = MeetingScope::none();
            self.meeting = MeetingScope::come(call, slot, members);
        }
    }
}

impl Drop for CollectiveScope {
    #[inline]
    fn drop(&mut self) {
        if self.is_counted {
            INSIDE.set(INSIDE.get() - 1);
            self.meeting = MeetingScope::none();
            races::returned();
        }
    }
}

/// The collective call `what` of a team with these members, `at` this place, in a run in which no
/// operation is wanted: a subscriber of the program may still want calls.
#[inline(always)]
pub(super) fn unobserved(
    what: &'static str,
    at: &'static Location<'static>,
    members: &Members,
) -> ObservedSpan {
    events::collective(&Call::new(what, at), members)
}

/// The program makes a collective call.
fn called(call: &Call) {
    if !wants_operations() {
        return;
    }
    doing(|doing| {
        let doing = &mut *doing.borrow_mut();
        doing.what = call.what;
        doing.at = Some(call.place);
    });
    if let Some(counts) = statistics::counting() {
        counts.called(call.what, call.place);
    }
}
