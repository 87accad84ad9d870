//! What each PE does, where the PEs of a C library run on several hosts.
//!
//! On each host, a [thread](super::host_watch) of the lowest PE tells [news](super::host_news) of the PEs
//! there. This is the other end, in the process that has started the launcher.
//!
//! The rows of all hosts together are what the supervisor of a job on one machine sees. So the table, its
//! reason and the answer to `top` are made here of the same parts. What a row cannot say is who is missing
//! in a barrier inside of the library: that is found here, by how often each PE has come to one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::history::History;
use super::host_news::{HostNews, HostQuestion, News};
use super::host_rows::{HostRow, NOW};
use super::table::{Row, name, rows, table_of};
use super::top::Sample;
use super::view::{Activity, PeView};
use super::why::why;
use crate::system::status::PeState;
use crate::system::told::AskedCells;
use crate::transport::node::barrier::Part;
use crate::transport::node::waits::{LISTED, WaitEntry, WaitKind};

/// The answer of one host to the last question of its kind.
#[derive(Default)]
struct HostAnswer {
    rows: BTreeMap<usize, HostRow>,
    is_whole: bool,
}

/// A part of the job that one thread reads.
struct HostPart {
    host: String,
    pes: Vec<usize>,
    is_still: bool,
    /// When it has told something last.
    heard: Instant,
    /// Whether it has not answered the last question, and has told nothing since.
    is_silent: bool,
    /// To each question.
    answers: [HostAnswer; 2],
}

/// A table that was asked for.
struct AskedTable {
    since: Instant,
    /// Whether somebody wants it; otherwise it is for the end of the job.
    is_wanted: bool,
}

/// The hosts of a job, as the process sees them that has started the launcher.
pub(super) struct Hosts {
    npes: usize,
    /// By their lowest PE.
    parts: BTreeMap<usize, HostPart>,
    asked: Option<AskedTable>,
    /// Since when the hosts are asked for a glance.
    glances_since: Option<Instant>,
}

/// The answers of all hosts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HostTable {
    pub(super) text: String,
    /// Whether somebody wants it.
    pub(super) is_wanted: bool,
    /// Whether no PE has moved for the time of `SHMEM_TIMEOUT`.
    pub(super) is_still: bool,
}

impl Hosts {
    pub(super) fn new(npes: usize) -> Hosts {
        Hosts { npes, parts: BTreeMap::new(), asked: None, glances_since: None }
    }

    /// Whether there is a part for each PE.
    pub(super) fn are_all_there(&self) -> bool {
        self.parts.values().map(|part| part.pes.len()).sum::<usize>() == self.npes
    }

    /// Takes news.
    pub(super) fn hear(&mut self, News { host, pes, told }: News) {
        let Some(first) = pes.first() else { return };
        let part = self.parts.entry(*first).or_insert_with(|| HostPart {
            host,
            pes,
            is_still: false,
            heard: Instant::now(),
            is_silent: false,
            answers: Default::default(),
        });
        (part.heard, part.is_silent) = (Instant::now(), false);
        match told {
            HostNews::There => {}
            HostNews::Still => part.is_still = true,
            HostNews::Moves => part.is_still = false,
            HostNews::Row(question, row) => {
                if let Some(row) = HostRow::decode(&row).filter(|row| row.pe < self.npes) {
                    part.answers[question as usize].rows.insert(row.pe, row);
                }
            }
            HostNews::Told(question) => part.answers[question as usize].is_whole = true,
        }
    }

    /// Whether no PE of any host has moved for the time of `SHMEM_TIMEOUT`. What a host does that
    /// cannot be reached is not known, and nobody waits for it.
    fn are_still(&self) -> bool {
        self.are_all_there()
            && self.parts.values().any(|part| part.is_still)
            && self.parts.values().all(|part| part.is_still || part.is_silent)
    }

    /// Whether a host is out of reach.
    pub(super) fn is_any_silent(&self) -> bool {
        self.parts.values().any(|part| part.is_silent)
    }

    /// Whether the PEs are to be asked because those of one host stand still, and another host has
    /// told nothing for the time of `SHMEM_TIMEOUT`: its PEs may move, or it may be out of reach.
    pub(super) fn must_look_for_silence(&mut self, timeout: Duration) -> bool {
        let is_open = |part: &HostPart| !part.is_still && !part.is_silent && part.heard.elapsed() >= timeout;
        self.are_all_there()
            && self.parts.values().any(|part| part.is_still)
            && self.parts.values().any(is_open)
            && self.ask_for_a_glance()
    }

    /// Somebody wants the table. Returns whether the PEs are to be asked, by the signal.
    pub(super) fn ask(&mut self) -> bool {
        match &mut self.asked {
            Some(asked) => {
                asked.is_wanted = true;
                false
            }
            None => self.begin(true),
        }
    }

    /// Whether the PEs are to be asked because none has moved: the table of a host that has been still
    /// for longer is an old one.
    pub(super) fn must_ask(&mut self) -> bool {
        self.asked.is_none() && self.are_still() && self.begin(false)
    }

    fn begin(&mut self, is_wanted: bool) -> bool {
        self.forget(HostQuestion::Table);
        self.asked = Some(AskedTable { since: Instant::now(), is_wanted });
        true
    }

    /// Somebody wants a glance. Returns whether the PEs are to be asked.
    pub(super) fn ask_for_a_glance(&mut self) -> bool {
        let is_new = self.glances_since.is_none();
        if is_new {
            self.forget(HostQuestion::Glance);
            self.glances_since = Some(Instant::now());
        }
        is_new
    }

    fn forget(&mut self, question: HostQuestion) {
        self.parts.values_mut().for_each(|part| part.answers[question as usize] = HostAnswer::default());
    }

    /// Whether all hosts have answered, or their time is up.
    fn is_answered(&self, question: HostQuestion, since: Instant) -> bool {
        self.parts.values().all(|part| part.answers[question as usize].is_whole || part.is_silent)
            || since.elapsed() >= question.patience()
    }

    /// The answers to the last question for the table, once all are there or time is up.
    pub(super) fn answers(&mut self) -> Option<HostTable> {
        let AskedTable { since, is_wanted } = *self.asked.as_ref()?;
        if !self.is_answered(HostQuestion::Table, since) {
            return None;
        }
        self.asked = None;
        Some(HostTable { text: self.text(), is_wanted, is_still: self.are_still() })
    }

    /// What each PE does and has done so far, once all hosts have answered the last question for it or
    /// time is up.
    pub(super) fn samples(&mut self) -> Option<Vec<Sample>> {
        let since = self.glances_since?;
        if !self.is_answered(HostQuestion::Glance, since) {
            return None;
        }
        self.glances_since = None;
        for part in self.parts.values_mut() {
            let is_whole = part.answers[HostQuestion::Glance as usize].is_whole;
            part.is_silent |= !is_whole && part.heard < since;
        }
        let views = self.views(HostQuestion::Glance);
        let told = self.rows(HostQuestion::Glance);
        let silent = || Row { what: "no answer".to_owned(), ..Row::default() };
        let sample = |(pe, (view, row)): (usize, (&PeView, Row))| Sample {
            does: view.does(),
            awaited: view.awaited(),
            processor: told[pe].and_then(|told| told.processor),
            moved: told[pe].and_then(|told| told.moved),
            row: if told[pe].is_some() { row } else { silent() },
        };
        Some(views.iter().zip(rows(&views, NOW)).enumerate().map(sample).collect())
    }

    /// What was told of each PE.
    fn rows(&self, question: HostQuestion) -> Vec<Option<&HostRow>> {
        let mut all = vec![None; self.npes];
        for row in self.parts.values().flat_map(|part| part.answers[question as usize].rows.values()) {
            all[row.pe] = Some(row);
        }
        all
    }

    /// What is known of all PEs at [`NOW`].
    fn views(&self, question: HostQuestion) -> Vec<PeView> {
        let rows = self.rows(question);
        // Of one that does not answer, nothing is said.
        let silent = || PeView::new(PeState::Finished, Activity::Ended, None);
        let mut views: Vec<PeView> =
            rows.iter().map(|row| row.map_or_else(silent, |row| row.view.clone())).collect();
        for wait in views.iter_mut().filter_map(|view| view.wait.as_mut()) {
            find_missing(wait, &rows);
        }
        find_histories(&mut views, &rows);
        views
    }

    /// Each host's part, under its name, and why the PEs do not go on.
    fn text(&self) -> String {
        let (views, told) = (self.views(HostQuestion::Table), self.rows(HostQuestion::Table));
        let mut text = String::new();
        let parts: Vec<&HostPart> = self.parts.values().collect();
        for of_host in parts.chunk_by(|one, next| one.host == next.host) {
            let pes = of_host.iter().flat_map(|part| &part.pes);
            let (shown, silent): (Vec<usize>, Vec<usize>) = pes.partition(|pe| told[**pe].is_some());
            // Writing to a String cannot fail.
            let _ = writeln!(text, "host {}", of_host[0].host);
            text += &table_of(&views, &shown, NOW);
            if !silent.is_empty() {
                let _ = writeln!(text, "  {}  no answer", name(&silent));
            }
        }
        let mut silent: Vec<&str> =
            parts.iter().filter(|part| part.is_silent).map(|part| &*part.host).collect();
        silent.dedup();
        let silent = silent.into_iter().map(|host| format!("host {host} does not answer"));
        // A transfer may be under way.
        let reasons: Vec<String> = why(&views, false).into_iter().chain(silent).collect();
        if !reasons.is_empty() {
            let _ = writeln!(text, "why: {}", reasons.join("; "));
        }
        text
    }
}

/// Finds who is missing in a barrier inside of the library, where the PE itself does not know.
fn find_missing(wait: &mut WaitEntry, rows: &[Option<&HostRow>]) {
    let is_in_library = wait.kind == WaitKind::Meeting(Part::Barrier) && wait.number != 0;
    // Of a PE that has not answered, it is not known.
    if !is_in_library || wait.members > 0 || rows.iter().any(Option::is_none) {
        return;
    }
    let is_missing = |row: &&HostRow| row.visits.wrapping_sub(wait.number).cast_signed() < 0;
    let missing: Vec<usize> = rows.iter().flatten().copied().filter(is_missing).map(|row| row.pe).collect();
    (wait.members, wait.missing) = (rows.len(), missing.len());
    wait.listed = missing.into_iter().take(LISTED).collect();
}

/// Finds who has updated the cells that PEs wait for. A host asks its PEs about the cells that PEs of the
/// same host wait for.
fn find_histories(views: &mut [PeView], rows: &[Option<&HostRow>]) {
    let mut cells: Vec<AskedCells> = rows.iter().flatten().flat_map(|row| row.asked.clone()).collect();
    cells.sort_by_key(|cells| (cells.pe, cells.offset, cells.len));
    cells.dedup();
    for (view, row) in views.iter_mut().zip(rows) {
        let (Some(counted), Some(row)) = (&mut view.told.counted, row) else { continue };
        let told = std::mem::take(&mut counted.updates);
        let of = |cells: &AskedCells| {
            let at = row.asked.iter().position(|asked| asked == cells)?;
            told.get(at).cloned().flatten()
        };
        counted.updates = cells.iter().map(of).collect();
    }
    let histories: Vec<_> =
        views.iter().map(|view| History::of(views, &cells, view.waits()?.cells?)).collect();
    for (view, history) in views.iter_mut().zip(histories) {
        view.history = history;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::system::told::{Counted, Frame, Updates};
    use crate::transport::node::waits::Seen;

    const SECOND: u64 = 1_000_000_000;

    fn news(host: &str, pes: &[usize], told: HostNews) -> News {
        News { host: host.to_owned(), pes: pes.to_vec(), told }
    }

    fn row(pe: usize, visits: u32, view: PeView) -> HostRow {
        HostRow { pe, view, visits, processor: None, moved: None, asked: Vec::new() }
    }

    fn runs(wait: Option<WaitEntry>) -> PeView {
        PeView::new(PeState::Running, Activity::Sleeps, wait)
    }

    /// In the barrier inside of the library, for the fifth time.
    fn in_barrier() -> PeView {
        let kind = WaitKind::Meeting(Part::Barrier);
        let entry = WaitEntry::new(kind, "barrier_all".to_owned(), None, 69 * SECOND);
        runs(Some(WaitEntry { number: 5, place: "a.rs:9:1".to_owned(), ..entry }))
    }

    fn at_cell() -> PeView {
        let entry = WaitEntry::new(WaitKind::Cells, "GO >= 7".to_owned(), None, 69 * SECOND);
        let seen = Some(Seen { value: 6, position: None });
        runs(Some(WaitEntry { seen, place: "a.rs:5:1".to_owned(), ..entry }))
    }

    fn computes() -> PeView {
        let mut view = PeView { activity: Activity::Runs, ..runs(None) };
        view.told.frames = vec![Frame { place: "a.rs:3".to_owned(), function: "heat::main".to_owned() }];
        view
    }

    /// Has a host answer with these rows.
    fn answer(hosts: &mut Hosts, question: HostQuestion, host: &str, rows: &[HostRow]) {
        let pes: Vec<usize> = rows.iter().map(|row| row.pe).collect();
        for row in rows {
            hosts.hear(news(host, &pes, HostNews::Row(question, row.encode(100 * SECOND))));
        }
        hosts.hear(news(host, &pes, HostNews::Told(question)));
    }

    fn four() -> Hosts {
        let mut hosts = Hosts::new(4);
        hosts.hear(news("far", &[2], HostNews::There));
        assert!(!hosts.are_all_there());
        hosts.hear(news("near", &[0, 1], HostNews::There));
        hosts.hear(news("far", &[3], HostNews::There));
        assert!(hosts.are_all_there() && hosts.answers().is_none());
        hosts
    }

    #[test]
    fn the_parts_of_all_hosts_are_explained_together() {
        let mut hosts = four();
        assert!(hosts.ask() && !hosts.ask());
        answer(&mut hosts, HostQuestion::Table, "far", &[row(3, 4, computes())]);
        answer(&mut hosts, HostQuestion::Table, "near", &[row(0, 4, at_cell()), row(1, 5, in_barrier())]);
        assert!(hosts.answers().is_none());
        answer(&mut hosts, HostQuestion::Table, "far", &[row(2, 5, in_barrier())]);
        let expected = "\
host near
  PE 0  waits for GO >= 7 (is 6) since 31 s  a.rs:5  no change seen for 31 s
  PE 1  in barrier_all since 31 s            a.rs:9  2 of 4 are missing: PE 0, 3
host far
  PE 2  in barrier_all since 31 s  a.rs:9  2 of 4 are missing: PE 0, 3
  PE 3  computes                   a.rs:3  in heat::main
why: PE 1, 2 wait in barrier_all for PE 0, 3, and PE 0 waits for GO >= 7 (is 6), and PE 3 computes (a.rs:3)
";
        let text = expected.to_owned();
        assert_eq!(hosts.answers(), Some(HostTable { text, is_wanted: true, is_still: false }));
        // A host that has answered once has to answer again.
        assert!(hosts.answers().is_none() && hosts.ask() && hosts.answers().is_none());
        hosts.asked.as_mut().unwrap().since -= HostQuestion::Table.patience();
        let text = "host near\n  PE 0, 1  no answer\nhost far\n  PE 2, 3  no answer\n".to_owned();
        assert_eq!(hosts.answers().unwrap().text, text);
    }

    /// Who is missing is known only if all have answered.
    #[test]
    fn a_host_that_does_not_answer() {
        let mut hosts = four();
        assert!(hosts.ask());
        answer(&mut hosts, HostQuestion::Table, "near", &[row(0, 4, at_cell()), row(1, 5, in_barrier())]);
        hosts.asked.as_mut().unwrap().since -= HostQuestion::Table.patience();
        let text = hosts.answers().unwrap().text;
        assert!(text.contains("PE 1  in barrier_all since 31 s            a.rs:9\n"), "{text}");
        assert!(text.ends_with("\n  PE 2, 3  no answer\nwhy: PE 0 waits for GO >= 7 (is 6)\n"), "{text}");
    }

    #[test]
    fn glances_are_samples() {
        let mut hosts = four();
        assert!(hosts.samples().is_none() && hosts.ask_for_a_glance() && !hosts.ask_for_a_glance());
        let busy = Some(Duration::from_millis(1500));
        let first = HostRow { processor: busy, ..row(0, 4, computes()) };
        answer(&mut hosts, HostQuestion::Glance, "near", &[first, row(1, 5, in_barrier())]);
        answer(&mut hosts, HostQuestion::Glance, "far", &[row(2, 5, in_barrier())]);
        assert!(hosts.samples().is_none());
        answer(&mut hosts, HostQuestion::Glance, "far", &[row(3, 4, at_cell())]);
        let samples = hosts.samples().unwrap();
        let told: Vec<_> = samples.iter().map(|sample| (sample.does.word(), &sample.awaited[..])).collect();
        let expected: [(&str, &[usize]); 4] =
            [("computes", &[]), ("waits", &[0, 3]), ("waits", &[0, 3]), ("waits", &[])];
        assert_eq!(told, expected);
        assert_eq!((samples[0].processor, samples[1].processor), (busy, None));
        // Nothing is left of it for the next one.
        assert!(hosts.ask_for_a_glance() && hosts.samples().is_none());
        hosts.glances_since = Some(Instant::now() - HostQuestion::Glance.patience());
        let samples = hosts.samples().unwrap();
        assert!(samples.iter().all(|sample| sample.row.what == "no answer" && sample.does.word() == "other"));
    }

    /// A PE of another host is not asked about the cells.
    #[test]
    fn updates_of_the_same_host_are_told() {
        let cells = AskedCells { pe: 0, offset: 64, len: 8 };
        let updates = Updates { count: 2, last: 98 * SECOND, places: vec!["a.rs:7".to_owned()] };
        let mut waits = at_cell();
        waits.wait.as_mut().unwrap().cells = Some(cells);
        waits.told.counted = Some(Counted { last_write: None, updates: vec![Some(Updates::default())] });
        let mut writes = computes();
        writes.told.counted = Some(Counted { last_write: None, updates: vec![Some(updates)] });
        let asked = vec![cells];
        let near = [row(0, 0, waits), row(1, 0, writes)].map(|row| HostRow { asked: asked.clone(), ..row });
        let mut hosts = four();
        assert!(hosts.ask());
        answer(&mut hosts, HostQuestion::Table, "near", &near);
        for pe in [2, 3] {
            answer(&mut hosts, HostQuestion::Table, "far", &[row(pe, 0, computes())]);
        }
        let text = hosts.answers().unwrap().text;
        assert!(text.contains("  a.rs:7  updated twice by PE 1, the last time 2.0 s ago\n"), "{text}");
        assert!(text.contains("\nwhy: PE 0 waits for GO >= 7 (is 6); PE 1-3 compute (a.rs:3)\n"), "{text}");
    }

    #[test]
    fn nobody_moves_if_no_host_does() {
        let mut hosts = Hosts::new(2);
        hosts.hear(news("near", &[0], HostNews::Still));
        assert!(!hosts.must_ask());
        hosts.hear(news("far", &[1], HostNews::There));
        assert!(!hosts.must_ask());
        hosts.hear(news("near", &[0], HostNews::Moves));
        hosts.hear(news("far", &[1], HostNews::Still));
        assert!(!hosts.must_ask());
        hosts.hear(news("near", &[0], HostNews::Still));
        assert!(hosts.must_ask() && !hosts.must_ask());
        for (host, pe) in [("near", 0), ("far", 1)] {
            answer(&mut hosts, HostQuestion::Table, host, &[row(pe, 0, computes())]);
        }
        let HostTable { is_wanted, is_still, .. } = hosts.answers().unwrap();
        assert!(!is_wanted && is_still);
        // One that moves meanwhile.
        assert!(hosts.must_ask());
        hosts.hear(news("far", &[1], HostNews::Moves));
        for (host, pe) in [("near", 0), ("far", 1)] {
            answer(&mut hosts, HostQuestion::Table, host, &[row(pe, 0, computes())]);
        }
        assert!(!hosts.answers().unwrap().is_still && !hosts.must_ask());
    }

    /// A host that is out of reach keeps nobody waiting; one that answers is asked again.
    #[test]
    fn a_host_that_is_silent_is_not_waited_for() {
        let limit = Duration::from_secs(2);
        let (mut hosts, long_ago) = (four(), Instant::now() - Duration::from_secs(60));
        let are_heard_long_ago = |hosts: &mut Hosts| {
            hosts.parts.values_mut().for_each(|part| part.heard = long_ago);
        };
        // The others are not asked as long as all hosts move, or have told something since.
        are_heard_long_ago(&mut hosts);
        assert!(!hosts.must_look_for_silence(limit));
        hosts.hear(news("near", &[0, 1], HostNews::Still));
        hosts.hear(news("far", &[2], HostNews::There));
        hosts.hear(news("far", &[3], HostNews::There));
        assert!(!hosts.must_look_for_silence(limit));
        are_heard_long_ago(&mut hosts);
        assert!(hosts.must_look_for_silence(limit) && !hosts.must_look_for_silence(limit));
        // All answer, so somebody moves.
        answer(&mut hosts, HostQuestion::Glance, "near", &[row(0, 4, at_cell()), row(1, 5, in_barrier())]);
        answer(&mut hosts, HostQuestion::Glance, "far", &[row(2, 5, in_barrier())]);
        answer(&mut hosts, HostQuestion::Glance, "far", &[row(3, 4, computes())]);
        assert!(hosts.samples().is_some() && !hosts.must_ask());
        // The far host does not.
        are_heard_long_ago(&mut hosts);
        assert!(hosts.must_look_for_silence(limit));
        answer(&mut hosts, HostQuestion::Glance, "near", &[row(0, 4, at_cell()), row(1, 5, in_barrier())]);
        assert!(hosts.samples().is_none());
        hosts.glances_since = Some(Instant::now() - HostQuestion::Glance.patience());
        assert!(hosts.samples().is_some() && !hosts.must_look_for_silence(limit) && hosts.must_ask());
        answer(&mut hosts, HostQuestion::Table, "near", &[row(0, 4, at_cell()), row(1, 5, in_barrier())]);
        let HostTable { text, is_still, .. } = hosts.answers().unwrap();
        assert!(is_still && text.contains("\nhost far\n  PE 2, 3  no answer\n"), "{text}");
        assert!(text.ends_with("; host far does not answer\n"), "{text}");
        // It was only slow.
        hosts.hear(news("far", &[2], HostNews::Moves));
        hosts.hear(news("far", &[3], HostNews::Moves));
        assert!(!hosts.must_ask());
    }
}
