//! Which ghost cells of which PE come from where.
//!
//! An array of rank 1 has a second axis of one index here, without ghost cells.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::runtime::parts::{AxisParts, Parts};

/// A block of ghost cells of one PE that another PE holds, or the same one.
struct Ghost {
    owner: usize,
    /// Where they are in the part of the owner: the rows, and the columns.
    from: [usize; 2],
    /// Where they are in the memory of the PE, ghost cells included.
    to: [usize; 2],
    /// How many rows and columns.
    count: [usize; 2],
    /// Where they begin in the inbox of the PE.
    inbox: usize,
}

/// A block of cells in the memory of this PE, ghost cells included, and its place in an inbox.
#[derive(Debug)]
pub(super) struct Border {
    /// Whose inbox.
    pub(super) pe: usize,
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    pub(super) inbox: usize,
}

/// What this PE moves in a refresh.
pub(super) struct HaloPlan {
    /// From the part of this PE to inboxes.
    pub(super) sends: Vec<Border>,
    /// From its inbox to its ghost cells.
    pub(super) receives: Vec<Border>,
    /// The other PEs of both.
    pub(super) neighbours: Vec<usize>,
}

impl HaloPlan {
    pub(super) fn new(
        parts: &Parts,
        widths: [usize; 2],
        periodic: bool,
        me: usize,
        n_pes: usize,
    ) -> HaloPlan {
        let border = |pe: usize, [row, column]: [usize; 2], ghost: &Ghost| Border {
            pe,
            rows: row..row + ghost.count[0],
            columns: column..column + ghost.count[1],
            inbox: ghost.inbox,
        };
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        let mut neighbours = BTreeSet::new();
        // The next PE first: so no PE is the first one of all others.
        for pe in (me..n_pes).chain(0..me) {
            for ghost in ghosts(parts, widths, periodic, pe) {
                if ghost.owner == me {
                    sends.push(border(pe, [ghost.from[0] + widths[0], ghost.from[1] + widths[1]], &ghost));
                    neighbours.insert(pe);
                }
                if pe == me {
                    receives.push(border(me, ghost.to, &ghost));
                    neighbours.insert(ghost.owner);
                }
            }
        }
        neighbours.remove(&me);
        HaloPlan { sends, receives, neighbours: neighbours.into_iter().collect() }
    }
}

/// The ghost cells of a PE that lie inside of the array, each once.
fn ghosts(parts: &Parts, widths: [usize; 2], periodic: bool, pe: usize) -> Vec<Ghost> {
    let coordinates = parts.coordinates(pe);
    let [rows, columns] =
        [0, 1].map(|axis| border_runs(&parts.axes[axis], coordinates[axis], widths[axis], periodic));
    let (mut ghosts, mut inbox) = (Vec::new(), 0);
    for row in &rows {
        for column in &columns {
            if row.own && column.own {
                continue;
            }
            let count = [row.count, column.count];
            ghosts.push(Ghost {
                owner: parts.pe([row.coordinate, column.coordinate, 0, 0]),
                from: [row.from, column.from],
                to: [row.to, column.to],
                count,
                inbox,
            });
            inbox += count[0] * count[1];
        }
    }
    ghosts
}

/// Neighbouring places of an axis that one coordinate holds.
struct BorderRun {
    coordinate: usize,
    /// Whether they are the part itself.
    own: bool,
    from: usize,
    to: usize,
    count: usize,
}

/// The places of what a coordinate holds of an axis, and of its ghost cells.
fn border_runs(axis: &AxisParts, coordinate: usize, width: usize, periodic: bool) -> Vec<BorderRun> {
    let held = axis.held(coordinate);
    if held == 0 {
        return Vec::new();
    }
    let start = axis.index(coordinate, 0);
    let mut border_runs: Vec<BorderRun> = Vec::new();
    for to in (0..width).chain(width + held..held + 2 * width) {
        if to == width + held {
            border_runs.push(BorderRun { coordinate, own: true, from: 0, to: width, count: held });
        }
        // As far before the first index as the end is after it.
        let index = (start + to) as i128 - width as i128;
        let extent = axis.extent as i128;
        if !periodic && !(0..extent).contains(&index) {
            continue;
        }
        let (coordinate, from) = axis.locate(index.rem_euclid(extent) as usize);
        match border_runs.last_mut() {
            Some(last)
                if !last.own
                    && last.coordinate == coordinate
                    && (last.from + last.count, last.to + last.count) == (from, to) =>
            {
                last.count += 1;
            }
            _ => border_runs.push(BorderRun { coordinate, own: false, from, to, count: 1 }),
        }
    }
    if width == 0 {
        border_runs.push(BorderRun { coordinate, own: true, from: 0, to: 0, count: held });
    }
    border_runs
}
