//! What the [statistics](super::statistics) print, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::runtime::observe::OperationKind;
use crate::system::json;

const NAMES: [&str; 16] = OperationKind::NAMES;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    /// The target PE of an operation; `None` for one that has all PEs, or no particular PE, as its
    /// target.
    pub(super) to: Option<usize>,
    pub(super) name: String,
    pub(super) calls: u64,
    pub(super) bytes: u64,
}

/// What a line of the program did to one object, on all PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// `src/main.rs:12`.
    pub(super) place: String,
    pub(super) name: String,
    /// Empty where it is a collective call.
    pub(super) object: String,
    pub(super) calls: u64,
    pub(super) bytes: u64,
}

/// The lines of a table, without its title: `from` is a PE, or "all".
pub(super) fn lines(from: &str, rows: &[Tally]) -> String {
    let mut text = String::new();
    for Tally { to, name, calls, bytes } in rows {
        let to = to.map(|to| to.to_string()).unwrap_or_default();
        let bytes = if *bytes > 0 { bytes.to_string() } else { String::new() };
        let line = format!("{from:>7} {to:>6}  {name:<20} {calls:>12} {bytes:>16}");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The title of the columns.
pub(super) const HEAD: &str = "   from     to  operation                   calls            bytes\n";

/// The text for people: what each of the PEs did, and where in the program.
pub(super) fn tables(pes: &[Vec<Tally>], spots: &[Spot]) -> String {
    let n_pes = pes.len();
    let mut text =
        format!("shmem: what {n_pes} {} did (SHMEM_STATS=1)\n{HEAD}", if n_pes == 1 { "PE" } else { "PEs" });
    for (pe, rows) in pes.iter().enumerate() {
        text.push_str(&lines(&pe.to_string(), rows));
    }
    text.push_str(&lines("all", &sums(pes.concat())));
    if !spots.is_empty() {
        text.push_str("shmem: where in the program, by bytes and calls (SHMEM_STATS=1)\n");
        text.push_str("  operation                   calls            bytes  place, object\n");
    }
    for Spot { place, name, object, calls, bytes } in spots {
        let bytes = if *bytes > 0 { bytes.to_string() } else { String::new() };
        let object = if object.is_empty() { String::new() } else { format!(", {object}") };
        let _ = writeln!(text, "  {name:<20} {calls:>12} {bytes:>16}  {place}{object}");
    }
    text
}

/// The same as one line of JSON.
pub(super) fn in_json(pes: &[Vec<Tally>], spots: &[Spot]) -> String {
    let operation = |(from, row): (usize, &Tally)| {
        let Tally { to, name, calls, bytes } = row;
        let to = to.map_or("null".to_owned(), |to| to.to_string());
        let name = json::string(name);
        format!("{{\"from\":{from},\"to\":{to},\"operation\":{name},\"calls\":{calls},\"bytes\":{bytes}}}")
    };
    let operations: Vec<_> = pes
        .iter()
        .enumerate()
        .flat_map(|(pe, rows)| rows.iter().map(move |row| (pe, row)))
        .map(operation)
        .collect();
    let spot = |Spot { place, name, object, calls, bytes }: &Spot| {
        let (place, name) = (json::string(place), json::string(name));
        let object = if object.is_empty() { "null".to_owned() } else { json::string(object) };
        format!(
            "{{\"place\":{place},\"operation\":{name},\"object\":{object},\"calls\":{calls},\"bytes\":{bytes}}}"
        )
    };
    let places: Vec<_> = spots.iter().map(spot).collect();
    format!(
        "{{\"pes\":{},\"operations\":[{}],\"places\":[{}]}}\n",
        pes.len(),
        operations.join(","),
        places.join(",")
    )
}

/// The spots of all PEs, with those of the same place, operation and object added up; those that
/// moved most come first.
pub(super) fn ranked(spots: Vec<Spot>) -> Vec<Spot> {
    let mut sums: BTreeMap<(String, String, String), (u64, u64)> = BTreeMap::new();
    for Spot { place, name, object, calls, bytes } in spots {
        let sum = sums.entry((place, name, object)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
    }
    let spot = |((place, name, object), (calls, bytes))| Spot { place, name, object, calls, bytes };
    let mut ranked: Vec<_> = sums.into_iter().map(spot).collect();
    ranked.sort_by_key(|spot| std::cmp::Reverse((spot.bytes, spot.calls)));
    ranked
}

/// The rows and spots as they are sent, one line each.
pub(super) fn encode(rows: &[Tally], spots: &[Spot]) -> String {
    let mut text = String::new();
    for Tally { to, name, calls, bytes } in rows {
        let to = to.map(|to| to.to_string()).unwrap_or_default();
        let _ = writeln!(text, "{to}\t{name}\t{calls}\t{bytes}");
    }
    for Spot { place, name, object, calls, bytes } in spots {
        // The object last: its type is written as in the program, on one line.
        let _ = writeln!(text, "@\t{name}\t{calls}\t{bytes}\t{place}\t{object}");
    }
    text
}

/// The rows and spots that another PE has sent.
pub(super) fn decode(text: &str) -> (Vec<Tally>, Vec<Spot>) {
    let row = |line: &str| {
        let mut parts = line.split('\t');
        let to = parts.next()?.parse().ok();
        let name = parts.next()?.to_owned();
        Some(Tally { to, name, calls: parts.next()?.parse().ok()?, bytes: parts.next()?.parse().ok()? })
    };
    let spot = |line: &str| {
        let mut parts = line.splitn(5, '\t');
        let name = parts.next()?.to_owned();
        let (calls, bytes) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Spot { name, calls, bytes, place: parts.next()?.to_owned(), object: parts.next()?.to_owned() })
    };
    let (mut rows, mut spots) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.strip_prefix("@\t") {
            Some(line) => spots.extend(spot(line)),
            None => rows.extend(row(line)),
        }
    }
    (rows, spots)
}

/// The rows, with those of the same name added up, in the order of the table.
fn sums(rows: Vec<Tally>) -> Vec<Tally> {
    let order = |name: &str| {
        let known = NAMES.iter().chain(&["fence", "quiet"]).position(|known| *known == name);
        known.unwrap_or(usize::MAX)
    };
    let mut sums: BTreeMap<(usize, String), (u64, u64)> = BTreeMap::new();
    for Tally { name, calls, bytes, .. } in rows {
        let sum = sums.entry((order(&name), name)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
    }
    sums.into_iter().map(|((_, name), (calls, bytes))| Tally { to: None, name, calls, bytes }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Spot, Tally, decode, encode, in_json, lines, ranked, sums};

    fn rows() -> Vec<Tally> {
        let row = |to, name: &str, calls, bytes| Tally { to, name: name.to_owned(), calls, bytes };
        vec![
            row(Some(0), "put", 3, 24),
            row(Some(1), "atomic_add", 1, 8),
            row(Some(4095), "put", 1, u64::MAX),
            row(None, "barrier_all", 2, 0),
            row(None, "quiet", 1, 0),
        ]
    }

    fn spots() -> Vec<Spot> {
        let spot = |place: &str, name: &str, object: &str, calls, bytes| Spot {
            place: place.to_owned(),
            name: name.to_owned(),
            object: object.to_owned(),
            calls,
            bytes,
        };
        vec![
            spot("a.rs:1", "put", "`A: u64` (a.rs:9)", 1, 8),
            spot("b.rs:2", "get", "`A: [Pair<\"x\\\">; 2]`", 2, 300),
            spot("a.rs:3", "barrier_all", "", 3, 0),
        ]
    }

    #[test]
    fn rows_arrive_as_they_were_sent() {
        assert_eq!(decode(&encode(&rows(), &spots())), (rows(), spots()));
        assert_eq!(decode("nonsense\n\n3\tput\t1\n@\tput\t1\t2"), (vec![], vec![]));
    }

    #[test]
    fn the_line_that_moves_most_comes_first() {
        let mut twice = spots();
        twice.extend(spots());
        let ranked: Vec<_> =
            ranked(twice).into_iter().map(|spot| (spot.place, spot.calls, spot.bytes)).collect();
        let expected = [("b.rs:2", 4, 600), ("a.rs:1", 2, 16), ("a.rs:3", 6, 0)];
        assert_eq!(ranked, expected.map(|(place, calls, bytes)| (place.to_owned(), calls, bytes)));
    }

    #[test]
    fn the_line_for_programs_is_json() {
        let row = Tally { to: None, name: "fence".to_owned(), calls: 2, bytes: 0 };
        assert_eq!(
            in_json(&[vec![row], vec![]], &spots()[1..2]),
            "{\"pes\":2,\"operations\":[{\"from\":0,\"to\":null,\"operation\":\"fence\",\"calls\":2,\"bytes\":0}],\
             \"places\":[{\"place\":\"b.rs:2\",\"operation\":\"get\",\"object\":\"`A: [Pair<\\\"x\\\\\\\">; 2]`\",\"calls\":2,\"bytes\":300}]}\n"
        );
    }

    #[test]
    fn sums_are_those_of_each_name() {
        let sums = sums(rows());
        let short: Vec<_> = sums.iter().map(|row| (row.name.as_str(), row.calls, row.bytes)).collect();
        assert_eq!(
            short,
            [("put", 4, u64::MAX), ("atomic_add", 1, 8), ("quiet", 1, 0), ("barrier_all", 2, 0)]
        );
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let text = lines("12", &rows());
        let first = text.lines().next().expect("there are rows");
        assert_eq!(first.len(), super::HEAD.trim_end().len());
        assert_eq!(first.find("put"), super::HEAD.find("operation"));
    }
}
