//! Where a picture is taken from.

use glam::Vec3;

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is (m).
    pub eye: Vec3,
    /// The point in the middle of the picture (m).
    pub target: Vec3,
    /// A direction that points up in the picture.
    pub up: Vec3,
    /// Angle from the lower to the upper border of the picture (rad).
    pub vertical_fov: f32,
    /// What is nearer to the eye than this is cut away (m, along the line of sight).
    pub near: f32,
}

/// A direction to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the eye stands, as an angle around the vertical: 0 on the `x` axis, a quarter turn on the
    /// `y` axis (rad).
    pub azimuth: f32,
    /// How high it stands, as an angle above the horizon (rad).
    pub elevation: f32,
    /// How large things are: 1 fits them into the picture, 2 makes them twice as large.
    pub zoom: f32,
}

impl Default for View {
    /// From the front, a little from the right and from above.
    fn default() -> Self {
        View {
            azimuth: (-58f32).to_radians(),
            elevation: 22f32.to_radians(),
            zoom: 1.0,
        }
    }
}

/// The share of the picture, from its middle to its border, that framed points may take.
const FILLED: f32 = 0.86;
/// A moderate telephoto lens: little distortion, and still some depth (rad).
const VERTICAL_FOV: f32 = 0.55;

impl Default for Camera {
    fn default() -> Self {
        Camera::framing(std::iter::empty(), View::default(), 4.0 / 3.0)
    }
}

impl Camera {
    /// The nearest camera that looks in the given direction and sees all the points with a margin.
    /// Points that are not finite do not count; without any point, a cube of 2 m around the origin is
    /// framed.
    ///
    /// ```
    /// use glam::Vec3;
    /// use toile_render::{Camera, View};
    /// let camera = Camera::framing([Vec3::ZERO, Vec3::ONE].into_iter(), View::default(), 1.5);
    /// assert!(camera.eye.is_finite());
    /// ```
    pub fn framing(points: impl Iterator<Item = Vec3>, view: View, aspect: f32) -> Camera {
        let [right, up, forward] = view.axes();
        let fov = VERTICAL_FOV;
        let aspect = if aspect.is_finite() && aspect > 0.0 {
            aspect
        } else {
            1.0
        };
        let tangent = FILLED * (0.5 * fov).tan();
        let tangents = [tangent * aspect, tangent];
        let mut fit = Fit::new(tangents);
        for point in points.filter(|p| p.is_finite()) {
            fit.include(Vec3::new(
                point.dot(right),
                point.dot(up),
                point.dot(forward),
            ));
        }
        if fit.is_empty() {
            for corner in 0..8 {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let point = Vec3::new(sign(0), sign(1), sign(2));
                fit.include(Vec3::new(
                    point.dot(right),
                    point.dot(up),
                    point.dot(forward),
                ));
            }
        }
        let (center, distance) = fit.solve();
        let zoom = if view.zoom.is_finite() && view.zoom > 0.0 {
            view.zoom
        } else {
            1.0
        };
        let target = right * center.x + up * center.y + forward * center.z;
        let distance = distance / zoom;
        Camera {
            eye: target - forward * distance,
            target,
            up: Vec3::Z,
            vertical_fov: fov,
            near: 0.02 * distance,
        }
        .with_safe_up(up)
    }

    /// Looking straight down, `z` cannot be up in the picture; take what the view found instead.
    fn with_safe_up(mut self, up: Vec3) -> Self {
        let forward = (self.target - self.eye).normalize_or_zero();
        if forward.cross(self.up).length() < 1e-3 {
            self.up = up;
        }
        self
    }
}

impl View {
    /// Right, up and forward in the picture.
    fn axes(&self) -> [Vec3; 3] {
        let finite = |angle: f32| if angle.is_finite() { angle } else { 0.0 };
        let (sin_a, cos_a) = finite(self.azimuth).sin_cos();
        let (sin_e, cos_e) = finite(self.elevation).sin_cos();
        let forward = -Vec3::new(cos_e * cos_a, cos_e * sin_a, sin_e);
        let right = Vec3::new(-sin_a, cos_a, 0.0);
        [right, right.cross(forward), forward]
    }
}

/// The nearest eye that sees every point: each border of the picture is a plane through the eye, and
/// the furthest point beyond it says how far the eye must stand back.
struct Fit {
    tangents: [f32; 2],
    /// For the two horizontal and the two vertical borders, how far the points reach.
    reach: [[f32; 2]; 2],
    depth: [f32; 2],
}

impl Fit {
    fn new(tangents: [f32; 2]) -> Self {
        Fit {
            tangents,
            reach: [[f32::NEG_INFINITY; 2]; 2],
            depth: [f32::INFINITY, f32::NEG_INFINITY],
        }
    }

    fn is_empty(&self) -> bool {
        self.depth[0] > self.depth[1]
    }

    /// Takes a point in the axes of the picture: right, up, forward.
    fn include(&mut self, point: Vec3) {
        for axis in 0..2 {
            let slope = self.tangents[axis] * point.z;
            let [low, high] = &mut self.reach[axis];
            *low = low.max(-point[axis] - slope);
            *high = high.max(point[axis] - slope);
        }
        self.depth[0] = self.depth[0].min(point.z);
        self.depth[1] = self.depth[1].max(point.z);
    }

    /// The middle of the picture at half depth, in the picture's axes, and how far the eye is from it.
    fn solve(&self) -> (Vec3, f32) {
        let mut center = Vec3::new(0.0, 0.0, 0.5 * (self.depth[0] + self.depth[1]));
        let mut eye_depth = f32::INFINITY;
        for axis in 0..2 {
            let [low, high] = self.reach[axis];
            center[axis] = 0.5 * (high - low);
            eye_depth = eye_depth.min(-0.5 * (low + high) / self.tangents[axis]);
        }
        let distance = center.z - eye_depth;
        // A single point has no size to fit; look at it from a metre away.
        let smallest = 1e-5 * center.abs().max_element();
        if distance > smallest {
            (center, distance)
        } else {
            (center, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Size;
    use crate::projection::Projection;

    fn views() -> Vec<View> {
        let angles = [-1.5f32, -0.4, 0.0, 0.9, 1.5707964];
        let mut views = vec![View::default()];
        for azimuth in [0.0, 2.0, 4.5] {
            views.extend(angles.map(|elevation| View {
                azimuth,
                elevation,
                zoom: 1.0,
            }));
        }
        views
    }

    #[test]
    fn framing_contains_all_points_with_a_margin_and_touches_it() {
        let points: Vec<Vec3> = (0..40)
            .map(|i| {
                let t = i as f32;
                Vec3::new(
                    7.0 + (t * 1.3).sin(),
                    -2.0 * (t * 0.7).cos(),
                    0.3 * t.sin() + 4.0,
                )
            })
            .collect();
        for size in [[640, 480], [200, 500]] {
            let [width, height] = size;
            let size = Size { width, height };
            for view in views() {
                let camera = Camera::framing(points.iter().copied(), view, size.aspect());
                let projection = Projection::new(&camera, size).unwrap();
                let mut widest = 0f32;
                for &point in &points {
                    let seen = projection.to_pixel(point).unwrap();
                    let x = (2.0 * seen.x / width as f32 - 1.0).abs();
                    let y = (2.0 * seen.y / height as f32 - 1.0).abs();
                    widest = widest.max(x).max(y);
                }
                assert!((widest - FILLED).abs() < 0.01, "{view:?}: {widest}");
            }
        }
    }

    #[test]
    fn framing_nothing_or_one_point_gives_a_usable_camera() {
        let nothing = Camera::framing(std::iter::empty(), View::default(), 1.0);
        assert!(nothing.eye.is_finite() && nothing.eye.length() > 1.0);
        let broken = [Vec3::NAN, Vec3::INFINITY];
        let same = Camera::framing(broken.into_iter(), View::default(), 1.0);
        assert_eq!(nothing, same);
        let one = Camera::framing([Vec3::ONE].into_iter(), View::default(), f32::NAN);
        assert!(one.eye.distance(Vec3::ONE) > 0.5);
    }

    #[test]
    fn zooming_in_halves_the_distance() {
        let points = [Vec3::ZERO, Vec3::ONE];
        let plain = Camera::framing(points.into_iter(), View::default(), 1.0);
        let closer = View {
            zoom: 2.0,
            ..View::default()
        };
        let zoomed = Camera::framing(points.into_iter(), closer, 1.0);
        let ratio = plain.eye.distance(plain.target) / zoomed.eye.distance(zoomed.target);
        assert!((ratio - 2.0).abs() < 1e-4);
    }
}
