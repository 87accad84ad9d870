//! Elements, selections and teams, and the comparison with the model.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;

use shmem::prelude::*;
use shmem::select::Many;

/// Elements of a selection of this PE's copies: every object and rank has this type.
pub(crate) type Part<'a, T> = Remote<'a, T, Many>;

/// An element that is made of a number and compared bit by bit.
pub(crate) trait Value: Symmetric + Debug {
    fn of(number: u64) -> Self;
    fn bits(self) -> u128;
}

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl Value for $int {
            fn of(number: u64) -> $int {
                // A few small ones, so that products are not 0, and and is not 0.
                let spread = u128::from(number) << 64 | u128::from(number);
                if number % 3 == 0 { (spread | 1) as $int } else { !(spread as $int & 0x41) }
            }
            fn bits(self) -> u128 {
                self as u128
            }
        }
    )*};
}
integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($($float:ident)*) => {$(
        impl Value for $float {
            /// Of different magnitudes, so that another order gives other bits; never 0.
            fn of(number: u64) -> $float {
                let sign = if number & 1 == 0 { 1.0 } else { -1.0 };
                let fraction = (number >> 40) as $float / (1_u32 << 24) as $float;
                sign * (1.0 + fraction) * [1.0e-4, 0.1, 1.0, 7.0, 1.0e3][(number >> 8) as usize % 5]
            }
            fn bits(self) -> u128 {
                self.to_bits().into()
            }
        }
    )*};
}
floats!(f32 f64);

/// What PE `pe` of the world has in the object `object`: a part of a table of random values, because
/// without optimisation a value takes longer to make than a collective to move it.
pub(crate) fn values<T: Value>(seed: u64, object: usize, pe: usize, len: usize) -> Vec<T> {
    /// Prime, so that parts that begin at different places do not overlap in a regular way.
    const PLACES: usize = 4093;
    thread_local! {
        /// The tables, each a `Vec` of another type.
        static TABLES: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
    }
    TABLES.with_borrow_mut(|tables| {
        let place = tables.iter().position(|table| table.is::<Vec<T>>()).unwrap_or_else(|| {
            tables.push(Box::new(Vec::<T>::new()));
            tables.len() - 1
        });
        let table: &mut Vec<T> = tables[place].downcast_mut().expect("the type was compared");
        let start = mix(seed ^ (object as u64) << 48 ^ (pe as u64) << 32) as usize % PLACES;
        let missing = table.len()..(start + len).max(PLACES);
        table.extend(missing.map(|number| T::of(mix(number as u64))));
        table[start..start + len].to_vec()
    })
}

/// A number that depends on each bit of another.
pub(crate) fn mix(number: u64) -> u64 {
    let number =
        (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A selection, and what it means.
#[derive(Clone)]
pub(crate) struct Place<'a, T> {
    /// Which object it is of.
    pub(crate) object: usize,
    pub(crate) part: Part<'a, T>,
    /// All of the object, or its beginning and some elements after the selected ones.
    pub(crate) whole: Part<'a, T>,
    /// Which elements of the whole are selected.
    pub(crate) indices: Vec<usize>,
}

/// Of an array or static of rank 1: `len` elements from `start` on, `step` apart.
macro_rules! place {
    ($object:expr, $id:expr, $start:expr, $len:expr, $step:expr) => {{
        let (start, len, step): (usize, usize, usize) = ($start, $len, $step);
        let end = if len == 0 { start } else { start + (len - 1) * step + 1 };
        let all = local!(&($object)[..]).len().min(end + 61);
        crate::model::Place {
            object: $id,
            part: local!(&($object)[start..end; step]),
            whole: local!(&($object)[0..all]),
            indices: (0..len).map(|i| start + i * step).collect(),
        }
    }};
}
pub(crate) use place;

/// Of an array of rank 2: a block, with a step in each direction.
pub(crate) fn block<T: Value>(
    object: &SymmetricArray<T, 2>,
    id: usize,
    rows: (usize, usize, usize),
    columns: (usize, usize, usize),
) -> Place<'_, T> {
    let [height, width] = object.extents();
    let indices = |(start, len, step): (usize, usize, usize)| (0..len).map(move |i| start + i * step);
    let end = |(start, len, step): (usize, usize, usize)| {
        if len == 0 { start } else { start + (len - 1) * step + 1 }
    };
    Place {
        object: id,
        part: local!(&(*object)[rows.0..end(rows); rows.2, columns.0..end(columns); columns.2]),
        whole: local!(&(*object)[0..height, 0..width]),
        indices: indices(rows)
            .flat_map(|row| indices(columns).map(move |column| row * width + column))
            .collect(),
    }
}

/// The teams that every test runs on; `None` where this PE is no member.
pub(crate) struct Teams<'a> {
    world: &'a World,
    made: Vec<(&'static str, Option<Team>)>,
}

impl<'a> Teams<'a> {
    pub(crate) fn of(world: &'a World) -> Teams<'a> {
        let (all, n, me) = (world.team(), world.n_pes(), world.my_pe());
        let made = |team: Result<Option<Team>, shmem::Error>| team.expect("there is room for a few teams");
        let mut teams = Vec::new();
        if n > 1 {
            teams.push(("the odd PEs", made(all.split_strided(1, 2, n / 2))));
        }
        teams.push(("reversed", made(all.split_strided(n - 1, -1, n))));
        let (row, column) = all.split_2d(2).expect("there is room for a few teams");
        teams.push(("rows", Some(row)));
        teams.push(("columns", Some(column)));
        // 3 has no common divisor with these counts; where it has, the list is rotated.
        let shuffled: Vec<usize> =
            (0..n).map(|i| if n % 3 == 0 { (i + 1) % n } else { (3 * i + 1) % n }).collect();
        teams.push(("shuffled", made(all.split_list(&shuffled))));
        let color = (me != n / 2).then_some(me as u64 % 2);
        teams.push(("colours", made(all.split_by_color(color, -(me as i64)))));
        let of_teams = match &teams[usize::from(n > 1)].1 {
            Some(reversed) => made(reversed.split_strided(0, 2, n.div_ceil(2))),
            None => unreachable!("every PE is in it"),
        };
        teams.push(("every second of the reversed", of_teams));
        teams.push(("alone", made(all.split_by_color(Some(me as u64), 0))));
        Teams { world, made: teams }
    }

    /// The world's, and all that this PE is a member of. On each team but the world's [`compare`]
    /// takes every fourth case only, and leaves the others to other teams: among seven PEs on a
    /// machine that has other work, calls take long.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, &Team)> {
        let made = self.made.iter().enumerate().filter_map(|(number, (name, team))| {
            let team = team.as_ref()?;
            NEXT.set(Some(number as u64 * 10_000));
            Some((*name, team))
        });
        let world = std::iter::once_with(|| {
            NEXT.set(None);
            ("the world", self.world.team())
        });
        world.chain(made)
    }
}

thread_local! {
    /// On a team that shares the cases with others, the number of the next one: the same on all
    /// members, and another on each team.
    static NEXT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Whether the next case is one for the team.
fn is_taken() -> bool {
    let next = NEXT.get();
    NEXT.set(next.map(|number| number + 1));
    next.is_none_or(|number| mix(number).is_multiple_of(4))
}

/// A collective with a destination and a source.
pub(crate) type Call<'a, T> = &'a dyn Fn(&Team, Part<'_, T>, Part<'_, T>);

/// What a call must leave in the destination of the PE of the team whose number comes second, from
/// the sources of all; what is `None` stays.
pub(crate) type Model<'a, T> = &'a dyn Fn(&[Vec<T>], usize) -> Vec<Option<T>>;

/// Fills both objects on this PE, calls, and compares all that both have then.
///
/// No PE waits for another but in the call. So whoever is late finds its objects as it filled them,
/// or the call is wrong.
#[track_caller]
pub(crate) fn compare<T: Value>(
    what: &str,
    team: &Team,
    seed: u64,
    (to, from): (&Place<'_, T>, &Place<'_, T>),
    call: Call<'_, T>,
    model: Model<'_, T>,
) {
    if !is_taken() {
        return;
    }
    let me = team.world_pe(team.my_pe());
    let apart = to.object != from.object;
    let whole = if !apart && from.whole.len() > to.whole.len() { from.whole } else { to.whole };
    let full = |object: usize, whole: Part<'_, T>| -> Vec<T> { values(seed, object, me, whole.len()) };
    let end = from.indices.iter().max().map_or(0, |&last| last + 1);
    let selected = |pe: usize| -> Vec<T> {
        let all: Vec<T> = values(seed, from.object, pe, end);
        from.indices.iter().map(|&index| all[index]).collect()
    };
    let sources: Vec<Vec<T>> = team.world_pes().map(selected).collect();
    let result = model(&sources, team.my_pe());
    let mut expected = full(to.object, whole);
    whole.put(expected.as_slice());
    for (&index, result) in to.indices.iter().zip(result) {
        expected[index] = result.unwrap_or(expected[index]);
    }
    let source = if apart { full(from.object, from.whole) } else { Vec::new() };
    if apart {
        from.whole.put(source.as_slice());
    }
    call(team, to.part, from.part);
    same(what, "the destination", team, &whole.get(), &expected);
    if apart {
        same(what, "the source", team, &from.whole.get(), &source);
    }
}

#[track_caller]
fn same<T: Value>(what: &str, side: &str, team: &Team, got: &[T], expected: &[T]) {
    assert_eq!(got.len(), expected.len());
    if let Some(index) = (0..got.len()).find(|&index| got[index].bits() != expected[index].bits()) {
        panic!(
            "{what}, {team:?}: element {index} of the object of {side} is {:?} and should be {:?}",
            got[index], expected[index]
        );
    }
}

/// Everything that the model says is a value.
pub(crate) fn all<T>(values: Vec<T>) -> Vec<Option<T>> {
    values.into_iter().map(Some).collect()
}
