//! The picture of a run: who communicates with whom, and where the time of each PE goes.
//!
//! Colours are attributes, for programs that know no style sheets, such as those that make slides; a
//! style sheet replaces them where the reader wants a dark page. Exact numbers are in the titles of the
//! cells and bars, which browsers show under the pointer.

use std::fmt::Write as _;

use crate::runtime::recorder::notes::TimeUse;
use crate::system::ledger::LedgerSums;

/// The sums of a PE.
pub(super) struct PeSums {
    pub(super) sums: LedgerSums,
    /// By target: how many operations and bytes.
    pub(super) moved: Vec<(u64, u64)>,
}

/// What the picture is of.
pub(super) struct PictureOf<'a> {
    pub(super) name: &'a str,
    /// When the job began.
    pub(super) base: u64,
    pub(super) pes: &'a [PeSums],
}

/// The width of the picture, and of the space around all.
const WIDTH: f64 = 640.0;
const MARGIN: f64 = 24.0;
/// Where cells and bars begin.
const LEFT: f64 = 84.0;
/// The most rows of the matrix, and the most bars. Of more PEs, several share a row.
const ROWS: usize = 64;
/// The shades of the cells, from nothing to the most: on a light page and on a dark one.
const SHADES: [(&str, &str); 8] = [
    ("#f3f5f8", "#20262d"),
    ("#dce9f6", "#1d3045"),
    ("#bfd8ee", "#1f405f"),
    ("#94c4df", "#23547e"),
    ("#65abd4", "#2a6ca3"),
    ("#3b8bc2", "#3a89c9"),
    ("#1c69ae", "#5aa9e6"),
    ("#0b4a8c", "#8fcaf7"),
];
/// From this shade on, what stands on it has the colour of the page.
const DEEP: usize = 5;

/// What is shown of the time: the activity, its words, and its colour.
const TIMES: [(TimeUse, &str, &str); 7] = [
    (TimeUse::Program, "the program itself", "#2a9d6f"),
    (TimeUse::Phase, "the program, in local phases", "#86cfa8"),
    (TimeUse::Transfer, "puts, gets, atomics", "#3477b8"),
    (TimeUse::Order, "fence, quiet", "#7fb2e0"),
    (TimeUse::Wait, "waits for cells and locks", "#c9472b"),
    (TimeUse::Collective, "collective calls", "#e8a02c"),
    (TimeUse::Heap, "allocations", "#9a8c98"),
];

impl PictureOf<'_> {
    /// The picture, as SVG.
    pub(super) fn draw(&self) -> String {
        let mut drawing = Drawing { text: String::new(), y: MARGIN };
        self.heading(&mut drawing);
        self.matrix(&mut drawing);
        self.times(&mut drawing);
        let height = drawing.y.ceil();
        let shades: String =
            SHADES.iter().enumerate().map(|(shade, (_, dark))| format!(".s{shade}{{fill:{dark}}}")).collect();
        let name = escaped(self.name);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" aria-label=\"{name}: bytes and operations from PE to PE, and where the time of each PE goes\" \
             font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif\">\n\
             <style>@media (prefers-color-scheme: dark) {{.page{{fill:#14181d}}.ink{{fill:#e6e9ec}}.pale{{fill:#9aa5b1}}\
             .own{{fill:#2b3138}}.ondeep{{fill:#14181d}}{shades}}}</style>\n\
             <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>\n{}</svg>\n",
            drawing.text
        )
    }

    fn heading(&self, drawing: &mut Drawing) {
        let n_pes = self.pes.len();
        let ended = self.pes.iter().map(|pe| pe.sums.ended).max().unwrap_or(0);
        let (operations, bytes) = self.between_pes();
        let pes = if n_pes == 1 { "PE" } else { "PEs" };
        drawing.line(26.0, &Words { text: self.name, size: 24.0, bold: true, ..Words::default() });
        let text = format!(
            "{n_pes} {pes}, {}; {} in {} between PEs",
            duration(ended.saturating_sub(self.base)),
            size(bytes),
            many(operations, "operation")
        );
        drawing.line(22.0, &Words { text: &text, size: 16.0, class: "pale", ..Words::default() });
    }

    /// What went from any PE to another one.
    fn between_pes(&self) -> (u64, u64) {
        let all = self
            .pes
            .iter()
            .enumerate()
            .flat_map(|(from, pe)| pe.moved.iter().enumerate().map(move |to| (from, to)));
        let others = all.filter(|(from, (to, _))| from != to);
        others.fold((0, 0), |sum, (_, (_, moved))| (sum.0 + moved.0, sum.1 + moved.1))
    }

    /// The matrix, of blocks of PEs where there are many.
    fn matrix(&self, drawing: &mut Drawing) {
        let blocks = blocks(self.pes.len());
        let sum = |from: &(usize, usize), to: &(usize, usize)| {
            let rows = self.pes[from.0..from.1].iter().flat_map(|pe| &pe.moved[to.0..to.1]);
            rows.fold((0, 0), |sum, moved| (sum.0 + moved.0, sum.1 + moved.1))
        };
        let cells: Vec<Vec<(u64, u64)>> =
            blocks.iter().map(|from| blocks.iter().map(|to| sum(from, to)).collect()).collect();
        let is_own = |row: usize, column: usize| row == column && blocks[row].1 - blocks[row].0 == 1;
        let shown = (0..blocks.len()).flat_map(|row| (0..blocks.len()).map(move |column| (row, column)));
        let bytes: Vec<u64> = shown
            .filter(|(row, column)| !is_own(*row, *column))
            .map(|(row, column)| cells[row][column].1)
            .filter(|bytes| *bytes > 0)
            .collect();
        let (least, most) =
            (bytes.iter().copied().min().unwrap_or(0), bytes.iter().copied().max().unwrap_or(0));

        drawing.head("Who communicates with whom");
        let side = ((WIDTH - LEFT - MARGIN) / blocks.len() as f64).min(88.0);
        let every = labels_every(side, 30.0);
        drawing.y += 16.0;
        for (column, block) in blocks.iter().enumerate().step_by(every) {
            let text = if column == 0 { format!("on PE {}", block.0) } else { block.0.to_string() };
            let x = LEFT + (column as f64 + 0.5) * side;
            drawing.words(
                x,
                drawing.y,
                &Words { text: &text, size: 14.0, class: "pale", anchor: "middle", ..Words::default() },
            );
        }
        drawing.y += 8.0;
        for (row, from) in blocks.iter().enumerate() {
            let middle = drawing.y + side / 2.0;
            if row % every == 0 {
                let text = format!("PE {}", from.0);
                let words =
                    Words { text: &text, size: 14.0, class: "pale", anchor: "end", ..Words::default() };
                drawing.words(LEFT - 10.0, middle + 5.0, &words);
            }
            for (column, to) in blocks.iter().enumerate() {
                let cell = CellShown {
                    from: *from,
                    to: *to,
                    is_own: is_own(row, column),
                    moved: cells[row][column],
                };
                let shade = shade(cell.moved.1, least, most);
                drawing.cell(LEFT + column as f64 * side, side, &cell, shade);
            }
            drawing.y += side;
        }
        drawing.y += 24.0;
        drawing.scale(least, most);
        let pale = |text| Words { text, size: 14.0, class: "pale", ..Words::default() };
        drawing
            .line(20.0, &pale("The PE of a row issues the operations, that of the column is their target."));
        if blocks.len() == self.pes.len() {
            drawing.line(19.0, &pale("Grey: a PE on its own copies."));
        }
    }

    /// A bar for each PE, or for the mean of several where there are many.
    fn times(&self, drawing: &mut Drawing) {
        let blocks = blocks(self.pes.len());
        let lasted = |pe: &PeSums| pe.sums.times.iter().sum::<u64>();
        let longest = self.pes.iter().map(lasted).max().unwrap_or(0).max(1) as f64;
        drawing.head("Where the time goes");
        drawing.y += 2.0;
        let height = (480.0 / blocks.len() as f64).clamp(6.0, 30.0);
        let every = labels_every(height, 16.0);
        for (row, block) in blocks.iter().enumerate() {
            let pes = &self.pes[block.0..block.1];
            if row % every == 0 {
                let text = format!("PE {}", block.0);
                let words =
                    Words { text: &text, size: 14.0, class: "pale", anchor: "end", ..Words::default() };
                drawing.words(LEFT - 10.0, drawing.y + height / 2.0 + 5.0, &words);
            }
            let mut x = LEFT;
            for (activity, what, colour) in TIMES {
                let time =
                    pes.iter().map(|pe| pe.sums.times[activity as usize]).sum::<u64>() / pes.len() as u64;
                let width = (WIDTH - LEFT - MARGIN) * time as f64 / longest;
                if time > 0 {
                    let bar = BarShown { x, width, height: height * 0.86, what, colour, time };
                    drawing.bar(*block, &bar, pes.iter().map(lasted).sum::<u64>() / pes.len() as u64);
                }
                x += width;
            }
            drawing.y += height;
        }
        drawing.y += 26.0;
        let all = self.pes.iter().map(lasted).sum::<u64>().max(1);
        for (activity, what, colour) in TIMES {
            let time: u64 = self.pes.iter().map(|pe| pe.sums.times[activity as usize]).sum();
            if time > 0 {
                drawing.key(what, colour, time as f64 / all as f64);
            }
        }
        drawing.y += MARGIN - 18.0;
    }
}

/// A cell of the matrix, of these PEs.
struct CellShown {
    from: (usize, usize),
    to: (usize, usize),
    is_own: bool,
    moved: (u64, u64),
}

/// A part of the bar of a PE.
struct BarShown {
    x: f64,
    width: f64,
    height: f64,
    what: &'static str,
    colour: &'static str,
    time: u64,
}

/// A text and how it looks.
struct Words<'a> {
    text: &'a str,
    size: f64,
    bold: bool,
    class: &'static str,
    anchor: &'static str,
}

impl Default for Words<'_> {
    fn default() -> Self {
        Words { text: "", size: 16.0, bold: false, class: "ink", anchor: "start" }
    }
}

/// A picture that grows downwards.
struct Drawing {
    text: String,
    /// Where it ends.
    y: f64,
}

impl Drawing {
    fn words(&mut self, x: f64, y: f64, words: &Words<'_>) {
        let Words { text, size, bold, class, anchor } = *words;
        let fill = match class {
            "pale" => "#5f6b77",
            "ondeep" => "#ffffff",
            "onbar" => "#10151a",
            _ => "#1d2329",
        };
        let weight = if bold { " font-weight=\"600\"" } else { "" };
        let text = escaped(text);
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{fill}\" text-anchor=\"{anchor}\"{weight}>{text}</text>"
        );
    }

    /// A line of text, `height` below the one before.
    fn line(&mut self, height: f64, words: &Words<'_>) {
        self.y += height;
        self.words(MARGIN, self.y, words);
    }

    fn head(&mut self, text: &str) {
        self.y += 16.0;
        self.line(22.0, &Words { text, size: 18.0, bold: true, ..Words::default() });
        self.y += 12.0;
    }

    fn cell(&mut self, x: f64, side: f64, cell: &CellShown, shade: usize) {
        let CellShown { from, to, is_own, moved: (operations, bytes) } = *cell;
        let (class, fill) = match is_own {
            true => ("own".to_owned(), "#e4e6e8"),
            false => (format!("s{shade}"), SHADES[shade].0),
        };
        let gap = if side > 20.0 { 2.0 } else { 0.5 };
        let (y, box_side) = (self.y + gap / 2.0, side - gap);
        let _ = writeln!(
            self.text,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{box_side:.1}\" height=\"{box_side:.1}\" fill=\"{fill}\"><title>{} on \
             {}: {bytes} bytes in {operations} operation{}</title></rect>",
            x + gap / 2.0,
            pes(from),
            pes(to),
            if operations == 1 { "" } else { "s" },
        );
        if side < 36.0 || operations == 0 {
            return;
        }
        let class = if !is_own && shade >= DEEP { "ondeep" } else { "ink" };
        let (middle, is_wide) = (x + side / 2.0, side >= 60.0);
        let (large, small) = if is_wide { (16.0, 13.0) } else { (12.0, 11.0) };
        let both = [
            (if is_wide { size(bytes) } else { size(bytes).replace(' ', "") }, large, is_wide, -2.0),
            (
                if is_wide {
                    format!("{} {}", short(operations), if operations == 1 { "op" } else { "ops" })
                } else {
                    short(operations)
                },
                small,
                false,
                small + 2.0,
            ),
        ];
        for (text, size, bold, below) in both {
            let words = Words { text: &text, size, bold, class, anchor: "middle" };
            self.words(middle, self.y + side / 2.0 + below, &words);
        }
    }

    /// What the shades stand for.
    fn scale(&mut self, least: u64, most: u64) {
        if most == 0 {
            return;
        }
        let (mut x, y) = (LEFT, self.y);
        let (least_text, most_text) = (size(least), size(most));
        let end = Words { text: &least_text, size: 14.0, class: "pale", anchor: "end", ..Words::default() };
        self.words(x - 10.0, y, &end);
        let shown = if least == most { &SHADES[SHADES.len() - 1..] } else { &SHADES[1..] };
        for (shade, (fill, _)) in SHADES.iter().enumerate().skip(SHADES.len() - shown.len()) {
            let top = y - 12.0;
            let _ = writeln!(
                self.text,
                "<rect class=\"s{shade}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"26\" height=\"14\" fill=\"{fill}\"/>"
            );
            x += 26.0;
        }
        if least != most {
            let words = Words { text: &most_text, size: 14.0, class: "pale", ..Words::default() };
            self.words(x + 8.0, y, &words);
        }
        self.y += 6.0;
    }

    fn bar(&mut self, of: (usize, usize), bar: &BarShown, all: u64) {
        let BarShown { x, width, height, what, colour, time } = *bar;
        let part = percent(time as f64 / all.max(1) as f64);
        let y = self.y;
        let _ = writeln!(
            self.text,
            "<rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{}, {what}: {}, {part}</title></rect>",
            pes(of),
            duration(time)
        );
        if width > 52.0 && height > 20.0 {
            let words =
                Words { text: &part, size: 13.0, class: "onbar", anchor: "middle", ..Words::default() };
            self.words(x + width / 2.0, y + height / 2.0 + 5.0, &words);
        }
    }

    /// A line of the legend.
    fn key(&mut self, what: &str, colour: &str, part: f64) {
        let y = self.y;
        let _ = writeln!(
            self.text,
            "<rect x=\"{LEFT:.1}\" y=\"{:.1}\" width=\"26\" height=\"14\" fill=\"{colour}\"/>",
            y - 12.0
        );
        self.words(LEFT + 36.0, y, &Words { text: what, size: 15.0, ..Words::default() });
        let part = percent(part);
        let words = Words { text: &part, size: 15.0, class: "pale", anchor: "end", ..Words::default() };
        self.words(LEFT + 330.0, y, &words);
        self.y += 22.0;
    }
}

/// Which PEs share a row: one each, or equally many.
fn blocks(n_pes: usize) -> Vec<(usize, usize)> {
    let each = n_pes.div_ceil(ROWS).max(1);
    (0..n_pes).step_by(each).map(|first| (first, (first + each).min(n_pes))).collect()
}

/// Of rows that are so high, every which one has a label that needs `room`.
fn labels_every(row: f64, room: f64) -> usize {
    [1, 2, 4, 8, 16, 32].into_iter().find(|every| row * *every as f64 >= room).unwrap_or(ROWS)
}

/// The shade of a cell: 0 for nothing, and the deepest for the most, by the logarithm.
fn shade(bytes: u64, least: u64, most: u64) -> usize {
    let deepest = SHADES.len() - 1;
    if bytes == 0 {
        return 0;
    }
    if most <= least {
        return deepest;
    }
    let log = |bytes: u64| (bytes.max(1) as f64).ln();
    let part = (log(bytes) - log(least)) / (log(most) - log(least));
    1 + (part.clamp(0.0, 1.0) * (deepest - 1) as f64).round() as usize
}

/// `PE 3`, or `PEs 4 to 7`.
fn pes((first, end): (usize, usize)) -> String {
    if end - first == 1 { format!("PE {first}") } else { format!("PEs {first} to {}", end - 1) }
}

/// Three digits of a number, and its unit of 1000s.
fn scaled(number: u64, units: [&'static str; 5]) -> (String, &'static str) {
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let text = match value {
        _ if unit == 0 => number.to_string(),
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    (text, units[unit])
}

/// `12.3 MB`.
fn size(bytes: u64) -> String {
    let (number, unit) = scaled(bytes, ["B", "kB", "MB", "GB", "TB"]);
    format!("{number} {unit}")
}

/// `12.3k`.
fn short(count: u64) -> String {
    let (number, unit) = scaled(count, ["", "k", "M", "G", "T"]);
    format!("{number}{unit}")
}

/// `1 operation`, `12.3k operations`.
fn many(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", short(count))
}

/// `1.24 s`, `35.1 ms`.
fn duration(nanoseconds: u64) -> String {
    let (number, unit) = scaled(nanoseconds, ["ns", "µs", "ms", "s", "ks"]);
    format!("{number} {unit}")
}

/// `34 %`, `0.2 %`.
fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent >= 9.95 || percent == 0.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// A text in XML.
fn escaped(text: &str) -> String {
    let mut all = String::new();
    for letter in text.chars() {
        match letter {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            // XML has no way to write these.
            control if control < ' ' => all.push(' '),
            other => all.push(other),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0, 999, 1000, 12_345, 999_499, 999_600].map(size),
            ["0 B", "999 B", "1.00 kB", "12.3 kB", "999 kB", "1.00 MB"]
        );
        assert_eq!([7, 99_960, u64::MAX].map(short), ["7", "100k", "18446744T"]);
        assert_eq!([17, 1_240_000_000].map(duration), ["17 ns", "1.24 s"]);
        assert_eq!([0.0, 0.004, 0.0995, 0.5, 1.0].map(percent), ["0 %", "0.4 %", "10 %", "50 %", "100 %"]);
    }

    #[test]
    fn shades_follow_the_logarithm() {
        assert_eq!([0, 8, 64, 512].map(|bytes| shade(bytes, 8, 512)), [0, 1, 4, 7]);
        assert_eq!((shade(8, 8, 8), shade(0, 0, 0)), (7, 0));
    }

    #[test]
    fn many_pes_share_rows() {
        assert_eq!(blocks(3), [(0, 1), (1, 2), (2, 3)]);
        let blocks = blocks(1000);
        assert_eq!((blocks[0], blocks[62], blocks.len()), ((0, 16), (992, 1000), 63));
        assert_eq!((labels_every(30.0, 16.0), labels_every(6.0, 16.0), labels_every(0.1, 16.0)), (1, 4, 64));
    }

    /// The sums of a job of so many PEs, each of which puts to the next.
    fn ring(n_pes: usize) -> Vec<PeSums> {
        let of = |pe: usize| {
            let mut moved = vec![(0, 0); n_pes];
            moved[(pe + 1) % n_pes] = (10, 80 << pe.min(20));
            let times = [700, 20, 3, 250, 10, 17, 0].map(|time| time * 1_000_000);
            let ended = times.iter().sum::<u64>() + 5;
            PeSums { sums: LedgerSums { begun: 5, ended, times, ..LedgerSums::default() }, moved }
        };
        (0..n_pes).map(of).collect()
    }

    #[test]
    fn every_number_of_pes_has_a_picture() {
        for n_pes in [1, 2, 3, 7, 12, 13, 64, 65, 1000] {
            let pes = ring(n_pes);
            let picture = PictureOf { name: "a <job> & \"more\"", base: 0, pes: &pes }.draw();
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{n_pes}");
            assert!(!picture.contains("NaN") && picture.contains("a &lt;job&gt; &amp; &quot;more&quot;"));
            let rows = blocks(n_pes).len();
            assert_eq!(picture.matches(" operations</title>").count(), rows * rows, "{n_pes}");
            assert_eq!(picture.matches(" %</title>").count(), 6 * rows, "{n_pes}");
        }
    }

    /// The sums of a run of `book/examples/looking_trace.rs`. `BOOK=overwrite cargo test -p shmem-core
    /// picture_of_the_book` draws the picture anew.
    #[test]
    fn the_picture_of_the_book_is_what_is_drawn() {
        let pe = |times: [u64; 7], moved: [(u64, u64); 4]| {
            let begun = 10_300_000 - times.iter().sum::<u64>();
            let sums = LedgerSums { begun, ended: 10_300_000, times, ..LedgerSums::default() };
            PeSums { sums, moved: moved.to_vec() }
        };
        let (row, none) = ((10, 163_880), (0, 0));
        let pes = [
            pe([590_000, 44_200, 0, 1_850_000, 1_660_000, 0, 0], [(8, 163_864), row, none, none]),
            pe([806_000, 48_900, 0, 1_630_000, 1_470_000, 0, 0], [(1, 8), (6, 163_848), row, none]),
            pe([1_270_000, 54_800, 0, 2_230_000, 1_710_000, 0, 0], [(1, 8), none, (7, 163_856), row]),
            pe([1_530_000, 45_200, 0, 3_620_000, 0, 0, 0], [(11, 163_888), none, none, row]),
        ];
        let drawn = PictureOf { name: "looking_trace", base: 0, pes: &pes }.draw();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../book/src/figures/communication.svg");
        if std::env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
            std::fs::write(path, &drawn).expect("the picture can be written");
        }
        let shown = std::fs::read_to_string(path).expect("the picture is there");
        assert!(
            shown == drawn,
            "communication.svg is another picture: BOOK=overwrite cargo test -p shmem-core picture_of_the_book"
        );
    }
}
