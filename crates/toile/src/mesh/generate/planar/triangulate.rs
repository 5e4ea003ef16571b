//! The Delaunay triangulation of points within a rim.

use super::outline::{PolygonError, Rim};
use glam::DVec2;
use spade::handles::FixedFaceHandle;
use spade::handles::InnerTag;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// Triangulates the area inside the rim, whose points are the first of `points`. Triangles are
/// counter-clockwise.
pub(super) fn triangulate(points: &[DVec2], rim: &Rim) -> Result<Vec<[u32; 3]>, PolygonError> {
    let sides = rim.next.iter().enumerate().map(|(k, &n)| [k, n as usize]);
    let mut conflict = None;
    let built = ConstrainedDelaunayTriangulation::<Point2<f64>>::try_bulk_load_cdt(
        points
            .iter()
            .map(|p| Point2::new(tidy(p.x), tidy(p.y)))
            .collect(),
        sides.collect(),
        |[side, _]| conflict = Some(side),
    );
    let too_narrow = |point: usize| {
        let at = points[point.min(points.len() - 1)] / rim.scale;
        PolygonError::TooNarrow { x: at.x, y: at.y }
    };
    let mesh = built.map_err(|_| too_narrow(0))?;
    // Points that fall together are dropped without a word, and the others renumbered.
    if mesh.num_vertices() != points.len() {
        let same = mesh.vertices().zip(points);
        let first =
            same.take_while(|(v, p)| v.position().x == tidy(p.x) && v.position().y == tidy(p.y));
        return Err(too_narrow(first.count()));
    }
    match conflict {
        Some(side) => Err(too_narrow(side)),
        None => Ok(triangles_inside(&mesh, rim)),
    }
}

/// Floods the area from the left of each side of the rim.
fn triangles_inside(
    mesh: &ConstrainedDelaunayTriangulation<Point2<f64>>,
    rim: &Rim,
) -> Vec<[u32; 3]> {
    let mut inside = vec![false; mesh.num_all_faces()];
    let mut pending: Vec<FixedFaceHandle<InnerTag>> = mesh
        .directed_edges()
        .filter(|edge| {
            let next = rim.next.get(edge.from().index());
            next.is_some_and(|&n| n as usize == edge.to().index())
        })
        .filter_map(|edge| edge.face().fix().as_inner())
        .collect();
    while let Some(face) = pending.pop() {
        if std::mem::replace(&mut inside[face.index()], true) {
            continue;
        }
        let walls = mesh.face(face).adjacent_edges();
        let open = walls.into_iter().filter(|edge| !edge.is_constraint_edge());
        pending.extend(open.filter_map(|edge| edge.rev().face().fix().as_inner()));
    }
    mesh.inner_faces()
        .filter(|face| inside[face.fix().index()])
        .map(|face| face.vertices().map(|v| v.index() as u32))
        .collect()
}

/// The triangulation refuses numbers that are all but zero.
fn tidy(x: f64) -> f64 {
    if x.abs() < 1e-40 { 0.0 } else { x }
}
