//! Collectives: what the PEs of a team do together. The methods are [`Team`]'s.
//!
//! * `call`: one call on this PE, with what it leaves for the others, and the comparison of what they call;
//! * `elements`: a selection as a sequence, on any PE;
//! * `reduce`: reductions and scans;
//! * `exchange`: broadcast, collect, all-to-all;
//! * `macros`: what `collective!` needs beside them.

pub(crate) mod elements;
mod exchange;
mod macros;
mod reduce;

pub use elements::Fits;
pub use macros::{Moved, OnTeam, world_team};
