//! What a PE writes down in a run that is traced, as entries of its journal: for the recorder, which
//! writes them, and for the supervisor, which reads them.

use crate::runtime::objects::NotedObject;
use crate::runtime::observe::OperationKind;
use crate::system::journal::{Entry, read_text, text_entries};
use crate::system::ledger::ACTIVITIES;

/// What a thread of the program can be doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TimeUse {
    /// The program itself.
    Program,
    /// A put, a get or an atomic operation.
    Transfer,
    /// A fence or a quiet.
    Order,
    /// A collective call; also the wait for the others at the end of the job.
    Collective,
    /// A wait for cells or for a lock.
    Wait,
    /// A collective call on the heap.
    Heap,
    /// The program itself, inside of a local phase.
    Phase,
}

impl TimeUse {
    pub(crate) const ALL: [TimeUse; ACTIVITIES] = [
        TimeUse::Program,
        TimeUse::Transfer,
        TimeUse::Order,
        TimeUse::Collective,
        TimeUse::Wait,
        TimeUse::Heap,
        TimeUse::Phase,
    ];
}

/// What a run of operations does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// Operations on a PE.
    On(OperationKind),
    /// The puts of data of puts with signals.
    PutSignal,
    Fence,
    Quiet,
}

impl RunKind {
    const OTHERS: [RunKind; 3] = [RunKind::PutSignal, RunKind::Fence, RunKind::Quiet];

    fn number(self) -> u8 {
        match self {
            RunKind::On(kind) => kind as u8,
            other => {
                let place = RunKind::OTHERS.iter().position(|known| *known == other).unwrap_or(0);
                (OperationKind::ALL.len() + place) as u8
            }
        }
    }

    fn of_number(number: u8) -> Option<RunKind> {
        let number = usize::from(number);
        let kind = OperationKind::ALL.get(number).map(|kind| RunKind::On(*kind));
        kind.or_else(|| RunKind::OTHERS.get(number.checked_sub(OperationKind::ALL.len())?).copied())
    }

    /// Its name, as the statistics have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RunKind::On(kind) => kind.name(),
            RunKind::PutSignal => "put_signal",
            RunKind::Fence => "fence",
            RunKind::Quiet => "quiet",
        }
    }

    /// Whether it writes plain elements.
    pub(crate) fn is_put(self) -> bool {
        matches!(self, RunKind::On(OperationKind::Put | OperationKind::Iput) | RunKind::PutSignal)
    }
}

/// Operations of one line that followed one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperationRun {
    /// The thread, by its number in the PE.
    pub(crate) track: u16,
    pub(crate) kind: RunKind,
    /// The line, by its number in the PE; 0 is none.
    pub(crate) place: u32,
    /// The target; `None` if there are several, or none.
    pub(crate) pe: Option<u16>,
    pub(crate) count: u32,
    /// From the start of the first to the end of the last.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// How long the operations themselves have taken.
    pub(crate) busy: u64,
    pub(crate) bytes: u64,
    /// The bytes of the heap that they touched lie in this range.
    pub(crate) low: u64,
    pub(crate) high: u64,
}

/// A cell, with a value that it got or that was seen in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellValue {
    pub(crate) track: u16,
    pub(crate) pe: u16,
    pub(crate) offset: u64,
    pub(crate) value: u64,
    /// When the update began, or the read ended.
    pub(crate) at: u64,
}

/// What a journal tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TraceNote {
    Run(OperationRun),
    /// Something that lasts begins.
    Begin {
        track: u16,
        activity: TimeUse,
        /// How it is called, by the number in the PE.
        name: u32,
        place: u32,
        start: u64,
        /// How many PEs take part; 0 where that is not said.
        members: u32,
    },
    /// What began last ends.
    End {
        track: u16,
        end: u64,
        /// What it has moved to and from other PEs.
        bytes: u64,
        /// The last look of a wait.
        seen: Option<CellValue>,
    },
    /// A cell was updated.
    Updated(CellValue),
    /// A cell was read, and had another value than before.
    Seen(CellValue),
    /// A thread has begun to do something.
    Track {
        number: u16,
        /// Its number in the system.
        thread: u64,
    },
    Place {
        number: u32,
        text: String,
    },
    Name {
        number: u32,
        text: String,
    },
    Object(NotedObject),
    /// From here on operations are left out, or spans.
    Full {
        track: u16,
        at: u64,
        of_spans: bool,
    },
}

// The first byte of an entry.
const RUN: u8 = 1;
const BEGIN: u8 = 2;
const END: u8 = 3;
const UPDATED: u8 = 4;
const SEEN: u8 = 5;
const TRACK: u8 = 6;
const PLACE: u8 = 7;
const NAME: u8 = 8;
const OBJECT: u8 = 9;
const FULL: u8 = 10;

/// No PE in particular.
const NONE: u32 = u32::MAX;

fn head(tag: u8, detail: u8, track: u16, place: u32) -> u64 {
    u64::from(tag) | u64::from(detail) << 8 | u64::from(track) << 16 | u64::from(place) << 32
}

fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl OperationRun {
    pub(crate) fn encode(&self) -> Entry {
        let OperationRun { track, kind, place, pe, count, start, end, busy, bytes, low, high } = *self;
        let pe = pe.map_or(NONE, u32::from);
        [head(RUN, kind.number(), track, place), two(pe, count), start, end, busy, bytes, low, high]
    }
}

impl TraceNote {
    pub(crate) fn encode(&self) -> Vec<Entry> {
        let cell = |tag, cell: &CellValue| {
            let CellValue { track, pe, offset, value, at } = *cell;
            vec![[head(tag, 0, track, 0), pe.into(), offset, value, at, 0, 0, 0]]
        };
        match self {
            TraceNote::Run(run) => vec![run.encode()],
            TraceNote::Begin { track, activity, name, place, start, members } => {
                let head = head(BEGIN, *activity as u8, *track, *place);
                vec![[head, two(*name, *members), *start, 0, 0, 0, 0, 0]]
            }
            TraceNote::End { track, end, bytes, seen } => {
                let [pe, offset, value, at] = seen.map_or([NONE.into(), 0, 0, 0], |cell| {
                    [cell.pe.into(), cell.offset, cell.value, cell.at]
                });
                vec![[head(END, 0, *track, 0), *end, *bytes, pe, offset, value, at, 0]]
            }
            TraceNote::Updated(value) => cell(UPDATED, value),
            TraceNote::Seen(value) => cell(SEEN, value),
            TraceNote::Track { number, thread } => {
                vec![[head(TRACK, 0, *number, 0), *thread, 0, 0, 0, 0, 0, 0]]
            }
            TraceNote::Place { number, text } => {
                text_entries([head(PLACE, 0, 0, *number), 0, 0, 0, 0, 0, 0, 0], text)
            }
            TraceNote::Name { number, text } => {
                text_entries([head(NAME, 0, 0, *number), 0, 0, 0, 0, 0, 0, 0], text)
            }
            TraceNote::Object(object) => {
                let head = [head(OBJECT, 0, 0, 0), object.offset, object.elem, 0, 0, 0, 0, 0];
                text_entries(head, &object.text())
            }
            TraceNote::Full { track, at, of_spans } => {
                vec![[head(FULL, (*of_spans).into(), *track, 0), *at, 0, 0, 0, 0, 0, 0]]
            }
        }
    }

    /// The next note of a journal, from its entries; `None` where there is no other, or what is there
    /// makes no sense.
    pub(crate) fn decode(mut next: impl FnMut() -> Option<Entry>) -> Option<TraceNote> {
        let entry = next()?;
        let [word, first, second, third, fourth, fifth, sixth, seventh] = entry;
        let (tag, detail, track, number) =
            (word as u8, (word >> 8) as u8, (word >> 16) as u16, (word >> 32) as u32);
        let cell = || CellValue { track, pe: first as u16, offset: second, value: third, at: fourth };
        Some(match tag {
            RUN => {
                let (pe, count) = (first as u32, (first >> 32) as u32);
                TraceNote::Run(OperationRun {
                    track,
                    kind: RunKind::of_number(detail)?,
                    place: number,
                    pe: (pe != NONE).then_some(pe as u16),
                    count,
                    start: second,
                    end: third,
                    busy: fourth,
                    bytes: fifth,
                    low: sixth,
                    high: seventh,
                })
            }
            BEGIN => TraceNote::Begin {
                track,
                activity: *TimeUse::ALL.get(usize::from(detail))?,
                name: first as u32,
                place: number,
                start: second,
                members: (first >> 32) as u32,
            },
            END => {
                let cell = CellValue { track, pe: third as u16, offset: fourth, value: fifth, at: sixth };
                let seen = (third != u64::from(NONE)).then_some(cell);
                TraceNote::End { track, end: first, bytes: second, seen }
            }
            UPDATED => TraceNote::Updated(cell()),
            SEEN => TraceNote::Seen(cell()),
            TRACK => TraceNote::Track { number: track, thread: first },
            PLACE => TraceNote::Place { number, text: read_text(&entry, next)? },
            NAME => TraceNote::Name { number, text: read_text(&entry, next)? },
            OBJECT => TraceNote::Object(NotedObject::of_text(first, second, &read_text(&entry, next)?)?),
            FULL => TraceNote::Full { track, at: first, of_spans: detail != 0 },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(entries: &[Entry]) -> Option<TraceNote> {
        let mut entries = entries.iter().copied();
        let note = TraceNote::decode(|| entries.next());
        assert_eq!(entries.next(), None);
        note
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let kinds = OperationKind::ALL.into_iter().map(RunKind::On).chain(RunKind::OTHERS);
        let run = |kind, pe| OperationRun {
            track: 3,
            kind,
            place: u32::MAX,
            pe,
            count: 1 << 31,
            start: 1 << 60,
            end: u64::MAX,
            busy: 5,
            bytes: 1 << 50,
            low: 6,
            high: 1 << 40,
        };
        let runs = kinds.flat_map(|kind| [None, Some(0), Some(4095)].map(|pe| TraceNote::Run(run(kind, pe))));
        let cell = CellValue { track: 1, pe: 4095, offset: 1 << 40, value: u64::MAX, at: 1 << 61 };
        let begin = |activity| TraceNote::Begin {
            track: u16::MAX,
            activity,
            name: u32::MAX,
            place: 7,
            start: 1,
            members: 4096,
        };
        let text = |len| "é\"\n".repeat(len);
        let others = [
            TraceNote::End { track: 2, end: u64::MAX, bytes: 3, seen: None },
            TraceNote::End { track: 1, end: 7, bytes: 3, seen: Some(cell) },
            TraceNote::Updated(cell),
            TraceNote::Seen(cell),
            TraceNote::Track { number: 9, thread: 1 << 40 },
            TraceNote::Place { number: 7, text: text(0) },
            TraceNote::Place { number: 7, text: text(100) },
            TraceNote::Name { number: u32::MAX, text: text(16) },
            TraceNote::Object(NotedObject { offset: 64, elem: 8, extents: vec![2, 3], name: text(1) }),
            TraceNote::Full { track: 1, at: 2, of_spans: true },
            TraceNote::Full { track: 1, at: 2, of_spans: false },
        ];
        for note in runs.chain(TimeUse::ALL.map(begin)).chain(others) {
            assert_eq!(back(&note.encode()), Some(note));
        }
        assert_eq!(back(&[[0; 8]]), None);
    }
}
