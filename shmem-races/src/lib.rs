//! Finds races in programs over symmetric memory, from what each PE did.
//!
//! Two accesses to the same bytes of one PE's copy *race* if one of them writes, they are not both
//! atomic operations of one size, and nothing orders one before the other. What orders accesses is
//! what OpenSHMEM promises, and not what happened in this run. So a race is found whether or not the
//! two accesses came close to each other in time.
//!
//! # Rules
//!
//! 1. A PE is one sequence of events. What is over when its call returns (a load, a store, a blocking
//!    read, an atomic operation that returns a value) is ordered before everything that the PE does
//!    later.
//! 2. A put, an atomic set or update without a value, and a non-blocking read are *under way* when
//!    their call has returned. They are complete after the next quiet of their context, on their
//!    target PE at least. A PE updates atomic cells of its own copy at once.
//! 3. What a PE has done and completed is ordered before what another PE does after it has learned of
//!    that. It learns when both have met, and when it reads the value of an atomic cell that the other one has updated.
//! 4. A fence orders what is under way, for each target PE and context, before puts and updates that
//!    follow to the same PE by the same context. A PE that reads such an update knows that what the
//!    fence has ordered has arrived.
//! 5. The signal of a put with signal is ordered after its data, and after nothing else.
//! 6. An atomic update passes on what the updates before it have passed on. An atomic set does not.
//!
//! [`Checker`] takes the events of all PEs in an order in which they can have happened. Each PE's come
//! in the order of its program, and [`is_ready`](Checker::is_ready) says when one has to wait for
//! those of other PEs.
//!
//! # Examples
//!
//! ```
//! use shmem_races::{Access, Checker, Event, Kind, Meeting, Missing, Part, Span};
//!
//! let access = |kind, pe, place| {
//!     let span = Span::contiguous(64, 8);
//!     let (turn, part, can_race) = (None, Part::Whole, true);
//!     Event::Access(Access { kind, pe, ctx: 0, span, place, turn, part, can_race })
//! };
//! let sync = Meeting { team: 0, visit: 0, members: 2, root: None };
//! let mut checker = Checker::new(2);
//! let mut races = Vec::new();
//! let mut take = |pe, event| checker.take(pe, &event, &mut |race| races.push(race));
//! // PE 0 puts to PE 1; both meet, which completes no puts; and PE 1 reads.
//! take(0, access(Kind::Put, 1, 21));
//! take(0, Event::Arrive(sync));
//! take(1, Event::Arrive(sync));
//! take(1, Event::Leave { meeting: sync, place: 24 });
//! take(1, access(Kind::Load, 1, 27));
//! assert_eq!((races[0].first.place, races[0].second.place), (21, 27));
//! assert_eq!(races[0].missing, Missing::Quiet);
//! ```

#![forbid(unsafe_code)]

mod batches;
mod cells;
mod checker;
mod clock;
mod event;
mod history;
mod pages;
mod pe;
mod serials;
mod why;

pub use self::checker::Checker;
pub use self::event::{Access, Event, Kind, Meeting, Part, Span, Turn};
pub use self::why::{Missing, Race, Side, Synchronisation, Update};
