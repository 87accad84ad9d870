//! Conversions between words and bytes, and scratch room for bytes. PEs exchange bytes.

use crate::system::tuning::eager::SCRATCH;

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

/// Passes private room for `len` bytes to `each`. Up to [`SCRATCH`] bytes are on the stack, which
/// costs less than an allocation.
pub(crate) fn with_scratch<R>(len: usize, each: impl FnOnce(&mut [u8]) -> R) -> R {
    #[repr(align(64))]
    struct Short([u8; SCRATCH]);
    const _: () = assert!(align_of::<Short>() == SCRATCH_ALIGN);
    if len <= SCRATCH { each(&mut Short([0; SCRATCH]).0[..len]) } else { each(&mut vec![0; len]) }
}
