//! The bytes of a checkpoint: compared with their checksums, and put back.

use shmem_checkpoint as format;
use shmem_checkpoint::{CHUNK, Checkpoint};

use super::objects::LocatedObject;
use super::progress::Progress;
use crate::phase::Phase;
use crate::runtime::Runtime;

/// A checkpoint that this job restores, as PE `me` of `n_pes`. Its objects are those of the program.
pub(super) struct Restoring<'a> {
    pub(super) checkpoint: &'a Checkpoint,
    pub(super) runtime: &'a Runtime,
    pub(super) me: usize,
    pub(super) n_pes: usize,
}

impl Restoring<'_> {
    /// How many PEs wrote it.
    fn written_by(&self) -> usize {
        self.checkpoint.manifest().files.len()
    }

    /// Compares the checksums of this PE's share of the files; of another number of PEs also the copies
    /// that are to be the same.
    pub(super) fn verify(&self) -> format::Result<()> {
        let files = (self.me..self.written_by()).step_by(self.n_pes);
        let objects = &self.checkpoint.manifest().objects;
        let bytes: u64 = objects.iter().map(|object| object.bytes() as u64).sum();
        let mut progress =
            Progress::new("checks a checkpoint", self.me, bytes * files.clone().count() as u64);
        for pe in files {
            self.checkpoint.pe(pe)?.verify(&mut |bytes| progress.add(bytes as usize))?;
            if self.written_by() != self.n_pes {
                let mut copies = (0..objects.len()).filter(|number| objects[*number].spread.is_none());
                copies.try_for_each(|number| self.checkpoint.compare_with_first(number, pe))?;
            }
        }
        Ok(())
    }

    /// Restores what this PE has of the object with this number in the checkpoint, which is `mine` in the
    /// program.
    pub(super) fn read_object(
        &self,
        number: usize,
        phase: &Phase,
        mine: &LocatedObject,
        progress: &mut Progress,
    ) -> format::Result<()> {
        let to = |start: usize, piece: &[u8]| {
            self.put(phase, mine.offset + start, piece);
            progress.add(piece.len());
        };
        if self.written_by() == self.n_pes {
            return self.checkpoint.pe(self.me)?.stream(number, to);
        }
        let Some(spread) = &mine.object.spread else {
            // All copies are the same.
            return self.checkpoint.pe(0)?.stream(number, to);
        };
        // What has no element of this PE, but would have one of another PE, is of no use, and zeros.
        let share = spread.share(self.n_pes, self.me);
        let places = if spread.ghosts.is_some() { 0 } else { spread.places(share) };
        let (end, room) = (places * mine.object.size, mine.object.bytes());
        let zeros = vec![0; CHUNK.min(room.saturating_sub(end))];
        for start in (end..room).step_by(CHUNK) {
            self.put(phase, mine.offset + start, &zeros[..CHUNK.min(room - start)]);
        }
        self.checkpoint.gather(number, share, to)
    }

    /// Writes bytes from `at` on in this PE's heap.
    fn put(&self, phase: &Phase, mut at: usize, piece: &[u8]) {
        let end = at + piece.len();
        if !format::is_zeros(piece) {
            // SAFETY: nothing borrows from this phase but this function.
            unsafe { phase.bytes_mut(at..end) }.copy_from_slice(piece);
            return;
        }
        // Zeros are written only where there may be something else: the rest takes no memory.
        while let Some(touched) = self.runtime.endpoint().heaps.touched(at..end) {
            // SAFETY: as above.
            unsafe { phase.bytes_mut(touched.clone()) }.fill(0);
            at = touched.end;
        }
    }
}
