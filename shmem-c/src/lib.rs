//! OpenSHMEM 1.6 for C and C++, on the embedded transport of the crate `shmem`.
//!
//! The entry points are made of a table at build time (`build/table.txt`): `pshmem_` and the name of
//! the routine. Each calls one function of the modules here, which check what C leaves undefined,
//! and call the untyped floor of the library. Deprecated routines are written in C, over the
//! others. [`HEADER`] and [`ALIASES`] are what a C compiler needs besides: the program
//! `install-shmem-c` makes the library of all of it.
//!
//! [`world`] and [`symmetric`] are for the Rust files of a program whose other files are in C.
//!
//! No panic crosses into C: an entry point that panics ends the job with a sentence that names the
//! routine, the argument and the PE (module `entry`).

// The safety of an entry point is that of its routine in the specification.
#![allow(clippy::missing_safety_doc)]

mod active;
mod amo;
mod collective;
mod contexts;
mod debug;
mod entry;
mod globals;
mod handles;
mod job;
mod lock;
mod memory;
mod mixed;
mod place;
mod rma;
mod signal;
mod teams;
mod types;
mod wait;

pub use crate::job::pe_variables;
pub use crate::mixed::{symmetric, world};
pub use crate::place::show_notes;

/// The header `shmem.h`.
pub const HEADER: &str = include_str!(concat!(env!("OUT_DIR"), "/shmem.h"));
/// The C file with the names `shmem_*`, and with what Rust cannot export.
pub const ALIASES: &str = include_str!(concat!(env!("OUT_DIR"), "/aliases.c"));
/// The names of all routines that are not deprecated.
pub const ROUTINES: &[&str] = include!(concat!(env!("OUT_DIR"), "/routines.rs"));
/// The names of the deprecated routines.
pub const DEPRECATED: &[&str] = include!(concat!(env!("OUT_DIR"), "/deprecated.rs"));

/// The entry points.
#[allow(unused_unsafe, reason = "all entry points are made alike")]
#[allow(clippy::too_many_arguments, reason = "those of the specification")]
mod entries {
    use std::ffi::{
        c_char, c_int, c_long, c_longlong, c_schar, c_short, c_uchar, c_uint, c_ulong, c_ulonglong, c_ushort,
        c_void,
    };

    use num_complex::Complex;
    use shmem::reduction;
    use shmem::untyped::Amo;

    use crate::entry::enter;
    use crate::handles::{DEFAULT, Handle, WORLD};
    use crate::types::{Cell as _, LongDouble, SessionConfig, TeamConfig};
    use crate::wait::Values;
    use crate::{amo, collective, contexts, job, lock, memory, rma, signal, teams, wait};

    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}
