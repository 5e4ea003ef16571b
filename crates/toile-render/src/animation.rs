//! Animations as APNG: a PNG that moves, in full colour, which browsers and README pages show.
//!
//! The first frame is a whole picture; of every later one only the rectangle that changed is written. Each frame is
//! compressed by itself.

use crate::image::{Image, RenderError};
use crate::parallel::in_order;
use png::{Filter, chunk};

/// Writes an animation that plays for ever.
pub fn animated_png(frames: &[Image], fps: f64) -> Result<Vec<u8>, RenderError> {
    let first = frames.first().ok_or(RenderError::NoFrames)?;
    let delay = frame_delay(fps)?;
    check_sizes(frames)?;
    let part = |index: usize| -> Result<(Rectangle, Vec<u8>), RenderError> {
        let rectangle = if index == 0 {
            Rectangle::whole(first)
        } else {
            Rectangle::of_change(&frames[index - 1], &frames[index])
        };
        let [x, y, width, height] = rectangle.0;
        let cut = frames[index].crop(x, y, width, height);
        // Trying every filter for all rows alike saves a hundredth and takes three times as long.
        let data = image_data(&cut.encode_filtered(Filter::Adaptive)?);
        Ok((rectangle, data))
    };
    let parts = in_order(frames.len(), part);
    let parts: Vec<_> = parts.into_iter().collect::<Result<_, _>>()?;
    assemble(first, &parts, delay)
}

/// The time from one frame to the next as a fraction (s).
fn frame_delay(fps: f64) -> Result<[u16; 2], RenderError> {
    if !fps.is_finite() || fps <= 0.0 || fps > 1000.0 {
        return Err(RenderError::FrameRate { fps });
    }
    // Milliseconds would make 30 frames per second run fast; 1/30 is exact.
    let numerators = [1u16, 10, 100, 1000];
    let fractions = numerators.map(|n| (n, f64::from(n) * fps));
    let exact = fractions
        .iter()
        .find(|(_, d)| (d - d.round()).abs() < 1e-6 && d.round() <= 65535.0);
    let finest = fractions.iter().rev().find(|(_, d)| d.round() <= 65535.0);
    match exact.or(finest) {
        Some(&(numerator, denominator)) if denominator.round() >= 1.0 => {
            Ok([numerator, denominator.round() as u16])
        }
        // Less than a frame in a thousand seconds.
        _ => Ok([u16::MAX, 1]),
    }
}

fn check_sizes(frames: &[Image]) -> Result<(), RenderError> {
    let first = [frames[0].width, frames[0].height];
    for (index, frame) in frames.iter().enumerate() {
        frame.check()?;
        let size = [frame.width, frame.height];
        if size != first {
            return Err(RenderError::FrameSize {
                frame: index,
                size,
                first,
            });
        }
    }
    Ok(())
}

/// Left, top, width and height (pixels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rectangle([u32; 4]);

impl Rectangle {
    fn whole(image: &Image) -> Self {
        Rectangle([0, 0, image.width, image.height])
    }

    /// The smallest rectangle outside of which two pictures are the same. A frame cannot be empty, so it
    /// is at least one pixel.
    fn of_change(before: &Image, after: &Image) -> Self {
        let row_bytes = 3 * before.width as usize;
        let (mut left, mut right) = (u32::MAX, 0);
        let (mut top, mut bottom) = (u32::MAX, 0);
        let rows = before
            .rgb
            .chunks(row_bytes)
            .zip(after.rgb.chunks(row_bytes));
        for (y, (old, new)) in rows.enumerate() {
            if old == new {
                continue;
            }
            let differs = |x: &u32| {
                let pixel = 3 * *x as usize..3 * *x as usize + 3;
                old[pixel.clone()] != new[pixel]
            };
            top = top.min(y as u32);
            bottom = y as u32;
            left = left.min((0..before.width).find(differs).unwrap_or(0));
            right = right.max((0..before.width).rev().find(differs).unwrap_or(0));
        }
        if top == u32::MAX {
            return Rectangle([0, 0, 1, 1]);
        }
        Rectangle([left, top, right - left + 1, bottom - top + 1])
    }
}

/// The contents of all `IDAT` chunks of a PNG file.
fn image_data(file: &[u8]) -> Vec<u8> {
    const SIGNATURE: usize = 8;
    let mut data = Vec::new();
    let mut rest = file.get(SIGNATURE..).unwrap_or_default();
    // A chunk: its length, its name, its contents, a checksum.
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(contents) = behind.get(..length) else {
            break;
        };
        if head[4..] == chunk::IDAT.0 {
            data.extend_from_slice(contents);
        }
        rest = behind.get(length + 4..).unwrap_or_default();
    }
    data
}

fn assemble(
    first: &Image,
    parts: &[(Rectangle, Vec<u8>)],
    delay: [u16; 2],
) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, first.width, first.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_animated(parts.len() as u32, 0)?;
    let mut writer = encoder.write_header()?;
    // Frame headers and the data of all but the first frame are numbered together.
    let mut sequence = 0u32;
    for (index, (rectangle, data)) in parts.iter().enumerate() {
        writer.write_chunk(chunk::fcTL, &frame_header(sequence, rectangle, delay))?;
        sequence += 1;
        if index == 0 {
            writer.write_chunk(chunk::IDAT, data)?;
        } else {
            let numbered = [&sequence.to_be_bytes(), data.as_slice()].concat();
            writer.write_chunk(chunk::fdAT, &numbered)?;
            sequence += 1;
        }
    }
    writer.finish()?;
    Ok(bytes)
}

/// The contents of an `fcTL` chunk for a frame that replaces a rectangle and stays.
fn frame_header(sequence: u32, rectangle: &Rectangle, delay: [u16; 2]) -> Vec<u8> {
    let [x, y, width, height] = rectangle.0;
    let mut header = Vec::with_capacity(26);
    for number in [sequence, width, height, x, y] {
        header.extend(number.to_be_bytes());
    }
    for number in delay {
        header.extend(number.to_be_bytes());
    }
    const DISPOSE_NONE: u8 = 0;
    const BLEND_SOURCE: u8 = 0;
    header.extend([DISPOSE_NONE, BLEND_SOURCE]);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square that moves over a striped ground, and stands still in the end.
    fn frames() -> Vec<Image> {
        let steps = [0, 5, 9, 14, 14];
        steps
            .map(|step| {
                let mut image = Image::filled(48, 32, [0.8, 0.7, 0.6]);
                image.fill_rectangle(0, 20, 48, 3, [0.2, 0.5, 0.3]);
                image.fill_rectangle(step, step, 9, 7, [0.9, 0.1, 0.2]);
                image
            })
            .to_vec()
    }

    #[test]
    fn an_animation_decodes_to_the_same_frames() {
        let frames = frames();
        let file = animated_png(&frames, 30.0).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
        let mut canvas = Image::filled(48, 32, [0.0; 3]);
        for (index, frame) in frames.iter().enumerate() {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut pixels).unwrap();
            pixels.truncate(info.buffer_size());
            let control = *reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 30));
            let part = Image {
                width: info.width,
                height: info.height,
                rgb: pixels,
            };
            canvas.blit(&part, control.x_offset.into(), control.y_offset.into());
            assert_eq!(canvas, *frame, "frame {index}");
        }
    }

    #[test]
    fn only_the_rectangle_that_changed_is_written() {
        let frames = frames();
        let change = Rectangle::of_change(&frames[0], &frames[1]);
        assert_eq!(change, Rectangle([0, 0, 14, 12]));
        let nothing = Rectangle::of_change(&frames[3], &frames[4]);
        assert_eq!(nothing, Rectangle([0, 0, 1, 1]));
    }

    #[test]
    fn frame_rates_are_exact_where_they_can_be() {
        assert_eq!(frame_delay(60.0).unwrap(), [1, 60]);
        assert_eq!(frame_delay(12.5).unwrap(), [10, 125]);
        assert_eq!(frame_delay(0.5).unwrap(), [10, 5]);
        let [numerator, denominator] = frame_delay(29.97).unwrap();
        let shown = f64::from(denominator) / f64::from(numerator);
        assert!((shown - 29.97).abs() < 1e-3);
        for fps in [0.0, -3.0, f64::NAN, 1e9] {
            assert!(matches!(
                frame_delay(fps),
                Err(RenderError::FrameRate { .. })
            ));
        }
    }

    #[test]
    fn frames_that_do_not_fit_are_refused_by_name() {
        assert!(matches!(
            animated_png(&[], 10.0),
            Err(RenderError::NoFrames)
        ));
        let mut frames = frames();
        frames[2] = Image::filled(48, 31, [0.0; 3]);
        let error = animated_png(&frames, 10.0).unwrap_err().to_string();
        assert!(error.starts_with("frame 2 is 48 × 31"), "{error}");
    }
}
