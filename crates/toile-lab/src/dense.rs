//! Small dense matrices: rank, solution, eigenvalues of symmetric ones.
//!
//! For a few hundred rows at the most, where plain and sure is better than fast.

/// What Gaussian elimination finds out about a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elimination {
    /// How many rows are independent.
    pub rank: usize,
    /// The smallest pivot that counted and the largest entry left that did not, both relative to the largest entry: how clear
    /// the rank is.
    pub gap: [f64; 2],
}

/// Gaussian elimination with full pivoting. Pivots below `tolerance` times the largest entry count as zero.
pub(crate) fn eliminate(mut rows: Vec<Vec<f64>>, columns: usize, tolerance: f64) -> Elimination {
    let largest = |rows: &[Vec<f64>], from: usize, used: &[bool]| {
        let mut best = (0.0, 0, 0);
        for (r, row) in rows.iter().enumerate().skip(from) {
            for (c, entry) in row.iter().enumerate() {
                if !used[c] && entry.abs() > best.0 {
                    best = (entry.abs(), r, c);
                }
            }
        }
        best
    };
    let mut used = vec![false; columns];
    let scale = largest(&rows, 0, &used).0;
    let mut rank = 0;
    let mut gap = [1.0, 0.0];
    while rank < rows.len() {
        let (size, r, c) = largest(&rows, rank, &used);
        if size <= tolerance * scale {
            gap[1] = if scale > 0.0 { size / scale } else { 0.0 };
            break;
        }
        gap[0] = size / scale;
        rows.swap(rank, r);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            if row[c] != 0.0 {
                let factor = row[c] / pivot[c];
                for (entry, p) in row.iter_mut().zip(&pivot) {
                    *entry -= factor * p;
                }
                row[c] = 0.0;
            }
        }
        used[c] = true;
        rank += 1;
    }
    Elimination { rank, gap }
}

/// Solves a positive definite system by Cholesky's factors.
pub(crate) fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        for k in 0..j {
            let factor = a[j][k];
            for i in j..n {
                a[i][j] -= a[i][k] * factor;
            }
        }
        let pivot = a[j][j].max(f64::MIN_POSITIVE).sqrt();
        for row in &mut a[j..] {
            row[j] /= pivot;
        }
    }
    for i in 0..n {
        let known: f64 = (0..i).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| a[k][i] * b[k]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}

/// Eigenvalues of a symmetric matrix in increasing order, by Jacobi's rotations.
pub(crate) fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    diagonalise(&mut a);
    let mut values: Vec<f64> = (0..a.len()).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Eigenvalues of a symmetric matrix, in no order, and a matrix whose columns are the eigenvectors of length 1.
pub(crate) fn eigenvectors(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    // The identity below the matrix: rotations of its columns add up to the eigenvectors.
    a.extend((0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()));
    diagonalise(&mut a);
    let vectors = a.split_off(n);
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

/// Turns the square at the top into a diagonal. Rows below it take part in the rotations of columns only.
fn diagonalise(a: &mut [Vec<f64>]) {
    let n = a.first().map_or(0, Vec::len);
    for _ in 0..60 {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j] * a[i][j])
            .sum();
        if off == 0.0 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, p, q);
            }
        }
    }
}

/// The rotation in the plane of two axes that makes their product vanish.
fn rotate(a: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    for k in 0..a[p].len() {
        let (x, y) = (a[p][k], a[q][k]);
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_row_does_not_count() {
        let rows = vec![
            vec![1.0, 2.0, 3.0, 4.0],
            vec![2.0, -1.0, 0.5, 1.0],
            vec![4.0, 3.0, 6.5, 9.0], // twice the first and the second
        ];
        let found = eliminate(rows, 4, 1e-12);
        assert_eq!(found.rank, 2);
        assert!(found.gap[0] > 0.1 && found.gap[1] < 1e-14);
    }

    #[test]
    fn a_system_is_solved() {
        let a = vec![
            vec![4.0, 1.0, -1.0],
            vec![1.0, 3.0, 0.5],
            vec![-1.0, 0.5, 2.0],
        ];
        let x = [1.0, -2.0, 3.0];
        let b = a
            .iter()
            .map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum());
        let found = solve(a.clone(), b.collect());
        for (found, x) in found.iter().zip(&x) {
            assert!((found - x).abs() < 1e-13);
        }
    }

    #[test]
    fn eigenvectors_make_the_matrix_again() {
        let a = vec![
            vec![4.0, 1.0, -1.0],
            vec![1.0, 3.0, 0.5],
            vec![-1.0, 0.5, 2.0],
        ];
        let (values, vectors) = eigenvectors(a.clone());
        for i in 0..3 {
            for j in 0..3 {
                let entry: f64 = (0..3)
                    .map(|k| vectors[i][k] * values[k] * vectors[j][k])
                    .sum();
                assert!((entry - a[i][j]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn eigenvalues_of_a_chain_of_springs() {
        // 2 on the diagonal, −1 beside it: 2 − 2 cos(kπ/(n+1)).
        let n = 7;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let matrix = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect());
        for (k, value) in eigenvalues(matrix.collect()).into_iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
            assert!((value - 2.0 + 2.0 * angle.cos()).abs() < 1e-12);
        }
    }
}
