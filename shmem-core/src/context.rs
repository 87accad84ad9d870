//! Contexts: streams of operations that are ordered and completed on their own.
//!
//! In OpenSHMEM, each context is a queue of operations: [`fence`](Context::fence) and
//! [`quiet`](Context::quiet) of a context order and complete the operations that were issued on it,
//! and no others. So if two threads use two contexts, neither waits for the transfers of the other.
//! The program says how many threads use a context, so that the library does not have to lock it.
//!
//! A C library has a queue for each context. A `quiet` of a context, or dropping it, completes the
//! operations that were issued on it. Another `quiet`, a barrier or the release of a lock does not:
//! they complete only operations without a context. A [local phase](crate::phase) first completes
//! the operations of all contexts.
//!
//! On the embedded transport, the PEs are processes on one machine, and a context has no queue of
//! its own. A put is a store and a get is a load. When the call returns, the operation is complete,
//! or it is in the store queue of the processor. A `quiet` of any context completes everything that
//! the calling thread has issued. The same is true over a C library for PEs that are directly
//! addressable. A program is correct on every transport if it relies only on the `quiet` of the
//! context that it uses.
//!
//! Which threads may use a context is a part of its type:
//!
//! | made with | OpenSHMEM | used by | `Send` | `Sync` |
//! |---|---|---|---|---|
//! | [`Shared`] | no option | any threads at once | yes | yes |
//! | [`Serialized`] | `SHMEM_CTX_SERIALIZED` | any threads, one at a time | yes | no |
//! | [`Private`] | `SHMEM_CTX_PRIVATE` | the thread that made it | no | no |
//!
//! So a use that OpenSHMEM leaves undefined does not compile.
//!
//! There is one exception: a reference `remote!(ctx; &A[pe, ..])` borrows the context, and is
//! `Send` and `Sync` with any kind of context. An operation by another thread is still defined,
//! because no transport relies on the kind: any thread may use its contexts at any time, also those
//! of a C library. But the operations of two threads have no order.
//!
//! ```
//! use shmem::context::Private;
//! use shmem::prelude::*;
//!
//! #[symmetric]
//! static INBOX: [u64; 2] = [0; 2];
//!
//! #[shmem::main(npes = 2)]
//! fn main(world: &World) -> Result<(), shmem::Error> {
//!     let ctx = world.team().context(Private)?;
//!     remote!(ctx; INBOX[1 - world.my_pe(), 0]) = 5; // on the context
//!     remote!(INBOX[1 - world.my_pe(), 1]) = 6; // on the default one
//!     ctx.quiet(); // completes the first
//!     world.barrier_all(); // completes the second
//!     assert_eq!(local!(INBOX[..]), [5, 6]);
//!     Ok(())
//! }
//! ```

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::remedies::{NonBlocking, Transfer};
use crate::runtime::context::RawContext;
use crate::runtime::team::Team;
use crate::system::error::Error;
use crate::transport::Ctx;

/// The kind of a context that several threads may use at the same time.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::Shared;
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(Shared)?;
///     std::thread::scope(|threads| {
///         for i in 0..4 {
///             let ctx = &ctx;
///             threads.spawn(move || remote!(ctx; BOX[0, i]) = 7);
///         }
///     });
///     ctx.quiet();
///     assert_eq!(remote!(BOX[0, ..]), [7; 4]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared;

/// The kind of a context that one thread may use at a time: threads can move it, but not share it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::Serialized;
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(Serialized)?;
///     std::thread::scope(|threads| {
///         threads.spawn(move || {
///             remote!(ctx; BOX[0, 1]) = 7;
///             ctx.quiet();
///         });
///     });
///     assert_eq!(remote!(BOX[0, 1]), 7);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "SHMEM_CTX_SERIALIZED")]
pub struct Serialized;

/// The kind of a context that only the thread that made it may use.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::Private;
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(Private)?;
///     remote!(ctx; BOX[0, 1]) = 7;
///     ctx.quiet();
///     assert_eq!(remote!(BOX[0, 1]), 7);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "SHMEM_CTX_PRIVATE")]
pub struct Private;

/// The options of a context that does not order stores to this PE's own memory; `Private.nostore()`
/// makes it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::{NoStore, Private};
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let options: NoStore<Private> = Private.nostore();
///     let ctx = world.team().context(options)?;
///     remote!(ctx; BOX[0, 1]) = 7;
///     ctx.quiet();
///     assert_eq!(remote!(BOX[0, 1]), 7);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoStore<K>(K);

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

// These types decide whether a context is `Send` and `Sync`. Users read their names in the
// compiler's errors.
/// Used by many threads at once.
#[doc(hidden)]
pub struct AnyThreads;
/// Used by many threads, one at a time: `Send`, not `Sync`.
#[doc(hidden)]
pub struct OneThreadAtATime(PhantomData<Cell<ContextOfOneThreadAtATime>>);
/// Used by one thread: neither.
#[doc(hidden)]
pub struct OneThread(PhantomData<*const ContextOfOneThread>);
#[doc(hidden)]
pub struct ContextOfOneThreadAtATime;
#[doc(hidden)]
pub struct ContextOfOneThread;

/// The kind of a context, which says how many threads use it: [`Shared`], [`Serialized`] or
/// [`Private`].
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::{Context, Kind, Private};
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// /// On a context of any kind.
/// fn send<K: Kind>(ctx: &Context<K>, value: u64) {
///     remote!(ctx; BOX[0, 1] = value);
///     ctx.quiet();
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(Private)?;
///     send(&ctx, 7);
///     assert_eq!(remote!(BOX[0, 1]), 7);
///     Ok(())
/// }
/// ```
pub trait Kind: Sealed + Copy {
    /// The type that decides whether the context is `Send` and `Sync`.
    #[doc(hidden)]
    type Threads;
    /// The name, for messages.
    #[doc(hidden)]
    const NAME: &'static str;
}

/// What a [`Context`] is a stream of: operations at once, by its [`Kind`], or those of a
/// [batch](crate::Batch).
#[doc(hidden)]
pub trait OperationStream {
    /// The type that decides which threads use it.
    type Users;
    /// What it holds.
    type State;
}

/// The memory of symmetric objects in the heap of the job, which contexts reach.
#[doc(hidden)]
#[derive(Debug)]
pub struct HostMemory;

/// How the operations of a stream reach objects in memory of the kind `M`, for references that live
/// as long as `'a`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the objects of `{M}` are not reached by a context of the kind `{Self}`",
    label = "not the way to this object",
    note = "a device array is accessed on a stream of its GPU, `remote!(stream; D[pe, i])`, and every other object on a context or without one"
)]
pub trait Issuing<'a, M = HostMemory>: OperationStream {
    /// What a reference holds of it.
    type Delivery: Copy;

    /// What a reference to elements in `memory` holds, on the stream.
    fn delivery(state: &'a Self::State, memory: &'a M) -> Self::Delivery;
}

#[diagnostic::do_not_recommend]
impl<K: Kind> OperationStream for K {
    type Users = K::Threads;
    type State = RawContext;
}

#[diagnostic::do_not_recommend]
impl<'a, K: Kind> Issuing<'a> for K {
    type Delivery = Ctx;

    #[inline(always)]
    fn delivery(state: &'a RawContext, _: &'a HostMemory) -> Ctx {
        state.ctx()
    }
}

/// The argument of [`Team::context`]: a [`Kind`], or one with [`nostore`](Shared::nostore).
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::{Options, Private};
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// fn send(world: &World, options: impl Options) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(options)?;
///     remote!(ctx; BOX[0, 1] = 7);
///     ctx.quiet();
///     Ok(())
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     send(world, Private)?;
///     send(world, Private.nostore())?;
///     assert_eq!(remote!(BOX[0, 1]), 7);
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of context",
    label = "not a kind of context",
    note = "write `Shared`, `Serialized` or `Private` of `shmem::context`, such as `team.context(Private)`; add `.nostore()` if the context need not order local stores"
)]
pub trait Options: Sealed {
    /// The kind of the context.
    type Kind: Kind;
    /// Whether the context orders stores to this PE's own memory.
    #[doc(hidden)]
    const STORES: bool;
}

macro_rules! kinds {
    ($($kind:ident $threads:ident;)*) => {$(
        impl Sealed for $kind {}

        impl $kind {
            /// The same, for a context that need not order local stores (`SHMEM_CTX_NOSTORE`). Not
            /// collective.
            ///
            /// The program promises that it does not rely on [`fence`](Context::fence) and
            /// [`quiet`](Context::quiet) of the context for stores to this PE's own memory. On the
            /// embedded transport, this makes no difference.
            ///
            /// ```
            #[doc = concat!("use shmem::context::", stringify!($kind), ";")]
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static INBOX: u64 = 0;
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            #[doc = concat!("    let options = ", stringify!($kind), ".nostore();")]
            ///     let ctx = world.team().context(options)?;
            ///     remote!(ctx; INBOX[1 - world.my_pe()]) = 5;
            ///     ctx.quiet(); // completes the put, to the other PE
            ///     world.sync_all();
            ///     assert_eq!(local!(INBOX), 5);
            ///     Ok(())
            /// }
            /// ```
            #[must_use]
            #[doc(alias = "SHMEM_CTX_NOSTORE")]
            pub fn nostore(self) -> NoStore<$kind> {
                NoStore(self)
            }
        }

        impl Kind for $kind {
            type Threads = $threads;
            const NAME: &'static str = stringify!($kind);
        }

        #[diagnostic::do_not_recommend]
        impl Options for $kind {
            type Kind = $kind;
            const STORES: bool = true;
        }
    )*};
}

kinds! {
    Shared AnyThreads;
    Serialized OneThreadAtATime;
    Private OneThread;
}

impl<K: Kind> Sealed for NoStore<K> {}

#[diagnostic::do_not_recommend]
impl<K: Kind> Options for NoStore<K> {
    type Kind = K;
    const STORES: bool = false;
}

/// A stream of operations on the PEs of a team; [`Team::context`] makes it.
///
/// `remote!(ctx; A[pe, sel] = v)`, like every other form of [`remote!`](crate::remote!), issues an
/// operation on the context. The numbers of PEs are then those of the context's team. `K` says
/// which threads may use the context; see the [module](crate::context).
///
/// Dropping a context completes its operations (`shmem_ctx_destroy`). It is local.
///
/// ```
/// use shmem::context::Private;
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static INBOX: [u32; 4] = [0; 4];
///
/// #[shmem::main(npes = 4)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     // 3 and 1, in this order.
///     if let Some(odd) = world.team().split_strided(3, -2, 2)? {
///         let ctx = odd.context(Private)?;
///         let other = 1 - odd.my_pe();
///         remote!(ctx; INBOX[other, 1..3]) = [odd.my_pe() as u32 + 10; 2];
///         ctx.quiet();
///         assert_eq!(remote!(ctx; INBOX[other, 1]), odd.my_pe() as u32 + 10);
///     }
///     Ok(())
/// }
/// ```
#[doc(alias = "shmem_ctx_t")]
#[doc(alias = "shmem_ctx_destroy")]
pub struct Context<'t, K: OperationStream> {
    team: &'t Team,
    raw: K::State,
    stores: bool,
    in_session: AtomicBool,
    threads: PhantomData<K::Users>,
}

impl<'t, K: OperationStream> Context<'t, K> {
    /// A stream of operations on the PEs of `team`.
    #[inline(always)]
    pub(crate) fn of(team: &'t Team, raw: K::State) -> Context<'t, K> {
        Context { team, raw, stores: true, in_session: AtomicBool::new(false), threads: PhantomData }
    }

    /// The team that numbers its PEs.
    #[inline(always)]
    pub(crate) fn members(&self) -> &'t Team {
        self.team
    }

    /// What the stream holds.
    #[cfg(feature = "gpu")]
    pub(crate) fn state(&self) -> &K::State {
        &self.raw
    }

    /// The same.
    #[cfg(feature = "gpu")]
    pub(crate) fn state_mut(&mut self) -> &mut K::State {
        &mut self.raw
    }

    /// What a reference to elements in `memory` holds, on this stream.
    #[inline(always)]
    pub(crate) fn delivery<'a, M>(&'a self, memory: &'a M) -> K::Delivery
    where
        K: Issuing<'a, M>,
    {
        K::delivery(&self.raw, memory)
    }
}

impl Team {
    /// Makes a context for operations on the PEs of this team (`shmem_team_create_ctx`,
    /// `shmem_ctx_create`). Not collective.
    ///
    /// `options` is [`Shared`], [`Serialized`] or [`Private`], or [`nostore`](Shared::nostore) of
    /// one of them.
    ///
    /// # Errors
    ///
    /// When the library has no more contexts. The embedded transport has no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::context::Serialized;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static TOTAL: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ctx = world.team().context(Serialized.nostore())?;
    ///     // It moves to a thread.
    ///     std::thread::scope(|scope| scope.spawn(move || remote!(ctx; TOTAL[0] += 1)).join()).unwrap();
    ///     world.barrier_all();
    ///     assert_eq!(remote!(TOTAL[0]), 2);
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_ctx_create")]
    #[doc(alias = "shmem_team_get_config")]
    #[doc(alias = "shmem_team_create_ctx")]
    pub fn context<O: Options>(&self, options: O) -> Result<Context<'_, O::Kind>, Error> {
        let _ = options;
        Ok(Context { stores: O::STORES, ..Context::of(self, RawContext::create()?) })
    }
}

impl<'t, K: Kind> Context<'t, K> {
    /// The transport's name for it.
    #[inline(always)]
    pub(crate) fn ctx(&self) -> Ctx {
        self.raw.ctx()
    }

    /// Returns the team that the context was made for (`shmem_ctx_get_team`). Not collective.
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if let Some(team) = world.team().split_list(&[2, 0])? {
    ///         let ctx = team.context(Private)?;
    ///         let other = 1 - ctx.team().my_pe(); // a number in the team
    ///         remote!(ctx; INBOX[other]) = world.my_pe();
    ///         ctx.quiet();
    ///         team.sync();
    ///         assert_eq!(local!(INBOX), 2 - world.my_pe());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_ctx_get_team")]
    pub fn team(&self) -> &'t Team {
        self.team
    }

    /// Orders the puts and atomic updates of this context to each PE (`shmem_ctx_fence`). Not
    /// collective.
    ///
    /// Operations on this context before the fence arrive earlier than operations after it.
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: [f64; 4] = [0.0; 4];
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if world.my_pe() == 0 {
    ///         let ctx = world.team().context(Private)?;
    ///         remote!(ctx; DATA[1, ..]) = 1.5;
    ///         ctx.fence();
    ///         remote!(ctx; READY[1]) = 1; // on the same context: the fence orders no others
    ///     } else {
    ///         wait!(READY == 1);
    ///         assert_eq!(local!(DATA[..]), [1.5; 4]);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_ctx_fence")]
    pub fn fence(&self) {
        self.raw.fence();
    }

    /// Completes the operations that were issued on this context (`shmem_ctx_quiet`). Not
    /// collective.
    ///
    /// When it returns, every PE sees the puts and atomic updates.
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (me, n) = (world.my_pe(), world.n_pes());
    ///     let ctx = world.team().context(Private)?;
    ///     remote!(ctx; INBOX[(me + 1) % n]) = me;
    ///     ctx.quiet(); // a barrier completes no operations of contexts
    ///     world.barrier_all();
    ///     assert_eq!(local!(INBOX), (me + n - 1) % n);
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_ctx_quiet")]
    pub fn quiet(&self) {
        self.raw.quiet();
    }

    /// Completes the operations that were issued on this context to some PEs
    /// (`shmem_ctx_pe_quiet`). Not collective.
    ///
    /// `pes` are numbers in the context's team. On the embedded transport, it completes everything,
    /// like [`quiet`](Context::quiet).
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: u64 = 0;
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let reversed = world.team().split_list(&[2, 1, 0])?.unwrap();
    ///     if world.my_pe() == 0 {
    ///         let ctx = reversed.context(Private)?;
    ///         remote!(ctx; DATA[0]) = 7;
    ///         ctx.pe_quiet(&[0]); // PE 0 of the team, which is PE 2 of the world
    ///         remote!(READY[1]) = 1;
    ///     } else if world.my_pe() == 1 {
    ///         wait!(READY == 1);
    ///         assert_eq!(remote!(DATA[2]), 7);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the team does not have one of the PEs.
    #[track_caller]
    #[doc(alias = "shmem_ctx_pe_quiet")]
    pub fn pe_quiet(&self, pes: &[usize]) {
        for &pe in pes {
            self.team.check_pe(pe, "a PE to complete operations to");
        }
        let pes: Vec<usize> = pes.iter().map(|&pe| self.team.members.pe(pe)).collect();
        self.raw.pe_quiet(&pes);
    }

    /// Announces many operations; the session ends when the guard is dropped
    /// (`shmem_ctx_session_start`, `shmem_ctx_session_stop`). Not collective.
    ///
    /// This is a hint. A transport may collect the operations of a session, so they need not be
    /// complete before the end of the session and a [`quiet`](Context::quiet). The embedded
    /// transport collects no operations.
    ///
    /// # Panics
    ///
    /// When the context has a session already.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::context::Private;
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [usize; 100] = [0; 100];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ctx = world.team().context(Private)?;
    ///     let session = ctx.session();
    ///     for i in 0..100 {
    ///         remote!(ctx; A[1, i]) = i;
    ///     }
    ///     drop(session);
    ///     ctx.quiet();
    ///     assert_eq!(remote!(A[1, 99]), 99);
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "shmem_ctx_session_start")]
    #[doc(alias = "shmem_ctx_session_stop")]
    pub fn session(&self) -> Session<'_, K> {
        assert!(
            !self.in_session.swap(true, Ordering::Relaxed),
            "the context has a session already, and sessions do not nest: drop the guard of the open session"
        );
        Session { context: self }
    }
}

impl<K: Kind> fmt::Debug for Context<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stores = if self.stores { "" } else { ", which orders no local stores," };
        write!(f, "a {} context{stores} of {:?}", K::NAME, self.team)
    }
}

/// A session of a [`Context`], which ends when this guard is dropped; [`Context::session`] makes
/// it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::context::{Private, Session};
///
/// #[symmetric]
/// static BOX: [u64; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let ctx = world.team().context(Private)?;
///     let session: Session<'_, Private> = ctx.session();
///     for i in 0..4 {
///         remote!(ctx; BOX[0, i]) = 7;
///     }
///     drop(session);
///     ctx.quiet();
///     assert_eq!(remote!(BOX[0, ..]), [7; 4]);
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[must_use = "the session ends when this guard is dropped, here at once: write `let session = ctx.session();`"]
pub struct Session<'c, K: Kind> {
    context: &'c Context<'c, K>,
}

impl<K: Kind> Drop for Session<'_, K> {
    fn drop(&mut self) {
        self.context.in_session.store(false, Ordering::Relaxed);
    }
}

crate::remedies::methods! {
    [K: Kind] Context<'_, K>, [for<'x> &'x Self: NonBlocking] => put_nbi(A B C) get_nbi(A B C);
    [K: Kind] Context<'_, K>, [for<'x> &'x Self: Transfer] => put(A B C) get(A B C) p(A B C) g(A B);
}
