//! Element types, and values of them.
//!
//! Every bit pattern of an element is a valid value, so random bytes make values of any type, and
//! bytes compare them: what is not a number arrives as the same not-a-number.

use std::mem::MaybeUninit;

use shmem::StaticElement;
use shmem::prelude::*;

/// Three bytes, aligned to 1.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Rgb {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
}

/// Ten bytes, aligned to 2.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Ten {
    pub(crate) head: u16,
    pub(crate) tail: [i16; 4],
}

/// Twelve bytes, aligned to 4.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Vertex {
    pub(crate) at: [f32; 2],
    pub(crate) colour: Rgb,
    pub(crate) alpha: u8,
}

/// Forty bytes, aligned to 8.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Body {
    pub(crate) pos: [f64; 3],
    pub(crate) mass: f64,
    pub(crate) id: u32,
    pub(crate) tag: [u8; 4],
}

/// Forty-eight bytes, aligned to 16.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Wide {
    pub(crate) key: u128,
    pub(crate) low: [u64; 2],
    pub(crate) high: i128,
}

/// More bytes than are moved word by word, and no multiple of a word.
#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
pub(crate) struct Big {
    pub(crate) name: [u8; 131],
    pub(crate) end: u8,
    pub(crate) flag: [u8; 1],
}

/// A wrapper.
#[derive(Clone, Copy, Symmetric)]
#[repr(transparent)]
pub(crate) struct Metres(pub(crate) f64);

/// An array that is one element of a static, and no axis: implemented by hand, which the derive
/// does not do for generic structs.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Row<T, const N: usize>(pub(crate) [T; N]);

// SAFETY: it is in memory what the array is, which is symmetric.
unsafe impl<T: Symmetric, const N: usize> Symmetric for Row<T, N> {}
impl<T: Symmetric, const N: usize> StaticElement for Row<T, N> {}

/// Random numbers, the same for the same seed (SplitMix64).
pub(crate) fn random(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// An element, or an array of elements, made of random bytes.
pub(crate) fn value<T: Symmetric>(seed: u64) -> T {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the bytes are those of `value`, and zeroed.
    let bytes = unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    for (byte, random) in bytes.iter_mut().zip(random(seed)) {
        *byte = random as u8;
    }
    // SAFETY: `Symmetric` promises that every bit pattern is a valid value.
    unsafe { value.assume_init() }
}

/// `len` elements made of random bytes.
pub(crate) fn values<T: Symmetric>(seed: u64, len: usize) -> Vec<T> {
    random(seed).take(len).map(value).collect()
}

/// The bytes of elements.
pub(crate) fn bytes<T: Symmetric>(elements: &[T]) -> &[u8] {
    // SAFETY: `Symmetric` promises that there is no padding, so every byte is initialised.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Compares elements by their bytes.
#[track_caller]
pub(crate) fn assert_same<T: Symmetric>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: the number of elements");
    if bytes(found) == bytes(expected) {
        return;
    }
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(
            bytes(std::slice::from_ref(found)),
            bytes(std::slice::from_ref(expected)),
            "{what}: the element at place {place} of row-major order"
        );
    }
}
