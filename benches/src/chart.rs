//! Charts of what was measured: lines over message sizes or PEs, in panels side by side, as SVG and
//! as PNG.
//!
//! Both files are drawn by the same calls. All panels of a chart share one legend. A series has its
//! colour and its marker by its place among the names of the chart, in the order in which they
//! first appear. So that they mean the same in several charts, give all charts the same names,
//! without points where nothing was measured: such a series keeps its place, and is not drawn. A
//! series whose name begins with `limit` is a dashed grey line.

mod axis;
mod bitmap;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use axis::Span;
pub use axis::{Axis, Scale, Unit};
use bitmap::Bitmap;

/// A figure.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows, in a few words.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from left to right, all with the same axes.
    pub panels: Vec<Panel>,
}

/// One of the pictures of a chart.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What sets it apart from the others; empty where it is the only one.
    pub title: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Where it goes, from left to right. A point that is not a number leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// For each point, the quartiles of what was measured, drawn as a faint band.
    pub spread: Option<Vec<(f64, f64)>>,
}

/// Steps to a pixel of the SVG: the library draws in whole ones.
const FINE: i32 = 6;
/// Steps to a pixel of the PNG, which is therefore twice as large.
const FINE_PNG: usize = 3;

/// How a back end sets letters.
#[derive(Clone, Copy)]
struct Letters {
    /// What it takes for the size of a font, in ems.
    size: f64,
    /// How much lower a text has to go than the back end puts it, in the same sizes.
    lower: f64,
}

/// The SVG's, which a browser sets.
const OF_SVG: Letters = Letters { size: 1.24, lower: 0.0 };
/// The PNG's: it takes the height of a line, which in this font is so much.
const OF_PNG: Letters = Letters { size: 1.362, lower: 0.1 };

/// Sizes in pixels.
const TITLE: f64 = 20.0;
const HEADING: f64 = 16.0;
const TEXT: f64 = 15.0;
const MARGIN: f64 = 20.0;
const GAP: f64 = 28.0;
const PLOT_HEIGHT: f64 = 340.0;
const LEGEND_ROW: f64 = 26.0;
const LEGEND_LINE: f64 = 32.0;

const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
const SOFT_INK: RGBColor = RGBColor(0x4d, 0x54, 0x5c);
const AXIS: RGBColor = RGBColor(0x9a, 0xa1, 0xa9);
const GRID: RGBColor = RGBColor(0xe6, 0xe9, 0xec);
const LIMIT: RGBColor = RGBColor(0x6b, 0x72, 0x7a);

/// Okabe and Ito's colours, which people with any colour vision tell apart; without the yellow, too
/// pale for a line.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
];

/// The shapes of markers, as corners; the first is a circle. Their areas look alike.
const SHAPES: [&[(f64, f64)]; 5] = [
    &[],
    &[(-3.9, -3.9), (3.9, -3.9), (3.9, 3.9), (-3.9, 3.9)],
    &[(0.0, -5.4), (5.0, 3.6), (-5.0, 3.6)],
    &[(0.0, -5.6), (5.2, 0.0), (0.0, 5.6), (-5.2, 0.0)],
    &[(0.0, 5.4), (5.0, -3.6), (-5.0, -3.6)],
];
const RADIUS: f64 = 4.3;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Limit,
    Marked { color: RGBColor, shape: usize },
}

/// Where everything goes, in pixels.
struct Plan<'a> {
    width: f64,
    height: f64,
    /// The names in the legend, with their looks.
    legend: Vec<(&'a str, Look)>,
    /// How wide its columns are.
    columns: Vec<f64>,
    /// The left ends of the plots, and how wide each is.
    plots: (Vec<f64>, f64),
    /// Their upper end.
    top: f64,
    x: Span,
    y: Span,
}

impl Chart {
    /// Writes `path.svg` and `path.png`.
    ///
    /// # Errors
    ///
    /// What of the chart cannot be drawn: no panels, no points, quartiles that do not belong to the
    /// points, values that a logarithmic axis has no place for. Or what the system says about the
    /// files.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let plan = self.plan().map_err(|why| {
            io::Error::new(ErrorKind::InvalidInput, format!("the chart {:?}: {why}", self.title))
        })?;
        let size = (fine(plan.width) as u32, fine(plan.height) as u32);
        let named = |extension| {
            let mut name = OsString::from(path);
            name.push(extension);
            name
        };

        let mut drawn = String::new();
        draw(self, &plan, OF_SVG, SVGBackend::with_string(&mut drawn, size))?;
        let (width, height) = (plan.width, plan.height);
        let head = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}""#);
        let view = format!(r#"viewBox="0 0 {} {}""#, size.0, size.1);
        let paper = r#"<rect width="100%" height="100%" fill="white"/>"#;
        // The library says it of everything, though it goes without saying.
        let drawn = drawn.replace(r#" opacity="1""#, "");
        std::fs::write(named(".svg"), format!("{head} {view}>\n{paper}\n{drawn}</svg>\n"))?;

        let mut picture = Bitmap::white(size.0 as usize, size.1 as usize);
        draw(self, &plan, OF_PNG, BitMapBackend::with_buffer(&mut picture.bytes, size))?;
        picture.smaller(FINE_PNG).write(Path::new(&named(".png")))
    }

    fn plan(&self) -> Result<Plan<'_>, String> {
        self.check()?;
        let legend = self.legend();
        let count = self.panels.len() as f64;
        let width = if self.panels.len() == 1 { 800.0 } else { f64::max(1200.0, 300.0 * count) };
        let columns = columns(&legend, width - 2.0 * MARGIN);
        let rows = legend.len().div_ceil(columns.len());
        let headings = self.panels.iter().any(|panel| !panel.title.is_empty());
        let heading = if headings { 26.0 } else { 0.0 };
        let top = MARGIN + 30.0 + LEGEND_ROW * rows as f64 + 12.0 + heading;

        let (low, high) = self.extent(self.y.scale, |point| point.1);
        let room = if self.y.scale.is_logarithmic() { 32.0 } else { 50.0 };
        let y = self.y.span(low, high, PLOT_HEIGHT, |_| room);
        let labels = y.ticks().map(|(_, label)| width_of(&label));
        let left = MARGIN + 30.0 + labels.fold(0.0, f64::max) + 10.0;
        let wide = (width - left - GAP * count) / count;
        let (low, high) = self.extent(self.x.scale, |point| point.0);
        let x = self.x.span(low, high, wide, |label| width_of(label) + 14.0);
        let lefts = (0..self.panels.len()).map(|panel| left + panel as f64 * (wide + GAP)).collect();
        Ok(Plan { width, height: top + PLOT_HEIGHT + 64.0, legend, columns, plots: (lefts, wide), top, x, y })
    }

    /// What cannot be drawn.
    fn check(&self) -> Result<(), String> {
        if self.panels.is_empty() {
            return Err("it has no panels".to_owned());
        }
        let mut points = 0;
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            let name = &series.name;
            let can = |axis: &Axis, letter: char, value: f64| {
                if value.is_infinite() {
                    Err(format!("the series {name:?} has an infinite value on the {letter} axis"))
                } else if axis.scale.is_logarithmic() && value <= 0.0 {
                    Err(format!("the series {name:?} has the value {value} on the logarithmic {letter} axis"))
                } else {
                    Ok(())
                }
            };
            for &(x, y) in &series.points {
                can(&self.x, 'x', x)?;
                can(&self.y, 'y', y)?;
                points += usize::from(is_there((x, y)));
            }
            if let Some(spread) = &series.spread {
                let (many, needed) = (spread.len(), series.points.len());
                if many != needed {
                    return Err(format!(
                        "the series {name:?} has {needed} points and {many} pairs of quartiles"
                    ));
                }
                for &(low, high) in spread {
                    can(&self.y, 'y', low)?;
                    can(&self.y, 'y', high)?;
                }
            }
        }
        if points == 0 { Err("it has no points".to_owned()) } else { Ok(()) }
    }

    /// The names of the series that are drawn, with their looks.
    fn legend(&self) -> Vec<(&str, Look)> {
        let all = || self.panels.iter().flat_map(|panel| &panel.series);
        let mut legend = Vec::new();
        let mut marked = 0;
        for series in all() {
            if legend.iter().any(|(name, _)| *name == series.name) {
                continue;
            }
            let look = if series.name.starts_with("limit") {
                Look::Limit
            } else {
                let (color, shape) = (COLORS[marked % COLORS.len()], marked % SHAPES.len());
                marked += 1;
                Look::Marked { color, shape }
            };
            legend.push((series.name.as_str(), look));
        }
        let is_drawn =
            |name| all().any(|series| series.name == name && series.points.iter().any(|&p| is_there(p)));
        legend.retain(|(name, _)| is_drawn(*name));
        legend
    }

    /// The first and the last place that any point has on an axis.
    fn extent(&self, scale: Scale, value: impl Fn((f64, f64)) -> f64) -> (f64, f64) {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let points = series.flat_map(|series| {
            let spread = series.spread.iter().flatten().zip(&series.points);
            let bands = spread.flat_map(|(&(low, high), &(x, _))| [(x, low), (x, high)]);
            series.points.iter().copied().chain(bands)
        });
        let places = points.filter(|&point| is_there(point)).map(|point| scale.place(value(point)));
        places
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)))
    }
}

fn is_there((x, y): (f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

/// How wide the columns of a legend are, so that it has few rows, which differ little in length.
fn columns(legend: &[(&str, Look)], width: f64) -> Vec<f64> {
    // A browser's font may be a little wider than the one that this program measures with.
    let entry = |(name, _): &(&str, Look)| LEGEND_LINE + 8.0 + 1.06 * width_of(name) + 18.0;
    let with_rows = |rows| {
        let many = legend.len().div_ceil(rows);
        let widest = |column| {
            let names = legend.iter().skip(column).step_by(many);
            names.map(entry).fold(0.0, f64::max)
        };
        (0..many).map(widest).collect::<Vec<f64>>()
    };
    let fitting = (1..legend.len()).map(with_rows).find(|columns| columns.iter().sum::<f64>() <= width);
    fitting.unwrap_or_else(|| with_rows(legend.len()))
}

/// Pixels in the steps that the library draws in.
fn fine(pixels: f64) -> i32 {
    (pixels * f64::from(FINE)).round() as i32
}

/// How wide a label is, in pixels.
fn width_of(label: &str) -> f64 {
    let (wide, _) = OF_PNG.font(TEXT, false).box_size(label).expect("the font is part of the program");
    f64::from(wide) / f64::from(FINE)
}

impl Letters {
    fn font(self, size: f64, bold: bool) -> FontDesc<'static> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            for (style, font) in
                [(FontStyle::Normal, ttf_noto_sans::REGULAR), (FontStyle::Bold, ttf_noto_sans::BOLD)]
            {
                assert!(register_font("sans-serif", style, font).is_ok(), "the font is whole");
            }
        });
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        FontDesc::new(FontFamily::SansSerif, size * f64::from(FINE) * self.size, style)
    }

    fn style(self, size: f64, bold: bool, color: RGBColor, (h, v): (HPos, VPos)) -> TextStyle<'static> {
        self.font(size, bold).color(&color).pos(Pos::new(h, v))
    }

    /// Draws `text` at a place in steps.
    fn draw<DB: DrawingBackend>(
        self,
        text: &str,
        style: &TextStyle<'_>,
        (x, y): (i32, i32),
        root: &DrawingArea<DB, Shift>,
    ) -> DrawResult<(), DB> {
        root.draw_text(text, style, (x, y + (self.lower * style.font.get_size()).round() as i32))
    }
}

fn line(color: RGBColor, width: f64) -> ShapeStyle {
    color.stroke_width(fine(width) as u32)
}

/// The same picture on any of the library's back ends.
fn draw<DB: DrawingBackend>(chart: &Chart, plan: &Plan<'_>, letters: Letters, backend: DB) -> io::Result<()>
where
    DB::ErrorType: Error + Send + Sync + 'static,
{
    let root = backend.into_drawing_area();
    let drawn = || {
        let title = letters.style(TITLE, true, INK, (HPos::Left, VPos::Top));
        letters.draw(&chart.title, &title, (fine(MARGIN), fine(MARGIN)), &root)?;
        draw_legend(plan, letters, &root)?;
        for (index, panel) in chart.panels.iter().enumerate() {
            draw_panel(plan, letters, index, panel, &root)?;
        }
        let (lefts, wide) = &plan.plots;
        let middle = 0.5 * (lefts[0] + lefts[lefts.len() - 1] + wide);
        let label = letters.style(TEXT, false, INK, (HPos::Center, VPos::Bottom));
        letters.draw(&chart.x.label, &label, (fine(middle), fine(plan.height - 14.0)), &root)?;
        let label = letters.style(TEXT, false, INK, (HPos::Center, VPos::Top));
        let label = label.transform(FontTransform::Rotate270);
        root.draw_text(&chart.y.label, &label, (fine(MARGIN), fine(plan.top + 0.5 * PLOT_HEIGHT)))?;
        root.present()
    };
    drawn().map_err(|error: DrawingAreaErrorKind<DB::ErrorType>| io::Error::other(error.to_string()))
}

/// What each line is, under the title.
fn draw_legend<DB: DrawingBackend>(
    plan: &Plan<'_>,
    letters: Letters,
    root: &DrawingArea<DB, Shift>,
) -> DrawResult<(), DB> {
    let words = letters.style(TEXT, false, INK, (HPos::Left, VPos::Center));
    for (index, &(name, look)) in plan.legend.iter().enumerate() {
        let (row, column) = (index / plan.columns.len(), index % plan.columns.len());
        let left = MARGIN + plan.columns[..column].iter().sum::<f64>();
        let y = fine(MARGIN + 30.0 + LEGEND_ROW * (row as f64 + 0.5));
        draw_line(&[(fine(left), y), (fine(left + LEGEND_LINE), y)], look, root)?;
        draw_marker((fine(left + 0.5 * LEGEND_LINE), y), look, root)?;
        letters.draw(name, &words, (fine(left + LEGEND_LINE + 8.0), y), root)?;
    }
    Ok(())
}

fn draw_panel<DB: DrawingBackend>(
    plan: &Plan<'_>,
    letters: Letters,
    index: usize,
    panel: &Panel,
    root: &DrawingArea<DB, Shift>,
) -> DrawResult<(), DB> {
    let (left, wide) = (plan.plots.0[index], plan.plots.1);
    let heading = letters.style(HEADING, true, SOFT_INK, (HPos::Left, VPos::Bottom));
    letters.draw(&panel.title, &heading, (fine(left), fine(plan.top - 8.0)), root)?;

    let corner = (fine(left), fine(plan.top));
    let area = root.clone().shrink(corner, (fine(wide), fine(PLOT_HEIGHT + 40.0)));
    let mut plot = ChartBuilder::on(&area)
        .set_label_area_size(LabelAreaPosition::Bottom, fine(40.0))
        .build_cartesian_2d(plan.x.clone(), plan.y.clone())?;
    plot.configure_mesh()
        .axis_style(line(AXIS, 1.0))
        .disable_y_axis()
        .bold_line_style(line(GRID, 1.0))
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(fine(4.0))
        .label_style(letters.style(TEXT, false, SOFT_INK, (HPos::Center, VPos::Center)))
        .draw()?;

    let spot = |x: f64, y: f64| plot.plotting_area().map_coordinate(&(x, y));
    // The labels of the vertical axis are the same for all, and stand once.
    if index == 0 {
        let label = letters.style(TEXT, false, SOFT_INK, (HPos::Right, VPos::Center));
        for (value, text) in plan.y.ticks() {
            letters.draw(&text, &label, (fine(left - 8.0), spot(plan.x.range().start, value).1), root)?;
        }
    }
    let look =
        |series: &Series| plan.legend.iter().find(|(name, _)| *name == series.name).map(|(_, look)| *look);
    let drawn = || panel.series.iter().rev().filter_map(|series| Some((series, look(series)?)));
    // What is faint goes below; the limit above the lines that reach it; the measured points above
    // all. And the series that is named first goes above the others.
    for (series, look) in drawn() {
        let Some(spread) = &series.spread else { continue };
        let edges = series.points.iter().zip(spread).map(|(&(x, _), &(low, high))| (x, low, high));
        let edges: Vec<_> = edges.collect();
        for run in edges.split(|&(x, low, high)| !(is_there((x, low)) && is_there((x, high)))) {
            if run.len() > 1 {
                let there = run.iter().map(|&(x, low, _)| spot(x, low));
                let back = run.iter().rev().map(|&(x, _, high)| spot(x, high));
                let band = there.chain(back).collect::<Vec<_>>();
                root.draw(&Polygon::new(band, look.color().mix(0.16)))?;
            }
        }
    }
    for of_limit in [false, true] {
        for (series, look) in drawn().filter(|(_, look)| (*look == Look::Limit) == of_limit) {
            for run in series.points.split(|&point| !is_there(point)) {
                let run: Vec<_> = run.iter().map(|&(x, y)| spot(x, y)).collect();
                draw_line(&run, look, root)?;
            }
        }
    }
    for (series, look) in drawn() {
        for &(x, y) in series.points.iter().filter(|&&point| is_there(point)) {
            draw_marker(spot(x, y), look, root)?;
        }
    }
    Ok(())
}

impl Look {
    fn color(self) -> RGBColor {
        match self {
            Look::Limit => LIMIT,
            Look::Marked { color, .. } => color,
        }
    }
}

fn draw_line<DB: DrawingBackend>(
    run: &[(i32, i32)],
    look: Look,
    root: &DrawingArea<DB, Shift>,
) -> DrawResult<(), DB> {
    match (look, run) {
        // A point alone is seen by its marker, and that of a limit, which has none, as a dot.
        (Look::Limit, &[spot]) => root.draw(&Circle::new(spot, fine(2.0), LIMIT.filled())),
        (_, [] | [_]) => Ok(()),
        (Look::Limit, _) => {
            let (dash, gap) = (fine(8.0), fine(5.0));
            root.draw(&DashedPathElement::new(run.to_vec(), dash, gap, line(LIMIT, 2.0)))
        }
        (Look::Marked { color, .. }, _) => root.draw(&PathElement::new(run.to_vec(), line(color, 2.0))),
    }
}

fn draw_marker<DB: DrawingBackend>(
    (x, y): (i32, i32),
    look: Look,
    root: &DrawingArea<DB, Shift>,
) -> DrawResult<(), DB> {
    match look {
        Look::Limit => Ok(()),
        Look::Marked { color, shape: 0 } => root.draw(&Circle::new((x, y), fine(RADIUS), color.filled())),
        Look::Marked { color, shape } => {
            let corners = SHAPES[shape].iter().map(|&(dx, dy)| (x + fine(dx), y + fine(dy)));
            root.draw(&Polygon::new(corners.collect::<Vec<_>>(), color.filled()))
        }
    }
}
