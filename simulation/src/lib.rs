//! How the algorithms between hosts of `shmem-core` behave on more PEs than any machine here has.
//!
//! The simulation compiles the same source files as the crate: which members share a host
//! (`hosts.rs`), what each member does in a meeting and in a broadcast (`steps.rs`), and which
//! partial results it sends in a reduction in pairs (`partials.rs`). The crate takes those steps over
//! a C library. Here virtual PEs take them, one event after the other, and the time of each is that
//! of the LogGP model ([`network`]). So the messages and bytes are those of real runs, which
//! `cargo test -p shmem-core --test simulated` shows, and the times are those of a network that
//! does what its parameters say.
//!
//! | file | what is in it |
//! |---|---|
//! | [`network`] | the parameters of links, measured and published ones |
//! | [`machine`] | how many PEs there are, and what they share |
//! | `program` | what a virtual PE does, from the steps of `shmem-core` |
//! | `engine` | the events: who does what next, and when a message arrives |
//! | [`tables`] | the tables of the book |
//! | [`between_hosts`] | the table of calls between hosts |

pub mod between_hosts;
mod engine;
pub mod machine;
pub mod network;
mod program;
pub mod tables;

pub use engine::{Outcome, run};
pub use machine::{Cores, Machine};
pub use program::Call;

// The parts for other kinds of teams, and for messages, are not used here.
#[allow(dead_code)]
#[path = "../../shmem-core/src/transport/openshmem/hosts.rs"]
mod hosts;
#[allow(dead_code)]
#[path = "../../shmem-core/src/transport/members.rs"]
mod members;
#[allow(dead_code)]
#[path = "../../shmem-core/src/runtime/team/partials.rs"]
mod partials;
#[allow(dead_code)]
#[path = "../../shmem-core/src/transport/openshmem/steps.rs"]
mod steps;

/// As in `shmem-core`, for the included files.
mod transport {
    pub(crate) use crate::members::{Members, Sender};
}

/// As in `shmem-core`: what `hosts` reads of it.
mod start {
    /// What a PE tells the others of where it runs.
    pub(crate) struct Introduction {
        /// The lowest PE of its host.
        pub(crate) first: u32,
        /// How many PEs it directly addresses.
        pub(crate) reaches: u32,
    }

    impl Introduction {
        /// A PE that addresses so many, of which this is the first.
        pub(crate) fn near(first: u32, reaches: u32) -> Introduction {
            Introduction { first, reaches }
        }
    }
}
