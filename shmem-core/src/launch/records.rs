//! The memory in which PEs over a C library write down what they do, for the process that has started
//! their launcher: what they wait for, and in a run that looks for races or is traced also their
//! journals.
//!
//! The first is a memory object without a name, as that of a job on one machine, but without heaps that
//! anyone uses; the journals are others. The PEs do not inherit them, because a launcher stands in
//! between. They open them by the path that Linux has for the descriptors of a process of the same
//! user. A PE on another host does not find them, and neither does a PE whose process numbers are other
//! ones, as in a container. Then nobody uses them: see `LibraryJob::presences` and
//! `OpenshmemTransport::first_without_journal`.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags};

use super::choice::Launched;
use super::job::object;
use crate::system::journal::Journals;
use crate::system::os::System;
use crate::transport::layout;
use crate::transport::smp::segment::Segment;

/// Makes the memory for `npes` PEs; `None` where the system has no such paths.
pub(super) fn make(npes: usize) -> Option<Segment> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    Segment::create(System::ALL[0], npes, heap()).ok()
}

/// As a job's, for the layout; the system allocates a page when it is first written.
fn heap() -> usize {
    layout::END.next_multiple_of(rustix::param::page_size())
}

/// Where the PEs find this memory of this process: the boot of the host, the process, the descriptor,
/// and what it refers to. Without a comma.
pub(super) fn place_of(memory: impl AsFd) -> Option<String> {
    let (device, inode) = object(memory.as_fd()).ok()?;
    let (process, number) = (std::process::id(), memory.as_fd().as_raw_fd());
    Some(format!("{}/{process}/{number}/{device}/{inode}", boot()?))
}

/// Maps the memory at `place`, if this process is on the same host and may do so.
pub(super) fn find(place: &str, npes: usize) -> Option<&'static Segment> {
    let memory = Segment::attach(System::ALL[0], open(place)?, 0, npes, heap()).ok()?;
    Some(Box::leak(Box::new(memory)))
}

/// The journals that a PE has found.
pub(super) struct FoundJournals {
    /// Those of a run that looks for races.
    pub(super) races: Option<Journals>,
    /// Those of a run that is traced.
    pub(super) recording: Option<Journals>,
    /// Whether there are any, and all were found.
    pub(super) are_all: bool,
}

impl FoundJournals {
    /// Maps the journals that the process has made which started the launcher.
    pub(super) fn find(launched: Option<&Launched>) -> FoundJournals {
        let places = launched.map_or([None; 2], |it| [it.journals.as_deref(), it.recording.as_deref()]);
        let npes = launched.map_or(0, |launched| launched.npes);
        let [races, recording] = places.map(|place| find_journals(place?, npes));
        let are_found = [&races, &recording].map(Option::is_some);
        let are_all = are_found.contains(&true) && places.map(|place| place.is_some()) == are_found;
        FoundJournals { races, recording, are_all }
    }
}

/// Maps the journals at `place`, if this process is on the same host and may do so.
fn find_journals(place: &str, npes: usize) -> Option<Journals> {
    Journals::attach(open(place)?, npes).ok()
}

/// Opens the memory at `place`.
fn open(place: &str) -> Option<OwnedFd> {
    let words: Vec<&str> = place.split('/').collect();
    let [of_boot, process, number, device, inode] = words[..] else { return None };
    if of_boot != boot()? {
        return None;
    }
    let (process, number): (u32, u32) = (process.parse().ok()?, number.parse().ok()?);
    let path = format!("/proc/{process}/fd/{number}");
    // What is no memory object may be something that an open would wait for, such as a pipe.
    let what = rustix::fs::stat(&path).ok()?;
    let expected = (device.parse().ok()?, inode.parse().ok()?);
    // The types differ between systems.
    #[allow(clippy::unnecessary_cast)]
    if (what.st_dev as u64, what.st_ino as u64) != expected {
        return None;
    }
    let memory = rustix::fs::open(&path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).ok()?;
    (object(&memory).ok()? == expected).then_some(memory)
}

/// A name that no other host has, and this one only until it is started again.
fn boot() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(boot.trim().to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::system::status::PeState;

    #[test]
    fn what_a_pe_writes_is_read() {
        let memory = make(3).unwrap();
        let place = place_of(memory.fd()).unwrap();
        let found = find(&place, 3).expect("this process may open its own descriptors");
        found.status(2).set(PeState::Running);
        assert_eq!(memory.status(2).state(), PeState::Running);
        // Another number of PEs, another object, another host.
        assert!(find(&place, 4).is_none());
        let (rest, inode) = place.rsplit_once('/').unwrap();
        assert!(find(&format!("{rest}/{}1", inode), 3).is_none());
        assert!(find(&format!("x{place}"), 3).is_none());
        for nonsense in ["", "/", "////", &place[1..]] {
            assert!(find(nonsense, 3).is_none(), "{nonsense:?}");
        }
        assert!(find_journals(&place, 3).is_none());
        drop(memory);
        assert!(find(&place, 3).is_none());
        let journals = Journals::create(System::ALL[0], 3).unwrap();
        let place = place_of(journals.fd()).unwrap();
        find_journals(&place, 3).expect("as above").write(2, &[[7; 8]], || ());
        assert_eq!(journals.read(2), Some([7; 8]));
        assert!(find(&place, 3).is_none() && find_journals(&place, 2).is_none());
    }
}
