//! The examples for GPUs, on the back end `host`. They check themselves; here what they print is compared
//! with a serial computation.

use std::ffi::OsStr;

use super::random_access::{refused, updated};
use super::{pes, run};

/// Runs an example at 1 to 4 PEs, and where no PE reaches another by loads and stores; `check` gets the
/// number of PEs and the lines.
#[track_caller]
fn everywhere(example: &str, arguments: &[&str], check: impl Fn(usize, &[&str])) {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let ways = [(1, &[][..]), (2, &[]), (3, &[]), (4, &[]), (3, &[("SHMEM_DIRECT", "0")])];
    for (npes, way) in ways {
        let out = run(example, npes, way, &arguments).ok();
        check(npes, &out.lines().collect::<Vec<_>>());
    }
}

#[test]
fn tutorial_goes_through_all_cells() {
    everywhere("gpu_tutorial", &[], |npes, lines| {
        let (left, total) = (npes - 1, npes * (npes + 1) / 2);
        let all: Vec<usize> = (0..npes).collect();
        let numbers: Vec<usize> = (1..=npes).collect();
        let expected = [
            format!("initialised: {}, back end host", pes(npes)),
            format!("OpenSHMEM 1.6, PEs {all:?}"),
            format!("a strided team of {}", pes(npes.div_ceil(2))),
            format!("a row of {}, a column of {}", pes(npes.min(2)), pes(npes.div_ceil(2))),
            format!("PE 0 is number {left} of the team from a list"),
            "a buffer of 4096 bytes, as 8 words and 64 floats".to_owned(),
            "an array of [2, 3, 4, 5]".to_owned(),
            format!("the sum of {numbers:?} is {total}"),
            format!("PE 0 has {:?} from PE {left}", [npes; 4]),
            format!("the kernel of PE {left} has stored {:?} on PE 0", [left; 4]),
            format!("with the signal of PE {left}, {:?} is on PE 0", [total; 4]),
        ];
        assert_eq!(lines, expected);
    });
}

#[test]
fn gups_makes_the_updates_of_one_stream() {
    for log2 in [1, 7] {
        everywhere("gpu_gups", &[&log2.to_string()], |npes, lines| {
            let words = npes << log2;
            let index = |random: u64| (((random >> 32) * words as u64) >> 32) as usize;
            let expected = [
                format!(
                    "{} updates of {words} words on {}, back end host: all were undone again",
                    4 * words,
                    pes(npes)
                ),
                format!("checksum before that: {}", updated(words, index)),
            ];
            assert_eq!(lines[..2], expected);
            assert!(lines.len() == 3 && lines[2].starts_with("gpu_gups: "), "{lines:?}");
            assert!(lines[2].ends_with(" s for all updates"), "{lines:?}");
        });
    }
    refused("gpu_gups", &["25"], ": log2_words is 24 at most, not 25: each PE has 2^log2_words words");
}

#[test]
fn all_reduces_have_the_sums_of_the_library() {
    for part in ["1", "50"] {
        everywhere("gpu_allreduce", &[part], |npes, lines| {
            let len = npes * part.parse::<usize>().expect("a number");
            let values = (0..npes).flat_map(|pe| (0..len).map(move |i| (7 * pe + i) % 100));
            let expected = format!(
                "{} on {}, back end host: the stream and the kernel have the library's sums, which are {} in all",
                examples::count(len, "element"),
                pes(npes),
                values.sum::<usize>()
            );
            assert_eq!(lines, [expected]);
        });
    }
    refused(
        "gpu_allreduce",
        &["0"],
        r#": elements is a number above 0, not "0": the arguments are [elements=50]"#,
    );
}

#[test]
fn transpose_does_whole_and_cut_tiles() {
    for rows in [8, 13] {
        everywhere("gpu_transpose", &[&rows.to_string()], |npes, lines| {
            let order = rows * npes;
            let blocks = rows.div_ceil(8) * order.div_ceil(8);
            let expected = format!(
                "{order} × {order} elements in {} on each of {}, back end host: transposed, and back again",
                examples::count(blocks, "block"),
                pes(npes)
            );
            assert_eq!(lines, [expected]);
        });
    }
}

#[test]
fn heat_is_the_same_however_the_plate_is_divided() {
    // 12 rows of all PEs together: one plate.
    let mut warmest = None;
    for (npes, rows) in [(1, "12"), (2, "6"), (3, "4"), (4, "3")] {
        let arguments = [rows, "40", "25"].map(OsStr::new);
        let out = run("gpu_halo", npes, &[], &arguments).ok();
        let (first, second) = out.trim_end().split_once('\n').expect("two lines");
        assert_eq!(
            first,
            format!(
                "25 steps of 12 × 40 places in one launch on each of {}, back end host: the same bits as serially",
                pes(npes)
            )
        );
        let degrees =
            second.strip_prefix("the warmest place has ").and_then(|rest| rest.strip_suffix(" degrees"));
        let degrees: f64 = degrees.expect("degrees").parse().expect("a number");
        assert!((1.0..100.0).contains(&degrees), "{second}");
        assert_eq!(*warmest.get_or_insert(degrees), degrees);
    }
    // A plate without an inside, and steps of one place.
    for arguments in [["1", "1", "1"], ["1", "2", "3"]] {
        run("gpu_halo", 2, &[("SHMEM_DIRECT", "0")], &arguments.map(OsStr::new)).ok();
    }
}
