//! Collectives: the reduction of one value from each PE.

use std::fmt;

use crate::number::{Reduce, ReducedBy, operation_name};
use crate::runtime;
use crate::symmetric::heap::{get_words, internal, put_words};

/// How many reductions this PE has made.
pub(crate) struct Reductions {
    made: u64,
}

impl Reductions {
    pub(crate) const fn new() -> Reductions {
        Reductions { made: 0 }
    }
}

/// `collective!(op value)`: joins one value from each PE, in the order of the PEs, so that all get the same bits. Collective.
///
/// # Panics
///
/// When the PEs are in different reductions.
#[doc(hidden)]
#[track_caller]
pub fn all_reduce<O, T: ReducedBy<O>>(_: O, value: T) -> T {
    let runtime = runtime::get();
    let transport = runtime.transport();
    let mut reductions = runtime.reductions();
    reductions.made += 1;
    // Two slots in turn: who writes the third has met everybody in the second, so all have read the first.
    let slot = internal::REDUCE + (reductions.made % 2) as usize * 64;
    let mine = Call { made: reductions.made, op: T::CODE, kind: kind::<T>() };
    let mut words = [mine.made, mine.op, mine.kind, 0, 0];
    const { assert!(size_of::<T>() <= 2 * size_of::<u64>()) };
    // SAFETY: a value has two words at most, as was just asserted, and `words` has two behind the call.
    unsafe { words.as_mut_ptr().add(3).cast::<T>().write_unaligned(value) };
    let me = transport.my_pe();
    put_words(transport, me, slot, &words);
    transport.barrier_all();
    let mut joined: Option<T> = None;
    for pe in 0..transport.n_pes() {
        let mut words = [0; 5];
        get_words(transport, pe, slot, &mut words);
        let other = Call { made: words[0], op: words[1], kind: words[2] };
        assert!(
            other.made >= mine.made,
            "the PEs disagree on a reduction: PE {me} is in {mine}, and PE {pe} is in none but in another collective call, \
             such as a barrier; every PE must make the same collective calls in the same order"
        );
        assert!(
            mine == other,
            "the PEs disagree on a reduction: PE {me} is in {mine}, and PE {pe} is in {other}; every PE must make the same \
             collective calls in the same order"
        );
        // SAFETY: the other PE wrote a `T` there, as its call says; every bit pattern is a valid one in any case.
        let value = unsafe { words.as_ptr().add(3).cast::<T>().read_unaligned() };
        joined = Some(match joined {
            Some(joined) => joined.join(value),
            None => value,
        });
    }
    joined.unwrap_or(value)
}

/// A reduction, as each PE calls it: all must call the same.
#[derive(PartialEq)]
struct Call {
    made: u64,
    op: u64,
    kind: u64,
}

/// A type's name in a word: `number` keeps the names to eight letters.
fn kind<T: Reduce>() -> u64 {
    T::NAME.bytes().fold(0, |word, letter| word << 8 | u64::from(letter))
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind: String = self.kind.to_be_bytes().into_iter().filter(|&b| b != 0).map(char::from).collect();
        write!(f, "its reduction number {}, `{}` of {kind}", self.made, operation_name(self.op))
    }
}
