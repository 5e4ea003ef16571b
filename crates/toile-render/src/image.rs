//! Finished pictures: bytes in rows, how to put one into another, and how to write them as PNG.

use crate::color::{Rgb, to_bytes};
use crate::parallel::for_each_piece;
use thiserror::Error;

/// A picture that cannot be written.
#[derive(Debug, Error)]
pub enum RenderError {
    /// There is nothing to write.
    #[error("the picture is {width} × {height} pixels; a PNG needs at least one pixel")]
    EmptyImage {
        /// Width (pixels).
        width: u32,
        /// Height (pixels).
        height: u32,
    },
    /// The bytes do not fill the picture.
    #[error(
        "a picture of {width} × {height} pixels needs {expected} bytes, but has {actual}; \
         each pixel is three bytes"
    )]
    WrongByteCount {
        /// Width (pixels).
        width: u32,
        /// Height (pixels).
        height: u32,
        /// How many bytes there should be.
        expected: usize,
        /// How many there are.
        actual: usize,
    },
    /// An animation without frames.
    #[error("an animation needs at least one frame")]
    NoFrames,
    /// A frame that does not fit the first.
    #[error(
        "frame {frame} is {} × {} pixels, the first {} × {}; all frames must have the same size",
        .size[0], .size[1], .first[0], .first[1]
    )]
    FrameSize {
        /// The frame (counted from 0).
        frame: usize,
        /// Its size (pixels).
        size: [u32; 2],
        /// The size of the first frame (pixels).
        first: [u32; 2],
    },
    /// A frame rate that no animation can have.
    #[error("the frame rate is {fps}; it must be more than 0 and at most 1000 frames per second")]
    FrameRate {
        /// The rate asked for (1/s).
        fps: f64,
    },
    /// The PNG encoder refuses.
    #[error("the picture cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// A finished picture in sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width (pixels).
    pub width: u32,
    /// Height (pixels).
    pub height: u32,
    /// Three bytes per pixel, row after row from the top.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: Rgb) -> Self {
        Image {
            width,
            height,
            rgb: to_bytes(color).repeat(width as usize * height as usize),
        }
    }

    /// The pixel in column `x` and row `y`, counted from the top left; `None` outside of the picture.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let start = self.offset(x, y);
        let bytes = self.rgb.get(start..start + 3)?;
        Some([bytes[0], bytes[1], bytes[2]])
    }

    /// Lays a colour over a pixel, from 0 (nothing happens) to 1 (the pixel has the colour). Outside
    /// of the picture nothing happens.
    pub fn blend(&mut self, x: i64, y: i64, color: Rgb, opacity: f32) {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return;
        }
        let start = self.offset(x as u32, y as u32);
        if let Some(pixel) = self.rgb.get_mut(start..start + 3) {
            for (byte, channel) in pixel.iter_mut().zip(color) {
                let below = f32::from(*byte);
                *byte = (below + (channel * 255.0 - below) * opacity + 0.5) as u8;
            }
        }
    }

    /// Paints a rectangle; what lies outside of the picture is left out.
    pub fn fill_rectangle(&mut self, x: i64, y: i64, width: u32, height: u32, color: Rgb) {
        for row in y.max(0)..(y + i64::from(height)).min(i64::from(self.height)) {
            for column in x.max(0)..(x + i64::from(width)).min(i64::from(self.width)) {
                self.blend(column, row, color, 1.0);
            }
        }
    }

    /// Copies another picture into this one, its top left corner at `x`, `y`; what lies outside is
    /// left out.
    pub fn blit(&mut self, other: &Image, x: i64, y: i64) {
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let columns = (-x).max(0)..i64::from(other.width).min(width - x);
        if columns.is_empty() {
            return;
        }
        for row in (-y).max(0)..i64::from(other.height).min(height - y) {
            let from = other.offset(columns.start as u32, row as u32);
            let to = self.offset((x + columns.start) as u32, (y + row) as u32);
            let length = 3 * (columns.end - columns.start) as usize;
            if let (Some(source), Some(target)) = (
                other.rgb.get(from..from + length),
                self.rgb.get_mut(to..to + length),
            ) {
                target.copy_from_slice(source);
            }
        }
    }

    /// The part of the picture in a rectangle; what lies outside is black.
    pub fn crop(&self, x: u32, y: u32, width: u32, height: u32) -> Image {
        let mut part = Image::filled(width, height, [0.0; 3]);
        part.blit(self, -i64::from(x), -i64::from(y));
        part
    }

    /// The picture in another size: every new pixel is the mean of the area that it covers in the old
    /// picture.
    pub fn resize(&self, width: u32, height: u32) -> Image {
        if (width, height) == (self.width, self.height) {
            return self.clone();
        }
        let mut resized = Image::filled(width, height, [0.0; 3]);
        if width == 0 || height == 0 || self.check().is_err() {
            return resized;
        }
        let columns = shares(self.width, width);
        let rows = shares(self.height, height);
        let row_bytes = 3 * width as usize;
        for_each_piece(&mut resized.rgb, row_bytes, |row, line| {
            for (pixel, along) in line.chunks_mut(3).zip(&columns) {
                let mut sum = [0.0f32; 3];
                for &(y, high) in &rows[row] {
                    for &(x, wide) in along {
                        let start = self.offset(x, y);
                        for (channel, total) in sum.iter_mut().enumerate() {
                            *total += f32::from(self.rgb[start + channel]) * high * wide;
                        }
                    }
                }
                for (byte, total) in pixel.iter_mut().zip(sum) {
                    *byte = (total + 0.5) as u8;
                }
            }
        });
        resized
    }

    /// The picture as a PNG file.
    pub fn encode_png(&self) -> Result<Vec<u8>, RenderError> {
        self.encode_filtered(png::Filter::Adaptive)
    }

    /// The picture as a PNG file whose rows are predicted in the given way.
    pub(crate) fn encode_filtered(&self, filter: png::Filter) -> Result<Vec<u8>, RenderError> {
        self.check()?;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(filter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Whether there is a picture and its bytes fill it.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let (width, height) = (self.width, self.height);
        if width == 0 || height == 0 {
            return Err(RenderError::EmptyImage { width, height });
        }
        let expected = 3 * width as usize * height as usize;
        if self.rgb.len() != expected {
            return Err(RenderError::WrongByteCount {
                width,
                height,
                expected,
                actual: self.rgb.len(),
            });
        }
        Ok(())
    }

    fn offset(&self, x: u32, y: u32) -> usize {
        3 * (y as usize * self.width as usize + x as usize)
    }
}

/// For every new pixel along a line, the old pixels it covers and the share of each.
fn shares(old: u32, new: u32) -> Vec<Vec<(u32, f32)>> {
    let step = f64::from(old) / f64::from(new);
    (0..new)
        .map(|i| {
            let (from, to) = (f64::from(i) * step, f64::from(i + 1) * step);
            let last = (to.ceil() as u32).min(old);
            (from as u32..last)
                .map(|k| {
                    let covered = to.min(f64::from(k) + 1.0) - from.max(f64::from(k));
                    (k, (covered / step) as f32)
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pixel another colour.
    fn patchwork(width: u32, height: u32) -> Image {
        let count = width * height;
        let rgb = (0..count)
            .flat_map(|i| [i as u8, (i * 7) as u8, (i * 31 / 8) as u8])
            .collect();
        Image { width, height, rgb }
    }

    #[test]
    fn a_png_decodes_to_the_same_pixels() {
        let image = patchwork(37, 23);
        let bytes = image.encode_png().unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (37, 23));
        assert_eq!(pixels, image.rgb);
    }

    #[test]
    fn pictures_without_pixels_or_with_missing_bytes_are_refused() {
        let empty = Image::filled(0, 5, [1.0; 3]);
        assert!(matches!(
            empty.encode_png(),
            Err(RenderError::EmptyImage { height: 5, .. })
        ));
        let mut short = Image::filled(4, 4, [1.0; 3]);
        short.rgb.pop();
        let error = short.encode_png().unwrap_err().to_string();
        assert!(error.contains("48 bytes, but has 47"), "{error}");
    }

    #[test]
    fn a_picture_put_over_the_border_is_cut_off() {
        let mut page = Image::filled(8, 8, [0.0; 3]);
        let stamp = patchwork(4, 4);
        page.blit(&stamp, 6, -1);
        assert_eq!(page.pixel(6, 0), stamp.pixel(0, 1));
        assert_eq!(page.pixel(7, 2), stamp.pixel(1, 3));
        assert_eq!(page.pixel(5, 0), Some([0; 3]));
        assert_eq!(page.pixel(6, 3), Some([0; 3]));
        page.blit(&stamp, 100, 100);
        page.blit(&stamp, -100, 2);
        assert_eq!(page.pixel(8, 0), None);
    }

    #[test]
    fn resizing_keeps_the_mean() {
        let mut image = Image::filled(6, 4, [0.0; 3]);
        image.fill_rectangle(0, 0, 3, 4, [1.0; 3]);
        let small = image.resize(4, 2);
        assert_eq!(small.pixel(0, 0), Some([255; 3]));
        assert_eq!(small.pixel(3, 1), Some([0; 3]));
        let one = image.resize(1, 1);
        assert_eq!(one.pixel(0, 0), Some([128; 3]));
        let large = image.resize(12, 8);
        assert_eq!(large.pixel(5, 7), Some([255; 3]));
        assert_eq!(large.pixel(6, 0), Some([0; 3]));
    }
}
