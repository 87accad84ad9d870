//! A library that knows the crate under another name, and passes it on.

// ANCHOR: renamed
use symm::prelude::*;

/// An element.
#[derive(Clone, Copy, Symmetric)]
#[symmetric(crate = ::symm)]
#[repr(C)]
pub struct Body {
    /// Its mass.
    pub mass: f64,
}

/// Four of them on each PE.
#[symmetric(crate = ::symm)]
pub static BODIES: [Body; 4] = [Body { mass: 1.0 }; 4];

/// Changes two of them on a PE.
#[symm::kernel]
pub fn set(pe: usize) {
    remote!(BODIES[pe, 2..].mass) = [3.0, 4.0];
}
// ANCHOR_END: renamed

// ANCHOR: facade
pub use symm as spmd;

/// Declares a counter on every PE.
#[macro_export]
macro_rules! counter {
    ($name:ident) => {
        #[$crate::spmd::symmetric(crate = $crate::spmd)]
        static $name: $crate::spmd::Atomic<u64> = $crate::spmd::Atomic::new(0);
    };
}
// ANCHOR_END: facade
