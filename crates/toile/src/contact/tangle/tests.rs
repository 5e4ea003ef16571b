use super::*;
use crate::contact::intersections;
use crate::energy::EnergyBatch;
use crate::integrate::{ImplicitSettings, Integrator};
use crate::mesh::generate::{Grid, GridPattern, grid};
use crate::mesh::{RestShape, Topology};
use crate::model::{Cloth, ModelParts};

/// Two sheets of 1 m that meet, of so many cells, placed by functions of where they lie flat.
fn two_sheets(cells: [u32; 2], place: impl Fn(usize, DVec3) -> DVec3) -> (Model, Vec<DVec3>) {
    let (mut cloths, mut positions) = (Vec::new(), Vec::new());
    for (k, cells) in cells.into_iter().enumerate() {
        let mesh = grid(&Grid {
            size: [1.0, 1.0],
            cells: [cells, cells],
            pattern: GridPattern::Quads,
        })
        .unwrap();
        let topology = Topology::new(mesh.positions.len(), mesh.faces.clone()).unwrap();
        let rest = RestShape::from_positions(&topology, &mesh.positions).unwrap();
        let first = positions.len();
        positions.extend(mesh.positions.iter().map(|&p| place(k, p)));
        cloths.push(Cloth {
            name: format!("sheet{k}"),
            nodes: first..positions.len(),
            topology,
            rest,
            density: 0.2,
            air_damping: 0.0,
            gravity_factor: 1.0,
            contact_offset: 1e-3,
            friction: 0.3,
            compression: 1e4,
        });
    }
    let mut model = Model::new(ModelParts {
        cloths,
        energies: Vec::<EnergyBatch>::new(),
        limits: Vec::new(),
        pins: Vec::new(),
        bodies: Vec::new(),
        body_contact: Default::default(),
        contacts: vec![[0, 1]],
        gravity: DVec3::ZERO,
        integrator: Integrator::Implicit(ImplicitSettings::CLASSIC),
        ..Default::default()
    })
    .unwrap();
    model = model.rebuilt(|parts| parts.untangles = true).unwrap();
    (model, positions)
}

/// The second sheet stands upright in the first, its lower quarter below it, a little askew.
fn upright(cells: [u32; 2]) -> (Model, Vec<DVec3>) {
    two_sheets(cells, |k, p| match k {
        0 => p * 1.3,
        _ => DVec3::new(0.8 * p.x + 0.013, 0.1 * p.y + 0.02, p.y + 0.26),
    })
}

fn analysed(model: &Model, positions: &[DVec3]) -> (Tangle, Vec<[u32; 2]>) {
    let mut tangle = Tangle::for_model(model).unwrap();
    tangle.look(model, positions);
    let mut pairs: Vec<_> = tangle.pairs.iter().copied().collect();
    pairs.sort_unstable();
    (tangle, pairs)
}

#[test]
fn a_sheet_through_another_is_one_contour_as_long_as_the_sheet_is_wide() {
    let (model, positions) = upright([7, 9]);
    assert!(!intersections(&model, &positions).is_empty());
    let (tangle, pairs) = analysed(&model, &positions);
    let contours = contour::contours(&tangle, &pairs, &positions);
    assert_eq!(contours.len(), 1);
    assert!(
        (contours[0].length() - 0.8).abs() < 1e-9,
        "{}",
        contours[0].length()
    );
}

#[test]
fn the_smaller_piece_is_drawn_back_up() {
    let (model, positions) = upright([7, 9]);
    let (tangle, _) = analysed(&model, &positions);
    assert!(!tangle.pulls.is_empty());
    for pull in &tangle.pulls {
        assert!(positions[pull.node as usize].z < 0.0);
        assert!(pull.direction.z > 0.9 && pull.way > 0.0);
    }
    let below = (0..positions.len()).filter(|&i| positions[i].z < 0.0);
    let astray = (0..positions.len()).filter(|&i| tangle.astray[i]);
    assert_eq!(astray.collect::<Vec<_>>(), below.collect::<Vec<_>>());
}

#[test]
fn only_features_at_the_contour_may_pass() {
    let (model, positions) = upright([7, 9]);
    let (tangle, pairs) = analysed(&model, &positions);
    let [a, b] = pairs[0];
    assert!(tangle.lets_pass(tangle.corners(a)[0], b));
    assert!(tangle.lets_pass(tangle.corners(b)[1], a));
    let far = tangle.corners(0)[0];
    assert!(!tangle.lets_pass(far, b));
    let side = |t: u32| sides_of(tangle.corners(t))[0];
    assert!(tangle.lets_sides_pass(side(a), side(b)));
    assert!(!tangle.lets_sides_pass(side(0), side(b)));
}

#[test]
fn the_gradient_of_a_contours_length_is_its_derivative() {
    // Two sheets that cross at their borders only: nothing is cut off.
    let (model, mut positions) = two_sheets([5, 6], |k, p| match k {
        0 => p,
        _ => DVec3::new(p.x + 0.55, 0.2 * p.y - 0.03, p.y + 0.1 * p.x + 0.04),
    });
    for (i, p) in positions.iter_mut().enumerate() {
        let s = i as f64;
        *p += 0.01 * DVec3::new((1.3 * s).sin(), (2.1 * s).cos(), (0.7 * s).sin());
    }
    let length = |positions: &[DVec3]| {
        let (tangle, pairs) = analysed(&model, positions);
        let contours = contour::contours(&tangle, &pairs, positions);
        assert_eq!(contours.len(), 1);
        contours[0].length()
    };
    let (tangle, pairs) = analysed(&model, &positions);
    let contour = &contour::contours(&tangle, &pairs, &positions)[0];
    let none = sides::smaller_piece(&tangle.neighbours, contour, &model.masses);
    assert!(none.is_none(), "nothing is cut off");
    assert!(tangle.pulls.iter().all(|p| p.way == f64::INFINITY));
    let mut gradient = vec![DVec3::ZERO; positions.len()];
    let along = contour.gradients(&tangle, &positions);
    for (crossing, along) in contour.crossings.iter().zip(along) {
        // The triangle's share, from that of the side: together they move the crossing along.
        let [p, q] = crossing.side.map(|n| positions[n as usize]);
        let normal = tangle.normal(crossing.triangle, &positions).unwrap();
        let leaving = leaving(contour, crossing);
        let against = normal * (leaving.dot(q - p) / normal.dot(q - p));
        assert!((leaving - against - along).length() < 1e-9);
        let [a, b] = crossing.side.map(|n| n as usize);
        gradient[a] += (1.0 - crossing.share) * along;
        gradient[b] += crossing.share * along;
        let corners = tangle.corners(crossing.triangle);
        for (node, weight) in corners.into_iter().zip(crossing.weights) {
            gradient[node as usize] += weight * against;
        }
    }
    let e = 1e-6;
    let mut touched = 0;
    for i in 0..positions.len() {
        for axis in DVec3::AXES {
            let slope = {
                let mut moved = positions.clone();
                moved[i] += e * axis;
                let up = length(&moved);
                moved[i] -= 2.0 * e * axis;
                (up - length(&moved)) / (2.0 * e)
            };
            let expected = gradient[i].dot(axis);
            assert!((slope - expected).abs() < 1e-6, "{i}: {slope} {expected}");
            touched += usize::from(slope.abs() > 1e-3);
        }
    }
    assert!(touched > 10, "{touched}");
}

fn leaving(contour: &Contour, crossing: &Crossing) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for &[p, q] in &contour.segments {
        let (p, q) = (contour.crossings[p], contour.crossings[q]);
        let way = (p.at - q.at).normalize();
        if p == *crossing {
            sum += way;
        } else if q == *crossing {
            sum -= way;
        }
    }
    sum
}

#[test]
fn what_is_apart_is_clean() {
    let (model, positions) = two_sheets([4, 4], |k, p| p + DVec3::Z * 0.1 * k as f64);
    let (tangle, pairs) = analysed(&model, &positions);
    assert!(pairs.is_empty() && tangle.is_clean && tangle.pulls.is_empty());
}
