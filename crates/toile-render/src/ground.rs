//! The ground: a level plane with a faint grid for scale, which fades into the background far away.

use crate::color::to_linear;
use crate::picture::Background;
use crate::projection::Projection;
use glam::{Vec2, Vec3};

/// Up to here the ground is fully there, from the middle of the scene, in radii of the scene.
const FADE_START: f32 = 1.6;
/// From here on there is only background.
const FADE_END: f32 = 9.0;
/// Width of a grid line over the spacing.
const LINE_WIDTH: f32 = 0.012;
/// How much darker a line is.
const LINE_STRENGTH: f32 = 0.16;
/// Every so many lines, one is stronger.
const MAJOR: f32 = 5.0;

/// Spacing of the grid (m) that is drawn on the ground of a scene with this radius (m): 1, 2 or 5 times a
/// power of ten, about a quarter of the radius.
///
/// ```
/// assert_eq!(toile_render::grid_spacing(1.0), 0.2);
/// ```
pub fn grid_spacing(radius: f64) -> f64 {
    if !radius.is_finite() || radius <= 0.0 {
        return 1.0;
    }
    let wanted = 0.25 * radius;
    let decade = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let spacing = |step: f64| step * decade;
    let off = |step: f64| (spacing(step) / wanted).ln().abs();
    let best = steps.into_iter().min_by(|&a, &b| off(a).total_cmp(&off(b)));
    let exact = spacing(best.unwrap_or(1.0));
    // Rounded to the number a person would write.
    format!("{exact:.3e}").parse().unwrap_or(exact)
}

/// The ground, ready to be shaded.
#[derive(Debug)]
pub(crate) struct Ground {
    color: Vec3,
    middle: Vec2,
    radius: f32,
    spacing: f32,
}

impl Ground {
    pub fn new(background: &Background, middle: Vec3, radius: f32) -> Self {
        Ground {
            color: to_linear(background.ground),
            middle: middle.truncate(),
            radius,
            spacing: grid_spacing(f64::from(radius)) as f32,
        }
    }

    /// How much of the ground is there, from 1 to 0 far away.
    pub fn presence(&self, position: Vec3) -> f32 {
        let radii = position.truncate().distance(self.middle) / self.radius;
        let way = ((radii - FADE_START) / (FADE_END - FADE_START)).clamp(0.0, 1.0);
        // Most of the fading happens early, where nothing stands any more.
        (1.0 - way).powi(2) * (1.0 + 2.0 * way) * (1.0 - 0.5 * way)
    }

    /// Its colour in full light at a point that the eye sees along a ray.
    pub fn color(&self, projection: &Projection, position: Vec3, ray: Vec3) -> Vec3 {
        let length = (position.z - projection.eye.z) / ray.z;
        // How far the next pixel's ray lands from this one's.
        let [right, below] = projection.ray_steps.map(|step| {
            let way = length * (step - ray * (step.z / ray.z));
            way.truncate().abs()
        });
        let footprint = right + below;
        let place = position.truncate();
        let minor = self.lines(place, footprint, self.spacing, LINE_WIDTH * self.spacing);
        let wide = MAJOR * self.spacing;
        let major = self.lines(place, footprint, wide, 1.6 * LINE_WIDTH * self.spacing);
        let darkening = LINE_STRENGTH * (0.6 * minor).max(major);
        self.color * (1.0 - darkening)
    }

    /// The share of a pixel that the lines of a grid cover, each line at least as wide as to be seen
    /// faintly.
    fn lines(&self, place: Vec2, footprint: Vec2, spacing: f32, width: f32) -> f32 {
        let covered = |place: f32, footprint: f32| {
            // Rounding by conversion: the function for it is not in every processor.
            let beyond = (place / spacing - (place / spacing) as i32 as f32).abs();
            let away = beyond.min((1.0 - beyond).abs()) * spacing;
            let blur = footprint.max(1e-6 * spacing);
            let edge = ((0.5 * (width + blur) - away) / blur).clamp(0.0, 1.0);
            // Where several lines fall into one pixel, they would only flicker.
            let density = (1.0 - 2.0 * footprint / spacing).clamp(0.0, 1.0);
            edge * (width / blur).clamp(0.35, 1.0) * density
        };
        covered(place.x, footprint.x).max(covered(place.y, footprint.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_round_spacings_near_a_quarter_of_the_radius() {
        for (radius, spacing) in [
            (0.02, 0.005),
            (0.4, 0.1),
            (1.0, 0.2),
            (2.2, 0.5),
            (4.0, 1.0),
            (300.0, 100.0),
            (1e-310, 2e-311),
            (4e5, 1e5),
        ] {
            assert_eq!(grid_spacing(radius), spacing, "radius {radius}");
        }
        assert_eq!(grid_spacing(0.0), 1.0);
        assert_eq!(grid_spacing(f64::NAN), 1.0);
    }

    #[test]
    fn the_ground_is_there_near_the_scene_and_gone_far_away() {
        let ground = Ground::new(&Background::default(), Vec3::ONE, 2.0);
        assert_eq!(ground.presence(Vec3::new(2.0, 1.0, 0.0)), 1.0);
        assert_eq!(ground.presence(Vec3::new(30.0, 1.0, 0.0)), 0.0);
        let steps = (0..30).map(|x| ground.presence(Vec3::new(x as f32, 1.0, 0.0)));
        let presences: Vec<f32> = steps.collect();
        assert!(presences.windows(2).all(|p| p[1] <= p[0]));
    }
}
