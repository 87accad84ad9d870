//! What was compiled before, on disk.
//!
//! An entry is a file, whose name is a hash of its key. It also has the whole key, so two keys of one
//! hash are not mixed up. A file gets its name when it is complete, and who makes an entry holds a
//! lock: several PEs that need it make it once. Where the folder cannot be written, everything is
//! compiled again.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A folder of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCache {
    folder: PathBuf,
    /// How many bytes its files have together, about.
    limit: u64,
}

/// What an entry begins with.
const START: &[u8; 8] = b"shmemgpu";
/// What the names of entries end with.
const ENDING: &str = "cubin";
/// After this time a file that is not complete never will be.
const ABANDONED: Duration = Duration::from_secs(3600);

impl KernelCache {
    /// The bytes that a cache has at most, about.
    pub const LIMIT: u64 = 256 << 20;

    /// The cache in `folder`, which is made when it is needed.
    #[must_use]
    pub fn new(folder: PathBuf, limit: u64) -> KernelCache {
        KernelCache { folder, limit }
    }

    /// The cache of this user: `shmem` in `XDG_CACHE_HOME`, or in `~/.cache`. `None` where there is
    /// neither.
    #[must_use]
    pub fn of_this_user() -> Option<KernelCache> {
        let set = |variable| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        // As the specification of XDG says, a path that is not absolute is passed over.
        let folder = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let folder = folder.or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(KernelCache::new(folder.join("shmem/kernels"), KernelCache::LIMIT))
    }

    /// What is stored under `key`.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<Vec<u8>> {
        read(&self.path(key), key)
    }

    /// The file of an entry.
    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{ENDING}", hash(key)))
    }

    /// What is stored under `key`, or else what `make` makes, which is stored. `make` asks no cache:
    /// two entries may have one lock.
    ///
    /// # Errors
    ///
    /// Those of `make`. A folder that cannot be read or written is no error.
    pub fn get<E>(&self, key: &str, make: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
        let path = self.path(key);
        if let Some(stored) = read(&path, key) {
            return Ok(stored);
        }
        // Held until the entry is stored; where it cannot be had, others make the same.
        let lock = fs::create_dir_all(&self.folder)
            .and_then(|()| File::create(self.folder.join(format!("{:02}.lock", hash(key) % 64))))
            .and_then(|file| file.lock().map(|()| file));
        if lock.is_ok()
            && let Some(stored) = read(&path, key)
        {
            return Ok(stored);
        }
        let made = make()?;
        if self.store(&path, key, &made).is_ok() {
            self.make_room(&path);
        }
        Ok(made)
    }

    /// Writes an entry, which gets its name when it is complete.
    fn store(&self, path: &Path, key: &str, data: &[u8]) -> io::Result<()> {
        let number = RandomState::new().build_hasher().finish();
        let part = self.folder.join(format!("{number:016x}.part"));
        let lengths = [key.len() as u64, data.len() as u64].map(u64::to_le_bytes);
        let whole = [&START[..], &lengths[0], &lengths[1], key.as_bytes(), data].concat();
        let stored = fs::write(&part, whole).and_then(|()| fs::rename(&part, path));
        if stored.is_err() {
            // It may not have been made.
            let _ = fs::remove_file(&part);
        }
        stored
    }

    /// Removes the entries that were not used for the longest time, until the rest is within the limit,
    /// without `kept`; and what was never completed.
    fn make_room(&self, kept: &Path) {
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        let mut entries = Vec::new();
        for file in files.flatten() {
            let (path, Ok(known)) = (file.path(), file.metadata()) else { continue };
            let used = known.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(ENDING) => entries.push((used, known.len(), path)),
                Some("part") if used.elapsed().is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(&path);
                }
                _ => {}
            }
        }
        entries.sort();
        let mut all: u64 = entries.iter().map(|(_, len, _)| len).sum();
        for (_, len, path) in entries {
            if all <= self.limit {
                break;
            }
            // Another PE may have removed it.
            if path != kept && fs::remove_file(&path).is_ok() {
                all -= len;
            }
        }
    }
}

/// The entry of `key`, if the file is one and complete.
fn read(path: &Path, key: &str) -> Option<Vec<u8>> {
    let mut whole = fs::read(path).ok()?;
    let number = |at: usize| Some(u64::from_le_bytes(whole.get(at..at + 8)?.try_into().ok()?));
    let (key_len, data_len) = (number(8)?, number(16)?);
    let is_whole = whole.starts_with(START)
        && key_len == key.len() as u64
        && whole.len() as u64 == (24 + key_len).checked_add(data_len)?
        && whole[24..].starts_with(key.as_bytes());
    if !is_whole {
        return None;
    }
    // When it was used, for who makes room.
    let _ = File::options().write(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    whole.drain(..24 + key.len());
    Some(whole)
}

/// FNV-1a. It only spreads the names of files: an entry has its whole key.
fn hash(key: &str) -> u64 {
    key.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    fn cache(limit: u64) -> (tempfile::TempDir, KernelCache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::new(folder.path().join("deep/kernels"), limit);
        (folder, cache)
    }

    fn never() -> Result<Vec<u8>, String> {
        Err("made again".to_owned())
    }

    #[test]
    fn an_entry_is_made_once_and_an_error_is_not_stored() {
        let (_folder, cache) = cache(1 << 20);
        assert_eq!(cache.get("a", never), Err("made again".to_owned()));
        assert_eq!(cache.get("a", || Ok::<_, String>(vec![1, 2])), Ok(vec![1, 2]));
        assert_eq!(cache.get("a", never), Ok(vec![1, 2]));
        assert_eq!(cache.get("ab", || Ok::<_, String>(vec![])), Ok(vec![]));
        assert_eq!(cache.get("ab", never), Ok(vec![]));
    }

    /// Cut, overwritten, or of another key: made again.
    #[test]
    fn what_is_not_whole_is_made_again() {
        let (_folder, cache) = cache(1 << 20);
        cache.get("key", || Ok::<_, String>(vec![7; 100])).unwrap();
        let path = cache.path("key");
        let whole = fs::read(&path).unwrap();
        let mut other = whole.clone();
        other[24] = b'K';
        for broken in [&whole[..50], &whole[..10], b"", &[0; 40], &other] {
            fs::write(&path, broken).unwrap();
            assert_eq!(cache.get("key", || Ok::<_, String>(vec![8])), Ok(vec![8]));
            assert_eq!(cache.get("key", never), Ok(vec![8]));
        }
    }

    #[test]
    fn the_oldest_go_first() {
        let (_folder, cache) = cache(3500);
        for key in ["a", "b", "c"] {
            cache.get(key, || Ok::<_, String>(vec![0; 1000])).unwrap();
            let path = cache.path(key);
            let age = Duration::from_secs(1000 - u64::from(key.as_bytes()[0]));
            File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        cache.get("a", never).unwrap();
        cache.get("d", || Ok::<_, String>(vec![0; 1000])).unwrap();
        for (key, is_there) in [("a", true), ("b", false), ("c", true), ("d", true)] {
            assert_eq!(cache.get(key, never).is_ok(), is_there, "{key}");
        }
    }

    #[test]
    fn threads_that_need_an_entry_make_it_once() {
        let (_folder, cache) = cache(1 << 20);
        let made = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || {
                        made.fetch_add(1, Ordering::Relaxed);
                        Ok::<_, String>(vec![3; 10_000])
                    };
                    assert_eq!(cache.get("shared", make).unwrap(), [3; 10_000]);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let cache = KernelCache::new(PathBuf::from("/dev/null/kernels"), 100);
        assert_eq!(cache.get("a", || Ok::<_, String>(vec![1])), Ok(vec![1]));
    }
}
