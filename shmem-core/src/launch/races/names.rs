//! How reports name places of the program and elements of objects.

use std::collections::BTreeMap;

use shmem_races::{Race, Side};

use crate::runtime::races::NotedObject;
use crate::system::place::{self, NotedElements};

/// How places and objects are called.
#[derive(Default)]
pub(super) struct Names {
    /// By PE and number.
    places: BTreeMap<(u16, u32), String>,
    /// By offset. All PEs have the same objects.
    objects: BTreeMap<u64, NotedObject>,
}

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramPlace<'a> {
    /// The collective call there, or nothing.
    pub(super) call: &'a str,
    /// File and line.
    pub(super) at: &'a str,
}

impl Names {
    /// A place has this text: `src/main.rs:21`, or `sync_all (src/main.rs:24)`.
    pub(super) fn note_place(&mut self, pe: u16, number: u32, text: String) {
        self.places.insert((pe, number), text);
    }

    pub(super) fn note_object(&mut self, object: NotedObject) {
        self.objects.insert(object.offset, object);
    }

    /// The place that has this number on a PE.
    pub(super) fn place(&self, pe: u16, number: u32) -> ProgramPlace<'_> {
        let text = self.places.get(&(pe, number)).map_or("an unknown place", String::as_str);
        match text.strip_suffix(')').and_then(|text| text.split_once(" (")) {
            Some((call, at)) => ProgramPlace { call, at },
            None => ProgramPlace { call: "", at: text },
        }
    }

    /// The lines of both accesses.
    pub(super) fn lines(&self, race: &Race) -> [String; 2] {
        [&race.first, &race.second].map(|side: &Side| self.place(side.pe, side.place).at.to_owned())
    }

    /// The elements from byte `start` to byte `end` of the heap.
    pub(super) fn elements(&self, start: u64, end: u64) -> String {
        match self.object_at(start) {
            Some(object) => object.elements(start, end),
            None => format!("bytes {start} to {end} of the heap"),
        }
    }

    /// The name of the object with this byte.
    pub(super) fn object(&self, offset: u64) -> String {
        let Some(object) = self.object_at(offset) else { return "a cell".to_owned() };
        object.part(offset, 0).unwrap_or_else(|| object.name.clone())
    }

    fn object_at(&self, offset: u64) -> Option<&NotedObject> {
        let (_, object) = self.objects.range(..=offset).next_back()?;
        (offset < object.end()).then_some(object)
    }
}

impl NotedObject {
    /// The variable of `len` bytes at `start`, where this is memory with variables of another face.
    fn part(&self, start: u64, len: u64) -> Option<String> {
        let elements = NotedElements { start: (start - self.offset) as usize, elem: len as usize, count: 1 };
        place::shown_in(&self.name, elements)
    }

    /// Where it ends.
    pub(in crate::launch) fn end(&self) -> u64 {
        self.offset + self.elem * self.extents.iter().product::<u64>()
    }

    /// `HALO[3]`, `GRID[1, 4..8]`, or `GRID[0..2, ..]`, with the elements between the first and last
    /// byte.
    pub(in crate::launch) fn elements(&self, start: u64, end: u64) -> String {
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
