//! A picture of pixels to draw on, for the PNG.

use std::convert::Infallible;
use std::f64::consts::TAU;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, ScaleFont as _, point};
use ab_glyph_rasterizer::Rasterizer;
use plotters_backend::rasterizer::polygonize;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

static REGULAR: LazyLock<FontRef<'static>> = LazyLock::new(|| parse(ttf_noto_sans::REGULAR));
static BOLD: LazyLock<FontRef<'static>> = LazyLock::new(|| parse(ttf_noto_sans::BOLD));

fn parse(font: &'static [u8]) -> FontRef<'static> {
    FontRef::try_from_slice(font).expect("the font is part of the program, and whole")
}

/// The letters of a text: each with its place on the line, and where the line ends. `size` is that of an em.
fn letters(text: &str, size: f32, bold: bool) -> (Vec<(GlyphId, f32)>, f32) {
    let font = if bold { &*BOLD } else { &*REGULAR };
    let scaled = font.as_scaled(scale(font, size));
    let mut end = 0.0;
    let letters = text.chars().map(|letter| {
        let glyph = font.glyph_id(letter);
        let place = end;
        end += scaled.h_advance(glyph);
        (glyph, place)
    });
    (letters.collect(), end)
}

/// What makes an em as large as `size`: the crate counts in heights of lines.
fn scale(font: &FontRef<'static>, size: f32) -> PxScale {
    PxScale::from(size * font.height_unscaled() / font.units_per_em().expect("an outline font has it"))
}

/// How wide `text` is where an em is as large as `size`.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    f64::from(letters(text, size as f32, bold).1)
}

/// The pixels, and how many steps of whoever draws go into one.
pub(super) struct Canvas<'a> {
    pixels: &'a mut [[u8; 3]],
    width: usize,
    steps: i32,
}

/// Drawing here cannot fail.
type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'a> Canvas<'a> {
    /// Draws on `pixels`, rows of `width`.
    pub(super) fn new(pixels: &'a mut [[u8; 3]], width: usize, steps: i32) -> Canvas<'a> {
        Canvas { pixels, width, steps }
    }

    fn in_pixels(&self, steps: i32) -> f32 {
        steps as f32 / self.steps as f32
    }

    fn mix(&mut self, x: i32, y: i32, color: BackendColor) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width {
            return;
        }
        let Some(pixel) = self.pixels.get_mut(y * self.width + x) else { return };
        let (red, green, blue) = color.rgb;
        for (old, new) in pixel.iter_mut().zip([red, green, blue]) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * color.alpha;
            *old = mixed.round() as u8;
        }
    }

    /// Everything but a text is a polygon. A pixel takes as much of the colour as the polygon covers of it.
    fn fill(&mut self, corners: &[BackendCoord], color: BackendColor) {
        let corners: Vec<_> = corners.iter().map(|&(x, y)| (self.in_pixels(x), self.in_pixels(y))).collect();
        let lowest =
            |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(f32::INFINITY, f32::min).floor();
        let highest = |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(0.0, f32::max).ceil();
        let (left, top) = (lowest(|corner| corner.0), lowest(|corner| corner.1));
        let (right, bottom) = (highest(|corner| corner.0), highest(|corner| corner.1));
        if corners.is_empty() || right <= left || bottom <= top {
            return;
        }
        let mut covered = Rasterizer::new((right - left) as usize + 1, (bottom - top) as usize);
        let corner = |index: usize| {
            let (x, y) = corners[index % corners.len()];
            point(x - left, y - top)
        };
        for index in 0..corners.len() {
            covered.draw_line(corner(index), corner(index + 1));
        }
        covered.for_each_pixel_2d(|x, y, share| {
            if share > 0.0 {
                let color = color.mix(f64::from(share.min(1.0)));
                self.mix(left as i32 + x as i32, top as i32 + y as i32, color);
            }
        });
    }
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let height = self.pixels.len() / self.width;
        (self.width as u32 * self.steps as u32, height as u32 * self.steps as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.fill(&[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], color);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path: Vec<_> = path.into_iter().collect();
        self.fill(&polygonize(&path, style.stroke_width()), style.color());
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners, style) }
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let corners = (0..48).map(|corner| {
            let (sin, cos) = (f64::from(corner) * TAU / 48.0).sin_cos();
            let radius = f64::from(radius);
            (x + (radius * cos).round() as i32, y + (radius * sin).round() as i32)
        });
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners, style) }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        of: I,
        style: &S,
    ) -> Drawn {
        self.fill(&of.into_iter().collect::<Vec<_>>(), style.color());
        Ok(())
    }

    /// As the SVG says it: the same size, and the same place beside the anchor.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let bold = matches!(style.style(), FontStyle::Bold);
        let font = if bold { &*BOLD } else { &*REGULAR };
        let size = (style.size() / super::POINTS) as f32 / self.steps as f32;
        let (letters, width) = letters(text, size, bold);
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -0.5 * width,
            HPos::Right => -width,
        };
        // 1 ex, the height of an x, is 0.536 em in this font.
        let baseline = match style.anchor().v_pos {
            VPos::Top => 0.76 * size,
            VPos::Center => 0.5 * 0.536 * size,
            VPos::Bottom => -0.5 * 0.536 * size,
        };
        let turn = style.transform();
        let (x, y) = (self.in_pixels(x).round() as i32, self.in_pixels(y).round() as i32);
        for (glyph, place) in letters {
            let glyph = glyph.with_scale_and_position(scale(font, size), point(left + place, baseline));
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|across, down, share| {
                let (dx, dy) = turn.transform(corner.x as i32 + across as i32, corner.y as i32 + down as i32);
                self.mix(x + dx, y + dy, style.color().mix(f64::from(share.clamp(0.0, 1.0))));
            });
        }
        Ok(())
    }
}

/// Writes a PNG of `pixels`, rows of `width`.
pub(super) fn write(path: &Path, pixels: &[[u8; 3]], width: usize) -> io::Result<()> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, (pixels.len() / width) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut file| file.write_image_data(pixels.as_flattened()));
    written.map_err(io::Error::other)?;
    std::fs::write(path, file)
}
