//! The lowest floor: the services of the operating system for a process, and the way in which this
//! process reports to the others.
//!
//! Nothing here knows what a symmetric object, a team or a transport is.

pub(crate) mod env;
pub(crate) mod error;
pub(crate) mod handlers;
pub(crate) mod journal;
pub(crate) mod json;
pub(crate) mod ledger;
pub(crate) mod memory;
pub(crate) mod once;
pub(crate) mod os;
pub(crate) mod place;
pub(crate) mod proc;
pub(crate) mod process;
pub(crate) mod shared_text;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod threads;
pub(crate) mod told;
pub(crate) mod trace;
pub(crate) mod tuning;
