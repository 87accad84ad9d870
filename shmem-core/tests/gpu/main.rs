//! Arrays and streams of GPUs, with the back end `host`.

#[path = "../harness/random.rs"]
mod random;

mod collectives;
mod failures;
mod language;
mod streams;
