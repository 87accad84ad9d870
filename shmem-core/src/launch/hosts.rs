//! What each PE does, where the PEs of a C library run on several hosts.
//!
//! On each host, the lowest PE has a [thread](super::host_watch) that reads what the PEs there write
//! down. It prints *news* on standard error, each one line that the process which has started the
//! launcher takes out of the stream:
//!
//! * *there*: which PEs it reads;
//! * *still*: none of them has moved for the time of `SHMEM_TIMEOUT`;
//! * *moves*: one has moved since;
//! * *does*: the table, when it was asked.
//!
//! It is asked by a signal that the launcher passes on to all PEs. That is SIGURG, which a process
//! ignores if it has no handler for it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::starter::LINE_BREAK;

/// The signal that asks.
pub(super) const QUESTION: Signal = Signal::URG;
/// How long hosts may take to answer. A table may have to wait for the backtraces of its PEs.
const PATIENCE: Duration = Duration::from_secs(15);
/// What a line with news begins with.
pub(super) const NEWS: &str = "shmem: host ";
/// Between the parts of such a line. No name of a host has it.
const BETWEEN: char = '\u{1f}';

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostNews {
    There,
    Still,
    Moves,
    Does(String),
}

/// What one host tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct News {
    /// Its name.
    pub(super) host: String,
    /// The PEs that are told of, at least one.
    pub(super) pes: Vec<usize>,
    pub(super) told: HostNews,
}

impl News {
    /// The line, with its end.
    pub(super) fn encode(&self) -> String {
        let News { host, pes, told } = self;
        let pes: Vec<String> = pes.iter().map(usize::to_string).collect();
        let (word, table) = match told {
            HostNews::There => ("there", ""),
            HostNews::Still => ("still", ""),
            HostNews::Moves => ("moves", ""),
            HostNews::Does(table) => ("does", table.as_str()),
        };
        let table = table.replace('\n', LINE_BREAK);
        format!("{NEWS}{host}{BETWEEN}{}{BETWEEN}{word}{BETWEEN}{table}\n", pes.join(","))
    }

    /// The news of a line, without its end.
    pub(super) fn decode(line: &str) -> Option<News> {
        let mut words = line.strip_prefix(NEWS)?.splitn(4, BETWEEN);
        let (host, pes) = (words.next()?.to_owned(), words.next()?);
        let pes: Option<Vec<usize>> = pes.split(',').map(|pe| pe.parse().ok()).collect();
        let told = match (words.next()?, words.next()?) {
            ("there", "") => HostNews::There,
            ("still", "") => HostNews::Still,
            ("moves", "") => HostNews::Moves,
            ("does", table) => HostNews::Does(table.replace(LINE_BREAK, "\n")),
            _ => return None,
        };
        Some(News { host, pes: pes?, told })
    }
}

/// A part of the job that one thread reads.
struct HostPart {
    host: String,
    pes: Vec<usize>,
    is_still: bool,
    /// The answer to the last question.
    table: Option<String>,
}

/// A question that is under way.
struct Asked {
    since: Instant,
    /// Whether somebody wants the table; otherwise it is for the end of the job.
    is_wanted: bool,
}

/// The hosts of a job, as the process sees them that has started the launcher.
pub(super) struct Hosts {
    npes: usize,
    /// By their lowest PE.
    parts: BTreeMap<usize, HostPart>,
    asked: Option<Asked>,
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
        Hosts { npes, parts: BTreeMap::new(), asked: None }
    }

    /// Whether there is a part for each PE.
    pub(super) fn are_all_there(&self) -> bool {
        self.parts.values().map(|part| part.pes.len()).sum::<usize>() == self.npes
    }

    /// Takes news.
    pub(super) fn hear(&mut self, News { host, pes, told }: News) {
        let Some(first) = pes.first() else { return };
        let part =
            self.parts.entry(*first).or_insert_with(|| HostPart { host, pes, is_still: false, table: None });
        match told {
            HostNews::There => {}
            HostNews::Still => part.is_still = true,
            HostNews::Moves => part.is_still = false,
            HostNews::Does(table) => part.table = Some(table),
        }
    }

    /// Whether no PE of any host has moved for the time of `SHMEM_TIMEOUT`.
    fn are_still(&self) -> bool {
        self.are_all_there() && self.parts.values().all(|part| part.is_still)
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
        self.parts.values_mut().for_each(|part| part.table = None);
        self.asked = Some(Asked { since: Instant::now(), is_wanted });
        true
    }

    /// The answers to the last question, once all are there or time is up.
    pub(super) fn answers(&mut self) -> Option<HostTable> {
        let asked = self.asked.as_ref()?;
        let have_all_answered = self.parts.values().all(|part| part.table.is_some());
        if !have_all_answered && asked.since.elapsed() < PATIENCE {
            return None;
        }
        let is_wanted = asked.is_wanted;
        self.asked = None;
        Some(HostTable { text: self.text(), is_wanted, is_still: self.are_still() })
    }

    /// Each host's part, under its name.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for part in self.parts.values() {
            if last != Some(&part.host) {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "host {}", part.host);
            }
            last = Some(&part.host);
            match &part.table {
                Some(table) => text += table,
                None => {
                    let _ = writeln!(text, "  {}  no answer", super::table::name(&part.pes));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(host: &str, pes: &[usize], told: HostNews) -> News {
        News { host: host.to_owned(), pes: pes.to_vec(), told }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for told in [
            HostNews::There,
            HostNews::Still,
            HostNews::Moves,
            HostNews::Does("  PE 2  a, b\n  PE 3  c\n".to_owned()),
        ] {
            let news = news("node-7.cluster", &[2, 3], told);
            let line = news.encode();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(News::decode(line.trim_end_matches('\n')), Some(news));
        }
        let other = [
            "",
            "shmem: host",
            "shmem: host x",
            "shmem: host x\u{1f}\u{1f}there\u{1f}",
            "shmem: PE 1 of 2 x",
        ];
        assert!(other.iter().all(|line| News::decode(line).is_none()));
    }

    #[test]
    fn the_parts_of_all_hosts_are_one_table() {
        let mut hosts = Hosts::new(4);
        hosts.hear(news("far", &[2], HostNews::There));
        assert!(!hosts.are_all_there());
        hosts.hear(news("near", &[0, 1], HostNews::There));
        hosts.hear(news("far", &[3], HostNews::There));
        assert!(hosts.are_all_there() && hosts.answers().is_none());
        assert!(hosts.ask() && !hosts.ask());
        for (host, pes, table) in
            [("far", [3].as_slice(), "  PE 3  c\n"), ("near", &[0, 1], "  PE 0, 1  a\n")]
        {
            hosts.hear(news(host, pes, HostNews::Does(table.to_owned())));
            assert!(hosts.answers().is_none());
        }
        hosts.hear(news("far", &[2], HostNews::Does("  PE 2  b\n".to_owned())));
        let text = "host near\n  PE 0, 1  a\nhost far\n  PE 2  b\n  PE 3  c\n".to_owned();
        assert_eq!(hosts.answers(), Some(HostTable { text, is_wanted: true, is_still: false }));
        // A host that has answered once has to answer again.
        assert!(hosts.answers().is_none() && hosts.ask() && hosts.answers().is_none());
        hosts.asked.as_mut().unwrap().since -= PATIENCE;
        let text =
            "host near\n  PE 0, 1  no answer\nhost far\n  PE 2  no answer\n  PE 3  no answer\n".to_owned();
        assert_eq!(hosts.answers().unwrap().text, text);
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
            hosts.hear(news(host, &[pe], HostNews::Does(String::new())));
        }
        let HostTable { is_wanted, is_still, .. } = hosts.answers().unwrap();
        assert!(!is_wanted && is_still);
        // One that moves meanwhile.
        assert!(hosts.must_ask());
        hosts.hear(news("far", &[1], HostNews::Moves));
        for (host, pe) in [("near", 0), ("far", 1)] {
            hosts.hear(news(host, &[pe], HostNews::Does(String::new())));
        }
        assert!(!hosts.answers().unwrap().is_still && !hosts.must_ask());
    }
}
