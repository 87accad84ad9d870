//! The tables of times on the pages for those who come from another library: rows of the measurements
//! that `cargo bench -p benches --bench operations` has written.

use std::path::Path;

use crate::{check_file, read};

/// A page's table, the programs of the measurements that it compares, what it calls them, and its rows.
type Table = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

const HERE: (&str, &str) = ("shmem, shared memory", "this crate");
const TABLES: [Table; 6] = [
    ("from-c", &[("C", "C"), HERE], &OPERATIONS),
    ("from-shmem4py", &[("shmem4py", "shmem4py"), HERE], &OPERATIONS),
    ("from-fortran", &[("Coarray Fortran", "Fortran"), HERE], &OPERATIONS),
    ("from-lamellar", &[("Lamellar", "Lamellar"), HERE], &OPERATIONS),
    ("fast", &[("limit (plain memory)", "plain memory"), HERE], &SHAPES),
    (
        "to-cluster",
        &[
            ("shmem, shared memory", "alone"),
            ("shmem, C library", "library, one host"),
            ("shmem, C library, far", "library, far"),
        ],
        &CARRIED,
    ),
];

/// What a library may carry.
const CARRIED: [&str; 8] = [
    "put 8 B, run-time index",
    "get 8 B, run-time index",
    "get 4 KiB",
    "put 1 MiB",
    "iput 1024 words, stride 2",
    "fetch_add",
    "barrier_all",
    "all-reduce of 1 f64",
];

/// As many words in other shapes.
const SHAPES: [&str; 8] = [
    "put 4 KiB",
    "put 16 KiB",
    "iput 1024 words, stride 2",
    "iput 1024 words, stride 64",
    "put block, 32 x 32 of 64 x 64",
    "reversed, 1024 words",
    "gather of 1024 words",
    "outer product, 32 x 32 of 64 x 64",
];

/// What is shown, where the other library has it.
const OPERATIONS: [&str; 14] = [
    "put 8 B, run-time index",
    "put slice of 64 B",
    "get 4 KiB",
    "put 1 MiB",
    "iput 1024 words, stride 2",
    "put column, 64 of 64 x 64",
    "gather of 1024 words",
    "fetch_add",
    "ping-pong with signal, 8 B",
    "barrier_all",
    "sync_with, left and right, 2 PEs",
    "all-reduce of 1 f64",
    "all-reduce of 1 Mi f64",
    "16 Ki updates, in a batch",
];

/// A time, with three digits.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns >= 1e6 => (ns / 1e6, "ms"),
        ns if ns >= 1e4 => (ns / 1e3, "us"),
        ns => (ns, "ns"),
    };
    let digits = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

/// The median of an operation of two PEs in a program. Names have commas, and then quotes.
fn median(csv: &str, operation: &str, program: &str) -> Option<f64> {
    csv.lines().find_map(|line| {
        let rest = line.strip_prefix(&format!("\"{operation}\",2,"))?;
        let (_, rest) = rest.split_once(&format!(",\"{program}\","))?;
        rest.split(',').next()?.parse().ok()
    })
}

#[test]
fn the_tables_are_those_of_the_measurements() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures");
    let csv = read(&source.join("operations.csv"));
    for (page, programs, operations) in TABLES {
        let names = programs.iter().map(|(_, name)| *name);
        let mut table = format!(
            "| operation | {} |\n|---|{}\n",
            names.collect::<Vec<_>>().join(" | "),
            "---:|".repeat(programs.len())
        );
        let mut rows = 0;
        for operation in operations {
            let medians =
                programs.iter().map(|(name, _)| median(&csv, operation, name));
            let Some(medians) = medians.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let times: Vec<String> = medians.into_iter().map(time).collect();
            table += &format!("| {operation} | {} |\n", times.join(" | "));
            rows += 1;
        }
        assert!(rows > 7, "{page} has only {rows} operations");
        check_file(&source.join(format!("{page}.md")), &table, "numbers");
    }
}

/// The table of counters in one cache line and in several, of `cargo bench -p benches --bench lines`.
#[test]
fn the_cache_lines_are_those_of_the_measurement() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures");
    let csv = read(&source.join("lines.csv"));
    let mut table = String::from(
        "| each of two PEs updates | time of an update | ratio | quartiles |\n|---|---:|---:|---:|\n",
    );
    let mut rows = 0;
    for line in csv.lines().skip(1) {
        let (name, numbers) = line
            .strip_prefix('"')
            .and_then(|line| line.split_once("\","))
            .expect("a name in quotes");
        let numbers: Vec<&str> = numbers.split(',').collect();
        let [ns, ratio, first, third] = numbers[..] else { panic!("{line}") };
        let time = time(ns.parse().expect("a number"));
        table +=
            &format!("| {name} | {time} | {ratio} | {first} to {third} |\n");
        rows += 1;
    }
    assert_eq!(rows, 4);
    check_file(&source.join("lines.md"), &table, "numbers");
}

/// What huge pages gain, of `cargo bench -p benches --bench lines -- pages`.
#[test]
fn the_gain_of_huge_pages_is_that_of_the_measurement() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let csv = read(&source.join("figures/pages.csv"));
    let line = csv.lines().nth(1).expect("a line after the heading");
    let numbers: Vec<&str> = line.split(',').collect();
    let [small, huge, ratio, ..] = numbers[..] else { panic!("{line}") };
    let page = read(&source.join("fast.md")).replace('\n', " ");
    for told in [
        format!("takes {small} ns with pages of 4 KiB"),
        format!("and {huge} ns with huge pages"),
        format!("the median of their 11 ratios is {ratio}"),
    ] {
        assert!(page.contains(&told), "the page does not say: {told}");
    }
}

/// The README compares some operations, and shows one message of the compiler.
#[test]
fn the_readme_shows_the_measurements_and_a_message() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let csv = read(&book.join("src/figures/operations.csv"));
    let readme = read(&book.join("../README.md"));
    let programs = [
        "shmem, shared memory",
        "C",
        "shmem4py",
        "Coarray Fortran",
        "Lamellar",
    ];
    for (shown, operation) in [
        ("put of 64 bytes", "put slice of 64 B"),
        ("strided put of 1024 words", "iput 1024 words, stride 2"),
        ("fetch-and-add", "fetch_add"),
        ("barrier", "barrier_all"),
    ] {
        let mut row = format!("| {shown} |");
        for program in programs {
            let cell = median(&csv, operation, program).map(time);
            row += &cell
                .map_or_else(|| " |".to_owned(), |cell| format!(" {cell} |"));
        }
        assert!(
            readme.contains(&format!("{row} |\n")),
            "README.md does not show {row}"
        );
    }
    let messages = read(&book.join("../ui-tests/book/bounds.stderr"));
    let message = messages.split("\n\n").next().unwrap_or_default();
    assert!(
        readme.contains(&format!("```text\n{message}\n```\n")),
        "{message}"
    );
}

/// The limits that the page on fast programs names are those of the test that counts.
#[test]
fn the_limits_are_those_of_the_test_that_counts() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = read(&book.join("src/fast.md"));
    let text = page.replace('\n', " ");
    let counted = read(&book.join("../benches/tests/instructions.rs"));
    let mut rows = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, _, name, limit, _] = cells.as_slice() else { continue };
        let (Some(name), Ok(limit)) =
            (name.strip_prefix('`'), limit.parse::<u32>())
        else {
            continue;
        };
        let bound = format!("(\"{}\", {limit})", name.trim_end_matches('`'));
        assert!(counted.contains(&bound), "{bound} is not in the test");
        rows += 1;
    }
    assert!(rows > 12, "only {rows} limits on the page");
    let debug = "165 instructions for a put";
    assert!(text.contains(debug) && counted.contains("(\"put_words\", 165)"));
}

/// What was called on several hosts, and by whom, as `hosts.csv` and the page for clusters
/// call them.
const CALLS_OF_HOSTS: [&str; 8] = [
    "barrier_all",
    "broadcast",
    "broadcast 1 MiB",
    "fcollect",
    "fcollect 64 KiB",
    "sum f64",
    "sum f64 of 64 KiB",
    "sum f64 of 1 MiB",
];
const FORMS_OF_HOSTS: [&str; 3] = ["among hosts", "among PEs", "C"];

/// The table of collectives of PEs on several hosts.
#[test]
fn the_table_of_hosts_is_that_of_the_measurement() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures");
    let csv = read(&source.join("hosts.csv"));
    let mut table = String::from("| call | hosts | PEs on each |");
    for form in FORMS_OF_HOSTS {
        table += &format!(" {form}, packets | µs |");
    }
    table += &format!(
        "\n|---|---:|---:|{}\n",
        "---:|".repeat(2 * FORMS_OF_HOSTS.len())
    );
    for call in CALLS_OF_HOSTS {
        for hosts in ["2", "4"] {
            for npes in ["1", "2", "4"] {
                table += &format!("| {call} | {hosts} | {npes} |");
                for form in FORMS_OF_HOSTS {
                    let start = format!("{form},{call},{hosts},{npes},");
                    let row = csv
                        .lines()
                        .find_map(|line| line.strip_prefix(&start))
                        .expect("the form was measured");
                    let cells: Vec<&str> = row.split(',').take(2).collect();
                    table += &format!(" {} |", cells.join(" | "));
                }
                table += "\n";
            }
        }
    }
    check_file(&source.join("hosts.md"), &table, "numbers");
}
