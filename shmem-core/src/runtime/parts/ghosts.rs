//! Where the part of a PE lies with ghost cells around it, of an array in blocks of rank 1 or 2.

use super::Parts;

/// The room that every PE has for its part, for the ghost cells around it, and for two inboxes of as
/// many cells as the ghost cells of the largest part are. An array of rank 1 has a second axis of one
/// index here, without ghost cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GhostRoom {
    /// How many ghost cells there are on each side, of each axis.
    pub(crate) widths: [usize; 2],
    /// The rows and columns that the largest part has with its ghost cells.
    pub(crate) room: [usize; 2],
    /// How many cells the largest part has.
    largest: usize,
}

impl GhostRoom {
    /// The room for the parts of an array of this rank, with so many ghost cells on each side. The
    /// extents of the room saturate.
    pub(crate) fn of(parts: &Parts, rank: usize, width: usize) -> GhostRoom {
        let widths = [width, if rank == 1 { 0 } else { width }];
        // PE 0 holds as much as any other.
        let [rows, columns, ..] = parts.held(0);
        let room = |axis: usize, held: usize| held.saturating_add(widths[axis].saturating_mul(2));
        GhostRoom { widths, room: [room(0, rows), room(1, columns)], largest: rows * columns }
    }

    /// How far apart two rows are.
    pub(crate) fn pitch(&self) -> usize {
        self.room[1].max(1)
    }

    /// Which one of all cells is the first of the part.
    pub(crate) fn first(&self) -> usize {
        self.widths[0] * self.pitch() + self.widths[1]
    }

    /// How many cells there are, with those of the inboxes after them.
    pub(crate) fn cells(&self) -> usize {
        self.room[0] * self.room[1]
    }

    /// How many places an inbox has.
    pub(crate) fn inbox(&self) -> usize {
        self.cells() - self.largest
    }

    /// How many cells there are in all, if they can be counted.
    pub(crate) fn all(&self) -> Option<usize> {
        let cells = self.room[0].checked_mul(self.room[1])?;
        (cells - self.largest).checked_mul(2)?.checked_add(cells)
    }
}
