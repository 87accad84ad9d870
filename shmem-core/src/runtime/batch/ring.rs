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
use crate::transport::{Amo, Width, cell};

/// What is done at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Nothing,
    Add4,
    Add8,
    And4,
    And8,
    Or4,
    Or8,
    Xor4,
    Xor8,
    Store1,
    Store2,
    Store4,
    Store8,
    /// Stores to cells, which release what was stored before.
    Set4,
    Set8,
    Load1,
    Load2,
    Load4,
    Load8,
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

const NOTHING: RingOperation =
    RingOperation { at: ptr::null_mut(), operand: BatchOperand { bits: 0 }, deed: Deed::Nothing };

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
            deed: Cell::new(Deed::Nothing),
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
fn prefetch<const WRITES: bool>(at: *mut u8) {
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
        let (bits, deeds) = match op {
            Amo::Add(bits) => (bits, [Deed::Add4, Deed::Add8]),
            Amo::And(bits) => (bits, [Deed::And4, Deed::And8]),
            Amo::Or(bits) => (bits, [Deed::Or4, Deed::Or8]),
            Amo::Xor(bits) => (bits, [Deed::Xor4, Deed::Xor8]),
            Amo::Set(bits) => (bits, [Deed::Set4, Deed::Set8]),
            Amo::Fetch | Amo::Swap(_) | Amo::CompareSwap { .. } => unreachable!("its result is wanted"),
        };
        let deed = match width {
            Width::W4 => deeds[0],
            Width::W8 => deeds[1],
        };
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
        // SAFETY: the caller's promise; `from` holds a word of the size in each case.
        unsafe {
            let (bits, deed) = match size {
                _ if size != align => {
                    self.issued.set(self.issued.get() + 1);
                    return copy(at, from, size);
                }
                1 => (u64::from(from.read()), Deed::Store1),
                2 => (u64::from(from.cast::<u16>().read_unaligned()), Deed::Store2),
                4 => {
                    let bits = from.cast::<u32>().read_unaligned();
                    (u64::from(bits), if atomic { Deed::Set4 } else { Deed::Store4 })
                }
                8 => {
                    let bits = from.cast::<u64>().read_unaligned();
                    (bits, if atomic { Deed::Set8 } else { Deed::Store8 })
                }
                _ => {
                    self.issued.set(self.issued.get() + 1);
                    return copy(at, from, size);
                }
            };
            self.issue::<true>(at, BatchOperand { bits }, deed);
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
        let deed = match size {
            _ if size != align => {
                self.issued.set(self.issued.get() + 1);
                // SAFETY: the caller's promise.
                return unsafe { copy(to, at, size) };
            }
            1 => Deed::Load1,
            2 => Deed::Load2,
            4 => Deed::Load4,
            8 => Deed::Load8,
            _ => {
                self.issued.set(self.issued.get() + 1);
                // SAFETY: the caller's promise.
                return unsafe { copy(to, at, size) };
            }
        };
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
    let RingOperation { at, operand, deed } = operation;
    macro_rules! update {
        ($width:ident $op:ident) => {{
            cell::amo(at, Width::$width, Amo::$op(operand.bits));
        }};
    }
    macro_rules! store {
        ($atomic:ident $word:ty, $order:ident) => {
            $atomic::from_ptr(at.cast()).store(operand.bits as $word, Ordering::$order)
        };
    }
    macro_rules! load {
        ($atomic:ident $word:ty) => {
            operand.to.cast::<$word>().write_unaligned($atomic::from_ptr(at.cast()).load(Ordering::Relaxed))
        };
    }
    // SAFETY: the promise of who issued it: a live cell or element of this size, aligned to it, and a
    // place for what is read. `issue` wrote the field of the operand that goes with the deed.
    unsafe {
        match deed {
            Deed::Nothing => {}
            Deed::Add4 => update!(W4 Add),
            Deed::Add8 => update!(W8 Add),
            Deed::And4 => update!(W4 And),
            Deed::And8 => update!(W8 And),
            Deed::Or4 => update!(W4 Or),
            Deed::Or8 => update!(W8 Or),
            Deed::Xor4 => update!(W4 Xor),
            Deed::Xor8 => update!(W8 Xor),
            Deed::Store1 => store!(AtomicU8 u8, Relaxed),
            Deed::Store2 => store!(AtomicU16 u16, Relaxed),
            Deed::Store4 => store!(AtomicU32 u32, Relaxed),
            Deed::Store8 => store!(AtomicU64 u64, Relaxed),
            Deed::Set4 => store!(AtomicU32 u32, Release),
            Deed::Set8 => store!(AtomicU64 u64, Release),
            Deed::Load1 => load!(AtomicU8 u8),
            Deed::Load2 => load!(AtomicU16 u16),
            Deed::Load4 => load!(AtomicU32 u32),
            Deed::Load8 => load!(AtomicU64 u64),
        }
    }
}
