//! Guesses at a direction in which the polygon keeps away from the origin.
//!
//! Nothing here has to be right: `MovingPolygon::free_times` judges. But near contact a direction must be
//! good to the last digit, else it fails by more than the distance it is to prove. So it is built from what
//! is large (normal of the face, a vector made orthogonal to an edge), not from the small vector to the
//! nearest point, which is mostly rounding there.

use super::number::{Real, Vector};

/// The direction to the point of the polygon nearest to the origin.
pub(super) fn towards_nearest<S: Real, const N: usize>(x: &[Vector<S>; N]) -> Vector<S> {
    if let Some(normal) = normal_above_face(x) {
        return normal;
    }
    let mut nearest = x[0];
    let mut least = S::exact(f64::INFINITY);
    for i in 0..N {
        let (across, square) = across_edge(x[i], x[(i + 1) % N]);
        if square < least {
            (nearest, least) = (across, square);
        }
    }
    nearest
}

/// All directions worth a try once the best has failed: the normal, and one for each edge.
pub(super) fn candidates<S: Real, const N: usize>(
    x: &[Vector<S>; N],
) -> impl Iterator<Item = Vector<S>> {
    let normal = normal_towards(x);
    let edges = (0..N).map(|i| across_edge(x[i], x[(i + 1) % N]).0);
    std::iter::once(normal).chain(edges)
}

/// The normal of the polygon, pointing from the origin to its plane.
fn normal_towards<S: Real, const N: usize>(x: &[Vector<S>; N]) -> Vector<S> {
    let normal = face_normal(x);
    let away = normal.dot(x[0]) < S::zero();
    if away {
        normal * S::exact(-1.0)
    } else {
        normal
    }
}

fn face_normal<S: Real, const N: usize>(x: &[Vector<S>; N]) -> Vector<S> {
    (x[1] - x[0]).cross(x[2] - x[1])
}

/// The normal if the origin lies straight above or below the polygon.
fn normal_above_face<S: Real, const N: usize>(x: &[Vector<S>; N]) -> Option<Vector<S>> {
    let normal = face_normal(x);
    let inside = |i: usize| x[i].cross(x[(i + 1) % N]).dot(normal) > S::zero();
    (0..N).all(inside).then(|| normal_towards(x))
}

/// The vector from the origin to the nearest point of the edge from `a` to `b`, and its square.
fn across_edge<S: Real>(a: Vector<S>, b: Vector<S>) -> (Vector<S>, S) {
    let edge = b - a;
    let (along_a, along_b) = (a.dot(edge), b.dot(edge));
    if along_a >= S::zero() {
        return (a, a.dot(a));
    }
    if along_b <= S::zero() {
        return (b, b.dot(b));
    }
    let square = edge.dot(edge);
    let across = a - edge * (along_a / square);
    // Once more: the first time left rounding of the size of a.
    let across = across - edge * (across.dot(edge) / square);
    (across, across.dot(across))
}
