//! A cloth's hinges in the world: where their rest angles are remembered, and how they move.

use super::crease::{CreaseMaterial, Creases, flow};
use super::curvature::ClothCurvature;
use super::hinge::ClothHinges;
use super::{Memory, Visitor};
use glam::DVec3;
use std::ops::Range;

/// All hinges of a cloth with the angles they rest at.
#[derive(Clone, Debug)]
pub struct HingeEnergy {
    hinges: ClothHinges,
    /// Rest angles at the start (rad).
    first_rest_angles: Vec<f64>,
    /// Angle over curvature (m).
    spacings: Vec<f64>,
    crease: Option<CreaseMaterial>,
    /// What stands for the hinges between triangles, if they do not act by themselves.
    curvature: Option<ClothCurvature>,
    /// Where the cloth's rest angles stand in the state's list, if it keeps one.
    range: Range<usize>,
}

impl HingeEnergy {
    /// Hinges that rest at these angles (rad), one for each; with a crease material the angles move.
    pub fn new(hinges: ClothHinges, rest_angles: Vec<f64>, crease: Option<CreaseMaterial>) -> Self {
        assert_eq!(rest_angles.len(), hinges.len(), "one rest angle per hinge");
        HingeEnergy {
            spacings: hinges.shapes().map(|shape| shape.spacing).collect(),
            range: 0..rest_angles.len(),
            hinges,
            first_rest_angles: rest_angles,
            crease,
            curvature: None,
        }
    }

    /// The same cloth with the energy of its triangles' curvatures in place of hinges between triangles.
    /// Angles, rest angles and creases stay as they are, and so do the hinges of quads.
    pub fn with_curvature(mut self, curvature: ClothCurvature) -> Self {
        self.curvature = Some(curvature);
        self
    }

    /// The curvatures, if they stand for hinges between triangles.
    pub fn curvature(&self) -> Option<&ClothCurvature> {
        self.curvature.as_ref()
    }

    /// The hinges.
    pub fn hinges(&self) -> &ClothHinges {
        &self.hinges
    }

    /// Rest angles at the start (rad).
    pub fn first_rest_angles(&self) -> &[f64] {
        &self.first_rest_angles
    }

    /// Whether rest angles can move.
    pub fn creases(&self) -> bool {
        self.crease.is_some()
    }

    /// Sets aside this cloth's part of the state's list; answers where it ends.
    pub(crate) fn settle(&mut self, first: usize) -> usize {
        self.range = first..first + self.first_rest_angles.len();
        self.range.end
    }

    pub(super) fn visit(&self, memory: &Memory, visitor: &mut impl Visitor) {
        let remembered = memory.rest_angles.get(self.range.clone());
        let rest_angles = remembered.unwrap_or(&self.first_rest_angles);
        let (four, five, six) = self.hinges.at_rest(rest_angles);
        match &self.curvature {
            None => visitor.elements(&four),
            Some(curvature) => {
                // The diagonals of quads come last.
                let edges = self.hinges.four.len() - self.hinges.diagonals;
                visitor.elements(&four.without_first(edges));
                curvature.visit(rest_angles, visitor);
            }
        }
        visitor.elements(&five);
        visitor.elements(&six);
    }

    /// Lets hinges flow that are bent too far. `rest_angles` and `accumulated` are the state's lists,
    /// `angles` is scratch.
    pub(crate) fn flow(
        &self,
        positions: &[DVec3],
        rest_angles: &mut [f64],
        accumulated: &mut [f64],
        angles: &mut Vec<f64>,
    ) {
        let Some(crease) = &self.crease else {
            return;
        };
        angles.resize(self.hinges.len(), 0.0);
        self.hinges.angles(positions, angles);
        let creases = Creases {
            angles,
            spacings: &self.spacings,
            first_rest_angles: &self.first_rest_angles,
        };
        flow(
            crease,
            &creases,
            &mut rest_angles[self.range.clone()],
            &mut accumulated[self.range.clone()],
        );
    }
}
