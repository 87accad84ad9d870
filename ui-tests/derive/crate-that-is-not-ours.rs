#![forbid(unsafe_code)]
use shmem::prelude::*;

// Our trait, and nothing else of ours.
mod fake {
    pub mod __private {
        pub use shmem::Symmetric;
        pub const fn check_padding(_: &str, _: usize, _: &[(&str, usize, usize)]) {}
    }
}

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
#[symmetric(crate = fake)]
struct Body {
    mass: f64,
    kind: u8,
}

fn main() {}
