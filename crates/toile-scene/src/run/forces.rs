//! `forces.csv`: what cloth does to every body in every step.

use super::runner::RunError;
use super::table::{Table, TableMark};
use crate::scene::World;
use std::fmt::Write;
use std::path::PathBuf;
use toile::contact::Load;
use toile::state::State;

pub(super) const FILE_NAME: &str = "forces.csv";

const COLUMNS: &str = "time,body,force_x,force_y,force_z,torque_x,torque_y,torque_z,nodes";

/// The table, with the rows of the frame that is being made.
pub(super) struct ForcesTable {
    table: Table,
    rows: String,
}

impl ForcesTable {
    /// A new table, if there is anything to push against.
    pub fn create(world: &World, path: PathBuf) -> Result<Option<Self>, RunError> {
        if world.model.bodies.is_empty() {
            return Ok(None);
        }
        let table = Table::create(path, COLUMNS)?;
        let rows = String::new();
        Ok(Some(ForcesTable { table, rows }))
    }

    /// The table of a run that goes on.
    pub fn resume(world: &World, path: PathBuf, mark: TableMark) -> Result<Option<Self>, RunError> {
        if world.model.bodies.is_empty() {
            return Ok(None);
        }
        let table = Table::resume(path, mark)?;
        let rows = String::new();
        Ok(Some(ForcesTable { table, rows }))
    }

    /// Takes down a step that ended in a state.
    pub fn take(&mut self, world: &World, state: &State, loads: &[Load]) {
        let (time, whole) = (state.time, world.body_loads(state, loads));
        for (body, load) in world.body_frames.iter().zip(whole) {
            let ([fx, fy, fz], [tx, ty, tz]) = (load.force.to_array(), load.torque.to_array());
            let (name, nodes) = (quoted(&body.name), load.nodes);
            // Writing into a string cannot fail.
            let _ = writeln!(
                self.rows,
                "{time:.9},{name},{fx:e},{fy:e},{fz:e},{tx:e},{ty:e},{tz:e},{nodes}"
            );
        }
    }

    /// Writes what was taken down since the last frame.
    pub fn flush(&mut self) -> Result<(), RunError> {
        let rows = self.rows.trim_end_matches('\n');
        if !rows.is_empty() {
            self.table.line(rows)?;
        }
        self.rows.clear();
        Ok(())
    }

    pub fn sync(&self) -> Result<(), RunError> {
        self.table.sync()
    }

    /// What is written.
    pub fn mark(&self) -> TableMark {
        self.table.mark()
    }
}

/// A name as a cell of a table.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        // A line break in a name would break the count of rows.
        let name = name.replace('"', "\"\"").replace(['\n', '\r'], " ");
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}
