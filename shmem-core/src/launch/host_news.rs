//! What the hosts of a job tell the process that has started the launcher, and what it asks them.
//!
//! News is a line on standard error, which that process takes out of the stream:
//!
//! * *there*: which PEs the host reads;
//! * *still*: none of them has moved for the time of `SHMEM_TIMEOUT`;
//! * *moves*: one has moved since;
//! * *row*: what is known of one PE, as a [row](super::host_rows), in answer to a question;
//! * *told*: all rows of the answer are there.
//!
//! A host is asked by a signal that the launcher passes on to all PEs, one for each question. A process
//! ignores these signals if it has no handler for them.

use std::time::Duration;

use rustix::process::Signal;

use super::starter::LINE_BREAK;

/// What a line with news begins with.
pub(super) const NEWS: &str = "shmem: host ";
/// Between the parts of such a line. No name of a host has it.
const BETWEEN: char = '\u{1f}';

/// What a host is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostQuestion {
    /// What its PEs do, with backtraces of those that compute.
    Table,
    /// What can be told at once, and again and again: no PE takes notice.
    Glance,
}

impl HostQuestion {
    pub(super) const ALL: [HostQuestion; 2] = [HostQuestion::Table, HostQuestion::Glance];

    /// The signal that asks.
    pub(super) const fn signal(self) -> Signal {
        match self {
            HostQuestion::Table => Signal::URG,
            HostQuestion::Glance => Signal::WINCH,
        }
    }

    /// How long hosts may take to answer. A table may have to wait for the backtraces of its PEs.
    pub(super) fn patience(self) -> Duration {
        match self {
            HostQuestion::Table => Duration::from_secs(15),
            HostQuestion::Glance => Duration::from_secs(5),
        }
    }

    fn word(self) -> &'static str {
        match self {
            HostQuestion::Table => "table",
            HostQuestion::Glance => "glance",
        }
    }

    fn of_word(word: &str) -> Option<HostQuestion> {
        HostQuestion::ALL.into_iter().find(|question| question.word() == word)
    }
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostNews {
    There,
    Still,
    Moves,
    Row(HostQuestion, String),
    Told(HostQuestion),
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
        let (word, rest) = match told {
            HostNews::There => ("there", String::new()),
            HostNews::Still => ("still", String::new()),
            HostNews::Moves => ("moves", String::new()),
            HostNews::Row(question, row) => {
                ("row", format!("{}{BETWEEN}{}", question.word(), row.replace('\n', LINE_BREAK)))
            }
            HostNews::Told(question) => ("told", question.word().to_owned()),
        };
        format!("{NEWS}{host}{BETWEEN}{}{BETWEEN}{word}{BETWEEN}{rest}\n", ranges(pes))
    }

    /// The news of a line, without its end.
    pub(super) fn decode(line: &str) -> Option<News> {
        let mut words = line.strip_prefix(NEWS)?.splitn(5, BETWEEN);
        let (host, pes) = (words.next()?.to_owned(), of_ranges(words.next()?)?);
        let told = match (words.next()?, words.next()?, words.next()) {
            ("there", "", None) => HostNews::There,
            ("still", "", None) => HostNews::Still,
            ("moves", "", None) => HostNews::Moves,
            ("row", question, Some(row)) => {
                HostNews::Row(HostQuestion::of_word(question)?, row.replace(LINE_BREAK, "\n"))
            }
            ("told", question, None) => HostNews::Told(HostQuestion::of_word(question)?),
            _ => return None,
        };
        Some(News { host, pes, told })
    }
}

/// Numbers in order, in few words: `0-63,70`.
fn ranges(pes: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &pe in pes {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == pe => *last = pe,
            _ => parts.push((pe, pe)),
        }
    }
    let parts: Vec<String> = parts.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    parts.join(",")
}

/// The numbers again; `None` for another text.
fn of_ranges(text: &str) -> Option<Vec<usize>> {
    let mut pes = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-')?;
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        // No job is so large.
        if last.checked_sub(first)? > 1 << 20 {
            return None;
        }
        pes.extend(first..=last);
    }
    Some(pes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let told = HostQuestion::ALL.map(HostNews::Told);
        let rows = HostQuestion::ALL.map(|question| HostNews::Row(question, "pe\t2\nwait\t3\n".to_owned()));
        for told in [HostNews::There, HostNews::Still, HostNews::Moves].into_iter().chain(told).chain(rows) {
            let news = News { host: "node-7.cluster".to_owned(), pes: vec![2, 3, 7], told };
            let line = news.encode();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(News::decode(line.trim_end_matches('\n')), Some(news));
        }
        let other = [
            "",
            "shmem: host",
            "shmem: host x",
            "shmem: host x\u{1f}\u{1f}there\u{1f}",
            "shmem: host x\u{1f}1-2\u{1f}there",
            "shmem: host x\u{1f}1-2\u{1f}told\u{1f}me",
            "shmem: host x\u{1f}1-2\u{1f}row\u{1f}table",
            "shmem: PE 1 of 2 x",
        ];
        assert!(other.iter().all(|line| News::decode(line).is_none()));
    }

    #[test]
    fn numbers_in_few_words() {
        let pes: Vec<usize> = (0..64).chain([70]).chain(80..82).collect();
        assert_eq!(ranges(&pes), "0-63,70-70,80-81");
        assert_eq!(of_ranges("0-63,70-70,80-81"), Some(pes));
        assert!(["", "3", "3-2", "0-99999999999", "a-b"].iter().all(|text| of_ranges(text).is_none()));
    }
}
