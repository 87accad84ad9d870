//! Random programs: what the checker finds is what the paths of a graph say.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use shmem_races::{Access, Checker, Event, Kind, Meeting, Part, Span, Turn};

/// Bytes of plain data in a heap; the cells follow.
const PLAIN: u64 = 16;
/// Where the cells are, of 8 bytes each.
const CELLS: [u64; 2] = [PLAIN, PLAIN + 8];

/// An event, with the PE that did it.
type Step = (usize, Event);

/// A program of random steps, in an order in which they can happen. As in the language, the cells of atomic
/// operations have no other access.
fn program(rng: &mut Rng, n_pes: usize, steps: usize) -> Vec<Step> {
    let mut done: Vec<Step> = Vec::new();
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
            let offset = rng.u64(..=PLAIN - u64::from(len));
            let strided = Span { offset: offset % 4, len: 2, count: 2, stride: 5 };
            let span = if rng.u8(..4) == 0 { strided } else { Span::contiguous(offset, len) };
            Access { kind, pe, ctx, span, place: 0, turn: None, part: Part::Whole }
        };
        let mut cell = |rng: &mut Rng, kind| {
            let offset = CELLS[rng.usize(..CELLS.len())];
            let queue = u32::from(target) * 2 + u32::from(offset == CELLS[0]);
            Access {
                kind,
                pe: target,
                ctx,
                span: Span::contiguous(offset, 8),
                place: 0,
                turn: turn(queue),
                part: Part::Whole,
            }
        };
        let event = match rng.u8(..37) {
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
        if let Event::Access(access) = event {
            access.place = step as u32;
        }
    }
    done
}

fn is_in(done: &[Step], pe: u16, meeting: Meeting) -> bool {
    done.contains(&(usize::from(pe), Event::Arrive(meeting)))
}

/// The accesses of an event.
fn accesses(event: &Event) -> Vec<Access> {
    if let Event::Access(access) = event { vec![*access] } else { Vec::new() }
}

fn is_pending(pe: usize, access: &Access) -> bool {
    match access.kind {
        Kind::Put | Kind::GetNbi => true,
        Kind::AtomicSet | Kind::AtomicUpdate => usize::from(access.pe) != pe,
        _ => false,
    }
}

/// One access, and its nodes in the graph.
struct Node {
    step: usize,
    pe: usize,
    access: Access,
    issue: usize,
    /// When its effect can be seen by the one who reads it: for updates.
    arrive: usize,
    complete: usize,
}

/// The pairs of steps that race, with the bytes, by paths in a graph.
fn races(steps: &[Step]) -> BTreeSet<(usize, usize, u16, u64)> {
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let node = |edges: &mut Vec<Vec<usize>>| {
        edges.push(Vec::new());
        edges.len() - 1
    };
    let mut nodes: Vec<Node> = Vec::new();
    let mut last_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut arrivals: BTreeMap<(u64, u32), Vec<(usize, usize)>> = BTreeMap::new();
    // By PE: the data of the next signal.
    let mut data_of_signal: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // By cell: the updates since the last set.
    let mut writers: BTreeMap<(u16, u64), Vec<usize>> = BTreeMap::new();
    // By node of an access: whether a fence has come after it.
    let mut fenced: BTreeSet<usize> = BTreeSet::new();
    let mut completed: BTreeSet<usize> = BTreeSet::new();
    for (step, (pe, event)) in steps.iter().enumerate() {
        let here = node(&mut edges);
        if let Some(before) = last_of.insert(*pe, here) {
            edges[before].push(here);
        }
        for access in accesses(event) {
            let cell = (access.pe, access.span.offset);
            if matches!(access.kind, Kind::AtomicFetch | Kind::AtomicFetchUpdate) {
                for writer in writers.get(&cell).into_iter().flatten() {
                    edges[nodes[*writer].arrive].push(here);
                }
            }
            let this = nodes.len();
            let is_pending = is_pending(*pe, &access);
            let (arrive, complete) =
                if is_pending { (node(&mut edges), node(&mut edges)) } else { (node(&mut edges), here) };
            edges[here].push(arrive);
            if is_pending {
                edges[here].push(complete);
            }
            // A fence has ordered what came before by the same stream.
            let goes_by_stream = matches!(
                access.kind,
                Kind::Put | Kind::AtomicSet | Kind::AtomicUpdate | Kind::AtomicFetchUpdate
            );
            if goes_by_stream {
                for earlier in &fenced {
                    let other = &nodes[*earlier];
                    if (other.pe, other.access.ctx, other.access.pe) == (*pe, access.ctx, access.pe) {
                        edges[other.complete].push(arrive);
                        // For what is over at once, `complete` is when it returns.
                        edges[other.complete].push(complete);
                    }
                }
            }
            match access.part {
                Part::Whole => {}
                Part::Data => data_of_signal.entry(*pe).or_default().push(this),
                Part::Signal => {
                    for data in data_of_signal.remove(pe).unwrap_or_default() {
                        edges[nodes[data].complete].push(arrive);
                    }
                }
            }
            if access.kind.is_atomic() && access.kind.writes() {
                let writers = writers.entry(cell).or_default();
                if access.kind == Kind::AtomicSet {
                    writers.clear();
                }
                writers.push(this);
            }
            nodes.push(Node { step, pe: *pe, access, issue: here, arrive, complete });
        }
        let mut complete = |edges: &mut Vec<Vec<usize>>, concerned: &dyn Fn(&Access) -> bool| {
            for (number, other) in nodes.iter().enumerate() {
                if other.pe == *pe
                    && is_pending(*pe, &other.access)
                    && concerned(&other.access)
                    && completed.insert(number)
                {
                    edges[other.complete].push(here);
                }
            }
        };
        match *event {
            Event::Quiet { ctx } => complete(&mut edges, &|access| access.ctx == ctx),
            Event::PeQuiet { ctx, pe } => {
                complete(&mut edges, &|access| access.ctx == ctx && access.pe == pe)
            }
            Event::QuietAll => complete(&mut edges, &|_| true),
            Event::Fence { ctx } => {
                for (number, other) in nodes.iter().enumerate() {
                    if other.pe == *pe
                        && other.access.ctx == ctx
                        && is_pending(*pe, &other.access)
                        && other.access.kind != Kind::GetNbi
                    {
                        fenced.insert(number);
                    }
                }
            }
            Event::Arrive(meeting) => {
                arrivals.entry((meeting.team, meeting.visit)).or_default().push((*pe, here))
            }
            Event::Leave { meeting, .. } => {
                for (other, arrival) in &arrivals[&(meeting.team, meeting.visit)] {
                    if meeting.root.is_none_or(|root| usize::from(root) == *other) {
                        edges[*arrival].push(here);
                    }
                }
            }
            _ => {}
        }
    }
    // What each node reaches.
    let mut reach: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); edges.len()];
    for start in 0..edges.len() {
        let mut todo = edges[start].clone();
        while let Some(next) = todo.pop() {
            if reach[start].insert(next) {
                todo.extend(&edges[next]);
            }
        }
    }
    let bytes = |access: &Access| -> BTreeSet<u64> {
        access.span.pieces().flat_map(|(start, len)| start..start + u64::from(len)).collect()
    };
    let mut races = BTreeSet::new();
    for (at, second) in nodes.iter().enumerate() {
        for first in nodes[..at]
            .iter()
            .filter(|first| first.access.pe == second.access.pe && first.step != second.step)
        {
            let (a, b) = (&first.access, &second.access);
            let atomics = a.kind.is_atomic() && b.kind.is_atomic() && a.span.len == b.span.len;
            let ordered = first.complete == second.issue
                || reach[first.complete].contains(&second.issue)
                || reach[first.complete].contains(&second.complete);
            if (a.kind.writes() || b.kind.writes()) && !atomics && !ordered {
                for byte in bytes(a).intersection(&bytes(b)) {
                    races.insert((first.step, second.step, a.pe, *byte));
                }
            }
        }
    }
    races
}

/// What the checker finds.
fn found(n_pes: usize, steps: &[Step], room: usize) -> BTreeSet<(usize, usize, u16, u64)> {
    let mut checker = Checker::with_room(n_pes, room);
    let mut races = BTreeSet::new();
    for (pe, event) in steps {
        assert!(checker.is_ready(event), "{event:?}");
        checker.take(*pe, event, &mut |race| {
            let (first, second) = (race.first.place as usize, race.second.place as usize);
            let mut bytes = race.offset / 8 * 8..race.offset / 8 * 8 + 8;
            // The bytes of the word that both accessed.
            let both = |byte: &u64| {
                let covers = |step: usize| {
                    accesses(&steps[step].1).iter().any(|access| {
                        access.pe == race.pe
                            && access
                                .span
                                .pieces()
                                .any(|(start, len)| (start..start + u64::from(len)).contains(byte))
                    })
                };
                covers(first) && covers(second)
            };
            let first_byte = bytes.find(both).expect("a byte that both accessed");
            assert!(race.len > 0 && first_byte <= race.offset);
            races.insert((first, second, race.pe, race.offset));
        });
    }
    races
}

#[test]
fn the_checker_finds_what_the_graph_says() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..10_000 {
        let mut rng = Rng::with_seed(seed);
        let n_pes = rng.usize(1..=4);
        let length = rng.usize(2..40);
        let steps = program(&mut rng, n_pes, length);
        // With so little room, it is forgotten after each access what can be forgotten.
        let room = if rng.bool() { 1 } else { 1000 };
        let (expected, found) = (races(&steps), found(n_pes, &steps, room));
        let show =
            || steps.iter().enumerate().map(|(at, step)| format!("{at}: {step:?}\n")).collect::<String>();
        // No false alarm.
        for race in &found {
            assert!(expected.contains(race), "seed {seed}: {race:?} is none\n{}", show());
        }
        // The first race of a word is found.
        let word = |race: &(usize, usize, u16, u64)| (race.2, race.3 / 8);
        let mut first: BTreeMap<(u16, u64), usize> = BTreeMap::new();
        for race in &expected {
            let second = first.entry(word(race)).or_insert(race.1);
            *second = race.1.min(*second);
        }
        for (place, second) in first {
            assert!(
                found.iter().any(|race| word(race) == place && race.1 == second),
                "seed {seed}: step {second} races on {place:?}, and {found:?} is found of {expected:?}\n{}",
                show()
            );
        }
        if expected.is_empty() { clean += 1 } else { racy += 1 }
    }
    assert!(racy > 1500 && clean > 1500, "{racy} {clean}");
}
