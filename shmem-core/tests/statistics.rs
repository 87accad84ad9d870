//! What a run with `SHMEM_STATS=1` prints: exact numbers, of programs that this binary is itself.

mod harness;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Output};

use libtest_mimic::Trial;
use shmem::prelude::*;

use harness::{Program, trials};

#[symmetric]
static A: [u64; 16] = [0; 16];
#[symmetric]
static GRID: [[u16; 8]; 4] = [[0; 8]; 4];
#[symmetric]
static C: Atomic<u64> = Atomic::new(0);
#[symmetric]
static HALF: Atomic<f64> = Atomic::new(0.5);
#[symmetric]
static TINY: [Atomic<i8>; 3] = [Atomic::new(0); 3];
#[symmetric]
static SMALL: [Atomic<u32>; 4] = [Atomic::new(0); 4];

const PROGRAMS: &[Program] = &[
    ("every-kind", every_kind),
    ("lists", lists_and_moves),
    ("batches", batches),
    ("nothing", nothing),
    ("controlled", controlled),
    ("collectives", collectives),
    ("one-collective", one_collective),
    ("threads", threads),
    ("fails", fails),
    ("lines", program_of_lines),
    ("one-put", one_put),
];

fn main() -> ExitCode {
    harness::main(PROGRAMS, tests)
}

/// Every test, for the harness.
fn tests() -> Vec<Trial> {
    trials! {
        every_operation_is_counted_once
        a_list_is_one_operation
        operations_of_batches_are_counted_one_by_one
        a_program_that_does_nothing
        counting_stops_and_resumes
        what_collectives_do
        what_a_collective_moves
        every_line_has_its_counts
        a_line_for_programs
        threads_count_together
        a_job_that_fails_prints_none
        nothing_is_printed_unless_asked
        many_pes
    }
}

#[shmem::main(npes = 3)]
fn every_kind(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(A[right, 0..4]) = [1; 4];
    remote!(A[right, 8]) = 1;
    remote!(A[right, 0..8;2]) = [2; 4];
    remote!(A[right, 1..16;2]) = 3;
    let _ = (remote!(A[right, 4..9]), remote!(A[right, 0..6;3]), remote!(A[right, 5]));
    // Two rows, each contiguous: a strided put of two pieces.
    remote!(GRID[right, 1..3, 2..6]) = [[1; 4]; 2];
    // Rows with gaps go one by one.
    remote!(GRID[right, 0..3, 0..8;2]) = [[1; 4]; 3];
    let _ = local!(A[3]);

    remote!(C[right]) = 1;
    remote!(C[right]) += 1;
    remote!(C[right]) -= 1;
    remote!(C[right]) &= 1;
    remote!(C[right]) |= 1;
    remote!(C[right]) ^= 1;
    remote!(&C[right]).min(7);
    let _ = remote!(&C[right]).fetch_max(2);
    let _ = remote!(C[right]);
    let _ = remote!(&C[right]).swap(4);
    let _ = remote!(&C[right]).compare_exchange(4, 5);
    let _ = remote!(&C[right]).fetch_add(6);
    let _ = remote!(SMALL[right, 0..3]);
    // The kinds of integers, also where a loop carries them out.
    remote!(HALF[right]) += 0.5;
    remote!(TINY[right, 1]) += 1;
    remote!(&A[right, 0..2]).put_signal([7, 7], remote!(&C[right]), SignalOp::Add(1));
    world.nbi(|s| s.put(remote!(&A[right, 15]), &1));
    world.fence();
    world.quiet();
    world.barrier_all();
    world.barrier_all();
    world.sync_all();
}

#[shmem::main(npes = 3)]
fn lists_and_moves(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let list = [9, 4, 5, 9];
    remote!(A[right, @list]) = [1, 2, 3, 4];
    let _ = (remote!(A[right, @list]), remote!(A[right, ..4;-1]));
    // Of each row every second element: strided.
    let _ = remote!(GRID[right, [2, 0], ..;2]);
    remote!(A[right, 0..8;2]) = local!(&A[[7, 6, 5, 4]]);
    world.barrier_all();
}

#[shmem::main(npes = 3)]
fn batches(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let mut seen = [0; 5];
    world.batch(|b| {
        for place in &mut seen {
            remote!(b; C[right]) += 1;
            remote!(b; A[right, 3]) = 1;
            remote!(b; A[right, 7] => place);
        }
        remote!(b; SMALL[right, 1]) = 4;
        remote!(b; A[right, 0..3]) = [1; 3];
    });
}

#[shmem::main(npes = 2)]
fn nothing() {}

#[shmem::main(npes = 2)]
fn controlled(world: &World) {
    let other = 1 - world.my_pe();
    remote!(A[other, 0]) = 1;
    world.pcontrol(0);
    remote!(A[other, 1]) = 1;
    world.barrier_all();
    world.pcontrol(1);
    remote!(A[other, 2..5]) = [1; 3];
    if world.my_pe() == 1 {
        world.pcontrol(2);
    }
    remote!(A[other, 5]) = 1;
}

#[shmem::main(npes = 2)]
fn collectives(world: &World) {
    assert_eq!(collective!(sum 3), 6);
    assert_eq!(collective!(sum 4), 8);
    let array = world.zeros::<u64, 1>([1 << 14]).expect("there is room");
    world.team().reduce(shmem::reduction::Max, local!(&array[..]), local!(&array[..]));
    world.team().sync();
    let team = world.team().split_strided(0, 1, 2).expect("a team").expect("all are members");
    team.barrier();
}

/// Elements in the source of `one_collective`, on each of 3 PEs.
const LONG: usize = 3 << 12;

#[shmem::main(npes = 3)]
fn one_collective(world: &World) {
    let source = world.zeros::<u64, 1>([LONG]).expect("there is room");
    let all = world.zeros::<u64, 1>([3 * LONG]).expect("there is room");
    match &*std::env::var("COLLECTIVE").expect("the test says which") {
        "sum" => collective!(all[0..LONG] = sum source[..]),
        "pairwise" => collective!(all[0..LONG] = pairwise sum source[..]),
        "reduce_scatter" => collective!(all[0..LONG / 3] = reduce_scatter sum source[..]),
        "reduce" => collective!(all[0..LONG] = reduce source[..] with u64::wrapping_add),
        "scan" => collective!(all[0..LONG] = scan source[..]),
        "exscan" => collective!(all[0..LONG] = exscan source[..]),
        "broadcast" => collective!(all[0..LONG] = broadcast source[..] from 0),
        "collect" => assert_eq!(collective!(all[..] = collect source[..]), 3 * LONG),
        "fcollect" => collective!(all[..] = fcollect source[..]),
        "alltoall" => collective!(all[0..LONG] = alltoall source[..]),
        "gather" => collective!(all[..] = gather source[..] to 0),
        "gatherv" => assert_eq!(collective!(all[..] = gatherv source[..] to 0), [LONG; 3]),
        "scatter" => collective!(all[0..LONG / 3] = scatter source[..] from 0),
        "barrier" => collective!(barrier),
        "sync" => collective!(sync),
        other => panic!("no {other}"),
    }
}

#[shmem::main(npes = 2)]
fn threads(world: &World) {
    let other = 1 - world.my_pe();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for _ in 0..100 {
                    remote!(A[other, thread]) = 1;
                    remote!(SMALL[other, thread]) += 1;
                }
            });
        }
    });
}

#[shmem::main(npes = 2)]
fn fails(world: &World) -> ExitCode {
    remote!(A[0, 0]) = 1;
    world.barrier_all();
    ExitCode::from(3)
}

const FIRST: u32 = line!() + 5;

#[shmem::main(npes = 3)]
fn program_of_lines(world: &World) {
    for _ in 0..3 {
        remote!(A[0, 2..4]) = [1; 2];
        remote!(&C[1]).fetch_add(1);
    }
    let array = world.zeros::<u32, 2>([2, 5]).expect("there is room");
    world.barrier_all();
    if world.my_pe() == 2 {
        remote!(&A[1, 0]).put_signal(5, remote!(&C[1]), SignalOp::Set(1));
        remote!(array[0, 1, 1..4] = [1, 2, 3]);
    }
    wait!(C <= 9);
    assert_eq!(collective!(sum 1), 3);
}

const ONE_PUT: u32 = line!() + 5;

#[shmem::main(npes = 2)]
fn one_put(world: &World) {
    if world.my_pe() == 1 {
        remote!(A[0, 5]) = 1;
    }
}

/// Runs a program with variables set.
fn program(name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["--program", name]);
    for variable in ["NPES", "SYMMETRIC_SIZE", "INFO", "VERSION", "DEBUG", "SMP_JOB", "STATS"] {
        command.env_remove(format!("SHMEM_{variable}"));
    }
    command.envs(variables.iter().copied()).output().expect("the program starts")
}

/// The title of the table of lines of the program.
const WHERE: &str = "shmem: where in the program, by bytes and calls (SHMEM_STATS=1)";

/// The numbers of a table: who, to whom, what; how often, and how many bytes.
type Table = BTreeMap<(String, String, String), (u64, u64)>;

/// The tables that a program prints, by title.
fn tables(name: &str, variables: &[(&str, &str)]) -> Vec<(String, Table)> {
    let output = program(name, &[variables, &[("SHMEM_STATS", "1")]].concat());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stderr).expect("a text");
    let mut tables = Vec::new();
    // The other table has a test of its own.
    for line in text.lines().take_while(|line| !line.starts_with(WHERE)) {
        if line.starts_with("shmem: ") {
            tables.push((line.to_owned(), Table::new()));
            continue;
        }
        let (_, table) =
            tables.last_mut().unwrap_or_else(|| panic!("{line:?} stands before all titles: {text}"));
        let column =
            |from: usize, to: usize| line.get(from..to.min(line.len())).unwrap_or("").trim().to_owned();
        if column(0, 7) == "from" {
            continue;
        }
        let number = |text: String| if text.is_empty() { 0 } else { text.parse().expect("a number") };
        let key = (column(0, 7), column(8, 14), column(16, 36));
        let before = table.insert(key, (number(column(37, 49)), number(column(50, 66))));
        assert_eq!(before, None, "{line} stands twice: {text}");
    }
    tables
}

/// The lines of `from`, as what, to whom, how often, how many bytes.
fn lines(table: &Table, from: &str) -> Vec<(String, String, u64, u64)> {
    let of = |((_, to, what), (calls, bytes)): (&(String, String, String), &(u64, u64))| {
        (what.clone(), to.clone(), *calls, *bytes)
    };
    let mut lines: Vec<_> = table.iter().filter(|((who, ..), _)| who == from).map(of).collect();
    lines.sort();
    lines
}

/// Compares the lines of `from`, of which `expected` has one each.
#[track_caller]
fn assert_lines(table: &Table, from: &str, expected: &[(&str, &str, u64, u64)]) {
    let mut expected: Vec<_> = expected
        .iter()
        .map(|(what, to, calls, bytes)| ((*what).to_owned(), (*to).to_owned(), *calls, *bytes))
        .collect();
    expected.sort();
    assert_eq!(lines(table, from), expected);
}

fn every_operation_is_counted_once() {
    // Whether collective calls are compared, and whether the table of peers would be used, changes
    // nothing.
    for variable in [("SHMEM_CHECK", "0"), ("SHMEM_CHECK", "1"), ("SHMEM_DIRECT", "0")] {
        let tables = tables("every-kind", &[variable]);
        assert_eq!(tables.len(), 1);
        let (title, table) = &tables[0];
        assert_eq!(title, "shmem: what 3 PEs did (SHMEM_STATS=1)");
        for pe in 0..3 {
            let (me, right) = (pe.to_string(), ((pe + 1) % 3).to_string());
            let right = right.as_str();
            let expected = [
                // 4, 1, 2 of the signal and 1 of the scope
                ("put", right, 4, 64),
                ("iput", right, 6, 32 + 64 + 16 + 24),
                ("get", right, 2, 40 + 8),
                ("iget", right, 1, 16),
                ("get", me.as_str(), 1, 8),
                ("atomic_set", right, 1, 8),
                ("atomic_add", right, 6, 32 + 8 + 1),
                ("atomic_and", right, 1, 8),
                ("atomic_or", right, 1, 8),
                ("atomic_xor", right, 1, 8),
                ("atomic_min", right, 1, 8),
                ("atomic_max", right, 1, 8),
                ("atomic_fetch", right, 4, 8 + 12),
                ("atomic_swap", right, 1, 8),
                ("atomic_compare_swap", right, 1, 8),
                // One of the signal.
                ("fence", "", 2, 0),
                // One of the scope.
                ("quiet", "", 2, 0),
                ("barrier_all", "", 2, 0),
                ("sync_all", "", 1, 0),
            ];
            assert_lines(table, &me, &expected);
        }
        let all = lines(table, "all");
        assert!(all.contains(&("get".to_owned(), String::new(), 9, 168)), "{all:?}");
        assert!(all.contains(&("atomic_add".to_owned(), String::new(), 18, 123)), "{all:?}");
        assert!(all.contains(&("barrier_all".to_owned(), String::new(), 6, 0)), "{all:?}");
        assert_eq!(all.len(), 18);
    }
}

/// Also those that would be combined, or sent in one message.
fn operations_of_batches_are_counted_one_by_one() {
    for variable in [("SHMEM_CHECK", "0"), ("SHMEM_DIRECT", "0")] {
        let tables = tables("batches", &[variable]);
        for pe in 0..3 {
            let (me, right) = (pe.to_string(), ((pe + 1) % 3).to_string());
            let right = right.as_str();
            let expected = [
                ("atomic_add", right, 5, 40),
                ("atomic_set", right, 1, 4),
                ("put", right, 6, 40 + 24),
                ("get", right, 5, 40),
                ("batch", "", 1, 0),
            ];
            assert_lines(&tables[0].1, &me, &expected);
        }
    }
}

fn a_list_is_one_operation() {
    let tables = tables("lists", &[]);
    for pe in 0..3 {
        let (me, right) = (pe.to_string(), ((pe + 1) % 3).to_string());
        let expected = [
            // Of an index that comes twice, only the last value is sent.
            ("put", right.as_str(), 1, 24),
            ("get", right.as_str(), 2, 32 + 32),
            ("iget", right.as_str(), 1, 16),
            // A move, as both of its sides are observed.
            ("get", me.as_str(), 1, 32),
            ("iput", right.as_str(), 1, 32),
            ("barrier_all", "", 1, 0),
        ];
        assert_lines(&tables[0].1, &me, &expected);
    }
}

fn every_line_has_its_counts() {
    let output = program("lines", &[("SHMEM_STATS", "1")]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stderr).expect("a text");
    let (_, table) = text.split_once(&format!("{WHERE}\n")).expect("a second table");
    let (head, rows) = table.split_once('\n').expect("a head");
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["operation", "calls", "bytes", "place,", "object"]
    );
    let here = |line: u32| format!("shmem-core/tests/statistics.rs:{line}");
    let (a, c) = ("`A: [u64; 16]` (shmem-core/tests/statistics.rs:", "`C: Atomic<u64>` (");
    let array = "`symmetric array #0: SymmetricArray<u32, 2> of 2 × 5` (";
    // The largest first. The wait looks as often as it has to.
    let expected: [(&str, &str, String, &str); 7] = [
        ("put", "9 144", here(FIRST), a),
        ("atomic_add", "9 72", here(FIRST + 1), c),
        ("put", "1 12", here(FIRST + 7), array),
        ("atomic_set", "1 8", here(FIRST + 6), c),
        ("put", "1 8", here(FIRST + 6), a),
        ("barrier_all", "3", here(FIRST + 4), ""),
        ("sum", "3", here(FIRST + 10), ""),
    ];
    for (name, counts, place, object) in &expected {
        let is_it = |row: &str| {
            let (numbers, place_and_object) = row.split_once("  shmem-core/").expect("a place");
            let words: Vec<_> = numbers.split_whitespace().collect();
            let object = if object.is_empty() { String::new() } else { format!(", {object}") };
            let said = format!("shmem-core/{place_and_object}");
            words[0] == *name
                && said.starts_with(&format!("{place}{object}"))
                && (*name == "sum" || words[1..].join(" ") == *counts)
        };
        assert!(rows.lines().any(is_it), "{name} {counts} {place} {object}: {text}");
    }
    let order: Vec<_> = rows.lines().filter(|row| row.contains("put") || row.contains("_add")).collect();
    assert!(order[0].contains("144") && order[1].contains("72") && order.len() == 4, "{text}");
}

fn a_line_for_programs() {
    let output = program("one-put", &[("SHMEM_STATS", "json")]);
    assert!(output.status.success(), "{output:?}");
    let place = format!("\"place\":\"shmem-core/tests/statistics.rs:{ONE_PUT}\"");
    let declared = "`A: [u64; 16]` (shmem-core/tests/statistics.rs:13)";
    assert_eq!(
        String::from_utf8(output.stderr).expect("a text"),
        format!(
            "{{\"pes\":2,\"operations\":[{{\"from\":1,\"to\":0,\"operation\":\"put\",\"calls\":1,\"bytes\":8}}],\"places\":\
             [{{{place},\"operation\":\"put\",\"object\":\"{declared}\",\"calls\":1,\"bytes\":8}}]}}\n"
        )
    );
}

fn a_program_that_does_nothing() {
    let tables = tables("nothing", &[]);
    assert_eq!(tables, [("shmem: what 2 PEs did (SHMEM_STATS=1)".to_owned(), Table::new())]);
}

fn counting_stops_and_resumes() {
    let tables = tables("controlled", &[]);
    assert_eq!(tables.len(), 2);
    let (so_far, end) = (&tables[0], &tables[1]);
    assert_eq!(so_far.0, "shmem: what PE 1 did so far (SHMEM_STATS=1)");
    assert_lines(&so_far.1, "1", &[("put", "0", 2, 32)]);
    assert_eq!(so_far.1.len(), 1);
    assert_lines(&end.1, "0", &[("put", "1", 3, 40)]);
    assert_lines(&end.1, "1", &[("put", "0", 3, 40)]);
    assert_lines(&end.1, "all", &[("put", "", 6, 80)]);
}

/// The calls are counted by name, and what they move of the elements apart from what the program
/// moves itself.
fn what_collectives_do() {
    for check in ["0", "1"] {
        let tables = tables("collectives", &[("SHMEM_CHECK", check)]);
        let table = &tables[0].1;
        for pe in ["0", "1"] {
            let calls: Vec<_> = lines(table, pe).into_iter().filter(|(_, to, ..)| to.is_empty()).collect();
            let expected = [("barrier", 1), ("max", 1), ("split_strided", 1), ("sum", 2), ("sync", 1)];
            let expected: Vec<_> =
                expected.iter().map(|(what, calls)| ((*what).to_owned(), String::new(), *calls, 0)).collect();
            assert_eq!(calls, expected);
            let moved: Vec<_> = lines(table, pe).into_iter().filter(|(_, to, ..)| !to.is_empty()).collect();
            assert!(!moved.is_empty());
            assert!(moved.iter().all(|(what, ..)| what.ends_with(" in collectives")), "{moved:?}");
        }
    }
}

/// The column of the documentation that says what a PE moves from and to the others.
fn what_a_collective_moves() {
    let n = (LONG * size_of::<u64>()) as u64;
    let (part, both) = (n * 2 / 3, n * 2);
    for (word, read, written) in [
        ("sum", part, part),
        ("pairwise", part, part),
        ("reduce_scatter", part, 0),
        ("reduce", part, part),
        ("scan", part, part),
        ("exscan", part, part),
        ("broadcast", n, 0),
        ("collect", 0, both),
        ("fcollect", 0, both),
        ("alltoall", 0, part),
        ("gather", 0, n),
        ("gatherv", 0, n),
        ("scatter", n / 3, 0),
        ("barrier", 0, 0),
        ("sync", 0, 0),
    ] {
        let tables = tables("one-collective", &[("COLLECTIVE", word)]);
        for me in ["0", "1", "2"] {
            let moved = |kind: &str| {
                let others = lines(&tables[0].1, me).into_iter().filter(|(_, to, ..)| to != me);
                others.filter(|(what, ..)| what == kind).map(|(.., bytes)| bytes).sum::<u64>()
            };
            // The root has the elements, or gets them.
            let has_root = matches!(word, "broadcast" | "gather" | "gatherv" | "scatter");
            let (read, written) = if has_root && me == "0" { (0, 0) } else { (read, written) };
            let moved = (moved("get in collectives"), moved("put in collectives"));
            assert_eq!(moved, (read, written), "{word} on PE {me}");
        }
    }
}

fn threads_count_together() {
    let tables = tables("threads", &[]);
    for (me, other) in [("0", "1"), ("1", "0")] {
        assert_lines(&tables[0].1, me, &[("put", other, 400, 3200), ("atomic_add", other, 400, 1600)]);
    }
}

fn a_job_that_fails_prints_none() {
    let output = program("fails", &[("SHMEM_STATS", "1")]);
    assert_eq!(output.status.code(), Some(3));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("SHMEM_STATS"), "{output:?}");
}

fn nothing_is_printed_unless_asked() {
    for variables in [&[][..], &[("SHMEM_STATS", "0")]] {
        for name in ["every-kind", "controlled", "collectives"] {
            let output = program(name, variables);
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        }
    }
    let output = program("nothing", &[("SHMEM_STATS", "yes")]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains(
            "SHMEM_STATS=\"yes\" is not understood: write SHMEM_STATS=0, SHMEM_STATS=1 or SHMEM_STATS=json"
        ),
        "{text}"
    );
}

/// Tables that do not fit into one message, and a PE alone.
fn many_pes() {
    for npes in [1, 20] {
        let tables = tables("every-kind", &[("SHMEM_NPES", &npes.to_string())]);
        let (title, table) = &tables[0];
        let pes = if npes == 1 { "PE" } else { "PEs" };
        assert_eq!(title, &format!("shmem: what {npes} {pes} did (SHMEM_STATS=1)"));
        let swaps = ("atomic_swap".to_owned(), String::new(), npes, 8 * npes);
        assert!(lines(table, "all").contains(&swaps), "{table:?}");
        for pe in 0..npes {
            let right = ((pe + 1) % npes).to_string();
            let swap = ("atomic_swap".to_owned(), right, 1, 8);
            assert!(lines(table, &pe.to_string()).contains(&swap), "PE {pe}: {table:?}");
        }
    }
}
