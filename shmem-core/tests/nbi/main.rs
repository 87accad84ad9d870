//! Scopes that complete operations at their end.
//!
//! * `scopes`: non-blocking operations, each against the blocking one;
//! * `batches`: batches of small operations, against a plain model;
//! * `batch_ends`: what ends a batch, and what a batch refuses.

mod batch_ends;
mod batches;
#[path = "../harness/random.rs"]
mod generator;
mod scopes;
