//! Reads that have been asked for already.
//!
//! An element that a message asks for is there once in the answer, however often the batch reads it while
//! the message is filled. Only then: a read may happen at any time between its operation and the end
//! of the batch, and the value of an earlier message is older than that.

use super::message::Sent;
use crate::system::tuning::batch::REMEMBERED;

/// The last element that fell to a place.
#[derive(Clone, Copy, Default)]
struct AskedElement {
    /// The word of the operation.
    word: u64,
    /// The number of the message that asks for it, and where its value is in the answer, in words.
    message_and_at: u64,
}

const AT_BITS: u32 = 16;

/// Where the messages that are filled ask for which element.
pub(super) struct Asked {
    /// None before the first read.
    places: Option<Box<[AskedElement; REMEMBERED]>>,
}

impl Asked {
    pub(super) const fn new() -> Asked {
        Asked { places: None }
    }

    /// Elements side by side have places side by side, and the PEs begin far apart, as in
    /// [`combine`](super::combine).
    #[inline(always)]
    fn place(pe: usize, sent: Sent) -> usize {
        const PLACE_BITS: u32 = REMEMBERED.ilog2();
        const APART: u32 = 0x9e37_79b9;
        let begin = (pe as u32).wrapping_mul(APART) >> (u32::BITS - PLACE_BITS);
        let element = sent.offset >> sent.size.max(1).ilog2();
        ((element ^ element >> PLACE_BITS) + begin as usize) % REMEMBERED
    }

    /// Where its value will be in the answer to `message`, if that asks PE `pe` for it.
    #[inline(always)]
    pub(super) fn find(&self, pe: usize, sent: Sent, message: u64) -> Option<u32> {
        let element = &self.places.as_ref()?[Asked::place(pe, sent)];
        let is_asked = element.word == sent.word() && element.message_and_at >> AT_BITS == message;
        is_asked.then_some(element.message_and_at as u32 & ((1 << AT_BITS) - 1))
    }

    /// `message` asks `pe` for it, and its value will be there in the answer.
    pub(super) fn add(&mut self, pe: usize, sent: Sent, message: u64, at: u32) {
        debug_assert!(at < 1 << AT_BITS);
        let places = self.places.get_or_insert_with(|| {
            let places = vec![AskedElement::default(); REMEMBERED].into_boxed_slice();
            places.try_into().unwrap_or_else(|_| unreachable!("it has that length"))
        });
        let message_and_at = message << AT_BITS | u64::from(at);
        places[Asked::place(pe, sent)] = AskedElement { word: sent.word(), message_and_at };
    }
}
