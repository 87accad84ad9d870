//! Collectives: what the PEs of a team do together. The methods are [`Team`]'s.
//!
//! * `elements`: a selection as a sequence, on any PE;
//! * `reduce`: reductions and scans; `lanes`: large ones of PEs on several hosts;
//! * `pairwise`: reductions in pairs, which take log2(hosts) steps;
//! * `own`: reductions by a function of the program, and of values with their PEs;
//! * `rooted`: reductions of which one PE gets the result;
//! * `exchange`: broadcast, collect, all-to-all with equal blocks;
//! * `alltoallv`: all-to-all with blocks of any length;
//! * `gather`, `scatter`: the elements of all PEs to one, and those of one to all;
//! * `whole`: reductions and scans over all elements of a global array, and redistribution; `joined`
//!   does the work;
//! * `macros`: what `collective!` needs besides the methods.
//!
//! A new collective is a method here and a row of the table in
//! `shmem-macros/src/collective/table.rs`. Its word, its expansion, the messages, the documentation
//! of [`collective!`](crate::collective!) and the tables of the book come from that row.

mod alltoallv;
pub(crate) mod elements;
mod exchange;
mod gather;
mod joined;
mod lanes;
mod macros;
mod own;
mod pairwise;
mod reduce;
mod rooted;
mod scatter;
mod whole;

pub use elements::Fits;
pub use macros::{Moved, OnTeam, world_team};
pub use whole::{Global, OneAxis};
