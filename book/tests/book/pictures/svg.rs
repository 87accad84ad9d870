//! A picture, as the text of an SVG file.
//!
//! A picture is 320 wide, which is what a phone of 360 pixels has for it. Everything in it has a
//! *class*, and classes have colours by name. A file that is opened alone takes them from its own
//! style, by what the reader prefers. On a page of the book, `pictures.css` sets them by the theme.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

/// The width of every picture.
pub(super) const WIDTH: f64 = 320.0;

/// The width of a character of code.
pub(super) const CODE: f64 = 7.3;

/// The colours: their names, on a light page, and on a dark one.
pub(super) const COLOURS: [(&str, &str, &str); 12] = [
    ("ink", "#1d2329", "#e4e8ec"),
    ("pale", "#4d5762", "#a9b4bf"),
    ("good", "#14642f", "#74d69b"),
    ("bad", "#a32315", "#ff9a8a"),
    ("move", "#1a5fa8", "#7fbcf5"),
    ("faint", "#a9b1ba", "#56606b"),
    ("plain", "#eef1f4", "#262d35"),
    ("pe0", "#c3def6", "#1d4a73"),
    ("pe1", "#fbdcae", "#6b430f"),
    ("pe2", "#c9eacd", "#235a37"),
    ("pe3", "#e2d3f4", "#4d3475"),
    ("on", "#fff3a3", "#6a5f00"),
];

/// What the classes mean.
const CLASSES: &str = "\
.picture{font:13px system-ui,'Segoe UI','DejaVu Sans',sans-serif}
.picture text{fill:var(--picture-ink)}
.picture .code{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px}
.picture .number{font-size:12px}
.picture .strong{font-weight:600}
.picture .middle{text-anchor:middle}
.picture .end{text-anchor:end}
.picture text.pale{fill:var(--picture-pale)}
.picture text.good{fill:var(--picture-good)}
.picture text.bad{fill:var(--picture-bad)}
.picture text.move{fill:var(--picture-move)}
.picture rect{stroke:var(--picture-pale);stroke-width:1}
.picture rect.frame{fill:none}
.picture rect.plain{fill:var(--picture-plain)}
.picture rect.pe0{fill:var(--picture-pe0)}
.picture rect.pe1{fill:var(--picture-pe1)}
.picture rect.pe2{fill:var(--picture-pe2)}
.picture rect.pe3{fill:var(--picture-pe3)}
.picture rect.on{fill:var(--picture-on)}
.picture .dashed{stroke-dasharray:4 3}
.picture path{fill:none;stroke:var(--picture-ink);stroke-width:1.5}
.picture path.pale{stroke:var(--picture-pale)}
.picture path.faint{stroke:var(--picture-faint)}
.picture path.bad{stroke:var(--picture-bad);stroke-width:2}
.picture path.move{stroke:var(--picture-move);stroke-width:2}
.picture .terminal text,.picture .nonterminal text{font:13px 'DejaVu Sans Mono',Menlo,Consolas,monospace;text-anchor:middle}
.picture .terminal rect{fill:var(--picture-pe0)}
.picture .nonterminal rect{fill:var(--picture-plain)}
.picture [data-is=part] rect{stroke-dasharray:4 3}
.picture path.tip{stroke:none;fill:var(--picture-ink)}
.picture path.tip.pale{fill:var(--picture-pale)}
.picture path.tip.faint{fill:var(--picture-faint)}
.picture path.tip.bad{fill:var(--picture-bad)}
.picture path.tip.move{fill:var(--picture-move)}
";

/// The colours as properties: of a light page, or of a dark one.
fn properties(is_dark: bool) -> String {
    let of = |(name, light, dark): &(&str, &str, &str)| {
        format!("--picture-{name}:{};", if is_dark { dark } else { light })
    };
    COLOURS.iter().map(of).collect()
}

/// The style sheet of the book, which gives the colours by mdBook's themes.
pub(super) fn sheet() -> String {
    let (light, dark) = (properties(false), properties(true));
    format!(
        "/* The colours of the pictures, by theme. Made by book/tests/book/pictures: BOOK=overwrite cargo test -p book pictures */\n\
         html .picture {{{light}}}\n\
         .coal .picture, .navy .picture, .ayu .picture {{{dark}}}\n\
         /* Without scripts, mdBook too goes by what the reader prefers. */\n\
         @media (prefers-color-scheme: dark) {{ html:not(.js) .picture {{{dark}}} }}\n"
    )
}

/// A picture that is being drawn. Coordinates are from the upper left corner.
pub(super) struct Picture {
    name: &'static str,
    title: String,
    description: String,
    width: f64,
    body: String,
    /// Where the lowest thing ends.
    bottom: f64,
}

impl Picture {
    /// An empty picture. `title` names what it shows, and `description` says it to those who do not
    /// see it.
    pub(super) fn new(
        name: &'static str,
        title: impl Into<String>,
        description: impl Into<String>,
    ) -> Picture {
        Picture {
            name,
            title: title.into(),
            description: description.into(),
            width: WIDTH,
            body: String::new(),
            bottom: 0.0,
        }
    }

    /// The same picture, of another width: it is made smaller on a phone.
    pub(super) fn of_width(self, width: f64) -> Picture {
        Picture { width, ..self }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// A line of text whose base line begins at `x`, `y`; in its middle or end, by the class.
    pub(super) fn text(
        &mut self,
        x: f64,
        y: f64,
        class: &str,
        text: impl Display,
    ) {
        let text = escaped(&text.to_string());
        let (x, y) = (rounded(x), rounded(y));
        self.add(
            y + 4.0,
            format_args!(
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
            ),
        );
    }

    /// A box.
    pub(super) fn frame(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
    ) {
        let (x, y) = (rounded(x), rounded(y));
        let (width, height) = (rounded(width), rounded(height));
        self.add(
            y + height,
            format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"2\"/>"
            ),
        );
    }

    /// What another crate has drawn, down to `bottom`.
    pub(super) fn drawing(&mut self, bottom: f64, drawing: String) {
        let lines: Vec<&str> = drawing.lines().map(str::trim).collect();
        self.add(bottom, lines.join(""));
    }

    /// A box with a text in its middle.
    pub(super) fn cell(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        text: impl Display,
    ) {
        self.frame((x, y), (width, height), class);
        let text = text.to_string();
        if !text.is_empty() {
            let middle = (x + width / 2.0, y + height / 2.0 + 4.3);
            self.text(middle.0, middle.1, "number middle", text);
        }
    }

    /// A straight line.
    pub(super) fn line(
        &mut self,
        (x, y): (f64, f64),
        (to_x, to_y): (f64, f64),
        class: &str,
    ) {
        let [x, y, to_x, to_y] = [x, y, to_x, to_y].map(rounded);
        self.add(
            y.max(to_y),
            format_args!(
                "<path class=\"{class}\" d=\"M{x} {y}L{to_x} {to_y}\"/>"
            ),
        );
    }

    /// A straight line with a tip at its end.
    pub(super) fn arrow(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        class: &str,
    ) {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let length = across.hypot(down);
        // One step along the arrow, and how far and how wide the tip reaches back.
        let (dx, dy) = (across / length, down / length);
        let (back, wide) = (8.0, 3.6);
        let neck = (to.0 - dx * back, to.1 - dy * back);
        self.line(from, neck, class);
        let corners = [
            to,
            (neck.0 - dy * wide, neck.1 + dx * wide),
            (neck.0 + dy * wide, neck.1 - dx * wide),
        ];
        let [a, b, c] = corners.map(|(x, y)| (rounded(x), rounded(y)));
        let class = class.replace("dashed", "");
        self.add(
            to.1,
            format_args!(
                "<path class=\"tip {}\" d=\"M{} {}L{} {}L{} {}Z\"/>",
                class.trim(),
                a.0,
                a.1,
                b.0,
                b.1,
                c.0,
                c.1
            ),
        );
    }

    /// A field of squares, row by row, which begins at `x`, `y`. Each has a strength from 0, the colour
    /// of the page, to 1.
    pub(super) fn squares(
        &mut self,
        (x, y): (f64, f64),
        size: f64,
        columns: usize,
        strengths: &[f64],
    ) {
        // One path for each strength. Equal neighbours in a row are one box.
        let mut paths: BTreeMap<u32, String> = BTreeMap::new();
        for (i, row) in strengths.chunks(columns).enumerate() {
            let mut j = 0;
            for run in row.chunk_by(|one, next| one == next) {
                let [left, top] =
                    [x + size * j as f64, y + size * i as f64].map(rounded);
                let [width, height] =
                    [size * run.len() as f64, size].map(rounded);
                let path = paths.entry((run[0] * 100.0) as u32).or_default();
                // Writing to a String cannot fail.
                let _ =
                    write!(path, "M{left} {top}h{width}v{height}h-{width}z");
                j += run.len();
            }
        }
        paths.remove(&0);
        let bottom = y + size * (strengths.len() / columns) as f64;
        for (strength, path) in paths {
            let strength = f64::from(strength) / 100.0;
            // The style sheet has no class for this.
            self.add(
                bottom,
                format_args!(
                    "<path style=\"fill:var(--picture-bad);stroke:none\" fill-opacity=\"{strength}\" shape-rendering=\"crispEdges\" d=\"{path}\"/>"
                ),
            );
        }
    }

    fn add(&mut self, bottom: f64, element: impl Display) {
        self.bottom = self.bottom.max(bottom);
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// The file. It has no empty line, where a block of HTML would end on a page.
    pub(super) fn file(&self) -> String {
        let Picture { name, title, description, width, body, bottom } = self;
        let (title, description) = (escaped(title), escaped(description));
        let height = (bottom + 4.0).ceil();
        let (light, dark) = (properties(false), properties(true));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{name}-title\" aria-describedby=\"{name}-description\">\n\
             <title id=\"{name}-title\">{title}</title>\n\
             <desc id=\"{name}-description\">{description}</desc>\n\
             <style>\n.picture{{{light}}}\n@media (prefers-color-scheme:dark){{.picture{{{dark}}}}}\n{CLASSES}</style>\n\
             {body}</svg>\n"
        )
    }
}

/// To a tenth, which is less than anyone sees.
fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
