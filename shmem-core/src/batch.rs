//! Batches: any number of small independent operations, completed at the end of a scope.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

use crate::context::{AnyThreads, Context, HostMemory, Issuing, OperationStream};
use crate::remote::{BatchOfOneThread, Deferred};
use crate::runtime::batch::Pending;
use crate::runtime::team::Team;
use crate::world::World;

/// A scope of small operations: the argument of the closure of [`World::batch`] and [`Team::batch`].
///
/// Write the batch where a context stands: `remote!(b; …)`. PEs have the numbers of the batch's team.
///
/// | written | means |
/// |---|---|
/// | `remote!(b; C[pe, i]) += v`, `-=` `&=` `\|=` `^=` | atomic update of a cell |
/// | `remote!(b; A[pe, i]) = v` | write of an element, a field or a cell |
/// | `remote!(b; A[pe, i] => &mut value)` | read of an element, a field or a cell into a variable |
///
/// An operation on one element waits for others, and is done together with them. The batch
/// completes all of them at its end. They have no order, also not those on one element. The
/// transfer of a selection of several elements begins at once, and the end of the batch completes
/// it. The indices are checked when the operation is issued.
///
/// The batch borrows the objects and the variables for `'scope`, which is longer than the closure. So
/// declare them outside the closure. A program cannot use a variable in another way before the
/// batch has ended. To read many elements, iterate over the places for them with `iter_mut`.
///
/// A batch belongs to one thread.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static COUNTS: [Atomic<u64>; 8] = [Atomic::new(0); 8];
/// #[symmetric]
/// static SQUARES: [usize; 8] = [0, 1, 4, 9, 16, 25, 36, 49];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let mut found = [0; 8];
///     world.batch(|b| {
///         for (i, place) in found.iter_mut().enumerate() {
///             remote!(b; COUNTS[i % 2, i]) += 1;
///             remote!(b; SQUARES[i % 2, i] => place);
///         }
///     });
///     assert_eq!(found, [0, 1, 4, 9, 16, 25, 36, 49]);
///     assert_eq!(local!(COUNTS[..]).iter().sum::<u64>(), 8); // 4 cells here, by 2 PEs
/// }
/// ```
pub struct Batch<'scope, 'env: 'scope> {
    /// Neither `Send` nor `Sync`: the operations wait on one thread. The first field, which the compiler
    /// names to who uses it on another thread.
    thread: PhantomData<*const BatchOfOneThread>,
    stream: Context<'scope, InBatch<'scope>>,
    // Invariant in both lifetimes: if one could be shortened, a borrow could end before the scope.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// What completes or orders operations before the end of a batch: nothing does.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the operations of a batch have no order, and only its end completes them",
    label = "not in a batch",
    note = "end the batch first, and begin another one after it; or issue the operation on a context, or without one: `remote!(A[pe, i]) = v`"
)]
pub trait OrderedBatch {}

/// The methods of contexts that a batch has not, for the sentence that says why.
macro_rules! not_in_a_batch {
    ($($name:ident($($argument:ident: $type:ident),*))*) => {
        #[doc(hidden)]
        #[allow(clippy::unused_self, reason = "they cannot be called")]
        impl<'scope, 'env> Batch<'scope, 'env> {$(
            pub fn $name<$($type),*>(&self, $($argument: $type),*)
            where
                Batch<'scope, 'env>: OrderedBatch,
            {
                unreachable!("no batch is an `OrderedBatch`")
            }
        )*}
    };
}

not_in_a_batch! {
    quiet()
    fence()
    pe_quiet(_pes: P)
    nbi(_body: B)
    session()
}

impl fmt::Debug for Batch<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a batch of {:?}", self.stream.members())
    }
}

/// The stream of a batch whose scope is `'scope`.
#[doc(hidden)]
#[derive(Debug)]
pub struct InBatch<'scope>(PhantomData<&'scope mut &'scope ()>);

impl<'scope> OperationStream for InBatch<'scope> {
    type Users = AnyThreads;
    type State = Deferred<'scope>;
}

// Objects and the batch are borrowed for the whole scope.
#[diagnostic::do_not_recommend]
impl<'a: 'scope, 'scope> Issuing<'a> for InBatch<'scope> {
    type Delivery = Deferred<'scope>;

    #[inline(always)]
    fn delivery(state: &'a Deferred<'scope>, _: &'a HostMemory) -> Deferred<'scope> {
        *state
    }
}

#[doc(hidden)]
impl<'scope> Deref for Batch<'scope, '_> {
    type Target = Context<'scope, InBatch<'scope>>;

    #[inline(always)]
    fn deref(&self) -> &Context<'scope, InBatch<'scope>> {
        &self.stream
    }
}

// Inlined, so that a loop in the body keeps its captured variables in registers.
#[inline]
#[track_caller]
fn scope<'env, R>(team: &Team, body: impl for<'scope> FnOnce(&'scope Batch<'scope, 'env>) -> R) -> R {
    let pending = Pending::begin(team, Location::caller());
    // SAFETY: `InBatch` asks that objects are borrowed for the scope, which lasts until after `body`.
    // `pending` has ended when this function returns or unwinds, before any borrow of the caller ends.
    let stream = Context::of(team, unsafe { Deferred::new(&pending) });
    let result = body(&Batch { thread: PhantomData, stream, scope: PhantomData, env: PhantomData });
    pending.end();
    result
}

impl World {
    /// Runs `body`, which issues any number of small operations, and completes those of all PEs.
    /// Collective.
    ///
    /// [`Team::batch`], of all PEs.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let words = ["one", "two", "three", "four", "five", "six", "seven"];
    ///     // How many words have each length: length `l` is counted on PE `l % n`.
    ///     let n = world.n_pes();
    ///     let lengths = world.zeros::<Atomic<u64>, 1>([4])?;
    ///     world.batch(|b| {
    ///         for word in words {
    ///             remote!(b; lengths[word.len() % n, word.len() / n]) += 1;
    ///         }
    ///     });
    ///     // Every PE has counted all words.
    ///     assert_eq!(remote!(lengths[3 % n, 3 / n]), 3 * n as u64);
    ///     assert_eq!(remote!(lengths[4 % n, 4 / n]), 2 * n as u64);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Team::batch`].
    #[inline]
    #[track_caller]
    pub fn batch<'env, R>(&self, body: impl for<'scope> FnOnce(&'scope Batch<'scope, 'env>) -> R) -> R {
        scope(self.team(), body)
    }
}

impl Team {
    /// Runs `body`, which issues any number of small operations on PEs of the team, and completes
    /// those of all PEs. Collective.
    ///
    /// See [`Batch`] for the operations. When it returns, all PEs of the team have ended the batch,
    /// and all operations of all of them are complete, as after a [`barrier`](Team::barrier). Before
    /// that, an operation may have been done or not. Operations outside of the batch, and other
    /// batches, may go on at the same time, and an atomic update of the batch is atomic with regard to
    /// them.
    ///
    /// An operation never waits until another PE makes a call. So `body` may compute for long, wait for
    /// other PEs, and make collective calls. These do not complete the operations of the batch. Batches
    /// of different teams may nest, and those of one team may not.
    ///
    /// If `body` panics, the operations that it has issued are completed, a line on the standard error
    /// stream says how many they were, and the panic goes on. Other PEs are not waited for then.
    ///
    /// OpenSHMEM has no such routine.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static SLOTS: [usize; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // PEs 3 and 1, in this order.
    ///     if let Some(odd) = world.team().split_strided(3, -2, 2)? {
    ///         odd.batch(|b| {
    ///             for pe in 0..2 {
    ///                 remote!(b; SLOTS[pe, odd.my_pe()]) = world.my_pe();
    ///             }
    ///         });
    ///         assert_eq!(local!(SLOTS[..2]), [3, 1]);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When this PE is in a batch of the team already, when another thread of this PE is in a
    /// collective call of the team at the end, and in a [local phase](crate::phase). A local phase that
    /// begins inside of a batch ends the job. In a checked run (see
    /// [`collective!`](crate::collective!)), also when the PEs are in different collective calls.
    #[inline]
    #[track_caller]
    pub fn batch<'env, R>(&self, body: impl for<'scope> FnOnce(&'scope Batch<'scope, 'env>) -> R) -> R {
        scope(self, body)
    }
}
