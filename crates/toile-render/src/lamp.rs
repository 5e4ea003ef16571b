//! The lamp: a wide, warm light far away, and the shadows it casts.
//!
//! The scene is rasterised once as the lamp sees it. A point is in shadow as far as things around its
//! place in that map are nearer to the lamp than the point itself. How wide to look around follows from how far
//! away the things are that cover it, so a shadow is crisp where cloth touches the ground and soft far from it
//! (R. Fernando, 2005).

use crate::geometry::{Geometry, Side, Triangle};
use crate::parallel::{in_order, some_of};
use crate::projection::Projection;
use crate::raster::{Depth, Primitive, rasterise};
use crate::reach::Disk;
use glam::{DVec3, Vec2, Vec3};

/// Sides of the smallest and the largest map (texels).
const MAP_SIZES: [u32; 2] = [256, 1536];
/// Texels along the map for each pixel along the picture.
const TEXELS_PER_PIXEL: f32 = 0.85;
/// Side of the squares for which the map knows the nearest thing around (texels).
const TILE: usize = 16;
/// Radius of a shadow's soft border over the distance of what casts it: half the lamp's apparent size.
const LAMP_RADIUS: f32 = 0.11;
/// The widest soft border, as a share of the scene's radius.
const WIDEST_BORDER: f32 = 0.10;
/// The crispest border (texels).
const CRISPEST_BORDER: f32 = 1.5;
/// Steeper surfaces than this (rise over run, as the lamp sees them) get hardly any light; following them
/// further would only let light leak through.
const STEEPEST: f32 = 3.0;

/// The direction towards the lamp: it stands to the left behind the photographer, well above.
pub(crate) fn direction(projection: &Projection) -> Vec3 {
    let towards_photographer = projection.right.cross(Vec3::Z).normalize_or_zero();
    (-0.60 * projection.right + 0.58 * towards_photographer + 1.0 * Vec3::Z).normalize()
}

/// The scene as the lamp sees it.
#[derive(Debug)]
pub(crate) struct ShadowMap {
    /// Right, down and towards the lamp.
    axes: [Vec3; 3],
    /// Place of the map's first texel along the first two axes (m).
    corner: [f32; 2],
    /// Side of a texel (m).
    texel: f32,
    /// Side of the map (texels).
    size: usize,
    /// How far towards the lamp the first thing is, for every texel (m).
    heights: Vec<f32>,
    /// For every tile, how far towards the lamp anything reaches that could shade it (m).
    highest: Vec<f32>,
    /// The widest soft border (texels).
    widest: f32,
    /// What is this much nearer to the lamp casts no shadow yet (m): rounding must not make a surface
    /// cover itself.
    bias: f32,
}

impl ShadowMap {
    /// `None` if there is nothing to cast a shadow.
    pub fn new(geometry: &Geometry, towards_lamp: Vec3, picture: [u32; 2]) -> Option<Self> {
        let (across, down) = towards_lamp.any_orthonormal_pair();
        let axes = [across, down, towards_lamp];
        // Cloth casts the shadow of its middle, so that its two sides do not shade each other.
        let casting: Vec<&Triangle> = geometry
            .triangles
            .iter()
            .filter(|t| matches!(t.side, Side::Both | Side::Front))
            .collect();
        let placed: Vec<[Vec3; 3]> = in_order(casting.len(), |id| {
            let half = geometry.materials[casting[id].surface as usize].half;
            casting[id].nodes.map(|n| {
                let node = &geometry.nodes[n as usize];
                let place = node.position - half * node.normal - geometry.middle;
                Vec3::from(axes.map(|axis| axis.dot(place)))
            })
        });
        let mut low = Vec3::INFINITY;
        let mut high = Vec3::NEG_INFINITY;
        for &corner in placed.iter().flatten() {
            low = low.min(corner);
            high = high.max(corner);
        }
        let side = (high.x - low.x).max(high.y - low.y);
        if !side.is_finite() || side <= 0.0 {
            return None;
        }
        let wanted = TEXELS_PER_PIXEL * picture[0].max(picture[1]) as f32;
        let size = (wanted as u32).clamp(MAP_SIZES[0], MAP_SIZES[1]);
        // One free texel all around.
        let texel = side / (size - 2) as f32;
        let corner = [low.x - texel, low.y - texel];
        let nearest_of = |id: usize, corners: &[Vec3; 3]| {
            let flat = corners.map(|c| {
                let x = (c.x - corner[0]) / texel;
                let y = (c.y - corner[1]) / texel;
                DVec3::new(f64::from(x), f64::from(y), 1.0)
            });
            let nearness = corners.map(|c| f64::from(c.z));
            let depth = Depth::Parallel { nearness };
            Primitive::new(id as u32, flat, depth, [size; 2])
        };
        let primitives = some_of(&placed, nearest_of);
        let seen = rasterise(&primitives, [size; 2], 1, None);
        let middle = axes.map(|axis| axis.dot(geometry.middle));
        let heights: Vec<f32> = seen.nearness.into_iter().map(|n| n + middle[2]).collect();
        let widest = WIDEST_BORDER * geometry.radius / texel;
        Some(ShadowMap {
            size: size as usize,
            highest: highest_around(&heights, size as usize, widest),
            axes,
            corner: [corner[0] + middle[0], corner[1] + middle[1]],
            texel,
            heights,
            widest,
            bias: 2.0 * texel,
        })
    }

    /// How much of the lamp a point on a surface sees, from 0 (full shadow) to 1 (full light). The
    /// normal may point to either side. The disk says where to look.
    pub fn light(&self, position: Vec3, normal: Vec3, disk: &Disk) -> f32 {
        let [across, down, towards] = self.axes;
        let x = (position.dot(across) - self.corner[0]) / self.texel;
        let y = (position.dot(down) - self.corner[1]) / self.texel;
        let height = position.dot(towards);
        let inside = |v: f32| v > -self.widest && v < self.size as f32 + self.widest;
        if !inside(x) || !inside(y) || self.is_above_everything(x, y, height) {
            return 1.0;
        }
        // The surface goes on around the point: it rises and falls along the map.
        let facing = normal.dot(towards);
        let rise = |axis: Vec3| {
            let rise = -normal.dot(axis) / facing;
            if rise.is_nan() {
                0.0
            } else {
                rise.clamp(-STEEPEST, STEEPEST)
            }
        };
        let rises = [rise(across), rise(down)];
        let receiver = Receiver {
            x,
            y,
            height: height + self.bias * (1.0 + rises[0].abs().max(rises[1].abs())),
            slope: rises.map(|rise| rise * self.texel),
        };
        // Half of the places tell whether anything covers the point, and from how far.
        let search = disk.iter().step_by(2);
        let searched = search.len();
        let (covers, above) = self.covers(&receiver, search, self.widest);
        if covers == 0 || covers == searched {
            return if covers == 0 { 1.0 } else { 0.0 };
        }
        let border = LAMP_RADIUS * above / self.texel;
        let border = border.clamp(CRISPEST_BORDER, self.widest);
        let (covered, _) = self.covers(&receiver, disk.iter(), border);
        1.0 - covered as f32 / disk.len() as f32
    }

    /// Whether nothing that could shade a point is nearer to the lamp than the point.
    fn is_above_everything(&self, x: f32, y: f32, height: f32) -> bool {
        let tiles = self.size.div_ceil(TILE);
        let tile = |v: f32| (v as usize / TILE).min(tiles - 1);
        height >= self.highest[tile(y) * tiles + tile(x)]
    }

    /// How many of some places around a point are covered, and how far away the covers are on average
    /// (m).
    fn covers<'a>(
        &self,
        receiver: &Receiver,
        places: impl Iterator<Item = &'a Vec2>,
        radius: f32,
    ) -> (usize, f32) {
        let last = self.size as i32;
        let mut count = 0;
        let mut above = 0.0;
        for place in places {
            let (dx, dy) = (place.x * radius, place.y * radius);
            let (x, y) = ((receiver.x + dx) as i32, (receiver.y + dy) as i32);
            if x < 0 || y < 0 || x >= last || y >= last {
                continue;
            }
            let found = self.heights[y as usize * self.size + x as usize];
            let surface = receiver.height + receiver.slope[0] * dx + receiver.slope[1] * dy;
            if found > surface {
                count += 1;
                above += found - surface;
            }
        }
        (count, above / count.max(1) as f32)
    }
}

/// For every tile of the map, the largest height in it and as far around it as a point may look.
fn highest_around(heights: &[f32], size: usize, widest: f32) -> Vec<f32> {
    let tiles = size.div_ceil(TILE);
    let mut own = vec![f32::NEG_INFINITY; tiles * tiles];
    for (row, line) in heights.chunks(size).enumerate() {
        for (column, part) in line.chunks(TILE).enumerate() {
            let highest = part.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let tile = &mut own[row / TILE * tiles + column];
            *tile = tile.max(highest);
        }
    }
    let reach = (widest / TILE as f32).ceil() as usize + 1;
    let around = |middle: usize| middle.saturating_sub(reach)..(middle + reach + 1).min(tiles);
    (0..tiles * tiles)
        .map(|tile| {
            let rows = around(tile / tiles);
            rows.flat_map(|row| around(tile % tiles).map(move |column| row * tiles + column))
                .fold(f32::NEG_INFINITY, |highest, k| highest.max(own[k]))
        })
        .collect()
}

/// A point that may be in shadow, in the map's coordinates.
struct Receiver {
    x: f32,
    y: f32,
    height: f32,
    /// How much the surface rises per texel (m).
    slope: [f32; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Picture, Surface};
    use crate::reach::disks;
    use toile::mesh::Face;

    /// A level square of side 2 around the origin, at height 1, under a lamp straight above.
    fn map() -> ShadowMap {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let positions: Vec<Vec3> = corners.map(|[x, y]| Vec3::new(x, y, 1.0)).to_vec();
        let faces = [Face::Quad([0, 1, 2, 3])];
        let picture = Picture {
            surfaces: vec![Surface::new(positions, &faces, [0.5; 3])],
            ..Picture::default()
        };
        ShadowMap::new(&Geometry::new(&picture, None), Vec3::Z, [1200; 2]).unwrap()
    }

    /// Mean over all disks, as a picture shows it.
    fn light(map: &ShadowMap, x: f32, z: f32) -> f32 {
        let disks = disks();
        let point = Vec3::new(x, 0.0, z);
        let sum: f32 = disks.iter().map(|d| map.light(point, Vec3::Z, d)).sum();
        sum / disks.len() as f32
    }

    #[test]
    fn a_sheet_shades_what_is_below_it_and_nothing_else() {
        let map = map();
        assert_eq!(light(&map, 0.0, 0.0), 0.0, "below");
        assert_eq!(light(&map, 0.3, 1.0), 1.0, "the sheet itself");
        assert_eq!(light(&map, 0.3, 1.5), 1.0, "above");
        assert_eq!(light(&map, 1.9, 0.0), 1.0, "beside");
        assert_eq!(light(&map, 90.0, 0.0), 1.0, "outside of the map");
    }

    #[test]
    fn a_shadow_is_half_at_its_edge_and_softer_further_from_what_casts_it() {
        let map = map();
        assert!((light(&map, 1.0, 0.0) - 0.5).abs() < 0.1);
        let border = |z: f32| {
            let partial = |x: &f32| (0.02..0.98).contains(&light(&map, *x, z));
            (0..200)
                .map(|i| 0.8 + i as f32 * 0.002)
                .filter(partial)
                .count()
        };
        assert!(
            border(0.2) > 2 * border(0.8),
            "{} {}",
            border(0.2),
            border(0.8)
        );
    }

    #[test]
    fn a_tilted_sheet_does_not_shade_itself() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        for tilt in [0.0f32, 0.5, 1.0, 2.0] {
            let positions: Vec<Vec3> = corners.map(|[x, y]| Vec3::new(x, y, tilt * x)).to_vec();
            let faces = [Face::Quad([0, 1, 2, 3])];
            let picture = Picture {
                surfaces: vec![Surface::new(positions, &faces, [0.5; 3])],
                ..Picture::default()
            };
            let map = ShadowMap::new(&Geometry::new(&picture, None), Vec3::Z, [1200; 2]).unwrap();
            let normal = Vec3::new(-tilt, 0.0, 1.0).normalize();
            for i in 0..50 {
                let x = i as f32 * 0.033 - 0.8;
                for disk in &disks() {
                    let point = Vec3::new(x, 0.1, tilt * x);
                    assert_eq!(map.light(point, normal, disk), 1.0, "tilt {tilt} at {x}");
                }
            }
        }
    }
}
