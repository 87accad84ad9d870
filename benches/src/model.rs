//! What is to be expected of jobs that this machine cannot hold: 10 000 to 1 000 000 PEs over a C library.
//!
//! The formulas follow the sources: what each PE keeps of every other, whom it asks at the start, and what
//! travels in a collective. What of it can be measured here is measured ([`Measured`]); the network is a
//! guess that is written down ([`NETWORK`]). The time and the memory that the C library needs for itself are
//! not in it.

/// A PE keeps so many bytes of each PE of the job, in memory of its own, as `shmem-core/src` has it.
pub const KEPT: [(&str, f64); 3] = [
    ("greetings: its cores, its host, the PEs that it shares memory with", 152.0),
    ("where its heap and its board are mapped here, or that they are not", 16.0),
    ("the two tables that accesses look it up in, for the first 65 536 PEs", 16.0),
];
/// PEs in the tables that accesses look them up in.
pub const LISTED: f64 = 65_536.0;
/// And so many in symmetric memory: the room to gather 64 bytes of each, twice, with what is given.
pub const GATHERED: f64 = 256.0;
/// What is asked of the library beside the heap. The room to gather, which the library's collectives need, is
/// a part of it.
pub const SPARE: f64 = (16 << 20) as f64;
/// How many times in its life a PE asks every other one: for its greeting.
pub const ASKED: f64 = 1.0;
/// And when an array is allocated: for the call that it makes, and what it has dropped.
pub const ALLOCATING: f64 = 2.0;

/// What a network is assumed to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Seconds until the answer of a get has come.
    pub round_trip: f64,
    /// Seconds that a PE is busy with a message.
    pub message: f64,
    /// Seconds for a byte of one PE, where all of its node send at the same time.
    pub byte: f64,
}

/// A good one of today: 2 µs there and back; 150 million messages and 25 GB each second, for a node of 128
/// PEs.
pub const NETWORK: Network = Network { round_trip: 2e-6, message: 128.0 / 150e6, byte: 128.0 / 25e9 };

/// What was measured on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Seconds for a PE to join the value of one PE, out of what was gathered.
    pub join: f64,
}

/// Seconds and bytes of one PE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// What is kept of all PEs, in memory of its own.
    pub kept: f64,
    /// The room to gather; 0 where the library has no such memory, and collectives go without its routines.
    pub room: f64,
    /// Asking every PE, at the start.
    pub asking: f64,
    /// Allocating an array.
    pub allocation: f64,
    /// A barrier: rounds of the library.
    pub barrier: f64,
    /// An all-reduce of one double.
    pub reduce: f64,
    /// The same by rounds, as it could be.
    pub reduce_by_rounds: f64,
    /// An alltoall of 8 bytes to each.
    pub alltoall: f64,
}

/// What a job of `n` PEs, on many nodes, is expected to take.
#[must_use]
pub fn forecast(n: f64, network: Network, measured: Measured) -> Forecast {
    let [greetings, mapped, tables] = KEPT.map(|(_, bytes)| bytes);
    let rounds = n.log2().ceil();
    let room = if GATHERED * n < SPARE { GATHERED * n } else { 0.0 };
    // By the library: the values double from round to round, and all of them arrive. Without it: one by one.
    let gather = if room > 0.0 {
        rounds * network.round_trip / 2.0 + 8.0 * n * network.byte
    } else {
        rounds * network.round_trip / 2.0 + n * network.round_trip
    };
    Forecast {
        kept: (greetings + mapped) * n + tables * n.min(LISTED),
        room,
        asking: ASKED * n * network.round_trip,
        allocation: ALLOCATING * n * network.round_trip,
        barrier: rounds * network.round_trip / 2.0,
        reduce: gather + n * measured.join,
        reduce_by_rounds: rounds * (network.round_trip / 2.0 + measured.join),
        alltoall: n * (network.message + 8.0 * network.byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Measured = Measured { join: 4e-9 };

    #[test]
    fn what_is_kept_of_all_grows_as_they_do() {
        let [small, large] = [1e4, 1e6].map(|n| forecast(n, NETWORK, MEASURED));
        assert_eq!(small.kept, 184.0 * 1e4);
        assert_eq!(large.kept, 168.0 * 1e6 + 16.0 * 65_536.0);
        assert_eq!(small.asking, 1e4 * NETWORK.round_trip);
        assert!((large.asking / small.asking - 100.0).abs() < 1e-9);
    }

    #[test]
    fn meetings_grow_by_rounds() {
        let [one, twice] = [1024.0, 2048.0].map(|n| forecast(n, NETWORK, MEASURED));
        assert!((one.barrier / NETWORK.round_trip - 5.0).abs() < 1e-9);
        assert!((twice.barrier / NETWORK.round_trip - 5.5).abs() < 1e-9);
        assert!(twice.reduce_by_rounds < 1.2 * one.reduce_by_rounds);
    }

    #[test]
    fn without_room_values_are_fetched_one_by_one() {
        // 65 536 PEs need all of the spare memory.
        let [below, above] = [65_000.0, 66_000.0].map(|n| forecast(n, NETWORK, MEASURED));
        assert!(below.room > 0.0 && above.room == 0.0);
        assert!(above.reduce > 10.0 * below.reduce, "{} {}", below.reduce, above.reduce);
        assert!(above.reduce > 66_000.0 * NETWORK.round_trip);
    }
}
