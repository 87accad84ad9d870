//! Reading a complete generation.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use crate::directory::Directory;
use crate::file::CHUNK;
use crate::manifest::{Manifest, Object};
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
        let text = fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
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
    pub fn folder(&self) -> &std::path::Path {
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
        let wrong = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Error::new(format!("{} is missing", path.display())),
            _ => Error::io("read", &path, &error),
        };
        let file = File::open(&path).map_err(wrong)?;
        let (bytes, written) = (file.metadata().map_err(wrong)?.len(), self.manifest.files[pe].bytes);
        if bytes != written {
            return Err(Error::new(format!(
                "{} is damaged: it has {bytes} bytes, and {written} were written",
                path.display()
            )));
        }
        Ok(PeReader { file, path, pe, manifest: &self.manifest })
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
        Error::new(format!(
            "{} is damaged: the checksum of {} on PE {} is {sum:08x}, and was {written:08x} when it was written",
            self.path.display(),
            object.describe(),
            self.pe
        ))
    }
}
