//! The nearest positive semi-definite matrix to a hinge's stiffness: its negative eigenvalues become zero.
//!
//! Moving all four points together bends nothing, so the stiffness lives in the nine dimensions that are
//! left. Jacobi's rotations find its eigenvectors there.

use glam::DMat3;

/// Orthonormal weights of the four points that do not move them together.
const DIFFERENCES: [[f64; 4]; 3] = {
    const R: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[R, -R, 0.0, 0.0], [0.0, 0.0, R, -R], [0.5, 0.5, -0.5, -0.5]]
};

type Square = [[f64; 9]; 9];

/// The symmetric matrix of sixteen blocks with its negative eigenvalues set to zero. It must not see a motion
/// of all four points together.
pub(super) fn without_negative(blocks: &[[DMat3; 4]; 4]) -> [[DMat3; 4]; 4] {
    let mut matrix = [[0.0; 9]; 9];
    for (a, left) in DIFFERENCES.iter().enumerate() {
        for (b, right) in DIFFERENCES.iter().enumerate() {
            let mut block = DMat3::ZERO;
            for i in 0..4 {
                for j in 0..4 {
                    block += blocks[i][j] * (left[i] * right[j]);
                }
            }
            for row in 0..3 {
                for column in 0..3 {
                    matrix[3 * a + row][3 * b + column] = block.col(column)[row];
                }
            }
        }
    }
    let positive = clamp(matrix);
    let reduced: [[DMat3; 3]; 3] = std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let entry = |row: usize, column: usize| positive[3 * a + row][3 * b + column];
            DMat3::from_cols_array_2d(&std::array::from_fn(|column| {
                std::array::from_fn(|row| entry(row, column))
            }))
        })
    });
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let mut block = DMat3::ZERO;
            for a in 0..3 {
                for b in 0..3 {
                    block += reduced[a][b] * (DIFFERENCES[a][i] * DIFFERENCES[b][j]);
                }
            }
            block
        })
    })
}

/// `Σ max(λ, 0) q qᵀ` over the eigenpairs.
fn clamp(mut matrix: Square) -> Square {
    let vectors = diagonalise(&mut matrix);
    let mut positive = [[0.0; 9]; 9];
    for k in 0..9 {
        let value = matrix[k][k];
        if value <= 0.0 {
            continue;
        }
        for i in 0..9 {
            for j in 0..9 {
                positive[i][j] += value * vectors[i][k] * vectors[j][k];
            }
        }
    }
    positive
}

/// Turns the matrix into its eigenvalues on the diagonal, and answers with the eigenvectors in columns.
fn diagonalise(matrix: &mut Square) -> Square {
    // Convergence is quadratic: six or seven sweeps are usual, and more than this bound has no effect.
    const SWEEPS: usize = 12;
    let mut vectors: Square =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let size: f64 = matrix.iter().flatten().map(|m| m * m).sum();
    for _ in 0..SWEEPS {
        let mut rest = 0.0;
        for p in 0..9 {
            for q in p + 1..9 {
                rest += matrix[p][q] * matrix[p][q];
                rotate(matrix, &mut vectors, p, q);
            }
        }
        if rest <= 1e-32 * size {
            break;
        }
    }
    vectors
}

/// One rotation in the plane of axes `p < q`, by the angle that makes their off-diagonal entry vanish.
fn rotate(matrix: &mut Square, vectors: &mut Square, p: usize, q: usize) {
    let off = matrix[p][q];
    if off == 0.0 {
        return;
    }
    let half = 0.5 * (matrix[q][q] - matrix[p][p]) / off;
    let tangent = half.signum() / (half.abs() + (1.0 + half * half).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (
            cosine * row[p] - sine * row[q],
            sine * row[p] + cosine * row[q],
        );
    }
    let (above, below) = matrix.split_at_mut(q);
    for (a, b) in above[p].iter_mut().zip(&mut below[0]) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
    for row in vectors.iter_mut() {
        (row[p], row[q]) = (
            cosine * row[p] - sine * row[q],
            sine * row[p] + cosine * row[q],
        );
    }
}
