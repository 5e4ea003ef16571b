//! Worlds that several tests share.
#![allow(dead_code, clippy::unwrap_used)] // benches take this file too, and not all of it; a panic is a failed test

use toile::contact::{Body, Shape};
use toile::drive::{Interval, Motion, Pin, PinPath, Pose, RigidPath, Slide};
use toile::energy::{EnergyBatch, MassSpringMaterial, Spring, SpringBatch, mass_spring};
use toile::glam::{DQuat, DVec3};
use toile::integrate::Integrator;
use toile::mesh::generate::{Grid, GridPattern, grid};
use toile::mesh::{Mesh, RestShape, Topology};
use toile::model::{Cloth, Model, ModelParts};
use toile::state::State;

/// A light cotton.
pub const COTTON: MassSpringMaterial = MassSpringMaterial {
    stretch: 1000.0,
    shear: 200.0,
    bend: 1e-5,
    damping: 0.0,
};

/// A sheet in the plane z = 0, of quads.
pub fn sheet(size: [f64; 2], cells: [u32; 2]) -> Mesh {
    grid(&Grid {
        size,
        cells,
        pattern: GridPattern::Quads,
    })
    .unwrap()
}

/// A square sheet of 1 m of `cells` × `cells` quads in the plane z = 0.
pub fn square(cells: u32) -> Mesh {
    sheet([1.0, 1.0], [cells, cells])
}

/// A world in the making: cloths, and whatever of the model's parts a test wants otherwise.
pub struct Fixture {
    /// All but the cloths and their springs may be set.
    pub parts: ModelParts,
    /// Where the nodes start.
    pub positions: Vec<DVec3>,
}

impl Fixture {
    /// Nothing yet.
    pub fn new(gravity: DVec3, integrator: Integrator) -> Self {
        Fixture {
            parts: ModelParts {
                gravity,
                integrator,
                ..ModelParts::default()
            },
            positions: Vec::new(),
        }
    }

    /// Adds a mass–spring cloth of 0.2 kg/m², 2 mm thick, at rest as the mesh is, with its nodes where `place` puts them. Answers with the
    /// cloth, for what is to be otherwise.
    pub fn cloth(
        &mut self,
        mesh: &Mesh,
        material: MassSpringMaterial,
        place: impl Fn(DVec3) -> DVec3,
    ) -> &mut Cloth {
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
        let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        let first = self.positions.len();
        let springs = mass_spring(&topology, &rest, &material);
        let springs = springs.batch(first as u32, material.damping);
        self.parts.energies.push(EnergyBatch::Springs(springs));
        self.positions
            .extend(mesh.positions.iter().map(|&p| place(p)));
        self.parts.cloths.push(Cloth {
            name: format!("sheet{first}"),
            nodes: first..self.positions.len(),
            topology,
            rest,
            density: 0.2,
            air_damping: 0.0,
            gravity_factor: 1.0,
            contact_offset: 1e-3,
            friction: 0.3,
            compression: 1e4,
        });
        self.parts.cloths.last_mut().unwrap()
    }

    /// Lets every cloth meet itself and the others.
    pub fn meeting(mut self) -> Self {
        let count = self.parts.cloths.len();
        let all = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
        self.parts.contacts = all.collect();
        self
    }

    /// The world, at rest.
    pub fn finish(self) -> (Model, State) {
        let model = Model::new(self.parts).unwrap();
        let state = State::at_rest(&model, self.positions);
        (model, state)
    }
}

/// One mass–spring cloth of 0.2 kg/m².
pub fn world(
    mesh: &Mesh,
    material: MassSpringMaterial,
    pins: Vec<Pin>,
    gravity: DVec3,
    integrator: Integrator,
) -> (Model, State) {
    let mut fixture = Fixture::new(gravity, integrator);
    fixture.cloth(mesh, material, |p| p).name = "sheet".into();
    fixture.parts.pins = pins;
    fixture.finish()
}

/// A body that stands still somewhere, with friction 0.3.
pub fn body(shape: Shape, at: DVec3) -> Body {
    Body {
        name: "body".into(),
        shape,
        place: Pose {
            translation: at,
            ..Pose::IDENTITY
        },
        path: RigidPath::default(),
        friction: 0.3.into(),
    }
}

/// The path of something that moves on and on.
pub fn moving(motion: Motion) -> RigidPath {
    RigidPath {
        pivot: DVec3::ZERO,
        motion,
    }
}

/// Holds nodes where they are.
pub fn fixed(nodes: Vec<u32>) -> Pin {
    Pin {
        nodes,
        path: PinPath::Carried(RigidPath::default()),
        held: vec![Interval::ALWAYS],
        slide: Slide::Nowhere,
    }
}

/// One free node (number 1, at rest at x = 1 m) on a damped spring along x: `ẍ = −λ (x − 1) − γ ẋ`.
pub fn oscillator(lambda: f64, gamma: f64, integrator: Integrator) -> (Model, State) {
    let (mut model, mut state) = world(
        &square(1),
        COTTON,
        vec![fixed(vec![0, 2, 3])],
        DVec3::ZERO,
        integrator,
    );
    let shift = DVec3::ZERO - state.positions[0];
    state.positions.iter_mut().for_each(|p| *p += shift);
    model = model
        .rebuilt(|parts| {
            parts.energies = vec![EnergyBatch::Springs(SpringBatch {
                springs: vec![Spring {
                    nodes: [0, 1],
                    rest_length: 1.0,
                    stiffness: lambda * model.masses[1],
                    damping: gamma * model.masses[1],
                }],
            })];
            // A heavy anchor, so that the stability limit, which takes it as free, is the oscillator's.
            parts.point_masses = vec![(0, 1e9)];
        })
        .unwrap();
    (model, state)
}

/// Turns, stretches and throws the sheet so that every spring and damper is at work.
pub fn stir(state: &mut State) {
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.5));
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        let bump = DVec3::new(0.02 * (9.0 * x.y).sin(), 0.0, 0.05 * (7.0 * x.x).cos());
        *x = turn * (*x * 1.03 + bump) + DVec3::new(0.4, 1.0, -0.3);
        *v = DVec3::new(1.0, -0.5, 2.0) + DVec3::new(0.5, 1.0, -2.0).cross(*x);
    }
}
