//! Tables of a comparison.

use super::figures::{Figures, Finished};
use crate::table::{Cell, ColumnKind, Table, TableError};

/// A row per variant. Lengths are in metres, times in seconds, strains and errors of area are shares.
pub fn comparison_table(rows: &[(String, Figures)], reference: usize) -> Result<Table, TableError> {
    let named = |(label, figures): &(String, Figures)| {
        let mut cells = vec![("variant", ColumnKind::Text, Cell::from(label.as_str()))];
        cells.extend(cells_of(figures));
        cells
    };
    let mut table = None;
    for (number, row) in rows.iter().enumerate() {
        let mut cells = named(row);
        let is_reference = Cell::Integer(i64::from(number == reference));
        cells.push(("is_reference", ColumnKind::Integer, is_reference));
        let names = cells.iter().map(|(name, kind, _)| (*name, *kind));
        let table = match &mut table {
            Some(table) => table,
            none => none.insert(Table::new(names)?),
        };
        table.push(cells.into_iter().map(|(_, _, cell)| cell).collect())?;
    }
    table.map_or_else(|| Table::new([("variant", ColumnKind::Text)]), Ok)
}

fn cells_of(f: &Figures) -> Vec<(&'static str, ColumnKind, Cell)> {
    let count = |name, value: usize| (name, ColumnKind::Integer, Cell::from(value));
    let number = |name, value: f64| {
        let cell = if value.is_finite() {
            Cell::Number(value)
        } else {
            Cell::Missing
        };
        (name, ColumnKind::Number, cell)
    };
    vec![
        count("nodes", f.nodes),
        count("faces", f.faces),
        number("step", f.step),
        number("stretch_worst", f.stretch_worst),
        number("stretch_mean", f.stretch_mean),
        number("area_total", f.area.total),
        number("area_mean", f.area.mean),
        number("area_dispersion", f.area.dispersion),
        number("energy_change", f.energy.change),
        number("energy_rise", f.energy.largest_rise),
        number("momentum_change", f.momentum.linear),
        number("spin_change", f.momentum.spin),
        count("folds", f.folds),
        number("distance_mean", f.distance[0]),
        number("distance_end", f.distance[1]),
        number("distance_farthest", f.distance[2]),
        number("seconds", f.wall),
        number("iterations_per_step", f.iterations),
        number("unconverged_steps", f.unconverged),
        (
            "memory_bytes",
            ColumnKind::Integer,
            Cell::from(f.memory.map(|b| b as usize)),
        ),
    ]
}

/// A row per variant and frame.
pub fn series_table(
    finished: &[Finished],
    rows: &[(String, Figures)],
) -> Result<Table, TableError> {
    let columns = ["time", "stretch_worst", "energy_total", "distance"];
    let names = columns.map(|name| (name, ColumnKind::Number));
    let mut table = Table::new([("variant", ColumnKind::Text)].into_iter().chain(names))?;
    for (variant, (label, figures)) in finished.iter().zip(rows) {
        let at = |points: &[[f64; 2]], time: f64| {
            let found = points.iter().find(|p| (p[0] - time).abs() < 1e-9);
            Cell::from(found.map(|p| p[1]))
        };
        let (stretch, energy) = (
            variant.series("stretch_worst"),
            variant.series("energy_total"),
        );
        for time in variant.metrics.rows.iter().map(|row| row[0]) {
            table.push(vec![
                Cell::from(label.as_str()),
                Cell::Number(time),
                at(&stretch, time),
                at(&energy, time),
                at(&figures.distances, time),
            ])?;
        }
    }
    Ok(table)
}

/// The numbers in one line.
pub(super) fn summary(f: &Figures) -> String {
    format!(
        "stretch {:.2} %, area {:.2} %, {} folds, {:.2} mm from the reference, {:.2} s",
        100.0 * f.stretch_worst,
        100.0 * f.area.mean,
        f.folds,
        1e3 * f.distance[0],
        f.wall
    )
}
