//! Charts, as the benchmarks draw them, of times that are made up. The pictures stay in
//! `target/tmp`, to look at.

use std::fs;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use benches::chart::{Axis, Chart, Panel, Scale, Series, Unit};

const BYTES: [f64; 21] = {
    let mut sizes = [1.0; 21];
    let mut power = 1;
    while power < 21 {
        sizes[power] = 2.0 * sizes[power - 1];
        power += 1;
    }
    sizes
};

fn axis(label: &str, scale: Scale, unit: Unit) -> Axis {
    Axis { label: label.to_owned(), scale, unit }
}

/// A line through `times`, with a spread that is wider for short times, as clocks make it.
fn series(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    let points: Vec<_> = points.into_iter().collect();
    let spread = points.iter().enumerate().map(|(index, &(_, y))| {
        let part = 0.05 + 0.2 * ((index * 7 % 5) as f64 / 5.0);
        (y * (1.0 - part), y * (1.0 + 1.5 * part))
    });
    let spread = Some(spread.collect());
    Series { name: name.to_owned(), points, spread }
}

/// What a put of every size takes, in seconds: a start, and so much for each byte.
fn times(name: &str, start: f64, byte: f64) -> Series {
    series(name, BYTES.map(|size| (size, start + size * byte)))
}

fn rates(times: Series) -> Series {
    series(&times.name, times.points.iter().map(|&(size, time)| (size, 1.0 / time)))
}

fn strides(of: impl Fn(f64) -> Vec<Series>) -> Vec<Panel> {
    let panel = |stride: u32| Panel { title: format!("stride {stride}"), series: of(f64::from(stride)) };
    [1, 2, 8].map(panel).into()
}

fn puts(stride: f64) -> Vec<Series> {
    let byte = 8e-11 * stride.powf(1.7);
    let mut python = times("shmem4py", 9.1e-7, byte * 1.1);
    // One size that failed, and one that stands alone.
    python.points[12].1 = f64::NAN;
    python.points[14].1 = f64::NAN;
    vec![
        times("limit (plain memory)", 1.4e-9, byte),
        times("shmem on shared memory", 1.9e-9, byte * 1.02),
        times("shmem over the C library", 7.4e-8, byte * 1.5),
        times("C (Open MPI)", 6.8e-8, byte * 1.5),
        python,
        times("Lamellar", 2.6e-7, byte * 2.3),
    ]
}

fn put_rate() -> Chart {
    Chart {
        title: "Puts of one PE to another".to_owned(),
        x: axis("message size in bytes", Scale::Log2, Unit::Bytes),
        y: axis("operations per second", Scale::Log10, Unit::Count),
        panels: strides(|stride| puts(stride).into_iter().map(rates).collect()),
    }
}

fn memory() -> Chart {
    let pes = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
    let line = |name: &str, start: f64, more: f64| {
        series(name, pes.map(|n: f64| (n, (start + more * n) * 1024.0 * 1024.0)))
    };
    let series = vec![
        line("shmem on shared memory", 2.1, 0.01),
        line("shmem over the C library", 31.0, 0.21),
        line("C (Open MPI)", 30.0, 0.2),
        line("shmem4py", 52.0, 0.2),
    ];
    Chart {
        title: "Memory of a PE".to_owned(),
        x: axis("PEs", Scale::Log2, Unit::Count),
        y: axis("resident memory", Scale::Linear, Unit::Bytes),
        panels: vec![Panel { title: String::new(), series }],
    }
}

/// A chart of one panel with linear axes.
fn plain(series: Vec<Series>) -> Chart {
    Chart {
        title: "a < b".to_owned(),
        x: axis("x", Scale::Linear, Unit::Count),
        y: axis("y", Scale::Linear, Unit::Count),
        panels: vec![Panel { title: String::new(), series }],
    }
}

fn without_spread(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.to_owned(), points: points.to_vec(), spread: None }
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The text of the SVG.
fn svg(chart: &Chart, name: &str) -> String {
    chart.write(&place(name)).unwrap();
    fs::read_to_string(place(&format!("{name}.svg"))).unwrap()
}

/// The PNG: its width and its pixels.
fn png(name: &str) -> (usize, Vec<[u8; 3]>) {
    let file = fs::File::open(place(&format!("{name}.png"))).unwrap();
    let mut file = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; file.output_buffer_size().unwrap()];
    let frame = file.next_frame(&mut bytes).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    (frame.width as usize, bytes.as_chunks().0.to_vec())
}

/// What `attribute` says in each element of the kind `tag` that holds `part`.
fn attributes<'a>(svg: &'a str, tag: &str, part: &str, attribute: &str) -> Vec<&'a str> {
    let elements = svg.split('<').filter(|element| element.starts_with(tag) && element.contains(part));
    let value = |element: &'a str| {
        let (_, after) = element.split_once(&format!(" {attribute}=\"")).unwrap();
        after.split_once('"').unwrap().0
    };
    elements.map(value).collect()
}

/// The texts, in the order in which they are drawn.
fn texts(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text").skip(1);
    texts.map(|text| text.split_once('>').unwrap().1.split_once('<').unwrap().0.trim()).collect()
}

#[test]
fn a_chart_of_rates_names_everything_and_is_small() {
    let svg = svg(&put_rate(), "put_rate");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
    let texts = texts(&svg);
    for name in ["limit (plain memory)", "shmem on shared memory", "C (Open MPI)", "shmem4py", "Lamellar"] {
        assert_eq!(
            texts.iter().filter(|text| **text == name).count(),
            1,
            "{name}: one legend for all panels"
        );
    }
    for text in
        ["stride 1", "stride 2", "stride 8", "message size in bytes", "operations per second", "100 M"]
    {
        assert_eq!(texts.iter().filter(|other| **other == text).count(), 1, "{text}");
    }
    assert_eq!(texts.iter().filter(|text| **text == "64 KiB").count(), 3, "a horizontal axis for each panel");
}

#[test]
fn both_files_are_the_same_picture() {
    let svg = svg(&memory(), "memory");
    let (width, pixels) = png("memory");
    assert_eq!((width, pixels.len() / width), (1600, 1036));
    assert_eq!(attributes(&svg, "svg", "viewBox=\"0 0 4800 3108\" xmlns", "width"), ["4800"]);
    assert!(svg.starts_with(r#"<svg xmlns="http://www.w3.org/2000/svg" width="800" height="518""#));

    // The first series has circles: one in the legend, and nine that no other line crosses.
    let number = |text: &str| text.parse::<usize>().unwrap();
    let rows = attributes(&svg, "circle", "#0072B2", "cy");
    let columns = attributes(&svg, "circle", "#0072B2", "cx");
    assert_eq!(rows.len(), 1 + 9);
    for (x, y) in columns.iter().zip(rows) {
        assert_eq!(pixels[number(y) / 3 * width + number(x) / 3], [0x00, 0x72, 0xb2], "at {x} {y}");
    }
    // The corners are white; the title is there, in ink.
    assert_eq!([pixels[0], pixels[pixels.len() - 1]], [[255; 3]; 2]);
    let title = (40..80).flat_map(|row| &pixels[row * width + 40..row * width + 340]);
    assert!(title.filter(|pixel| **pixel == [0x22, 0x26, 0x2b]).count() > 500);
}

#[test]
fn what_is_missing_leaves_a_gap() {
    let missing = f64::NAN;
    let line = [(0.0, 1.0), (1.0, 2.0), (2.0, missing), (3.0, 1.0), (4.0, missing), (5.0, 3.0), (6.0, 2.0)];
    let mut series = without_spread("a & b", &line);
    series.spread = Some(line.map(|(x, y)| (if x == 1.0 { missing } else { 0.9 * y }, 1.1 * y)).into());
    let svg = svg(&plain(vec![series]), "gap");
    let lines = attributes(&svg, "polyline", "#0072B2", "points");
    let corners: Vec<_> = lines.iter().map(|points| points.split_whitespace().count()).collect();
    assert_eq!(corners, [2, 2, 2], "one in the legend, and two that the middle point is not part of");
    assert_eq!(
        attributes(&svg, "circle", "#0072B2", "cx").len(),
        1 + 5,
        "every point that is there has a marker"
    );
    let bands = attributes(&svg, "polygon", "#0072B2", "points");
    assert_eq!(bands.len(), 1, "the other parts of the band are single points");
    let texts = texts(&svg);
    assert!(texts.contains(&"a &amp; b") && texts.contains(&"a &lt; b"), "{texts:?}");
}

#[test]
fn a_point_alone_is_seen() {
    let alone = svg(&plain(["limit", "a"].map(|name| without_spread(name, &[(1.0, 1.0)])).into()), "alone");
    assert_eq!(attributes(&alone, "circle", "#6B727A", "r").len(), 1);
    assert_eq!(attributes(&alone, "circle", "#0072B2", "r").len(), 1 + 1);
    // Points at the same place are not a line, and no reason to panic.
    let same = plain(["limit", "a"].map(|name| without_spread(name, &[(1.0, 1.0); 3])).into());
    assert_eq!(attributes(&svg(&same, "same"), "circle", "#0072B2", "r").len(), 1 + 3);
}

#[test]
fn a_series_keeps_its_colour_where_another_has_no_points() {
    let points = [(1.0, 1.0), (2.0, 2.0)];
    let limit = without_spread("limit", &points);
    let [first, second] = ["first", "second"].map(|name| without_spread(name, &points));
    let none = Series { points: Vec::new(), ..first.clone() };
    let colour = |svg: &str| attributes(svg, "polyline", "#D55E00", "points").len();
    let both = svg(&plain(vec![limit.clone(), first, second.clone()]), "both");
    let one = svg(&plain(vec![limit, none, second]), "one");
    assert_eq!((colour(&both), colour(&one)), (2, 2));
    assert!(texts(&both).contains(&"first") && !texts(&one).contains(&"first"));
    assert!(!one.contains("#0072B2"));
    assert!(attributes(&one, "polyline", "#6B727A", "points").len() > 10, "the limit is dashed");
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let wrong = |chart: Chart, expected: &str| {
        let error = chart.write(&place("wrong")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), format!("the chart {:?}: {expected}", chart.title));
        assert!(!place("wrong.svg").exists() && !place("wrong.png").exists());
    };
    wrong(Chart { panels: vec![], ..plain(vec![]) }, "it has no panels");
    wrong(plain(vec![]), "it has no points");
    wrong(plain(vec![without_spread("a", &[(1.0, f64::NAN)])]), "it has no points");
    let infinite = without_spread("a", &[(1.0, f64::INFINITY)]);
    wrong(plain(vec![infinite]), "the series \"a\" has an infinite value on the y axis");

    let logarithmic = |x, y| Chart {
        x: axis("x", Scale::Log2, Unit::Bytes),
        y: axis("y", Scale::Log10, Unit::Seconds),
        ..plain(vec![without_spread("a", &[(1.0, 1.0), (x, y)])])
    };
    wrong(logarithmic(0.0, 1.0), "the series \"a\" has the value 0 on the logarithmic x axis");
    wrong(logarithmic(1.0, -2.5), "the series \"a\" has the value -2.5 on the logarithmic y axis");
    let mut chart = logarithmic(2.0, 1.0);
    chart.panels[0].series[0].spread = Some(vec![(0.5, 2.0), (0.0, 2.0)]);
    wrong(chart.clone(), "the series \"a\" has the value 0 on the logarithmic y axis");
    chart.panels[0].series[0].spread = Some(vec![(0.5, 2.0)]);
    wrong(chart, "the series \"a\" has 2 points and 1 pairs of quartiles");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_of_the_system() {
    let chart = plain(vec![without_spread("a", &[(1.0, 1.0)])]);
    assert_eq!(chart.write(&place("no such folder/chart")).unwrap_err().kind(), ErrorKind::NotFound);
}
