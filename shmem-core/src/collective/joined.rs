//! How the elements of a global array are joined: each PE those of its part, and all PEs the results.
//!
//! A PE joins copies of some elements at a time, because another thread may do anything meanwhile. The
//! results of the parts are joined in the order of the PEs.

use super::elements::zeros;
use crate::global::{GlobalObject, Mine, PartHere, range_of};
use crate::number::ReducedBy;
use crate::runtime::{self, direct};
use crate::symmetric::Symmetric;
use crate::symmetric::shape::{GlobalIndex as _, MAX_RANK, Shape as _};
use crate::world::World;

/// How many elements are copied at a time.
const AT_A_TIME: usize = 1024;

/// The extents of the whole, 1 for axes that do not exist.
pub(super) fn extents_of<A: GlobalObject + ?Sized>(array: &A) -> Vec<usize> {
    let extents = array.whole().0.extents();
    extents[..A::Shape::RANK].to_vec()
}

/// All PEs, after a barrier.
///
/// # Panics
///
/// Outside of a job, of a static; the message names it.
#[track_caller]
pub(super) fn met<A: GlobalObject + ?Sized>(array: &A) -> World {
    let _ = array.parts();
    let world = World::new(runtime::get());
    world.barrier_all();
    world
}

/// Calls `each` with the elements of this PE's part, in their order.
#[track_caller]
fn each_of_mine<A: GlobalObject + ?Sized>(array: &A, mut each: impl FnMut(A::Value)) {
    let here = PartHere::of(array);
    let mut copies = zeros::<A::Value>(Ord::min(here.len(), AT_A_TIME));
    for piece in here.pieces(AT_A_TIME) {
        let copies = &mut copies[..piece.len()];
        piece.get_into(&mut *copies);
        copies.iter().for_each(|value| each(*value));
    }
}

/// What each PE has found that holds elements, with its number.
#[track_caller]
fn of_each_part<A: GlobalObject + ?Sized, T: Symmetric>(
    array: &A,
    what: &'static str,
    mine: Option<T>,
) -> impl Iterator<Item = (usize, T)> + use<A, T> {
    let mine = mine.unwrap_or_else(|| zeros(1)[0]);
    let all = runtime::get().team().values_of_each(what, &[mine]);
    let parts = *array.parts();
    let holds = move |pe: usize| parts.held(pe).iter().all(|&extent| extent > 0);
    all.into_iter().enumerate().filter(move |(pe, _)| holds(*pe))
}

/// All elements, joined.
#[track_caller]
pub(super) fn joined<A: GlobalObject + ?Sized>(
    array: &A,
    what: &'static str,
    join: impl Fn(A::Value, A::Value) -> A::Value,
) -> Option<A::Value> {
    met(array);
    let mut mine = None;
    each_of_mine(array, |value| mine = Some(mine.map_or(value, |mine| join(mine, value))));
    of_each_part(array, what, mine).map(|(_, value)| value).reduce(join)
}

/// The element that the others leave unchanged, and its index: the first one of equal ones.
#[track_caller]
pub(super) fn located<O, A: GlobalObject<Value: ReducedBy<O>> + ?Sized>(
    array: &A,
    what: &'static str,
) -> Option<(A::Value, A::Index)> {
    // NaNs are not equal to anything, and are replaced by everything else.
    let is_better = |one: A::Value, other: A::Value| {
        let joined = one.join(other);
        joined == other && joined != one
    };
    met(array);
    let (mut mine, mut at) = (None, 0);
    each_of_mine(array, |value| {
        if mine.is_none_or(|(best, _)| is_better(best, value)) {
            mine = Some((value, at));
        }
        at += 1;
    });
    let extents = extents_of(array);
    let number = |place: usize| -> u64 {
        let index = Mine::<A::Index>::new(*array.parts(), direct::my_pe()).nth(place);
        let index = index.expect("a place of the part").numbers();
        index.into_iter().zip(&extents).fold(0, |number, (i, n)| number * n + i) as u64
    };
    let values = of_each_part(array, what, mine.map(|(value, _)| value));
    let numbers = of_each_part(array, what, mine.map(|(_, place)| number(place)));
    let (value, number) = values
        .zip(numbers)
        .map(|((_, value), (_, number))| (value, number as usize))
        .reduce(|one, other| {
            let is_first = || other.1 < one.1 && !is_better(other.0, one.0);
            if is_better(one.0, other.0) || is_first() { other } else { one }
        })?;
    let (mut index, mut rest) = ([0; MAX_RANK], number);
    for (axis, extent) in extents.into_iter().enumerate().rev() {
        index[axis] = rest % extent;
        rest /= extent;
    }
    Some((value, A::Index::of(index)))
}

/// `first` is what index 0 gets, in a scan that leaves out each element itself.
#[track_caller]
pub(super) fn scanned<O, A, J>(what: &'static str, from: &A, to: &J, first: Option<A::Value>)
where
    A: GlobalObject<Value: ReducedBy<O>> + ?Sized,
    J: GlobalObject<Value = A::Value> + ?Sized,
{
    let ((shape, info), (other, other_info)) = (from.whole(), to.whole());
    let (n, other) = (shape.extents()[0], other.extents()[0]);
    assert!(n == other, "`{what}` of {info}, which has {n} elements, to {other_info}, which has {other}");
    let world = met(from);
    let len = n.div_ceil(direct::n_pes());
    let start = |pe: usize| Ord::min(pe.saturating_mul(len), n);
    let of = |pe: usize| start(pe)..start(pe + 1);
    let mine = of(direct::my_pe());
    let mut values = range_of(from, mine.clone()).get();
    let mut joined = None;
    for value in &mut values {
        let next = joined.map_or(*value, |joined: A::Value| joined.join(*value));
        joined = Some(next);
        *value = next;
    }
    let all = world.team().values_of_each(what, &[joined.unwrap_or_else(|| zeros(1)[0])]);
    let before = &all[..direct::my_pe()];
    let before = before.iter().enumerate().filter(|(pe, _)| !of(*pe).is_empty());
    let before = before.map(|(_, total)| *total).reduce(|a, b| a.join(b));
    if let Some(before) = before {
        values.iter_mut().for_each(|value| *value = before.join(*value));
    }
    if let (Some(first), false) = (first, values.is_empty()) {
        values.rotate_right(1);
        values[0] = before.unwrap_or(first);
    }
    range_of(to, mine).put(&values);
    world.barrier_all();
}
