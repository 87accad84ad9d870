//! The growth of a quantity: the sum of a few terms, each with a factor, that is closest to the
//! measurements.

use std::fmt;

/// A way to grow with the number `n` of PEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Constant.
    Constant,
    /// Shared by all PEs: each has its share.
    Share,
    /// As the number of rounds in which messages between pairs reach all PEs.
    Log,
    /// Linear in the number of PEs.
    Linear,
    /// Quadratic in the number of PEs.
    Square,
}

impl Term {
    /// The value that the factor is multiplied with.
    #[must_use]
    pub fn at(self, n: f64) -> f64 {
        match self {
            Term::Constant => 1.0,
            Term::Share => 1.0 / n,
            Term::Log => n.log2(),
            Term::Linear => n,
            Term::Square => n * n,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Term::Constant => "",
            Term::Share => " / n",
            Term::Log => " log2 n",
            Term::Linear => " n",
            Term::Square => " n²",
        }
    }
}

/// A sum of terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The terms with their factors, all above 0.
    pub terms: Vec<(Term, f64)>,
    /// The largest distance to a point, as a part of that.
    pub error: f64,
}

impl Fit {
    /// The sum that comes closest to the points, which are PEs and values, both above 0: by the
    /// squares of the distances, each as a part of its value, so that small jobs count as much as
    /// large ones. Nothing grows by less than nothing: no factor is negative, and a term that would
    /// only be there to make up for noise is left out. `None` where there are fewer points than
    /// terms.
    #[must_use]
    pub fn of(points: &[(f64, f64)], terms: &[Term]) -> Option<Fit> {
        if points.len() < terms.len() {
            return None;
        }
        // The terms are few: all selections of them are tried, and the best of those without
        // negative factors is the answer.
        let selections = (1_u32..1 << terms.len()).map(|chosen| -> Vec<Term> {
            terms.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, term)| *term).collect()
        });
        let fits = selections.filter_map(|terms| {
            let factors = least_squares(points, &terms)?;
            let fit = Fit { terms: terms.into_iter().zip(factors).collect(), error: 0.0 };
            let possible = fit.terms.iter().all(|(_, factor)| *factor > 0.0);
            let errors = || points.iter().map(|&(n, value)| (fit.at(n) / value - 1.0).abs());
            let (squares, error) = (errors().map(|e| e * e).sum::<f64>(), errors().fold(0.0, f64::max));
            possible.then_some((squares, Fit { error, ..fit }))
        });
        fits.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, fit)| fit)
    }

    /// The sum for `n` PEs.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        self.terms.iter().map(|(term, factor)| factor * term.at(n)).sum()
    }

    /// The factor of a term; 0 if the sum does not have it.
    #[must_use]
    pub fn factor(&self, term: Term) -> f64 {
        self.terms.iter().find(|(other, _)| *other == term).map_or(0.0, |(_, factor)| *factor)
    }

    /// The sum as text, with factors written by `value`.
    pub fn written(&self, value: impl Fn(f64) -> String) -> String {
        let terms = self.terms.iter().map(|(term, factor)| value(*factor) + term.name());
        terms.collect::<Vec<_>>().join(" + ")
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(|factor| format!("{factor:.3}")))
    }
}

/// The factors by which the terms come closest; `None` where the points do not tell the terms
/// apart.
fn least_squares(points: &[(f64, f64)], terms: &[Term]) -> Option<Vec<f64>> {
    let n = terms.len();
    // The normal equations, with the right side as the last column.
    let mut rows = vec![vec![0.0; n + 1]; n];
    for &(x, value) in points {
        let weighted: Vec<f64> = terms.iter().map(|term| term.at(x) / value).chain([1.0]).collect();
        for (row, left) in rows.iter_mut().zip(&weighted) {
            for (cell, right) in row.iter_mut().zip(&weighted) {
                *cell += left * right;
            }
        }
    }
    for step in 0..n {
        let scale = rows[step][step];
        let pivot = (step..n).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()))?;
        rows.swap(step, pivot);
        if rows[step][step].abs() <= 1e-12 * scale.abs() || rows[step][step] == 0.0 {
            return None;
        }
        let (done, below) = rows.split_at_mut(step + 1);
        let row = &done[step];
        for other in below {
            let factor = other[step] / row[step];
            other.iter_mut().zip(row).for_each(|(cell, top)| *cell -= factor * top);
        }
    }
    let mut factors = vec![0.0; n];
    for step in (0..n).rev() {
        let known: f64 = (step + 1..n).map(|later| rows[step][later] * factors[later]).sum();
        factors[step] = (rows[step][n] - known) / rows[step][step];
    }
    Some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Term::{Constant, Linear, Log, Share, Square};

    const SIZES: [f64; 8] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

    fn close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-6
    }

    #[test]
    fn what_grows_so_is_found_to_grow_so() {
        let points = SIZES.map(|n| (n, 5.0 + 0.25 * n + 0.001 * n * n));
        let fit = Fit::of(&points, &[Constant, Linear, Square]).expect("there are enough points");
        assert!(close(fit.factor(Constant), 5.0) && close(fit.factor(Linear), 0.25), "{fit}");
        assert!(close(fit.factor(Square), 0.001) && fit.error < 1e-6, "{fit}");
        assert!(close(fit.at(1000.0), 1255.0), "{fit}");
        let points = SIZES.map(|n| (n, 3.0 * n.log2()));
        let fit = Fit::of(&points, &[Log, Linear]).expect("there are enough points");
        assert_eq!(fit.terms.len(), 1, "{fit}");
        assert_eq!(fit.to_string(), "3.000 log2 n");
        let points = SIZES.map(|n| (n, 400.0 / n + 7.0 + 4.0 * n));
        let fit = Fit::of(&points, &[Constant, Share, Linear]).expect("there are enough points");
        assert_eq!(fit.to_string(), "7.000 + 400.000 / n + 4.000 n");
    }

    #[test]
    fn noise_makes_no_negative_terms() {
        // A little less than linear: without the bound, the factor of the square would be negative.
        let points = SIZES.map(|n| (n, n - 1e-4 * n * n));
        let fit = Fit::of(&points, &[Constant, Linear, Square]).expect("there are enough points");
        assert!(fit.terms.iter().all(|(_, factor)| *factor > 0.0), "{fit}");
        assert_eq!(fit.factor(Square), 0.0);
        assert!((0.001..0.05).contains(&fit.error), "{fit}, {}", fit.error);
    }

    #[test]
    fn each_point_counts_by_its_share() {
        // The largest value is measured twice as high as it should be. The small ones still count.
        let mut points = SIZES.map(|n| (n, 10.0 + n));
        points[7].1 *= 2.0;
        let fit = Fit::of(&points, &[Constant, Linear]).expect("there are enough points");
        assert!((8.0..11.0).contains(&fit.factor(Constant)), "{fit}");
        assert!((0.4..0.6).contains(&fit.error), "{}", fit.error);
    }

    #[test]
    fn too_few_points_say_nothing() {
        assert_eq!(Fit::of(&[(2.0, 1.0)], &[Constant, Linear]), None);
        let fit = Fit::of(&[(2.0, 1.0), (2.0, 1.0)], &[Constant, Linear]).expect("one term is enough");
        assert_eq!(fit.terms.len(), 1, "the points do not tell the terms apart");
    }
}
