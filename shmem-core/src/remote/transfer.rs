//! The loads, stores and copies that move the elements.
//!
//! Each function takes the start of the target's heap, or null where the transport has to carry the data. Which of
//! the two it is, is known for a whole program run, so the branch costs nothing; it is taken here, once for each
//! kind of operation.
//!
//! Other processes read and write the same bytes at the same time, so nothing here makes a Rust reference
//! to symmetric memory. Elements move by relaxed atomic loads and stores of up to 8 bytes, which the compiler may
//! neither invent nor leave out, or in a debug build by the same instructions, written out in [`word`]; runs move by
//! [`copy`] and by strided loops, which the compiler does not see into.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::remote::Remote;
use crate::runtime;
use crate::select::{Located, Region};
use crate::symmetric::Item;
use crate::transport::copy::copy;
use crate::transport::word::{self, is_null, is_word};
use crate::transport::{Amo, Ctx, Run, Width, cell};

/// How the transport carries what loads and stores do not reach.
#[derive(Clone, Copy)]
pub(crate) struct Via {
    pub(crate) ctx: Ctx,
    /// Whether the local side is the transport's until the next `quiet` of the context: contiguous elements then move by non-blocking
    /// transfers.
    pub(crate) nbi: bool,
}

impl Via {
    /// Blocking, on the default context.
    pub(crate) const DEFAULT: Via = Via::blocking(Ctx::DEFAULT);

    #[inline(always)]
    pub(crate) const fn blocking(ctx: Ctx) -> Via {
        Via { ctx, nbi: false }
    }
}

/// A word that the processor loads and stores whole.
macro_rules! words {
    ($($load:ident $store:ident $atomic:ident $word:ty),*) => {$(
        /// Copies one word from shared to private memory.
        ///
        /// # Safety
        ///
        /// Both sides hold a word, and `from` is aligned to it.
        #[inline(always)]
        unsafe fn $load(from: *const u8, to: *mut u8) {
            // SAFETY: the caller promises an aligned word that is mapped; shared memory is only accessed atomically
            // or by copies that the compiler does not see.
            unsafe {
                let word = $atomic::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed);
                to.cast::<$word>().write_unaligned(word);
            }
        }

        /// Copies one word from private to shared memory.
        ///
        /// # Safety
        ///
        /// Both sides hold a word, and `to` is aligned to it.
        #[inline(always)]
        unsafe fn $store(from: *const u8, to: *mut u8) {
            // SAFETY: as above.
            unsafe {
                let word = from.cast::<$word>().read_unaligned();
                $atomic::from_ptr(to.cast()).store(word, Ordering::Relaxed);
            }
        }
    )*};
}

words!(load8 store8 AtomicU8 u8, load16 store16 AtomicU16 u16, load32 store32 AtomicU32 u32, load64 store64 AtomicU64 u64);

/// Elements of more bytes than this are copied, not moved word by word.
const LARGE: usize = 128;

macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident: $w8:ident $w16:ident $w32:ident $w64:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Both sides hold a `T`, and the shared side is aligned to it.
        #[inline(always)]
        unsafe fn $name<T>(from: *const u8, to: *mut u8) {
            let size = size_of::<T>();
            if size > LARGE {
                // SAFETY: both sides hold `size` bytes.
                return unsafe { copy(to, from, size) };
            }
            let mut at = 0;
            while at < size {
                // SAFETY: `at` is a multiple of the word, which divides the alignment of `T` and with it its size.
                unsafe {
                    match align_of::<T>() {
                        1 => { $w8(from.add(at), to.add(at)); at += 1; }
                        2 => { $w16(from.add(at), to.add(at)); at += 2; }
                        4 => { $w32(from.add(at), to.add(at)); at += 4; }
                        _ => { $w64(from.add(at), to.add(at)); at += 8; }
                    }
                }
            }
        }
    )*};
}

elements! {
    /// Copies one element from shared to private memory.
    load: load8 load16 load32 load64;
    /// Copies one element from private to shared memory.
    store: store8 store16 store32 store64;
}

/// The ranges of a region with what is contiguous joined, `elem` bytes each: the innermost range last.
///
/// Returns the bytes of one contiguous piece and the ranges that repeat it; none repeats nothing.
fn pieces(region: &Region, elem: usize) -> (usize, &[Run]) {
    let mut rank = region.rank;
    let mut piece = elem;
    while rank > 0 {
        let run = region.runs[rank - 1];
        if run.stride != piece && run.count != 1 {
            break;
        }
        piece *= run.count;
        rank -= 1;
    }
    if piece == 0 {
        rank = 0;
    }
    (piece, &region.runs[..rank])
}

/// How many bytes a region of elements that lie one behind the other has, where that is plain to see: one element, or one range.
#[inline(always)]
fn dense(region: &Region, elem: usize) -> Option<usize> {
    match region.rank {
        0 => Some(elem),
        1 if region.runs[0].stride == elem => Some(region.runs[0].count * elem),
        _ => None,
    }
}

/// What moving an element needs to know of its type.
struct Kind {
    size: usize,
    /// Whether it is an atomic cell.
    atomic: bool,
}

impl Kind {
    const fn of<I: Item>() -> Kind {
        Kind { size: size_of::<I::Value>(), atomic: I::ATOMIC }
    }
}

/// Whether a transfer of so many bytes, which the compiler knows, is a few instructions.
const fn is_short<I: Item, F: Located>() -> bool {
    match F::LEN {
        Some(len) => len * size_of::<I::Value>() <= 64,
        None => false,
    }
}

/// Reads elements into `to`, in row-major order.
///
/// Inlined are one element, and what is contiguous and short; all else is a call, so that a program with many transfers is
/// compiled in the time that they take, and not in that of a copy of this module for each.
///
/// # Safety
///
/// `heap` is the start of the heap of the elements' PE or null, and the PE exists; the elements lie inside of a live object of `I`; `to` has room for
/// all of them. Where `via` is non-blocking, nobody else accesses `to`, and it stays where it is, until a `quiet` of the context
/// has returned. The context is live.
#[inline(always)]
pub(crate) unsafe fn get<I: Item, F: Located>(
    heap: *mut u8,
    via: Via,
    elements: &Remote<'_, I, F>,
    to: *mut I::Value,
) {
    if const { F::ONE } && !(via.nbi && is_null(heap)) {
        // SAFETY: the caller's promises.
        return unsafe { to.write(get_one::<I, F>(heap, elements)) };
    }
    let (pe, region) = (elements.pe, elements.at.region());
    if const { !I::ATOMIC }
        && let Some(len) = dense(&region, size_of::<I::Value>())
    {
        // SAFETY: the caller's promises; the bytes are those of the region. Wrapping, because only an element lies inside the
        // heap for certain: a region without any may start anywhere.
        return unsafe {
            if heap.is_null() {
                far::get_bytes(via, pe, region.offset, to.cast(), len);
            } else if const { is_short::<I, F>() } {
                copy(to.cast(), heap.wrapping_add(region.offset), len);
            } else {
                near::copy(to.cast(), heap.wrapping_add(region.offset), len);
            }
        };
    }
    if const { is_word::<I::Value>() && !I::ATOMIC } && region.rank == 1 && !heap.is_null() {
        // SAFETY: the caller's promises.
        return unsafe {
            near::gather::<I::Value>(region.runs[0], heap.wrapping_add(region.offset), to.cast())
        };
    }
    // SAFETY: the caller's promises. A copy of the region, so that it need not be in memory on the way past here.
    unsafe { get_region::<I>(heap, via, pe, &{ region }, to) }
}

/// Reads the elements of `region` in the heap of `pe` into `to`, in row-major order.
///
/// # Safety
///
/// As [`get`].
#[inline(always)]
pub(crate) unsafe fn get_region<I: Item>(
    heap: *mut u8,
    via: Via,
    pe: usize,
    region: &Region,
    to: *mut I::Value,
) {
    // SAFETY: the caller's promises.
    unsafe { get_any(heap, via, pe, region, to.cast(), const { &Kind::of::<I>() }) }
}

/// # Safety
///
/// As [`get_region`], of elements of `kind`.
#[inline(never)]
unsafe fn get_any(heap: *mut u8, via: Via, pe: usize, region: &Region, to: *mut u8, kind: &Kind) {
    // SAFETY: the caller's promises: every address is that of an element of the region, or of its place in `to`.
    unsafe {
        if heap.is_null() {
            match dense(region, kind.size) {
                Some(len) if !kind.atomic => far::get_bytes(via, pe, region.offset, to, len),
                _ => far::get(kind.atomic, via, pe, *region, to, kind.size),
            }
            return;
        }
        near::get(heap.wrapping_add(region.offset), region, to, kind.size);
        if kind.atomic {
            std::sync::atomic::fence(Ordering::Acquire);
        }
    }
}

/// Reads one element.
///
/// # Safety
///
/// As [`get`].
#[inline(always)]
pub(crate) unsafe fn get_one<I: Item, F: Located>(heap: *mut u8, element: &Remote<'_, I, F>) -> I::Value {
    if is_null(heap) {
        // SAFETY: the caller's promises.
        return unsafe { far::get_one::<I>(element.ctx, element.pe, element.at.offset()) };
    }
    let mut room = Room::<I::Value> { empty: () };
    let to = (&raw mut room).cast::<I::Value>();
    // SAFETY: the element lies inside the heap; all of `room` is written, and every bit pattern is a valid one.
    unsafe {
        if const { is_word::<I::Value>() } {
            word::load(heap, element.at.offset(), to);
        } else {
            load::<I::Value>(heap.wrapping_add(element.at.offset()), to.cast());
        }
        if const { I::ATOMIC } {
            std::sync::atomic::fence(Ordering::Acquire);
        }
        room.value
    }
}

/// Room for one element, as the standard library's, without functions to call.
union Room<T: Copy> {
    empty: (),
    value: T,
}

/// Writes the elements at `from`, in row-major order, to `elements`.
///
/// # Safety
///
/// As [`get`]; `from` holds all the elements. Where `via` is non-blocking, nobody changes `from`, and it stays where it is, until a
/// `quiet` of the context has returned.
#[inline(always)]
pub(crate) unsafe fn put<I: Item, F: Located>(
    heap: *mut u8,
    via: Via,
    elements: &Remote<'_, I, F>,
    from: *const I::Value,
) {
    if const { F::ONE } && !(via.nbi && is_null(heap)) {
        // SAFETY: the caller's promises.
        return unsafe { put_one::<I, F>(heap, elements, from) };
    }
    let (pe, region) = (elements.pe, elements.at.region());
    if const { !I::ATOMIC }
        && let Some(len) = dense(&region, size_of::<I::Value>())
    {
        // SAFETY: the caller's promises; the bytes are those of the region. Wrapping as in `get`.
        return unsafe {
            if heap.is_null() {
                far::put_bytes(via, pe, region.offset, from.cast(), len);
            } else if const { is_short::<I, F>() } {
                copy(heap.wrapping_add(region.offset), from.cast(), len);
            } else {
                near::copy(heap.wrapping_add(region.offset), from.cast(), len);
            }
        };
    }
    if const { is_word::<I::Value>() && !I::ATOMIC } && region.rank == 1 && !heap.is_null() {
        // SAFETY: the caller's promises.
        return unsafe {
            near::scatter::<I::Value>(region.runs[0], from.cast(), heap.wrapping_add(region.offset))
        };
    }
    // SAFETY: the caller's promises. A copy, as in `get`.
    unsafe { put_region::<I>(heap, via, pe, &{ region }, from) }
}

/// Writes the elements at `from`, in row-major order, to `region` in the heap of `pe`.
///
/// # Safety
///
/// As [`put`].
#[inline(always)]
pub(crate) unsafe fn put_region<I: Item>(
    heap: *mut u8,
    via: Via,
    pe: usize,
    region: &Region,
    from: *const I::Value,
) {
    // SAFETY: the caller's promises.
    unsafe { put_any(heap, via, pe, region, from.cast(), const { &Kind::of::<I>() }) }
}

/// # Safety
///
/// As [`put_region`], of elements of `kind`.
#[inline(never)]
unsafe fn put_any(heap: *mut u8, via: Via, pe: usize, region: &Region, from: *const u8, kind: &Kind) {
    // SAFETY: the caller's promises: every address is that of an element of the region, or of its place in `from`.
    unsafe {
        if heap.is_null() {
            match dense(region, kind.size) {
                Some(len) if !kind.atomic => far::put_bytes(via, pe, region.offset, from, len),
                _ => far::put(kind.atomic, via, pe, *region, from, kind.size, kind.size),
            }
            return;
        }
        if kind.atomic {
            std::sync::atomic::fence(Ordering::Release);
        }
        near::put(heap.wrapping_add(region.offset), region, from, kind.size);
    }
}

/// Writes the element at `from` to `element`.
///
/// # Safety
///
/// As [`get`]; there is an element at `from`.
#[inline(always)]
pub(crate) unsafe fn put_one<I: Item, F: Located>(
    heap: *mut u8,
    element: &Remote<'_, I, F>,
    from: *const I::Value,
) {
    if is_null(heap) {
        // By value, so that it may stay in a register on the way past here.
        // SAFETY: the caller's promises.
        return unsafe { far::put_one::<I>(element.ctx, element.pe, element.at.offset(), *from) };
    }
    if const { I::ATOMIC } {
        std::sync::atomic::fence(Ordering::Release);
    }
    // SAFETY: the element lies inside the heap.
    unsafe {
        if const { is_word::<I::Value>() } {
            word::store(from, heap, element.at.offset());
        } else {
            store::<I::Value>(from.cast(), heap.wrapping_add(element.at.offset()));
        }
    }
}

/// Writes `value` to all of `elements`.
///
/// # Safety
///
/// As [`put`], of the value.
#[inline(always)]
pub(crate) unsafe fn fill<I: Item, F: Located>(
    heap: *mut u8,
    via: Via,
    elements: &Remote<'_, I, F>,
    value: *const I::Value,
) {
    if const { F::ONE } && !(via.nbi && is_null(heap)) {
        // SAFETY: the caller's promises.
        return unsafe { put_one::<I, F>(heap, elements, value) };
    }
    let (pe, region) = (elements.pe, elements.at.region());
    if const { !I::ATOMIC } && region.rank == 1 && !heap.is_null() {
        let to = heap.wrapping_add(region.offset);
        // SAFETY: the caller's promises.
        return unsafe { near::repeat(to, region.runs[0], value.cast(), size_of::<I::Value>()) };
    }
    // SAFETY: the caller's promises. A copy, as in `get`.
    unsafe { fill_region::<I>(heap, via, pe, &{ region }, value) }
}

/// Writes `value` to every element of `region` in the heap of `pe`.
///
/// # Safety
///
/// As [`fill`].
#[inline(always)]
pub(crate) unsafe fn fill_region<I: Item>(
    heap: *mut u8,
    via: Via,
    pe: usize,
    region: &Region,
    value: *const I::Value,
) {
    // SAFETY: the caller's promises.
    unsafe { fill_any(heap, via, pe, region, value.cast(), const { &Kind::of::<I>() }) }
}

/// # Safety
///
/// As [`fill_region`], of elements of `kind`.
#[inline(never)]
unsafe fn fill_any(heap: *mut u8, via: Via, pe: usize, region: &Region, value: *const u8, kind: &Kind) {
    // SAFETY: the caller's promises: every address is that of an element of the region.
    unsafe {
        if heap.is_null() {
            if region.rank == 0 && !kind.atomic {
                far::put_bytes(via, pe, region.offset, value, kind.size);
            } else {
                far::put(kind.atomic, via, pe, *region, value, 0, kind.size);
            }
            return;
        }
        if kind.atomic {
            std::sync::atomic::fence(Ordering::Release);
        }
        near::fill(heap.wrapping_add(region.offset), region, value, kind.size);
    }
}

/// Performs `op` on the cell at `offset` in the heap of `pe`; returns what was there.
///
/// # Safety
///
/// `heap` is the start of the heap of `pe` or null, and `pe` exists; the cell lies inside of a live atomic object. The context is live.
#[inline(always)]
pub(crate) unsafe fn amo(heap: *mut u8, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
    if heap.is_null() {
        // SAFETY: the caller's promises.
        return unsafe { far::amo(ctx, pe, offset, width, op) };
    }
    // SAFETY: the cell lies inside the heap, which is mapped; atomic objects are aligned to their cells.
    unsafe { cell::amo(heap.add(offset), width, op) }
}

/// Performs `op`, which is no [`Amo::Fetch`], on the cell at `offset` in the heap of `pe`.
///
/// # Safety
///
/// As [`amo`].
#[inline(always)]
pub(crate) unsafe fn update(heap: *mut u8, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
    if heap.is_null() {
        // SAFETY: the caller's promises.
        return unsafe { far::update(ctx, pe, offset, width, op) };
    }
    // SAFETY: as in `amo`.
    unsafe { cell::amo(heap.add(offset), width, op) };
}

/// What reaches the target by loads and stores. Functions that are compiled once, with this crate.
pub(crate) mod near {
    use std::mem::MaybeUninit;
    use std::ptr;

    use super::{Region, Run, pieces};
    use crate::symmetric::shape::MAX_RANK;
    use crate::transport::copy::{copy_strided, words_8, words_16, words_32, words_64};

    /// Copies `len` bytes, one side of which is shared.
    ///
    /// # Safety
    ///
    /// As [`copy`](crate::transport::copy::copy).
    #[inline(never)]
    pub(super) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's promises.
        unsafe { crate::transport::copy::copy(dst, src, len) }
    }

    /// Moves a strided run of words of shared memory to consecutive places.
    ///
    /// # Safety
    ///
    /// Every element of the run is mapped and aligned, and `to` has room for `run.count`. `T` is a word.
    #[inline(always)]
    pub(super) unsafe fn gather<T>(run: Run, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promises.
        unsafe {
            match const { size_of::<T>() } {
                1 => words_8(to, 1, from, run.stride, run.count),
                2 => words_16(to, 2, from, run.stride, run.count),
                4 => words_32(to, 4, from, run.stride, run.count),
                _ => words_64(to, 8, from, run.stride, run.count),
            }
        }
    }

    /// Moves consecutive words to a strided run of shared memory.
    ///
    /// # Safety
    ///
    /// As [`gather`], the other way round.
    #[inline(always)]
    pub(super) unsafe fn scatter<T>(run: Run, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promises.
        unsafe {
            match const { size_of::<T>() } {
                1 => words_8(to, run.stride, from, 1, run.count),
                2 => words_16(to, run.stride, from, 2, run.count),
                4 => words_32(to, run.stride, from, 4, run.count),
                _ => words_64(to, run.stride, from, 8, run.count),
            }
        }
    }

    /// Reads the elements of a region that starts at `from` into `to`, `elem` bytes each.
    ///
    /// # Safety
    ///
    /// Every element of the region is mapped, and `to` has room for all.
    pub(super) unsafe fn get(from: *const u8, region: &Region, to: *mut u8, elem: usize) {
        let (piece, outer) = pieces(region, elem);
        let (run, outer) = innermost(outer);
        // SAFETY: the caller's promises; each row is a run of the region, and a part of `to`.
        unsafe {
            walk(outer, from.cast_mut(), to, piece * run.count, |from, to| {
                copy_strided(to, piece, from, run.stride, run.count, piece);
            });
        }
    }

    /// Writes the elements at `from` to a region that starts at `to`, `elem` bytes each.
    ///
    /// # Safety
    ///
    /// As [`get`], the other way round.
    pub(super) unsafe fn put(to: *mut u8, region: &Region, from: *const u8, elem: usize) {
        let (piece, outer) = pieces(region, elem);
        let (run, outer) = innermost(outer);
        // SAFETY: the caller's promises; each row is a run of the region, and a part of `from`.
        unsafe {
            walk(outer, to, from.cast_mut(), piece * run.count, |to, from| {
                copy_strided(to, run.stride, from, piece, run.count, piece);
            });
        }
    }

    /// Writes the element at `value`, of `elem` bytes, to every place of a region that starts at `to`.
    ///
    /// # Safety
    ///
    /// Every element of the region is mapped.
    pub(super) unsafe fn fill(to: *mut u8, region: &Region, value: *const u8, elem: usize) {
        let (run, outer) = innermost(region.runs());
        // SAFETY: the caller's promises; each row is a run of the region.
        unsafe {
            walk(outer, to, value.cast_mut(), 0, |to, value| repeat(to, run, value, elem));
        }
    }

    /// Writes the element at `value`, of `elem` bytes, to every place of a run that starts at `to`.
    ///
    /// # Safety
    ///
    /// Every element of the run is mapped.
    #[inline(never)]
    pub(super) unsafe fn repeat(to: *mut u8, run: Run, value: *const u8, elem: usize) {
        // SAFETY: the caller's promises.
        unsafe {
            if run.stride == elem && run.count >= 16 && elem <= BLOCK / 2 && elem > 0 {
                repeat_dense(to, run.count, value, elem);
            } else {
                copy_strided(to, run.stride, value, 0, run.count, elem);
            }
        }
    }

    /// What a dense fill writes at a time: enough to make little of what a copy costs at its beginning, and it stays in the cache.
    const BLOCK: usize = 4096;

    /// [`repeat`], without gaps: from a block of elements in private memory, which doubles until it is full.
    ///
    /// # Safety
    ///
    /// As [`repeat`], for at least 2 elements, of which the block holds at least 2.
    unsafe fn repeat_dense(to: *mut u8, count: usize, value: *const u8, elem: usize) {
        let mut block = MaybeUninit::<[u8; BLOCK]>::uninit();
        let block: *mut u8 = block.as_mut_ptr().cast();
        let whole = (count * elem).min(BLOCK - BLOCK % elem);
        // SAFETY: the block has room for `whole` bytes. What is copied within it lies before `filled`, and its copy behind that.
        // Of the target all `count * elem` bytes are written, and no others.
        unsafe {
            ptr::copy_nonoverlapping(value, block, elem);
            let mut filled = elem;
            while filled < whole {
                let more = filled.min(whole - filled);
                ptr::copy_nonoverlapping(block, block.add(filled), more);
                filled += more;
            }
            let mut done = 0;
            while done < count * elem {
                let part = whole.min(count * elem - done);
                crate::transport::copy::copy(to.add(done), block, part);
                done += part;
            }
        }
    }

    /// The innermost of some ranges, and the others; where there is none, a range of one.
    fn innermost(runs: &[Run]) -> (Run, &[Run]) {
        match runs.split_last() {
            Some((run, outer)) => (*run, outer),
            None => (Run { count: 1, stride: 0 }, &[]),
        }
    }

    /// Calls `each` with the address of every piece of a block of shared memory, row-major, and with places
    /// `step` bytes apart in local memory.
    ///
    /// # Safety
    ///
    /// The places lie in one allocation. What `each` does with an address is its own matter.
    #[inline]
    pub(super) unsafe fn walk(
        runs: &[Run],
        shared: *mut u8,
        local: *mut u8,
        step: usize,
        each: impl Fn(*mut u8, *mut u8),
    ) {
        let Some((inner, outer)) = runs.split_last() else {
            return each(shared, local);
        };
        if runs.iter().any(|run| run.count == 0) {
            return;
        }
        let mut at = [0; MAX_RANK];
        let mut local = local;
        loop {
            let start: usize = outer.iter().zip(&at).map(|(run, i)| run.stride * i).sum();
            for i in 0..inner.count {
                // Wrapping, because the transport's side has offsets here, which belong to no allocation.
                each(shared.wrapping_add(start + i * inner.stride), local);
                // SAFETY: at most one step behind the last place.
                local = unsafe { local.add(step) };
            }
            // The next combination of the outer indices, the last axis first.
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                if at[axis] < outer[axis].count {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}

/// What the transport carries: the fewest transfers that its vocabulary allows.
///
/// Regions come by value, and single elements by value too: a reference to one would keep it in memory on the way that does
/// not come here.
mod far {
    use super::near::walk;
    use super::{Amo, Ctx, Item, Region, Run, Via, Width, pieces, runtime};
    use crate::runtime::direct;
    use std::mem::MaybeUninit;
    use std::ptr;

    /// Calls the transport, by its short way where that is free. `otherwise` stands for the method of the trait.
    macro_rules! carry {
        ($name:ident($($argument:expr),*)) => {
            carry!($name($($argument),*), runtime::get().transport().$name)
        };
        ($name:ident($($argument:expr),*), $($otherwise:tt)*) => {{
            #[cfg(feature = "openshmem")]
            let done = crate::transport::openshmem::short::$name($($argument),*);
            #[cfg(not(feature = "openshmem"))]
            let done = None;
            match done {
                Some(done) => done,
                None => $($otherwise)*($($argument),*),
            }
        }};
    }

    /// Calls `each` with the offset and the local address of every piece.
    ///
    /// # Safety
    ///
    /// As for `walk`.
    unsafe fn pieces_of(
        runs: &[Run],
        offset: usize,
        local: *mut u8,
        step: usize,
        each: impl Fn(usize, *mut u8),
    ) {
        // An offset is an address in a heap that starts at 0: `walk` only adds to it.
        let start: *mut u8 = ptr::without_provenance_mut(offset);
        // SAFETY: the caller's promise.
        unsafe { walk(runs, start, local, step, |shared, local| each(shared.addr(), local)) }
    }

    /// The bits of the cell at `from`, as the transport's atomics carry them.
    ///
    /// # Safety
    ///
    /// `from` holds a cell of `width`.
    unsafe fn bits(from: *const u8, width: Width) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            match width {
                Width::W4 => from.cast::<u32>().read_unaligned().into(),
                Width::W8 => from.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// Writes the bits of a cell to `to`.
    ///
    /// # Safety
    ///
    /// `to` has room for a cell of `width`.
    unsafe fn write_bits(to: *mut u8, width: Width, bits: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            match width {
                Width::W4 => to.cast::<u32>().write_unaligned(bits as u32),
                Width::W8 => to.cast::<u64>().write_unaligned(bits),
            }
        }
    }

    /// Atomic cells have 4 or 8 bytes, and go one by one.
    fn width(elem: usize) -> Width {
        if elem == 4 { Width::W4 } else { Width::W8 }
    }

    /// A range that the transport takes whole, and the ranges that repeat it.
    fn inner(region: &Region, elem: usize, repeat: bool) -> (usize, Run, &[Run]) {
        if repeat {
            // Contiguous or not, a repeated element is a run of elements.
            return match region.runs().split_last() {
                Some((run, outer)) => (elem, *run, outer),
                None => (elem, Run { count: 1, stride: elem }, &[]),
            };
        }
        let (piece, outer) = pieces(region, elem);
        match outer.split_last() {
            Some((run, rest)) => (piece, *run, rest),
            None => (piece, Run { count: 1, stride: piece }, &[]),
        }
    }

    /// Elements of `elem` bytes, `step` bytes apart in local memory (0: always the same), to a region.
    ///
    /// # Safety
    ///
    /// As [`super::put`].
    #[cold]
    pub(super) unsafe fn put(
        atomic: bool,
        via: Via,
        pe: usize,
        region: Region,
        from: *const u8,
        step: usize,
        elem: usize,
    ) {
        if region.len() * elem == 0 {
            return;
        }
        let transport = runtime::get().transport();
        let from = from.cast_mut();
        if atomic {
            let width = width(elem);
            // SAFETY: every piece is one cell of the region, and one element at `from`.
            return unsafe {
                pieces_of(region.runs(), region.offset, from, step, |offset, from| {
                    update(via.ctx, pe, offset, width, Amo::Set(bits(from, width)));
                })
            };
        }
        let (piece, run, outer) = inner(&region, elem, step == 0);
        let stride = if step == 0 { 0 } else { piece };
        // SAFETY: every piece lies inside the region, and `from` holds as many elements as the region, or one that is repeated.
        unsafe {
            pieces_of(outer, region.offset, from, stride * run.count, |offset, from| {
                if run.count == 1 && via.nbi {
                    transport.put_nbi(via.ctx, pe, offset, from, piece);
                } else if run.count == 1 {
                    transport.put(via.ctx, pe, offset, from, piece);
                } else {
                    transport.iput(via.ctx, pe, offset, run, from, stride, piece);
                }
            });
        }
    }

    /// `len` bytes from `from` on, to `offset`.
    ///
    /// # Safety
    ///
    /// As [`super::put`], of plain elements.
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn put_bytes(via: Via, pe: usize, offset: usize, from: *const u8, len: usize) {
        // Nothing may have an offset outside of the heap.
        if len > 0 {
            // SAFETY: the caller's promises.
            unsafe {
                if via.nbi {
                    carry!(put_nbi(via.ctx, pe, offset, from, len));
                } else {
                    carry!(put(via.ctx, pe, offset, from, len));
                }
            }
        }
    }

    /// `len` bytes at `offset`, to `to`.
    ///
    /// # Safety
    ///
    /// As [`super::get`], of plain elements.
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn get_bytes(via: Via, pe: usize, offset: usize, to: *mut u8, len: usize) {
        if len > 0 {
            // SAFETY: the caller's promises.
            unsafe {
                if via.nbi {
                    carry!(get_nbi(via.ctx, pe, offset, to, len));
                } else {
                    carry!(get(via.ctx, pe, offset, to, len));
                }
            }
        }
    }

    /// The element at `offset`.
    ///
    /// # Safety
    ///
    /// As [`super::get_one`].
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn get_one<I: Item>(ctx: Ctx, pe: usize, offset: usize) -> I::Value {
        let elem = size_of::<I::Value>();
        let mut value = MaybeUninit::<I::Value>::uninit();
        let to: *mut u8 = value.as_mut_ptr().cast();
        // SAFETY: the caller's promises; all of `value` is written, and every bit pattern is a valid one.
        unsafe {
            if I::ATOMIC {
                let width = width(elem);
                write_bits(to, width, carry!(amo(ctx, pe, offset, width, Amo::Fetch)));
            } else if elem > 0 {
                carry!(get(ctx, pe, offset, to, elem));
            }
            value.assume_init()
        }
    }

    /// `value` to the element at `offset`.
    ///
    /// # Safety
    ///
    /// As [`super::put_one`].
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn put_one<I: Item>(ctx: Ctx, pe: usize, offset: usize, value: I::Value) {
        let elem = size_of::<I::Value>();
        let from: *const u8 = (&raw const value).cast();
        // SAFETY: the caller's promises.
        unsafe {
            if I::ATOMIC {
                let width = width(elem);
                update(ctx, pe, offset, width, Amo::Set(bits(from, width)));
            } else if elem > 0 {
                carry!(put(ctx, pe, offset, from, elem));
            }
        }
    }

    /// An atomic operation.
    ///
    /// # Safety
    ///
    /// As [`super::amo`].
    // Inlined, as what the operation is, is known there.
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        // SAFETY: the caller's promises.
        unsafe { carry!(amo(ctx, pe, offset, width, op), by_transport::amo) }
    }

    /// An atomic operation of which nothing comes back.
    ///
    /// # Safety
    ///
    /// As [`super::update`].
    #[cfg_attr(feature = "openshmem", inline(always))]
    #[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
    pub(super) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        // SAFETY: the caller's promises.
        unsafe {
            // A PE finds its own cells as it left them, as with loads and stores.
            if pe == direct::my_pe() {
                by_transport::amo(ctx, pe, offset, width, op);
            } else {
                carry!(update(ctx, pe, offset, width, op), by_transport::update)
            }
        }
    }

    /// Calls of the transport, as functions that are not inlined.
    mod by_transport {
        use super::{Amo, Ctx, Width, runtime};

        /// # Safety
        ///
        /// As [`Transport::amo`](crate::transport::Transport::amo).
        #[cold]
        #[inline(never)]
        pub(super) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
            // SAFETY: the caller's promises.
            unsafe { runtime::get().transport().amo(ctx, pe, offset, width, op) }
        }

        /// # Safety
        ///
        /// As [`Transport::update`](crate::transport::Transport::update).
        #[cold]
        #[inline(never)]
        pub(super) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
            // SAFETY: the caller's promises.
            unsafe { runtime::get().transport().update(ctx, pe, offset, width, op) }
        }
    }

    /// Elements of a region, in row-major order, to local memory.
    ///
    /// # Safety
    ///
    /// As [`super::get`].
    #[cold]
    pub(super) unsafe fn get(atomic: bool, via: Via, pe: usize, region: Region, to: *mut u8, elem: usize) {
        if region.len() * elem == 0 {
            return;
        }
        let transport = runtime::get().transport();
        if atomic {
            let width = width(elem);
            // SAFETY: every piece is one cell of the region, and one element at `to`.
            return unsafe {
                pieces_of(region.runs(), region.offset, to, elem, |offset, to| {
                    write_bits(to, width, transport.amo(via.ctx, pe, offset, width, Amo::Fetch));
                })
            };
        }
        let (piece, run, outer) = inner(&region, elem, false);
        // SAFETY: every piece lies inside the region, and `to` has room for as many elements as the region has.
        unsafe {
            pieces_of(outer, region.offset, to, piece * run.count, |offset, to| {
                if run.count == 1 && via.nbi {
                    transport.get_nbi(via.ctx, pe, offset, to, piece);
                } else if run.count == 1 {
                    transport.get(via.ctx, pe, offset, to, piece);
                } else {
                    transport.iget(via.ctx, pe, offset, run, to, piece);
                }
            });
        }
    }
}
