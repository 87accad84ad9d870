//! The operations of `Atomic` cells: against plain integers, and under contention.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use shmem::prelude::*;
use shmem::select::One;
use shmem::{AtomicBits, AtomicInteger, AtomicValue, Remote};

use crate::elements::value;

/// An operation on a cell.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Get,
    Put,
    Fill,
    Swap,
    /// With what stands there, or something else.
    CompareExchange(bool),
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchOr,
    FetchXor,
    FetchMin,
    FetchMax,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    /// `remote!(CELL[pe, i]) += v`, and so on.
    PlusOperator,
    MinusOperator,
    AndOperator,
    OrOperator,
    XorOperator,
}

use Operation::*;

const FLOATS: &[Operation] = &[
    Get,
    Put,
    Fill,
    Swap,
    FetchAdd,
    FetchSub,
    FetchMin,
    FetchMax,
    Add,
    Sub,
    Min,
    Max,
    PlusOperator,
    MinusOperator,
];
const INTEGERS: &[Operation] = &[
    Get,
    Put,
    Fill,
    Swap,
    CompareExchange(true),
    CompareExchange(false),
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchOr,
    FetchXor,
    FetchMin,
    FetchMax,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
    PlusOperator,
    MinusOperator,
    AndOperator,
    OrOperator,
    XorOperator,
];

/// What a number does to itself.
trait Number: AtomicValue + std::fmt::Debug {
    const OPERATIONS: &[Operation];
    /// Operands that are special.
    const SPECIAL: &[Self];
    /// Whether a cell holds what is expected. No sum says which NaN it is.
    fn is(self, expected: Self) -> bool;
    /// What `operation` leaves in a cell that holds `self`.
    fn after(self, operation: Operation, operand: Self) -> Self;
    /// Performs an operation that is a method; returns what it returned.
    fn perform(
        cell: Remote<'_, Atomic<Self>, One>,
        operation: Operation,
        here: Self,
        operand: Self,
    ) -> Option<Self>;
}

macro_rules! integers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            const OPERATIONS: &[Operation] = INTEGERS;
            const SPECIAL: &[$number] = &[0, <$number>::MAX, <$number>::MIN];
            fn is(self, expected: $number) -> bool {
                self == expected
            }
            fn after(self, operation: Operation, operand: $number) -> $number {
                match operation {
                    Get | CompareExchange(false) => self,
                    Put | Fill | Swap | CompareExchange(true) => operand,
                    FetchAdd | Add | PlusOperator => self.wrapping_add(operand),
                    FetchSub | Sub | MinusOperator => self.wrapping_sub(operand),
                    FetchAnd | And | AndOperator => self & operand,
                    FetchOr | Or | OrOperator => self | operand,
                    FetchXor | Xor | XorOperator => self ^ operand,
                    FetchMin | Min => Ord::min(self, operand),
                    FetchMax | Max => Ord::max(self, operand),
                }
            }
            fn perform(
                cell: Remote<'_, Atomic<$number>, One>,
                operation: Operation,
                here: $number,
                operand: $number,
            ) -> Option<$number> {
                integer(cell, operation, here, operand)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($number:ty)*) => {$(
        impl Number for $number {
            const OPERATIONS: &[Operation] = FLOATS;
            const SPECIAL: &[$number] = &[0.0, -0.0, <$number>::MAX, <$number>::MIN, <$number>::NAN, 1.5, -2.25];
            fn is(self, expected: $number) -> bool {
                self.to_bits() == expected.to_bits() || self.is_nan() && expected.is_nan()
            }
            fn after(self, operation: Operation, operand: $number) -> $number {
                // The smaller first, of what is no NaN.
                let sorted = || {
                    let mut both: Vec<$number> = [self, operand].into_iter().filter(|x| !x.is_nan()).collect();
                    both.sort_by(<$number>::total_cmp);
                    both
                };
                match operation {
                    Get => self,
                    Put | Fill | Swap => operand,
                    FetchAdd | Add | PlusOperator => self + operand,
                    FetchSub | Sub | MinusOperator => self - operand,
                    FetchMin | Min => sorted().first().copied().unwrap_or(self),
                    FetchMax | Max => sorted().last().copied().unwrap_or(self),
                    other => unreachable!("{other:?} on a float"),
                }
            }
            fn perform(
                cell: Remote<'_, Atomic<$number>, One>,
                operation: Operation,
                _: $number,
                operand: $number,
            ) -> Option<$number> {
                number(cell, operation, operand)
            }
        }
    )*};
}

floats!(f32 f64);

/// The methods of all cells.
fn number<T: AtomicValue>(cell: Remote<'_, Atomic<T>, One>, operation: Operation, operand: T) -> Option<T> {
    match operation {
        FetchAdd => return Some(cell.fetch_add(operand)),
        FetchSub => return Some(cell.fetch_sub(operand)),
        FetchMin => return Some(cell.fetch_min(operand)),
        FetchMax => return Some(cell.fetch_max(operand)),
        Add => cell.add(operand),
        Sub => cell.sub(operand),
        Min => cell.min(operand),
        Max => cell.max(operand),
        other => unreachable!("{other:?} is no such method"),
    }
    None
}

fn integer<T: AtomicBits + AtomicInteger + PartialEq + std::fmt::Debug>(
    cell: Remote<'_, Atomic<T>, One>,
    operation: Operation,
    here: T,
    operand: T,
) -> Option<T> {
    match operation {
        CompareExchange(true) => {
            assert_eq!(cell.compare_exchange(here, operand), Ok(here));
            return None;
        }
        CompareExchange(false) => {
            // Any other value than the one that stands there.
            let other = if operand == here { value((cell.pe() as u64) << 7) } else { operand };
            if other != here {
                assert_eq!(cell.compare_exchange(other, operand), Err(here));
            }
            return None;
        }
        FetchAnd => return Some(cell.fetch_and(operand)),
        FetchOr => return Some(cell.fetch_or(operand)),
        FetchXor => return Some(cell.fetch_xor(operand)),
        And => cell.and(operand),
        Or => cell.or(operand),
        Xor => cell.xor(operand),
        other => return number(cell, other, operand),
    }
    None
}

/// One operation on `$place`; what it returned, if it returned anything, and what is there after it.
macro_rules! perform {
    ($operation:expr, $here:expr, $operand:expr, $kind:ident, $($place:tt)*) => {{
        let (operation, operand) = ($operation, $operand);
        let cell = remote!(&$($place)*);
        let returned = match operation {
            Get => Some(remote!($($place)*)),
            Put => { remote!($($place)* = operand); None }
            Fill => { cell.fill(operand); None }
            Swap => Some(cell.swap(operand)),
            operator => perform!(@$kind operator, operand, [$($place)*], Number::perform(cell, operator, $here, operand)),
        };
        (returned, cell.get())
    }};
    (@integer $operator:expr, $operand:expr, [$($place:tt)*], $method:expr) => {
        match $operator {
            AndOperator => { remote!($($place)* &= $operand); None }
            OrOperator => { remote!($($place)* |= $operand); None }
            XorOperator => { remote!($($place)* ^= $operand); None }
            other => perform!(@float other, $operand, [$($place)*], $method),
        }
    };
    (@float $operator:expr, $operand:expr, [$($place:tt)*], $method:expr) => {
        match $operator {
            PlusOperator => { remote!($($place)* += $operand); None }
            MinusOperator => { remote!($($place)* -= $operand); None }
            _ => $method,
        }
    };
}

macro_rules! cells {
    ($($number:ident $kind:ident;)*) => {$(
        mod $number {
            use super::*;

            const INIT: Atomic<$number> = Atomic::new(7 as $number);
            #[symmetric]
            static CELL: Atomic<$number> = INIT;
            #[symmetric]
            static LINE: [Atomic<$number>; 5] = [INIT; 5];
            #[symmetric]
            static CUBE: [[[Atomic<$number>; 2]; 3]; 2] = [[[INIT; 2]; 3]; 2];
            #[symmetric]
            static SLOTS: PerPe<[Atomic<$number>; 3]> = PerPe::new([INIT; 3]);

            /// Random operations on the cells of the right neighbour, which checks them after a
            /// barrier.
            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "8M")]
            fn operations(world: &World) -> Result<(), shmem::Error> {
                let n_pes = world.n_pes();
                let me = world.my_pe();
                let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
                let array = world.symmetric_array::<Atomic<$number>, 2>([3, 4], INIT)?;
                // Five objects, each as a list of cells; of the copy that this PE changes, and of
                // the own one.
                let lengths = [1, 5, 12, 3 * n_pes, 12];
                let mut models = [right, me].map(|_| lengths.map(|length| vec![7 as $number; length]));
                let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
                let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
                let case = (0..5_usize, 0..1000_usize, prop::sample::select(<$number>::OPERATIONS), any::<u64>(), 0..14_usize);
                for _ in 0..300 {
                    let drawn = case.new_tree(&mut runner).expect("no case is refused").current();
                    let (object, at, operation, seed, special) = drawn;
                    let at = at % lengths[object];
                    let operand = |writer: usize| match <$number>::SPECIAL.get(special) {
                        Some(special) => *special,
                        None => value::<$number>(seed.wrapping_add(writer as u64)),
                    };
                    let here = models[0][object][at];
                    let mine = operand(me);
                    let pe = right;
                    let (returned, now) = match object {
                        0 => perform!(operation, here, mine, $kind, CELL[pe]),
                        1 => perform!(operation, here, mine, $kind, LINE[pe, at]),
                        2 => perform!(operation, here, mine, $kind, CUBE[pe, at / 6, at / 2 % 3, at % 2]),
                        3 => perform!(operation, here, mine, $kind, SLOTS[pe, at / 3, at % 3]),
                        _ => perform!(operation, here, mine, $kind, array[pe, at / 4, at % 4]),
                    };
                    if let Some(returned) = returned {
                        assert!(returned.is(here), "{operation:?} on PE {pe} returns {returned:?}, not {here:?}");
                    }
                    for (model, writer) in models.iter_mut().zip([me, left]) {
                        let cell = &mut model[object][at];
                        *cell = cell.after(operation, operand(writer));
                    }
                    let expected = models[0][object][at];
                    assert!(now.is(expected), "{operation:?} with {mine:?} on {here:?} of PE {pe}: {now:?}");
                }
                world.barrier_all();
                let mine = [
                    vec![local!(CELL)],
                    local!(LINE[..]).to_vec(),
                    local!(CUBE[.., .., ..]).as_flattened().as_flattened().to_vec(),
                    local!(SLOTS[.., ..]),
                    local!(array[.., ..]),
                ];
                for (found, expected) in mine.iter().zip(&models[1]) {
                    assert_eq!(found.len(), expected.len());
                    assert!(found.iter().zip(expected).all(|(a, b)| a.is(*b)), "the own copy, after the barrier");
                }
                Ok(())
            }
        }
    )*};
}

cells! {
    i8 integer;
    u8 integer;
    i16 integer;
    u16 integer;
    i32 integer;
    i64 integer;
    isize integer;
    u32 integer;
    u64 integer;
    usize integer;
    f32 float;
    f64 float;
}

#[symmetric]
static BYTES: [Atomic<u8>; 11] = [Atomic::new(0); 11];
#[symmetric]
static PAIRS: [Atomic<i16>; 5] = [Atomic::new(0); 5];
#[symmetric]
static SUMS: [Atomic<f64>; 2] = [Atomic::new(0.0); 2];
#[symmetric]
static EXTREMES: [Atomic<f32>; 2] = [Atomic::new(f32::NAN); 2];

/// Neighbours in one word do not disturb each other, and no sum and no extreme is lost.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn contended_cells_of_one_word_and_floats(world: &World) {
    const ROUNDS: usize = 400;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    for round in 0..ROUNDS {
        // Each PE in an order of its own, so that different cells of a word are updated at once.
        let at = (round * (me + 1) + me) % 11;
        remote!(BYTES[0, at]) += 1;
        remote!(PAIRS[n_pes - 1, at % 5]) -= 1;
        remote!(SUMS[0, at % 2]) += 0.5;
        let value = ((round * 7919 + me * 31) % 10_007) as f32;
        remote!(&EXTREMES[0, 0]).min(value);
        remote!(&EXTREMES[0, 1]).max(value);
    }
    world.barrier_all();
    let mut expected = ([0_u8; 11], [0_i16; 5], [0.0; 2], [f32::INFINITY, 0.0]);
    for (round, pe) in (0..ROUNDS).flat_map(|round| (0..n_pes).map(move |pe| (round, pe))) {
        let at = (round * (pe + 1) + pe) % 11;
        expected.0[at] = expected.0[at].wrapping_add(1);
        expected.1[at % 5] -= 1;
        expected.2[at % 2] += 0.5;
        let value = ((round * 7919 + pe * 31) % 10_007) as f32;
        expected.3 = [expected.3[0].min(value), expected.3[1].max(value)];
    }
    assert_eq!(remote!(BYTES[0, ..]), expected.0);
    assert_eq!(remote!(PAIRS[n_pes - 1, ..]), expected.1);
    assert_eq!(remote!(SUMS[0, ..]), expected.2);
    assert_eq!(remote!(EXTREMES[0, ..]), expected.3);
}

/// A wait for a cell of one byte, whose neighbours change meanwhile.
#[shmem::test(npes = [2, 3])]
fn a_wait_for_a_byte(world: &World) {
    #[symmetric]
    static TURN: [Atomic<i8>; 3] = [Atomic::new(0); 3];
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n_pes;
    for round in 1..=20_i8 {
        if me == 0 {
            remote!(TURN[right, 1]) -= 1;
        }
        remote!(TURN[right, 0]) += 3;
        remote!(TURN[right, 2]) -= 7;
        wait!(TURN[1] <= -round);
        if me != 0 {
            remote!(TURN[right, 1]) -= 1;
        }
    }
    world.barrier_all();
    assert_eq!(local!(TURN[..]), [60, -20, (-140_i32) as i8]);
}

#[symmetric]
static COUNTS: [Atomic<u64>; 3] = [Atomic::new(0); 3];
#[symmetric]
static SMALL: Atomic<i32> = Atomic::new(0);
#[symmetric]
static TOKEN: Atomic<u32> = Atomic::new(u32::MAX);
#[symmetric]
static BITS: [Atomic<u64>; 4] = [Atomic::new(0), Atomic::new(0), Atomic::new(u64::MAX), Atomic::new(0)];

/// No update is lost when all PEs update the same cells at once.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn contended_updates_are_not_lost(world: &World) {
    const ROUNDS: usize = 2000;
    let n_pes = world.n_pes();
    let me = world.my_pe();
    let mut before = Vec::new();
    for round in 0..ROUNDS {
        remote!(COUNTS[0, 0]) += 1;
        before.push(remote!(&COUNTS[0, 1]).fetch_add(1));
        remote!(SMALL[n_pes - 1]) -= 1;
        // Compare and exchange until it works.
        let cell = remote!(&COUNTS[n_pes - 1, 2]);
        let mut seen = cell.get();
        while let Err(found) = cell.compare_exchange(seen, seen + 3) {
            seen = found;
        }
        if round < 64 {
            let mine = 1_u64 << ((round * n_pes + me) % 64);
            remote!(BITS[0, 1]) |= mine;
            remote!(BITS[0, 2]) &= !mine;
            remote!(BITS[0, 3]) ^= 1 << (me % 64);
        }
    }
    world.barrier_all();
    let all = (ROUNDS * n_pes) as u64;
    assert_eq!(remote!(COUNTS[0, 0]), all);
    assert_eq!(remote!(COUNTS[0, 1]), all);
    assert_eq!(remote!(SMALL[n_pes - 1]), -(all as i32));
    assert_eq!(remote!(COUNTS[n_pes - 1, 2]), 3 * all);
    assert_eq!(remote!(BITS[0, 1..4]), [u64::MAX, 0, 0]);
    // What one PE got grows, and no two PEs got the same: the sums agree.
    assert!(before.is_sorted_by(|a, b| a < b));
    let sum = collective!(sum before.iter().sum::<u64>());
    assert_eq!(sum, all * (all - 1) / 2);
}

/// A cell is handed over by swaps: nobody gets it twice, and what was stored before it is seen by
/// who gets it.
#[shmem::test(npes = [2, 3, 4, 7])]
fn a_swapped_token_carries_what_was_written_before(world: &World) {
    #[symmetric]
    static PAYLOAD: [u64; 32] = [0; 32];
    const TURNS: u64 = 200;
    let me = world.my_pe();
    let n_pes = world.n_pes();
    let right = (me + 1) % n_pes;
    if me == 0 {
        local!(TOKEN) = 0;
    }
    for turn in 0..TURNS {
        let mut got = u32::MAX;
        while got == u32::MAX {
            got = local!(&TOKEN).swap(u32::MAX);
            std::thread::yield_now();
        }
        assert_eq!(u64::from(got), turn * n_pes as u64 + me as u64);
        if got > 0 {
            assert_eq!(local!(PAYLOAD[..]), [u64::from(got); 32]);
        }
        remote!(PAYLOAD[right, ..]) = u64::from(got) + 1;
        world.fence();
        remote!(TOKEN[right]) = got + 1;
    }
}
