//! Where cargo puts the static library. The tests of the book look there too.

use std::fs;
use std::path::{Path, PathBuf};

/// The archive in a folder: the newest of its name.
pub(crate) fn newest(folder: &Path) -> Option<PathBuf> {
    let is_archive = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libshmem_c") && name.ends_with(".a")
    };
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let age = |path: &PathBuf| fs::metadata(path).ok()?.modified().ok();
    files.filter(is_archive).max_by_key(age)
}
