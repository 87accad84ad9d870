//! What races, by paths in a graph.

use std::collections::{BTreeMap, BTreeSet};

use super::programs::{Step, access, bytes};
use super::{Access, Event, Kind, Part};

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
pub(crate) fn races(steps: &[Step]) -> BTreeSet<(usize, usize, u16, u64)> {
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
        if let Some(access) = access(*pe, event) {
            let cell = (access.pe, access.span.offset);
            // What it knows after the access. What it reads there does not order the access itself.
            let mut after = here;
            if matches!(access.kind, Kind::AtomicFetch | Kind::AtomicFetchUpdate) {
                after = node(&mut edges);
                edges[here].push(after);
                last_of.insert(*pe, after);
                for writer in writers.get(&cell).into_iter().flatten() {
                    edges[nodes[*writer].arrive].push(after);
                }
            }
            let this = nodes.len();
            let is_pending = is_pending(*pe, &access);
            let (arrive, complete) =
                if is_pending { (node(&mut edges), node(&mut edges)) } else { (node(&mut edges), here) };
            edges[after].push(arrive);
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
            // What was done to the cells of a former object tells nothing.
            Event::Renew { offset, len, .. } => writers
                .retain(|(of, cell), _| usize::from(*of) != *pe || !(offset..offset + len).contains(cell)),
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
    // The last renewal of a byte before a step.
    let renewed = |pe: u16, byte: u64, before: usize| {
        let renews = |(step, (of, event)): &(usize, &Step)| match event {
            Event::Renew { offset, len, .. } => {
                usize::from(pe) == *of && (*offset..offset + len).contains(&byte) && *step < before
            }
            _ => false,
        };
        steps.iter().enumerate().filter(renews).map(|(step, _)| step).next_back()
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
                let of_first: BTreeSet<u64> = bytes(a).collect();
                for byte in bytes(b).filter(|byte| of_first.contains(byte)) {
                    // What was done to a former object is over, and so is the renewal itself.
                    if renewed(a.pe, byte, second.step).is_none_or(|renewal| renewal < first.step) {
                        races.insert((first.step, second.step, a.pe, byte));
                    }
                }
            }
        }
    }
    races
}
