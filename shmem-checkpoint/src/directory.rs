//! The generations in a directory, and how one of them becomes the newest.
//!
//! Each step leaves a complete generation behind, whatever comes next:
//!
//! 1. `00000008.part` is made, and each PE writes its file there and waits for the disk (`fsync`);
//! 2. the manifest is written there, and the disk awaited for it and for the folder's entries;
//! 3. `00000008.part` gets the name `00000008`, and the disk is awaited for that name: only here is
//!    the generation complete, and at once;
//! 4. `00000007` gets the name `00000007.part`, so that it is not taken for a complete one, and is
//!    removed.
//!
//! What a job that was killed has left under a name with `.part`, the next one removes.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::manifest::Manifest;
use crate::{Error, Result};

/// How long to wait for a job that has the directory: one that was killed takes a moment to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A directory of checkpoints.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

/// What is in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The numbers of the complete generations.
    pub complete: BTreeSet<u64>,
    /// The numbers of those that are not: being written, being removed, or left so.
    pub parts: BTreeSet<u64>,
}

/// Makes one change to the file system, which an error says in the words `what`. For a test it is a
/// moment at which the process may end.
pub(crate) fn change<T>(what: &str, path: &Path, act: impl FnOnce() -> io::Result<T>) -> Result<T> {
    #[cfg(test)]
    tests::step()?;
    act().map_err(|source| Error::io(what, path, &source))
}

impl Directory {
    /// The directory at `path`, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Directory {
        Directory(path.into())
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folder of a complete generation.
    #[must_use]
    pub fn complete(&self, generation: u64) -> PathBuf {
        self.0.join(format!("{generation:08}"))
    }

    /// The folder of a generation that is not complete.
    #[must_use]
    pub fn part(&self, generation: u64) -> PathBuf {
        self.0.join(format!("{generation:08}.part"))
    }

    /// What is in it; nothing, if it does not exist.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn find(&self) -> Result<Found> {
        let mut found = Found::default();
        let wrong = |source: io::Error| Error::io("read the directory", &self.0, &source);
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(wrong(error)),
        };
        for entry in entries {
            let name = entry.map_err(wrong)?.file_name();
            let Some(name) = name.to_str() else { continue };
            let (digits, list) = match name.strip_suffix(".part") {
                Some(digits) => (digits, &mut found.parts),
                None => (name, &mut found.complete),
            };
            if digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                list.extend(digits.parse::<u64>());
            }
        }
        Ok(found)
    }

    /// Keeps other jobs from the directory, until the file is dropped. `None` if there is no such
    /// directory, or if its file system has no locks.
    ///
    /// # Errors
    ///
    /// When another job has it, and when the directory cannot be opened.
    pub fn lock(&self) -> Result<Option<File>> {
        let file = match File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("open the directory", &self.0, &error)),
        };
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(format!(
                        "another job has the directory {}: give each job a directory of its own",
                        self.0.display()
                    )));
                }
            }
        }
    }

    /// Begins the next generation: makes its folder, and removes what other jobs have left
    /// incomplete.
    ///
    /// # Errors
    ///
    /// When the directory cannot be made or written to, and when another job writes to it.
    pub fn begin(&self) -> Result<Writing> {
        if !self.0.is_dir() {
            change("make the directory", &self.0, || fs::create_dir_all(&self.0))?;
            // The name of a new directory is an entry of the one above.
            let above = match self.0.parent() {
                Some(above) if !above.as_os_str().is_empty() => above,
                _ => Path::new("."),
            };
            sync_folder(above)?;
        }
        let lock = self.lock()?;
        let Found { complete, parts } = self.find()?;
        for &left in &parts {
            remove(&self.part(left))?;
        }
        let generation = complete.last().max(parts.last()).map_or(1, |newest| newest.saturating_add(1));
        let part = self.part(generation);
        change("make the folder", &part, || fs::create_dir(&part))?;
        Ok(Writing { directory: self.clone(), generation, _lock: lock })
    }
}

/// A generation that is being written, by the PE that began it. Dropping it leaves the folder.
#[derive(Debug)]
pub struct Writing {
    directory: Directory,
    generation: u64,
    _lock: Option<File>,
}

impl Writing {
    /// Its number.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Completes it, when every PE has [finished](crate::PeFile::finish) its file, and removes the
    /// generations before it.
    ///
    /// # Errors
    ///
    /// When a file of a PE is not there, and when the file system refuses a step. Only if the last
    /// one fails, the removal of an older generation, the new one is complete.
    pub fn commit(&self, manifest: &Manifest) -> Result<()> {
        let (part, directory) = (self.directory.part(self.generation), &self.directory);
        for (pe, file) in manifest.files.iter().enumerate() {
            let path = part.join(Manifest::file_name(pe));
            let seen = fs::metadata(&path).map(|found| found.len());
            if seen.as_ref().ok() != Some(&file.bytes) {
                let why = match seen {
                    Ok(seen) => format!("it has {seen} bytes here, and {} on that PE", file.bytes),
                    Err(error) => error.to_string(),
                };
                return Err(Error::new(format!(
                    "PE {pe} has written {}, and PE 0 does not see it: {why}; the directory must be on a file system that \
                     all PEs share",
                    path.display()
                )));
            }
        }
        let path = part.join("manifest");
        let mut file = change("make", &path, || OpenOptions::new().write(true).create_new(true).open(&path))?;
        change("write", &path, || file.write_all(manifest.to_text().as_bytes()))?;
        change("write", &path, || file.sync_all())?;
        sync_folder(&part)?;
        let complete = directory.complete(self.generation);
        change("complete", &complete, || fs::rename(&part, &complete))?;
        sync_folder(directory.path())?;
        for &older in directory.find()?.complete.range(..self.generation) {
            let (complete, part) = (directory.complete(older), directory.part(older));
            change("remove", &complete, || fs::rename(&complete, &part))?;
            remove(&part)?;
        }
        Ok(())
    }

    /// Removes it. What cannot be removed, the next generation removes.
    pub fn abandon(self) {
        let _ = remove(&self.directory.part(self.generation));
    }
}

/// Removes a folder and the files in it.
fn remove(folder: &Path) -> Result<()> {
    let entries = change("remove", folder, || fs::read_dir(folder))?;
    for entry in entries {
        let path = entry.map_err(|error| Error::io("remove", folder, &error))?.path();
        change("remove", &path, || fs::remove_file(&path))?;
    }
    change("remove", folder, || fs::remove_dir(folder))
}

/// Waits until the names in a folder are on the disk.
fn sync_folder(folder: &Path) -> Result<()> {
    let file = change("open the directory", folder, || File::open(folder))?;
    change("write the entries of", folder, || match file.sync_all() {
        // A file system that knows no such call keeps names in another way.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::{Checkpoint, FileRecord, Kind, Object, PeFile, Sum, lay_out};

    thread_local! {
        /// How many changes the process lives to make.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// What a process that is killed leaves by: nothing handles it.
    struct Killed;

    /// Ends the "process" when its time has come.
    pub(super) fn step() -> Result<()> {
        LEFT.with(|left| match left.get() {
            0 => std::panic::resume_unwind(Box::new(Killed)),
            many => {
                left.set(many - 1);
                Ok(())
            }
        })
    }

    /// What the objects of a PE hold in a step.
    fn content(step: u64, pe: usize) -> Vec<u8> {
        let mut bytes = vec![0; 70_000];
        bytes[..8].copy_from_slice(&step.to_le_bytes());
        bytes[69_000..].fill(step as u8 ^ pe as u8);
        bytes
    }

    /// Writes a generation of two PEs.
    fn checkpoint(directory: &Directory, step: u64) -> Result<()> {
        let writing = directory.begin()?;
        let element = String::from("u8");
        let mut objects = vec![Object {
            kind: Kind::Array(0),
            element,
            size: 1,
            extents: vec![70_000],
            spread: None,
            at: 0,
            place: String::new(),
        }];
        let bytes = lay_out(&mut objects);
        let mut files = Vec::new();
        for pe in 0..2 {
            let mut file = PeFile::create(&directory.part(writing.generation()), pe)?;
            let content = content(step, pe);
            file.write(0, &content)?;
            file.finish(bytes)?;
            files.push(FileRecord { bytes, sums: vec![Sum::of(&content)] });
        }
        writing.commit(&Manifest {
            program: String::from("p"),
            time: 0,
            transport: String::from("smp"),
            generation: writing.generation(),
            objects,
            files,
        })
    }

    /// The step that the newest generation holds, on both PEs; none if there is no generation.
    fn restored(directory: &Directory) -> Option<u64> {
        let newest = *directory.find().unwrap().complete.last()?;
        let checkpoint = Checkpoint::open(directory, newest).unwrap();
        let mut steps = Vec::new();
        for pe in 0..2 {
            let reader = checkpoint.pe(pe).unwrap();
            reader.verify(&mut |_| ()).unwrap();
            let mut bytes = vec![0; 70_000];
            reader.read(0, &mut bytes).unwrap();
            let step = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            assert_eq!(bytes, content(step, pe));
            steps.push(step);
        }
        assert_eq!(steps[0], steps[1]);
        Some(steps[0])
    }

    /// Kills the process before each change that it makes to the file system, for as many
    /// generations as a directory passes through all of its states in.
    #[test]
    fn every_moment_leaves_a_complete_generation() {
        let folder = tempfile::tempdir().unwrap();
        let (mut killed, mut survived) = (0, 0);
        while survived < 2 {
            let path = folder.path().join(format!("{killed}/below"));
            let directory = Directory::new(&path);
            let mut done = 0;
            LEFT.set(killed);
            let life = catch_unwind(AssertUnwindSafe(|| {
                for step in 1..=3 {
                    checkpoint(&directory, step).unwrap();
                    done = step;
                }
            }));
            LEFT.set(usize::MAX);
            survived += usize::from(life.is_ok());
            let found = restored(&directory).unwrap_or(0);
            assert!((done..=done + 1).contains(&found), "killed at {killed}: {found} was found, {done} done");
            // The next job goes on from there, and leaves nothing of the one before.
            checkpoint(&directory, 9).unwrap();
            assert_eq!(restored(&directory), Some(9));
            let found = directory.find().unwrap();
            assert_eq!((found.complete.len(), found.parts.len()), (1, 0), "killed at {killed}");
            killed += 1;
        }
        assert!(killed > 50, "only {killed} moments");
    }

    #[test]
    fn other_names_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["notes.txt", "1234567", "0000000x", "00000003.old", "00000005.part", "123456789"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let directory = Directory::new(folder.path());
        let found = directory.find().unwrap();
        assert_eq!((found.complete, found.parts), ([123_456_789].into(), [5].into()));
        assert_eq!(directory.begin().unwrap().generation(), 123_456_790);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
    }

    /// Two jobs of one directory do not mix their files.
    #[test]
    fn the_directory_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path());
        let writing = directory.begin().unwrap();
        assert!(File::open(folder.path()).unwrap().try_lock().is_err());
        drop(writing);
        assert!(File::open(folder.path()).unwrap().try_lock().is_ok());
    }
}
