//! `min ½ yᵀA y − bᵀy` with `y ≥ 0` and `A = Ĝ Ĝᵀ + R`: the multipliers of the active constraints, by
//! conjugate gradients.
//!
//! The rows of `Ĝ` are gradients times `√w`, scaled to length 1; `A` is never assembled: a product is one
//! pass over the rows onto the nodes and one back. The bounds are kept by the method of Dostál and Schöberl
//! (2005): conjugate gradients among the unknowns that are not at their bound; where a step would leave the
//! bounds, it stops there and a projected gradient step opens the face; where the gradient at bound unknowns
//! outweighs that of the free ones, these are let go. Each kind of step lowers the objective, so it cannot
//! cycle.

use glam::DVec3;

/// A row of `Ĝ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The constraint it stands for.
    pub constraint: u32,
    pub nodes: [u32; 2],
    /// `√w F ∇c` of the two nodes over `norm`.
    pub gradients: [DVec3; 2],
    /// What the gradients were divided by: the row's value in units of the constraint is `norm` times that in
    /// units of `A y`.
    pub norm: f64,
    /// The row's entry of the diagonal `R`.
    pub regularisation: f64,
    /// Whether `y` may have any sign.
    pub unbounded: bool,
}

impl Row {
    #[inline]
    pub fn dot(&self, nodal: &[DVec3]) -> f64 {
        let [a, b] = self.nodes;
        self.gradients[0].dot(nodal[a as usize]) + self.gradients[1].dot(nodal[b as usize])
    }

    #[inline]
    pub fn add_to(&self, factor: f64, nodal: &mut [DVec3]) {
        let [a, b] = self.nodes;
        nodal[a as usize] += factor * self.gradients[0];
        nodal[b as usize] += factor * self.gradients[1];
    }
}

/// `out = Ĝᵀ y`.
pub(super) fn transposed(rows: &[Row], y: &[f64], out: &mut [DVec3]) {
    out.fill(DVec3::ZERO);
    for (row, &y) in rows.iter().zip(y) {
        if y != 0.0 {
            row.add_to(y, out);
        }
    }
}

/// `out = A y`, with a nodal vector to work in.
pub(super) fn product(rows: &[Row], y: &[f64], nodal: &mut [DVec3], out: &mut [f64]) {
    transposed(rows, y, nodal);
    let nodal = &*nodal;
    crate::parallel::fill(out, |i| rows[i].dot(nodal) + rows[i].regularisation * y[i]);
}

/// Memory for the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Multipliers {
    /// The unknowns; on entry a guess.
    pub y: Vec<f64>,
    /// The right side.
    pub b: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    /// Safe steps of each unknown along the gradient: the inverse of the row's absolute sum.
    steps: Vec<f64>,
    /// Lower bounds of the unknowns, 0 or −∞, and norms of the rows: kept apart from the rows, which are
    /// long.
    lower: Vec<f64>,
    norms: Vec<f64>,
    nodal: Vec<DVec3>,
    reach: Vec<f64>,
}

impl Multipliers {
    /// Makes room for these rows and nodes.
    pub fn resize(&mut self, rows: usize, nodes: usize) {
        for vector in [
            &mut self.y,
            &mut self.b,
            &mut self.gradient,
            &mut self.direction,
            &mut self.image,
            &mut self.steps,
            &mut self.lower,
            &mut self.norms,
        ] {
            vector.clear();
            vector.resize(rows, 0.0);
        }
        self.nodal.resize(nodes, DVec3::ZERO);
        self.reach.resize(nodes, 0.0);
    }

    /// Solves until every row is right to `tolerance`, in units of its constraint; answers the iterations
    /// made.
    pub fn solve(&mut self, rows: &[Row], tolerance: f64, limit: u32) -> u32 {
        for (i, row) in rows.iter().enumerate() {
            self.lower[i] = if row.unbounded {
                f64::NEG_INFINITY
            } else {
                0.0
            };
            self.norms[i] = row.norm;
            self.y[i] = self.y[i].max(self.lower[i]);
        }
        self.find_steps(rows);
        self.refresh_gradient(rows);
        self.restart();
        for iteration in 0..limit {
            let [free, reduced, bound, worst] = self.measure();
            // `is_nan` too: a system that is not finite is left as it is.
            if worst <= tolerance || !(free + bound).is_finite() {
                return iteration;
            }
            if bound <= reduced {
                self.descend(rows);
            } else {
                self.let_go(rows);
            }
        }
        limit
    }

    fn find_steps(&mut self, rows: &[Row]) {
        self.reach.fill(0.0);
        for row in rows {
            for k in 0..2 {
                self.reach[row.nodes[k] as usize] += row.gradients[k].length();
            }
        }
        for (step, row) in self.steps.iter_mut().zip(rows) {
            let sum: f64 = (0..2)
                .map(|k| row.gradients[k].length() * self.reach[row.nodes[k] as usize])
                .sum();
            *step = 1.0 / (sum + row.regularisation).max(f64::MIN_POSITIVE);
        }
    }

    fn refresh_gradient(&mut self, rows: &[Row]) {
        product(rows, &self.y, &mut self.nodal, &mut self.gradient);
        for (gradient, b) in self.gradient.iter_mut().zip(&self.b) {
            *gradient -= b;
        }
    }

    fn is_free(&self, i: usize) -> bool {
        self.y[i] > self.lower[i]
    }

    fn restart(&mut self) {
        for i in 0..self.y.len() {
            self.direction[i] = if self.is_free(i) {
                self.gradient[i]
            } else {
                0.0
            };
        }
    }

    /// Squares of the free gradient, of the part of it that the bounds leave room for, and of the gradient of
    /// bound unknowns that want to leave; and the worst row.
    fn measure(&self) -> [f64; 4] {
        let [mut free, mut reduced, mut bound, mut worst] = [0.0f64; 4];
        for (i, &g) in self.gradient.iter().enumerate() {
            if self.is_free(i) {
                free += g * g;
                reduced += g.min((self.y[i] - self.lower[i]) / self.steps[i]) * g;
                worst = worst.max(g.abs() * self.norms[i]);
            } else if g < 0.0 {
                bound += g * g;
                worst = worst.max(-g * self.norms[i]);
            }
        }
        [free, reduced, bound, worst]
    }

    /// A step of conjugate gradients, or as far as the bounds allow and a projected one.
    fn descend(&mut self, rows: &[Row]) {
        product(rows, &self.direction, &mut self.nodal, &mut self.image);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let energy = dot(&self.direction, &self.image);
        let wanted = dot(&self.gradient, &self.direction) / energy;
        let mut room = f64::INFINITY;
        for i in 0..rows.len() {
            if self.direction[i] > 0.0 {
                room = room.min((self.y[i] - self.lower[i]) / self.direction[i]);
            }
        }
        let step = wanted.min(room);
        for i in 0..rows.len() {
            // Rounding must not carry the unknown that ends the step beyond its bound.
            self.y[i] = (self.y[i] - step * self.direction[i]).max(self.lower[i]);
            self.gradient[i] -= step * self.image[i];
        }
        if wanted <= room {
            let slope: f64 = (0..rows.len())
                .filter(|&i| self.is_free(i))
                .map(|i| self.gradient[i] * self.image[i])
                .sum();
            let conjugate = slope / energy;
            for i in 0..rows.len() {
                let g = if self.is_free(i) {
                    self.gradient[i]
                } else {
                    0.0
                };
                self.direction[i] = g - conjugate * self.direction[i];
            }
            return;
        }
        for i in 0..rows.len() {
            if self.is_free(i) {
                self.y[i] = (self.y[i] - self.steps[i] * self.gradient[i]).max(self.lower[i]);
            }
        }
        self.refresh_gradient(rows);
        self.restart();
    }

    /// Lets bound unknowns go that want to, with the best step along their gradient.
    fn let_go(&mut self, rows: &[Row]) {
        for i in 0..rows.len() {
            let wants = !self.is_free(i) && self.gradient[i] < 0.0;
            self.direction[i] = if wants { self.gradient[i] } else { 0.0 };
        }
        product(rows, &self.direction, &mut self.nodal, &mut self.image);
        let (mut slope, mut energy) = (0.0, 0.0);
        for i in 0..rows.len() {
            slope += self.gradient[i] * self.direction[i];
            energy += self.direction[i] * self.image[i];
        }
        let step = slope / energy;
        for i in 0..rows.len() {
            self.y[i] -= step * self.direction[i];
            self.gradient[i] -= step * self.image[i];
        }
        self.restart();
    }
}
