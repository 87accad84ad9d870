//! The picture of a job: a heading, a line for each PE, and the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Cell, Row, Table, Widget as _};

use super::sample::{Does, Order, Pe, Rates, Sample};

/// The titles of the columns, and whether they are numbers, which stand on the right.
const COLUMNS: [(&str, bool); 8] = [
    ("PE", true),
    ("does", false),
    ("since", true),
    ("for PE", false),
    ("line", false),
    ("CPU", true),
    ("calls/s", true),
    ("bytes/s", true),
];
/// The columns that are cut where the terminal is narrow, and how narrow they may become.
const DOES: usize = 1;
const PLACE: usize = 4;
const NARROWEST: [u16; 2] = [12, 16];
/// Between two columns.
const GAP: u16 = 2;

/// What is shown.
pub(super) struct View {
    now: Sample,
    before: Option<Sample>,
    pub(super) order: Order,
    /// How many PEs at the top are not shown.
    skipped: usize,
}

impl View {
    /// The rates are those since `before`, or since the job began.
    pub(super) fn new(now: Sample, before: Option<Sample>) -> View {
        View { now, before, order: Order::Pe, skipped: 0 }
    }

    /// Another answer has come.
    pub(super) fn update(&mut self, now: Sample) {
        self.before = Some(std::mem::replace(&mut self.now, now));
    }

    /// Moves by so many PEs.
    pub(super) fn scroll(&mut self, by: isize) {
        let last = self.now.pes.len().saturating_sub(1);
        self.skipped = self.skipped.saturating_add_signed(by).min(last);
    }

    /// The lines, sorted, each with its colour.
    fn lines(&self) -> Vec<([String; COLUMNS.len()], Color)> {
        let sorted = self.now.sorted(self.before.as_ref(), self.order);
        sorted.iter().map(|(pe, rates)| (line(pe, *rates), colour(pe.does))).collect()
    }

    /// The job, and how many PEs do what.
    fn heading(&self) -> Line<'static> {
        let n = self.now.pes.len();
        let pes = if n == 1 { "PE" } else { "PEs" };
        let job = format!("job {} ({n} {pes}, {})", self.now.name, seconds(self.now.seconds));
        let mut spans = vec![Span::styled(job, Modifier::BOLD)];
        let kinds = [
            (Does::Computes, "computes", "compute"),
            (Does::Waits, "waits", "wait"),
            (Does::Sleeps, "sleeps", "sleep"),
            (Does::Stopped, "is stopped", "are stopped"),
        ];
        for (kind, one, several) in kinds {
            let count = self.now.pes.iter().filter(|pe| pe.does == kind).count();
            if count > 0 {
                let does = if count == 1 { one } else { several };
                spans.push(Span::raw(if spans.len() == 1 { "  " } else { ", " }));
                spans.push(Span::styled(format!("{count} {does}"), colour(kind)));
            }
        }
        let rates = self.now.rates(self.before.as_ref());
        if self.now.counts() {
            let total: f64 = rates.iter().filter_map(|rates| rates.bytes).sum();
            spans.push(Span::raw(format!("  {}/s", amount(total))));
        }
        Line::from(spans)
    }
}

/// Draws it.
pub(super) fn draw(view: &View, area: Rect, buffer: &mut Buffer) {
    let parts = [Constraint::Length(1), Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)];
    let [heading, _, table, keys] = Layout::vertical(parts).areas(area);
    view.heading().render(heading, buffer);
    let lines = view.lines();
    widget(&lines, view, table.width).render(table, buffer);
    let mut help = "q quits, p w c b sort by PE, wait, CPU, bytes, ↑ ↓ scroll".to_owned();
    if !view.now.counts() {
        help += "; SHMEM_STATS=1 counts calls and bytes";
    }
    Line::styled(help, Modifier::DIM).render(keys, buffer);
}

/// The same as text, as wide as it is.
pub(super) fn text(view: &View) -> String {
    let lines = view.lines();
    let width = widths(&lines).iter().sum::<u16>() + GAP * (COLUMNS.len() as u16 - 1);
    let width = width.max(view.heading().width() as u16);
    let area = Rect::new(0, 0, width, lines.len() as u16 + 2);
    let mut buffer = Buffer::empty(area);
    let [heading, table] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    view.heading().render(heading, &mut buffer);
    widget(&lines, view, width).render(table, &mut buffer);
    rows(&buffer).map(|row| row + "\n").collect()
}

/// The rows of a buffer, without the blanks at their ends.
pub(super) fn rows(buffer: &Buffer) -> impl Iterator<Item = String> {
    let area = buffer.area;
    (area.top()..area.bottom()).map(move |y| {
        let row: String = (area.left()..area.right()).map(|x| buffer[(x, y)].symbol()).collect();
        row.trim_end().to_owned()
    })
}

fn widget(lines: &[([String; COLUMNS.len()], Color)], view: &View, width: u16) -> Table<'static> {
    let mut widths = widths(lines);
    let mut excess = (widths.iter().sum::<u16>() + GAP * (COLUMNS.len() as u16 - 1)).saturating_sub(width);
    for (column, narrowest) in [PLACE, DOES].into_iter().zip([NARROWEST[1], NARROWEST[0]]) {
        let cut = excess.min(widths[column].saturating_sub(narrowest));
        widths[column] -= cut;
        excess -= cut;
    }
    let cell = |text: String, is_number: bool| {
        let alignment = if is_number { Alignment::Right } else { Alignment::Left };
        Cell::new(Text::raw(text).alignment(alignment))
    };
    let head = COLUMNS.iter().map(|(title, is_number)| cell((*title).to_owned(), *is_number));
    let row = |(texts, colour): &([String; COLUMNS.len()], Color)| {
        let cells = texts.iter().zip(COLUMNS).enumerate().map(|(column, (text, (_, is_number)))| {
            let style = if column == DOES { Style::from(*colour) } else { Style::default() };
            cell(cut(text, widths[column].into(), column == PLACE), is_number).style(style)
        });
        Row::new(cells)
    };
    let rows = lines.iter().skip(view.skipped).map(row);
    Table::new(rows, widths.map(Constraint::Length))
        .header(Row::new(head).style(Modifier::DIM))
        .column_spacing(GAP)
}

/// A text that has at most so many characters; of a place, the end says most.
fn cut(text: &str, width: usize, keeps_end: bool) -> String {
    let len = text.chars().count();
    match width.checked_sub(1) {
        Some(kept) if len > width && keeps_end => {
            format!("…{}", text.chars().skip(len - kept).collect::<String>())
        }
        Some(kept) if len > width => format!("{}…", text.chars().take(kept).collect::<String>()),
        _ => text.to_owned(),
    }
}

/// The width of each column.
fn widths(lines: &[([String; COLUMNS.len()], Color)]) -> [u16; COLUMNS.len()] {
    std::array::from_fn(|column| {
        let texts = lines.iter().map(|(texts, _)| texts[column].as_str());
        let widest = texts.chain([COLUMNS[column].0]).map(|text| Span::raw(text).width()).max();
        widest.unwrap_or(0) as u16
    })
}

/// The texts of one PE.
fn line(pe: &Pe, rates: Rates) -> [String; COLUMNS.len()] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        pe.pe.to_string(),
        pe.what.clone(),
        pe.since.map(seconds).unwrap_or_default(),
        list(&pe.awaits),
        pe.place.clone().unwrap_or_default(),
        or_dash(rates.processor.map(|part| format!("{:.0} %", 100.0 * part))),
        or_dash(rates.calls.map(|calls| format!("{calls:.0}"))),
        or_dash(rates.bytes.map(amount)),
    ]
}

fn colour(does: Does) -> Color {
    match does {
        Does::Computes => Color::Green,
        Does::Waits => Color::Yellow,
        Does::Sleeps => Color::Cyan,
        Does::Stopped => Color::Red,
        Does::Other => Color::Reset,
    }
}

/// A time: `3.2 s`, `31 s`.
fn seconds(time: f64) -> String {
    if time < 10.0 { format!("{time:.1} s") } else { format!("{time:.0} s") }
}

/// A number of bytes in the largest unit that it has.
fn amount(bytes: f64) -> String {
    crate::info::bytes(bytes as u64)
}

/// Numbers in order: `0-2, 5`.
fn list(pes: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &pe in pes {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == pe => *last = pe,
            _ => parts.push((pe, pe)),
        }
    }
    let part = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::sample::tests::sample;
    use super::*;

    /// What a terminal of this size shows.
    fn screen(view: &View, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(view, frame.area(), frame.buffer_mut())).unwrap();
        rows(terminal.backend().buffer()).collect()
    }

    fn view() -> View {
        View::new(sample(12.0, 10.0, Some(110)), Some(sample(10.0, 8.0, Some(100))))
    }

    #[test]
    fn a_terminal_that_is_wide_enough() {
        let expected = [
            "job heat (2 PEs, 12 s)  1 computes, 1 waits  10.0 MiB/s",
            "",
            "PE  does            since  for PE  line              CPU  calls/s  bytes/s",
            " 0  computes                                       100 %        5  5.0 MiB",
            " 1  in barrier_all  3.2 s  0       src/main.rs:58    0 %        5  5.0 MiB",
            "",
            "q quits, p w c b sort by PE, wait, CPU, bytes, ↑ ↓ scroll",
        ];
        assert_eq!(screen(&view(), 80, 7), expected);
    }

    #[test]
    fn a_narrow_terminal_cuts_words_and_the_beginning_of_a_place() {
        let lines = [(72, " 1  in barrier_…  3.2 s  0       src/main.rs:58    0 %        5  5.0 MiB")];
        for (width, line) in lines {
            assert_eq!(screen(&view(), width, 7)[4], line);
        }
        assert_eq!(cut("book/examples/main.rs:58", 12, true), "…/main.rs:58");
        assert_eq!(cut("src/main.rs:58", 14, true), "src/main.rs:58");
        // No panic in the smallest one.
        screen(&view(), 1, 1);
    }

    #[test]
    fn sorted_and_scrolled() {
        let mut view = view();
        view.order = Order::Wait;
        assert!(screen(&view, 80, 7)[3].starts_with(" 1  in"));
        view.scroll(1);
        assert!(screen(&view, 80, 7)[3].starts_with(" 0  computes"));
        view.scroll(9);
        assert!(screen(&view, 80, 7)[3].starts_with(" 0  computes"));
        view.scroll(-9);
        assert!(screen(&view, 80, 7)[3].starts_with(" 1  in"));
    }

    #[test]
    fn a_job_that_does_not_count() {
        let view = View::new(sample(12.0, 10.0, None), None);
        let screen = screen(&view, 100, 7);
        assert_eq!(screen[0], "job heat (2 PEs, 12 s)  1 computes, 1 waits");
        assert!(screen[3].ends_with("83 %        -        -"), "{}", screen[3]);
        assert!(screen[6].ends_with("; SHMEM_STATS=1 counts calls and bytes"));
    }

    #[test]
    fn text_is_as_wide_as_it_is() {
        let expected = "\
job heat (2 PEs, 12 s)  1 computes, 1 waits  10.0 MiB/s
PE  does            since  for PE  line              CPU  calls/s  bytes/s
 0  computes                                       100 %        5  5.0 MiB
 1  in barrier_all  3.2 s  0       src/main.rs:58    0 %        5  5.0 MiB
";
        assert_eq!(text(&view()), expected);
    }

    #[test]
    fn lists_of_pes() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&[0, 1, 2, 5]), "0-2, 5");
        assert_eq!(list(&[3, 4]), "3-4");
    }
}
