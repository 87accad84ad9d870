//! The collectives of teams against a plain model, from which each PE computes what it must get.
//!
//! * `model`: elements, selections and teams, and the comparison with the model, guards included;
//! * `reductions`: reduce, reduce_scatter, scan and exscan of every type, operation, length and
//!   place;
//! * `exchanges`: broadcast, collect and all-to-all;
//! * `values`: the forms that take private values;
//! * `rows`: many in a row, with no other synchronisation;
//! * `disagreement`: what the PEs are told when they do not call the same.

mod disagreement;
mod exchanges;
mod model;
mod reductions;
mod rows;
mod values;
