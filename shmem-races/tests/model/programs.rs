//! Random programs.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::{Access, Event, Kind, Meeting, Part, Span, Turn};

/// Bytes of plain data in a heap; the cells follow.
const PLAIN: u64 = 16;
/// Where the cells are, of 8 bytes each.
const CELLS: [u64; 2] = [PLAIN, PLAIN + 8];

/// An event, with the PE that did it.
pub(crate) type Step = (usize, Event);

/// A program of random steps, in an order in which they can happen. In one half of the programs, as in the
/// language, the cells of atomic operations have no other access and are never renewed, and nothing
/// races with those operations. In the other half, cells have all kinds of access, and two sizes.
pub(crate) fn program(rng: &mut Rng, n_pes: usize, steps: usize) -> Vec<Step> {
    let mut done: Vec<Step> = Vec::new();
    let is_mixed = rng.bool();
    // Where plain data is, which other accesses reach.
    let heap = if is_mixed { PLAIN + 16 } else { PLAIN };
    let mut turns: BTreeMap<u32, u64> = BTreeMap::new();
    // By PE: the meeting that it is in.
    let mut inside: Vec<Option<Meeting>> = vec![None; n_pes];
    let mut visits: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    let mut arrived: BTreeMap<(u64, u32), usize> = BTreeMap::new();
    let mut roots: BTreeMap<(u64, u32), Option<u16>> = BTreeMap::new();
    for _ in 0..steps {
        let pe = rng.usize(..n_pes);
        if let Some(meeting) = inside[pe] {
            let awaited = match meeting.root {
                Some(root) => {
                    (arrived.contains_key(&(meeting.team, meeting.visit)) && is_in(&done, root, meeting))
                        as usize
                }
                None => arrived[&(meeting.team, meeting.visit)] / n_pes,
            };
            if awaited > 0 {
                inside[pe] = None;
                done.push((pe, Event::Leave { meeting, place: 0 }));
            }
            continue;
        }
        let mut turn = |queue: u32| {
            let next = turns.entry(queue).or_default();
            *next += 1;
            Some(Turn { queue, number: *next - 1 })
        };
        let ctx = u32::from(rng.u8(..5) == 0);
        let target = rng.usize(..n_pes) as u16;
        let plain = |rng: &mut Rng, kind, pe| {
            let len = [1, 2, 4, 8][rng.usize(..4)];
            let offset = rng.u64(..=heap - u64::from(len));
            let strided = Span { offset: offset % 4, len: 2, count: 2, stride: 5 };
            let span = if rng.u8(..4) == 0 { strided } else { Span::contiguous(offset, len) };
            Access { kind, pe, ctx, span, place: 0, turn: None, part: Part::Whole, can_race: true }
        };
        let mut cell = |rng: &mut Rng, kind| {
            let offset = CELLS[rng.usize(..CELLS.len())];
            let queue = u32::from(target) * 2 + u32::from(offset == CELLS[0]);
            let span = match rng.u8(..8) {
                0 if is_mixed => Span::contiguous(offset + 4 * rng.u64(..2), 4),
                _ => Span::contiguous(offset, 8),
            };
            let (turn, part, can_race) = (turn(queue), Part::Whole, is_mixed);
            Access { kind, pe: target, ctx, span, place: 0, turn, part, can_race }
        };
        let event = match rng.u8(..39) {
            0..4 => Event::Access(plain(rng, Kind::Load, pe as u16)),
            4..8 => Event::Access(plain(rng, Kind::Store, pe as u16)),
            8..12 => Event::Access(plain(rng, Kind::Put, target)),
            12..14 => Event::Access(plain(rng, Kind::Get, target)),
            14 => Event::Access(plain(rng, Kind::GetNbi, target)),
            15..19 => Event::Access(cell(rng, Kind::AtomicFetch)),
            19..22 => Event::Access(cell(rng, Kind::AtomicSet)),
            22 => Event::Access(cell(rng, Kind::AtomicUpdate)),
            23 => Event::Access(cell(rng, Kind::AtomicFetchUpdate)),
            24..27 => {
                let kind = if rng.bool() { Kind::AtomicSet } else { Kind::AtomicUpdate };
                for _ in 0..rng.u8(1..3) {
                    done.push((
                        pe,
                        Event::Access(Access { part: Part::Data, ..plain(rng, Kind::Put, target) }),
                    ));
                }
                Event::Access(Access { part: Part::Signal, ..cell(rng, kind) })
            }
            27..30 => Event::Fence { ctx },
            30..32 => Event::Quiet { ctx },
            32 => Event::PeQuiet { ctx, pe: target },
            33 => Event::QuietAll,
            34 => {
                let (offset, len) = [(0, 8), (heap - 8, 8), (0, heap)][rng.usize(..3)];
                Event::Renew { offset, len, place: 0 }
            }
            _ => {
                let visits = visits.entry(7).or_insert_with(|| vec![0; n_pes]);
                let visit = visits[pe];
                visits[pe] += 1;
                let root = *roots.entry((7, visit)).or_insert_with(|| (rng.u8(..3) == 0).then_some(target));
                let meeting = Meeting { team: 7, visit, members: n_pes as u16, root };
                *arrived.entry((7, visit)).or_default() += 1;
                inside[pe] = Some(meeting);
                Event::Arrive(meeting)
            }
        };
        done.push((pe, event));
    }
    // The place of an access is its step.
    for (step, (_, event)) in done.iter_mut().enumerate() {
        match event {
            Event::Access(access) => access.place = step as u32,
            Event::Renew { place, .. } => *place = step as u32,
            _ => {}
        }
    }
    done
}

fn is_in(done: &[Step], pe: u16, meeting: Meeting) -> bool {
    done.contains(&(usize::from(pe), Event::Arrive(meeting)))
}

/// The access of an event: the renewal of memory is a write to it.
pub(crate) fn access(pe: usize, event: &Event) -> Option<Access> {
    match *event {
        Event::Access(access) => Some(access),
        Event::Renew { offset, len, place } => {
            let (kind, span) = (Kind::Store, Span::contiguous(offset, len as u32));
            let (turn, part, can_race) = (None, Part::Whole, true);
            Some(Access { kind, pe: pe as u16, ctx: 0, span, place, turn, part, can_race })
        }
        _ => None,
    }
}

/// The bytes of an access.
pub(crate) fn bytes(access: &Access) -> impl Iterator<Item = u64> {
    access.span.pieces().flat_map(|(start, len)| start..start + u64::from(len))
}
