//! The expected values of jobs that are too large for this machine: 10 000 to 1 000 000 PEs over a
//! C library.
//!
//! The formulas follow the sources: the memory on each PE for every other one ([`Kept`]), the
//! number of requests, and the traffic of a collective. Quantities that can be measured here are
//! measured ([`Measured`]). The network is an assumption ([`NETWORK`]). The time and the memory of
//! the C library itself are not included.

use shmem::bench::Kept;

/// The number of requests to every other PE at the start: for its locality.
pub const ASKED: f64 = 1.0;
/// The number of requests for the allocation of an array: for the call, and for the dropped arrays.
pub const ALLOCATING: f64 = 2.0;

/// The assumed properties of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Seconds until the answer of a get has come.
    pub round_trip: f64,
    /// Seconds that a PE is busy with a message.
    pub message: f64,
    /// Seconds for a byte of one PE, where all of its node send at the same time.
    pub byte: f64,
}

/// A good network of today: a round trip of 2 µs, and 150 million messages and 25 GB each second
/// for a node of 128 PEs.
pub const NETWORK: Network = Network { round_trip: 2e-6, message: 128.0 / 150e6, byte: 128.0 / 25e9 };

/// The values that were measured on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Seconds for a PE to combine one of the gathered values.
    pub join: f64,
}

/// Seconds and bytes of one PE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The memory for the data of all PEs.
    pub kept: f64,
    /// The memory that gathers values; 0 if the library does not have it, and collectives do not
    /// use its routines.
    pub room: f64,
    /// Asking every PE, at the start.
    pub asking: f64,
    /// Allocating an array.
    pub allocation: f64,
    /// A barrier: rounds of the library.
    pub barrier: f64,
    /// An all-reduce of one double.
    pub reduce: f64,
    /// The same in rounds, which is not implemented.
    pub reduce_by_rounds: f64,
    /// An alltoall of 8 bytes to each.
    pub alltoall: f64,
}

/// The expected values of a job of `n` PEs on many nodes.
#[must_use]
pub fn forecast(n: f64, kept: Kept, network: Network, measured: Measured) -> Forecast {
    let rounds = n.log2().ceil();
    let gathered = kept.gathered as f64 * n;
    let room = if gathered < kept.spare as f64 { gathered } else { 0.0 };
    // By the library: the values double from round to round, and all of them arrive. Without it:
    // one by one.
    let gather = if room > 0.0 {
        rounds * network.round_trip / 2.0 + 8.0 * n * network.byte
    } else {
        rounds * network.round_trip / 2.0 + n * network.round_trip
    };
    Forecast {
        kept: (kept.locality + kept.mapped) as f64 * n + kept.entries as f64 * n.min(kept.listed as f64),
        room,
        asking: ASKED * n * network.round_trip,
        allocation: ALLOCATING * n * network.round_trip,
        barrier: rounds * network.round_trip / 2.0,
        reduce: gather + n * measured.join,
        reduce_by_rounds: rounds * (network.round_trip / 2.0 + measured.join),
        alltoall: n * (network.message + 8.0 * network.byte),
    }
}

/// The memory for each PE, as a table in Markdown: the bytes, the purpose, and the smallest amount.
#[must_use]
pub fn table(kept: &Kept) -> String {
    let Kept { locality, mapped, entries, listed, gathered, spare: _ } = *kept;
    let (last, each) = (listed - 1, gathered / 4);
    format!(
        "| bytes | what | could be |\n|---:|---|---|\n\
         | {locality} | who they are: cores, host, with whom they share memory | 0: it matters for those of the same host alone |\n\
         | {mapped} | where their heap and their control block are mapped here, or that they are not | 0: likewise |\n\
         | {entries} | the two tables that each access looks them up in, up to PE {last} | 0: entries that stay null need not be written |\n\
         | {gathered} | room to gather {each} bytes of each, in symmetric memory | that of a reduction |\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Measured = Measured { join: 4e-9 };
    const KEPT: Kept =
        Kept { locality: 100, mapped: 16, entries: 8, listed: 50_000, gathered: 256, spare: 256 * 60_000 };

    #[test]
    fn what_is_kept_of_all_grows_as_they_do() {
        let [small, large] = [1e4, 1e6].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        assert_eq!(small.kept, 124.0 * 1e4);
        assert_eq!(large.kept, 116.0 * 1e6 + 8.0 * 50_000.0);
        assert_eq!(small.asking, 1e4 * NETWORK.round_trip);
        assert!((large.asking / small.asking - 100.0).abs() < 1e-9);
    }

    #[test]
    fn meetings_grow_by_rounds() {
        let [one, twice] = [1024.0, 2048.0].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        assert!((one.barrier / NETWORK.round_trip - 5.0).abs() < 1e-9);
        assert!((twice.barrier / NETWORK.round_trip - 5.5).abs() < 1e-9);
        assert!(twice.reduce_by_rounds < 1.2 * one.reduce_by_rounds);
    }

    #[test]
    fn without_room_values_are_fetched_one_by_one() {
        // 60 000 PEs need all of the spare memory.
        let [below, above] = [59_000.0, 61_000.0].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        assert!(below.room > 0.0 && above.room == 0.0);
        assert!(above.reduce > 10.0 * below.reduce, "{} {}", below.reduce, above.reduce);
        assert!(above.reduce > 61_000.0 * NETWORK.round_trip);
    }

    #[test]
    fn what_is_kept_is_a_table() {
        let table = table(&KEPT);
        for part in [
            "| 100 | who",
            "| 16 | where",
            "| 8 | the two",
            "up to PE 49999 |",
            "| 256 | room to gather 64 bytes",
        ] {
            assert!(table.contains(part), "{part} in {table}");
        }
    }
}
