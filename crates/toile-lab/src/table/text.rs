//! Tables as CSV.

use super::{Cell, ColumnKind, Table, TableError};
use std::io::{Read, Write};

impl Table {
    /// Writes the table as CSV (RFC 4180): a heading, and a line for each row. Numbers have as many digits as it takes to
    /// read them back, missing cells are empty.
    pub fn write_csv(&self, out: impl Write) -> Result<(), TableError> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(out);
        writer.write_record(self.columns().map(|(name, _)| name))?;
        for row in 0..self.rows() {
            let fields = (0..self.columns.len()).map(|column| match self.cell(row, column) {
                // With a point or an exponent, also where the number is whole.
                Some(Cell::Number(number)) => format!("{number:?}"),
                Some(Cell::Integer(number)) => number.to_string(),
                Some(Cell::Text(text)) => text,
                Some(Cell::Missing) | None => String::new(),
            });
            writer.write_record(fields)?;
        }
        writer.flush()?;
        Ok(())
    }

    /// Reads a table with these columns. The file must have the same ones in the same order.
    pub fn read_csv<N: Into<String>>(
        input: impl Read,
        columns: impl IntoIterator<Item = (N, ColumnKind)>,
    ) -> Result<Self, TableError> {
        let mut table = Table::new(columns)?;
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(input);
        table.check_header(reader.headers()?)?;
        for record in reader.records() {
            let record = record?;
            let row = table.rows + 1;
            if record.len() != table.columns.len() {
                return Err(TableError::Width {
                    row,
                    found: record.len(),
                    columns: table.columns.len(),
                });
            }
            let fields = table.columns().zip(&record);
            let cells = fields.map(|((name, kind), field)| parse(row, name, kind, field));
            let cells = cells.collect::<Result<_, _>>()?;
            table.push(cells)?;
        }
        Ok(table)
    }

    fn check_header(&self, header: &csv::StringRecord) -> Result<(), TableError> {
        let wanted: Vec<&str> = self.columns().map(|(name, _)| name).collect();
        for column in 0..header.len().max(wanted.len()) {
            let (found, wanted) = (header.get(column), wanted.get(column).copied());
            if found != wanted {
                return Err(TableError::Header {
                    column: column + 1,
                    found: found.unwrap_or_default().to_owned(),
                    wanted: wanted.unwrap_or_default().to_owned(),
                });
            }
        }
        Ok(())
    }
}

fn parse(row: usize, name: &str, kind: ColumnKind, field: &str) -> Result<Cell, TableError> {
    if field.is_empty() {
        return Ok(Cell::Missing);
    }
    let (cell, wanted) = match kind {
        ColumnKind::Number => (field.parse().ok().map(Cell::Number), "a number"),
        ColumnKind::Integer => (field.parse().ok().map(Cell::Integer), "an integer"),
        ColumnKind::Text => (Some(Cell::Text(field.to_owned())), "a text"),
    };
    cell.ok_or_else(|| TableError::Kind {
        row,
        name: name.to_owned(),
        found: format!("`{field}`"),
        wanted,
    })
}
