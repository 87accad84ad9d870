//! The hand-over of one message between two PEs, and of what comes back.
//!
//! A sender has two places in the heap of each receiver, and the receiver has two for its answers in
//! the heap of the sender. Each place has two words: a *flag* beside the message, on the receiver, and
//! a *credit* beside the answer, on the sender. Messages are numbered, from 1 on.
//!
//! 1. The sender writes message `n`, and then `n` to the flag.
//! 2. The receiver finds `n`, and replaces it by 0. If that succeeds, the message is its own. It reads
//!    and performs it, writes the answer, and then `n` to the credit.
//! 3. The sender finds `n` in the credit. It reads the answer, and both places are free again.
//!
//! A receiver may look late, or never. So the sender may take the message back: it replaces `n` by 0 in
//! the flag itself. One of the two replacements succeeds, so each message is performed by one of the
//! two, once. A sender that comes too late finds the credit soon, because the receiver has begun.
//!
//! The file is also compiled into the models, with other words.

/// The two words of a place, and the order between them and the bytes.
pub(crate) trait MailWords {
    /// Stores a number in the flag, after all bytes that were written to the receiver before.
    fn set_flag(&self, number: u64);
    /// The flag, as the receiver sees it. What it sees later is no older than the number.
    fn flag(&self) -> u64;
    /// Replaces a number in the flag by 0, atomically, and returns whether it was there. Both sides
    /// do.
    fn take_flag(&self, number: u64) -> bool;
    /// Stores a number in the credit, after all bytes that were written to the sender before, and
    /// after all operations of the message are complete.
    fn set_credit(&self, number: u64);
    /// The credit, as the sender sees it. What it sees later is no older than the number.
    fn credit(&self) -> u64;
}

/// The sender has written message `number`.
pub(crate) fn send(words: &impl MailWords, number: u64) {
    words.set_flag(number);
}

/// The number of a message that is now the receiver's.
pub(crate) fn receive(words: &impl MailWords) -> Option<u64> {
    let number = words.flag();
    (number != 0 && words.take_flag(number)).then_some(number)
}

/// The receiver has performed message `number`, and written the answer.
pub(crate) fn answer(words: &impl MailWords, number: u64) {
    words.set_credit(number);
}

/// Whether the answer to message `number` is there.
pub(crate) fn is_answered(words: &impl MailWords, number: u64) -> bool {
    words.credit() == number
}

/// Whether message `number` is the sender's again. Otherwise the answer comes.
pub(crate) fn take_back(words: &impl MailWords, number: u64) -> bool {
    words.take_flag(number)
}
