//! Waits that can never end, found without a time limit.
//!
//! The supervisor reads what the PEs have written down (see
//! [`waits`](crate::transport::node::waits)), and looks for one of two things:
//!
//! * *a circle*: PEs of which each waits for the next one, and the last for the first, whatever the
//!   other PEs do. A PE that waits for a lock needs the PE before it in the queue, since no other PE
//!   sets the word by which the lock is handed over. A PE in a collective call needs every member
//!   that has not come.
//! * *all*: every PE waits. A cell may be written by any PE, so a wait for a cell is hopeless only
//!   then.
//!
//! # Why a wait that could still end is never called hopeless
//!
//! A suspicion is not a verdict. The supervisor notes the number of the wait that each of these PEs
//! is in, *then* asks each a question, and gives its verdict when, after that, each is still in the
//! same wait and has answered.
//!
//! 1. Call T the time between the notes and the question. Each of these PEs was in its wait before
//!    T, and is still in the same one after T. So all of them are in these waits at T. A PE marks a
//!    wait as over before it goes on, and the next one has another number.
//! 2. Each of these PEs has answered, so it has looked in vain after T. By the order that
//!    [`question`](crate::transport::node::question) describes, that look saw everything that these PEs had
//!    stored before they began to wait.
//! 3. Let P be the first of these PEs whose wait ends after T. Something that P waits for has changed
//!    after the look in vain. In a circle, only the next PE could have changed it; if all wait, only
//!    one of all PEs. That PE has not gone on, because P is the first. So there is no P.
//!
//! The argument counts a PE as one thread of execution that does nothing while it waits. So each of
//! these PEs must have had one thread when it wrote its wait down, or all others slept until a thread
//! of the PE wakes them (see [`threads`](crate::system::threads)); a thread that waits starts no other
//! and wakes none. The supervisor asks the system that nothing else could act for the PE: that it
//! handles no signal but those that the library handles, has no child process that may share its
//! memory, and is under no debugger. In doubt there is no verdict, and `SHMEM_TIMEOUT` is left.
//!
//! PEs that come to different collective calls find that themselves, earlier and with a sentence of
//! their own: see [`deadlock`](crate::transport::node::deadlock). They do so before they answer.

use super::table::{clause, groups, name};
use super::view::PeView;
#[cfg(target_os = "linux")]
use crate::system::proc::Status;
use crate::system::status::PeState;
use crate::transport::node::barrier::Part;
use crate::transport::node::waits::{PARTNER_RULE, WaitEntry, WaitKind};

/// Waits that may be hopeless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// The PEs, in the order of the circle where it is one, and the wait that each is in.
    pub(super) waits: Vec<(usize, u32)>,
    /// Whether it is a circle.
    pub(super) is_circle: bool,
}

/// The wait of a PE of which no other thread can act.
fn alone(view: &PeView) -> Option<&WaitEntry> {
    let runs = matches!(view.state, PeState::Running | PeState::Leaving);
    view.waits().filter(|wait| runs && wait.is_alone)
}

/// The PEs without which the wait does not end.
pub(super) fn needs(wait: &WaitEntry) -> &[usize] {
    match wait.kind {
        WaitKind::Lock => wait.other.as_slice(),
        WaitKind::Cells | WaitKind::Turn => &[],
        WaitKind::Meeting(_) | WaitKind::Partner => &wait.listed,
    }
}

/// Looks for waits that may be hopeless.
pub(super) fn suspect(pes: &[PeView]) -> Option<Suspicion> {
    let noted = |circle: Vec<usize>, is_circle| {
        let waits = circle.into_iter().filter_map(|pe| Some((pe, alone(&pes[pe])?.wait))).collect();
        Suspicion { waits, is_circle }
    };
    if let Some(circle) = circle(pes, alone) {
        return Some(noted(circle, true));
    }
    pes.iter().all(|view| alone(view).is_some()).then(|| noted((0..pes.len()).collect(), false))
}

/// A circle of PEs of which each needs the next, by the waits that `wait` finds.
pub(super) fn circle(pes: &[PeView], wait: impl Fn(&PeView) -> Option<&WaitEntry>) -> Option<Vec<usize>> {
    // 0: not seen; 1: on the way; 2: leads to no circle.
    let mut marks = vec![0_u8; pes.len()];
    let next = |pe: usize, from: usize| {
        let wait = wait(&pes[pe])?;
        (from..).zip(needs(wait).get(from..)?).find(|(_, other)| **other < pes.len())
    };
    for start in 0..pes.len() {
        if marks[start] != 0 {
            continue;
        }
        // The PEs on the way, each with how many of its needs were followed.
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        marks[start] = 1;
        while let Some((pe, followed)) = way.last_mut() {
            match next(*pe, *followed) {
                Some((at, &other)) => {
                    *followed = at + 1;
                    match marks[other] {
                        0 => {
                            marks[other] = 1;
                            way.push((other, 0));
                        }
                        1 => {
                            let first = way.iter().position(|(pe, _)| *pe == other)?;
                            return Some(way[first..].iter().map(|(pe, _)| *pe).collect());
                        }
                        _ => {}
                    }
                }
                None => {
                    marks[*pe] = 2;
                    way.pop();
                }
            }
        }
    }
    None
}

/// Why the PEs of a circle wait for each other.
pub(super) fn around(pes: &[PeView], circle: &[usize]) -> String {
    let kind = |pe: usize| pes[pe].waits().map(|wait| wait.kind);
    let links = || circle.iter().copied().zip(circle.iter().copied().cycle().skip(1));
    let clauses: Vec<String> = links().filter_map(|(pe, next)| clause(pes, &[pe], Some(next))).collect();
    let is_deserted =
        |(pe, next)| kind(pe) == Some(WaitKind::Partner) && kind(next) == Some(WaitKind::Meeting(Part::End));
    let rule = if links().any(is_deserted) { PARTNER_RULE } else { "" };
    clauses.join(", and ") + rule
}

impl Suspicion {
    /// Whether the PEs are still in the same waits. `pes` are views of after they have answered.
    pub(super) fn holds(&self, pes: &[PeView]) -> bool {
        let same = |(pe, wait): &(usize, u32)| alone(&pes[*pe]).is_some_and(|now| now.wait == *wait);
        let next = self.waits.iter().cycle().skip(1);
        let needs_next = |(pe, next): (&(usize, u32), &(usize, u32))| {
            alone(&pes[pe.0]).is_some_and(|wait| needs(wait).contains(&next.0))
        };
        self.waits.iter().all(same) && (!self.is_circle || self.waits.iter().zip(next).all(needs_next))
    }

    /// What can never happen, and why.
    pub(super) fn verdict(&self, pes: &[PeView]) -> (String, String) {
        let members: Vec<usize> = self.waits.iter().map(|(pe, _)| *pe).collect();
        if self.is_circle {
            let mut sorted = members.clone();
            sorted.sort_unstable();
            let title = match members.len() {
                1 => format!("{} waits for itself, and can never go on", name(&sorted)),
                _ => format!("{} wait for each other, and can never go on", name(&sorted)),
            };
            return (title, around(pes, &members));
        }
        let mut clauses: Vec<String> =
            groups(pes).iter().take(4).filter_map(|group| clause(pes, group, None)).collect();
        clauses.push("no PE is left that could end a wait".to_owned());
        let title = match members.len() {
            1 => "PE 0 can never go on".to_owned(),
            _ => "every PE waits, and none can ever go on".to_owned(),
        };
        (title, clauses.join("; "))
    }
}

/// Whether something else than its threads may act for a process: then its wait may end by itself.
#[cfg(target_os = "linux")]
pub(super) fn has_help(process: u32) -> bool {
    // What this library and the standard library handle, and the two that the C library has for
    // itself.
    const HANDLED: [i32; 6] = [libc::SIGQUIT, libc::SIGABRT, libc::SIGBUS, libc::SIGSEGV, 32, 33];
    let ours = HANDLED.iter().fold(0_u64, |mask, signal| mask | 1 << (signal - 1));
    let Some(status) = Status::of(process) else { return true };
    let handles = status.field("SigCgt").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    handles.is_none_or(|mask| mask & !ours != 0)
        || status.field("TracerPid") != Some("0")
        || has_children(process) != Some(false)
}

/// Whether a thread of a process has started a process that has not ended. Some kernels do not tell,
/// and then it has none.
#[cfg(target_os = "linux")]
fn has_children(process: u32) -> Option<bool> {
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let children = std::fs::read_to_string(thread.ok()?.path().join("children"));
        if children.is_ok_and(|list| !list.trim().is_empty()) {
            return Some(true);
        }
    }
    Some(false)
}

/// Nobody knows.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_help(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::super::view::Activity;
    use super::*;

    fn waits(wait: WaitEntry) -> PeView {
        let wait = Some(WaitEntry { is_alone: true, wait: 5, ..wait });
        PeView::new(PeState::Running, Activity::Sleeps, wait)
    }

    fn computes() -> PeView {
        PeView::new(PeState::Running, Activity::Runs, None)
    }

    fn lock(before: usize) -> PeView {
        let entry = WaitEntry::new(WaitKind::Lock, format!("the lock of {before}"), None, 0);
        waits(WaitEntry { other: Some(before), offset: before, ..entry })
    }

    fn barrier(missing: &[usize]) -> PeView {
        let entry = WaitEntry::new(WaitKind::Meeting(Part::Barrier), "barrier_all".to_owned(), None, 0);
        waits(WaitEntry { missing: missing.len(), members: 9, listed: missing.to_vec(), ..entry })
    }

    fn cell() -> PeView {
        waits(WaitEntry::new(WaitKind::Cells, "GO == 1".to_owned(), None, 0))
    }

    fn found(pes: &[PeView]) -> Option<(Vec<usize>, bool)> {
        suspect(pes).map(|found| (found.waits.iter().map(|(pe, _)| *pe).collect(), found.is_circle))
    }

    #[test]
    fn circles_are_found_beside_pes_that_compute() {
        assert_eq!(found(&[lock(1), lock(0), computes()]), Some((vec![0, 1], true)));
        assert_eq!(found(&[computes(), lock(3), lock(0), lock(1)]), Some((vec![1, 3], true)));
        assert_eq!(found(&[barrier(&[2]), computes(), lock(0)]), Some((vec![0, 2], true)));
        assert_eq!(found(&[barrier(&[1, 3]), computes(), lock(0), lock(2)]), Some((vec![0, 3, 2], true)));
    }

    #[test]
    fn a_partner_that_has_returned_is_explained() {
        let in_call = |kind, text: &str, other| {
            let entry = WaitEntry::new(kind, text.to_owned(), None, 0);
            waits(WaitEntry { missing: 1, members: 2, listed: vec![other], ..entry })
        };
        let partner = |other| in_call(WaitKind::Partner, "sync_with", other);
        let pes = [partner(1), in_call(WaitKind::Meeting(Part::End), "main", 0)];
        assert_eq!(
            suspect(&pes).unwrap().verdict(&pes).1,
            "PE 0 waits in sync_with for PE 1, and PE 1 has returned, and waits for PE 0: each of two PEs must name the other \
             equally often"
        );
        let pes = [partner(1), partner(0)];
        let why = suspect(&pes).unwrap().verdict(&pes).1;
        assert_eq!(why, "PE 0 waits in sync_with for PE 1, and PE 1 waits in sync_with for PE 0");
    }

    #[test]
    fn a_wait_that_another_pe_may_end_is_no_suspicion() {
        assert_eq!(found(&[cell(), computes()]), None);
        assert_eq!(found(&[lock(1), cell(), computes()]), None);
        assert_eq!(found(&[barrier(&[1]), computes(), barrier(&[1])]), None);
        // A thread may release what its PE has.
        let mut threads = lock(0);
        threads.wait.as_mut().unwrap().is_alone = false;
        assert_eq!(found(&[lock(1), threads, computes()]), None);
        // A wait that is over.
        let mut over = lock(0);
        over.wait.as_mut().unwrap().is_live = false;
        assert_eq!(found(&[lock(1), over]), None);
    }

    #[test]
    fn all_wait() {
        assert_eq!(found(&[cell()]), Some((vec![0], false)));
        assert_eq!(found(&[cell(), barrier(&[0]), barrier(&[0])]), Some((vec![0, 1, 2], false)));
    }

    #[test]
    fn a_suspicion_ends_when_a_pe_moves() {
        let pes = [barrier(&[1]), lock(0)];
        let suspicion = suspect(&pes).unwrap();
        assert!(suspicion.holds(&pes));
        let mut moved = pes.clone();
        moved[1].wait.as_mut().unwrap().wait += 1;
        assert!(!suspicion.holds(&moved));
        // The PE has come.
        let mut come = pes.clone();
        come[0] = barrier(&[]);
        assert!(!suspicion.holds(&come));
    }

    #[test]
    fn verdicts() {
        let (title, why) = {
            let pes = [lock(1), lock(0), computes()];
            suspect(&pes).unwrap().verdict(&pes)
        };
        assert_eq!(title, "PE 0, 1 wait for each other, and can never go on");
        assert_eq!(
            why,
            "PE 0 waits for the lock of 1, which PE 1 has, and PE 1 waits for the lock of 0, which PE 0 has"
        );
        let pes = [cell(), barrier(&[0]), barrier(&[0])];
        let (title, why) = suspect(&pes).unwrap().verdict(&pes);
        assert_eq!(title, "every PE waits, and none can ever go on");
        assert_eq!(
            why,
            "PE 0 waits for GO == 1; PE 1, 2 wait in barrier_all for PE 0; no PE is left that could end a wait"
        );
    }
}
