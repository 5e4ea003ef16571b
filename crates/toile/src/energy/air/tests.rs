use super::*;
use crate::energy::element::check;

/// A small generator for test configurations.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = noise::mix(self.0, 1);
        (self.0 >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn still_air(normal: f64, tangential: f64) -> Air {
    let parameters = AirParameters {
        normal,
        tangential,
        ..AirParameters::default()
    };
    let faces = [Face::Tri([0, 1, 2]), Face::Quad([0, 1, 2, 3])];
    Air::new(parameters, &faces, 0)
}

const SQUARE: [DVec3; 4] = [
    DVec3::new(0.0, 0.0, 0.0),
    DVec3::new(0.5, 0.0, 0.0),
    DVec3::new(0.5, 0.4, 0.0),
    DVec3::new(0.0, 0.4, 0.0),
];

const DAMPING: Weights = Weights {
    stiffness: 0.0,
    damping: 1.0,
    ahead: 0.0,
};

#[test]
fn a_plate_that_falls_flat_reaches_its_terminal_velocity() {
    let air = still_air(1.2, 0.02);
    let (density, gravity) = (0.15, 9.81);
    let mass = density * 0.2;
    let mut speed = 0.0;
    for _ in 0..4000 {
        let force = air.quads_at(0.0).force(0, &SQUARE, &[DVec3::Z * -speed; 4]);
        let drag: f64 = force.iter().map(|f| f.z).sum();
        speed += 1e-3 * (gravity - drag / mass);
    }
    let expected = (2.0f64 * density * gravity / (AIR_DENSITY * 1.2)).sqrt();
    assert!((speed / expected - 1.0).abs() < 1e-12, "{speed} {expected}");
}

#[test]
fn drag_and_lift_follow_the_angle_of_attack() {
    let air = still_air(1.1, 0.1);
    for degrees in [0.0f64, 20.0, 45.0, 70.0, 90.0] {
        let (s, c) = degrees.to_radians().sin_cos();
        let u = 3.0 * DVec3::new(c, 0.0, s);
        let force: DVec3 = air.quads_at(0.0).force(0, &SQUARE, &[u; 4]).iter().sum();
        let unit = 0.5 * AIR_DENSITY * 0.2 * 9.0;
        let drag = -force.dot(u) / 3.0 / unit;
        let lift = -force.dot(DVec3::new(-s, 0.0, c)) / unit;
        assert!((drag - (1.1 * s * s + 0.1 * c * c)).abs() < 1e-14);
        assert!((lift - (1.1 - 0.1) * s * c).abs() < 1e-14);
    }
}

#[test]
fn cloth_that_moves_with_the_wind_feels_nothing() {
    let parameters = AirParameters {
        wind: Wind {
            steady: DVec3::new(1.0, 2.0, 3.0),
            ..Wind::default()
        },
        ..AirParameters::default()
    };
    let air = Air::new(parameters, &[Face::Quad([0, 1, 2, 3])], 0);
    let v = [DVec3::new(1.0, 2.0, 3.0); 4];
    assert_eq!(air.quads_at(0.0).force(0, &SQUARE, &v), [DVec3::ZERO; 4]);
    let local = air.quads_at(0.0).linearise(0, &SQUARE, &v, &DAMPING);
    assert_eq!(local.blocks[0][0], DMat3::ZERO);
    // Nor does a face without area.
    let point = [DVec3::ONE; 4];
    assert_eq!(
        air.quads_at(0.0).force(0, &point, &[DVec3::Z; 4]),
        [DVec3::ZERO; 4]
    );
    let local = air
        .quads_at(0.0)
        .linearise(0, &point, &[DVec3::Z; 4], &DAMPING);
    assert!(local.blocks[1][0].is_finite());
}

#[test]
fn air_never_gives_energy_to_cloth_that_moves_through_it() {
    let air = still_air(1.3, 0.05);
    let mut random = Random(3);
    for _ in 0..2000 {
        let x: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        let v: [DVec3; 4] = std::array::from_fn(|_| random.vector() * 5.0);
        let force = air.quads_at(0.0).force(0, &x, &v);
        let power: f64 = force.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        assert!(power <= 0.0);
        let triangle = [x[0], x[1], x[2]];
        let local = air
            .triangles_at(0.0)
            .linearise(0, &triangle, &[v[0], v[1], v[2]], &DAMPING);
        // Positive semi-definite: test in random directions.
        let block = local.blocks[0][0];
        assert!(block.abs_diff_eq(block.transpose(), 1e-12));
        let y = random.vector();
        assert!(y.dot(block * y) >= -1e-14);
    }
}

#[test]
fn damping_is_exact_across_and_along_the_face_and_always_along_the_flow() {
    let air = still_air(1.2, 0.3);
    for u in [DVec3::Z * -2.0, DVec3::X * 3.0, DVec3::new(1.0, -2.0, 0.0)] {
        let v = std::array::from_fn(|_| u);
        let quads = check::stiffness_error(&air.quads_at(0.0), 0, &SQUARE, &v, true, 1e-3);
        assert!(quads < 1e-9, "{u}: {quads:e}");
        let x = [SQUARE[0], SQUARE[1], SQUARE[2]];
        let v = [v[0], v[1], v[2]];
        let triangles = check::stiffness_error(&air.triangles_at(0.0), 0, &x, &v, true, 1e-3);
        assert!(triangles < 1e-9, "{u}: {triangles:e}");
    }
    // The force is quadratic in u, so along u its derivative is twice itself.
    let u = DVec3::new(1.0, 0.4, -0.7);
    let local = air.quads_at(0.0).linearise(0, &SQUARE, &[u; 4], &DAMPING);
    let along = 4.0 * (local.blocks[2][1] * u);
    assert!((along + 2.0 * local.force[2]).length() < 1e-14);
}

#[test]
fn the_force_does_not_care_which_side_is_the_front() {
    let air = still_air(1.2, 0.02);
    let mut random = Random(8);
    let x: [DVec3; 4] = std::array::from_fn(|_| random.vector());
    let v = [random.vector(); 4];
    let back = [x[3], x[2], x[1], x[0]];
    let (a, b) = (
        air.quads_at(0.0).force(0, &x, &v)[0],
        air.quads_at(0.0).force(0, &back, &v)[0],
    );
    assert!((a - b).length() < 1e-14);
}

const GUSTS: Gusts = Gusts {
    strength: 2.0,
    length: 0.5,
    duration: 0.8,
    seed: 11,
};

#[test]
fn gusts_have_zero_mean_the_stated_strength_and_a_bound() {
    let mut random = Random(5);
    let count = 200_000;
    let (mut sum, mut square, mut fastest) = (DVec3::ZERO, 0.0, 0.0f64);
    for _ in 0..count {
        let g = GUSTS.velocity(random.vector() * 100.0, random.next() * 100.0);
        sum += g;
        square += g.length_squared();
        fastest = fastest.max(g.length());
    }
    let n = f64::from(count);
    // Components have the standard deviation 2/√3, so the mean of n has 2/√(3n) = 0.0026.
    let mean = sum / n;
    assert!(
        mean.abs().max_element() < 4.0 * 2.0 / (3.0 * n).sqrt(),
        "{mean}"
    );
    let strength = (square / n).sqrt();
    assert!((strength / 2.0 - 1.0).abs() < 0.01, "{strength}");
    assert!(fastest < 16.0 && fastest > 4.0, "{fastest}");
}

#[test]
fn gusts_are_continuous_across_lattice_cells_and_carry_no_air_away() {
    let mut random = Random(6);
    for k in 0..500 {
        let mut place = random.vector() * 3.0;
        let mut time = random.next() * 3.0;
        if k % 2 == 0 {
            // On the lattice of the first field, where a seam would be.
            place = (place / GUSTS.length).floor() * GUSTS.length;
            time = (time / GUSTS.duration).floor() * GUSTS.duration;
        }
        let e = 1e-6;
        let here = GUSTS.velocity(place, time);
        for axis in DVec3::AXES {
            for side in [-e, e] {
                assert!((GUSTS.velocity(place + side * axis, time) - here).length() < 1e-3);
                assert!((GUSTS.velocity(place, time + side) - here).length() < 1e-3);
            }
        }
        let h = 1e-4;
        let slope = |axis: DVec3| {
            (GUSTS.velocity(place + h * axis, time) - GUSTS.velocity(place - h * axis, time))
                / (2.0 * h)
        };
        let divergence = slope(DVec3::X).x + slope(DVec3::Y).y + slope(DVec3::Z).z;
        // Speeds change by about strength/length = 4 per second; the difference quotient errs by h²/length² of it.
        assert!(divergence.abs() < 1e-3, "{divergence:e} at {place} {time}");
    }
}

#[test]
fn gusts_repeat_to_the_bit_and_differ_with_the_seed() {
    let place = DVec3::new(0.3, -1.2, 7.1);
    let again = Gusts { ..GUSTS };
    assert_eq!(GUSTS.velocity(place, 0.4), again.velocity(place, 0.4));
    let other = Gusts { seed: 12, ..GUSTS };
    assert_ne!(GUSTS.velocity(place, 0.4), other.velocity(place, 0.4));
}

#[test]
fn the_wind_rises_smoothly() {
    let wind = Wind {
        steady: DVec3::X * 4.0,
        gusts: None,
        ramp: 2.0,
    };
    for (time, speed) in [(-1.0, 0.0), (0.0, 0.0), (1.0, 2.0), (2.0, 4.0), (9.0, 4.0)] {
        assert_eq!(wind.velocity(DVec3::ONE, time), DVec3::X * speed);
    }
    let at_once = Wind {
        steady: DVec3::Y,
        ..Wind::default()
    };
    assert_eq!(at_once.velocity(DVec3::ZERO, 0.0), DVec3::Y);
}

#[test]
fn virtual_mass_scales_gravity_only() {
    let cotton = VirtualMass {
        gravitational: 0.52,
    };
    assert!((cotton.gravity_factor(1.0) - 0.52).abs() < 1e-15);
    assert!(
        (VirtualMass {
            gravitational: 0.15
        }
        .gravity_factor(0.15)
            - 1.0)
            .abs()
            < 1e-15
    );
}
