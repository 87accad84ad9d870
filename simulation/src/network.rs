//! The LogGP parameters of links: `L`, `o`, `g` and `G`.
//!
//! A message of k bytes keeps its sender busy for `o`. The link takes the next message of the same
//! host after `g`, or after k times `G` if that is longer. The message is in the memory of the
//! other PE after a further `L` and k times `G`. Who waits for it there goes on after `o`, and who
//! comes later takes as long to read it, or less on a machine whose cores share memory. Messages from one PE
//! to another arrive in the order in which they were sent, so a fence takes no time.

/// A time in picoseconds, so that results are the same on all machines.
pub type Time = u64;

/// The picoseconds of a time in nanoseconds.
#[must_use]
pub const fn of_nanoseconds(ns: f64) -> Time {
    (ns * 1e3) as Time
}

/// The parameters of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// `L`: from the link to the memory of the other PE.
    pub latency: Time,
    /// `o` of the sender.
    pub send: Time,
    /// `o` of the receiver: until a waiter that has the message in its memory goes on.
    pub receive: Time,
    /// The same of a message that has come before its receiver waits for it.
    pub late: Time,
    /// `g`: between two messages of a host.
    pub gap: Time,
    /// `G`: for each byte.
    pub byte: Time,
}

impl Link {
    /// A link with these parameters in nanoseconds.
    #[must_use]
    pub const fn new(latency: f64, send: f64, receive: f64, gap: f64, byte: f64) -> Link {
        Link {
            latency: of_nanoseconds(latency),
            send: of_nanoseconds(send),
            receive: of_nanoseconds(receive),
            late: of_nanoseconds(receive),
            gap: of_nanoseconds(gap),
            byte: of_nanoseconds(byte),
        }
    }
}

/// HPE Slingshot with 200 Gbit/s for each network card: the parameters with which the simulator
/// ATLAHS replays programs that ran on the machine Alps (`github.com/spcl/atlahs`,
/// `demo/hpc/03_run_loggopsim.sh`).
pub const SLINGSHOT: Link = Link::new(3700.0, 200.0, 200.0, 5.0, 0.04);

/// InfiniBand on the machine Tukey of Argonne National Laboratory, with MVAPICH, as Netgauge has
/// measured it for the simulator CODES (`github.com/codes-org/codes`,
/// `tests/conf/ng-mpi-tukey.dat`). `o` and `g` are those of 8 bytes, `G` that of 1 MiB, and `L` is
/// half of the round trip of 8 bytes, 11.384 µs, without both `o`.
pub const INFINIBAND: Link = Link::new(3555.0, 1052.0, 1085.0, 940.0, 0.496);
