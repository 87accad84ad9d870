//! The file of a trace: written beside its place while the job runs, and renamed at the end.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::launch::supervisor::system;
use crate::system::error::Error;

/// The most bytes of an end that events can give way to.
const ROOM: usize = 8;

/// A file that is being written.
pub(super) struct TraceFile {
    /// Where it will be.
    path: PathBuf,
    /// Where it is.
    partial: PathBuf,
    file: File,
    /// What stands before each event; nothing if the file makes no sense without its end.
    separator: &'static [u8],
    /// How many bytes it has.
    len: u64,
    /// Where the last of the events begins that may give way to the end of the file.
    spare: Option<u64>,
    refused: Option<io::Error>,
    is_done: bool,
}

impl TraceFile {
    /// Makes the file beside `path`. A `separator` stands before each event that it will have.
    ///
    /// # Errors
    ///
    /// When it cannot be made there, and when another job writes it.
    pub(super) fn create(path: &Path, separator: &'static [u8]) -> Result<TraceFile, Error> {
        let shown = path.display();
        let failed = |why: &str, error| {
            system(
                &format!("cannot write the trace to {shown}{why}: name another file with SHMEM_TRACE"),
                error,
            )
        };
        if path.is_dir() {
            return Err(failed(", which is a folder", io::ErrorKind::IsADirectory.into()));
        }
        let mut name = OsString::from(path);
        name.push(".partial");
        let partial = PathBuf::from(name);
        let mut options = OpenOptions::new();
        let file = options.create(true).write(true).truncate(false).open(&partial);
        let file = file.map_err(|error| failed("", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed(", as another job writes there", io::ErrorKind::WouldBlock.into()));
            }
            // A file system without locks.
            Err(TryLockError::Error(_)) => {}
        }
        file.set_len(0).map_err(|error| failed("", error))?;
        let (path, refused) = (path.to_owned(), None);
        Ok(TraceFile { path, partial, file, separator, len: 0, spare: None, refused, is_done: false })
    }

    /// Adds a piece of whole events. After an error all others are left out.
    pub(super) fn write(&mut self, piece: &[u8]) {
        if self.refused.is_some() {
            return;
        }
        let mut done = 0;
        while done < piece.len() {
            match self.file.write(&piece[done..]) {
                Ok(0) => self.refused = Some(io::ErrorKind::WriteZero.into()),
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.refused = Some(error),
            }
            if self.refused.is_some() {
                break;
            }
        }
        // The end of the file is no longer than an event.
        let whole = &piece[..if done < piece.len() { done.saturating_sub(ROOM) } else { done }];
        let begins = |at: &usize| whole[*at..].starts_with(self.separator);
        if !self.separator.is_empty()
            && let Some(last) = (0..whole.len()).rev().find(begins)
        {
            self.spare = Some(self.len + last as u64);
        }
        self.len += done as u64;
    }

    /// Writes the last piece, and gives the file its name. Where the disk took no more, the last event
    /// gives way to it, so that the file is whole.
    ///
    /// # Errors
    ///
    /// What is said of it.
    pub(super) fn finish(mut self, last: &[u8]) -> Result<(), String> {
        self.write(last);
        let path = self.path.display().to_string();
        let remedy = "make room on the disk, or name a file on another one with SHMEM_TRACE";
        let refused = self.refused.take();
        if let Some(error) = &refused {
            let cut = self.spare.filter(|_| last.len() <= ROOM).is_some_and(|end| {
                let cut = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
                cut.and_then(|_| self.file.write_all(last)).is_ok()
            });
            if !cut {
                return Err(format!("cannot write the trace to {path}: {error}; {remedy}"));
            }
        }
        let renamed = fs::rename(&self.partial, &self.path);
        self.is_done = renamed.is_ok();
        match (renamed, refused) {
            (Err(error), _) => Err(format!(
                "cannot give the trace {} its name {path}: {error}; name another file with SHMEM_TRACE",
                self.partial.display()
            )),
            (Ok(()), Some(error)) => {
                Err(format!("{path} has only the beginning of the trace: {error}; {remedy}"))
            }
            (Ok(()), None) => Ok(()),
        }
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        if !self.is_done {
            // Nothing is left of a trace that has no end.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_its_name_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let mut file = TraceFile::create(&path, b"").unwrap();
        file.write(b"one ");
        assert!(!path.exists());
        let second = TraceFile::create(&path, b"").map(drop).unwrap_err().to_string();
        assert!(
            second.contains("as another job writes there: name another file with SHMEM_TRACE"),
            "{second}"
        );
        file.finish(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
        // The next one replaces it, and one that is not finished does not.
        drop(TraceFile::create(&path, b"").unwrap());
        TraceFile::create(&path, b"").unwrap().finish(b"three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = TraceFile::create(folder.path(), b"").map(drop).unwrap_err().to_string();
        assert!(error.contains("which is a folder: name another file with SHMEM_TRACE"), "{error}");
        let missing = folder.path().join("no/run.json");
        let error = TraceFile::create(&missing, b"").map(drop).unwrap_err().to_string();
        let start = format!("cannot write the trace to {}: name another file", missing.display());
        assert!(error.contains(&start), "{error}");
    }
}
