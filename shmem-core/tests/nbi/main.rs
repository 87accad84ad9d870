//! Scopes that complete operations at their end.
//!
//! * `scopes`: non-blocking operations, each against the blocking one;
//! * `batches`: batches of small operations, against a plain model;
//! * `batch_ends`: what ends a batch, and what a batch refuses;
//! * `batch_memory`: how many bytes a batch takes.

mod batch_ends;
mod batch_memory;
mod batches;
#[path = "../harness/random.rs"]
mod generator;
mod scopes;
