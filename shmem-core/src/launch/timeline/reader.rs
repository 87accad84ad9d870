//! From the journals of the PEs to the events of a timeline.

use std::collections::BTreeMap;

use crate::launch::timeline::arrows::{Arrow, Arrows, Point};
use crate::launch::timeline::events::{Detail, EventTexts};
use crate::runtime::objects::NotedObject;
use crate::runtime::recorder::notes::{CellValue, OperationRun, RunKind, TimeUse, TraceNote};

/// Reads the notes of all PEs.
pub(super) struct NoteReader {
    pub(super) texts: EventTexts,
    pes: Vec<PeNotes>,
    arrows: Arrows,
}

/// What is known of a PE.
#[derive(Default)]
struct PeNotes {
    /// By number.
    places: Vec<String>,
    names: Vec<String>,
    /// By offset.
    objects: BTreeMap<u64, NotedObject>,
    tracks: Vec<TrackNotes>,
    /// The time of the last note.
    last: u64,
}

/// A thread of a PE.
#[derive(Default)]
struct TrackNotes {
    thread: u64,
    /// What has begun and not ended, from the outside to the inside.
    spans: Vec<BegunSpan>,
}

struct BegunSpan {
    activity: TimeUse,
    name: u32,
    place: u32,
    start: u64,
    members: u32,
}

impl NoteReader {
    pub(super) fn new(n_pes: usize, texts: EventTexts) -> NoteReader {
        let pes = (0..n_pes).map(|_| PeNotes::default()).collect();
        NoteReader { texts, pes, arrows: Arrows::new() }
    }

    /// Takes a note of PE `pe`. The notes of a PE come in their order.
    pub(super) fn take(&mut self, pe: usize, note: TraceNote) {
        let number = pe as u16;
        match note {
            TraceNote::Place { number, text } => self.pes[pe].places.put(number as usize, text),
            TraceNote::Name { number, text } => self.pes[pe].names.put(number as usize, text),
            TraceNote::Object(object) => self.pes[pe].object(object),
            TraceNote::Track { number: track, thread } => {
                let notes = TrackNotes { thread, spans: Vec::new() };
                self.pes[pe].tracks.put(usize::from(track), notes);
                let name = match track {
                    0 => format!("PE {pe}"),
                    _ => format!("PE {pe}, thread {}", track + 1),
                };
                self.texts.track(thread, &name, (pe as u64) << 16 | u64::from(track));
            }
            TraceNote::Run(run) => self.run(pe, &run),
            TraceNote::Begin { track, activity, name, place, start, members } => {
                let notes = &mut self.pes[pe];
                notes.last = notes.last.max(start);
                if let Some(track) = notes.tracks.get_mut(usize::from(track)) {
                    track.spans.push(BegunSpan { activity, name, place, start, members });
                }
            }
            TraceNote::End { track, end, bytes, seen } => {
                let notes = &mut self.pes[pe];
                notes.last = notes.last.max(end);
                let ended = notes.tracks.get_mut(usize::from(track)).and_then(|track| track.spans.pop());
                if let Some(span) = ended {
                    self.span(pe, track, &span, end, bytes, true);
                    if let Some(cell) = seen {
                        self.seen(pe, &cell, end);
                    }
                }
            }
            TraceNote::Updated(cell) => {
                let NoteReader { arrows, pes, texts } = self;
                arrows.updated(number, &cell, &mut |arrow| draw(texts, pes, &arrow));
            }
            TraceNote::Seen(cell) => {
                let NoteReader { arrows, pes, texts } = self;
                arrows.seen(number, &cell, &mut |arrow| draw(texts, pes, &arrow));
            }
            TraceNote::Full { track, at, of_spans } => {
                let what = if of_spans { "calls and waits" } else { "operations" };
                let thread = self.pes[pe].thread(track);
                self.texts.mark(thread, at, &format!("from here on, {what} of this PE are left out"));
            }
        }
    }

    /// Takes the note of a run that grew when PE `pe` ended.
    pub(super) fn take_last(&mut self, pe: usize, note: TraceNote) {
        // If the PE was killed while it wrote the run, that is in the journal too.
        let is_new = matches!(&note, TraceNote::Run(run) if run.end > self.pes[pe].last);
        if is_new {
            self.take(pe, note);
        }
    }

    /// Ends what had not ended when the PEs did, at the time `now`.
    pub(super) fn finish(&mut self, now: u64) {
        for pe in 0..self.pes.len() {
            let end = now.max(self.pes[pe].last);
            for track in 0..self.pes[pe].tracks.len() {
                while let Some(span) = self.pes[pe].tracks[track].spans.pop() {
                    self.span(pe, track as u16, &span, end, 0, false);
                }
            }
        }
    }

    fn run(&mut self, pe: usize, run: &OperationRun) {
        let OperationRun { track, kind, place, pe: target, count, start, end, busy, bytes, low, high } = *run;
        let notes = &mut self.pes[pe];
        notes.last = notes.last.max(end);
        if kind.is_put()
            && let Some(target) = target
        {
            self.arrows.put(Point { pe: pe as u16, track, at: start + 1 }, target);
        }
        let (category, is_on_pes) = match kind {
            RunKind::Fence | RunKind::Quiet => ("order", false),
            RunKind::On(kind) if kind.is_atomic() => ("atomic", true),
            kind if kind.is_put() => ("put", true),
            _ => ("get", true),
        };
        let notes = &self.pes[pe];
        let object = notes.object_at(low, high);
        let mut name = kind.name().to_owned();
        if is_on_pes {
            let preposition = match category {
                "put" => "to",
                "get" => "from",
                _ => "on",
            };
            let whose = match target {
                Some(target) if usize::from(target) == pe => ", own copy".to_owned(),
                Some(target) => format!(" {preposition} PE {target}"),
                None => format!(" {preposition} several PEs"),
            };
            let what = object.map_or("several objects", |object| object.name.as_str());
            name = format!("{name} {what}{whose}");
        }
        let elements = object.map(|object| object.elements(low, high));
        let mut details = Vec::new();
        if let Some(line) = notes.places.get(place as usize).filter(|line| !line.is_empty()) {
            details.push(("line", Detail::Text(line)));
        }
        if let Some(elements) = &elements {
            details.push(("elements", Detail::Text(elements)));
        }
        if let Some(target) = target {
            details.push(("PE", Detail::Number(target.into())));
        }
        details.push(("operations", Detail::Number(count.into())));
        if is_on_pes {
            details.push(("bytes", Detail::Number(bytes)));
        }
        if count > 1 {
            details.push(("busy_us", Detail::Time(busy)));
        }
        self.texts.slice(notes.thread(track), category, &name, (start, end), &details);
    }

    /// The end of a wait, from its last look on. It has a slice of its own, at which arrows end: viewers
    /// take the slice that began first for the start of an arrow, and a wait begins before its signal.
    fn seen(&mut self, pe: usize, cell: &CellValue, end: u64) {
        let notes = &self.pes[pe];
        let object = notes.object_at(cell.offset, cell.offset + 4);
        let name = format!("sees {}", object.map_or("a lock", |object| &object.name));
        let details = [("value", Detail::Number(cell.value))];
        let thread = notes.thread(cell.track);
        self.texts.slice(thread, "seen", &name, (cell.at - 1, end), &details);
        let NoteReader { arrows, pes, texts } = self;
        arrows.seen(pe as u16, cell, &mut |arrow| draw(texts, pes, &arrow));
    }

    fn span(&mut self, pe: usize, track: u16, span: &BegunSpan, end: u64, bytes: u64, has_ended: bool) {
        let BegunSpan { activity, name, place, start, members } = *span;
        let notes = &self.pes[pe];
        let name = notes.names.get(name as usize).map_or("", String::as_str);
        let category = match activity {
            TimeUse::Wait => "wait",
            TimeUse::Heap => "heap",
            TimeUse::Phase => "phase",
            _ => "collective",
        };
        let mut details = Vec::new();
        if let Some(line) = notes.places.get(place as usize).filter(|line| !line.is_empty()) {
            details.push(("line", Detail::Text(line)));
        }
        if members > 0 {
            details.push(("PEs", Detail::Number(members.into())));
        }
        if bytes > 0 {
            details.push(("bytes", Detail::Number(bytes)));
        }
        if !has_ended {
            details.push(("end", Detail::Text("not reached: the job ended before")));
        }
        self.texts.slice(notes.thread(track), category, name, (start, end), &details);
    }
}

/// Draws an arrow.
fn draw(texts: &mut EventTexts, pes: &[PeNotes], arrow: &Arrow) {
    let end = |point: Point| (pes[usize::from(point.pe)].thread(point.track), point.at);
    texts.arrow(arrow.what, end(arrow.from), end(arrow.to));
}

impl PeNotes {
    /// The system's number of a thread.
    fn thread(&self, track: u16) -> u64 {
        self.tracks.get(usize::from(track)).map_or(0, |track| track.thread)
    }

    /// An object takes the place of those that were there.
    fn object(&mut self, object: NotedObject) {
        let (start, end) = (object.offset, object.end());
        let before: Vec<u64> = self.objects.range(start..end).map(|(offset, _)| *offset).collect();
        before.iter().for_each(|offset| drop(self.objects.remove(offset)));
        self.objects.insert(start, object);
    }

    /// The object that these bytes are of.
    fn object_at(&self, low: u64, high: u64) -> Option<&NotedObject> {
        let (_, object) = self.objects.range(..=low).next_back()?;
        (low < high && low < object.end()).then_some(object)
    }
}

/// Numbered things, of which each comes when its number is used first.
trait Numbered<T> {
    fn put(&mut self, number: usize, value: T);
}

impl<T: Default> Numbered<T> for Vec<T> {
    fn put(&mut self, number: usize, value: T) {
        // A number is never far from the last one; a journal that says so makes no sense.
        if number < self.len() + 1024 {
            if number >= self.len() {
                self.resize_with(number + 1, T::default);
            }
            self[number] = value;
        }
    }
}
