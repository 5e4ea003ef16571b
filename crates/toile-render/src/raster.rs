//! Which triangle every sample sees.
//!
//! A triangle is rasterised in homogeneous coordinates (M. Olano and T. Greer, 1997): if the columns of `M` are its
//! corners `(x w, y w, w)`, then `M⁻¹ (x, y, 1)` are its barycentric coordinates at the pixel `(x, y)`, each divided by
//! the distance `w`. They are linear over the picture, all positive inside, and their sum is `1/w`, which
//! serves as depth. No corner is ever divided by its `w`, so a triangle that reaches behind the eye
//! needs no cutting: its samples nearer than the near plane are left out one by one.

use crate::parallel::for_each_piece_of_two;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// A function that is linear over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    pub x: f64,
    pub y: f64,
    pub constant: f64,
}

impl Plane {
    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.x * x + self.y * y + self.constant
    }

    /// How fast it grows per pixel.
    pub fn slope(&self) -> f64 {
        self.x.hypot(self.y)
    }
}

/// A triangle ready to be rasterised.
#[derive(Clone, Debug)]
pub(crate) struct Primitive {
    /// What its samples are marked with.
    pub id: u32,
    /// Barycentric coordinates over distance, one for each corner.
    pub shares: [Plane; 3],
    /// What decides which triangle is in front: the larger the nearer.
    nearness: Plane,
    /// Samples nearer than this are cut away.
    nearest: f32,
    /// Rounding must not open gaps between neighbours.
    tolerance: f32,
    columns: Range<u32>,
    rows: Range<u32>,
}

/// How corners turn into depth.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Depth {
    /// Seen by an eye that cuts away what is nearer than this (m).
    Perspective { near: f64 },
    /// Seen from infinitely far, with the corners' own nearness.
    Parallel { nearness: [f64; 3] },
}

impl Primitive {
    /// `None` if no sample of a picture of this size can see the triangle.
    pub fn new(id: u32, corners: [DVec3; 3], depth: Depth, size: [u32; 2]) -> Option<Self> {
        let matrix = DMat3::from_cols(corners[0], corners[1], corners[2]);
        let inverse = matrix.inverse();
        if matrix.determinant() == 0.0 || !inverse.is_finite() {
            return None;
        }
        let row = |k: usize| Plane {
            x: inverse.x_axis[k],
            y: inverse.y_axis[k],
            constant: inverse.z_axis[k],
        };
        let shares = [row(0), row(1), row(2)];
        let (weights, near) = match depth {
            Depth::Perspective { near } => ([1.0; 3], near),
            Depth::Parallel { nearness } => (nearness, 0.0),
        };
        let sum = |part: fn(&Plane) -> f64| (0..3).map(|k| part(&shares[k]) * weights[k]).sum();
        let [columns, rows] = extent(corners, near, size)?;
        let widest = corners.iter().fold(near, |w, c| w.max(c.z));
        Some(Primitive {
            id,
            nearness: Plane {
                x: sum(|p| p.x),
                y: sum(|p| p.y),
                constant: sum(|p| p.constant),
            },
            shares,
            nearest: if near > 0.0 {
                (1.0 / near) as f32
            } else {
                f32::INFINITY
            },
            tolerance: (1e-6 / widest) as f32,
            columns,
            rows,
        })
    }
}

/// The columns and rows that a triangle can reach; `None` if it is outside of the picture.
fn extent(corners: [DVec3; 3], near: f64, size: [u32; 2]) -> Option<[Range<u32>; 2]> {
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    let mut include = |corner: DVec3| {
        for axis in 0..2 {
            let place = corner[axis] / corner.z;
            low[axis] = low[axis].min(place);
            high[axis] = high[axis].max(place);
        }
    };
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        if from.z >= near {
            include(from);
        }
        if (from.z >= near) != (to.z >= near) {
            let crossing = from.lerp(to, (near - from.z) / (to.z - from.z));
            include(DVec3::new(crossing.x, crossing.y, near));
        }
    }
    // The conversion to whole pixels saturates, so a triangle far outside is an empty range.
    let range = |axis: usize| low[axis].floor() as u32..(high[axis].ceil() as u32).min(size[axis]);
    let ranges = [range(0), range(1)];
    ranges.iter().all(|r| !r.is_empty()).then_some(ranges)
}

/// A sample that sees nothing.
pub(crate) const NOTHING: u32 = u32::MAX;
/// A sample that sees the ground.
pub(crate) const GROUND: u32 = u32::MAX - 1;

/// What every sample of a picture sees.
#[derive(Debug)]
pub(crate) struct Visibility {
    /// Where the samples of a pixel are, from its top left corner.
    pub offsets: Vec<[f32; 2]>,
    /// What they see: the samples of a pixel one after the other, then the next pixel in the row.
    pub ids: Vec<u32>,
    /// How near it is.
    pub nearness: Vec<f32>,
}

/// Sample places in a pixel: `n²` of them in `n²` different columns and rows, like a turned grid, so that a nearly
/// level or upright edge crosses them one by one.
pub(crate) fn sample_offsets(supersampling: u32) -> Vec<[f32; 2]> {
    let n = supersampling;
    let place = |i: u32| (i as f32 + 0.5) / (n * n) as f32;
    (0..n * n)
        .map(|i| [place(i), place(i % n * n + (n - 1 - i / n))])
        .collect()
}

/// Rows of pixels that are rasterised together.
const BAND: usize = 16;

/// Finds what every sample sees: the nearest primitive, or the ground where the given function (its
/// nearness) is larger. Of equally near ones, the first.
pub(crate) fn rasterise(
    primitives: &[Primitive],
    size: [u32; 2],
    supersampling: u32,
    ground: Option<Plane>,
) -> Visibility {
    match supersampling {
        1 => rasterise_bands::<1>(primitives, size, 1, ground),
        2 => rasterise_bands::<4>(primitives, size, 2, ground),
        3 => rasterise_bands::<9>(primitives, size, 3, ground),
        _ => rasterise_bands::<16>(primitives, size, 4, ground),
    }
}

fn rasterise_bands<const SAMPLES: usize>(
    primitives: &[Primitive],
    [width, height]: [u32; 2],
    supersampling: u32,
    ground: Option<Plane>,
) -> Visibility {
    let offsets = sample_offsets(supersampling);
    let samples = width as usize * height as usize * SAMPLES;
    let mut ids = vec![NOTHING; samples];
    let mut nearness = vec![f32::NEG_INFINITY; samples];
    let mut bands: Vec<Vec<u32>> = vec![Vec::new(); (height as usize).div_ceil(BAND)];
    for (index, primitive) in primitives.iter().enumerate() {
        let (first, last) = (primitive.rows.start, primitive.rows.end - 1);
        for band in &mut bands[first as usize / BAND..=last as usize / BAND] {
            band.push(index as u32);
        }
    }
    let length = (BAND * width as usize * SAMPLES).max(1);
    for_each_piece_of_two((&mut ids, &mut nearness), length, |index, ids, nearness| {
        let mut band_of_rows = Band::<SAMPLES> {
            ids: ids.as_chunks_mut().0,
            nearness: nearness.as_chunks_mut().0,
            first_row: (index * BAND) as u32,
            width,
            offsets: std::array::from_fn(|k| offsets[k]),
        };
        for &primitive in &bands[index] {
            band_of_rows.add(&primitives[primitive as usize]);
        }
        if let Some(plane) = ground {
            band_of_rows.add_ground(&plane);
        }
    });
    Visibility {
        offsets,
        ids,
        nearness,
    }
}

/// Some rows of the picture.
struct Band<'a, const SAMPLES: usize> {
    ids: &'a mut [[u32; SAMPLES]],
    nearness: &'a mut [[f32; SAMPLES]],
    first_row: u32,
    width: u32,
    offsets: [[f32; 2]; SAMPLES],
}

impl<const SAMPLES: usize> Band<'_, SAMPLES> {
    /// A plane's change from a pixel's corner to each of its samples.
    fn changes(&self, plane: &Plane) -> [f32; SAMPLES] {
        let change = |o: [f32; 2]| plane.x * f64::from(o[0]) + plane.y * f64::from(o[1]);
        self.offsets.map(|o| change(o) as f32)
    }

    fn add(&mut self, primitive: &Primitive) {
        let planes = primitive.shares;
        let changes = planes.map(|plane| self.changes(&plane));
        let near_changes = self.changes(&primitive.nearness);
        // The most that any sample can add: below its negative, a pixel is outside.
        let most = changes.map(|c| c.into_iter().fold(f32::NEG_INFINITY, f32::max));
        let outside = -primitive.tolerance;
        let rows = self.ids.len() as u32 / self.width;
        let first = primitive.rows.start.max(self.first_row);
        let last = primitive.rows.end.min(self.first_row + rows);
        for row in first..last {
            let start = f64::from(primitive.columns.start);
            let at_start = planes.map(|plane| plane.at(start, f64::from(row)) as f32);
            let steps = planes.map(|plane| plane.x as f32);
            let near_start = primitive.nearness.at(start, f64::from(row)) as f32;
            let offset = (row - self.first_row) * self.width;
            for column in primitive.columns.clone() {
                let along = (column - primitive.columns.start) as f32;
                let shares: [f32; 3] = std::array::from_fn(|k| at_start[k] + steps[k] * along);
                if (0..3).any(|k| shares[k] + most[k] < outside) {
                    continue;
                }
                let near = near_start + primitive.nearness.x as f32 * along;
                let pixel = (offset + column) as usize;
                let ids = &mut self.ids[pixel];
                let depths = &mut self.nearness[pixel];
                for s in 0..SAMPLES {
                    // Without branches, so that the samples of a pixel are computed together.
                    let nearness = near + near_changes[s];
                    let seen = (shares[0] + changes[0][s] >= outside)
                        & (shares[1] + changes[1][s] >= outside)
                        & (shares[2] + changes[2][s] >= outside)
                        & (nearness > depths[s])
                        & (nearness <= primitive.nearest);
                    depths[s] = if seen { nearness } else { depths[s] };
                    ids[s] = if seen { primitive.id } else { ids[s] };
                }
            }
        }
    }

    fn add_ground(&mut self, plane: &Plane) {
        let changes = self.changes(plane);
        let width = self.width as usize;
        let rows = self.ids.chunks_mut(width);
        for (row, (ids, depths)) in rows.zip(self.nearness.chunks_mut(width)).enumerate() {
            let start = plane.at(0.0, f64::from(self.first_row) + row as f64) as f32;
            for (column, (ids, depths)) in ids.iter_mut().zip(depths).enumerate() {
                let corner = start + plane.x as f32 * column as f32;
                for s in 0..SAMPLES {
                    let nearness = corner + changes[s];
                    let seen = (nearness > 0.0) & (nearness > depths[s]);
                    depths[s] = if seen { nearness } else { depths[s] };
                    ids[s] = if seen { GROUND } else { ids[s] };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(id: u32, corners: [[f64; 2]; 3], nearness: f64) -> Primitive {
        let corners = corners.map(|[x, y]| DVec3::new(x, y, 1.0));
        let nearness = [nearness; 3];
        Primitive::new(id, corners, Depth::Parallel { nearness }, [16, 16]).unwrap()
    }

    fn id_at(visibility: &Visibility, x: usize, y: usize) -> u32 {
        visibility.ids[y * 16 + x]
    }

    #[test]
    fn a_triangle_covers_exactly_the_pixels_whose_middle_is_inside() {
        for orientation in [[0, 1, 2], [0, 2, 1]] {
            let corners = [[1.0, 1.0], [13.2, 1.0], [1.0, 13.2]];
            let one = triangle(7, orientation.map(|k| corners[k]), 0.0);
            let seen = rasterise(&[one], [16, 16], 1, None);
            for y in 0..16 {
                for x in 0..16 {
                    let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                    let inside = px > 1.0 && py > 1.0 && px + py < 14.2;
                    let expected = if inside { 7 } else { NOTHING };
                    assert_eq!(id_at(&seen, x, y), expected, "pixel {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn the_nearer_hides_the_farther_in_either_order() {
        let far = triangle(1, [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]], 1.0);
        let near = triangle(2, [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 2.0);
        for order in [[far.clone(), near.clone()], [near, far]] {
            let seen = rasterise(&order, [16, 16], 1, None);
            assert_eq!(id_at(&seen, 1, 1), 2);
            assert_eq!(id_at(&seen, 12, 12), 1);
        }
    }

    #[test]
    fn two_triangles_of_a_square_leave_no_gap_at_any_sampling() {
        let corners = [[0.3, 0.7], [15.1, 1.2], [14.8, 15.6], [0.9, 14.9]];
        let halves = [[0, 1, 2], [0, 2, 3]];
        let pair = halves.map(|half| triangle(3, half.map(|k| corners[k]), 0.0));
        for supersampling in 1..=4 {
            let seen = rasterise(&pair, [16, 16], supersampling, None);
            let samples = (supersampling * supersampling) as usize;
            for y in 2..14 {
                for x in 2..14 {
                    let first = (y * 16 + x) * samples;
                    assert!(seen.ids[first..first + samples].iter().all(|&id| id == 3));
                }
            }
        }
    }

    #[test]
    fn a_triangle_that_reaches_behind_the_eye_is_seen_up_to_the_near_plane() {
        // A floor one unit below the eye that runs from behind it towards the horizon: at row y below
        // the horizon (row 8) its distance is 8 / (y − 8).
        let at = |x: f64, w: f64| DVec3::new(8.0 * w + 8.0 * x, 8.0 * w + 8.0, w);
        let corners = [at(-100.0, -5.0), at(100.0, -5.0), at(0.0, 1000.0)];
        let depth = Depth::Perspective { near: 1.5 };
        let floor = Primitive::new(5, corners, depth, [16, 16]).unwrap();
        let seen = rasterise(&[floor], [16, 16], 1, None);
        assert_eq!(id_at(&seen, 8, 6), NOTHING, "above the horizon");
        assert_eq!(id_at(&seen, 8, 10), 5, "at a distance of 3.2");
        assert_eq!(id_at(&seen, 8, 15), NOTHING, "nearer than the near plane");
        let nearness = seen.nearness[10 * 16 + 8];
        assert!((nearness - 2.5 / 8.0).abs() < 1e-5, "{nearness}");
    }

    #[test]
    fn triangles_without_area_and_outside_are_left_out() {
        let make = |corners: [[f64; 2]; 3]| {
            let corners = corners.map(|[x, y]| DVec3::new(x, y, 1.0));
            Primitive::new(0, corners, Depth::Perspective { near: 0.1 }, [16, 16])
        };
        assert!(make([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).is_none());
        assert!(make([[20.0, 1.0], [30.0, 2.0], [25.0, 30.0]]).is_none());
        assert!(make([[-9.0, 1.0], [-3.0, 2.0], [-4.0, 30.0]]).is_none());
        assert!(make([[f64::NAN, 1.0], [2.0, 2.0], [3.0, 9.0]]).is_none());
    }

    #[test]
    fn samples_take_every_column_and_row_of_the_pixel_once() {
        for supersampling in 1..=4 {
            let offsets = sample_offsets(supersampling);
            for axis in 0..2 {
                let mut places: Vec<f32> = offsets.iter().map(|o| o[axis]).collect();
                places.sort_by(f32::total_cmp);
                let count = places.len() as f32;
                for (i, place) in places.iter().enumerate() {
                    assert!((place - (i as f32 + 0.5) / count).abs() < 1e-6);
                }
            }
        }
    }
}
