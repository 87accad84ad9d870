//! Selectors as the user wrote them, for messages.

use std::fmt;

use super::selectors::range_fits;

/// A selector as the user wrote it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// `i`
    Index(usize),
    /// `start..end;step`
    Range {
        /// The first index.
        start: usize,
        /// The index before which it ends; `None` is the extent.
        end: Option<usize>,
        /// The distance of the indices.
        step: usize,
        /// Whether the step is negative.
        descends: bool,
    },
    /// `[i, j, …]`
    List {
        /// The first indices.
        first: [usize; SHOWN],
        /// How many there are.
        len: usize,
        /// The first position with an index that is out of bounds, and that index.
        wrong: Option<(usize, usize)>,
    },
}

/// How many indices of a list a message shows.
const SHOWN: usize = 8;

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Written::Index(index) => write!(f, "{index}"),
            Written::Range { start, end, step, descends } => {
                if start > 0 || end.is_some() {
                    write!(f, "{start}")?;
                }
                write!(f, "..")?;
                if let Some(end) = end {
                    write!(f, "{end}")?;
                }
                match (descends, step) {
                    (true, _) => write!(f, ";-{step}"),
                    (false, 1) => Ok(()),
                    (false, _) => write!(f, ";{step}"),
                }
            }
            Written::List { first, len, .. } => {
                let shown: Vec<String> = first.iter().take(len).map(ToString::to_string).collect();
                let more = if len > SHOWN { ", …" } else { "" };
                write!(f, "[{}{more}]", shown.join(", "))
            }
        }
    }
}

impl Written {
    /// A list, on an axis of `extent` indices.
    #[cold]
    pub(super) fn list(indices: &[usize], extent: usize) -> Written {
        let mut first = [0; SHOWN];
        first.iter_mut().zip(indices).for_each(|(shown, index)| *shown = *index);
        let wrong = indices.iter().position(|&index| index >= extent);
        Written::List {
            first,
            len: indices.len(),
            wrong: wrong.map(|position| (position, indices[position])),
        }
    }

    /// Whether all of its indices are in bounds.
    pub(super) fn fits(self, extent: usize) -> bool {
        match self {
            Written::Index(index) => index < extent,
            Written::Range { start, end, step, .. } => range_fits(start, end.unwrap_or(extent), step, extent),
            Written::List { wrong, .. } => wrong.is_none(),
        }
    }

    /// Why it is out of bounds, on the axis with that number.
    pub(super) fn explain(self, axis: usize, extent: usize) -> String {
        match self {
            Written::Index(index) => format!("index {index} on axis {axis}, which has extent {extent}"),
            Written::Range { step: 0, .. } => {
                format!("the step on axis {axis} is 0, and it must be at least 1")
            }
            Written::Range { start, end: Some(end), .. } if start > end => {
                format!(
                    "the range on axis {axis} starts at {start} and ends before it, at {end} (write the smaller bound \
                     first, and a step of -1 for the order from the last index down)"
                )
            }
            Written::Range { end: Some(end), .. } if end > extent => {
                format!("the range on axis {axis} ends at {end}, and the extent is {extent}")
            }
            Written::Range { start, .. } => {
                format!("the range on axis {axis} starts at {start}, and the extent is {extent}")
            }
            Written::List { wrong, .. } => {
                let (position, index) = wrong.unwrap_or_default();
                format!(
                    "index {index} at position {position} of the list on axis {axis}, which has extent {extent}"
                )
            }
        }
    }
}
