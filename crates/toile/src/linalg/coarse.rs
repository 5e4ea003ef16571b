//! The coarse space: what a patch of cloth does as a whole.
//!
//! Two sweeps carry a change only a few nodes far in one iteration, so what is smooth over many nodes would
//! take many. Let the columns of `Z` be the translations of patches of nodes, restricted to the directions
//! that the filters leave free, and `E = ZᵀAZ`. Deflation (Nicolaides 1987) solves exactly in that space,
//! through a small factor of `E`, and leaves to the iteration what is `A`-orthogonal to it:
//!
//! `(I − AZ E⁻¹ Zᵀ) A x̂ = (I − AZ E⁻¹ Zᵀ) r`, then `x = x̂ + Z E⁻¹ Zᵀ (r − A x̂)`.
//!
//! `AZ` is sparse: inside a patch a row of it is only mass, and at the rim it sees one to three other
//! patches. A patch that is held as a whole has a zero column, which the factor leaves out.

use super::BlockPattern;
use super::columns::{Columns, Place};
use super::factor::Skyline;
use super::lanes::{Kernel, Lanes, run, times};
use super::order::Order;
use super::patches::{Graph, number, patches};
use glam::{DVec3, Mat3A, Vec3A};

/// Nodes of a patch. Smaller ones save iterations, larger ones make each cheaper; the optimum is flat.
const PATCH_SIZE: usize = 64;

/// The patches, `AZ`, and the factor of `E`.
#[derive(Clone, Debug)]
pub(super) struct Coarse {
    patch_of: Vec<u32>,
    /// The patch and the row of each block of `AZ`, both increasing.
    entries: Vec<(u32, u32)>,
    /// `AZ`.
    sums: Vec<Mat3A>,
    /// `C⁻¹AZ`, scaled like the sweeps' matrix and with the rows in their order.
    image: Columns,
    /// Where in `image` each entry goes, and its row there.
    image_places: Vec<(Place, u32)>,
    /// For each diagonal block of the matrix, the place it is added to.
    diagonal_places: Vec<u32>,
    /// For each lower block `A[i, k]`, the places that it and its transpose are added to: those of row `i`
    /// and `k`'s patch, and of row `k` and `i`'s patch.
    lower_places: Vec<[u32; 2]>,
    energy: Skyline,
}

impl Coarse {
    pub(super) fn new(pattern: &BlockPattern, order: &Order) -> Self {
        let graph = Graph::of_pattern(pattern);
        let found = patches(&graph, PATCH_SIZE);
        Coarse::with_patches(pattern, order, &graph, found)
    }

    /// The same patches for a pattern that joins more of the nodes.
    pub(super) fn joined(&self, pattern: &BlockPattern, order: &Order) -> Self {
        let graph = Graph::of_pattern(pattern);
        let mut patch_of = self.patch_of.clone();
        number(&graph, &mut patch_of, self.count());
        Coarse::with_patches(pattern, order, &graph, (patch_of, self.count()))
    }

    fn with_patches(
        pattern: &BlockPattern,
        order: &Order,
        graph: &Graph,
        (patch_of, count): (Vec<u32>, usize),
    ) -> Self {
        let mut first: Vec<u32> = (0..count as u32).collect();
        // Every row with its own patch and its neighbours'; a row has few of them.
        let mut entries = Vec::new();
        let mut seen = Vec::new();
        for row in 0..graph.len() {
            let own = patch_of[row];
            seen.clear();
            seen.push(own);
            for &neighbour in graph.neighbours(row) {
                let other = patch_of[neighbour as usize];
                if !seen.contains(&other) {
                    seen.push(other);
                    let slot = &mut first[own as usize];
                    *slot = (*slot).min(other);
                }
            }
            entries.extend(seen.iter().map(|&patch| (patch, row as u32)));
        }
        entries.sort_unstable();
        let swept: Vec<_> = entries
            .iter()
            .map(|&(patch, row)| [order.place(row as usize) as u32, patch])
            .collect();
        let (image, places) = Columns::new(pattern.rows(), count, &swept);
        // The entries of each row.
        let mut of_row = vec![Vec::new(); graph.len()];
        for (at, &(patch, row)) in entries.iter().enumerate() {
            of_row[row as usize].push((patch, at as u32));
        }
        let place = |row: usize, patch: u32| {
            let mut own = of_row[row].iter();
            own.find(|(other, _)| *other == patch)
                .map_or(0, |&(_, at)| at)
        };
        let lower_places = (0..pattern.rows()).flat_map(|row| {
            let columns = pattern.columns[pattern.row(row)].iter();
            let (place, patch_of) = (&place, &patch_of);
            columns.map(move |&column| {
                let column = column as usize;
                [place(row, patch_of[column]), place(column, patch_of[row])]
            })
        });
        Coarse {
            lower_places: lower_places.collect(),
            diagonal_places: (0..pattern.rows())
                .map(|row| place(row, patch_of[row]))
                .collect(),
            sums: vec![Mat3A::ZERO; entries.len()],
            image,
            image_places: places
                .into_iter()
                .zip(swept.iter().map(|&[row, _]| row))
                .collect(),
            entries,
            energy: Skyline::new(&first),
            patch_of,
        }
    }

    /// Number of patches.
    pub(super) fn count(&self) -> usize {
        self.energy.blocks()
    }

    /// Forgets the last matrix.
    pub(super) fn clear(&mut self) {
        self.sums.fill(Mat3A::ZERO);
    }

    /// Takes in a diagonal block, already restricted to the free directions.
    #[inline(always)]
    pub(super) fn add_diagonal(&mut self, row: usize, block: &Mat3A) {
        self.sums[self.diagonal_places[row] as usize] += *block;
    }

    /// Takes in the lower block at a place of the pattern, already restricted.
    #[inline(always)]
    pub(super) fn add_lower(&mut self, at: usize, block: &Mat3A) {
        let [here, mirrored] = self.lower_places[at];
        self.sums[here as usize] += *block;
        self.sums[mirrored as usize] += block.transpose();
    }

    /// Makes the factor of `E` once all blocks are in, and scales `AZ` by `C⁻¹`.
    pub(super) fn finish(&mut self, scale: &[Mat3A]) {
        run(Finish(self, scale));
        self.energy.factor();
    }

    /// `E⁻¹ (AZ)ᵀ t` for a scaled `t`.
    pub(super) fn coefficients(&self, t: &mut [Vec3A], out: &mut [Vec3A], work: &mut [f64]) {
        run(Transposed(self, t, out));
        for (work, sum) in work.chunks_exact_mut(3).zip(&*out) {
            work.copy_from_slice(&sum.as_dvec3().to_array());
        }
        self.energy.solve(work);
        for (work, out) in work.chunks_exact(3).zip(out) {
            *out = DVec3::from_slice(work).as_vec3a();
        }
    }

    /// `x −= AZ c`, scaled.
    pub(super) fn subtract_image(&self, coefficients: &[Vec3A], x: &mut [Vec3A]) {
        run(SubtractImage(self, coefficients, x));
    }

    /// `E⁻¹ Zᵀ r`, one vector per patch, for a residual that is already filtered.
    pub(super) fn correction(&self, residual: &[DVec3], unit: f64, work: &mut [f64]) {
        work.fill(0.0);
        for (r, &patch) in residual.iter().zip(&self.patch_of) {
            for (sum, r) in work[3 * patch as usize..].iter_mut().zip(r.to_array()) {
                *sum += r / unit;
            }
        }
        self.energy.solve(work);
    }

    /// The patch of a node.
    pub(super) fn patch(&self, node: usize) -> usize {
        self.patch_of[node] as usize
    }
}

/// `E` and the scaled image from the sums.
struct Finish<'a>(&'a mut Coarse, &'a [Mat3A]);

impl Kernel for Finish<'_> {
    type Answer = ();
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Finish(coarse, scale) = self;
        coarse.energy.clear();
        let rows = coarse.entries.iter().zip(&coarse.image_places);
        // Rows of one patch follow one another for a while: their blocks of `E` are added up first.
        let (mut run_of, mut run) = ((0, 0), Mat3A::ZERO);
        for ((&(patch, row), &(place, swept)), sum) in rows.zip(&coarse.sums) {
            let other = coarse.patch_of[row as usize];
            if (other, patch) != run_of {
                coarse.energy.add_lower(run_of, &run);
                (run_of, run) = ((other, patch), Mat3A::ZERO);
            }
            run += *sum;
            let scaled = times(lanes, &scale[swept as usize], sum);
            coarse.image.set(place, &scaled);
        }
        coarse.energy.add_lower(run_of, &run);
    }
}

/// `(AZ)ᵀ t`, scaled.
struct Transposed<'a>(&'a Coarse, &'a mut [Vec3A], &'a mut [Vec3A]);

impl Kernel for Transposed<'_> {
    type Answer = ();
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Transposed(Coarse { image, .. }, t, out) = self;
        image.pull(lanes, t, |patch, _, sum| out[patch] = sum);
    }
}

/// `x −= AZ c`, scaled.
struct SubtractImage<'a>(&'a Coarse, &'a [Vec3A], &'a mut [Vec3A]);

impl Kernel for SubtractImage<'_> {
    type Answer = ();
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let SubtractImage(Coarse { image, .. }, coefficients, x) = self;
        image.push(lanes, x, |patch, _| coefficients[patch]);
    }
}
