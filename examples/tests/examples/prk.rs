//! The Parallel Research Kernels: stencil, transpose and point-to-point synchronisation.

use std::ffi::OsStr;

use super::common::pes;
use super::{Ran, run, runs};

// The tests in the examples: what is damaged is not taken for right. Cargo builds an example
// without its tests.
#[allow(dead_code, reason = "their `main` is run as a program")]
#[path = "../../examples/prk_stencil.rs"]
mod prk_stencil;
#[allow(dead_code, reason = "their `main` is run as a program")]
#[path = "../../examples/prk_synch_p2p.rs"]
mod prk_synch_p2p;
#[allow(dead_code, reason = "their `main` is run as a program")]
#[path = "../../examples/prk_transpose.rs"]
mod prk_transpose;

/// What the checks of a kernel need to know of it.
struct Kernel {
    name: &'static str,
    unit: &'static str,
    /// Its arguments.
    defaults: &'static [(&'static str, usize)],
    /// Operations or bytes of an iteration, in millions, for the arguments after the iterations.
    work: fn(&[f64]) -> f64,
}

const STENCIL: Kernel = Kernel {
    name: "prk_stencil",
    unit: "MFlop/s",
    defaults: &[("iterations", 10), ("order", 1000)],
    work: |order| 19.0 * (order[0] - 4.0).powi(2) * 1e-6,
};
const TRANSPOSE: Kernel = Kernel {
    name: "prk_transpose",
    unit: "MB/s",
    defaults: &[("iterations", 10), ("order", 1000), ("tile", 32)],
    work: |order| 16.0 * order[0].powi(2) * 1e-6,
};
const SYNCH_P2P: Kernel = Kernel {
    name: "prk_synch_p2p",
    unit: "MFlop/s",
    defaults: &[("iterations", 10), ("rows", 500), ("columns", 500)],
    work: |extents| 2.0 * (extents[0] - 1.0) * (extents[1] - 1.0) * 1e-6,
};

impl Kernel {
    fn run(&self, npes: usize, way: &[(&str, &str)], arguments: &[&str]) -> Ran {
        run(self.name, npes, way, &arguments.iter().map(OsStr::new).collect::<Vec<_>>())
    }

    /// Runs it with these arguments on so many PEs, where it must say `verified`, and then how fast
    /// it was.
    #[track_caller]
    fn is_right(&self, npes: usize, way: &[(&str, &str)], arguments: &[&str], verified: &str) {
        let out = self.run(npes, way, arguments).ok();
        let (lines, last) = out.trim_end().rsplit_once('\n').expect("two lines");
        assert_eq!(lines, verified);

        let (name, measured) = last.split_once(": ").expect("a name");
        let (rate, time) = measured.split_once(", ").expect("a rate and a time");
        let (rate, unit) = rate.split_once(' ').expect("a unit");
        let (time, what) = time.split_once(' ').expect("a unit");
        assert_eq!((name, unit, what), (self.name, self.unit, "s an iteration"), "{last}");

        // One figure follows from the other. Both are rounded, to six and to three decimals.
        let [rate, time] = [rate, time].map(|figure| figure.parse::<f64>().expect("a number"));
        let mut numbers: Vec<f64> = self.defaults.iter().map(|(_, default)| *default as f64).collect();
        for (number, argument) in numbers.iter_mut().zip(arguments) {
            *number = argument.parse().expect("a number");
        }
        let expected = (self.work)(&numbers[1..]) / rate;
        let rounding = 0.51e-6 + expected * 0.51e-3 / rate;
        assert!(rate > 0.0 && (time - expected).abs() <= rounding, "{last}");
    }

    /// Runs it with these arguments, which it must refuse, for this reason.
    #[track_caller]
    fn refuses(&self, npes: usize, arguments: &[&str], reason: &str) {
        let Ran { status, out, err } = self.run(npes, &[], arguments);
        assert!(
            status == Some(1) && out.is_empty() && !err.is_empty(),
            "not a clean failure: {status:?} {out}"
        );
        // A launcher shows what each PE has said.
        for report in err.lines() {
            assert!(report.contains(&format!(": {reason}")), "{report}\ndoes not say\n{reason}");
        }
    }

    /// No argument may be other than a number above 0.
    #[track_caller]
    fn refuses_what_is_no_number(&self) {
        let all: Vec<_> = self.defaults.iter().map(|(name, number)| format!("[{name}={number}]")).collect();
        let usage = format!("the arguments are {}", all.join(" "));
        // Another mistake in each place, and two more in the last.
        let last = self.defaults.len() - 1;
        for (place, wrong) in [(0, "many"), (1, "0"), (2, "-1"), (last, "1.5"), (last, "")] {
            let Some((name, _)) = self.defaults.get(place) else { continue };
            let mut arguments = vec!["9"; place];
            arguments.push(wrong);
            self.refuses(1, &arguments, &format!("{name} is a number above 0, not {wrong:?}: {usage}"));
        }
        let one_more = vec!["9"; self.defaults.len() + 1];
        self.refuses(2, &one_more, &format!("\"9\" is one argument too many: {usage}"));
    }
}

#[test]
fn prk_stencil_has_the_norm_that_it_must() {
    let verified = |iterations, order, [down, across]: [usize; 2], norm| {
        format!(
            "{iterations} of order {order} on {} ({down} × {across}): the L1 norm is {norm}, as it must be",
            pes(down * across)
        )
    };
    for (npes, way) in runs(3) {
        let blocks = if npes == 4 { [2, 2] } else { [npes, 1] };
        STENCIL.is_right(npes, way, &["5", "53"], &verified("5 iterations", 53, blocks, 12));
    }
    // A block with neighbours on all sides, blocks of 2 rows, the smallest grid, and without
    // arguments.
    STENCIL.is_right(9, &[], &["4", "31"], &verified("4 iterations", 31, [3, 3], 10));
    STENCIL.is_right(7, &[], &["3", "14"], &verified("3 iterations", 14, [7, 1], 8));
    STENCIL.is_right(2, &[], &["1", "5"], &verified("1 iteration", 5, [2, 1], 4));
    STENCIL.is_right(2, &[], &[], &verified("10 iterations", 1000, [2, 1], 22));
}

#[test]
fn prk_stencil_refuses_what_it_cannot_do() {
    STENCIL.refuses_what_is_no_number();
    STENCIL.refuses(1, &["1", "4"], "order is 4; on 1 PE it is at least 5");
    STENCIL.refuses(7, &["1", "13"], "order is 13; on 7 PEs it is at least 14");
}

#[test]
fn prk_transpose_has_no_differences() {
    let verified = |iterations, order, tile, npes| {
        let pes = pes(npes);
        format!("{iterations} of order {order} in tiles of {tile} on {pes}: the differences sum up to 0")
    };
    for (npes, way) in runs(3) {
        TRANSPOSE.is_right(npes, way, &["5", "53", "4"], &verified("5 iterations", 53, 4, npes));
    }
    // Tiles that are cut to the largest block, blocks of nothing, and without arguments.
    TRANSPOSE.is_right(4, &[], &["1", "30", "99"], &verified("1 iteration", 30, 8, 4));
    TRANSPOSE.is_right(7, &[], &["3", "4"], &verified("3 iterations", 4, 1, 7));
    TRANSPOSE.is_right(2, &[], &[], &verified("10 iterations", 1000, 32, 2));
}

#[test]
fn prk_transpose_refuses_what_it_cannot_do() {
    TRANSPOSE.refuses_what_is_no_number();
}

#[test]
fn prk_synch_p2p_ends_with_the_cell_that_it_must() {
    let verified = |iterations, extents, npes, last| {
        format!("{iterations} of {extents} cells on {}: the last cell is {last}, as it must be", pes(npes))
    };
    for (npes, way) in runs(3) {
        let verified = verified("5 iterations", "53 × 31", npes, 6 * 82);
        SYNCH_P2P.is_right(npes, way, &["5", "53", "31"], &verified);
    }
    // More PEs than rows, the smallest grid, and without arguments.
    SYNCH_P2P.is_right(7, &[], &["3", "5", "9"], &verified("3 iterations", "5 × 9", 7, 4 * 12));
    SYNCH_P2P.is_right(3, &[], &["1", "2", "2"], &verified("1 iteration", "2 × 2", 3, 2 * 2));
    SYNCH_P2P.is_right(2, &[], &[], &verified("10 iterations", "500 × 500", 2, 11 * 998));
}

#[test]
fn prk_synch_p2p_refuses_what_it_cannot_do() {
    SYNCH_P2P.refuses_what_is_no_number();
    SYNCH_P2P.refuses(3, &["1", "1", "9"], "rows is 1; it is at least 2");
    SYNCH_P2P.refuses(2, &["1", "9", "1"], "columns is 1; it is at least 2");
}
