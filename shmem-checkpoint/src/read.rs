//! Reading a complete generation.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::directory::Directory;
use crate::file::CHUNK;
use crate::manifest::{Manifest, Object};
use crate::select::Selection;
use crate::sum::Sum;
use crate::{Error, Result};

/// A complete generation.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    manifest: Manifest,
    sum: u32,
}

impl Checkpoint {
    /// Reads the manifest of a generation.
    ///
    /// # Errors
    ///
    /// When it is not there, damaged, or of a newer version.
    pub fn open(directory: &Directory, generation: u64) -> Result<Checkpoint> {
        let folder = directory.complete(generation);
        let path = folder.join("manifest");
        let text = fs::read(&path).map_err(|error| missing_or(&path, &error))?;
        let sum = Sum::of(&text);
        let manifest = Manifest::parse(&String::from_utf8_lossy(&text), &path.display().to_string())?;
        if manifest.generation != generation {
            return Err(Error::new(format!(
                "{} is that of generation {}: the folder was renamed",
                path.display(),
                manifest.generation
            )));
        }
        Ok(Checkpoint { folder, manifest, sum })
    }

    /// Its manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The checksum of the text of its manifest.
    #[must_use]
    pub fn sum(&self) -> u32 {
        self.sum
    }

    /// The folder that it is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the file of a PE that the manifest has.
    ///
    /// # Errors
    ///
    /// When it is missing, or has not the size that was written.
    ///
    /// # Panics
    ///
    /// When the manifest has no such PE.
    pub fn pe(&self, pe: usize) -> Result<PeReader<'_>> {
        let path = self.folder.join(Manifest::file_name(pe));
        let wrong = |error: io::Error| missing_or(&path, &error);
        let file = File::open(&path).map_err(wrong)?;
        let (bytes, written) = (file.metadata().map_err(wrong)?.len(), self.manifest.files[pe].bytes);
        if bytes != written {
            return Err(Error::damage(format!(
                "{} is damaged: it has {bytes} bytes, and {written} were written",
                path.display()
            )));
        }
        Ok(PeReader { file, path, pe, manifest: &self.manifest })
    }
}

/// The error for a file of a checkpoint that cannot be opened.
fn missing_or(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::damage(format!("{} is missing", path.display())),
        _ => Error::io("read", path, error),
    }
}

/// The file of a PE.
#[derive(Debug)]
pub struct PeReader<'a> {
    file: File,
    path: PathBuf,
    pe: usize,
    manifest: &'a Manifest,
}

impl PeReader<'_> {
    /// Reads the bytes from the offset `at` on.
    ///
    /// # Errors
    ///
    /// When the system cannot read them.
    pub fn read(&self, at: u64, to: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(to, at).map_err(|error| Error::io("read", &self.path, &error))
    }

    /// Passes the bytes of an object to `each`, in pieces of [`CHUNK`] at most: where the piece
    /// begins in the object, and what it is.
    ///
    /// # Errors
    ///
    /// When the system cannot read them, and, after all of them were passed on, when they are not
    /// those that were written.
    pub fn stream(&self, number: usize, mut each: impl FnMut(usize, &[u8])) -> Result<()> {
        let object = &self.manifest.objects[number];
        let mut sum = Sum::new();
        let mut piece = vec![0; CHUNK.min(object.bytes())];
        for start in (0..object.bytes()).step_by(CHUNK) {
            let piece = &mut piece[..CHUNK.min(object.bytes() - start)];
            self.read(object.at + start as u64, piece)?;
            sum.add(piece);
            each(start, piece);
        }
        let written = self.manifest.files[self.pe].sums[number];
        if sum.value() == written { Ok(()) } else { Err(self.damaged(object, sum.value(), written)) }
    }

    /// Passes the bytes of the selected elements to `each`, in order; an element may come in parts.
    ///
    /// The whole object is read, because its checksum is that of all elements.
    ///
    /// # Errors
    ///
    /// As [`stream`](PeReader::stream): also after all of them were passed on.
    pub fn select(&self, selection: &Selection, mut each: impl FnMut(&[u8])) -> Result<()> {
        let object = &self.manifest.objects[selection.object];
        let mut elements = selection.elements(&object.extents).map(|number| number * object.size);
        let mut next = elements.next();
        self.stream(selection.object, |start, piece| {
            let end = start + piece.len();
            while let Some(element) = next {
                let (from, to) = (element.max(start), (element + object.size).min(end));
                if from < to {
                    each(&piece[from - start..to - start]);
                }
                if element + object.size > end {
                    // The rest of it is in the next piece.
                    break;
                }
                next = elements.next();
            }
        })
    }

    /// Compares the checksums of all objects, and says after each piece how many bytes it was.
    ///
    /// # Errors
    ///
    /// When the bytes of an object are not those that were written.
    pub fn verify(&self, read: &mut dyn FnMut(u64)) -> Result<()> {
        (0..self.manifest.objects.len())
            .try_for_each(|number| self.stream(number, |_, piece| read(piece.len() as u64)))
    }

    fn damaged(&self, object: &Object, sum: u32, written: u32) -> Error {
        Error::damage(format!(
            "{} is damaged: the checksum of {} on PE {} is {sum:08x}, and was {written:08x} when it was written",
            self.path.display(),
            object.describe(),
            self.pe
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileRecord, Kind, PeFile, lay_out};

    /// Elements of 12 bytes lie across the ends of the pieces that are read.
    #[test]
    fn selections_are_read_over_the_ends_of_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path());
        let rows = 3 * CHUNK / 12 / 10;
        let mut objects = vec![Object {
            kind: Kind::Array(0),
            element: String::from("Three"),
            size: 12,
            extents: vec![rows, 10],
            spread: None,
            at: 0,
            place: String::new(),
        }];
        let bytes_of_file = lay_out(&mut objects);
        let content: Vec<u8> = (0..rows as u32 * 30).flat_map(u32::to_le_bytes).collect();
        let writing = directory.begin().unwrap();
        let mut file = PeFile::create(&directory.part(1), 0).unwrap();
        file.write(0, &content).unwrap();
        file.finish(bytes_of_file).unwrap();
        let manifest = Manifest {
            program: String::from("p"),
            time: 0,
            transport: String::from("smp"),
            generation: 1,
            objects,
            files: vec![FileRecord { bytes: bytes_of_file, sums: vec![Sum::of(&content)] }],
        };
        writing.commit(&manifest).unwrap();
        let checkpoint = Checkpoint::open(&directory, 1).unwrap();
        let read = |text: &str| {
            let selection = Selection::parse(text, checkpoint.manifest()).unwrap();
            let mut bytes = Vec::new();
            checkpoint.pe(0).unwrap().select(&selection, |part| bytes.extend_from_slice(part)).unwrap();
            bytes
        };
        assert!(read("array 0") == content);
        let of = |row: usize, column: usize| content[(row * 10 + column) * 12..][..12].to_vec();
        let third: Vec<u8> = (0..rows).step_by(7).flat_map(|row| of(row, 3)).collect();
        assert!(read("array 0[..;7, 3]") == third);
        assert_eq!(read(&format!("array 0[{}, 9]", rows - 1)), of(rows - 1, 9));
        assert!(read("array 0[4..4]").is_empty());
    }
}
