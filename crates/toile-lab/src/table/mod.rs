//! One table of results: named columns, rows appended.
//!
//! The law of this room: a cell that has no value is missing, and stays so in every format. What is written as CSV is
//! read back to the last digit.
//!
//! [`Table::write_csv`] and [`Table::read_csv`]: RFC 4180, for people, spreadsheets, and sweeps that are taken up again. Columns in
//! binary (Parquet) are the business of the Python package, which has a library for them.

#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::path::Path;
use thiserror::Error;
use toile_scene::run::{FolderError, write_atomically};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Measured numbers.
    Number,
    /// Counts.
    Integer,
    /// Names and verdicts.
    Text,
}

/// A cell to be put into a table, or one taken out of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A measured number; NaN is a value too, other than [`Cell::Missing`].
    Number(f64),
    /// A count.
    Integer(i64),
    /// A text. An empty one counts as missing, as a CSV file cannot tell them apart.
    Text(String),
    /// No value.
    Missing,
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Cell::Integer(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or(Cell::Missing, Cell::Integer)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Missing, Into::into)
    }
}

/// The values of a column; `None` where one is missing.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Numbers(Vec<Option<f64>>),
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    values: Values,
}

/// Named columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

/// A row that does not fit, or a file that is no table. Rows and columns are counted from 1, without the heading.
#[derive(Debug, Error)]
pub enum TableError {
    /// Two columns of one name, or a column without one.
    #[error("column {column} is called `{name}`; every column needs a name of its own")]
    Name {
        /// The column.
        column: usize,
        /// Its name.
        name: String,
    },
    /// Too few or too many cells.
    #[error("row {row} has {found} cells, but the table {columns} columns")]
    Width {
        /// The row.
        row: usize,
        /// How many cells it has.
        found: usize,
        /// How many there should be.
        columns: usize,
    },
    /// A cell of the wrong kind.
    #[error("row {row}, column `{name}`: {found} is not {wanted}")]
    Kind {
        /// The row.
        row: usize,
        /// The column.
        name: String,
        /// What stands there.
        found: String,
        /// What should.
        wanted: &'static str,
    },
    /// Another table's file.
    #[error(
        "column {column} of the file is `{found}`, but `{wanted}` was expected; is this the file of another table?"
    )]
    Header {
        /// The column.
        column: usize,
        /// Its name in the file.
        found: String,
        /// The name it should have.
        wanted: String,
    },
    /// The file is not CSV.
    #[error("the table cannot be read or written as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// Bytes could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file could not be replaced.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Table {
    /// A table without rows.
    pub fn new<N: Into<String>>(
        columns: impl IntoIterator<Item = (N, ColumnKind)>,
    ) -> Result<Self, TableError> {
        let mut table = Table {
            columns: Vec::new(),
            rows: 0,
        };
        for (index, (name, kind)) in columns.into_iter().enumerate() {
            let name = name.into();
            if name.is_empty() || table.columns.iter().any(|column| column.name == name) {
                let column = index + 1;
                return Err(TableError::Name { column, name });
            }
            let values = match kind {
                ColumnKind::Number => Values::Numbers(Vec::new()),
                ColumnKind::Integer => Values::Integers(Vec::new()),
                ColumnKind::Text => Values::Texts(Vec::new()),
            };
            table.columns.push(Column { name, values });
        }
        Ok(table)
    }

    /// Writes a CSV file. One that is there is replaced when all of the new one is written.
    pub fn save_csv(&self, path: &Path) -> Result<(), TableError> {
        let mut bytes = Vec::new();
        self.write_csv(&mut bytes)?;
        Ok(write_atomically(path, &bytes)?)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names and kinds of the columns.
    pub fn columns(&self) -> impl Iterator<Item = (&str, ColumnKind)> {
        self.columns.iter().map(|column| {
            let kind = match column.values {
                Values::Numbers(_) => ColumnKind::Number,
                Values::Integers(_) => ColumnKind::Integer,
                Values::Texts(_) => ColumnKind::Text,
            };
            (column.name.as_str(), kind)
        })
    }

    /// The number of the column of this name, from 0 on.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// A cell; `None` outside of the table. Rows and columns are counted from 0.
    pub fn cell(&self, row: usize, column: usize) -> Option<Cell> {
        let cell = match &self.columns.get(column)?.values {
            Values::Numbers(values) => Cell::from(*values.get(row)?),
            Values::Integers(values) => Cell::from(*values.get(row)?),
            Values::Texts(values) => Cell::from(values.get(row)?.as_deref()),
        };
        Some(cell)
    }

    /// A column of numbers or integers as numbers, NaN where one is missing; `None` if there is no such column.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        match &self.columns[self.find(name)?].values {
            Values::Numbers(values) => Some(values.iter().map(|v| v.unwrap_or(f64::NAN)).collect()),
            Values::Integers(values) => {
                let number = |v: &Option<i64>| v.map_or(f64::NAN, |v| v as f64);
                Some(values.iter().map(number).collect())
            }
            Values::Texts(_) => None,
        }
    }

    /// Appends a row: a cell for each column, in their order. An integer may stand in a column of numbers. A row that does
    /// not fit changes nothing.
    pub fn push(&mut self, cells: Vec<Cell>) -> Result<(), TableError> {
        let row = self.rows + 1;
        if cells.len() != self.columns.len() {
            return Err(TableError::Width {
                row,
                found: cells.len(),
                columns: self.columns.len(),
            });
        }
        for (column, cell) in self.columns.iter().zip(&cells) {
            column.check(row, cell)?;
        }
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.rows = row;
        Ok(())
    }
}

impl Column {
    fn check(&self, row: usize, cell: &Cell) -> Result<(), TableError> {
        let wanted = match (&self.values, cell) {
            (_, Cell::Missing)
            | (Values::Numbers(_), Cell::Number(_) | Cell::Integer(_))
            | (Values::Integers(_), Cell::Integer(_))
            | (Values::Texts(_), Cell::Text(_)) => return Ok(()),
            (Values::Numbers(_), _) => "a number",
            (Values::Integers(_), _) => "an integer",
            (Values::Texts(_), _) => "a text",
        };
        Err(TableError::Kind {
            row,
            name: self.name.clone(),
            found: match cell {
                Cell::Number(number) => format!("{number}"),
                Cell::Integer(number) => format!("{number}"),
                Cell::Text(text) => format!("`{text}`"),
                Cell::Missing => String::new(),
            },
            wanted,
        })
    }

    /// Appends a cell that has been checked.
    fn push(&mut self, cell: Cell) {
        match &mut self.values {
            Values::Numbers(values) => values.push(match cell {
                Cell::Number(number) => Some(number),
                Cell::Integer(number) => Some(number as f64),
                _ => None,
            }),
            Values::Integers(values) => values.push(match cell {
                Cell::Integer(number) => Some(number),
                _ => None,
            }),
            Values::Texts(values) => values.push(match cell {
                Cell::Text(text) if !text.is_empty() => Some(text),
                _ => None,
            }),
        }
    }
}
