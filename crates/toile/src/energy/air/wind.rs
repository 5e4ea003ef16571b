//! How the air moves: a steady wind and gusts.

use super::noise;
use glam::DVec3;

/// The motion of the air.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Steady part (m/s).
    pub steady: DVec3,
    /// What comes and goes.
    pub gusts: Option<Gusts>,
    /// The wind rises smoothly from nothing at time 0 to its full strength at this time (s); 0 for full strength at once.
    pub ramp: f64,
}

/// Gusts: the curl of three smooth random fields, so they carry no air away from anywhere (`∇·g = 0`). Their mean is zero. They are a function of
/// seed, place and time alone, the same bits at every call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gusts {
    /// Root mean square of the speed (m/s). No gust is faster than eight times this.
    pub strength: f64,
    /// Size of the eddies (m).
    pub length: f64,
    /// How long they last (s).
    pub duration: f64,
    /// Another seed gives other gusts.
    pub seed: u64,
}

/// Root mean square of the curl of the three fields per unit of their argument. With `s` the blending polynomial, each
/// component is the difference of two slopes of variance `⅓ · 2∫s'² · (2∫s²)³ = ⅓ · 20/7 · (181/231)³`.
const CURL: f64 = 1.657_986;

impl Wind {
    /// Velocity of the air (m/s) at a place (m) and time (s).
    pub fn velocity(&self, place: DVec3, time: f64) -> DVec3 {
        let gust = self.gusts.map_or(DVec3::ZERO, |g| g.velocity(place, time));
        self.rise(time) * (self.steady + gust)
    }

    fn rise(&self, time: f64) -> f64 {
        if self.ramp <= 0.0 {
            return 1.0;
        }
        let t = (time / self.ramp).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

impl Gusts {
    /// Velocity of the gusts (m/s) at a place (m) and time (s).
    pub fn velocity(&self, place: DVec3, time: f64) -> DVec3 {
        // The slope of a field vanishes at its lattice planes. The three are shifted against each other, so that
        // no place is always calm.
        let slope = |field: u64| {
            let shift = field as f64 / 3.0;
            let at = place / self.length + DVec3::splat(shift);
            noise::gradient(
                at,
                time / self.duration + shift,
                noise::mix(self.seed, field),
            )
        };
        let [x, y, z] = [slope(0), slope(1), slope(2)];
        let curl = DVec3::new(z.y - y.z, x.z - z.x, y.x - x.y);
        (self.strength / CURL) * curl
    }
}
