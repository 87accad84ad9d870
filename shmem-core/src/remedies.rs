//! Remedies: what a program may write by the habits of C, MPI or plain Rust, and is no part of the
//! library, so that the compiler says what to write instead.
//!
//! Each trait here is never implemented. It is the bound of hidden methods and operators, and its
//! attribute is what the compiler says where one is used. No code comes of it. A bound that can
//! never hold is refused without a type parameter or a lifetime, so it is one of `&'a Self`.

use crate::runtime::team::Team;

/// A symmetric object used as if it were the data.
#[diagnostic::on_unimplemented(
    message = "every PE has a copy of a symmetric `{Self}`, and this does not say which one",
    label = "`local!` or `remote!` is missing",
    note = "write `local!(A[i])` for this PE's copy and `remote!(A[pe, i])` for the copy of a PE; `local!(A)` and `remote!(A[pe])` where `A` is one element",
    note = "to update a cell write `remote!(C[pe] += 1)`, or call a method, as in `remote!(&C[pe]).fetch_add(1)`; `world.local_phase` lends this PE's copy as a slice, with all methods of slices"
)]
pub trait Direct {
    /// What the data would be.
    type Data;
}

/// The other operand of an operator on a symmetric object.
#[diagnostic::on_unimplemented(
    message = "every PE has a copy of a symmetric `{T}`, and this does not say which one",
    label = "`local!` or `remote!` is missing at the symmetric operand",
    note = "write `local!(A[i])` for this PE's copy and `remote!(A[pe, i])` for the copy of a PE; `local!(A)` and `remote!(A[pe])` where `A` is one element",
    note = "to update an atomic cell write the operator inside the parentheses: `local!(C += 1)`, `remote!(C[pe] += 1)`"
)]
pub trait Operand<T> {
    /// What the operator would give.
    type Data;
}

/// A value that was read, used as if it were the cell.
#[diagnostic::on_unimplemented(
    message = "this is a value of type `{Self}`, and only an atomic cell in symmetric memory has atomic operations",
    label = "a value has no such method",
    note = "`remote!(C[pe])` and `local!(C)` read; with `&` they name the cell: `remote!(&C[pe]).fetch_add(1)`, `local!(&C).fetch_add(1)`",
    note = "declare the object with `Atomic`, as in `#[symmetric] static C: Atomic<u64> = Atomic::new(0);`"
)]
pub trait Cell {}

/// The atomic operations, on a plain element.
#[diagnostic::on_unimplemented(
    message = "a plain `{Self}` has no atomic operations",
    label = "not an `Atomic` cell",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic` around it, as in `Atomic<u64>`",
    note = "cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64; integers have all atomic operations, floats no bitwise ones and no `compare_exchange`"
)]
pub trait AtomicElement {}

/// The atomic operations of integers, on a cell of floats.
#[diagnostic::on_unimplemented(
    message = "an atomic cell of floats has no bitwise operations and no `compare_exchange`",
    label = "not an `Atomic` cell of an integer",
    note = "it has reads, writes, `swap`, `+=`, `-=`, `min` and `max`, and the forms of these that return the old value",
    note = "for other updates declare an `Atomic<u64>` that holds the bits of the float, and use `f64::to_bits`, `f64::from_bits` and `compare_exchange`"
)]
pub trait Integer {}

/// `shmem_put_nbi` and its like.
#[diagnostic::on_unimplemented(
    message = "non-blocking operations are methods of a scope, which completes them at its end",
    label = "not inside of a scope",
    note = "write `world.nbi(|nbi| nbi.put(remote!(&A[pe, ..]), &values))`, and `nbi.get(remote!(&A[pe, ..]), &mut buffer)` to read; a context has `nbi` as well",
    note = "declare the values and the buffer before the scope; when `nbi` has returned, all of its operations are complete"
)]
pub trait NonBlocking {}

/// `shmem_put` and its like.
#[diagnostic::on_unimplemented(
    message = "a put or a get is written with `remote!`, which names the object, the PE and the elements",
    label = "not a method",
    note = "write `remote!(A[pe, a..b] = values)`, and `remote!(A[pe, a..b])` to read; one element is `A[pe, i]`, and a stride is `A[pe, a..b;step]`",
    note = "on a context it is `remote!(ctx; A[pe, a..b] = values)`"
)]
pub trait Transfer {}

/// `shmem_iput` and its like.
#[diagnostic::on_unimplemented(
    message = "a strided transfer is written with `remote!`, with the step in the selection",
    label = "not a method",
    note = "write `remote!(A[pe, a..b;step] = values)`, and `remote!(A[pe, a..b;step])` to read"
)]
pub trait Strided {}

/// `shmem_malloc` and its like.
#[diagnostic::on_unimplemented(
    message = "symmetric memory is allocated as an array, on all PEs at once",
    label = "not a method",
    note = "write `let a = world.zeros::<f64, 1>([n])?;`, or `world.symmetric_array([n], value)?`; with an alignment, `world.allocate().align(64).zeros::<f64, 1>([n])?`",
    note = "`a.free()?` frees it on all PEs, and `a.resize([n], value)?` changes its extents"
)]
pub trait Memory {}

/// The collectives of C and MPI, which have other names here.
#[diagnostic::on_unimplemented(
    message = "collectives are written with `collective!`",
    label = "not a method",
    note = "for a value of each PE: `collective!(sum x)`, `collective!(max x)`, `collective!(broadcast x from 0)`, `collective!(collect &values)`",
    note = "for symmetric objects: `collective!(DST[..] = sum SRC[..])`; also `broadcast … from 0`, `fcollect`, `collect` and `alltoall`",
    note = "for the PEs of a team: `collective!(sum x; on team)`, or a method of the team, such as `team.reduce_value(Sum, x)`"
)]
pub trait Collective {}

/// The barriers of all PEs, on a team.
#[diagnostic::on_unimplemented(
    message = "the barrier of all PEs is a method of the world",
    label = "not a method of a team",
    note = "`team.barrier()` synchronises the PEs of a team; `team.sync()` does not complete their transfers",
    note = "`world.barrier_all()` or `world.sync_all()` synchronises all PEs"
)]
pub trait OfAll {}

/// The barriers of a team, on the world.
#[diagnostic::on_unimplemented(
    message = "the barrier of all PEs is `barrier_all`",
    label = "not a method of the world",
    note = "write `world.barrier_all()`, or `world.sync_all()`, which does not complete transfers",
    note = "`team.barrier()` and `team.sync()` synchronise the PEs of a team; without a `&World` write `collective!(barrier)`"
)]
pub trait OfTeam {}

/// The atomic operations of C, which have other names here.
#[diagnostic::on_unimplemented(
    message = "an atomic operation has another name here",
    label = "not a method",
    note = "`fetch_inc` is `fetch_add(1)`, `inc` is `add(1)`, `fetch` is `get()`, `set` is `put(value)`, and `compare_swap` is `compare_exchange(current, new)`",
    note = "to update a cell without its old value write `remote!(C[pe] += 1)`"
)]
pub trait AtomicName {}

/// `shmem_clear_lock`.
#[diagnostic::on_unimplemented(
    message = "a lock has no method that releases it: dropping the guard does",
    label = "not a method",
    note = "the guard that `LOCK.lock()` returned releases the lock at the end of its scope; `drop(guard)` releases it earlier"
)]
pub trait Unlock {}

/// The ghost cells of an array that has none.
#[diagnostic::on_unimplemented(
    message = "this global array has no ghost cells",
    label = "a method of arrays with ghost cells",
    note = "declare the static with `#[symmetric(block, halo = Halo::fixed(1))]`, or allocate it with `world.halo_array`"
)]
pub trait NoGhosts {}

/// The slice of a part that has ghost cells around it.
#[diagnostic::on_unimplemented(
    message = "the part of an array with ghost cells is borrowed together with them",
    label = "not a method of an array with ghost cells",
    note = "write `array.view(p)` or `array.view_mut(p)`, with index 0 for the first cell of the part; `array.view_mut(p).mine_mut()` has the cells with their indices in the whole"
)]
pub trait HasGhosts {}

/// The names that MPI has for a PE and for how many there are.
#[diagnostic::on_unimplemented(
    message = "`my_pe()` returns the number of this PE, and `n_pes()` the number of PEs",
    label = "not a method",
    note = "`world.my_pe()` and `world.n_pes()` count all PEs, `team.my_pe()` and `team.n_pes()` those of a team"
)]
pub trait RankName {}

/// Hidden methods, each with a bound that never holds. Where a call has other arguments, the
/// compiler says so as well, after the remedy.
///
/// A method at a time, with the bound as the caller wrote it: so the compiler points at the name in
/// a table, and not into a macro. The tables are beside the types, for the paths that it says. What
/// it returns is left open, so that nothing more is said of that.
macro_rules! methods {
    ( [$($generics:tt)*] $ty:ty, [$($bound:tt)*] $method:ident ($($argument:ident)*)) => {
        #[doc(hidden)]
        impl<$($generics)*> $ty {
            #[allow(missing_docs, clippy::must_use_candidate)]
            pub fn $method<$($argument,)* Unknown>(&self, $(_: $argument),*) -> Unknown
            where
                $($bound)*
            {
                $crate::remedies::never()
            }
        }
    };
    (@ $generics:tt $ty:ty, $bound:tt $($method:ident $arguments:tt)*) => {
        $($crate::remedies::methods! {  $generics $ty, $bound $method $arguments })*
    };
    ($($generics:tt $ty:ty, $bound:tt => $($method:ident $arguments:tt)*;)*) => {
        $($crate::remedies::methods! { @ $generics $ty, $bound $($method $arguments)* })*
    };
}
pub(crate) use methods;

/// What would be done by that which nobody can call.
pub(crate) fn never() -> ! {
    unreachable!("a symmetric object has no such operation")
}

/// The atomic operations, on numbers: in the prelude, as `remote!(C[pe]).fetch_add(1)` reads a
/// number and calls a method of it.
///
/// It is implemented for no number, so it hides no method, and no other trait's.
#[doc(hidden)]
pub trait CellMethods {
    fn fetch_add(&self);
    fn fetch_sub(&self);
    fn fetch_and(&self);
    fn fetch_or(&self);
    fn fetch_xor(&self);
    fn fetch_min(&self);
    fn fetch_max(&self);
    fn fetch_inc(&self);
    fn compare_exchange(&self);
    fn compare_swap(&self);
    fn swap(&self);
    fn wait_until(&self);
}

macro_rules! cell_methods {
    ($($number:ty)*) => {$(
        // With a lifetime, because a bound that can never hold is refused without.
        #[doc(hidden)]
        impl CellMethods for $number
        where
            for<'x> $number: Cell,
        {
            fn fetch_add(&self) {}
            fn fetch_sub(&self) {}
            fn fetch_and(&self) {}
            fn fetch_or(&self) {}
            fn fetch_xor(&self) {}
            fn fetch_min(&self) {}
            fn fetch_max(&self) {}
            fn fetch_inc(&self) {}
            fn compare_exchange(&self) {}
            fn compare_swap(&self) {}
            fn swap(&self) {}
            fn wait_until(&self) {}
        }
    )*};
}

cell_methods! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

methods! {
    [] Team, [for<'x> &'x Self: Collective] => all_reduce(A) allreduce(A) all_gather(A) sum_reduce(A);
    [] Team, [for<'x> &'x Self: OfAll] => barrier_all() sync_all();
    [] Team, [for<'x> &'x Self: RankName] => rank() size();
}
