//! The format of `shmem`'s checkpoints: a library that writes, checks and reads them, without a job
//! and without the runtime. `shmem-core` writes and restores by it, and tools read by it.
//!
//! ```text
//! checkpoints/               what the program names
//!   00000007/                a generation: complete, since it has its final name
//!     manifest               text: what it holds, and the checksums; its last line is its own
//!     pe-00000               the objects of PE 0, each at the offset that the manifest says
//!     pe-00001
//!   00000008.part/           a generation that is being written, or was when its job ended
//! ```
//!
//! * [`Directory`] begins a generation beside the others, completes it by one atomic `rename` after
//!   everything in it is on the disk, and then removes the older ones. So whenever a job is killed,
//!   the newest complete generation is there.
//! * [`Manifest`] is the text. [`PeFile`] writes the file of one PE, and [`Checkpoint`] reads.
//! * [`Spread`] says where the elements of a global array lie in the files, and
//!   [`Checkpoint::gather`] finds those of a PE of another number of PEs.
//! * [`Dtype`] and [`npy_header`] say how NumPy reads an object; [`Selection`] is `HALO[0..8]`.
//!
//! Offsets in the files are the same for all PEs. Blocks of zeros are left out: a file has holes
//! there. A lock is in the list of objects and has no bytes, because only free locks are stored.

#![forbid(unsafe_code)]

mod directory;
mod file;
mod gather;
mod manifest;
mod read;
mod select;
mod spread;
mod sum;
mod types;

use std::fmt;
use std::io;
use std::path::Path;

pub use directory::{Directory, Found, Writing};
pub use file::{CHUNK, PeFile, is_zeros};
pub use manifest::{FileRecord, Kind, Manifest, Object, VERSION, lay_out};
pub use read::{Checkpoint, PeReader};
pub use select::{Axis, Selection};
pub use spread::{Dealing, Ghosts, Overlap, Share, Spread};
pub use sum::Sum;
pub use types::{Dtype, npy_header};

/// What is wrong, in a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    text: String,
    is_damage: bool,
}

impl Error {
    fn new(text: impl Into<String>) -> Error {
        Error { text: text.into(), is_damage: false }
    }

    /// A file that is not what was written.
    fn damage(text: impl Into<String>) -> Error {
        Error { text: text.into(), is_damage: true }
    }

    /// Whether a file is missing, torn or changed: then this checkpoint can never be restored.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.is_damage
    }

    /// `cannot write a/b: No space left on device`.
    fn io(what: &str, path: &Path, source: &io::Error) -> Error {
        let remedy = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "; make room there: while a checkpoint is written, the one before is kept"
            }
            _ => "",
        };
        Error::new(format!("cannot {what} {}: {source}{remedy}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// What functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;
