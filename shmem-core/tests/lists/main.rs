//! Lists of indices, ranges that descend, moves between symmetric objects, and global arrays, against a
//! plain model.
//!
//! * `objects`: objects as `Vec`s, axes as lists of indices, and references of every form;
//! * `random`: selections that are known at run time, and moves between them;
//! * `written`: selections that the compiler knows, and what composes with lists;
//! * `global`: global arrays of every distribution, with random selections across the borders of PEs;
//! * `global_written`: what composes with global arrays;
//! * `halo`: ghost cells of every part, over many steps;
//! * `whole`: reductions, scans and redistribution of global arrays; `every_kind` has them for statics
//!   and with ghost cells;
//! * `messages`: what a wrong list is told.

mod every_kind;
#[path = "../harness/random.rs"]
mod generator;
mod global;
mod global_written;
mod halo;
mod messages;
mod objects;
mod random;
mod whole;
mod written;
