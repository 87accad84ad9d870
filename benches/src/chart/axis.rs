//! Axes: where a value lies, which values get a label, and how a label is written.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// One of the two axes, the same for all panels.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is measured, in words: `message size`.
    pub label: String,
    /// How values become places.
    pub scale: Scale,
    /// How values are written.
    pub unit: Unit,
}

/// How values become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal distances. It begins at 0.
    Linear,
    /// Equal ratios are equal distances, with labels at powers of two: for bytes and PEs.
    Log2,
    /// The same, with labels at powers of ten: for times and rates.
    Log10,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Plain numbers, from a thousand on with k, M, G and T.
    Count,
    /// Bytes, from 1024 on in KiB, MiB, GiB and TiB.
    Bytes,
    /// Seconds, written in ns, µs, ms or s.
    Seconds,
}

impl Scale {
    /// The place of `value`. On a logarithmic scale, only values above 0 have one.
    pub(super) fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log2 => value.log2(),
            Scale::Log10 => value.log10(),
        }
    }

    /// The value at `place`.
    pub(super) fn value(self, place: f64) -> f64 {
        match self {
            Scale::Linear => place,
            Scale::Log2 => place.exp2(),
            Scale::Log10 => 10f64.powf(place),
        }
    }

    /// Whether only values above 0 have a place.
    pub(super) fn is_logarithmic(self) -> bool {
        self != Scale::Linear
    }
}

impl Unit {
    /// `value` in three digits, with the prefix that people use.
    pub(super) fn write(self, value: f64) -> String {
        let steps: &[(f64, &str)] = match self {
            Unit::Count => &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")],
            Unit::Bytes => &[
                (1_099_511_627_776.0, "TiB"),
                (1_073_741_824.0, "GiB"),
                (1_048_576.0, "MiB"),
                (1024.0, "KiB"),
                (1.0, ""),
            ],
            Unit::Seconds => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
        };
        if value == 0.0 {
            return "0".to_owned();
        }
        // A power that was computed may lie one rounding below the step that it stands for.
        let step = steps.iter().find(|(size, _)| value.abs() * (1.0 + 1e-9) >= *size);
        let (size, name) = step.or(steps.last()).expect("every unit has steps");
        let number = value / size;
        let digits = number.abs().log10().floor();
        let decimals = (2.0 - digits).clamp(0.0, 12.0) as usize;
        let mut text = format!("{number:.decimals$}");
        if text.contains('.') {
            text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
        }
        if !name.is_empty() {
            text = format!("{text} {name}");
        }
        text
    }
}

/// The part of an axis that is drawn, with its labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    scale: Scale,
    unit: Unit,
    /// From the first to the last place.
    places: Range<f64>,
    /// The places of the labels, in order.
    ticks: Vec<f64>,
}

impl Span {
    /// The values that have a label, and what it says.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.ticks.iter().map(|&tick| self.scale.value(tick)).map(|value| (value, self.unit.write(value)))
    }
}

/// How the library draws it.
impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (self.scale.place(*value) - self.places.start) / (self.places.end - self.places.start);
        start + (f64::from(end - start) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let ticks = if hint.weight().allow_light_points() { &[] } else { &*self.ticks };
        ticks.iter().map(|&tick| self.scale.value(tick)).collect()
    }

    fn range(&self) -> Range<f64> {
        self.scale.value(self.places.start)..self.scale.value(self.places.end)
    }
}

impl ValueFormatter<f64> for Span {
    fn format_ext(&self, value: &f64) -> String {
        self.unit.write(*value)
    }
}

impl Axis {
    /// What is drawn for data between the places `low` and `high`, on an axis that is `length`
    /// long. `room` says how much of it a label needs.
    pub(super) fn span(&self, low: f64, high: f64, length: f64, room: impl Fn(&str) -> f64) -> Span {
        let (mut low, mut high) = (low, high);
        let linear = self.scale == Scale::Linear;
        if linear {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        // An axis needs two labels to be read: little data is shown with more around it.
        for _ in 0..12 {
            if self.choices(low..high)[0].len() >= 2 {
                break;
            }
            (low, high) = if linear { (low, high + 1.0) } else { (low - 0.1, high + 0.1) };
        }
        // So that markers at the ends are whole.
        let margin = 0.04 * (high - low);
        let places = if linear && low == 0.0 { low } else { low - margin }..high + margin;
        let scale = length / (places.end - places.start);
        let fits = |ticks: &Vec<f64>| {
            let needed =
                ticks.iter().map(|&tick| room(&self.unit.write(self.scale.value(tick)))).fold(0.0, f64::max);
            ticks.windows(2).all(|pair| (pair[1] - pair[0]) * scale >= needed)
        };
        let ticks = self.choices(places.clone()).into_iter().find(fits).unwrap_or_default();
        Span { scale: self.scale, unit: self.unit, places, ticks }
    }

    /// The places that labels can have in `places`, from many to few.
    fn choices(&self, places: Range<f64>) -> Vec<Vec<f64>> {
        let multiples = |step: f64| {
            let first = (places.start / step - 1e-9).ceil();
            let last = (places.end / step + 1e-9).floor();
            let places = (0..100).map(|more| first + f64::from(more)).take_while(|&count| count <= last);
            places.map(|count| count * step).collect()
        };
        let decades = |digits: &[i32]| {
            let decades = places.start.floor() as i32..=places.end.floor() as i32;
            let all = decades.flat_map(|decade| {
                digits.iter().map(move |&digit| f64::from(decade) + f64::from(digit).log10())
            });
            all.filter(|place| places.contains(place)).collect()
        };
        let powers = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(multiples);
        // The finest steps of a linear axis cut it in some twenty pieces.
        let piece = (places.end - places.start) / 16.0;
        match (self.scale, self.unit) {
            (Scale::Log2, _) => powers.into(),
            (Scale::Log10, _) => {
                let fine = [decades(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), decades(&[1, 2, 5]), decades(&[1, 3])];
                fine.into_iter().chain(powers).collect()
            }
            (Scale::Linear, Unit::Bytes) => {
                let power = piece.log2().floor();
                (0..6).map(|more| multiples((power + f64::from(more)).exp2())).collect()
            }
            (Scale::Linear, _) => {
                let decade = 10f64.powf(piece.log10().floor());
                [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0].map(|step| multiples(step * decade)).into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, unit: Unit, values: Range<f64>, length: f64, room: f64) -> Vec<String> {
        let axis = Axis { label: String::new(), scale, unit };
        let span = axis.span(scale.place(values.start), scale.place(values.end), length, |_| room);
        span.ticks().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_are_written_as_people_say_them() {
        let written =
            |unit: Unit, values: &[f64]| values.iter().map(|&value| unit.write(value)).collect::<Vec<_>>();
        let seconds = [0.0, 2.5e-10, 1e-9, 1.5e-7, 1e-6, 0.0123, 1.0, 300.0];
        let said = ["0", "0.25 ns", "1 ns", "150 ns", "1 µs", "12.3 ms", "1 s", "300 s"];
        assert_eq!(written(Unit::Seconds, &seconds), said);
        let bytes = [0.0, 1.0, 512.0, 1024.0, 65536.0, 1_048_576.0, 1.5 * 1_073_741_824.0];
        let said = ["0", "1", "512", "1 KiB", "64 KiB", "1 MiB", "1.5 GiB"];
        assert_eq!(written(Unit::Bytes, &bytes), said);
        let counts = [-2.0, 0.5, 256.0, 1e3, 12_345.0, 1e6, 2.5e9, 1e12];
        assert_eq!(
            written(Unit::Count, &counts),
            ["-2", "0.5", "256", "1 k", "12.3 k", "1 M", "2.5 G", "1 T"]
        );
    }

    #[test]
    fn powers_of_two_have_the_labels_that_fit() {
        let sizes = |length| labels(Scale::Log2, Unit::Bytes, 1.0..1_048_576.0, length, 50.0);
        assert_eq!(sizes(330.0), ["1", "16", "256", "4 KiB", "64 KiB", "1 MiB"]);
        assert_eq!(sizes(2000.0).len(), 21);
        assert_eq!(sizes(180.0), ["1", "256", "64 KiB"]);
        let pes = labels(Scale::Log2, Unit::Count, 2.0..256.0, 330.0, 40.0);
        assert_eq!(pes, ["2", "4", "8", "16", "32", "64", "128", "256"]);
    }

    #[test]
    fn powers_of_ten_are_divided_where_there_is_room() {
        let times = |last| labels(Scale::Log10, Unit::Seconds, 1e-9..last, 340.0, 32.0);
        assert_eq!(times(1e-3), ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]);
        assert_eq!(times(1e-6), ["1 ns", "3 ns", "10 ns", "30 ns", "100 ns", "300 ns", "1 µs"]);
        assert_eq!(times(1e-8), ["1 ns", "2 ns", "5 ns", "10 ns"]);
    }

    #[test]
    fn a_linear_axis_begins_at_zero() {
        let memory = labels(Scale::Linear, Unit::Bytes, 2e6..1.2e8, 340.0, 50.0);
        assert_eq!(memory, ["0", "32 MiB", "64 MiB", "96 MiB"]);
        let ratios = labels(Scale::Linear, Unit::Count, 1.0..2.4, 340.0, 50.0);
        assert_eq!(ratios, ["0", "0.5", "1", "1.5", "2"]);
    }

    #[test]
    fn one_value_still_has_an_axis_with_two_labels() {
        let same = |scale, unit, value| labels(scale, unit, value..value, 340.0, 32.0);
        assert_eq!(same(Scale::Log2, Unit::Bytes, 100.0), ["64", "128"]);
        assert!(same(Scale::Log10, Unit::Seconds, 1.1e-6).len() >= 2);
        assert!(same(Scale::Linear, Unit::Count, 0.0).len() >= 2);
        // Too small and too large to be divided: no labels may be right, but it comes to an end.
        for value in [5e-324, f64::MAX] {
            for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
                same(scale, Unit::Count, value);
            }
        }
    }
}
