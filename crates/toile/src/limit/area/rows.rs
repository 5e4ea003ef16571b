//! Areas as equations of a step's solve: `A_a(x) / Ā_a − 1 = 0`, one stencil a face.

use super::AreaLimit;
use super::pressure::twice_gradient;
use crate::limit::constraints::{Constraints, Gradient, LANES};
use glam::DVec3;

impl Constraints for AreaLimit {
    fn stencils(&self) -> usize {
        self.faces.len()
    }

    fn rows(&self, _: usize) -> usize {
        1
    }

    fn nodes(&self, stencil: usize) -> &[u32] {
        self.world_faces[stencil].corners()
    }

    /// `∂A/∂x_i = ½ n̂ × (x_before − x_after)`. A face that has shrunk to nothing has no normal and pulls at nothing.
    fn linearise(
        &self,
        stencil: usize,
        positions: &[DVec3],
        gradients: &mut [Gradient],
    ) -> [f64; LANES] {
        let (face, rest) = (&self.world_faces[stencil], self.areas[stencil]);
        let slopes = twice_gradient(face, positions);
        for (gradient, slope) in gradients.iter_mut().zip(slopes) {
            *gradient = (0.5 / rest * slope).to_array().map(|g| [g, 0.0, 0.0, 0.0]);
        }
        [
            face.vector_area(positions).length() / rest - 1.0,
            0.0,
            0.0,
            0.0,
        ]
    }

    /// The second derivatives of an area have no fixed sign, and pressures are small beside `k`: they are left out.
    fn second_derivative(&self, _: usize, _: [usize; 2]) -> [f64; LANES] {
        [0.0; LANES]
    }
}
