//! A timeline, as a program that reads JSON sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// What a file says, after a strict look at its form.
#[derive(Debug)]
pub(crate) struct Timeline {
    pub(crate) slices: Vec<Slice>,
    pub(crate) arrows: Vec<SeenArrow>,
    /// The texts of the marks, with their tracks.
    pub(crate) marks: Vec<(String, String)>,
    /// What the process is called.
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The name of the track.
    pub(crate) track: String,
    pub(crate) category: String,
    pub(crate) name: String,
    /// In nanoseconds.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) details: Value,
}

/// An arrow, with the slices at its ends.
#[derive(Clone, Debug)]
pub(crate) struct SeenArrow {
    pub(crate) what: String,
    pub(crate) from: Slice,
    pub(crate) to: Slice,
}

impl Slice {
    /// A number among the details; 0 if there is none.
    pub(crate) fn number(&self, detail: &str) -> u64 {
        self.details.get(detail).map_or(0, |value| value.as_u64().expect("a whole number"))
    }

    pub(crate) fn text(&self, detail: &str) -> &str {
        self.details.get(detail).map_or("", |value| value.as_str().expect("a text"))
    }

    pub(crate) fn contains(&self, other: &Slice) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl Timeline {
    pub(crate) fn read(file: &Path) -> Timeline {
        let text = fs::read_to_string(file).expect("the file is there");
        Timeline::of(&text)
    }

    /// Of a file whose end is missing, as the viewers read it.
    pub(crate) fn of_beginning(text: &str) -> Timeline {
        assert!(!text.trim_end().ends_with(']'), "there is an end: {text}");
        Timeline::of(&format!("{text}]"))
    }

    fn of(text: &str) -> Timeline {
        let events: Vec<Value> = serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"));
        let text_of = |event: &Value, key: &str| {
            event[key].as_str().unwrap_or_else(|| panic!("{key}: {event}")).to_owned()
        };
        let time = |event: &Value, key: &str| {
            let microseconds = event[key].as_f64().unwrap_or_else(|| panic!("{key}: {event}"));
            (microseconds * 1000.0).round() as u64
        };
        let process: BTreeSet<u64> =
            events.iter().map(|event| event["pid"].as_u64().expect("a process")).collect();
        assert_eq!(process.len(), 1, "one job is one process");
        let mut name = String::new();
        let mut tracks = BTreeMap::new();
        for event in events.iter().filter(|event| event["ph"] == "M") {
            match event["name"].as_str() {
                Some("process_name") => name = text_of(&event["args"], "name"),
                Some("thread_name") => {
                    let before = tracks.insert(event["tid"].as_u64(), text_of(&event["args"], "name"));
                    assert_eq!(before, None, "a track has one name");
                }
                Some("thread_sort_index") => assert!(event["args"]["sort_index"].is_u64()),
                other => panic!("{other:?}"),
            }
        }
        let track = |event: &Value| {
            let track = tracks.get(&event["tid"].as_u64());
            track.unwrap_or_else(|| panic!("a track without a name: {event}")).clone()
        };
        let (mut slices, mut marks) = (Vec::new(), Vec::new());
        let (mut starts, mut ends) = (BTreeMap::new(), BTreeMap::new());
        for event in &events {
            match event["ph"].as_str() {
                Some("M") => {}
                Some("X") => slices.push(Slice {
                    track: track(event),
                    category: text_of(event, "cat"),
                    name: text_of(event, "name"),
                    start: time(event, "ts"),
                    end: time(event, "ts") + time(event, "dur"),
                    details: event["args"].clone(),
                }),
                Some(phase @ ("s" | "f")) => {
                    let end = (track(event), time(event, "ts"), text_of(event, "name"));
                    let id = event["id"].as_u64().expect("a number");
                    let before = if phase == "s" { starts.insert(id, end) } else { ends.insert(id, end) };
                    assert_eq!(before, None, "an arrow has two ends");
                    assert!(phase == "s" || event["bp"] == "e", "it ends at the slice around it: {event}");
                }
                Some("i") => marks.push((track(event), text_of(event, "name"))),
                other => panic!("{other:?}: {event}"),
            }
        }
        assert_nested(&slices);
        assert!(starts.keys().eq(ends.keys()), "an arrow has two ends");
        let slice_at = |(track, at, _): &(String, u64, String)| {
            // The innermost: it began last.
            let around =
                slices.iter().filter(|slice| slice.track == *track && (slice.start..slice.end).contains(at));
            let innermost = around.max_by_key(|slice| slice.start);
            innermost.unwrap_or_else(|| panic!("an arrow ends beside all slices of {track}, at {at}")).clone()
        };
        let arrows = starts.iter().map(|(id, from)| {
            let to = &ends[id];
            assert!(from.1 <= to.1 && from.2 == to.2, "{from:?} {to:?}");
            SeenArrow { what: from.2.clone(), from: slice_at(from), to: slice_at(to) }
        });
        Timeline { arrows: arrows.collect(), slices, marks, name }
    }

    /// The slices of a track with this category.
    pub(crate) fn on(&self, track: &str, category: &str) -> Vec<&Slice> {
        let is_it = |slice: &&Slice| slice.track == track && slice.category == category;
        self.slices.iter().filter(is_it).collect()
    }

    /// The names of all tracks that have slices.
    pub(crate) fn tracks(&self) -> BTreeSet<&str> {
        self.slices.iter().map(|slice| slice.track.as_str()).collect()
    }

    /// By name: how many operations, and how many bytes, the slices of a track have that are operations.
    pub(crate) fn operations(&self, track: &str) -> BTreeMap<String, (u64, u64)> {
        let mut sums = BTreeMap::new();
        for category in ["put", "get", "atomic", "order"] {
            for slice in self.on(track, category) {
                let sum: &mut (u64, u64) = sums.entry(slice.name.clone()).or_default();
                *sum = (sum.0 + slice.number("operations"), sum.1 + slice.number("bytes"));
            }
        }
        sums
    }
}

/// Slices of a track lie side by side, or one inside of the other.
fn assert_nested(slices: &[Slice]) {
    let mut sorted: Vec<&Slice> = slices.iter().collect();
    sorted.sort_by(|one, two| (&one.track, one.start, two.end).cmp(&(&two.track, two.start, one.end)));
    let mut around: Vec<&Slice> = Vec::new();
    for slice in sorted {
        assert!(slice.start < slice.end, "it lasts: {slice:?}");
        while around.last().is_some_and(|outer| outer.track != slice.track || outer.end <= slice.start) {
            around.pop();
        }
        if let Some(outer) = around.last() {
            assert!(outer.contains(slice), "{slice:?} begins in {outer:?} and ends after it");
        }
        around.push(slice);
    }
}
