//! Writing the file of one PE.

use std::fs::{File, OpenOptions};
use std::num::NonZero;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::directory::change;
use crate::manifest::Manifest;

/// How many bytes to write at a time: enough for the disk, few enough to be in the cache still when
/// they are written after their sum was taken.
pub const CHUNK: usize = 1 << 20;

/// After how many bytes the disk is told to begin: enough for long requests, few enough that it is
/// seldom idle.
const AHEAD: u64 = 8 << 20;

/// A block of zeros of this size is left out.
const BLOCK: usize = 64 << 10;

/// The file of one PE, in a generation that is being written.
#[derive(Debug)]
pub struct PeFile {
    file: File,
    path: PathBuf,
    /// What was written since the disk was last told to begin.
    waiting: Range<u64>,
}

impl PeFile {
    /// Makes the file of `pe` in the folder `part`.
    ///
    /// # Errors
    ///
    /// When it cannot be made: PE 0 has made the folder, so one that is not there is not shared.
    pub fn create(part: &Path, pe: usize) -> Result<PeFile> {
        let path = part.join(Manifest::file_name(pe));
        let file = change("make", &path, || OpenOptions::new().write(true).create_new(true).open(&path))?;
        Ok(PeFile { file, path, waiting: 0..0 })
    }

    /// Writes `bytes` at the offset `at`. Blocks of zeros become holes.
    ///
    /// # Errors
    ///
    /// When the disk is full, and the like.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let mut start = 0;
        while start < bytes.len() {
            let len = |from: usize| BLOCK.min(bytes.len() - from);
            if is_zeros(&bytes[start..start + len(start)]) {
                start += len(start);
                continue;
            }
            let mut end = start + len(start);
            while end < bytes.len() && !is_zeros(&bytes[end..end + len(end)]) {
                end += len(end);
            }
            let run = &bytes[start..end];
            change("write", &self.path, || self.file.write_all_at(run, at + start as u64))?;
            self.begin_writing(at + start as u64..at + end as u64);
            start = end;
        }
        Ok(())
    }

    /// Has the disk begin with what was written, from time to time: by itself the system keeps much in
    /// memory, and the disk would have nothing to do until [`finish`](PeFile::finish).
    fn begin_writing(&mut self, written: Range<u64>) {
        if written.start != self.waiting.end {
            self.waiting.start = written.start;
        }
        self.waiting.end = written.end;
        let len = self.waiting.end - self.waiting.start;
        if len >= AHEAD {
            start_writeback(&self.file, self.waiting.start, len);
            self.waiting.start = self.waiting.end;
        }
    }

    /// Gives the file its size, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// When the disk is full, and the like.
    pub fn finish(self, bytes: u64) -> Result<()> {
        change("write", &self.path, || self.file.set_len(bytes))?;
        change("write", &self.path, || self.file.sync_all())
    }
}

/// Has the disk begin to write a part of a file, without waiting for it.
#[cfg(target_os = "linux")]
fn start_writeback(file: &File, at: u64, len: u64) {
    // The pages are not needed any more. Linux begins to write those that are not on the disk. The rest
    // of the call, to forget those that are, does nothing here: these are not there yet. An error
    // means that the disk begins later.
    let _ = rustix::fs::fadvise(file, at, NonZero::new(len), rustix::fs::Advice::DontNeed);
}

/// Other systems begin by themselves.
#[cfg(not(target_os = "linux"))]
fn start_writeback(_file: &File, _at: u64, _len: u64) {}

/// Whether all bytes are 0. Data other than zeros is found out at its first bytes; the rest is a
/// comparison of the block with itself, by one byte shifted.
#[must_use]
pub fn is_zeros(block: &[u8]) -> bool {
    match block {
        [] => true,
        [first, ..] => *first == 0 && block[..block.len() - 1] == block[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_recognised() {
        assert!(is_zeros(&[]) && is_zeros(&[0]) && is_zeros(&[0; 777]));
        for at in [0, 1, 400, 775, 776] {
            let mut block = [0; 777];
            block[at] = 1;
            assert!(!is_zeros(&block), "{at}");
        }
    }

    #[test]
    fn blocks_of_zeros_are_holes() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = vec![0; 3 << 20];
        bytes[0] = 1;
        bytes[(2 << 20) + 5] = 2;
        let mut file = PeFile::create(folder.path(), 0).unwrap();
        file.write(0, &bytes).unwrap();
        file.finish(4 << 20).unwrap();
        let path = folder.path().join("pe-00000");
        bytes.resize(4 << 20, 0);
        assert!(std::fs::read(&path).unwrap() == bytes);
        assert!(path.metadata().unwrap().blocks() * 512 < 1 << 20, "holes take no room");
    }
}
