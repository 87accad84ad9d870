//! Selections as a person types them: `HALO[0..8]`, `GRID[1, ..;2]`.

use crate::manifest::{Kind, Manifest};
use crate::{Error, Result};

/// Elements of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The number of the object in the manifest.
    pub object: usize,
    /// The indices on each axis of the object.
    pub axes: Vec<Axis>,
}

/// The selected indices on one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The first index.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// The distance between two of them.
    pub step: usize,
    /// Whether one index is selected, and no range: the selection does not have this axis.
    pub is_index: bool,
}

impl Selection {
    /// Reads a selection: a name, or the end of a path (`HALO` for `heat::HALO`), or `array 3`; and
    /// in brackets an index or a range for each axis. What is left out is all of it. Of a global array,
    /// the indices are those of the whole, and may follow an `@`.
    ///
    /// # Errors
    ///
    /// When no object has this name or several have, and when the brackets do not fit it.
    pub fn parse(text: &str, manifest: &Manifest) -> Result<Selection> {
        let (name, inside) = match text.split_once('[') {
            Some((name, rest)) => (
                name.trim(),
                rest.trim_end()
                    .strip_suffix(']')
                    .ok_or_else(|| Error::new(format!("`{text}` has no `]` at its end")))?,
            ),
            None => (text.trim(), ""),
        };
        let is_it = |kind: &Kind| match kind {
            Kind::Static(path) => path == name || path.ends_with(&format!("::{name}")),
            Kind::Array(number) => name == format!("array {number}"),
            Kind::Lock(_) => false,
        };
        let mut found = (0..manifest.objects.len()).filter(|&at| is_it(&manifest.objects[at].kind));
        let object = match (found.next(), found.next()) {
            (Some(object), None) => object,
            (Some(_), Some(_)) => {
                return Err(Error::new(format!("several objects are called `{name}`: give the path too")));
            }
            _ => {
                let known: Vec<String> = manifest
                    .objects
                    .iter()
                    .filter(|object| !matches!(object.kind, Kind::Lock(_)))
                    .map(|object| object.name())
                    .collect();
                return Err(Error::new(format!(
                    "there is no `{name}`: the checkpoint has {}",
                    known.join(", ")
                )));
            }
        };
        let extents = manifest.objects[object].whole_extents();
        // As a program writes it of a global array.
        let inside = match &manifest.objects[object].spread {
            Some(_) => inside.trim_start().strip_prefix('@').unwrap_or(inside),
            None => inside,
        };
        let given: Vec<&str> =
            if inside.trim().is_empty() { Vec::new() } else { inside.split(',').collect() };
        if given.len() > extents.len() {
            return Err(Error::new(format!(
                "`{text}` has {} axes, and the object {}",
                given.len(),
                extents.len()
            )));
        }
        let axes = extents.iter().enumerate().map(|(axis, &extent)| {
            let all = Axis { first: 0, count: extent, step: 1, is_index: false };
            given.get(axis).map_or(Ok(all), |selector| {
                self::axis(selector.trim(), extent).ok_or_else(|| {
                    Error::new(format!(
                        "`{}` selects nothing on axis {axis}, which has extent {extent}: write `3`, `0..8`, `..` or `0..8;2`",
                        selector.trim()
                    ))
                })
            })
        });
        Ok(Selection { object, axes: axes.collect::<Result<_>>()? })
    }

    /// The number of selected elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// Whether no element is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements the selection has along each of its axes, which are those with a range.
    #[must_use]
    pub fn extents(&self) -> Vec<usize> {
        self.axes.iter().filter(|axis| !axis.is_index).map(|axis| axis.count).collect()
    }

    /// The numbers of the selected elements in the object, in order.
    pub fn elements<'a>(&'a self, extents: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let total = self.len();
        (0..total).map(move |mut number| {
            let (mut at, mut stride) = (0, 1);
            for (&Axis { first, count, step, .. }, &extent) in self.axes.iter().zip(extents).rev() {
                at += (first + number % count * step) * stride;
                number /= count;
                stride *= extent;
            }
            at
        })
    }
}

/// The indices that `selector` selects.
fn axis(selector: &str, extent: usize) -> Option<Axis> {
    let (range, step) = match selector.split_once(';') {
        Some((range, step)) => (range.trim(), step.trim().parse().ok().filter(|&step| step > 0)?),
        None => (selector, 1),
    };
    let Some((start, end)) = range.split_once("..") else {
        let index = range.parse().ok().filter(|&index| index < extent)?;
        let alone = Axis { first: index, count: 1, step: 1, is_index: true };
        return (!selector.contains(';')).then_some(alone);
    };
    let bound = |text: &str, open| if text.trim().is_empty() { Some(open) } else { text.trim().parse().ok() };
    let (start, end) = (bound(start, 0)?, bound(end, extent)?);
    let count = end.checked_sub(start)?.div_ceil(step);
    (end <= extent).then_some(Axis { first: start, count, step, is_index: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Object;

    fn manifest() -> Manifest {
        let object = |kind, extents: &[usize]| Object {
            kind,
            element: String::from("f64"),
            size: 8,
            extents: extents.to_vec(),
            spread: None,
            at: 0,
            place: String::new(),
        };
        let objects = vec![
            object(Kind::Static(String::from("heat::HALO")), &[16]),
            object(Kind::Static(String::from("heat::STEP")), &[]),
            object(Kind::Static(String::from("heat::io::STEP")), &[]),
            object(Kind::Lock(String::from("heat::LOCK")), &[]),
            object(Kind::Array(0), &[3, 4]),
        ];
        Manifest {
            program: String::new(),
            time: 0,
            transport: String::new(),
            generation: 1,
            objects,
            files: Vec::new(),
        }
    }

    #[test]
    fn selections_are_those_of_the_language() {
        let manifest = manifest();
        let elements = |text: &str| -> Vec<usize> {
            let selection = Selection::parse(text, &manifest).unwrap();
            selection.elements(&manifest.objects[selection.object].extents).collect()
        };
        assert_eq!(elements("HALO[0..3]"), [0, 1, 2]);
        assert_eq!(elements("heat::HALO[ 12.. ; 3 ]"), [12, 15]);
        assert_eq!(elements("HALO[5]"), [5]);
        assert_eq!(elements("HALO").len(), 16);
        assert_eq!(elements("heat::STEP"), [0]);
        assert_eq!(elements("array 0[1, ..]"), [4, 5, 6, 7]);
        assert_eq!(elements("array 0[.., 1..3]"), [1, 2, 5, 6, 9, 10]);
        assert_eq!(elements("array 0[2]"), [8, 9, 10, 11]);
        assert!(elements("HALO[4..4]").is_empty());
        let extents = |text: &str| Selection::parse(text, &manifest).unwrap().extents();
        assert_eq!(extents("HALO[0..8;3]"), [3]);
        assert_eq!(extents("array 0[2]"), [4]);
        assert_eq!(extents("array 0[0..1, 2]"), [1]);
        assert!(extents("HALO[5]").is_empty());
    }

    #[test]
    fn mistakes_are_said() {
        let manifest = manifest();
        let reason = |text: &str| Selection::parse(text, &manifest).unwrap_err().to_string();
        assert!(
            reason("NONE").contains("the checkpoint has heat::HALO, heat::STEP, heat::io::STEP, array 0")
        );
        assert!(reason("STEP").contains("several objects"));
        assert!(reason("LOCK").contains("there is no `LOCK`"));
        assert!(reason("HALO[1").contains("no `]`"));
        assert!(reason("HALO[1, 2]").contains("has 2 axes"));
        for wrong in ["16", "0..17", "8..4", "x", "..;0", "3;2", "-1"] {
            assert!(reason(&format!("HALO[{wrong}]")).contains("selects nothing"), "{wrong}");
        }
    }
}
