//! The one way to the elements: a [`Remote`] whose PE was checked, with how this process reaches
//! it.
//!
//! Other processes read and write the same bytes at the same time, so nothing here makes a Rust
//! reference to symmetric memory. Elements move by relaxed atomic loads and stores of up to 8
//! bytes, which the compiler may neither invent nor leave out, or in a debug build by the same
//! instructions, written out in [`word`]; runs move by [`copy`] and by strided loops, which the
//! compiler does not see into.
//!
//! Inlined are one element, and what is contiguous and short. All else is a call of a function that
//! is compiled once, with this crate, so that a program with many transfers is compiled in the time
//! that they take, and not in that of a copy of this module for each: a [`RawTarget`] has the same
//! elements without their type.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{Ordering, fence};

use super::{Remote, near};
use crate::runtime::across::GlobalPlaces;
use crate::runtime::placed::PlacedTarget;
use crate::runtime::places::{OnlyAxis, Places};
use crate::runtime::region::Region;
use crate::runtime::spread::GlobalTarget;
pub(crate) use crate::runtime::target::Mode;
use crate::runtime::target::RawTarget;
use crate::runtime::{direct, far};
use crate::select::{Elements, Form, One};
use crate::symmetric::{AtomicValue, Bits as _, Item};
use crate::transport::copy::{copy, repeat};
use crate::transport::word::{self, is_null, is_word};
use crate::transport::{Amo, Ctx, Width, cell};

/// Elements on a PE that there is, and how this process reaches them.
///
/// The elements are within a live object, as every [`Remote`] promises. The PE exists, and `heap`
/// is the start of its heap in this process, or null where the transport carries the data. Only
/// [`Remote::target`] and its siblings make one, and all that an access needs is proved there.
pub(crate) struct CheckedTarget<'r, I, F> {
    heap: *mut u8,
    elements: &'r Remote<'r, I, F>,
}

impl<I, F> Clone for CheckedTarget<'_, I, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, F> Copy for CheckedTarget<'_, I, F> {}

impl<I: Item, F: Form> Remote<'_, I, F> {
    /// Checks that there is such a PE, and looks up the way to it. To be called after the program's
    /// own code has run, such as that of a source: see [`phase`](crate::phase).
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn target(&self) -> CheckedTarget<'_, I, F> {
        if const { F::SPREAD } {
            // Each PE is looked up when its elements move.
            return CheckedTarget { heap: null_mut(), elements: self };
        }
        let heap =
            if I::ATOMIC { direct::cells(self.pe, self.info) } else { direct::heap(self.pe, self.info) };
        CheckedTarget { heap, elements: self }
    }

    /// As [`target`](Remote::target), of cells that are only looked at: see [`direct::watched`].
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn watched(&self) -> CheckedTarget<'_, I, F> {
        CheckedTarget { heap: direct::watched(self.pe, self.info), elements: self }
    }

    /// The elements by this way.
    ///
    /// # Safety
    ///
    /// The PE exists, and `heap` is the start of its heap in this process, or null.
    pub(crate) unsafe fn by(&self, heap: *mut u8) -> CheckedTarget<'_, I, F> {
        CheckedTarget { heap, elements: self }
    }
}

/// What a transfer needs to know of the type of its elements.
struct ElementKind {
    size: usize,
    /// Whether they are atomic cells.
    atomic: bool,
}

impl ElementKind {
    const fn of<I: Item>() -> &'static ElementKind {
        const { &ElementKind { size: size_of::<I::Value>(), atomic: I::ATOMIC } }
    }
}

/// Whether a transfer of so many bytes, which the compiler knows, is a few instructions.
const fn is_short<I: Item, F: Form>() -> bool {
    match F::LEN {
        Some(len) => len * size_of::<I::Value>() <= 64,
        None => false,
    }
}

impl<I: Item, F: Form> CheckedTarget<'_, I, F> {
    /// Whether the transport carries the data.
    #[inline(always)]
    pub(crate) fn is_far(self) -> bool {
        is_null(self.heap)
    }

    /// The elements as `places` without their type, for a transfer that needs none.
    #[inline(always)]
    pub(super) fn placed<'p>(self, places: &'p Places<'p>) -> PlacedTarget<'p> {
        let Remote { pe, ctx, .. } = *self.elements;
        let ElementKind { size, atomic } = *ElementKind::of::<I>();
        // SAFETY: the elements of a checked target, which `places` are.
        unsafe { PlacedTarget::new(self.heap, ctx, pe, places, size, atomic) }
    }

    /// The elements of a form that is [`SPREAD`](Form::SPREAD), as `places` without their type.
    #[inline(always)]
    pub(super) fn spread<'p>(self, places: &'p GlobalPlaces<'p>) -> GlobalTarget<'p>
    where
        Self: 'p,
    {
        let Remote { ctx, info, .. } = *self.elements;
        let ElementKind { size, atomic } = *ElementKind::of::<I>();
        // SAFETY: the elements of a reference, which `places` are; its context is live.
        unsafe { GlobalTarget::new(places, ctx, size, atomic, info) }
    }

    /// The address of the first element, where loads and stores reach it. Of no elements it is that
    /// of none.
    #[inline(always)]
    pub(crate) fn address(self) -> Option<*mut u8> {
        (!self.heap.is_null()).then(|| self.heap.wrapping_add(self.elements.at.offset()))
    }

    /// The address of the elements, where loads and stores reach them and they lie side by side, and
    /// are no atomic cells.
    pub(super) fn dense(self) -> Option<*mut u8> {
        if const { F::PICKED || I::ATOMIC } || self.heap.is_null() {
            return None;
        }
        self.elements.at.region().dense(size_of::<I::Value>()).and(self.address())
    }

    /// Writes the element.
    ///
    /// # Safety
    ///
    /// As [`read_one`](Elements::read_one).
    #[inline(always)]
    pub(super) unsafe fn put_one(self, value: &I::Value) {
        // SAFETY: the target has an element there, aligned as its type.
        unsafe {
            if is_null(self.heap) {
                // By value, so that it may stay in a register on the way past here.
                return put_one_far::<I>(
                    self.elements.ctx,
                    self.elements.pe,
                    self.elements.at.offset(),
                    *value,
                );
            }
            if const { I::ATOMIC } {
                fence(Ordering::Release);
            }
            if const { is_word::<I::Value>() } {
                word::store(value, self.heap, self.elements.at.offset());
            } else {
                near::store::<I::Value>(
                    std::ptr::from_ref(value).cast(),
                    self.heap.wrapping_add(self.elements.at.offset()),
                );
            }
        }
    }

    /// Reads the elements to `to`, in row-major order.
    ///
    /// # Safety
    ///
    /// `to` has room for all of them. Where the `mode` is non-blocking, nobody else accesses it,
    /// and it stays where it is, until a `quiet` of the context has returned.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn get(self, mode: Mode, to: *mut I::Value) {
        if const { F::SPREAD } {
            // SAFETY: the caller's promise.
            return unsafe { self.spread(self.elements.at.spread()).get(mode, to.cast()) };
        }
        let Remote { pe, at, ctx, .. } = *self.elements;
        // SAFETY: the target has the elements of `at`, and `to` has room for them. Addresses wrap,
        // because a region without elements may start anywhere.
        unsafe {
            if const { F::ONE } && !(matches!(mode, Mode::NonBlocking) && self.is_far()) {
                return to.write(self.read_one());
            }
            if const { F::PICKED } {
                let places = at.places();
                if const { is_word::<I::Value>() && !I::ATOMIC }
                    && let Some((offset, axis)) = places.only_axis()
                {
                    if self.heap.is_null() {
                        // The axis, so that the places need not be in memory on the way past here.
                        return get_axis_far(mode, ctx, pe, offset, axis, to.cast(), ElementKind::of::<I>());
                    }
                    let from = self.heap.wrapping_add(offset);
                    return match axis {
                        OnlyAxis::List(list, stride) => {
                            near::gather_list::<I::Value, F>(list, stride, from, to.cast())
                        }
                        OnlyAxis::Range(run) => near::gather_back::<I::Value>(run, from, to.cast()),
                    };
                }
                return get_picked(self.heap, mode, ctx, pe, &{ places }, to.cast(), ElementKind::of::<I>());
            }
            let region = at.region();
            let from = self.heap.wrapping_add(region.offset);
            if const { !I::ATOMIC }
                && let Some(len) = region.dense(size_of::<I::Value>())
            {
                if self.heap.is_null() {
                    far::get_bytes(mode, ctx, pe, region.offset, to.cast(), len);
                } else if const { is_short::<I, F>() } {
                    copy(to.cast(), from, len);
                } else {
                    near::copy(to.cast(), from, len);
                }
            } else if const { is_word::<I::Value>() && !I::ATOMIC }
                && region.rank == 1
                && !self.heap.is_null()
            {
                near::gather::<I::Value>(region.runs[0], from, to.cast());
            } else {
                // A copy of the region, so that it need not be in memory on the way past here.
                get_any(self.heap, mode, ctx, pe, &{ region }, to.cast(), ElementKind::of::<I>());
            }
        }
    }

    /// Writes `source`, in row-major order, to the elements.
    ///
    /// # Safety
    ///
    /// Where the `mode` is non-blocking, nobody changes the source, and it stays where it is, until
    /// a `quiet` of the context has returned.
    ///
    /// # Panics
    ///
    /// When it has another length.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn put(self, mode: Mode, source: &[I::Value]) {
        self.elements.same_length(source.len(), "the source");
        let source = source.as_ptr();
        if const { F::SPREAD } {
            let step = size_of::<I::Value>();
            // SAFETY: the source has as many elements; the caller's promise.
            return unsafe { self.spread(self.elements.at.spread()).put(mode, source.cast(), step) };
        }
        let Remote { pe, at, ctx, .. } = *self.elements;
        // SAFETY: as in `get`, and the source has as many elements.
        unsafe {
            if const { F::ONE } && !(matches!(mode, Mode::NonBlocking) && self.is_far()) {
                return self.put_one(&*source);
            }
            if const { F::PICKED } {
                let places = at.places();
                if const { is_word::<I::Value>() && !I::ATOMIC }
                    && let Some((offset, axis)) = places.only_axis()
                {
                    if self.heap.is_null() {
                        let kind = ElementKind::of::<I>();
                        return put_axis_far(mode, ctx, pe, offset, axis, source.cast(), kind);
                    }
                    let to = self.heap.wrapping_add(offset);
                    return match axis {
                        OnlyAxis::List(list, stride) => {
                            near::scatter_list::<I::Value, F>(list, stride, source.cast(), to)
                        }
                        OnlyAxis::Range(run) => near::scatter_back::<I::Value>(run, source.cast(), to),
                    };
                }
                let (step, kind) = (size_of::<I::Value>(), ElementKind::of::<I>());
                return put_picked(self.heap, mode, ctx, pe, &{ places }, source.cast(), step, kind);
            }
            let region = at.region();
            let to = self.heap.wrapping_add(region.offset);
            if const { !I::ATOMIC }
                && let Some(len) = region.dense(size_of::<I::Value>())
            {
                if self.heap.is_null() {
                    far::put_bytes(mode, ctx, pe, region.offset, source.cast(), len);
                } else if const { is_short::<I, F>() } {
                    copy(to, source.cast(), len);
                } else {
                    near::copy_to_pe(to, source.cast(), len);
                }
            } else if const { is_word::<I::Value>() && !I::ATOMIC }
                && region.rank == 1
                && !self.heap.is_null()
            {
                near::scatter::<I::Value>(region.runs[0], source.cast(), to);
            } else {
                let step = size_of::<I::Value>();
                put_any(self.heap, mode, ctx, pe, &{ region }, source.cast(), step, ElementKind::of::<I>());
            }
        }
    }

    /// Writes `value` to each of the elements.
    ///
    /// # Safety
    ///
    /// As [`put`](CheckedTarget::put), of the value.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn fill(self, mode: Mode, value: &I::Value) {
        if const { F::SPREAD } {
            let value = std::ptr::from_ref(value).cast();
            // SAFETY: the caller's promise.
            return unsafe { self.spread(self.elements.at.spread()).put(mode, value, 0) };
        }
        let Remote { pe, at, ctx, .. } = *self.elements;
        // SAFETY: as in `get`.
        unsafe {
            if const { F::ONE } && !(matches!(mode, Mode::NonBlocking) && self.is_far()) {
                return self.put_one(value);
            }
            let value = std::ptr::from_ref(value).cast();
            if const { F::PICKED } {
                let kind = ElementKind::of::<I>();
                return put_picked(self.heap, mode, ctx, pe, &at.places(), value, 0, kind);
            }
            let region = at.region();
            if const { !I::ATOMIC } && region.rank == 1 && !self.heap.is_null() {
                let to = self.heap.wrapping_add(region.offset);
                repeat(to, region.runs[0], value, size_of::<I::Value>());
            } else {
                put_any(self.heap, mode, ctx, pe, &{ region }, value, 0, ElementKind::of::<I>());
            }
        }
    }
}

// SAFETY: `get` writes all elements.
unsafe impl<I: Item, F: Form> Elements<I::Value> for CheckedTarget<'_, I, F> {
    type Form = F;

    #[inline(always)]
    fn len(self) -> usize {
        self.elements.at.count()
    }

    #[inline(always)]
    unsafe fn read_one(self) -> I::Value {
        // SAFETY: the target has an element there, aligned as its type. All of `room` is written,
        // and every bit pattern is a valid value.
        unsafe {
            if is_null(self.heap) {
                return get_one_far::<I>(self.elements.ctx, self.elements.pe, self.elements.at.offset());
            }
            let mut room = Room::<I::Value> { empty: () };
            let to = (&raw mut room).cast::<I::Value>();
            if const { is_word::<I::Value>() } {
                word::load(self.heap, self.elements.at.offset(), to);
            } else {
                near::load::<I::Value>(self.heap.wrapping_add(self.elements.at.offset()), to.cast());
            }
            if const { I::ATOMIC } {
                fence(Ordering::Acquire);
            }
            room.value
        }
    }

    #[inline(always)]
    #[track_caller]
    unsafe fn read_to(self, to: *mut I::Value) {
        // SAFETY: there is room for all elements; blocking.
        unsafe { self.get(Mode::Blocking, to) }
    }

    #[inline(always)]
    #[track_caller]
    unsafe fn read_all<A>(self) -> A {
        // A few words of a list stay in registers: the room of each way is its own, so that only that of
        // the transport is in memory.
        if const { F::PICKED && is_word::<I::Value>() && !I::ATOMIC && near::is_short_list::<F>() }
            && let Some((offset, OnlyAxis::List(list, stride))) = self.elements.at.places().only_axis()
        {
            let Remote { pe, ctx, .. } = *self.elements;
            // SAFETY: the target has the elements of the list, an `A` is as many of them, all are written,
            // and every bit pattern is a valid one.
            return unsafe {
                if is_null(self.heap) {
                    let mut room = MaybeUninit::<A>::uninit();
                    let to = room.as_mut_ptr().cast();
                    get_list_far(ctx, pe, offset, list, stride, to, ElementKind::of::<I>());
                    room.assume_init()
                } else {
                    let mut room = MaybeUninit::<A>::uninit();
                    let from = self.heap.wrapping_add(offset);
                    near::gather_list::<I::Value, F>(list, stride, from, room.as_mut_ptr().cast());
                    room.assume_init()
                }
            };
        }
        let mut room = MaybeUninit::<A>::uninit();
        // SAFETY: there is room for all elements, each of which is written.
        unsafe {
            self.read_to(room.as_mut_ptr().cast());
            room.assume_init()
        }
    }
}

impl<I: Item<Value: AtomicValue>> CheckedTarget<'_, I, One> {
    /// Performs `op` on the cell, and returns the old value.
    #[inline(always)]
    pub(crate) fn amo(self, op: Amo) -> I::Value {
        self.amo_at(self.elements.at.offset(), op)
    }

    /// Performs `op` on the cell. Its old value is at `into` at once, or where the `mode` is
    /// non-blocking after a `quiet` of the context.
    ///
    /// # Safety
    ///
    /// As [`get`](CheckedTarget::get), for one value.
    #[inline]
    pub(crate) unsafe fn amo_nbi(self, mode: Mode, op: Amo, into: *mut I::Value) {
        let Remote { pe, at, ctx, .. } = *self.elements;
        let width = I::Value::WIDTH;
        // SAFETY: the target has a cell there, which is aligned to its width. A number of 4 or 8
        // bytes has the bits of the cell, and the caller promises the room.
        unsafe {
            match mode {
                Mode::NonBlocking if self.is_far() && !width.is_narrow() => {
                    const { assert!(I::ATOMIC, "a plain element was updated atomically") }
                    far::amo_nbi(ctx, pe, at.offset(), width, op, into.cast());
                }
                _ => into.write(self.amo(op)),
            }
        }
    }

    /// Performs `op`, which is no [`Amo::Fetch`], on the cell.
    #[inline(always)]
    pub(crate) fn update(self, op: Amo) {
        const { assert!(I::ATOMIC, "a plain element was updated atomically") }
        let Remote { pe, at, ctx, .. } = *self.elements;
        let width = I::Value::WIDTH;
        // SAFETY: the target has a cell there, which is aligned to its width.
        unsafe {
            if self.heap.is_null() {
                far::update(ctx, pe, at.offset(), width, op);
            } else {
                cell::amo(self.heap.add(at.offset()), width, op);
            }
        }
    }
}

impl<I: Item<Value: AtomicValue>, F: Form> CheckedTarget<'_, I, F> {
    /// Reads the cell at position `i`, row-major.
    ///
    /// # Panics
    ///
    /// When there is none.
    #[inline(always)]
    pub(crate) fn fetch(self, i: usize) -> I::Value {
        self.amo_at(self.elements.at.element(i), Amo::Fetch)
    }

    /// Performs `op` on the cell at `offset`, one of these, and returns the old value.
    #[inline(always)]
    fn amo_at(self, offset: usize, op: Amo) -> I::Value {
        const { assert!(I::ATOMIC, "a plain element was updated atomically") }
        let Remote { pe, ctx, .. } = *self.elements;
        let width = I::Value::WIDTH;
        // SAFETY: the target has a cell there, which is aligned to its width.
        I::Value::from_bits(unsafe {
            if self.heap.is_null() {
                // A copy of the operation, so that it need not be in memory on the way past here.
                far::amo(ctx, pe, offset, width, op)
            } else {
                cell::amo(self.heap.add(offset), width, op)
            }
        })
    }
}

/// Room for one element, as the standard library's, without functions to call.
union Room<T: Copy> {
    empty: (),
    value: T,
}

/// [`get`](CheckedTarget::get), of elements of any `kind` in the region. A call of this is as few
/// lines as can be, for each transfer that a program has.
///
/// # Safety
///
/// `heap`, `ctx`, `pe` and `region` are those of a [`CheckedTarget`], and `to` is as in its `get`.
#[inline(never)]
unsafe fn get_any(
    heap: *mut u8,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    region: &Region,
    to: *mut u8,
    kind: &ElementKind,
) {
    let ElementKind { size: elem, atomic } = *kind;
    // SAFETY: the caller's promises; the elements lie side by side at `to`.
    unsafe { RawTarget::new(heap, ctx, pe, region, elem, atomic).get(mode, to, elem) }
}

/// [`put`](CheckedTarget::put), of elements of any `kind` in the region; `step` is 0 for
/// [`fill`](CheckedTarget::fill).
///
/// # Safety
///
/// As [`get_any`]; the elements are at `from`, `step` bytes apart.
#[expect(clippy::too_many_arguments, reason = "a call with a struct of them is more lines")]
#[inline(never)]
unsafe fn put_any(
    heap: *mut u8,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    region: &Region,
    from: *const u8,
    step: usize,
    kind: &ElementKind,
) {
    let ElementKind { size: elem, atomic } = *kind;
    // SAFETY: the caller's promises.
    unsafe { RawTarget::new(heap, ctx, pe, region, elem, atomic).put(mode, from, step) }
}

/// [`get_any`], of elements that no region describes.
///
/// # Safety
///
/// As [`get_any`].
#[inline(never)]
unsafe fn get_picked(
    heap: *mut u8,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    places: &Places<'_>,
    to: *mut u8,
    kind: &ElementKind,
) {
    let ElementKind { size: elem, atomic } = *kind;
    // SAFETY: the caller's promises.
    unsafe { PlacedTarget::new(heap, ctx, pe, places, elem, atomic).get(mode, to) }
}

/// [`get_picked`], of elements of one axis, which the transport carries.
///
/// # Safety
///
/// As [`get_any`].
#[cold]
#[inline(never)]
unsafe fn get_axis_far(
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    offset: usize,
    axis: OnlyAxis<'_>,
    to: *mut u8,
    kind: &ElementKind,
) {
    // SAFETY: the caller's promises.
    unsafe { get_picked(null_mut(), mode, ctx, pe, &Places::of_axis(offset, axis), to, kind) }
}

/// [`get_axis_far`], of a list, in parts: an axis would be in memory on the way that does not come here.
///
/// # Safety
///
/// As [`get_any`].
#[cold]
#[inline(never)]
unsafe fn get_list_far(
    ctx: Ctx,
    pe: usize,
    offset: usize,
    list: &[usize],
    stride: usize,
    to: *mut u8,
    kind: &ElementKind,
) {
    // SAFETY: the caller's promises.
    unsafe { get_axis_far(Mode::Blocking, ctx, pe, offset, OnlyAxis::List(list, stride), to, kind) }
}

/// [`put_picked`], of elements of one axis, which the transport carries.
///
/// # Safety
///
/// As [`put_any`].
#[cold]
#[inline(never)]
unsafe fn put_axis_far(
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    offset: usize,
    axis: OnlyAxis<'_>,
    from: *const u8,
    kind: &ElementKind,
) {
    // SAFETY: the caller's promises; the elements lie side by side at `from`.
    unsafe {
        put_picked(null_mut(), mode, ctx, pe, &Places::of_axis(offset, axis), from, kind.size, kind);
    }
}

/// [`put_any`], of elements that no region describes; the last of those to one place stays.
///
/// # Safety
///
/// As [`put_any`]; `step` is the size of an element, or 0.
#[expect(clippy::too_many_arguments, reason = "as `put_any`")]
#[inline(never)]
unsafe fn put_picked(
    heap: *mut u8,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    places: &Places<'_>,
    from: *const u8,
    step: usize,
    kind: &ElementKind,
) {
    let ElementKind { size: elem, atomic } = *kind;
    // SAFETY: the caller's promises.
    unsafe { PlacedTarget::new(heap, ctx, pe, places, elem, atomic).put(mode, from, step) }
}

/// The element at `offset`, which the transport carries.
///
/// # Safety
///
/// The context is live, and there is such an element on the PE.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
unsafe fn get_one_far<I: Item>(ctx: Ctx, pe: usize, offset: usize) -> I::Value {
    let elem = size_of::<I::Value>();
    let mut value = MaybeUninit::<I::Value>::uninit();
    let to: *mut u8 = value.as_mut_ptr().cast();
    // SAFETY: the caller's promise; all of `value` is written, and every bit pattern is a valid
    // one.
    unsafe {
        if I::ATOMIC {
            let width = Width::of(elem);
            cell::write_bits(to, width, far::amo(ctx, pe, offset, width, Amo::Fetch));
        } else {
            far::get_bytes(Mode::Blocking, ctx, pe, offset, to, elem);
        }
        value.assume_init()
    }
}

/// `value` to the element at `offset`, by the transport. It comes by value: a reference would keep
/// it in memory on the way that does not come here.
///
/// # Safety
///
/// As [`get_one_far`].
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
unsafe fn put_one_far<I: Item>(ctx: Ctx, pe: usize, offset: usize, value: I::Value) {
    let elem = size_of::<I::Value>();
    let from: *const u8 = (&raw const value).cast();
    // SAFETY: the caller's promise.
    unsafe {
        if I::ATOMIC {
            let width = Width::of(elem);
            far::update(ctx, pe, offset, width, Amo::Set(cell::bits(from, width)));
        } else if const { is_word::<I::Value>() } {
            let width = Width::of(elem);
            far::put_word(ctx, pe, offset, width, cell::bits(from, width));
        } else {
            far::put_bytes(Mode::Blocking, ctx, pe, offset, from, elem);
        }
    }
}
