//! The page of C's names, on which the search of the book finds each of them. A table of families
//! and the table of all routines make it, and nothing on it is written by hand.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::routines::{Row, rows};
use crate::{check_file, read};

/// The types of puts, gets and most collectives ("standard RMA types"), by the names that C's
/// functions have for them.
const RMA: &str = "float double longdouble char schar short int long longlong uchar ushort uint ulong ulonglong int8 int16 \
     int32 int64 uint8 uint16 uint32 uint64 size ptrdiff";
/// The types of atomic arithmetic and of waiting ("standard AMO types").
const AMO: &str = "int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff";
/// The types of the atomic fetch, set and swap ("extended AMO types").
const EXTENDED: &str = "float double int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff";
/// The types of atomic and, or and xor ("bitwise AMO types").
const BITWISE: &str = "uint ulong ulonglong int32 int64 uint32 uint64";
/// The types of waits and tests for one cell; two of them are deprecated.
const WAIT: &str = "short int long longlong ushort uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff";
/// The types of the reductions by and, or and xor.
const BITS: &str = "uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size";
/// The types of sums, products and scans.
const SUMS: &str = "float double longdouble char schar short int long longlong uchar ushort uint ulong ulonglong int8 int16 \
     int32 int64 uint8 uint16 uint32 uint64 size ptrdiff complexd complexf";
/// The sizes, in bits, that stand for a type.
const SIZES: &str = "8 16 32 64 128";

/// Routines, without `shmem_`, that have the same forms.
struct Family {
    routines: &'static str,
    /// `shmem_TYPE_…`
    types: &'static str,
    /// `shmem_put8`
    sizes: &'static str,
    /// Each of these with `ctx_` too.
    contexts: bool,
}

const fn family(
    routines: &'static str,
    types: &'static str,
    sizes: &'static str,
    contexts: bool,
) -> Family {
    Family { routines, types, sizes, contexts }
}

/// What multiplies the routines of the specification, version 1.6. Those that are in no family have
/// one name each.
const FAMILIES: [Family; 18] = [
    family("p g", RMA, "", true),
    family(
        "put get iput iget ibput ibget put_nbi get_nbi put_signal put_signal_nbi",
        RMA,
        SIZES,
        true,
    ),
    family(
        "putmem getmem putmem_nbi getmem_nbi putmem_signal putmem_signal_nbi signal_add signal_set fence \
         quiet pe_quiet",
        "",
        "",
        true,
    ),
    family(
        "atomic_fetch atomic_set atomic_swap atomic_fetch_nbi atomic_swap_nbi",
        EXTENDED,
        "",
        true,
    ),
    family(
        "atomic_compare_swap atomic_inc atomic_add atomic_fetch_inc atomic_fetch_add \
         atomic_compare_swap_nbi atomic_fetch_inc_nbi atomic_fetch_add_nbi",
        AMO,
        "",
        true,
    ),
    family(
        "atomic_and atomic_or atomic_xor atomic_fetch_and atomic_fetch_or atomic_fetch_xor \
         atomic_fetch_and_nbi atomic_fetch_or_nbi atomic_fetch_xor_nbi",
        BITWISE,
        "",
        true,
    ),
    family("wait_until test", WAIT, "", false),
    family(
        "wait_until_all wait_until_any wait_until_some wait_until_all_vector wait_until_any_vector \
         wait_until_some_vector test_all test_any test_some test_all_vector test_any_vector \
         test_some_vector",
        AMO,
        "",
        false,
    ),
    // The sizes are deprecated.
    family(
        "broadcast collect fcollect alltoall alltoalls",
        RMA,
        "32 64",
        false,
    ),
    family("and_reduce or_reduce xor_reduce", BITS, "", false),
    family("max_reduce min_reduce", RMA, "", false),
    family("sum_reduce prod_reduce sum_inscan sum_exscan", SUMS, "", false),
    // Deprecated.
    family(
        "and_to_all or_to_all xor_to_all",
        "short int long longlong",
        "",
        false,
    ),
    family(
        "max_to_all min_to_all",
        "short int long longlong float double longdouble",
        "",
        false,
    ),
    family(
        "sum_to_all prod_to_all",
        "short int long longlong float double longdouble complexd complexf",
        "",
        false,
    ),
    family("fetch set swap", "float double int long longlong", "", false),
    family("cswap inc add finc fadd", "int long longlong", "", false),
    family("wait", "short int long longlong", "", false),
];

impl Family {
    /// All names of one of the routines: without a type, with each type, with each size, and with a
    /// context.
    fn names(&self, routine: &str) -> Vec<String> {
        let mut names = Vec::new();
        // A name without a type is one of C11, or of a routine that has no type.
        if !routine.ends_with("_to_all") {
            names.push(format!("shmem_{routine}"));
        }
        let (head, tail) = match routine.split_once('_') {
            Some((head, tail)) => (head, format!("_{tail}")),
            None => (routine, String::new()),
        };
        let typed = |prefix: &str| {
            let types = self.types.split_whitespace();
            let sizes = self.sizes.split_whitespace();
            types
                .map(|name| format!("{prefix}{name}_{routine}"))
                .chain(sizes.map(|size| format!("{prefix}{head}{size}{tail}")))
                .collect::<Vec<_>>()
        };
        names.extend(typed("shmem_"));
        if self.contexts {
            if self.types.is_empty() {
                names.push(format!("shmem_ctx_{routine}"));
            }
            names.extend(typed("shmem_ctx_"));
        }
        names
    }
}

/// All names of a routine of the table of all routines.
fn names(routine: &str) -> Vec<String> {
    let family = routine.strip_prefix("shmem_").and_then(|routine| {
        let mut families = FAMILIES.iter();
        let has = |family: &&Family| {
            family.routines.split_whitespace().any(|name| name == routine)
        };
        Some(families.find(has)?.names(routine))
    });
    family.unwrap_or_else(|| vec![routine.to_owned()])
}

/// The page.
fn page() -> String {
    let mut page = String::from(
        "<!-- Made by book/tests/book/c_names.rs: BOOK=overwrite cargo test -p book c_names -->\n\n\
         # C's names\n\n\
         In C a routine has a name for each type, as `shmem_double_put` and `shmem_long_put`, for each size,\n\
         as `shmem_put64`, and the same with a context, as `shmem_ctx_double_put`. Here the type of the\n\
         object decides, and a [context](contexts.md) stands in front of the place. This page has all names\n\
         of OpenSHMEM 1.6, so that the search finds them, each with what stands for it here. What the letters\n\
         `A`, `C`, `S` and `sel` mean, and where each is tested, is on the page [Every routine of OpenSHMEM\n\
         1.6](routines.md).\n\n\
         | in the name in C | the element here |\n|---|---|\n\
         | `float`, `double` | `f32`, `f64` |\n\
         | `schar`, `short`, `int`, `long`, `longlong`, `ptrdiff` | `i8`, `i16`, `i32`, `i64`, `i64`, `isize` |\n\
         | `uchar`, `ushort`, `uint`, `ulong`, `ulonglong`, `size` | `u8`, `u16`, `u32`, `u64`, `u64`, `usize` |\n\
         | `int8` to `int64`, `uint8` to `uint64` | `i8` to `i64`, `u8` to `u64` |\n\
         | `complexf`, `complexd` | `Complex<f32>`, `Complex<f64>`, with the [feature](heap.md#elements-of-other-crates) `num-complex` |\n\
         | `char` | `i8` or `u8`: `std::ffi::c_char` is the one of them that C has on this machine |\n\
         | `longdouble` | none |\n\n\
         (`long` and `ulong` as on 64-bit Linux.)\n",
    );
    let mut section = String::new();
    for Row { section: of, routines, here, .. } in rows() {
        if section != of {
            let _ = write!(page, "\n## {of}\n");
            section = of;
        }
        let heads: Vec<String> =
            routines.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(page, "\n### {}\n\n{here}\n", heads.join(", "));
        let mut line = String::new();
        let all = routines.iter().flat_map(|routine| names(routine));
        for name in all.filter(|name| !routines.contains(name)) {
            if line.is_empty() {
                page += "\n<p class=\"c-names\">\n";
            } else if line.len() + name.len() >= 100 {
                page += &format!("{line}\n");
                line.clear();
            } else {
                line.push(' ');
            }
            line += &name;
        }
        if !line.is_empty() {
            page += &format!("{line}\n</p>\n");
        }
    }
    page
}

#[test]
fn the_page_has_all_names() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = book.join("src/c-names.md");
    let page = page();
    check_file(&path, &page, "c_names");

    // What the bindings look for in a C library is on it.
    let words: BTreeSet<&str> = page
        .split(|end: char| !end.is_ascii_alphanumeric() && end != '_')
        .collect();
    let symbols = read(&book.join("../shmem-sys/symbols.txt"));
    let mut looked_for = 0;
    for line in symbols.lines().filter(|line| line.starts_with("shmem_")) {
        let pattern = line.split('(').next().unwrap_or(line);
        if pattern.contains(':') {
            continue; // a type
        }
        for name in expand(pattern.trim()) {
            assert!(words.contains(&*name), "{name} is not on the page");
            looked_for += 1;
        }
    }
    assert!(looked_for > 200, "only {looked_for} names in symbols.txt");

    // As many as the declarations of the specification make, and twelve of old that it lists
    // without one.
    let all: Vec<String> = rows()
        .iter()
        .flat_map(|row| &row.routines)
        .flat_map(|routine| names(routine))
        .collect();
    let different: BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (1863, 1863));
}

#[test]
fn every_family_is_of_routines_that_there_are() {
    let rows = rows();
    let there: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| &row.routines)
        .filter_map(|routine| routine.strip_prefix("shmem_"))
        .collect();
    for family in &FAMILIES {
        for routine in family.routines.split_whitespace() {
            assert!(there.contains(routine), "there is no shmem_{routine}");
        }
    }
}

/// `a{b,c}d` as `abd` and `acd`.
fn expand(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('{') else {
        return vec![pattern.to_owned()];
    };
    let (alternatives, tail) = rest.split_once('}').unwrap_or((rest, ""));
    let tails = expand(tail);
    alternatives
        .split(',')
        .flat_map(|found| {
            tails.iter().map(move |tail| format!("{head}{found}{tail}"))
        })
        .collect()
}
