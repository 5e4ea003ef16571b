//! What experiments with a strip of cloth share: the strip itself, and how rates and orders are read off.

use crate::paper_scene;
use crate::registry::LabError;
use glam::DVec3;
use toile::state::State;
use toile_scene::scene::World;

/// A strip as an experiment asks for it. Lines of TOML complete the tables they are named after.
pub(super) struct Recipe<'a> {
    /// The experiment, for messages.
    pub name: &'a str,
    /// Length and width (m).
    pub size: [f64; 2],
    /// Cells along and across.
    pub cells: [u32; 2],
    /// How cells are cut into faces.
    pub pattern: &'a str,
    /// Model and bending.
    pub model: [&'a str; 2],
    /// Lines of `[time]`.
    pub time: &'a str,
    /// Lines of `[cloth.strip.material]`.
    pub material: &'a str,
    /// Acceleration of gravity, downwards (m/s²).
    pub gravity: f64,
    /// Rows of nodes that are held where they are laid.
    pub held: &'a [u32],
}

/// A strip: rows of nodes across it, counted from one end.
pub(super) struct Strip {
    pub world: World,
    cells: [u32; 2],
    size: [f64; 2],
}

impl Strip {
    pub fn new(recipe: &Recipe) -> Result<Self, LabError> {
        let Recipe {
            size: [length, width],
            cells: [along, across],
            pattern,
            model: [model, bending],
            time,
            material,
            gravity,
            ..
        } = recipe;
        let rows = recipe.held.iter();
        let held: Vec<String> = rows
            .flat_map(|&row| row_nodes(recipe.cells, row))
            .map(|node| node.to_string())
            .collect();
        let text = format!(
            "[time]\n{time}\n[environment]\ngravity = [0, 0, {}]\n\
                 [cloth.strip]\nmodel = \"{model}\"\nbending = \"{bending}\"\n\
                 mesh.grid = {{ size = [{length}, {width}], cells = [{along}, {across}], pattern = \"{pattern}\" }}\n\
                 [cloth.strip.material]\n{material}\n\
                 [[cloth.strip.pin]]\nselect.nodes = [{}]\n",
            -gravity,
            held.join(", ")
        );
        Ok(Strip {
            world: paper_scene::world(recipe.name, &text)?,
            cells: recipe.cells,
            size: recipe.size,
        })
    }

    /// Number of rows of nodes.
    pub fn rows(&self) -> u32 {
        self.cells[0] + 1
    }

    /// Arc length from the first row at rest (m).
    pub fn arc_length(&self, row: u32) -> f64 {
        self.size[0] * f64::from(row) / f64::from(self.cells[0])
    }

    /// The nodes of a row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = usize> {
        row_nodes(self.cells, row)
    }

    /// Lays every row at a place in the plane of `x` and `z` (m); across, it keeps its width.
    pub fn lay(&mut self, place: impl Fn(u32) -> [f64; 2]) {
        for row in 0..self.rows() {
            let [x, z] = place(row);
            for node in row_nodes(self.cells, row) {
                let y = self.world.state.positions[node].y;
                self.world.state.positions[node] = DVec3::new(x, y, z);
            }
        }
    }

    /// Mass of a row (kg).
    pub fn row_mass(&self, row: u32) -> f64 {
        self.row(row).map(|n| self.world.model.masses[n]).sum()
    }

    /// Centre of mass of a row (m).
    pub fn row_place(&self, state: &State, row: u32) -> DVec3 {
        let masses = &self.world.model.masses;
        let sum: DVec3 = self.row(row).map(|n| masses[n] * state.positions[n]).sum();
        sum / self.row_mass(row)
    }
}

fn row_nodes([along, across]: [u32; 2], row: u32) -> impl Iterator<Item = usize> {
    (0..=across).map(move |line| (line * (along + 1) + row) as usize)
}

/// Times at which samples `(time, value)` change their sign, by the cubic through the four samples around.
pub(super) fn crossings(samples: &[[f64; 2]]) -> Vec<f64> {
    let windows = samples.windows(4);
    let crossed = windows.filter(|w| w[1][1] * w[2][1] <= 0.0 && w[1][1] != 0.0);
    crossed
        .map(|w| {
            // Time as a function of the value is smooth where the value runs through zero.
            let mut time = 0.0;
            for i in 0..4 {
                let others = (0..4).filter(|&j| j != i);
                time += others.fold(w[i][0], |t, j| t * w[j][1] / (w[j][1] - w[i][1]));
            }
            time
        })
        .collect()
}

/// Largest distances from zero between two crossings, by the parabola through the three samples around each.
pub(super) fn peaks(samples: &[[f64; 2]]) -> Vec<f64> {
    let windows = samples.windows(3);
    let turned = windows.filter(|w| {
        let middle = w[1][1].abs();
        middle >= w[0][1].abs() && middle > w[2][1].abs()
    });
    turned
        .map(|w| {
            let [a, b, c] = [w[0][1].abs(), w[1][1].abs(), w[2][1].abs()];
            b + 0.125 * (c - a).powi(2) / (2.0 * b - a - c)
        })
        .collect()
}

/// The slope between the last two points `(size, error)`, in logarithms.
pub(super) fn last_order(points: &[[f64; 2]]) -> f64 {
    match points {
        [.., coarse, fine] => (coarse[1] / fine[1]).ln() / (coarse[0] / fine[0]).ln(),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampled_wave_has_its_zeros_and_its_height() {
        let wave = |t: f64| 0.3 * (2.0 * t + 0.1).cos();
        let samples: Vec<[f64; 2]> = (0..400)
            .map(|k| 0.01 * f64::from(k))
            .map(|t| [t, wave(t)])
            .collect();
        let zeros = crossings(&samples);
        assert_eq!(zeros.len(), 3);
        assert!((zeros[0] - (0.5 * std::f64::consts::PI - 0.1) / 2.0).abs() < 1e-9);
        let heights = peaks(&samples);
        assert_eq!(heights.len(), 2);
        assert!(heights.iter().all(|h| (h - 0.3).abs() < 1e-8));
    }

    #[test]
    fn errors_that_fall_as_the_square_have_order_two() {
        assert!((last_order(&[[0.2, 4e-4], [0.1, 1e-4]]) - 2.0).abs() < 1e-12);
        assert!(last_order(&[[0.2, 4e-4]]).is_nan());
    }
}
