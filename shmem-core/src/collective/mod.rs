//! Collectives: what the PEs of a team do together. The methods are [`Team`]'s.
//!
//! * `call`: one call on this PE, with what it leaves for the others, and the comparison of what they call;
//! * `elements`: a selection as a sequence, on any PE;
//! * `reduce`: reductions and scans;
//! * `exchange`: broadcast, collect, all-to-all.

pub(crate) mod call;
mod elements;
mod exchange;
mod reduce;

pub use elements::Fits;

use crate::runtime;
use crate::team::Team;

/// `collective!(op value)`, on the world.
#[doc(hidden)]
pub fn world_team() -> &'static Team {
    runtime::get().world().team()
}
