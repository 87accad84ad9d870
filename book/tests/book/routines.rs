//! The table of all routines: none is missing, and the tests that it names are there.

use std::collections::BTreeSet;
use std::path::Path;

use crate::collectives::with_tables;
use crate::{read, sources};

/// The routines of OpenSHMEM 1.6 without `shmem_`; of those that differ in the type, the size or a
/// context alone, one.
const ROUTINES: [(&str, &str); 12] = [
    (
        "set-up",
        "init finalize init_thread query_thread query_initialized global_exit my_pe n_pes pe_accessible \
         addr_accessible ptr team_ptr info_get_version info_get_name pcontrol",
    ),
    ("memory", "malloc calloc align realloc free malloc_with_hints"),
    (
        "teams",
        "team_my_pe team_n_pes team_get_config team_translate_pe team_split_strided team_split_2d \
         team_destroy team_create_ctx team_sync",
    ),
    (
        "contexts",
        "ctx_create ctx_destroy ctx_get_team ctx_session_start ctx_session_stop",
    ),
    ("put and get", "put get p g iput iget ibput ibget putmem getmem"),
    ("non-blocking", "put_nbi get_nbi putmem_nbi getmem_nbi"),
    (
        "atomic",
        "atomic_fetch atomic_set atomic_swap atomic_compare_swap atomic_inc atomic_add atomic_and \
         atomic_or atomic_xor atomic_fetch_inc atomic_fetch_add atomic_fetch_and atomic_fetch_or \
         atomic_fetch_xor atomic_fetch_nbi atomic_swap_nbi atomic_compare_swap_nbi atomic_fetch_inc_nbi \
         atomic_fetch_add_nbi atomic_fetch_and_nbi atomic_fetch_or_nbi atomic_fetch_xor_nbi",
    ),
    (
        "signals",
        "put_signal put_signal_nbi putmem_signal putmem_signal_nbi signal_add signal_set signal_fetch \
         signal_wait_until",
    ),
    (
        "waiting",
        "wait_until wait_until_all wait_until_any wait_until_some wait_until_all_vector \
         wait_until_any_vector wait_until_some_vector test test_all test_any test_some test_all_vector \
         test_any_vector test_some_vector",
    ),
    ("ordering", "fence quiet pe_quiet"),
    (
        "collectives",
        "barrier_all sync_all team_sync broadcast collect fcollect alltoall alltoalls broadcastmem \
         collectmem fcollectmem alltoallmem alltoallsmem and_reduce or_reduce xor_reduce max_reduce \
         min_reduce sum_reduce prod_reduce sum_inscan sum_exscan barrier sync",
    ),
    ("locks", "set_lock test_lock clear_lock"),
];

/// A row of a table of three columns: the routines, what stands for them, and the tests.
pub(crate) struct Row {
    /// The heading of the table.
    pub(crate) section: String,
    pub(crate) routines: Vec<String>,
    pub(crate) here: String,
    tests: Vec<String>,
}

/// What is code in a cell.
fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut section = String::new();
    for line in with_tables("routines.md").lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_owned();
        }
        let line = line.replace("\\|", "\u{1}"); // a bar inside of a cell
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, routines, here, tests, _] = cells.as_slice() else { continue };
        if routines.contains('`') {
            rows.push(Row {
                section: section.clone(),
                routines: code(routines),
                here: here.replace('\u{1}', "|"),
                tests: code(tests),
            });
        }
    }
    rows
}

#[test]
fn no_routine_is_missing() {
    let mut there = BTreeSet::new();
    for routine in rows().into_iter().flat_map(|row| row.routines) {
        assert!(there.insert(routine.clone()), "{routine} has two rows");
    }
    let missing: Vec<String> = ROUTINES
        .iter()
        .flat_map(|(family, names)| {
            names.split_whitespace().map(move |name| (family, name))
        })
        .filter(|(_, name)| !there.contains(&format!("shmem_{name}")))
        .map(|(family, name)| format!("shmem_{name} ({family})"))
        .collect();
    assert!(missing.is_empty(), "no row for {}", missing.join(", "));
}

/// The search of the documentation finds each routine by its C name.
#[test]
fn every_routine_is_an_alias_in_the_documentation() {
    let text: String = ["shmem-core/src", "shmem-macros/src"]
        .into_iter()
        .flat_map(sources)
        .filter(|path| !path.ends_with("collective/table.rs"))
        .map(|path| read(&path))
        .collect();
    // Some aliases are arguments of a macro that writes the attribute. The table of the collectives
    // names routines, and writes no attribute.
    let lost: Vec<String> = rows()
        .into_iter()
        .flat_map(|row| row.routines)
        .filter(|routine| !text.contains(&format!("\"{routine}\"")))
        .collect();
    assert!(lost.is_empty(), "no `doc(alias)` for {}", lost.join(", "));
}

#[test]
fn every_row_says_what_there_is_and_where_it_is_tested() {
    let tests =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shmem-core/tests");
    let mut wrong = Vec::new();
    for Row { routines, here, tests: named, .. } in rows() {
        let routines = routines.join(", ");
        if here.is_empty() {
            wrong.push(format!(
                "{routines}: nothing stands for it, and no reason"
            ));
        }
        let excused = here.starts_with("none: ")
            || here.starts_with("as the routines that replace them");
        if named.is_empty() && !excused {
            wrong.push(format!("{routines}: no test is named"));
        }
        for name in named {
            let (file, function) = name.split_once("::").unwrap_or((&name, ""));
            let path = tests.join(file);
            if !path.is_file() {
                wrong.push(format!("{routines}: there is no {file}"));
            } else if !is_test(&read(&path), function) {
                wrong
                    .push(format!("{routines}: {file} has no test {function}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a file has the test: a function with an attribute that says so, one in the list that a
/// harness of its own runs, or one that a macro makes from a line of its own, as in `of_u64 u64;`.
fn is_test(text: &str, function: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let made = lines.iter().any(|line| {
        line.ends_with(';') && line.starts_with(&format!("{function} "))
    });
    let head =
        if made { "fn $test(".to_owned() } else { format!("fn {function}(") };
    let listed = lines.contains(&function);
    lines.iter().enumerate().any(|(at, line)| {
        let is_head = line.starts_with(&head)
            || line.starts_with(&format!("pub(crate) {head}"));
        // What stands above it: attributes, comments, and nothing else.
        let mut above = lines[..at].iter().rev().take_while(|line| {
            line.starts_with("#[") || line.starts_with("//")
        });
        is_head
            && (listed
                || above.any(|line| {
                    line.starts_with("#[test]")
                        || line.starts_with("#[shmem::test")
                }))
    })
}
