//! The reference: row-major objects as `Vec`s, and selectors as loops.

use std::fmt;

/// How a selector is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `a`
    Index,
    /// `a..b`
    To,
    /// `a..b;s`
    ToStep,
    /// `a..=b`
    Inclusive,
    /// `a..=b;s`
    InclusiveStep,
    /// `a..`
    From,
    /// `a..;s`
    FromStep,
    /// `..b`
    UpTo,
    /// `..b;s`
    UpToStep,
    /// `..=b`
    UpToInclusive,
    /// `..=b;s`
    UpToInclusiveStep,
    /// `..`
    All,
    /// `..;s`
    AllStep,
    /// `a..b` in a variable
    ToVariable,
    /// `a..=b` in a variable
    InclusiveVariable,
    /// `a..` in a variable
    FromVariable,
    /// `..b` in a variable
    UpToVariable,
    /// `..=b` in a variable
    UpToInclusiveVariable,
    /// `..` in a variable
    AllVariable,
}

/// A selector: its form, and the numbers that the form uses.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) form: Form,
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) s: usize,
}

impl Axis {
    /// `..`
    pub(crate) const ALL: Axis = Axis { form: Form::All, a: 0, b: 0, s: 1 };

    /// The indices that it picks of an axis of `extent`; `None` where the library must panic.
    pub(crate) fn indices(self, extent: usize) -> Option<Vec<usize>> {
        let Axis { form, a, b, s } = self;
        // Where the range starts, where it ends (`None`: no such number), and its step.
        let (start, end, step) = match form {
            Form::Index => return (a < extent).then(|| vec![a]),
            Form::To | Form::ToVariable => (a, Some(b), 1),
            Form::ToStep => (a, Some(b), s),
            Form::Inclusive | Form::InclusiveVariable => (a, b.checked_add(1), 1),
            Form::InclusiveStep => (a, b.checked_add(1), s),
            Form::From | Form::FromVariable => (a, Some(extent), 1),
            Form::FromStep => (a, Some(extent), s),
            Form::UpTo | Form::UpToVariable => (0, Some(b), 1),
            Form::UpToStep => (0, Some(b), s),
            Form::UpToInclusive | Form::UpToInclusiveVariable => (0, b.checked_add(1), 1),
            Form::UpToInclusiveStep => (0, b.checked_add(1), s),
            Form::All | Form::AllVariable => (0, Some(extent), 1),
            Form::AllStep => (0, Some(extent), s),
        };
        let end = end?;
        if step == 0 || start > end || end > extent {
            return None;
        }
        let mut indices = Vec::new();
        let mut next = Some(start);
        while let Some(index) = next.filter(|&index| index < end) {
            indices.push(index);
            next = index.checked_add(step);
        }
        Some(indices)
    }

    /// The numbers that its form uses.
    pub(crate) fn numbers(self) -> Vec<usize> {
        let Axis { form, a, b, s } = self;
        match form {
            Form::Index | Form::From | Form::FromVariable => vec![a],
            Form::To | Form::Inclusive | Form::ToVariable | Form::InclusiveVariable => vec![a, b],
            Form::ToStep | Form::InclusiveStep => vec![a, b, s],
            Form::FromStep => vec![a, s],
            Form::UpTo | Form::UpToInclusive | Form::UpToVariable | Form::UpToInclusiveVariable => vec![b],
            Form::UpToStep | Form::UpToInclusiveStep => vec![b, s],
            Form::All | Form::AllVariable => vec![],
            Form::AllStep => vec![s],
        }
    }

    /// Whether its last number is inside of the range.
    pub(crate) fn is_inclusive(self) -> bool {
        use Form::*;
        matches!(
            self.form,
            Inclusive
                | InclusiveStep
                | InclusiveVariable
                | UpToInclusive
                | UpToInclusiveStep
                | UpToInclusiveVariable
        )
    }
}

/// As one writes it.
impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Axis { form, a, b, s } = self;
        match form {
            Form::Index => write!(f, "{a}"),
            Form::To | Form::ToVariable => write!(f, "{a}..{b}"),
            Form::ToStep => write!(f, "{a}..{b};{s}"),
            Form::Inclusive | Form::InclusiveVariable => write!(f, "{a}..={b}"),
            Form::InclusiveStep => write!(f, "{a}..={b};{s}"),
            Form::From | Form::FromVariable => write!(f, "{a}.."),
            Form::FromStep => write!(f, "{a}..;{s}"),
            Form::UpTo | Form::UpToVariable => write!(f, "..{b}"),
            Form::UpToStep => write!(f, "..{b};{s}"),
            Form::UpToInclusive | Form::UpToInclusiveVariable => write!(f, "..={b}"),
            Form::UpToInclusiveStep => write!(f, "..={b};{s}"),
            Form::All | Form::AllVariable => write!(f, ".."),
            Form::AllStep => write!(f, "..;{s}"),
        }
    }
}

/// One PE's copy of an object.
#[derive(Clone)]
pub(crate) struct Model<T> {
    pub(crate) extents: Vec<usize>,
    pub(crate) elements: Vec<T>,
}

impl<T: Copy> Model<T> {
    pub(crate) fn new(extents: &[usize], init: T) -> Model<T> {
        Model { extents: extents.to_vec(), elements: vec![init; extents.iter().product()] }
    }

    /// Where the selected elements stand, in row-major order; `None` where the library must panic.
    pub(crate) fn places(&self, selection: &[Axis]) -> Option<Vec<usize>> {
        assert_eq!(selection.len(), self.extents.len());
        let mut places = vec![0];
        for (axis, &extent) in selection.iter().zip(&self.extents) {
            let indices = axis.indices(extent)?;
            places = places
                .iter()
                .flat_map(|place| indices.iter().map(move |index| place * extent + index))
                .collect();
        }
        Some(places)
    }

    /// The elements at `places`.
    pub(crate) fn get(&self, places: &[usize]) -> Vec<T> {
        places.iter().map(|&place| self.elements[place]).collect()
    }

    /// Writes `values` to `places`.
    pub(crate) fn put(&mut self, places: &[usize], values: &[T]) {
        assert_eq!(places.len(), values.len());
        for (&place, &value) in places.iter().zip(values) {
            self.elements[place] = value;
        }
    }
}
