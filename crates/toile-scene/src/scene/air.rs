//! The air of a scene around each of its cloths.

use super::check::{check_not_negative, check_positive, check_vector};
use super::{SceneError, SceneSource};
use crate::spec::{AirSpec, ClothSpec};
use glam::DVec3;
use toile::air::{Air, AirParameters, Gusts, Wind};
use toile::model::Cloth;

/// Checks the numbers.
pub(super) fn check_air(source: &SceneSource, spec: &AirSpec) -> Result<(), SceneError> {
    check_not_negative(source, "environment.air.density", spec.density)?;
    check_vector(source, "environment.air.wind", spec.wind)?;
    check_not_negative(source, "environment.air.ramp", spec.ramp)?;
    let Some(gusts) = &spec.gusts else {
        return Ok(());
    };
    check_not_negative(source, "environment.air.gusts.strength", gusts.strength)?;
    check_positive(source, "environment.air.gusts.length", gusts.length)?;
    check_positive(source, "environment.air.gusts.duration", gusts.duration)
}

/// The air's forces on a cloth; none where there is no air.
pub(super) fn air_around(air: Option<&AirSpec>, spec: &ClothSpec, cloth: &Cloth) -> Option<Air> {
    let air = air.filter(|a| a.density > 0.0)?;
    let parameters = AirParameters {
        density: air.density,
        normal: spec.drag.normal,
        tangential: spec.drag.tangential,
        wind: Wind {
            steady: DVec3::from_array(air.wind),
            gusts: air.gusts.as_ref().map(|g| Gusts {
                strength: g.strength,
                length: g.length,
                duration: g.duration,
                seed: g.seed,
            }),
            ramp: air.ramp,
        },
    };
    let first = cloth.nodes.start as u32;
    Some(Air::new(parameters, &cloth.topology.faces, first))
}
