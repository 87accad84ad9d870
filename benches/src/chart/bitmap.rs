//! What the PNG needs beside the library's own back end for pixels: smooth edges, and the file.

use std::io;
use std::path::Path;

/// Pixels in red, green and blue.
pub(super) struct Bitmap {
    /// A byte for each colour of each pixel, row by row.
    pub(super) bytes: Vec<u8>,
    width: usize,
}

impl Bitmap {
    /// A white picture.
    pub(super) fn white(width: usize, height: usize) -> Bitmap {
        Bitmap { bytes: vec![255; 3 * width * height], width }
    }

    /// A picture whose pixels are the mean of `times` × `times` of this one: the library draws the
    /// edges of polygons in steps.
    pub(super) fn smaller(&self, times: usize) -> Bitmap {
        let (width, part, many) = (self.width / times, 3 * times, times * times);
        let white = vec![255; part];
        let mut bytes = Vec::with_capacity(self.bytes.len() / many);
        for rows in self.bytes.chunks_exact(3 * self.width * times) {
            for at in (0..width).map(|pixel| pixel * part) {
                let parts = rows.chunks_exact(3 * self.width).map(|row| &row[at..at + part]);
                // Most pixels are white. This is fast in a debug build, too.
                if parts.clone().all(|part| part == white) {
                    bytes.extend([255; 3]);
                    continue;
                }
                for color in 0..3 {
                    let all = parts.clone().flat_map(|part| part.iter().skip(color).step_by(3));
                    let sum: usize = all.map(|&byte| usize::from(byte)).sum();
                    bytes.push(((2 * sum + many) / (2 * many)) as u8);
                }
            }
        }
        Bitmap { bytes, width }
    }

    /// Writes it as a PNG.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let height = self.bytes.len() / (3 * self.width);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut file| file.write_image_data(&self.bytes));
        written.map_err(io::Error::other)?;
        std::fs::write(path, file)
    }
}
