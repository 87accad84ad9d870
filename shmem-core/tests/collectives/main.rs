//! The collectives of teams against a plain model, from which each PE computes what it must get.
//!
//! * `model`: elements, selections and teams, and the comparison with the model, guards included;
//! * `reductions`: reduce, reduce_scatter, scan and exscan of every type, operation, length and
//!   place;
//! * `pairwise`: reductions in pairs, on few PEs and on so many that they meet in rounds;
//! * `exchanges`: broadcast, collect and all-to-all;
//! * `rooted`: gather, scatter, and reductions to one PE;
//! * `values`: the forms that take private values;
//! * `rows`: many in a row, with no other synchronisation;
//! * `nothing`: calls without elements;
//! * `disagreement`: what the PEs are told when they do not call the same.

mod disagreement;
mod exchanges;
mod model;
mod nothing;
mod pairwise;
mod reductions;
mod rooted;
mod rows;
mod values;
