//! `cargo shmem` and `shmemrun`, by real processes.
//!
//! * [`package`]: the package that `cargo shmem new` makes, which all tests build in one folder;
//! * [`runs`]: programs under `cargo shmem run` and `shmemrun`: status, signals, standard input;
//! * [`mistakes`]: what the tools say about wrong command lines;
//! * [`passes`]: what cargo gets;
//! * [`jobs`]: `where`, `kill` and `info` with a running job;
//! * [`checkpoints`]: what is in a checkpoint;
//! * [`made`]: new packages, completions, manual pages, and what this machine has;
//! * [`sessions`]: the sessions that the book shows;
//! * [`top`]: `cargo shmem top` on a terminal.

mod checkpoints;
#[cfg(target_os = "linux")]
mod jobs;
mod made;
mod mistakes;
mod package;
mod passes;
mod runs;
mod sessions;
#[cfg(target_os = "linux")]
mod top;
