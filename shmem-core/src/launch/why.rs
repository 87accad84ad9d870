//! Why the PEs of a job do not go on, in one sentence: who waits for whom, and who does not wait.
//!
//! It repeats what the PEs have written down, and proves nothing: [`stuck`](super::stuck) finds waits
//! that can never end.

use super::stuck::{around, circle, needs};
use super::table::{clause, groups, name};
use super::view::{Activity, PeView};
use crate::system::status::PeState;
use crate::transport::node::waits::{WaitEntry, WaitKind};

/// How many groups of PEs that wait for the same are named.
const NAMED: usize = 6;

/// The sentence; `None` where no PE waits, and none is stopped. `proves` says that a transfer is over
/// before its PE waits.
pub(super) fn why(pes: &[PeView], proves: bool) -> Option<String> {
    // A PE that is stopped may not have seen yet that its wait is over.
    if let Some(circle) = circle(pes, |view| view.waits().filter(|_| view.stopped().is_none())) {
        return Some(around(pes, &circle));
    }
    let mut groups = groups(pes);
    for group in &mut groups {
        // It is not its wait that keeps it.
        group.retain(|pe| pes[*pe].stopped().is_none());
    }
    // Those who are about to go on explain nothing.
    groups.retain(|group| wait(pes, group).is_some_and(|wait| !wait.kind.is_meeting() || wait.missing > 0));
    // A wait in a collective call or for a lock may lead to another wait; a cell leads to none.
    groups
        .sort_by_key(|group| wait(pes, group).map(|wait| (!wait.kind.is_meeting(), needs(wait).is_empty())));
    let mut others = others(pes);
    if groups.is_empty() {
        others.retain(|(members, _)| pes[members[0]].stopped().is_some());
    }
    let writer = only_writer(pes, &others).filter(|_| proves);
    let mut text = String::new();
    let mut needed: Vec<usize> = Vec::new();
    let mut append = |members: &[usize], clause: &str, needs: &[usize]| {
        let link = match text.as_str() {
            "" => "",
            _ if members.iter().any(|pe| needed.contains(pe)) => ", and ",
            _ => "; ",
        };
        text = format!("{text}{link}{clause}");
        needed.extend(needs);
    };
    for group in groups.iter().take(NAMED) {
        let Some(wait) = wait(pes, group) else { continue };
        let Some(mut clause) = clause(pes, group, None) else { continue };
        if let (WaitKind::Cells, Some(writer)) = (wait.kind, writer) {
            // It may be the one that has updated it before, which is said already.
            let link = if clause.contains(", which ") { " and" } else { ", which" };
            match clause.contains(&format!(", which only PE {writer} ")) {
                true => clause += " and can write now",
                false => clause += &format!("{link} only PE {writer} can write now"),
            }
        }
        append(group, &clause, needs(wait));
    }
    let unnamed: usize = groups.iter().skip(NAMED).map(Vec::len).sum();
    match unnamed {
        0 => {}
        1 => append(&[], "1 more PE waits", &[]),
        _ => append(&[], &format!("{unnamed} more PEs wait"), &[]),
    }
    for (members, clause) in others {
        append(&members, &clause, &[]);
    }
    (!text.is_empty()).then_some(text)
}

/// The wait of a group of PEs that wait for the same.
fn wait<'p>(pes: &'p [PeView], group: &[usize]) -> Option<&'p WaitEntry> {
    pes[*group.first()?].waits()
}

/// The PE that alone can write a cell: it is the only one that is in no wait, and of the others none
/// has a thread that does not wait.
fn only_writer(pes: &[PeView], others: &[(Vec<usize>, String)]) -> Option<usize> {
    let [(writers, _)] = others else { return None };
    let [writer] = writers[..] else { return None };
    let all_wait = (0..pes.len())
        .filter(|pe| *pe != writer && pes[*pe].activity != Activity::Ended)
        .all(|pe| pes[pe].waits().is_some_and(|wait| wait.is_alone));
    (all_wait && pes[writer].computes()).then_some(writer)
}

/// The PEs that are in no wait, and those that are stopped in one: groups that do the same.
fn others(pes: &[PeView]) -> Vec<(Vec<usize>, String)> {
    let mut groups: Vec<(Vec<usize>, [String; 2], String)> = Vec::new();
    for (pe, view) in pes.iter().enumerate() {
        let Some(what) = doing(view) else { continue };
        let place = view.told.frames.iter().map(|frame| frame.place.as_str()).find(|place| !place.is_empty());
        let place = place.unwrap_or_default();
        match groups.iter_mut().find(|(_, other, at)| *other == what && at == place) {
            Some((members, ..)) => members.push(pe),
            None => groups.push((vec![pe], what, place.to_owned())),
        }
    }
    let clause = |(members, [one, many], place): (Vec<usize>, [String; 2], String)| {
        let what = if members.len() == 1 { one } else { many };
        let at = if place.is_empty() { String::new() } else { format!(" ({place})") };
        let text = format!("{} {what}{at}", name(&members));
        (members, text)
    };
    groups.into_iter().map(clause).collect()
}

/// What a PE does that is in no wait, or is stopped in one: of one PE, and of several.
fn doing(view: &PeView) -> Option<[String; 2]> {
    if let Some(stopped) = view.stopped().filter(|_| view.state != PeState::Finished) {
        let are = stopped.replacen("is", "are", 1);
        return Some([format!("has not moved, {stopped}"), format!("have not moved, {are}")]);
    }
    let words = match (view.state, view.activity) {
        (PeState::Starting, _) => ["has not joined the job yet", "have not joined the job yet"],
        (PeState::Debugged, _) => ["waits for a debugger", "wait for a debugger"],
        (state, _) if state.is_failure() => ["has failed", "have failed"],
        _ if !view.computes() => return None,
        (_, Activity::Sleeps) => {
            ["sleeps, or waits outside of this library", "sleep, or wait outside of this library"]
        }
        _ => ["computes", "compute"],
    };
    Some(words.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::told::{Frame, Told};
    use crate::transport::node::barrier::Part;
    use crate::transport::node::waits::Seen;

    fn view(activity: Activity, wait: Option<WaitEntry>) -> PeView {
        PeView::new(PeState::Running, activity, wait)
    }

    fn waits(wait: WaitEntry) -> PeView {
        view(Activity::Sleeps, Some(wait))
    }

    fn entry(kind: WaitKind, text: &str) -> WaitEntry {
        WaitEntry { is_alone: true, ..WaitEntry::new(kind, text.to_owned(), None, 0) }
    }

    fn barrier(missing: &[usize]) -> PeView {
        let barrier = entry(WaitKind::Meeting(Part::Barrier), "barrier_all");
        waits(WaitEntry { missing: missing.len(), members: 9, listed: missing.to_vec(), ..barrier })
    }

    fn lock(text: &str, before: usize) -> PeView {
        waits(WaitEntry { other: Some(before), offset: text.len(), ..entry(WaitKind::Lock, text) })
    }

    fn cell() -> WaitEntry {
        WaitEntry { seen: Some(Seen { value: 6, position: None }), ..entry(WaitKind::Cells, "READY >= 7") }
    }

    fn computes() -> PeView {
        let frame = Frame { place: "src/main.rs:49".to_owned(), function: "heat::main".to_owned() };
        let told = Told { frames: vec![frame], ..Told::default() };
        PeView { told, ..view(Activity::Runs, None) }
    }

    #[test]
    fn a_halo_exchange_that_hangs() {
        let mut pes = vec![waits(cell())];
        pes.extend((1..7).map(|_| barrier(&[0, 7])));
        pes.push(computes());
        assert_eq!(
            why(&pes, true).unwrap(),
            "PE 1-6 wait in barrier_all for PE 0, 7, and PE 0 waits for READY >= 7 (is 6), which only PE 7 can write now, \
             and PE 7 computes (src/main.rs:49)"
        );
        // A transfer may be under way.
        assert!(!why(&pes, false).unwrap().contains("only"));
        // Another thread of a PE that waits may write.
        pes[0] = waits(WaitEntry { is_alone: false, ..cell() });
        assert_eq!(
            why(&pes, true).unwrap(),
            "PE 1-6 wait in barrier_all for PE 0, 7, and PE 0 waits for READY >= 7 (is 6), and PE 7 computes (src/main.rs:49)"
        );
    }

    #[test]
    fn a_chain_that_ends_outside() {
        let signal = Some(rustix::process::Signal::STOP.as_raw());
        let stopped = PeView { activity: Activity::Stopped(signal), ..barrier(&[1]) };
        let sleeps = view(Activity::Sleeps, None);
        let starting = PeView { state: PeState::Starting, ..sleeps.clone() };
        let pes = [lock("L", 1), sleeps.clone(), barrier(&[1, 3, 4, 5]), starting, stopped, sleeps];
        assert_eq!(
            why(&pes, true).unwrap(),
            "PE 2 waits in barrier_all for PE 1, 3-5; PE 0 waits for L, which PE 1 has, \
             and PE 1, 5 sleep, or wait outside of this library, and PE 3 has not joined the job yet, \
             and PE 4 has not moved, is stopped (SIGSTOP)"
        );
    }

    #[test]
    fn a_circle_that_is_not_proved() {
        let mut one = lock("A", 1);
        one.wait.as_mut().unwrap().is_alone = false;
        let pes = [one, lock("the lock B", 0), barrier(&[0, 1])];
        assert_eq!(
            why(&pes, true).unwrap(),
            "PE 0 waits for A, which PE 1 has, and PE 1 waits for the lock B, which PE 0 has"
        );
    }

    /// PE 1 was stopped in a barrier that is over, and PE 0 is in the next one.
    #[test]
    fn a_pe_that_is_stopped_is_in_no_circle() {
        let stopped = PeView { activity: Activity::Stopped(None), ..barrier(&[0]) };
        assert_eq!(
            why(&[barrier(&[1]), stopped], true).unwrap(),
            "PE 0 waits in barrier_all for PE 1, and PE 1 has not moved, is stopped"
        );
    }

    #[test]
    fn where_nobody_waits_there_is_no_reason() {
        assert_eq!(why(&[computes(), computes()], true), None);
        // It has come meanwhile.
        assert_eq!(why(&[barrier(&[]), computes()], true), None);
        let stopped = PeView { activity: Activity::Stopped(None), ..computes() };
        assert_eq!(
            why(&[stopped.clone(), computes(), stopped], true).unwrap(),
            "PE 0, 2 have not moved, are stopped (src/main.rs:49)"
        );
    }

    #[test]
    fn many_groups_are_cut() {
        let mut pes: Vec<PeView> = (0..9)
            .map(|pe| waits(WaitEntry { text: format!("CELL[{pe}] == 1"), ..entry(WaitKind::Cells, "") }))
            .collect();
        pes.push(computes());
        pes.push(computes());
        let text = why(&pes, true).unwrap();
        assert!(
            text.contains(
                "; PE 5 waits for CELL[5] == 1; 3 more PEs wait; PE 9, 10 compute (src/main.rs:49)"
            ),
            "{text}"
        );
    }
}
