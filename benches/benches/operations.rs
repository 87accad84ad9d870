//! The cost of every operation, compared with the limit of the machine and with other libraries.
//!
//! ```text
//! cargo bench -p benches --bench operations                              everything, at 2, 4, 8 and 16 PEs
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

/// The sizes of the jobs that are compared.
const SIZES: [usize; 4] = [2, 4, 8, 16];

/// How often the programs are started. The time of a small operation depends by up to a tenth on where the system has
/// put the memory of the process.
const STARTS: usize = 3;

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
    /// A list of indices, a column and a block, against the plain loop.
    pub(crate) const LISTED: f64 = 1.2;
    /// A word of a global array, against a store to a place that the program computes by a shift.
    pub(crate) const GLOBAL: f64 = 3.0;
    /// A range of a global array, against a copy or a loop for each PE.
    pub(crate) const RANGE: f64 = 1.5;
    /// A batch near, against the loop that asks for each cell in time.
    pub(crate) const BATCH: f64 = 1.5;
    /// A batch of updates on PEs that are far, against a loop of single ones in C.
    pub(crate) const UPDATES_FAR: f64 = 0.1;
    /// The same of reads.
    pub(crate) const LOOKUPS_FAR: f64 = 0.2;
    /// The exchange of borders, against the copies and one flag for each neighbour.
    pub(crate) const HALO: f64 = 3.0;
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
const TOGETHER: [Case; 23] = {
    use Operation::{
        Alltoall, AlltoallToReady, Barrier, Broadcast, Collect, Fcollect, PingPong, Reduce, ReduceValue, Sync,
    };
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    [
        ("ping-pong with signal, 8 B", Work::new(PingPong, 8), Some(goal::PING_PONG)),
        ("barrier_all", Work::new(Barrier, 0), Some(goal::BARRIER)),
        ("sync_all", Work::new(Sync, 0), Some(goal::BARRIER)),
        ("all-reduce of a value", Work::new(ReduceValue, 8), Some(goal::REDUCE_ONE)),
        ("all-reduce of 1 f64", Work::new(Reduce, 8), None),
        ("all-reduce of 128 f64", Work::new(Reduce, KIB), None),
        ("all-reduce of 1 Ki f64", Work::new(Reduce, 8 * KIB), None),
        ("all-reduce of 1 Mi f64", Work::new(Reduce, 8 * MIB), Some(goal::REDUCE)),
        ("broadcast 8 B", Work::new(Broadcast, 8), None),
        ("broadcast 256 B", Work::new(Broadcast, 256), None),
        ("broadcast 1 MiB", Work::new(Broadcast, MIB), Some(goal::MOVE)),
        ("fcollect 8 B", Work::new(Fcollect, 8), None),
        ("fcollect 256 B", Work::new(Fcollect, 256), None),
        ("fcollect 4 KiB", Work::new(Fcollect, 4 * KIB), None),
        ("fcollect 64 KiB", Work::new(Fcollect, 64 * KIB), Some(goal::MOVE)),
        ("collect 64 B", Work::new(Collect, 64), None),
        ("collect 4 KiB", Work::new(Collect, 4 * KIB), None),
        ("alltoall 8 B", Work::new(Alltoall, 8), None),
        ("alltoall 1 KiB to each", Work::new(Alltoall, KIB), None),
        ("alltoall 32 KiB to each", Work::new(Alltoall, 32 * KIB), Some(goal::MOVE)),
        ("alltoall 64 KiB to each", Work::new(Alltoall, 64 * KIB), Some(goal::MOVE)),
        ("alltoall to ready, 32 KiB", Work::new(AlltoallToReady, 32 * KIB), None),
        ("alltoall to ready, 64 KiB", Work::new(AlltoallToReady, 64 * KIB), None),
    ]
};

/// Lists of indices, columns and blocks, of one PE on another.
const LISTS: [Case; 7] = {
    use Operation::{Block, Column, Gather, GatherConstant, Outer, Reversed, Scatter};
    const KIB: usize = 1 << 10;
    [
        ("get of 4 constant indices", Work::new(GatherConstant, 32), Some(goal::LISTED)),
        ("gather of 1024 words", Work::new(Gather, 8 * KIB), Some(goal::LISTED)),
        ("scatter of 1024 words", Work::new(Scatter, 8 * KIB), Some(goal::LISTED)),
        ("outer product, 32 x 32 of 64 x 64", Work::new(Outer, 8 * KIB), Some(goal::LISTED)),
        ("reversed, 1024 words", Work::new(Reversed, 8 * KIB), Some(goal::LISTED)),
        ("put column, 64 of 64 x 64", Work::new(Column, 512), Some(goal::LISTED)),
        ("put block, 32 x 32 of 64 x 64", Work::new(Block, 8 * KIB), Some(goal::LISTED)),
    ]
};

/// Elements and ranges of global arrays on two PEs.
const GLOBAL: [Case; 13] = {
    use Operation::{
        GlobalFetchAdd, GlobalG, GlobalGArray, GlobalGather, GlobalGetArray, GlobalP, GlobalPArray,
        GlobalPArrayCyclic, GlobalPCyclic, GlobalPut, GlobalPutArray, GlobalPutArrayCyclic, GlobalPutCyclic,
    };
    const RANGE: usize = 4 << 10;
    [
        ("put 8 B, static, block", Work::new(GlobalP, 8), Some(goal::GLOBAL)),
        ("put 8 B, static, cyclic", Work::new(GlobalPCyclic, 8), Some(goal::GLOBAL)),
        ("put 8 B, allocated, block", Work::new(GlobalPArray, 8), Some(goal::GLOBAL)),
        ("put 8 B, allocated, cyclic", Work::new(GlobalPArrayCyclic, 8), Some(goal::GLOBAL)),
        ("get 8 B, static, block", Work::new(GlobalG, 8), Some(goal::GLOBAL)),
        ("get 8 B, allocated, block", Work::new(GlobalGArray, 8), Some(goal::GLOBAL)),
        ("fetch_add, static, block", Work::new(GlobalFetchAdd, 8), Some(goal::ATOMIC)),
        ("put 4 KiB, static, block", Work::new(GlobalPut, RANGE), Some(goal::RANGE)),
        ("put 4 KiB, static, cyclic", Work::new(GlobalPutCyclic, RANGE), Some(goal::RANGE)),
        ("put 4 KiB, allocated, block", Work::new(GlobalPutArray, RANGE), Some(goal::RANGE)),
        ("put 4 KiB, allocated, cyclic", Work::new(GlobalPutArrayCyclic, RANGE), Some(goal::RANGE)),
        ("gather of 512 words, cyclic", Work::new(GlobalGather, RANGE), Some(goal::RANGE)),
        ("get 4 KiB, allocated, block", Work::new(GlobalGetArray, RANGE), Some(goal::RANGE)),
    ]
};

/// Many small operations of each PE on random cells of all. The sizes are those of one PE's part.
const BATCHES: [Case; 4] = {
    use Operation::{Lookups, LookupsBatch, Updates, UpdatesBatch};
    const MANY: usize = 8 << 14;
    [
        ("16 Ki updates, one by one", Work::new(Updates, MANY), Some(goal::ATOMIC)),
        ("16 Ki updates, in a batch", Work::new(UpdatesBatch, MANY), Some(goal::BATCH)),
        ("16 Ki reads, one by one", Work::new(Lookups, MANY), Some(goal::ATOMIC)),
        ("16 Ki reads, in a batch", Work::new(LookupsBatch, MANY), Some(goal::BATCH)),
    ]
};

/// Synchronisation with two neighbours, beside that of all.
const NEIGHBOURS: [Case; 4] = {
    use Operation::{Barrier, BarrierWith, Halo, SyncWith};
    [
        ("barrier_all", Work::new(Barrier, 0), Some(goal::BARRIER)),
        ("sync_with, left and right", Work::new(SyncWith, 0), Some(goal::BARRIER)),
        ("barrier_with, left and right", Work::new(BarrierWith, 0), Some(goal::BARRIER)),
        ("halo refresh, 512 x 512", Work::new(Halo, 4 << 10), Some(goal::HALO)),
    ]
};

/// Operations that are measured together.
struct Group {
    /// The name of its table; those without one are in a table for each size.
    table: Option<&'static str>,
    sizes: &'static [usize],
    cases: &'static [Case],
    /// The programs that the book shows here, and not in other tables.
    subject: &'static [Program],
}

const GROUPS: [Group; 6] = [
    Group { table: None, sizes: &[2], cases: &ONE_SIDED, subject: &[] },
    Group { table: None, sizes: &[2, 8, 16], cases: &TOGETHER, subject: &[] },
    Group { table: Some("lists"), sizes: &[2], cases: &LISTS, subject: &[] },
    Group { table: Some("global arrays"), sizes: &[2], cases: &GLOBAL, subject: &[] },
    Group { table: Some("batches"), sizes: &[2], cases: &BATCHES, subject: &[Program::Far] },
    Group { table: Some("neighbours"), sizes: &SIZES, cases: &NEIGHBOURS, subject: &[] },
];

fn main() -> ExitCode {
    benches::main(run)
}

/// A table of the results.
struct Table {
    name: String,
    subject: &'static [Program],
    rows: Vec<Row>,
}

fn run(options: &Options) -> Result<(), String> {
    let ours = Path::new(env!("CARGO_BIN_EXE_peer"));
    let mut peers = None;
    let mut tables: Vec<Table> = Vec::new();
    for n_pes in SIZES {
        let groups = GROUPS.iter().filter(|group| group.sizes.contains(&n_pes));
        let cases: Vec<(&Group, &Case)> = groups
            .flat_map(|group| group.cases.iter().map(move |case| (group, case)))
            .filter(|(group, (name, ..))| {
                options.wants(name) || group.table.is_some_and(|name| options.wants(name))
            })
            .collect();
        if cases.is_empty() {
            continue;
        }
        let peers = peers.get_or_insert_with(|| {
            Peers::find(ours, cfg!(feature = "openshmem"), Path::new(env!("CARGO_TARGET_TMPDIR")))
        });
        let rows = measure(peers, &cases, n_pes, options)
            .map_err(|error| format!("cannot measure on {n_pes} PEs: {error}"))?;
        println!("{n_pes} PEs\n{}{}\n", results::table(&rows), results::tally(&rows));
        for ((group, _), mut row) in cases.iter().zip(rows) {
            let name = group.table.map_or_else(|| format!("{n_pes} PEs"), str::to_owned);
            if group.table.is_some() && group.sizes.len() > 1 {
                row.name = format!("{}, {n_pes} PEs", row.name);
            }
            match tables.iter_mut().find(|table| table.name == name) {
                Some(table) => table.rows.push(row),
                None => tables.push(Table { name, subject: group.subject, rows: vec![row] }),
            }
        }
    }
    if tables.is_empty() {
        // Other benchmarks may have operations of this name.
        return Ok(());
    }
    let sections = tables.iter().map(|Table { name, subject, rows }| {
        section(name, &results::for_the_book(rows, subject))
            + &section(&format!("{name}, missed"), &results::missed(rows))
    });
    options.write("operations.md", &sections.collect::<String>())?;
    let all: Vec<Row> = tables.into_iter().flat_map(|table| table.rows).collect();
    options.write("operations.csv", &results::csv(&all))
}

fn measure(
    peers: &Peers,
    cases: &[(&Group, &Case)],
    n_pes: usize,
    options: &Options,
) -> std::io::Result<Vec<Row>> {
    use Program::{
        C, Far, FarThreads, Fortran, Lamellar, Library, Limit, Ours, OwnC, OwnShmem4py, Raw, Shmem4py,
        Threads,
    };

    let mut wanted = vec![
        Limit,
        Raw,
        Ours,
        Library,
        Far,
        FarThreads,
        C,
        Threads,
        OwnC,
        Shmem4py,
        OwnShmem4py,
        Lamellar,
        Fortran,
    ];
    if options.quick && n_pes > cores() {
        // Its waiters do not yield, so that a barrier takes a fraction of a second.
        wanted.retain(|program| *program != Lamellar);
    }
    let starts = if options.quick { 1 } else { STARTS };
    // Odd, so that the median of a start is one of its rounds.
    let rounds = (options.rounds() / starts) | 1;
    let mut rows: Vec<Row> = cases.iter().map(|(_, case)| row(case, n_pes)).collect();
    for _ in 0..starts {
        let mut conductor = Conductor::start(peers, &wanted, n_pes)?;
        for row in &mut rows {
            row.starts.push(conductor.measure(row.work, rounds));
        }
    }
    Ok(rows)
}

/// A work with its goals, before it is measured.
fn row(&(name, work, of_limit): &Case, n_pes: usize) -> Row {
    use Program::{
        C, Far, FarThreads, Fortran, Lamellar, Library, Limit, Ours, OwnC, OwnShmem4py, Shmem4py, Threads,
    };

    let goal = |program, against, most| Goal { program, against, most };
    let others = [C, Shmem4py, Lamellar, Fortran];
    let mut goals: Vec<Goal> = others.map(|other| goal(Ours, other, goal::AHEAD)).into();
    goals.push(goal(OwnC, C, goal::AHEAD));
    goals.push(goal(OwnShmem4py, Shmem4py, goal::AHEAD));
    let far = match work.operation {
        Operation::UpdatesBatch => goal::UPDATES_FAR,
        Operation::LookupsBatch => goal::LOOKUPS_FAR,
        _ => goal::THROUGH,
    };
    goals.push(goal(Far, C, far));
    goals.push(goal(FarThreads, Threads, far));
    let atomic = matches!(work.operation, Operation::FetchAdd | Operation::Add | Operation::CompareSwap);
    goals.push(goal(Library, C, if atomic { goal::THROUGH } else { goal::AHEAD }));
    if let (2, Some(most)) = (n_pes, of_limit) {
        goals.push(goal(Ours, Limit, most));
    }
    Row { name: name.to_owned(), work, n_pes, goals, starts: Vec::new() }
}
