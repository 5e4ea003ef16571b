"""Many variants of a scene into one table, on all cores or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _toile
from ._crew import LostWork, On, crew
from ._errors import ArgumentError
from ._progress import Progress
from ._rows import Rows, arrow_table

if TYPE_CHECKING:
    import pyarrow

#: Values of fields, by their paths.
Fields = Mapping[str, Sequence[Any]]
#: Choices of an axis: a name or none, and what is changed.
_Axis = list[tuple[str | None, dict[str, Any]]]


@dataclass(frozen=True)
class Swept:
    """The table of a sweep: a row for each variant, in their order.

    Attributes
    ----------
    columns : dict
        Lists of values by the names of the columns; ``None`` where there is no value.
    recalled : int
        How many rows were there before.
    path : Path or None
        The table on the disk.
    """

    columns: dict[str, list[Any]]
    recalled: int = 0
    path: Path | None = None
    _kinds: list[tuple[str, str]] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.columns["number"])

    def __getitem__(self, name: str) -> list[Any]:
        """The values of a column."""
        try:
            return self.columns[name]
        except KeyError:
            raise KeyError(f"there is no column `{name}`; known here: {', '.join(self.columns)}") from None

    @property
    def failed(self) -> dict[int, str]:
        """The variants that failed, with the reason."""
        rows = zip(self.columns["number"], self.columns["status"])
        return {number: status for number, status in rows if status != "finished"}

    def table(self) -> pyarrow.Table:
        """As a table of pyarrow, which pandas, polars and DuckDB take."""
        return arrow_table(self._kinds, list(zip(*self.columns.values())))


def sweep(
    scene: Any,
    grid: Fields | None = None,
    *,
    zipped: Fields | Sequence[Fields] | None = None,
    variants: Any = None,
    overrides: Mapping[str, Any] | None = None,
    files: dict[str, bytes | str] | None = None,
    out: str | PathLike[str] | None = None,
    on: On = "local",
    workers: int | None = None,
    resume: bool = False,
    force: bool = False,
    wall_time: bool = True,
    progress: bool | None = None,
) -> Swept:
    """Run many variants of a scene, each for the scene's duration, into one table: that of ``toile sweep``.

    A variant that fails is a row too: its ``status`` says why, and the others go on.

    Parameters
    ----------
    scene : str, path or dict
        As for ``Simulation``.
    grid : mapping, optional
        Fields of the scene and their values: ``{"cloth.towel.material.bend": [1e-6, 1e-5]}``. All combinations are run, the last
        field changing fastest.
    zipped : mapping or sequence of mappings, optional
        Fields that change together: the first value of each, then the second ones.
    variants : sequence of dict, dict of dict or path, optional
        Variants that are listed: dictionaries from fields to values, under their names if they have some, or a file as
        ``toile sweep --variants`` takes it.
    overrides, files
        As for ``Simulation``, for all variants.
    out : path, optional
        A folder for the table: ``results.csv``, and ``results.parquet`` if pyarrow is installed. While the sweep goes, rows are in
        its folder ``parts`` as soon as they are done.
    on : {"local", "ray"}
        The cores of this machine, or the cluster that Ray is connected to. The rows are the same.
    workers : int, optional
        How many variants run at once; as many as there are cores by default.
    resume : bool
        Run only what `out` does not have. The folder of another sweep is refused.
    force : bool
        Replace what `out` has.
    wall_time : bool
        Whether the column ``seconds`` has the time that each variant took. Without it the table depends on the scene and its
        variants alone, to the byte.
    progress : bool, optional
        Whether to show on standard error how far it is; yes by default.

    Raises
    ------
    SceneError
        A field that does not exist, or a scene of which no variant can be run.
    ArgumentError
        Nothing to vary, a field twice, lists of different lengths, or a folder that has results.

    Examples
    --------
    >>> swept = toile.sweep("hello", {"cloth.sheet.damping": [0.5, 1.0]}, overrides={"time.duration": 0.1}, progress=False)
    >>> swept["status"]
    ['finished', 'finished']
    """
    axes = _axes(grid, zipped, variants)
    if out is None and (resume or force):
        raise ArgumentError("say where the rows of before are: out=…")
    hands = crew(on, workers)
    try:
        plan = _toile._Plan((scene, overrides, files), axes)
        folder = None if out is None else Path(out)
        if folder is not None:
            plan.claim(folder, resume, force)
        rows = Rows(plan.columns, folder, resume, [] if wall_time else ["seconds"])
        recalled = len(rows)
        shown = Progress("variant", progress)
        try:
            _run(plan, hands, rows, shown)
        except LostWork as error:
            mend = "" if folder is None else "; resume=True runs them again"
            raise LostWork(f"{error}; variants {_listed(error.numbers)} are missing{mend}", error.numbers) from None
        finally:
            shown.finish()
            rows.save()
    finally:
        hands.close()
    names = [name for name, _ in plan.columns]
    lists = [list(values) for values in zip(*rows.all())]
    return Swept(dict(zip(names, lists)), recalled, rows.path, plan.columns)


def _simulate(scene: _toile._Packed, changes: list[tuple[str, str]], stop: _toile._Stop | None) -> Any:
    """One variant, wherever this is."""
    return _toile._simulate(scene, changes, stop)


def _run(plan: _toile._Plan, hands: Any, rows: Rows, shown: Progress) -> None:
    """Run the variants that have no row yet."""
    missing = [number for number in range(len(plan)) if number not in rows]
    shown.show(len(rows), len(plan))
    try:
        for index, row in hands.work(_simulate, plan.packed, [plan.changes(number) for number in missing]):
            if row is not None:
                rows.add(missing[index], plan.cells(missing[index], row))
                shown.show(len(rows), len(plan))
    except LostWork as error:
        raise LostWork(error.message, [missing[index] for index in error.numbers]) from None


def _listed(numbers: list[int], most: int = 10) -> str:
    words = [str(number) for number in sorted(numbers)]
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def _axes(grid: Any, zipped: Any, variants: Any) -> list[_Axis]:
    """What is listed, what goes together, and what is combined with all of these."""
    axes: list[_Axis] = []
    if variants is not None:
        axes.append(_listed_variants(variants))
    for fields in [zipped] if isinstance(zipped, Mapping) else list(zipped or []):
        choices = {name: _values(name, values) for name, values in _mapping("zipped", fields).items()}
        counts = {name: len(values) for name, values in choices.items()}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"`{name}` has {count}" for name, count in counts.items())
            raise ArgumentError(f"fields that change together need as many values each: {told}")
        names = list(choices)
        axes.append([(None, dict(zip(names, values))) for values in zip(*choices.values())])
    for name, values in _mapping("grid", {} if grid is None else grid).items():
        axes.append([(None, {name: value}) for value in _values(name, values)])
    if not any(axes):
        raise ArgumentError('there is nothing to vary: give a grid, such as {"time.step": [0.01, 0.005]}')
    return axes


def _mapping(what: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{what} is a dictionary from fields to lists of values, and not {type(given).__name__}")
    for name in given:
        if not isinstance(name, str):
            raise ArgumentError(f"{what}: fields are text, such as \"time.step\", and not {name!r}")
    return given


def _values(name: str, given: Any) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise ArgumentError(f"the values of `{name}` are {given!r}; give a list of them")
    try:
        values = list(given)
    except TypeError:
        raise ArgumentError(f"the values of `{name}` are {given!r}; give a list of them") from None
    if not values:
        raise ArgumentError(f"`{name}` has no values; give at least one")
    return values


def _listed_variants(given: Any) -> _Axis:
    if isinstance(given, (str, PathLike)):
        return list(_toile._read_variants(given))
    if isinstance(given, Mapping):
        pairs = [(name, fields) for name, fields in given.items()]
    elif isinstance(given, Iterable):
        pairs = [(None, fields) for fields in given]
    else:
        raise ArgumentError(f"variants are dictionaries from fields to values, or a file, and not {type(given).__name__}")
    if not pairs:
        raise ArgumentError("variants names none; give at least one")
    made: _Axis = []
    for name, fields in pairs:
        if not isinstance(fields, Mapping) or not isinstance(name, (str, type(None))):
            raise ArgumentError(f"a variant is a dictionary from fields to values, and not {fields!r}")
        made.append((name, dict(fields)))
    return made
