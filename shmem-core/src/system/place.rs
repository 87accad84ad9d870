//! Places in the program, as messages show them.
//!
//! The callers of this library's functions are Rust, and the compiler knows their places. Where another
//! face stands between the program and these functions, only the stack tells the place in the program.
//! To find its file and line takes long. So that face [notes](note_by) the place in a text that costs
//! little and means the same in all processes of the job. Notes are compared, stored, and left for other
//! processes to read. They become words where they are [shown](show_notes_by): by the PE itself, by
//! another one, or by the supervisor. The names of variables are noted in the same way.

use std::fmt;
use std::panic::Location;
use std::sync::OnceLock;

/// What stands around a note in a text that is stored. No text of a program has these characters.
const BEGIN: char = '\u{2}';
const END: char = '\u{3}';

/// Notes the place of the program from which the calling thread has entered the library. Equal notes
/// have one address.
pub(crate) type NotePlace = fn() -> Option<&'static str>;
/// Notes the variable of the program that is at an offset of the heap, with the number of bytes from its
/// beginning, or from that of the memory around it.
pub(crate) type NoteObject = fn(usize) -> Option<(String, usize)>;
/// The words of a note: of a place, or of elements of a variable where these are given.
pub(crate) type ShowNote = fn(&str, Option<NotedElements>) -> String;

/// Elements in memory that is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "untyped"), allow(unreachable_pub))]
pub struct NotedElements {
    /// How many bytes they are from the beginning of what is noted.
    pub start: usize,
    /// The size of an element in bytes; 0 where the variable is meant, and not elements of it.
    pub elem: usize,
    /// How many there are.
    pub count: usize,
}

static NOTES: OnceLock<(NotePlace, NoteObject)> = OnceLock::new();
static SHOW: OnceLock<ShowNote> = OnceLock::new();

/// From now on places and variables are those that another face notes.
pub(crate) fn note_by(place: NotePlace, object: NoteObject) {
    NOTES.get_or_init(|| (place, object));
}

/// From now on this process can show notes.
pub(crate) fn show_notes_by(show: ShowNote) {
    SHOW.get_or_init(|| show);
}

/// Whether the places that the compiler knows are not those of the program.
pub(crate) fn is_behind_a_face() -> bool {
    NOTES.get().is_some()
}

/// The note of the place of the program that this thread has called from, where another face knows it.
#[inline]
pub(crate) fn noted() -> Option<&'static str> {
    NOTES.get().and_then(|(place, _)| place())
}

/// The elements at `offset` of the heap, noted for a text that is stored, where they are a variable that
/// another face knows.
pub(crate) fn noted_object(offset: usize, elem: usize, count: usize) -> Option<String> {
    let (note, start) = NOTES.get().and_then(|(_, object)| object(offset))?;
    Some(of_noted(&note, NotedElements { start, elem, count }))
}

/// Elements of the memory that is noted, for a text that is stored.
fn of_noted(note: &str, NotedElements { start, elem, count }: NotedElements) -> String {
    format!("{BEGIN}{note},{start},{elem},{count}{END}")
}

/// The name of memory whose parts are the variables of a note.
pub(crate) fn memory_of_note(note: &str) -> String {
    format!("{BEGIN}{note}")
}

/// The words of elements of memory, where its name is [of a note](memory_of_note).
pub(crate) fn shown_in(memory: &str, elements: NotedElements) -> Option<String> {
    memory.strip_prefix(BEGIN).map(|note| shown(&of_noted(note, elements)))
}

/// A text that was stored, with words in the place of its notes.
pub(crate) fn shown(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        // There was no room for its end where that is missing.
        let (note, after) = after.split_once(END).unwrap_or((after, ""));
        all += before;
        all += &words(note);
        rest = after;
    }
    all + rest
}

/// The words of a note.
fn words(note: &str) -> String {
    let of_object = || {
        let mut parts = note.rsplitn(4, ',');
        let mut number = || parts.next()?.parse().ok();
        let (count, elem, start) = (number()?, number()?, number()?);
        Some((parts.next()?, NotedElements { start, elem, count }))
    };
    let Some(show) = SHOW.get() else { return note.to_owned() };
    match of_object() {
        Some((note, elements)) => show(note, Some(elements)),
        None => show(note, None),
    }
}

/// The place of a call, for tables that are made later.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CallPlace {
    /// As the compiler knows it.
    Known(&'static Location<'static>),
    /// As another face has noted it.
    Noted(&'static str),
}

impl CallPlace {
    /// That of a call of this thread, whose place is `at` for the compiler.
    #[inline]
    pub(crate) fn of(at: &'static Location<'static>) -> CallPlace {
        noted().map_or(CallPlace::Known(at), CallPlace::Noted)
    }

    /// Tells it from all others.
    pub(crate) fn number(self) -> usize {
        match self {
            CallPlace::Known(at) => std::ptr::from_ref(at).addr(),
            CallPlace::Noted(note) => note.as_ptr().addr(),
        }
    }

    /// The file and the line.
    pub(crate) fn line(self) -> String {
        match self {
            CallPlace::Known(at) => format!("{}:{}", at.file(), at.line()),
            CallPlace::Noted(note) => words(note),
        }
    }
}

/// The place of a call of this thread, in words.
pub(crate) struct Shown<'a>(pub(crate) &'a Location<'a>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match noted() {
            Some(note) => f.write_str(&words(note)),
            None => self.0.fmt(f),
        }
    }
}

/// The place of a call of this thread, for a text that is stored and [`shown`] later.
pub(crate) struct Stored<'a>(pub(crate) &'a Location<'a>);

impl fmt::Display for Stored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match noted() {
            Some(note) => write!(f, "{BEGIN}{note}{END}"),
            None => self.0.fmt(f),
        }
    }
}

/// The place of the call, of a function with `#[track_caller]`. For what a stream does, the place where
/// the program has issued it.
#[inline(always)]
#[track_caller]
pub(crate) fn caller() -> &'static Location<'static> {
    #[cfg(feature = "gpu")]
    if let Some(place) = shmem_gpu::worker::place() {
        return place;
    }
    Location::caller()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_in_a_text_are_found() {
        // No face shows notes here, so they stand for themselves.
        assert_eq!(shown("no note"), "no note");
        let text = format!(
            "PE 1 waits for {} at {BEGIN}/bin/ring+0x12{END}.",
            of_noted("/bin/ring+0x40", NotedElements { start: 8, elem: 8, count: 1 })
        );
        assert_eq!(shown(&text), "PE 1 waits for /bin/ring+0x40,8,8,1 at /bin/ring+0x12.");
        assert_eq!(shown(&format!("cut at {BEGIN}/bin/ri")), "cut at /bin/ri");
    }
}
