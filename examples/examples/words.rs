//! Counts the words in the files of a directory, on all PEs.
//!
//! ```text
//! cargo run --release --example words                    # this folder of examples
//! cargo run --release --example words -- /usr/share/doc
//! ```
//!
//! Files differ in length, so no PE gets a fixed share: a PE that is ready draws the number of the next
//! file from a cell on PE 0. Each word has an owner, by its hash. When all files are read, every PE sends
//! to each owner the words that it has seen, with their numbers. No PE knows what it will get: lengths
//! come with the words. Each owner adds up, and PE 0 gets the most frequent words of each.
//!
//! A word is a run of letters, without regard to upper and lower case.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use examples::{Failure, count};
use shmem::prelude::*;

/// How many words are printed.
const TOP: usize = 10;

/// The number of the next file that nobody has read; on PE 0.
#[symmetric]
static NEXT: Atomic<usize> = Atomic::new(0);

type Counts = HashMap<String, u64>;

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes, team) = (world.my_pe(), world.n_pes(), world.team());

    // PE 0 lists the files: a directory may change from one look to the next.
    let mut names = if me == 0 { list(&directory()?)? } else { Vec::new() };
    let mut length = [names.len()];
    team.broadcast_values(&mut length, 0);
    names.resize(length[0], 0);
    team.broadcast_values(&mut names, 0);
    let files: Vec<&Path> =
        names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path).collect();

    let mut seen = Counts::new();
    let mut read = 0_usize;
    while let Some(file) = files.get(remote!(&NEXT[0]).fetch_add(1)) {
        count_words(file, &mut seen)?;
        read += 1;
    }

    // To each word's owner.
    let mut parts = vec![String::new(); n_pes];
    for (word, times) in seen {
        parts[owner(&word, n_pes)] += &format!("{word} {times}\n");
    }
    let parts: Vec<Vec<u8>> = parts.into_iter().map(String::into_bytes).collect();
    let mut mine = Counts::new();
    for part in team.alltoallv_values(&parts) {
        for (word, times) in pairs(&part) {
            *mine.entry(word).or_default() += times;
        }
    }

    let (different, words) = (mine.len(), mine.values().sum::<u64>());
    let (different, words) = (collective!(sum different), collective!(sum words));
    let (most, pe) = collective!(maxloc read);
    let best: Vec<u8> =
        top(mine).into_iter().flat_map(|(word, times)| format!("{word} {times}\n").into_bytes()).collect();
    if let Some(best) = collective!(gatherv &best to 0) {
        let best = top(pairs(&best).collect());
        check(&files, &best, different, words)?;
        for (word, times) in &best {
            println!("{times:>8} {word}");
        }
        println!(
            "{} in {} on {}, {} of them different: the same as serially",
            count(words as usize, "word"),
            count(files.len(), "file"),
            count(n_pes, "PE"),
            different
        );
        println!("PE {pe} has read most files: {most}");
    }
    Ok(())
}

/// The argument, or the folder of this example.
fn directory() -> Result<PathBuf, Failure> {
    let mut arguments = std::env::args_os().skip(1);
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let directory = arguments.next().map_or_else(here, PathBuf::from);
    match arguments.next() {
        None => Ok(directory),
        Some(_) => Err(Failure::new("words takes one argument at most: the path of a directory")),
    }
}

/// The names of all files in a directory and below, each with a zero at its end, in order. Links are not
/// followed.
fn list(directory: &Path) -> Result<Vec<u8>, Failure> {
    let failure = |path: &Path, error| Failure::new(format!("cannot list {}: {error}", path.display()));
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| failure(&folder, error))? {
            let entry = entry.map_err(|error| failure(&folder, error))?;
            let kind = entry.file_type().map_err(|error| failure(&entry.path(), error))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files.iter().flat_map(|file| file.as_os_str().as_bytes().iter().copied().chain([0])).collect())
}

fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// Adds the words of a file. What is not UTF-8 in it separates words.
fn count_words(file: &Path, counts: &mut Counts) -> Result<(), Failure> {
    let bytes =
        fs::read(file).map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    for word in text.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()) {
        match counts.get_mut(word) {
            Some(times) => *times += 1,
            None => _ = counts.insert(word.to_owned(), 1),
        }
    }
    Ok(())
}

/// The PE that adds up this word.
fn owner(word: &str, n_pes: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    (hasher.finish() % n_pes as u64) as usize
}

/// Words with their numbers, of lines that another PE has written.
fn pairs(lines: &[u8]) -> impl Iterator<Item = (String, u64)> {
    let lines = std::str::from_utf8(lines).expect("a PE sends text");
    lines.lines().map(|line| {
        let (word, times) = line.split_once(' ').expect("a word and a number");
        (word.to_owned(), times.parse().expect("a number"))
    })
}

/// The most frequent words, those with equal numbers in the order of the alphabet.
fn top(counts: Counts) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = counts.into_iter().collect();
    all.sort_by(|(a, times), (b, others)| others.cmp(times).then_with(|| a.cmp(b)));
    all.truncate(TOP);
    all
}

/// Counts serially, and compares.
fn check(files: &[&Path], best: &[(String, u64)], different: usize, words: u64) -> Result<(), Failure> {
    let mut counts = Counts::new();
    for file in files {
        count_words(file, &mut counts)?;
    }
    assert_eq!((different, words), (counts.len(), counts.values().sum()), "words, and how many of them");
    assert_eq!(best, top(counts), "the most frequent words");
    Ok(())
}
