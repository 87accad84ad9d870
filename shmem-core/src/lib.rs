//! SPMD programs over symmetric memory, with an indexing language that the compiler checks.

// The expansions of the macros name `::shmem`, here as everywhere.
#[allow(unused_extern_crates)]
extern crate self as shmem;

mod collective;
mod direct;
mod env;
mod error;
mod launch;
mod macros;
mod remote;
mod runtime;
pub mod select;
mod symmetric;
mod system_memory;
mod text;
mod transport;
mod world;

#[doc(hidden)]
pub mod __private;

pub use collective::{Reduce, ReduceBits};
pub use error::Error;
pub use remote::{Arithmetic, Bitwise, Remote, Source, Target};
pub use shmem_macros::{Symmetric, kernel, main, symmetric, test};
pub use symmetric::{
    Atomic, AtomicBits, AtomicInteger, AtomicValue, Item, Object, PerPe, Static, Symmetric, SymmetricArray,
};
pub use world::World;

/// What a program needs: `use shmem::prelude::*;`
pub mod prelude {
    pub use crate::{
        Atomic, PerPe, Remote, Symmetric, SymmetricArray, World, collective, local, remote, symmetric,
    };
}
