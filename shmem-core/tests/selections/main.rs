//! The indexing language against a plain model: every selector × rank × element type × operation.
//!
//! * `model`: an object as a `Vec` on each PE, with the selectors as loops over indices;
//! * `elements`: the element types, and elements made of random bytes;
//! * `subject`: symmetric objects of every kind, reached by every form of a selector;
//! * `dynamic`: selections known at run time, drawn by proptest, out of bounds too;
//! * `sources`: what may be written, and what may be read into;
//! * `fields`: fields of derived structs;
//! * `large`: transfers of every size and alignment;
//! * `atomics`: the operations of `Atomic` cells;
//! * `messages`: what a wrong selection is told.
//!
//! Selections known to the compiler are in `constant_selections`.

mod atomics;
mod dynamic;
mod elements;
mod fields;
mod large;
mod messages;
mod model;
mod sources;
mod subject;
