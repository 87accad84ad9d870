//! Conversions between words and bytes, scratch room for bytes, and the bytes of the runtime's own
//! part of each heap. PEs exchange bytes.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::system::tuning::eager::{KEPT_SCRATCH, MORE_SCRATCH, SCRATCH};
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

/// The least alignment of a scratch room.
pub(crate) const SCRATCH_ALIGN: usize = 64;

/// Passes private room for `len` bytes, which may have any values, to `each`. It is aligned to
/// [`SCRATCH_ALIGN`]. Up to [`MORE_SCRATCH`] bytes are on the stack, which costs less than an allocation.
pub(crate) fn with_scratch<R>(len: usize, each: impl FnOnce(&mut [u8]) -> R) -> R {
    #[repr(align(64))]
    struct OnStack<const N: usize>([u8; N]);
    const _: () = assert!(align_of::<OnStack<0>>() == SCRATCH_ALIGN);
    /// Not inlined: what is short needs no such place.
    #[inline(never)]
    fn with_more<R>(len: usize, each: impl FnOnce(&mut [u8]) -> R) -> R {
        let (mut on_stack, mut kept);
        // One call of `each`, which may be long, and is compiled for each caller.
        each(if len <= MORE_SCRATCH {
            on_stack = MaybeUninit::<OnStack<MORE_SCRATCH>>::uninit();
            let start = on_stack.as_mut_ptr().cast::<u8>();
            // SAFETY: there are so many bytes, which are initialised here and borrowed until `each` returns. To clear
            // all that there are would take longer.
            unsafe {
                start.write_bytes(0, len);
                std::slice::from_raw_parts_mut(start, len)
            }
        } else {
            kept = Scratch::new(len, SCRATCH_ALIGN);
            kept.bytes_mut()
        })
    }
    if len <= SCRATCH { each(&mut OnStack([0; SCRATCH]).0[..len]) } else { with_more(len, each) }
}

/// Private room for bytes on their way, which may have any values. The thread keeps it for the next call: an allocator
/// gives memory of this size back to the system, which then has to provide it again, page by page.
pub(crate) struct Scratch {
    /// Until it is dropped.
    memory: Option<PrivateMemory>,
    len: usize,
}

/// Memory of the allocator.
struct PrivateMemory {
    start: NonNull<u8>,
    /// Not of size 0.
    layout: Layout,
}

impl Scratch {
    /// Room for `len` bytes, aligned to `align`, a power of two, and to [`SCRATCH_ALIGN`].
    pub(crate) fn new(len: usize, align: usize) -> Scratch {
        let fits = |memory: &PrivateMemory| memory.layout.size() >= len && memory.layout.align() >= align;
        // The smaller one first. While the thread ends, nothing is kept.
        let kept = KEPT.try_with(|kept| {
            kept.iter().rev().find_map(|place| {
                let memory = place.take();
                if memory.as_ref().is_some_and(fits) {
                    return memory;
                }
                place.set(memory);
                None
            })
        });
        let memory = kept.ok().flatten().unwrap_or_else(|| PrivateMemory::new(len, align));
        Scratch { memory: Some(memory), len }
    }

    /// The first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        self.memory.as_ref().expect("a room has memory until it is dropped").start.as_ptr()
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as many bytes, which were set to zero once, and belong to this room alone.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut memory = self.memory.take().filter(|memory| memory.layout.size() <= KEPT_SCRATCH);
        // In the place of none, or of one that is smaller. What remains is freed.
        let _ = KEPT.try_with(|kept| {
            for place in kept {
                let before = place.take();
                let size =
                    |memory: &Option<PrivateMemory>| memory.as_ref().map_or(0, |memory| memory.layout.size());
                let (larger, smaller) = if size(&before) < size(&memory) {
                    (memory.take(), before)
                } else {
                    (before, memory.take())
                };
                place.set(larger);
                memory = smaller;
            }
        });
    }
}

impl PrivateMemory {
    /// At least `len` zeros.
    fn new(len: usize, align: usize) -> PrivateMemory {
        let size = len.max(4096);
        let size = if size <= KEPT_SCRATCH { size.next_power_of_two() } else { size };
        let layout = Layout::from_size_align(size, align.max(SCRATCH_ALIGN));
        let layout = layout.expect("as many bytes are in symmetric memory");
        // SAFETY: the layout has a size.
        let start = unsafe { alloc_zeroed(layout) };
        PrivateMemory { start: NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout)), layout }
    }
}

impl Drop for PrivateMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody has the address any more.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

thread_local! {
    /// What the last calls have used: a call needs two rooms, for what it has and for what comes.
    static KEPT: [Cell<Option<PrivateMemory>>; 2] = const { [Cell::new(None), Cell::new(None)] };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory is that of the last call, two rooms at a time are apart, and what is large is not kept.
    #[test]
    fn scratch_is_kept() {
        let (mut a, mut b) = (Scratch::new(100_000, 1), Scratch::new(50_000, 1));
        a.bytes_mut().fill(1);
        b.bytes_mut().fill(2);
        assert!(a.bytes_mut().iter().all(|&byte| byte == 1));
        let mut c = Scratch::new(10, 256);
        assert_eq!(c.bytes_mut(), [0; 10]);
        let before = [a.start(), b.start()];
        drop((a, b));
        let after = [Scratch::new(60_000, 1), Scratch::new(100_000, 1)].map(|scratch| scratch.start());
        assert_eq!(before.iter().filter(|start| after.contains(start)).count(), 2, "{before:?} {after:?}");
        // Smaller than what is kept, and aligned otherwise.
        let aligned = Scratch::new(10, 4096);
        assert!(aligned.start().addr().is_multiple_of(4096));
        drop(c);
        let mut large = Scratch::new(KEPT_SCRATCH + 1, 1);
        large.bytes_mut().fill(3);
        drop(large);
        assert!(KEPT.with(|kept| kept.iter().all(|place| {
            let memory = place.take();
            memory.as_ref().is_none_or(|memory| memory.layout.size() <= KEPT_SCRATCH)
        })));
        assert_eq!(Scratch::new(0, 1).bytes_mut(), []);
    }
}
