//! NVSHMEM's libraries: where they are searched ([`Places`]), and what is opened ([`Library`]).
//!
//! Nothing of them is linked, so a program that is built here runs where there are none.

mod library;
mod places;

pub use library::Library;
pub use places::Places;
pub(crate) use places::{Product, Wanted};

/// The file of the host library. Its number is that of the interface, which versions 3.x have.
pub const HOST_LIBRARY: &str = "libnvshmem_host.so.3";
