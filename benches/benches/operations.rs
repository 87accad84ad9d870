//! The cost of every operation, compared with the limit of the machine and with other libraries.
//!
//! ```text
//! cargo bench -p benches --bench operations                              everything, at 2, 8 and 16 PEs
//! cargo bench -p benches --bench operations -- --quick                   few rounds
//! cargo bench -p benches --bench operations -- barrier                   what has `barrier` in its name
//! cargo bench -p benches --features openshmem --bench operations         this crate over the C library too
//! ```
//!
//! A library that is not installed is not measured, and a line says so. Each ratio is the median of
//! the ratios of the rounds. The table is written to `target/bench/operations.csv` too (`--out
//! FOLDER`), and to `operations.md` as the book includes it.

use std::path::Path;
use std::process::ExitCode;

use benches::book::section;
use benches::conductor::{Conductor, Peers, Program, cores};
use benches::results::{Goal, Row};
use benches::work::{Operation, Work};
use benches::{Options, results};

/// The jobs that are compared, and their sizes.
const SIZES: [usize; 3] = [2, 8, 16];

/// The goals of the project, as ratios of times.
mod goal {
    /// One word through the language, against a bare store.
    pub(crate) const WORD: f64 = 3.0;
    /// 95 % of the speed of `memcpy`.
    pub(crate) const COPY: f64 = 1.0 / 0.95;
    /// A strided transfer, against the plain loop.
    pub(crate) const STRIDED: f64 = 1.2;
    /// An atomic update, against the processor's.
    pub(crate) const ATOMIC: f64 = 1.2;
    /// A barrier of two PEs, in one-way transfers of a cache line.
    pub(crate) const BARRIER: f64 = 1.5;
    /// A put with a signal and its answer, in one-way transfers.
    pub(crate) const PING_PONG: f64 = 1.5;
    /// An all-reduce of one value, in barriers, each of which may take [`BARRIER`] transfers.
    pub(crate) const REDUCE_ONE: f64 = 3.0 * BARRIER;
    /// A large all-reduce: 70 % of the speed at which every PE copies its source to its
    /// destination, which is the necessary traffic.
    pub(crate) const REDUCE: f64 = 1.0 / 0.7;
    /// Collectives that only move data: 80 % of the speed of `memcpy` for the same bytes.
    pub(crate) const MOVE: f64 = 1.0 / 0.8;
    /// Any other library's time, against ours.
    pub(crate) const AHEAD: f64 = 1.0;
    /// The overhead that this crate may add to a routine of the library that it calls.
    pub(crate) const THROUGH: f64 = 1.05;
}

/// An operation, and the allowed ratio to its limit. With more than two PEs there is no goal
/// against the limit.
type Case = (&'static str, Work, Option<f64>);

/// The operations of one PE on another.
const ONE_SIDED: [Case; 38] = {
    use Operation::{
        Add, CompareSwap, FetchAdd, G, GConstant, Get, GetConstant, P, PArray, PByEight, PConstant, PQuiet,
        Put, PutConstant, PutNbi,
    };
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    [
        ("put 8 B, run-time index", Work::new(P, 8), Some(goal::WORD)),
        ("put 8 B, eight in a turn", Work::new(PByEight, 8), Some(goal::WORD)),
        ("put 8 B, constant index", Work::new(PConstant, 8), Some(goal::WORD)),
        ("put 8 B, run-time extent", Work::new(PArray, 8), Some(goal::WORD)),
        ("put 8 B + quiet", Work::new(PQuiet, 8), None),
        ("get 8 B, run-time index", Work::new(G, 8), Some(goal::WORD)),
        ("get 8 B, constant index", Work::new(GConstant, 8), Some(goal::WORD)),
        ("put slice of 8 B", Work::new(Put, 8), None),
        ("put slice of 64 B", Work::new(Put, 64), None),
        ("put slice of 512 B", Work::new(Put, 512), None),
        ("put 4 KiB", Work::new(Put, 4 * KIB), Some(goal::COPY)),
        ("put 64 KiB", Work::new(Put, 64 * KIB), Some(goal::COPY)),
        ("put 1 MiB", Work::new(Put, MIB), Some(goal::COPY)),
        ("put 16 MiB", Work::new(Put, 16 * MIB), Some(goal::COPY)),
        ("get slice of 8 B", Work::new(Get, 8), None),
        ("get slice of 64 B", Work::new(Get, 64), None),
        ("get slice of 512 B", Work::new(Get, 512), None),
        ("get 4 KiB", Work::new(Get, 4 * KIB), Some(goal::COPY)),
        ("get 64 KiB", Work::new(Get, 64 * KIB), Some(goal::COPY)),
        ("get 1 MiB", Work::new(Get, MIB), Some(goal::COPY)),
        ("get 16 MiB", Work::new(Get, 16 * MIB), Some(goal::COPY)),
        ("iput 1024 words, stride 2", Work::new(Put, 8 * KIB).stride(2), Some(goal::STRIDED)),
        ("iput 1024 words, stride 64", Work::new(Put, 8 * KIB).stride(64), Some(goal::STRIDED)),
        ("iget 1024 words, stride 2", Work::new(Get, 8 * KIB).stride(2), Some(goal::STRIDED)),
        ("iget 1024 words, stride 64", Work::new(Get, 8 * KIB).stride(64), Some(goal::STRIDED)),
        ("iput, constant stride 2", Work::new(PutConstant, 8 * KIB).stride(2), Some(goal::STRIDED)),
        ("iput, constant stride 64", Work::new(PutConstant, 8 * KIB).stride(64), Some(goal::STRIDED)),
        ("iget, constant stride 2", Work::new(GetConstant, 8 * KIB).stride(2), Some(goal::STRIDED)),
        ("iget, constant stride 64", Work::new(GetConstant, 8 * KIB).stride(64), Some(goal::STRIDED)),
        ("put_nbi 8 B", Work::new(PutNbi, 8), None),
        ("put_nbi 4 KiB", Work::new(PutNbi, 4 * KIB), None),
        ("fetch_add", Work::new(FetchAdd, 8), Some(goal::ATOMIC)),
        ("add (+=)", Work::new(Add, 8), Some(goal::ATOMIC)),
        ("compare_exchange", Work::new(CompareSwap, 8), Some(goal::ATOMIC)),
        // The speed of a copy depends on the places of the two sides in their pages.
        ("put 16 KiB", Work::new(Put, 16 * KIB), Some(goal::COPY)),
        ("get 16 KiB", Work::new(Get, 16 * KIB), Some(goal::COPY)),
        ("put 256 KiB", Work::new(Put, 256 * KIB), Some(goal::COPY)),
        ("get 256 KiB", Work::new(Get, 256 * KIB), Some(goal::COPY)),
    ]
};

/// The collective operations. The sizes are those of one PE's part.
const TOGETHER: [Case; 15] = {
    use Operation::{Alltoall, Barrier, Broadcast, Fcollect, PingPong, Reduce, ReduceValue, Sync};
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    [
        ("ping-pong with signal, 8 B", Work::new(PingPong, 8), Some(goal::PING_PONG)),
        ("barrier_all", Work::new(Barrier, 0), Some(goal::BARRIER)),
        ("sync_all", Work::new(Sync, 0), Some(goal::BARRIER)),
        ("all-reduce of a value", Work::new(ReduceValue, 8), Some(goal::REDUCE_ONE)),
        ("all-reduce of 1 f64", Work::new(Reduce, 8), None),
        ("all-reduce of 1 Ki f64", Work::new(Reduce, 8 * KIB), None),
        ("all-reduce of 1 Mi f64", Work::new(Reduce, 8 * MIB), Some(goal::REDUCE)),
        ("broadcast 8 B", Work::new(Broadcast, 8), None),
        ("broadcast 1 MiB", Work::new(Broadcast, MIB), Some(goal::MOVE)),
        ("fcollect 8 B", Work::new(Fcollect, 8), None),
        ("fcollect 4 KiB", Work::new(Fcollect, 4 * KIB), None),
        ("fcollect 64 KiB", Work::new(Fcollect, 64 * KIB), Some(goal::MOVE)),
        ("alltoall 8 B", Work::new(Alltoall, 8), None),
        ("alltoall 32 KiB to each", Work::new(Alltoall, 32 * KIB), Some(goal::MOVE)),
        ("alltoall 64 KiB to each", Work::new(Alltoall, 64 * KIB), Some(goal::MOVE)),
    ]
};

fn main() -> ExitCode {
    benches::main(run)
}

fn run(options: &Options) -> Result<(), String> {
    let ours = Path::new(env!("CARGO_BIN_EXE_peer"));
    let mut peers = None;
    let (mut all, mut tables) = (Vec::new(), String::new());
    for n_pes in SIZES {
        let alone = if n_pes == 2 { &ONE_SIDED[..] } else { &[] };
        let cases: Vec<&Case> =
            alone.iter().chain(&TOGETHER).filter(|(name, ..)| options.wants(name)).collect();
        if cases.is_empty() {
            continue;
        }
        let peers = peers.get_or_insert_with(|| {
            Peers::find(ours, cfg!(feature = "openshmem"), Path::new(env!("CARGO_TARGET_TMPDIR")))
        });
        let rows = measure(peers, &cases, n_pes, options)
            .map_err(|error| format!("cannot measure on {n_pes} PEs: {error}"))?;
        println!("{n_pes} PEs\n{}{}\n", results::table(&rows), results::tally(&rows));
        tables += &section(&format!("{n_pes} PEs"), &results::for_the_book(&rows));
        tables += &section(&format!("{n_pes} PEs, missed"), &results::missed(&rows));
        all.extend(rows);
    }
    if all.is_empty() {
        // Other benchmarks may have operations of this name.
        return Ok(());
    }
    options.write("operations.md", &tables)?;
    options.write("operations.csv", &results::csv(&all))
}

fn measure(peers: &Peers, cases: &[&Case], n_pes: usize, options: &Options) -> std::io::Result<Vec<Row>> {
    use Program::{C, Far, Lamellar, Library, Limit, Ours, Raw, Shmem4py, Threads};

    let mut wanted = vec![Limit, Raw, Ours, Library, Far, C, Threads, Shmem4py, Lamellar];
    if options.quick && n_pes > cores() {
        // Its waiters do not yield, so that a barrier takes a fraction of a second.
        wanted.retain(|program| *program != Lamellar);
    }
    let mut conductor = Conductor::start(peers, &wanted, n_pes)?;
    let rows = cases.iter().map(|&&(name, work, of_limit)| {
        let goal = |program, against, most| Goal { program, against, most };
        let mut goals: Vec<Goal> = [C, Shmem4py, Lamellar].map(|other| goal(Ours, other, goal::AHEAD)).into();
        // Any thread may call our library.
        goals.push(goal(Far, Threads, goal::THROUGH));
        let atomic = matches!(work.operation, Operation::FetchAdd | Operation::Add | Operation::CompareSwap);
        goals.push(goal(Library, Threads, if atomic { goal::THROUGH } else { goal::AHEAD }));
        if let (2, Some(most)) = (n_pes, of_limit) {
            goals.push(goal(Ours, Limit, most));
        }
        Row { name: name.to_owned(), work, n_pes, goals, times: conductor.measure(work, options.rounds()) }
    });
    Ok(rows.collect())
}
