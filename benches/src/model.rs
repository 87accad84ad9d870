//! The expected values of jobs that are too large for this machine: 10 000 to 1 000 000 PEs over a
//! C library.
//!
//! The formulas follow the sources: the memory on each PE for the others ([`Kept`]), the rounds of
//! messages, and the traffic of a collective. Quantities that can be measured here are
//! measured ([`Measured`]). The network is an assumption ([`NETWORK`]). The time and the memory of
//! the C library itself are not included.

use shmem::bench::Kept;

/// The round trips of a round in which hosts combine what their PEs say: one until it has arrived, and
/// half of one for the signal.
pub const COMBINING: f64 = 1.5;

/// The PEs of a node.
pub const NODE: f64 = 128.0;

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
pub const NETWORK: Network = Network { round_trip: 2e-6, message: NODE / 150e6, byte: NODE / 25e9 };

/// The values that were measured on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Seconds for a PE to combine one of the gathered values.
    pub join: f64,
}

/// Seconds and bytes of one PE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The memory for the data of other PEs.
    pub kept: f64,
    /// Learning of all PEs who they are, at the start.
    pub telling: f64,
    /// Allocating an array.
    pub allocation: f64,
    /// A barrier: rounds of the library.
    pub barrier: f64,
    /// An all-reduce of one integer, in rounds of nodes.
    pub integer: f64,
    /// An all-reduce of one double, in the order of the PEs.
    pub double: f64,
    /// The same in pairs, in rounds of nodes.
    pub pairs: f64,
    /// An alltoall of 8 bytes to each.
    pub alltoall: f64,
}

/// The expected values of a job of `n` PEs on many nodes.
///
/// # Panics
///
/// When the memory that gathers a word of each PE does not fit into what is asked of the library.
#[must_use]
pub fn forecast(n: f64, kept: Kept, network: Network, measured: Measured) -> Forecast {
    let rounds = n.log2().ceil();
    let meeting = rounds * network.round_trip / 2.0;
    let rounds_of_hosts = (n / NODE).ceil().log2().ceil();
    let combining = COMBINING * rounds_of_hosts * network.round_trip;
    assert!(kept.gathered as f64 * n < kept.spare as f64, "{n} PEs need more room to gather");
    // By the library: the values double from round to round, and all of them arrive.
    let gathered = |bytes: f64| meeting + bytes * n * network.byte;
    let are_many = n > kept.few as f64;
    let of_each = kept.host + if are_many { kept.gathered } else { 0 };
    // There is one room for many PEs, so they meet before it is filled again.
    let free = if are_many { meeting } else { 0.0 };
    Forecast {
        kept: of_each as f64 * n + (kept.mapped + kept.entries) as f64 * n.min(NODE),
        telling: gathered(kept.told as f64),
        // For the call, and when the memory is clear on all PEs.
        allocation: combining + meeting,
        barrier: meeting,
        integer: combining + (rounds_of_hosts + NODE) * measured.join,
        double: free + gathered(8.0) + n * measured.join,
        // In each round at most three partial results of each size, and before it those of the node.
        pairs: combining + (3.0 * rounds_of_hosts * rounds_of_hosts + NODE) * measured.join,
        alltoall: n * (network.message + 8.0 * network.byte),
    }
}

/// The memory for other PEs, as a table in Markdown: the bytes, of which PEs, and the purpose.
#[must_use]
pub fn table(kept: &Kept) -> String {
    let Kept { host, gathered, few, mapped, entries, told: _, spare: _ } = *kept;
    let many = few + 1;
    format!(
        "| bytes | of each PE of | what |\n|---:|---|---|\n\
         | {host} | the job | which PEs share its host |\n\
         | {gathered} | the job, from {many} PEs on | room to gather a word of each, in symmetric memory |\n\
         | {mapped} | the same host | where its heap and its control block are mapped |\n\
         | {entries} | the same host | the two tables that each access looks it up in |\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Measured = Measured { join: 4e-9 };
    const KEPT: Kept =
        Kept { host: 4, gathered: 8, few: 5000, mapped: 32, entries: 16, told: 16, spare: 16 << 20 };

    #[test]
    fn what_is_kept_grows_by_a_few_bytes() {
        let [few, small, large] = [1e3, 1e4, 1e6].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        assert_eq!(few.kept, 4.0 * 1e3 + 48.0 * NODE);
        assert_eq!(small.kept, 12.0 * 1e4 + 48.0 * NODE);
        assert_eq!(large.kept, 12.0 * 1e6 + 48.0 * NODE);
    }

    #[test]
    fn meetings_grow_by_rounds() {
        let [one, twice] = [1024.0, 2048.0].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        for (forecast, rounds) in [(one, 10.0), (twice, 11.0)] {
            assert!((forecast.barrier / NETWORK.round_trip - rounds / 2.0).abs() < 1e-9);
            // 8 nodes, and 16.
            let of_nodes = rounds - 7.0;
            let combined = 1.5 * of_nodes;
            let allocation = combined + rounds / 2.0;
            assert!((forecast.allocation / NETWORK.round_trip - allocation).abs() < 1e-9);
            let integer = combined * NETWORK.round_trip + (of_nodes + 128.0) * MEASURED.join;
            assert!((forecast.integer - integer).abs() < 1e-15);
            assert!(forecast.pairs > integer && forecast.pairs < 1.1 * integer);
        }
    }

    #[test]
    fn what_is_gathered_grows_with_the_pes() {
        let [one, ten] = [1e5, 1e6].map(|n| forecast(n, KEPT, NETWORK, MEASURED));
        let beside = |forecast: Forecast| {
            (forecast.double - 2.0 * forecast.barrier, forecast.telling - forecast.barrier)
        };
        let ((double, told), (doubles, all_told)) = (beside(one), beside(ten));
        assert!((doubles / double - 10.0).abs() < 1e-9 && (all_told / told - 10.0).abs() < 1e-9);
        assert!((told / NETWORK.byte - 16e5).abs() < 1.0);
    }

    #[test]
    #[should_panic(expected = "need more room to gather")]
    fn more_pes_than_the_room_is_for() {
        let _ = forecast(3e6, KEPT, NETWORK, MEASURED);
    }

    #[test]
    fn what_is_kept_is_a_table() {
        let table = table(&KEPT);
        for part in
            ["| 4 | the job | which", "| 8 | the job, from 5001 PEs on", "| 32 | the same", "| 16 | the same"]
        {
            assert!(table.contains(part), "{part} in {table}");
        }
    }
}
