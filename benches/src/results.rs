//! The results: a row for each work, with the times of every program.

use std::fmt::Write as _;

use crate::book::markdown;
use crate::conductor::{Program, Times};
use crate::work::Work;
use crate::{nanoseconds, quartiles};

/// A goal: the largest allowed ratio of the times of two programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The program whose time is compared.
    pub program: Program,
    /// The program that it is compared with.
    pub against: Program,
    /// The allowed ratio.
    pub most: f64,
}

/// A work, and the times of all programs that do it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in tables.
    pub name: String,
    /// The work.
    pub work: Work,
    /// The number of PEs.
    pub n_pes: usize,
    /// The goals.
    pub goals: Vec<Goal>,
    /// For each start of the programs, nanoseconds: of each program a value for each round.
    pub starts: Vec<Vec<(Program, Times)>>,
}

impl Row {
    /// The programs that have done it, in the order of the first start.
    fn programs(&self) -> impl Iterator<Item = Program> + '_ {
        let first = self.starts.first().into_iter().flatten();
        first.map(|(program, _)| *program)
    }

    /// Whether a program has done it.
    fn has(&self, program: Program) -> bool {
        self.programs().any(|other| other == program)
    }

    /// The time of a program: first quartile, median, third quartile.
    #[must_use]
    pub fn time(&self, program: Program) -> Option<[f64; 3]> {
        let of_starts = self.starts.iter().filter_map(|start| times_of(start, program));
        quartiles_of(of_starts.flatten().copied())
    }

    /// The ratio of a program's time to that of `against`: the quartiles of the ratios of the
    /// rounds.
    #[must_use]
    pub fn ratio(&self, program: Program, against: Program) -> Option<[f64; 3]> {
        let of_starts = self.starts.iter().filter_map(|start| {
            let (ours, theirs) = (times_of(start, program)?, times_of(start, against)?);
            Some(ours.iter().zip(theirs))
        });
        quartiles_of(of_starts.flatten().map(|(ours, theirs)| ours / theirs))
    }

    /// The goals that are missed, with the ratios.
    pub fn missed(&self) -> impl Iterator<Item = (Goal, f64)> + '_ {
        let judged = |goal: &Goal| Some((*goal, self.ratio(goal.program, goal.against)?[1]));
        self.goals.iter().filter_map(judged).filter(|(goal, ratio)| *ratio > goal.most)
    }
}

/// The times of a program in one start.
fn times_of(start: &[(Program, Times)], program: Program) -> Option<&Times> {
    start.iter().find(|(other, _)| *other == program).map(|(_, times)| times)
}

/// The quartiles of some values, if there are any.
fn quartiles_of(values: impl Iterator<Item = f64>) -> Option<[f64; 3]> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| quartiles(values))
}

/// The columns of a table, with their headings.
const COLUMNS: [(Program, &str); 13] = [
    (Program::Limit, "limit"),
    (Program::Ours, "shmem"),
    (Program::Raw, "its call"),
    (Program::C, "C"),
    (Program::Threads, "C threads"),
    (Program::Library, "over C's"),
    (Program::Far, "far"),
    (Program::FarThreads, "far threads"),
    (Program::OwnC, "C on this"),
    (Program::Shmem4py, "shmem4py"),
    (Program::OwnShmem4py, "py on this"),
    (Program::Lamellar, "Lamellar"),
    (Program::Fortran, "Fortran"),
];

/// The results as a table for the terminal: a line for each row.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let there = |program| rows.iter().any(|row| row.has(program));
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(program, _)| there(*program)).collect();
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("operation".len());
    let mut table = format!("{:<width$}", "operation");
    for (_, heading) in &columns {
        let _ = write!(table, " {heading:>9}");
    }
    table.push_str("  of limit (quartiles)   of C  missed\n");
    for row in rows {
        let _ = write!(table, "{:<width$}", row.name);
        for (program, _) in &columns {
            let time =
                row.time(*program).map_or_else(|| "-".to_owned(), |[_, median, _]| nanoseconds(median));
            let _ = write!(table, " {time:>9}");
        }
        let of_limit = row.ratio(Program::Ours, Program::Limit);
        let of_limit = of_limit
            .map_or_else(String::new, |[low, median, high]| format!("{median:.2} ({low:.2}-{high:.2})"));
        let of_c = row
            .ratio(Program::Ours, Program::C)
            .map_or_else(String::new, |[_, ratio, _]| format!("{ratio:.3}"));
        let missed: Vec<String> = row.missed().map(said).collect();
        let line = format!("  {of_limit:<20} {of_c:>6}  {}", missed.join(", "));
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

/// The results for a page of the book: only the most important columns, and those of programs that are
/// the `subject` of the table. The file has all of them.
#[must_use]
pub fn for_the_book(rows: &[Row], subject: &[Program]) -> String {
    let shown = |program: &Program| {
        let aside = [Program::Raw, Program::Threads, Program::Far, Program::FarThreads];
        !aside.contains(program) || subject.contains(program)
    };
    let there = |program| rows.iter().any(|row| row.has(program));
    let columns: Vec<_> =
        COLUMNS.into_iter().filter(|(program, _)| shown(program) && there(*program)).collect();
    let ratios = [("of limit", Program::Limit), ("of C", Program::C)];
    let head = ["operation"].into_iter().chain(columns.iter().map(|(_, heading)| *heading));
    let mut table =
        vec![head.chain(ratios.map(|(heading, _)| heading)).map(str::to_owned).collect::<Vec<_>>()];
    for row in rows {
        let times = columns.iter().map(|(program, _)| {
            row.time(*program).map_or_else(String::new, |[_, median, _]| nanoseconds(median))
        });
        let ratios = ratios.iter().map(|(_, against)| {
            row.ratio(Program::Ours, *against).map_or_else(String::new, |[_, ratio, _]| format!("{ratio:.2}"))
        });
        table.push([row.name.clone()].into_iter().chain(times).chain(ratios).collect());
    }
    markdown(&table)
}

/// `shmem / limit 1.62 (1.5)`: the measured ratio, and the goal.
fn said((goal, ratio): (Goal, f64)) -> String {
    let short =
        |program| COLUMNS.iter().find(|(other, _)| *other == program).map_or("", |(_, heading)| heading);
    format!(
        "{} / {} {ratio:.2} ({})",
        short(goal.program),
        short(goal.against),
        (goal.most * 100.0).round() / 100.0
    )
}

/// The goals that are missed, as a list for a page of the book.
#[must_use]
pub fn missed(rows: &[Row]) -> String {
    let lines =
        rows.iter().flat_map(|row| row.missed().map(move |miss| format!("* {}: {}\n", row.name, said(miss))));
    let lines: String = lines.collect();
    if lines.is_empty() { "None.\n".to_owned() } else { lines }
}

/// How many goals there are, and how many of them are met.
#[must_use]
pub fn tally(rows: &[Row]) -> String {
    let judged =
        |row: &Row| row.goals.iter().filter(|goal| row.ratio(goal.program, goal.against).is_some()).count();
    let all: usize = rows.iter().map(judged).sum();
    let missed: usize = rows.iter().map(|row| row.missed().count()).sum();
    format!("{} of {all} goals are met", all - missed)
}

/// The results as CSV: a line for each program in each row. Texts are in quotes, and contain none.
#[must_use]
pub fn csv(rows: &[Row]) -> String {
    let mut csv = String::from("operation,n_pes,bytes,stride,program,ns,ns_q1,ns_q3,of_limit,of_c\n");
    for row in rows {
        for program in row.programs() {
            let Some([low, median, high]) = row.time(program) else { continue };
            let ratio = |against| {
                row.ratio(program, against).map_or_else(String::new, |[_, ratio, _]| format!("{ratio:.4}"))
            };
            let Work { bytes, stride, .. } = row.work;
            let _ = writeln!(
                csv,
                "\"{}\",{},{bytes},{stride},\"{}\",{median:.4},{low:.4},{high:.4},{},{}",
                row.name,
                row.n_pes,
                program.name(),
                ratio(Program::Limit),
                ratio(Program::C),
            );
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Operation;

    fn row(ours: &[f64]) -> Row {
        Row {
            name: "put 8 B".to_owned(),
            work: Work::new(Operation::Put, 8),
            n_pes: 2,
            goals: vec![Goal { program: Program::Ours, against: Program::Limit, most: 2.5 }],
            // A start for each half, which may have another number of rounds.
            starts: [&ours[..ours.len() / 2], &ours[ours.len() / 2..]]
                .map(|ours| vec![(Program::Limit, vec![10.0; ours.len()]), (Program::Ours, ours.to_vec())])
                .into(),
        }
    }

    #[test]
    fn the_median_of_ratios_decides() {
        let good = row(&[90.0, 10.0, 20.0, 30.0, 25.0]);
        assert_eq!(good.ratio(Program::Ours, Program::Limit), Some([2.0, 2.5, 3.0]));
        assert_eq!(good.time(Program::Ours), Some([20.0, 25.0, 30.0]));
        assert_eq!(good.ratio(Program::Ours, Program::C), None);
        assert_eq!(good.missed().count(), 0);
        let bad = row(&[26.0]);
        assert_eq!(bad.missed().map(|(_, ratio)| ratio).collect::<Vec<_>>(), [2.6]);
        assert_eq!(tally(&[good, bad]), "1 of 2 goals are met");
    }

    #[test]
    fn tables_hold_what_was_measured() {
        let rows = [row(&[26.0])];
        let table = table(&rows);
        assert!(table.contains("put 8 B     10.0 ns   26.0 ns  2.60 (2.60-2.60)"), "{table}");
        assert!(table.ends_with("shmem / limit 2.60 (2.5)\n"), "{table}");
        assert!(for_the_book(&rows, &[]).ends_with("|   put 8 B | 10.0 ns | 26.0 ns |     2.60 |      |\n"));
        assert_eq!(
            csv(&rows).lines().nth(2),
            Some("\"put 8 B\",2,8,1,\"shmem, shared memory\",26.0000,26.0000,26.0000,2.6000,")
        );
    }
}
