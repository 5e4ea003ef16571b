"""Rows that are on the disk as soon as they are there.

While a sweep goes, rows that are done lie in the folder ``parts``, a file for those that came at once; at its end, however it ends,
they are one table in the order of the variants. Files appear under their names when all of them is written, so that a machine that
is switched off leaves whole ones only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import _toile
from ._errors import ArgumentError, RecordingError
from ._table import _pyarrow

Columns = list[tuple[str, str]]
Cells = list[Any]

#: More small files than this are made into one.
MOST_PARTS = 64


def arrow_table(columns: Columns, rows: Sequence[Sequence[Any]]) -> Any:
    """Rows as a table of pyarrow, whose columns have their kinds even where they are empty."""
    pa = _pyarrow()
    types = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string()}
    arrays = [pa.array([row[k] for row in rows], types[kind]) for k, (_, kind) in enumerate(columns)]
    return pa.table(arrays, names=[name for name, _ in columns])


def has_pyarrow() -> bool:
    """Whether tables can be written as Parquet."""
    try:
        _pyarrow()
    except ImportError:
        return False
    return True


class Rows:
    """The rows of a sweep by the number of their variant, in memory and in a folder."""

    def __init__(self, columns: Columns, folder: Path | None, resume: bool, without: Sequence[str] = ()) -> None:
        self._columns = columns
        self._without = [k for k, (name, _) in enumerate(columns) if name in without]
        self._folder = folder
        self._rows: dict[int, Cells] = {}
        self._parts: list[Path] = []
        self._ending = ".parquet" if has_pyarrow() else ".csv"
        self.path: Path | None = None
        if folder is None:
            return
        self.path = folder / f"results{self._ending}"
        if resume:
            self._recall()
        else:
            self._clear([folder / "results.csv", folder / "results.parquet", *self._part_files()])
        (folder / "parts").mkdir(exist_ok=True)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, number: int) -> bool:
        return number in self._rows

    def all(self) -> list[Cells]:
        """All rows in the order of the variants."""
        return [self._rows[number] for number in sorted(self._rows)]

    def add(self, number: int, cells: Cells) -> None:
        """A row that is done. It is on the disk when this returns. One that is there already stays as it is."""
        if number in self._rows:
            return
        self._keep(number, cells)
        if self._folder is None:
            return
        self._write_part([number])
        if len(self._parts) > MOST_PARTS:
            self._gather()

    def _keep(self, number: int, cells: Cells) -> None:
        for column in self._without:
            cells[column] = None
        self._rows[number] = cells

    def save(self) -> None:
        """Make one table of what there is."""
        if self._folder is None or not (self._rows or self._part_files()):
            return
        rows = self.all()
        # The program's own table: it can go on with it.
        _toile._write_csv(self._folder / "results.csv", self._columns, rows)
        if self._ending == ".parquet":
            self._write(self._folder / "results.parquet", rows)
        self._clear(self._part_files())
        (self._folder / "parts").rmdir()
        self._parts = []

    def _write_part(self, numbers: list[int]) -> None:
        assert self._folder is not None
        name = f"{numbers[0]:06}-{len(numbers)}{self._ending}"
        path = self._folder / "parts" / name
        self._write(path, [self._rows[number] for number in numbers])
        self._parts.append(path)

    def _gather(self) -> None:
        """Make one file of many."""
        small = [path for path in self._parts if path.stem.endswith("-1")]
        numbers = sorted(int(path.stem.split("-")[0]) for path in small)
        self._write_part(numbers)
        self._clear(small)
        self._parts = []

    def _write(self, path: Path, rows: list[Cells]) -> None:
        if path.suffix == ".csv":
            # It replaces what is there when all of it is written.
            _toile._write_csv(path, self._columns, rows)
            return
        half = path.with_name(path.name + ".half")
        _pyarrow().parquet.write_table(arrow_table(self._columns, rows), half)
        os.replace(half, path)

    def _part_files(self) -> list[Path]:
        assert self._folder is not None
        return sorted((self._folder / "parts").glob("[0-9]*"))

    def _clear(self, paths: Iterable[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    def _recall(self) -> None:
        """Take the rows of before."""
        assert self._folder is not None
        whole = self._folder / "results.csv"
        for path in ([whole] if whole.exists() else []) + self._part_files():
            if path.suffix == ".half":
                path.unlink()
                continue
            for cells in self._read(path):
                self._keep(int(cells[0]), cells)

    def _read(self, path: Path) -> list[Cells]:
        if path.suffix == ".csv":
            return _toile._read_csv(path, self._columns)
        if self._ending != ".parquet":
            raise ArgumentError(f"{path} takes pyarrow: pip install 'toile[table]'")
        pa = _pyarrow()
        try:
            found = pa.parquet.read_table(path)
        except (OSError, pa.ArrowInvalid) as error:
            raise RecordingError(f"{path}: {error}; remove it, and its rows are made again") from error
        names = [name for name, _ in self._columns]
        if found.column_names != names:
            raise RecordingError(f"{path} has other columns than this sweep; remove it, and its rows are made again")
        return [list(row) for row in zip(*(found[name].to_pylist() for name in names))]
