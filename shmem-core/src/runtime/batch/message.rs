//! What a batch sends: operations on elements of one PE, as words.
//!
//! ```text
//! ┌ words of all ┬ operation ┬ its value, in words ┬ operation ┬ … ┐
//! ```
//!
//! An operation is one word: where its element lies, the size of that, and what is done. The values
//! that are read come back in the order of the operations, each in whole words.

use crate::transport::{Amo, Combine};

/// The largest element that a message carries, in bytes. A larger one is a transfer of its own.
pub(super) const LARGEST: usize = 64;

const OFFSET_BITS: u32 = 48;
const SIZE_BITS: u32 = 8;

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SentKind {
    Add,
    AddFloats,
    And,
    Or,
    Xor,
    /// Writes a cell.
    Set,
    /// Reads a cell.
    Fetch,
    Put,
    Get,
}

/// The kinds by their numbers; a power of two of them.
const BY_NUMBER: [SentKind; 16] = {
    let mut all = [SentKind::Get; 16];
    all[0] = SentKind::Add;
    all[1] = SentKind::AddFloats;
    all[2] = SentKind::And;
    all[3] = SentKind::Or;
    all[4] = SentKind::Xor;
    all[5] = SentKind::Set;
    all[6] = SentKind::Fetch;
    all[7] = SentKind::Put;
    all
};

/// An operation of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) kind: SentKind,
    pub(super) size: usize,
    pub(super) offset: usize,
}

/// So many bytes in words.
pub(super) const fn words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

impl SentKind {
    /// The kind of which this is the number.
    #[inline(always)]
    pub(super) fn at(number: usize) -> SentKind {
        BY_NUMBER[number % BY_NUMBER.len()]
    }

    /// The kind of an update without a result, and its operand.
    #[inline(always)]
    pub(super) fn of(op: Amo) -> (SentKind, u64) {
        match op {
            Amo::Add(bits) => (SentKind::Add, bits),
            Amo::Combine(Combine::AddFloats, bits) => (SentKind::AddFloats, bits),
            Amo::And(bits) => (SentKind::And, bits),
            Amo::Or(bits) => (SentKind::Or, bits),
            Amo::Xor(bits) => (SentKind::Xor, bits),
            Amo::Set(bits) => (SentKind::Set, bits),
            Amo::Fetch | Amo::Swap(_) | Amo::CompareSwap { .. } | Amo::Combine(..) => {
                unreachable!("no operator does it")
            }
        }
    }

    /// The operation that [`SentKind::of`] has taken apart; `None` of kinds that are no update.
    #[inline(always)]
    pub(super) fn update(self, bits: u64) -> Option<Amo> {
        match self {
            SentKind::Add => Some(Amo::Add(bits)),
            SentKind::AddFloats => Some(Amo::Combine(Combine::AddFloats, bits)),
            SentKind::And => Some(Amo::And(bits)),
            SentKind::Or => Some(Amo::Or(bits)),
            SentKind::Xor => Some(Amo::Xor(bits)),
            SentKind::Set => Some(Amo::Set(bits)),
            SentKind::Fetch | SentKind::Put | SentKind::Get => None,
        }
    }

    /// Whether a value comes back.
    #[inline(always)]
    pub(super) fn reads(self) -> bool {
        matches!(self, SentKind::Fetch | SentKind::Get)
    }
}

impl Sent {
    /// How many words of value follow it.
    #[inline(always)]
    pub(super) fn operand_words(self) -> usize {
        match self.kind {
            SentKind::Fetch | SentKind::Get => 0,
            SentKind::Put => words(self.size),
            _ => 1,
        }
    }

    /// How many words come back.
    #[inline(always)]
    pub(super) fn reply_words(self) -> usize {
        if self.kind.reads() { words(self.size) } else { 0 }
    }

    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        debug_assert!(self.offset >> OFFSET_BITS == 0 && self.size <= LARGEST);
        self.offset as u64
            | (self.size as u64) << OFFSET_BITS
            | (self.kind as u64) << (OFFSET_BITS + SIZE_BITS)
    }

    /// The operation of a word that [`word`](Sent::word) has made.
    #[inline(always)]
    pub(super) fn of(word: u64) -> Sent {
        Sent {
            kind: SentKind::at((word >> (OFFSET_BITS + SIZE_BITS)) as usize),
            size: (word >> OFFSET_BITS) as usize & ((1 << SIZE_BITS) - 1),
            offset: word as usize & ((1 << OFFSET_BITS) - 1),
        }
    }
}

/// Calls `each` with the operations of a message, without its first word, and the words of their
/// values.
#[inline(always)]
pub(super) fn each_sent(mut message: &[u64], mut each: impl FnMut(Sent, &[u64])) {
    while let Some((&word, rest)) = message.split_first() {
        let sent = Sent::of(word);
        let (operand, rest) = rest.split_at(sent.operand_words());
        each(sent, operand);
        message = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_back() {
        for (i, kind) in BY_NUMBER[..9].iter().copied().enumerate() {
            assert_eq!(kind as usize, i);
            let size = if i < 7 { [4, 8][i % 2] } else { [1, 64][i % 2] };
            for offset in [0, 1 << 20, (1 << OFFSET_BITS) - 1] {
                let sent = Sent { kind, size, offset };
                assert_eq!(Sent::of(sent.word()), sent);
            }
            if let Some(op) = kind.update(77) {
                assert_eq!(SentKind::of(op), (kind, 77));
            }
        }
    }

    #[test]
    fn messages_are_taken_apart() {
        let put = Sent { kind: SentKind::Put, size: 12, offset: 40 };
        let get = Sent { kind: SentKind::Get, size: 3, offset: 48 };
        let add = Sent { kind: SentKind::Add, size: 8, offset: 56 };
        let message = [put.word(), 1, 2, get.word(), add.word(), 9];
        let mut found = Vec::new();
        each_sent(&message, |sent, operand| found.push((sent, operand.to_vec())));
        assert_eq!(found, [(put, vec![1, 2]), (get, vec![]), (add, vec![9])]);
        assert_eq!([put.reply_words(), get.reply_words(), add.reply_words()], [0, 1, 0]);
    }
}
