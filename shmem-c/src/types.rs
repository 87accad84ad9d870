//! Types of C that Rust does not have, and cells.

use std::ffi::c_int;

use shmem::untyped::Width;

/// A `long double`: its bytes, which Rust does not compute with.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct LongDouble([u8; 16]);

/// `shmem_team_config_t`.
#[repr(C)]
pub(crate) struct TeamConfig {
    /// How many contexts of the team there are to be.
    pub(crate) num_contexts: c_int,
}

/// `shmem_ctx_session_config_t`.
#[repr(C)]
pub(crate) struct SessionConfig {
    /// How many operations there will be.
    pub(crate) total_ops: usize,
}

/// The types of an atomic operation.
pub(crate) trait Cell: Copy {
    /// How many bytes it has.
    const WIDTH: Width;
    /// The value in the low bytes.
    fn bits(self) -> u64;
    /// The value of the low bytes.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! cells {
    ($($ty:ty: $width:ident, $value:ident => $to:expr, $bits:ident => $from:expr;)*) => {$(
        impl Cell for $ty {
            const WIDTH: Width = Width::$width;
            fn bits(self) -> u64 {
                let $value = self;
                $to
            }
            fn from_bits($bits: u64) -> $ty {
                $from
            }
        }
    )*};
}

cells! {
    i32: W4, value => value as u64, bits => bits as i32;
    u32: W4, value => value.into(), bits => bits as u32;
    i64: W8, value => value as u64, bits => bits as i64;
    u64: W8, value => value, bits => bits;
    isize: W8, value => value as u64, bits => bits as isize;
    usize: W8, value => value as u64, bits => bits as usize;
    f32: W4, value => value.to_bits().into(), bits => f32::from_bits(bits as u32);
    f64: W8, value => value.to_bits(), bits => f64::from_bits(bits);
}
