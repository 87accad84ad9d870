//! Reading a checkpoint for another number of PEs than wrote it.

use crate::file::CHUNK;
use crate::read::{Checkpoint, PeReader};
use crate::spread::{Dealing, Overlap, Share};
use crate::{Error, Result, Selection};

/// How many bytes of a global array are in memory at a time, if a row has no more.
const SHARE: usize = 32 << 20;

impl Checkpoint {
    /// Passes the bytes of a share of the global array with this number to `each`, from the files of all
    /// PEs that wrote it. A piece comes with the place of its first byte in the share. The pieces are in no
    /// order. Places of a share with ghost cells that have no cell are left out.
    ///
    /// The checksums are not compared: [`PeReader::verify`] does that, and reads whole files.
    ///
    /// # Errors
    ///
    /// When a file is missing, has another size, or cannot be read.
    ///
    /// # Panics
    ///
    /// When the object is no global array.
    pub fn gather(&self, number: usize, share: Share, mut each: impl FnMut(usize, &[u8])) -> Result<()> {
        let object = &self.manifest().objects[number];
        let spread = object.spread.as_ref().expect("it is a global array");
        let n_files = self.manifest().files.len();
        for there in 0..n_files {
            let theirs = spread.share(n_files, there);
            let mut overlaps = spread.overlaps(share, theirs).peekable();
            if overlaps.peek().is_none() {
                continue;
            }
            let bytes = spread.places(theirs) * object.size;
            let mut window =
                Window { reader: self.pe(there)?, at: object.at, bytes, piece: Vec::new(), start: 0 };
            for Overlap { here, there, len } in overlaps {
                let (mut here, mut from) = (here * object.size, there * object.size);
                let end = (there + len) * object.size;
                while from < end {
                    let found = window.find(from)?;
                    let found = &found[..found.len().min(end - from)];
                    each(here, found);
                    (here, from) = (here + found.len(), from + found.len());
                }
            }
        }
        Ok(())
    }

    /// Passes the bytes of the selected elements of a global array to `each`, in order.
    ///
    /// The whole array is read, first to compare its checksums.
    ///
    /// # Errors
    ///
    /// When the bytes are not those that were written, and when a file cannot be read.
    ///
    /// # Panics
    ///
    /// When the object is no global array.
    pub fn select_of_all(&self, selection: &Selection, mut each: impl FnMut(&[u8])) -> Result<()> {
        let (number, object) = (selection.object, &self.manifest().objects[selection.object]);
        let spread = object.spread.as_ref().expect("it is a global array");
        for pe in 0..self.manifest().files.len() {
            self.pe(pe)?.stream(number, |_, _| ())?;
        }
        // In shares that fit the memory, each some rows of the whole.
        let rows = spread.extents.first().copied().unwrap_or(1).max(1);
        let row = (spread.len() / rows * object.size).max(1);
        let n_pes = rows.div_ceil((SHARE / row).max(1));
        let mut elements = selection.elements(&spread.extents).peekable();
        let mut begin = 0;
        for pe in 0..n_pes {
            let share = Share { dealing: Dealing::Block, n_pes, pe, ghosts: None };
            let end = begin + spread.places(share);
            if elements.peek().is_some_and(|next| *next < end) {
                let mut bytes = vec![0; (end - begin) * object.size];
                self.gather(number, share, |at, piece| bytes[at..at + piece.len()].copy_from_slice(piece))?;
                while let Some(element) = elements.next_if(|next| *next < end) {
                    each(&bytes[(element - begin) * object.size..][..object.size]);
                }
            }
            begin = end;
        }
        Ok(())
    }

    /// Compares an object's bytes on PE `pe` with those on PE 0.
    ///
    /// # Errors
    ///
    /// When they differ, though their checksums do not, and when a file cannot be read.
    pub fn compare_with_first(&self, number: usize, pe: usize) -> Result<()> {
        let object = &self.manifest().objects[number];
        let first = self.pe(0)?;
        let mut other = vec![0; CHUNK.min(object.bytes())];
        let (mut differ, mut failed) = (false, Ok(()));
        self.pe(pe)?.stream(number, |start, piece| {
            let other = &mut other[..piece.len()];
            if failed.is_ok() {
                failed = first.read(object.at + start as u64, other);
                differ |= other != piece;
            }
        })?;
        failed?;
        if differ {
            return Err(Error::new(format!("{} differs between PE 0 and PE {pe}", object.describe())));
        }
        Ok(())
    }
}

/// The last piece that was read of an object's bytes in a file, of which the next ones are near.
struct Window<'a> {
    reader: PeReader<'a>,
    /// Where the bytes begin in the file, and how many there are.
    at: u64,
    bytes: usize,
    piece: Vec<u8>,
    start: usize,
}

impl Window<'_> {
    /// The bytes from the place `from` on that are here, at least one.
    fn find(&mut self, from: usize) -> Result<&[u8]> {
        if !(self.start..self.start + self.piece.len()).contains(&from) {
            self.piece.resize(CHUNK.min(self.bytes - from), 0);
            self.start = from;
            self.reader.read(self.at + from as u64, &mut self.piece)?;
        }
        Ok(&self.piece[from - self.start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Directory, FileRecord, Ghosts, Kind, Manifest, Object, PeFile, Spread, Sum, lay_out};

    /// All elements in order, as one PE would have them.
    const WHOLE: Share = Share { dealing: Dealing::Block, n_pes: 1, pe: 0, ghosts: None };

    /// Three bytes for each element, so that pieces end inside of one.
    fn element(number: usize) -> [u8; 3] {
        [number as u8, (number >> 8) as u8, (number >> 16) as u8]
    }

    /// Writes a global array whose elements are their numbers, from four PEs.
    fn written(directory: &Directory, spread: &Spread, whole: &[u8]) -> Checkpoint {
        let most = (0..4).map(|pe| spread.places(spread.share(4, pe))).max().unwrap();
        let mut objects = vec![Object {
            kind: Kind::Array(0),
            element: String::from("Three"),
            size: 3,
            extents: vec![most],
            spread: Some(spread.clone()),
            at: 0,
            place: String::new(),
        }];
        let bytes = lay_out(&mut objects);
        let writing = directory.begin().unwrap();
        let files = (0..4).map(|pe| {
            let mut content = vec![0; most * 3];
            for Overlap { here, there, len } in spread.overlaps(spread.share(4, pe), WHOLE) {
                content[here * 3..][..len * 3].copy_from_slice(&whole[there * 3..][..len * 3]);
            }
            let mut file = PeFile::create(&directory.part(writing.generation()), pe).unwrap();
            file.write(0, &content).unwrap();
            file.finish(bytes).unwrap();
            FileRecord { bytes, sums: vec![Sum::of(&content)] }
        });
        let manifest = Manifest {
            program: String::from("p"),
            time: 0,
            transport: String::from("smp"),
            generation: writing.generation(),
            objects,
            files: files.collect(),
        };
        writing.commit(&manifest).unwrap();
        Checkpoint::open(directory, manifest.generation).unwrap()
    }

    #[test]
    fn a_part_of_another_number_of_pes_is_gathered() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path());
        // The parts of four PEs are longer than a piece that is read.
        let long = 5 * CHUNK / 3 + 7;
        let ghosts = Some(Ghosts { width: 3, is_periodic: true });
        for (dealing, extents, ghosts) in [
            (Dealing::Block, vec![long], None),
            (Dealing::Cyclic, vec![long / 90, 90], None),
            (Dealing::BlockCyclic(1000), vec![long], None),
            (Dealing::Block2d, vec![long / 1000, 1000], None),
            (Dealing::Block, vec![long], ghosts),
            (Dealing::Block2d, vec![long / 1000, 1000], ghosts),
        ] {
            let spread = Spread { dealing, extents: extents.clone(), ghosts };
            let whole: Vec<u8> = (0..extents.iter().product()).flat_map(element).collect();
            let checkpoint = written(&directory, &spread, &whole);
            for n_pes in [1, 3, 4] {
                for pe in 0..n_pes {
                    let share = spread.share(n_pes, pe);
                    let mut found = vec![0xff; spread.places(share) * 3];
                    checkpoint
                        .gather(0, share, |at, bytes| found[at..at + bytes.len()].copy_from_slice(bytes))
                        .unwrap();
                    for Overlap { here, there, len } in spread.overlaps(share, WHOLE) {
                        assert!(
                            found[here * 3..][..len * 3] == whole[there * 3..][..len * 3],
                            "{dealing:?}: elements from {there} on, on PE {pe} of {n_pes}"
                        );
                    }
                }
            }
            let columns = extents.get(1).copied().unwrap_or(1);
            let text = if columns > 1 { "array 0[@5..;1000, 7]" } else { "array 0[@7..;1000]" };
            let selection = Selection::parse(text, checkpoint.manifest()).unwrap();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            checkpoint.select_of_all(&selection, |bytes| found.extend_from_slice(bytes)).unwrap();
            let numbers: Vec<usize> = match columns {
                1 => (7..extents[0]).step_by(1000).collect(),
                _ => (5..extents[0]).step_by(1000).map(|row| row * columns + 7).collect(),
            };
            numbers.into_iter().for_each(|number| expected.extend(element(number)));
            assert!(found == expected && !found.is_empty(), "{dealing:?}");
            assert!(checkpoint.compare_with_first(0, 0).is_ok());
            let error = checkpoint.compare_with_first(0, 1).unwrap_err().to_string();
            assert!(error.ends_with(" differs between PE 0 and PE 1"), "{error}");
        }
    }
}
