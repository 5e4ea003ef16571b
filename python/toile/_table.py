"""Tables: what runs, sweeps and fits leave, through pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError, RecordingError

if TYPE_CHECKING:
    import pyarrow


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("tables take pyarrow: pip install 'toile[table]'") from error
    return pyarrow


def read_table(path: str | PathLike[str]) -> pyarrow.Table:
    """Read a table that toile wrote (``.csv``) or that was written here (``.parquet``).

    Lines that begin with ``#`` are notes of the run and left out; cells without a value are missing.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    RecordingError
        If it cannot be read.
    """
    pa = _pyarrow()
    path = Path(path)
    try:
        if path.suffix == ".parquet":
            return pa.parquet.read_table(path)
        text = path.read_bytes()
        lines = [line for line in text.splitlines() if line and not line.startswith(b"#")]
        options = pa.csv.ConvertOptions(null_values=[""], strings_can_be_null=True)
        return pa.csv.read_csv(pa.BufferReader(b"\n".join(lines)), convert_options=options)
    except (OSError, pa.ArrowInvalid) as error:
        raise RecordingError(f"{path}: {error}") from error


def write_table(table: pyarrow.Table | Mapping[str, Sequence[Any]], path: str | PathLike[str]) -> None:
    """Write a table, or columns by name, as Parquet or CSV.

    Parameters
    ----------
    table : pyarrow.Table or mapping
        The table, or lists of values by the names of the columns.
    path : path
        The file; its ending says as which: ``.parquet`` or ``.csv``. One that is there is replaced.
    """
    pa = _pyarrow()
    path = Path(path)
    made = table if isinstance(table, pa.Table) else pa.table(dict(table))
    if path.suffix == ".parquet":
        pa.parquet.write_table(made, path)
    elif path.suffix == ".csv":
        pa.csv.write_csv(made, path)
    else:
        raise ArgumentError(f"{path}: a table is written as .parquet or .csv")


def plot(table: pyarrow.Table, columns: Sequence[str] | None = None, title: str = "") -> Any:
    """Plot columns of a table over its first one."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots take matplotlib: pip install 'toile[plot]'") from error
    names = table.column_names
    over = "time" if "time" in names else names[0]
    shown = list(columns) if columns is not None else [n for n in names if "stretch" in n or "gap" in n]
    unknown = [name for name in shown if name not in names]
    if unknown:
        raise KeyError(f"there is no column `{unknown[0]}`; known here: {', '.join(names)}")
    figure = Figure(figsize=(8, 2.2 * max(1, len(shown))), layout="constrained")
    axes = figure.subplots(max(1, len(shown)), 1, sharex=True, squeeze=False)[:, 0]
    for axis, name in zip(axes, shown):
        axis.plot(table[over].to_numpy(), table[name].to_numpy(zero_copy_only=False))
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel(over)
    figure.suptitle(title)
    return figure
