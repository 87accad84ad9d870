//! Lists of indices, ranges that descend, and moves between symmetric objects, against a plain model.
//!
//! * `objects`: objects as `Vec`s, axes as lists of indices, and references of every form;
//! * `random`: selections that are known at run time, and moves between them;
//! * `written`: selections that the compiler knows, and what composes with lists;
//! * `messages`: what a wrong list is told.

#[path = "../harness/random.rs"]
mod generator;
mod messages;
mod objects;
mod random;
mod written;
