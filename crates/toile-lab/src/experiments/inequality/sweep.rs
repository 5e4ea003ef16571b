//! One scene with weak springs of several stiffnesses, and the waves around one of its rings.

use super::Run;
use super::waves::{deviation, folds, mean_wave_number, mean_wave_number_of_slopes};
use crate::clip::Clip;
use crate::outcome::Measurement;
use crate::registry::{Findings, LabError};
use crate::snapshot::Album;
use toile_render::Image;
use toile_scene::scene::World;

/// What counts as fewer waves: a tenth.
pub(super) const CLEARLY: f64 = 0.9;

/// A scene that is run with weak springs of several stiffnesses.
pub(super) struct Sweep<'a> {
    /// Allowed stretch, and the tolerance of the solver.
    pub stretch: f64,
    pub tolerance: f64,
    /// s
    pub duration: f64,
    /// The scene with springs of a stiffness (N/m).
    pub scene: &'a dyn Fn(f64) -> Result<World, LabError>,
    /// Radii around a ring (m).
    pub ring: &'a dyn Fn(&Run) -> Vec<f64>,
}

/// One of its runs.
pub(super) struct Swept {
    /// N/m
    pub stiffness: f64,
    pub run: Run,
    pub ring: Vec<f64>,
}

impl Swept {
    pub fn wave_number(&self) -> f64 {
        mean_wave_number(&self.ring)
    }

    pub fn wave_number_of_slopes(&self) -> f64 {
        mean_wave_number_of_slopes(&self.ring)
    }
}

impl Sweep<'_> {
    /// Runs them all, notes their waves and judges their limits.
    pub fn run(
        &self,
        stiffnesses: &[f64],
        findings: &mut Findings,
    ) -> Result<Vec<Swept>, LabError> {
        let mut all = Vec::new();
        for &stiffness in stiffnesses {
            let run = Run::of((self.scene)(stiffness)?, self.duration)?;
            let ring = (self.ring)(&run);
            let swept = Swept {
                stiffness,
                run,
                ring,
            };
            findings.notes.push(format!(
                "{stiffness} N/m: {} waves around, mean wave number {:.1}, of the slopes {:.1}, depth {:.1} mm (standard deviation of the radius); {}",
                folds(&swept.ring),
                swept.wave_number(),
                swept.wave_number_of_slopes(),
                1e3 * deviation(&swept.ring),
                swept.run.line()
            ));
            let strains = swept.run.strains().into_iter();
            let longest = strains.fold(f64::NEG_INFINITY, f64::max);
            findings.measurements.push(Measurement::new(
                format!("{stiffness} N/m: longest edge beyond the limit"),
                "",
                (longest - self.stretch).max(0.0),
                0.0,
                (1.0 + self.stretch) * self.tolerance,
            ));
            all.push(swept);
        }
        Ok(all)
    }
}

/// Judges that a number of waves is clearly smaller with the stiffest springs than with the softest.
pub(super) fn judge_fewer(what: &str, stiffest: f64, softest: f64, findings: &mut Findings) {
    findings.measurements.push(Measurement::new(
        format!("{what}, stiffest over softest (at most {CLEARLY})"),
        "",
        stiffest / softest,
        0.0,
        CLEARLY,
    ));
}

/// All of them side by side, in motion.
pub(super) fn clip(title: &str, all: &[Swept]) -> Result<Clip, LabError> {
    let variant = |swept: &Swept| {
        let name = format!("{} N/m", swept.stiffness);
        (name, swept.run.clip.clone())
    };
    let variants: Vec<_> = all.iter().map(variant).collect();
    Clip::side_by_side("springs", title, &variants)
}

/// All of them side by side.
pub(super) fn pictures(all: &[Swept]) -> Image {
    let mut album = Album::new(&all[0].run.world);
    for swept in all {
        album.add(&swept.run.state, format!("{} N/m", swept.stiffness));
    }
    album.sheet(3)
}
