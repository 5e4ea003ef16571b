//! Contact sheets: many small pictures on one page.

use crate::image::Image;
use crate::label::{Anchor, TextStyle};

const PAGE: [f32; 3] = [0.985, 0.985, 0.98];

/// Puts pictures on one page, row by row, each with its label below. Pictures of different sizes are
/// centred in cells that fit the largest. Without any label there is no room for labels.
pub fn contact_sheet(images: &[(Image, String)], columns: usize) -> Image {
    let columns = columns.clamp(1, images.len().max(1)) as u32;
    let rows = (images.len() as u32).div_ceil(columns);
    let cell_width = images.iter().map(|(i, _)| i.width).max().unwrap_or(1);
    let cell_height = images.iter().map(|(i, _)| i.height).max().unwrap_or(1);
    let style = TextStyle {
        height: (cell_width as f32 / 28.0).clamp(8.0, 18.0).round(),
        ..TextStyle::default()
    };
    let gap = (cell_width / 32).clamp(4, 24);
    let labelled = images.iter().any(|(_, label)| !label.is_empty());
    // Room above and below the letters, and for what hangs under the line.
    let strip = if labelled {
        (2.3 * style.height) as u32
    } else {
        0
    };
    let mut page = Image::filled(
        gap + columns * (cell_width + gap),
        gap + rows * (cell_height + strip + gap),
        PAGE,
    );
    for (index, (image, label)) in images.iter().enumerate() {
        let column = index as u32 % columns;
        let row = index as u32 / columns;
        let left = gap + column * (cell_width + gap);
        let top = gap + row * (cell_height + strip + gap);
        page.blit(
            image,
            i64::from(left + (cell_width - image.width) / 2),
            i64::from(top + (cell_height - image.height) / 2),
        );
        page.write(
            label,
            left as f32 + 0.5 * cell_width as f32,
            (top + cell_height) as f32 + 1.65 * style.height,
            Anchor::Middle,
            &style,
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lie_row_by_row_and_do_not_overlap() {
        let shades = [0.0, 0.2, 0.4, 0.6, 0.8];
        let images: Vec<_> = shades
            .iter()
            .map(|&s| (Image::filled(40, 30, [s; 3]), String::new()))
            .collect();
        let page = contact_sheet(&images, 3);
        for (index, (image, _)) in images.iter().enumerate() {
            let x = 4 + (index as u32 % 3) * 44;
            let y = 4 + (index as u32 / 3) * 34;
            assert_eq!(page.crop(x, y, 40, 30), *image);
        }
        assert_eq!((page.width, page.height), (4 + 3 * 44, 4 + 2 * 34));
    }

    #[test]
    fn labels_are_below_their_pictures() {
        let images = vec![(Image::filled(80, 30, [0.5; 3]), "t = 0.50 s".to_owned())];
        let page = contact_sheet(&images, 4);
        let strip = page.crop(0, 34, page.width, page.height - 34);
        assert!(strip.rgb.iter().any(|&byte| byte < 100));
    }

    #[test]
    fn a_sheet_without_pictures_is_an_empty_page() {
        let page = contact_sheet(&[], 0);
        assert!(page.width > 0 && page.height > 0);
    }
}
