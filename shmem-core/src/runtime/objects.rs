//! The objects of the heap, and how messages name their elements.

use super::statics::{self, LaidStatic};
use crate::runtime;
use crate::system::place::{self, NotedElements};

/// An object, as its elements are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotedObject {
    pub(crate) offset: u64,
    /// The size of an element in bytes.
    pub(crate) elem: u64,
    pub(crate) extents: Vec<u64>,
    pub(crate) name: String,
}

impl NotedObject {
    /// The extents and the name, for a journal.
    pub(super) fn text(&self) -> String {
        let extents: Vec<String> = self.extents.iter().map(u64::to_string).collect();
        format!("{}\t{}", extents.join(","), self.name)
    }

    /// From what a journal has of it.
    pub(super) fn of_text(offset: u64, elem: u64, text: &str) -> Option<NotedObject> {
        let (extents, name) = text.split_once('\t')?;
        let extents = extents.split(',').filter_map(|extent| extent.parse().ok()).collect();
        Some(NotedObject { offset, elem, extents, name: name.to_owned() })
    }

    /// The statics of a job of so many PEs.
    pub(super) fn of_statics(n_pes: usize) -> impl Iterator<Item = NotedObject> {
        statics::all(n_pes).into_iter().map(move |laid| NotedObject::of_static(laid, n_pes))
    }

    fn of_static(LaidStatic { info, offset, slots, .. }: LaidStatic, n_pes: usize) -> NotedObject {
        let extents = slots.extents[..slots.rank].iter().map(|extent| extent.unwrap_or(n_pes) as u64);
        NotedObject {
            offset: offset as u64,
            elem: slots.size as u64,
            extents: extents.collect(),
            // Places in a part are no indices of the whole.
            name: if slots.are_part { format!("a part of {}", info.name) } else { info.name.to_string() },
        }
    }

    /// What this PE has at `offset`. No array of the heap while another thread makes a call on it.
    fn around(offset: usize) -> Option<NotedObject> {
        let runtime = runtime::get();
        let n_pes = runtime.endpoint().facts.n_pes;
        match statics::laid_around(offset, n_pes) {
            Some(laid) => Some(NotedObject::of_static(laid, n_pes)),
            None => runtime.heap_now()?.object_around(offset),
        }
    }

    /// Where it ends.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.elem * self.extents.iter().product::<u64>()
    }

    /// The variable of `len` bytes at `start`, where this is memory with variables of another face.
    pub(crate) fn part(&self, start: u64, len: u64) -> Option<String> {
        let elements = NotedElements { start: (start - self.offset) as usize, elem: len as usize, count: 1 };
        place::shown_in(&self.name, elements)
    }

    /// `HALO[3]`, `GRID[1, 4..8]`, or `GRID[0..2, ..]`, with the elements between the first and last
    /// byte.
    pub(crate) fn elements(&self, start: u64, end: u64) -> String {
        if let Some(part) = self.part(start, end - start) {
            return part;
        }
        if self.elem == 0 || self.extents.is_empty() {
            return self.name.clone();
        }
        let (mut first, mut last) =
            ((start - self.offset) / self.elem, (end.min(self.end()) - 1 - self.offset) / self.elem);
        let mut axes: Vec<(u64, u64)> = Vec::new();
        for extent in self.extents.iter().rev() {
            axes.push((first % extent, last % extent));
            (first, last) = (first / extent, last / extent);
        }
        axes.reverse();
        let mut differs = false;
        let texts = axes.iter().zip(&self.extents).map(|((first, last), extent)| {
            // Inside of an axis on which the two differ, all are meant.
            let text = if differs {
                "..".to_owned()
            } else if first == last {
                first.to_string()
            } else if (*first, *last + 1) == (0, *extent) {
                "..".to_owned()
            } else {
                format!("{first}..{}", last + 1)
            };
            differs |= first != last;
            text
        });
        format!("{}[{}]", self.name, texts.collect::<Vec<_>>().join(", "))
    }
}

/// What begins at `offset` of the heap, for a text that is stored: `COUNT`, or `GRID[1, 4] on`.
pub(crate) fn beginning(offset: usize) -> String {
    if let Some(variable) = place::noted_object(offset, 0, 0) {
        return variable;
    }
    let Some(object) = NotedObject::around(offset) else { return format!("heap offset {offset}") };
    let first = object.elements(offset as u64, offset as u64 + 1);
    if object.extents.is_empty() { first } else { format!("{first} on") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_by_their_indices() {
        let object = |extents: &[u64]| NotedObject {
            offset: 100,
            elem: 8,
            extents: extents.to_vec(),
            name: "A".to_owned(),
        };
        assert_eq!(object(&[]).elements(100, 108), "A");
        assert_eq!(object(&[10]).elements(124, 132), "A[3]");
        assert_eq!(object(&[10]).elements(126, 127), "A[3]");
        assert_eq!(object(&[10]).elements(124, 140), "A[3..5]");
        assert_eq!(object(&[10]).elements(100, 180), "A[..]");
        assert_eq!(object(&[4, 5]).elements(100 + 8 * 7, 100 + 8 * 9), "A[1, 2..4]");
        assert_eq!(object(&[4, 5]).elements(100 + 8 * 7, 100 + 8 * 11), "A[1..3, ..]");
    }
}
