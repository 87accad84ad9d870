//! How reports name places of the program and elements of objects.

use std::collections::BTreeMap;

use shmem_races::{Race, Side};

use crate::runtime::objects::NotedObject;

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
