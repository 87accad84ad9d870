//! The macros' only interface: what expansions name. Nothing here is for users, and any of it may
//! change.

pub use inventory;
pub use shmem_macros::{collective, local, remote};

pub use crate::collective::{OnTeam, world_team};
pub use crate::global::{
    Block2dParts, BlockCyclicParts, BlockParts, CyclicParts, DividedElementOf, OfWhole, WholeType,
    check_division, register_divided, register_filled,
};
pub use crate::halo::{HaloElementOf, check_halo, register_filled_halo, register_halo};
pub use crate::remote::{Arithmetic, Bitwise, OfRank, OnContext, OneElement, Pe, Source, SourceOn, Target};
pub use crate::runtime::team::Team;
pub use crate::select::lists::*;
pub use crate::select::selectors::*;
pub use crate::select::spread::GlobalSelector;
pub use crate::symmetric::statics::{ElementOf, Init, Static, check_read, register};
pub use crate::transport::operation::{And, Max, Min, Or, Prod, Sum, Xor};

pub use crate::symmetric::{ObjectInfo as StaticInfo, PerPe, Symmetric, check_padding, field_has_type};
pub use crate::{
    __symmetric_global as symmetric_global, __symmetric_halo as symmetric_halo,
    __symmetric_refused as symmetric_refused, __symmetric_static as symmetric_static,
    __symmetric_struct as symmetric_struct,
};

// An expansion names nothing but this module, not even the language's own library:
// `extern crate self as core` makes a root that answers in its place.
pub use std::compile_error;
pub use std::marker::Copy;
pub use std::mem::{offset_of, size_of};
pub use std::option::Option;
pub use std::prelude::v1::test as test_attribute;
pub use std::process::ExitCode;
pub use std::{cfg, column, concat, file, line, module_path, stringify};

/// The type of extents, whatever a program calls `usize`.
pub type Size = usize;

pub use crate::Remote;
pub use crate::ThreadLevel;
pub use crate::wait::{Comparison, Except, OneCell};
pub use shmem_macros::{poll, wait};

/// Collective calls on streams.
#[cfg(feature = "gpu")]
pub use crate::gpu::calls as stream;
/// The words of kernels.
#[cfg(feature = "gpu")]
pub use crate::gpu::kernel::device;

/// How `#[shmem::main]` and `#[shmem::test]` start.
pub mod launch {
    pub use crate::launch::{JobOptions, Outcome, ReturnForm, Returns, TestOptions, main, test};
}
