//! Operations on directly addressable elements whose cache lines are on their way.
//!
//! An update of a cell that is in no cache waits for memory, and the processor begins no other one
//! meanwhile: atomic operations are done one after the other. So the line of an operation is
//! prefetched when it is issued, and the operation is done when the ring comes round to its place,
//! [`DISTANCE`] operations later. Then the waits of as many operations overlap.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use crate::system::tuning::batch::DISTANCE;
use crate::transport::copy::copy;
use crate::transport::{Amo, Combine, Width, cell};

/// What is done at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Nothing,
    Add,
    AddFloats,
    And,
    Or,
    Xor,
    /// A store to a cell, which releases what was stored before.
    Set,
    Store,
    Load,
}

/// What is done with a word of which size.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Deed {
    what: What,
    width: Width,
}

/// The operand of an operation, or the address to which it reads.
#[derive(Clone, Copy)]
union BatchOperand {
    bits: u64,
    to: *mut u8,
}

/// An operation.
#[derive(Clone, Copy)]
struct RingOperation {
    at: *mut u8,
    operand: BatchOperand,
    deed: Deed,
}

const NO_DEED: Deed = Deed { what: What::Nothing, width: Width::W8 };
const NOTHING: RingOperation =
    RingOperation { at: ptr::null_mut(), operand: BatchOperand { bits: 0 }, deed: NO_DEED };

/// A place of the ring. Each field is a cell of its own, so that the compiler keeps what it moves in
/// registers, and finds a place by a shift.
#[repr(align(32))]
struct RingPlace {
    at: Cell<*mut u8>,
    operand: Cell<BatchOperand>,
    deed: Cell<Deed>,
}

impl RingPlace {
    const fn new() -> RingPlace {
        RingPlace {
            at: Cell::new(ptr::null_mut()),
            operand: Cell::new(BatchOperand { bits: 0 }),
            deed: Cell::new(NO_DEED),
        }
    }

    /// Puts an operation here, and returns the one that was here.
    #[inline(always)]
    fn replace(&self, new: RingOperation) -> RingOperation {
        RingOperation {
            at: self.at.replace(new.at),
            operand: self.operand.replace(new.operand),
            deed: self.deed.replace(new.deed),
        }
    }
}

/// The operations that are not done yet.
pub(super) struct PrefetchRing {
    /// How many were issued.
    issued: Cell<usize>,
    places: [RingPlace; DISTANCE],
}

/// Begins to bring the line of an address to the cache, to be written or only read.
#[inline(always)]
pub(super) fn prefetch<const WRITES: bool>(at: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect that a program sees, whatever the address. A processor
    // without the first instruction does nothing there.
    unsafe {
        if const { WRITES } {
            std::arch::asm!("prefetchw [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
        } else {
            std::arch::asm!("prefetcht0 [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
        }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        if const { WRITES } {
            std::arch::asm!("prfm pstl1keep, [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
        } else {
            std::arch::asm!("prfm pldl1keep, [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

impl PrefetchRing {
    pub(super) fn new() -> PrefetchRing {
        PrefetchRing { issued: Cell::new(0), places: [const { RingPlace::new() }; DISTANCE] }
    }

    /// How many operations were issued.
    pub(super) fn issued(&self) -> usize {
        self.issued.get()
    }

    /// Takes an operation in, and does the one that has its place.
    ///
    /// # Safety
    ///
    /// The operation may be done at any time until the ring is [emptied](PrefetchRing::empty).
    #[inline(always)]
    unsafe fn issue<const WRITES: bool>(&self, at: *mut u8, operand: BatchOperand, deed: Deed) {
        prefetch::<WRITES>(at);
        let issued = self.issued.get();
        self.issued.set(issued + 1);
        let before = self.places[issued % DISTANCE].replace(RingOperation { at, operand, deed });
        // SAFETY: the promise for the operation that was here. Mostly operations of one kind follow
        // each other, and the compiler knows which it is.
        unsafe {
            if before.deed == deed {
                perform(RingOperation { deed, ..before });
            } else {
                perform_another(before);
            }
        }
    }

    /// Issues `op`, which is an update without a result, on a cell.
    ///
    /// # Safety
    ///
    /// `at` is a cell of `width`, which lives until the ring is emptied.
    #[inline(always)]
    pub(super) unsafe fn update(&self, at: *mut u8, width: Width, op: Amo) {
        let (bits, what) = match op {
            Amo::Add(bits) => (bits, What::Add),
            Amo::Combine(Combine::AddFloats, bits) => (bits, What::AddFloats),
            Amo::And(bits) => (bits, What::And),
            Amo::Or(bits) => (bits, What::Or),
            Amo::Xor(bits) => (bits, What::Xor),
            Amo::Set(bits) => (bits, What::Set),
            Amo::Fetch | Amo::Swap(_) | Amo::CompareSwap { .. } | Amo::Combine(..) => {
                unreachable!("no operator does it")
            }
        };
        let deed = Deed { what, width };
        // SAFETY: the caller's promise.
        unsafe { self.issue::<true>(at, BatchOperand { bits }, deed) }
    }

    /// Issues the write of an element. One that is no word is written now.
    ///
    /// # Safety
    ///
    /// `at` is an element of `size` bytes, which lives until the ring is emptied and is aligned to
    /// `align`; `from` holds as many.
    #[inline(always)]
    pub(super) unsafe fn put(&self, at: *mut u8, size: usize, align: usize, atomic: bool, from: *const u8) {
        // SAFETY: the caller's promise.
        unsafe {
            if size != align || size > 8 {
                self.issued.set(self.issued.get() + 1);
                return copy(at, from, size);
            }
            let width = Width::of(size);
            let deed = Deed { what: if atomic { What::Set } else { What::Store }, width };
            self.issue::<true>(at, BatchOperand { bits: cell::bits(from, width) }, deed);
        }
    }

    /// Issues the read of an element to `to`. One that is no word is read now.
    ///
    /// # Safety
    ///
    /// `at` is an element of `size` bytes, which lives until the ring is emptied and is aligned to
    /// `align`. `to` has room for as many, and nobody else accesses it until then.
    #[inline(always)]
    pub(super) unsafe fn get(&self, at: *mut u8, size: usize, align: usize, to: *mut u8) {
        if size != align || size > 8 {
            self.issued.set(self.issued.get() + 1);
            // SAFETY: the caller's promise.
            return unsafe { copy(to, at, size) };
        }
        let deed = Deed { what: What::Load, width: Width::of(size) };
        // SAFETY: the caller's promise.
        unsafe { self.issue::<false>(at, BatchOperand { to }, deed) }
    }

    /// Does all that is not done yet.
    pub(super) fn empty(&self) {
        let issued = self.issued.get();
        for place in 0..DISTANCE {
            let before = self.places[(issued + place) % DISTANCE].replace(NOTHING);
            // SAFETY: as in `issue`.
            unsafe { perform_another(before) };
        }
        // What was read from cells before.
        fence(Ordering::Acquire);
    }
}

/// [`perform`], of an operation of any kind.
///
/// # Safety
///
/// As `perform`.
#[cold]
#[inline(never)]
unsafe fn perform_another(operation: RingOperation) {
    // SAFETY: the caller's promise.
    unsafe { perform(operation) }
}

/// Does an operation.
///
/// # Safety
///
/// As those who issued it promised, and it is done once.
#[inline(always)]
unsafe fn perform(operation: RingOperation) {
    let RingOperation { at, operand, deed: Deed { what, width } } = operation;
    // SAFETY: the promise of who issued it: a live cell or element of this size, aligned to it, and a
    // place for what is read. `issue` wrote the field of the operand that goes with the deed.
    unsafe {
        let op = match what {
            What::Nothing => return,
            What::Store => {
                let bits = operand.bits;
                match width {
                    Width::W1 => AtomicU8::from_ptr(at).store(bits as u8, Ordering::Relaxed),
                    Width::W2 => AtomicU16::from_ptr(at.cast()).store(bits as u16, Ordering::Relaxed),
                    Width::W4 => AtomicU32::from_ptr(at.cast()).store(bits as u32, Ordering::Relaxed),
                    Width::W8 => AtomicU64::from_ptr(at.cast()).store(bits, Ordering::Relaxed),
                }
                return;
            }
            What::Load => {
                let bits = match width {
                    Width::W1 => AtomicU8::from_ptr(at).load(Ordering::Relaxed).into(),
                    Width::W2 => AtomicU16::from_ptr(at.cast()).load(Ordering::Relaxed).into(),
                    Width::W4 => AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed).into(),
                    Width::W8 => AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed),
                };
                return cell::write_bits(operand.to, width, bits);
            }
            What::Add => Amo::Add(operand.bits),
            What::AddFloats => Amo::Combine(Combine::AddFloats, operand.bits),
            What::And => Amo::And(operand.bits),
            What::Or => Amo::Or(operand.bits),
            What::Xor => Amo::Xor(operand.bits),
            What::Set => Amo::Set(operand.bits),
        };
        cell::amo(at, width, op);
    }
}
