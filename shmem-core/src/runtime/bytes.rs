//! Conversions between words and bytes, scratch room for bytes, and the bytes of the runtime's own
//! part of each heap. PEs exchange bytes.

use crate::system::tuning::eager::{MORE_SCRATCH, SCRATCH};
use crate::transport::{Ctx, Transport, layout};

/// The bytes of words.
pub(crate) fn bytes(words: &[u64]) -> &[u8] {
    // SAFETY: a word has no padding, so all of its bytes are initialised; they are borrowed as long
    // as the words.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The bytes of words, to be overwritten.
pub(crate) fn bytes_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: as in `bytes`; and whatever is written, every bit pattern is a valid word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

/// The words that `bytes` contain.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u64::from_ne_bytes(word))
}

/// The alignment of a scratch room on the stack.
pub(crate) const SCRATCH_ALIGN: usize = 64;

/// Passes private room for `len` bytes to `each`. Up to [`MORE_SCRATCH`] bytes are on the stack, aligned to
/// [`SCRATCH_ALIGN`]: that costs less than an allocation.
pub(crate) fn with_scratch<R>(len: usize, each: impl FnOnce(&mut [u8]) -> R) -> R {
    #[repr(align(64))]
    struct OnStack<const N: usize>([u8; N]);
    const _: () = assert!(align_of::<OnStack<0>>() == SCRATCH_ALIGN);
    /// Not inlined: what is short needs no such place.
    #[inline(never)]
    fn with_more<R>(len: usize, each: impl FnOnce(&mut [u8]) -> R) -> R {
        let (mut on_stack, mut on_heap);
        // One call of `each`, which may be long, and is compiled for each caller.
        each(if len <= MORE_SCRATCH {
            on_stack = OnStack([0; MORE_SCRATCH]);
            &mut on_stack.0[..len]
        } else {
            on_heap = vec![0; len];
            &mut on_heap
        })
    }
    if len <= SCRATCH { each(&mut OnStack([0; SCRATCH]).0[..len]) } else { with_more(len, each) }
}

/// Writes bytes to the runtime's own part of a heap.
pub(crate) fn put_bytes(transport: &dyn Transport, pe: usize, offset: usize, bytes: &[u8]) {
    debug_assert!(offset + bytes.len() <= layout::END);
    // SAFETY: the source is a slice, and the internal part is inside of every heap:
    // `runtime::start` checks its size.
    unsafe { transport.put(Ctx::DEFAULT, pe, offset, bytes.as_ptr(), bytes.len()) }
}

/// Reads bytes from the runtime's own part of a heap.
pub(crate) fn get_bytes(transport: &dyn Transport, pe: usize, offset: usize, bytes: &mut [u8]) {
    debug_assert!(offset + bytes.len() <= layout::END);
    // SAFETY: as in `put_bytes`, with a slice as destination.
    unsafe { transport.get(Ctx::DEFAULT, pe, offset, bytes.as_mut_ptr(), bytes.len()) }
}

/// Writes words to the runtime's own part of a heap.
pub(crate) fn put_words(transport: &dyn Transport, pe: usize, offset: usize, words: &[u64]) {
    put_bytes(transport, pe, offset, bytes(words));
}

/// Reads words from the runtime's own part of a heap.
pub(crate) fn get_words(transport: &dyn Transport, pe: usize, offset: usize, words: &mut [u64]) {
    get_bytes(transport, pe, offset, bytes_mut(words));
}
