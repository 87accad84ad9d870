//! Events and spans for programs that use the crate `tracing`, with the feature of this name.
//!
//! | target | level | what | fields besides `operation`, `pe` and `place` |
//! |---|---|---|---|
//! | `shmem::rma` | TRACE | an event for each put and get | `peer`, `bytes`, `object` |
//! | `shmem::amo` | TRACE | an event for each atomic operation | `peer`, `bytes`, `object` |
//! | `shmem::order` | TRACE | an event for each fence and quiet; no `place` | |
//! | `shmem::collective` | DEBUG | a span for each collective call | `team`, `bytes` |
//! | `shmem::wait` | DEBUG | a span for each wait for cells or a lock that does not end at once | `condition`, `peer`; no `operation` |
//! | `shmem::phase` | DEBUG | a span for each local phase | |
//! | `shmem::heap` | DEBUG | a span for each collective call on the heap | `object`, `bytes` |
//!
//! Puts, gets and atomic operations are seen only where they go through the transport. A subscriber
//! says whether it is interested in events of a target before the first event, and this module asks
//! whenever there is a new one: see [`InterestWatch`]. From the moment when one is interested, all
//! operations go through the transport. The way back stays closed until the job ends, or a local
//! phase: an operation that is under way may count on the order of what goes the same way.

use std::cell::Cell;
use std::panic::Location;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering, fence};

use tracing::{Level, debug_span, event};
use tracing_core::callsite::{self, Callsite};
use tracing_core::field::FieldSet;
use tracing_core::metadata::{Kind, Metadata};
use tracing_core::{Interest, identify_callsite};

use super::agreement::Call;
use super::direct;
use super::observe::{ObservedSpan, OperationKind};
use super::recorder::RecordedSpan;
use crate::transport::Members;

impl Drop for ObservedSpan {
    fn drop(&mut self) {
        if let Some(entered) = self.entered.take() {
            telling(|| drop(entered));
        }
    }
}

/// Learns whether a subscriber is interested in events like those of a target.
struct InterestWatch {
    metadata: Metadata<'static>,
    /// Its bit in [`WANTED`].
    bit: u8,
}

/// The fields of the events of operations, as [`operation`] writes them.
const FIELDS: &[&str] = &["operation", "pe", "peer", "bytes", "object", "place"];

/// The bits of the targets in [`WANTED`].
const RMA_BIT: u8 = 1;
const AMO_BIT: u8 = 2;
const ORDER_BIT: u8 = 4;

static RMA: InterestWatch = InterestWatch { metadata: metadata("shmem::rma", &RMA), bit: RMA_BIT };
static AMO: InterestWatch = InterestWatch { metadata: metadata("shmem::amo", &AMO), bit: AMO_BIT };
static ORDER: InterestWatch = InterestWatch { metadata: metadata("shmem::order", &ORDER), bit: ORDER_BIT };
/// The bits of what goes through the transport only if somebody wants it.
const OPERATIONS: u8 = RMA_BIT | AMO_BIT;

const fn metadata(target: &'static str, watch: &'static InterestWatch) -> Metadata<'static> {
    let fields = FieldSet::new(FIELDS, identify_callsite!(watch));
    Metadata::new("operation", target, Level::TRACE, Some(file!()), None, Some(target), fields, Kind::EVENT)
}

/// Which targets a subscriber is interested in, or may be.
static WANTED: AtomicU8 = AtomicU8::new(0);

impl Callsite for InterestWatch {
    /// Called when the callsite is registered, and whenever there is a new subscriber or another
    /// filter.
    fn set_interest(&self, interest: Interest) {
        if interest.is_never() {
            WANTED.fetch_and(!self.bit, Ordering::Relaxed);
        } else {
            WANTED.fetch_or(self.bit, Ordering::Relaxed);
            if self.bit & OPERATIONS == 0 {
                return;
            }
            // With the fence of `direct::reopen`: either that finds the bit, or `observe` empties
            // what it has filled in.
            fence(Ordering::SeqCst);
            direct::observe();
        }
    }

    fn metadata(&self) -> &Metadata<'_> {
        &self.metadata
    }
}

/// Begins to ask whether a subscriber is interested in operations.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        callsite::register(&RMA);
        callsite::register(&AMO);
        callsite::register(&ORDER);
    });
}

/// Whether a subscriber is interested in operations.
#[inline]
pub(super) fn wants_operations() -> bool {
    WANTED.load(Ordering::Relaxed) & OPERATIONS != 0
}

/// Whether a subscriber is interested in fences and quiets.
#[inline]
pub(super) fn wants_order() -> bool {
    WANTED.load(Ordering::Relaxed) & ORDER_BIT != 0
}

thread_local! {
    /// Whether this thread is in a subscriber that is told of something.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a subscriber that is told of something. What the subscriber does itself
/// is not told of, or there would be no end.
pub(super) fn is_telling() -> bool {
    TELLING.get()
}

/// Runs `tell`, during which this thread [is telling](is_telling).
fn telling<T>(tell: impl FnOnce() -> T) -> T {
    struct Telling(bool);
    impl Drop for Telling {
        fn drop(&mut self) {
            TELLING.set(self.0);
        }
    }
    let _telling = Telling(TELLING.replace(true));
    tell()
}

/// A place of the program, as it is written down.
fn place(at: &Location<'_>) -> String {
    format!("{}:{}", at.file(), at.line())
}

/// An operation of this thread on PE `peer`.
pub(super) fn operation(
    kind: OperationKind,
    peer: usize,
    bytes: usize,
    object: &str,
    at: Option<&'static Location<'static>>,
) {
    macro_rules! tell {
        ($target:literal) => {
            telling(|| {
                event!(
                    target: $target,
                    Level::TRACE,
                    operation = kind.name(),
                    pe = direct::my_pe(),
                    peer,
                    bytes,
                    object = (!object.is_empty()).then_some(object),
                    place = at.map(place),
                );
            })
        };
    }
    if !wants_operations() {
        return;
    }
    if kind.is_atomic() { tell!("shmem::amo") } else { tell!("shmem::rma") }
}

/// A `fence` or a `quiet` of this thread.
pub(super) fn order(what: &'static str) {
    if wants_order() && !is_telling() {
        telling(|| event!(target: "shmem::order", Level::TRACE, operation = what, pe = direct::my_pe()));
    }
}

/// A collective call of the team with these members.
pub(super) fn collective(call: &Call, members: &Members) -> ObservedSpan {
    entered(|| {
        debug_span!(
            target: "shmem::collective",
            "collective",
            operation = call.what,
            pe = direct::my_pe(),
            team = ?members,
            bytes = call.bytes(),
            place = place(call.place),
        )
    })
}

/// A wait that does not end at once; `before` is the PE that has the lock which is waited for, or
/// gets it before this one.
pub(crate) fn wait(
    condition: impl Fn() -> String,
    before: Option<usize>,
    at: Option<&'static Location<'static>>,
) -> ObservedSpan {
    entered(|| {
        debug_span!(
            target: "shmem::wait",
            "wait",
            pe = direct::my_pe(),
            peer = before,
            condition = condition(),
            place = at.map(place),
        )
    })
}

/// A local phase for the call `what`, at this place.
pub(crate) fn phase(what: &'static str, at: &'static Location<'static>) -> ObservedSpan {
    entered(|| {
        debug_span!(
            target: "shmem::phase",
            "phase",
            operation = what,
            pe = direct::my_pe(),
            place = place(at),
        )
    })
}

/// A collective call on the heap.
pub(super) fn heap(
    what: &str,
    object: &str,
    bytes: Option<usize>,
    at: &'static Location<'static>,
) -> ObservedSpan {
    entered(|| {
        debug_span!(
            target: "shmem::heap",
            "heap",
            operation = what,
            pe = direct::my_pe(),
            object = (!object.is_empty()).then_some(object),
            bytes,
            place = place(at),
        )
    })
}

fn entered(make: impl FnOnce() -> tracing::Span) -> ObservedSpan {
    if is_telling() {
        return ObservedSpan::none();
    }
    telling(|| {
        let span = make();
        let entered = (!span.is_disabled()).then(|| span.entered());
        ObservedSpan { entered, recorded: RecordedSpan::none() }
    })
}
