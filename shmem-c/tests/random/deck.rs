//! What a random program is made of: the routines, each with each of its types.

use fastrand::Rng;

use super::super::table::{self, Set};
use super::model::size;

/// The routines of a kind, in random order: each is taken once before one is taken twice.
pub(super) struct Deck<T> {
    cards: Vec<T>,
    taken: usize,
}

impl<T> Deck<T> {
    pub(super) fn new(rng: &mut Rng, mut cards: Vec<T>) -> Deck<T> {
        rng.shuffle(&mut cards);
        Deck { cards, taken: 0 }
    }

    pub(super) fn take(&mut self) -> &T {
        self.taken += 1;
        &self.cards[(self.taken - 1) % self.cards.len()]
    }

    pub(super) fn is_through(&self) -> bool {
        self.taken >= self.cards.len()
    }
}

/// A type as the interpreter has it: its number in its list, and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ty {
    pub(super) number: usize,
    pub(super) name: &'static str,
    pub(super) size: usize,
}

pub(super) fn types(set: Set) -> Vec<Ty> {
    let rows = table::rows();
    let row = rows.iter().find(|row| row.set == set).expect("each set has a row");
    row.types().enumerate().map(|(number, ty)| Ty { number, name: ty.name, size: size(ty.c) }).collect()
}

/// As in `tests/c/random.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Transfer {
    Put,
    PutNbi,
    Get,
    GetNbi,
    Iput,
    Iget,
    Ibput,
    Ibget,
    P,
    G,
}

pub(super) const TRANSFER: [Transfer; 10] = {
    use Transfer::*;
    [Put, PutNbi, Get, GetNbi, Iput, Iget, Ibput, Ibget, P, G]
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Atomic {
    Fetch,
    SetTo,
    Swap,
    CompareSwap,
    Inc,
    Add,
    FetchInc,
    FetchAdd,
    And,
    Or,
    Xor,
    FetchAnd,
    FetchOr,
    FetchXor,
}

pub(super) const ATOMIC: [Atomic; 14] = {
    use Atomic::*;
    [Fetch, SetTo, Swap, CompareSwap, Inc, Add, FetchInc, FetchAdd, And, Or, Xor, FetchAnd, FetchOr, FetchXor]
};

/// Broadcast, collect, fcollect, alltoall, alltoalls.
pub(super) const EXCHANGES: usize = 5;
/// And, or, xor, max, min, sum, prod, inscan, exscan.
pub(super) const REDUCTIONS: usize = 9;

/// A collective of the deck.
#[derive(Clone, Copy)]
pub(super) enum Collective {
    Exchange(usize, Ty),
    Reduce(usize, Ty),
}

impl Ty {
    /// Its number among the types of atomic operations.
    pub(super) fn number_of_amo(self) -> i64 {
        types(Set::Amo).iter().position(|ty| ty.name == self.name).expect("an AMO type") as i64
    }
}

/// All transfers: typed, by size, and of bytes, with and without a context.
pub(super) fn transfer_deck() -> Vec<(Transfer, Ty, bool)> {
    let typed = types(Set::Rma);
    let first = typed.len();
    let sized = [8, 16, 32, 64, 128].into_iter().enumerate();
    let sized = sized.map(|(i, bits)| Ty { number: first + i, name: "", size: bits / 8 });
    let bytes = Ty { number: first + 5, name: "mem", size: 1 };
    let mut deck = Vec::new();
    for ty in typed.iter().copied().chain(sized).chain([bytes]) {
        for kind in TRANSFER {
            let is_there = match ty.name {
                "" => kind < Transfer::P,
                "mem" => kind < Transfer::Iput,
                // Not all bytes of a value are passed.
                "longdouble" => kind < Transfer::P,
                _ => true,
            };
            deck.extend(
                [true, false].into_iter().filter(|_| is_there).map(|with_context| (kind, ty, with_context)),
            );
        }
    }
    deck
}

/// All atomic operations, with and without a context; those that fetch, also with a later result.
pub(super) fn atomic_deck() -> Vec<(Atomic, Ty, bool, bool)> {
    use Atomic::*;
    let mut deck = Vec::new();
    for kind in ATOMIC {
        let returns = !matches!(kind, SetTo | Inc | Add | And | Or | Xor);
        for ty in types(if kind < And { Set::Amo } else { Set::Bitwise }) {
            for with_context in [false, true] {
                deck.push((kind, ty, with_context, false));
                if returns {
                    deck.push((kind, ty, with_context, true));
                }
            }
        }
    }
    deck
}

pub(super) fn collective_deck() -> Vec<Collective> {
    let exchanges = (0..EXCHANGES)
        .flat_map(|kind| types(Set::Rma).into_iter().map(move |ty| Collective::Exchange(kind, ty)));
    let reductions = (0..REDUCTIONS)
        .flat_map(|kind| types(Set::Bits).into_iter().map(move |ty| Collective::Reduce(kind, ty)));
    exchanges.chain(reductions).collect()
}
