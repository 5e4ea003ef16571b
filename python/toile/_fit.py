"""Parameters that make cloth move like a recording, or whatever a function of your own wants."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _toile
from ._crew import Crew, On, crew
from ._errors import ArgumentError, StepError
from ._log import Log
from ._progress import Progress
from ._simulation import Simulation

#: Bounds of a parameter: (low, high), spread evenly, or (low, high, "log"), spread by factors.
Bounds = tuple[float, float] | tuple[float, float, str]
Method = Literal["cma-es", "nelder-mead"]
#: How simulations of a fit to a recording begin.
Begin = Literal["recording", "settled", "scene"]


@dataclass(frozen=True)
class Minimum:
    """What a search found.

    Attributes
    ----------
    parameters : dict
        The best values by name.
    value : float
        The value of the function there; infinite if it failed everywhere.
    evaluations : int
        How many points were asked for.
    stopped : str
        ``"converged"``, ``"evaluation-limit"`` or ``"requested"``.
    history : list of (int, float)
        Every evaluation that was better than all before.
    """

    parameters: dict[str, float]
    value: float
    evaluations: int
    stopped: str
    history: list[tuple[int, float]]


@dataclass(frozen=True)
class Fitted(Minimum):
    """What a fit to a recording found. Its ``value`` is the root of the mean square error in the training window (m).

    Attributes
    ----------
    intervals : dict
        Between which values each parameter lies with 95 % confidence; ``None`` where that is not known, as for point clouds.
    told : dict
        Whether the recording tells a parameter at all; ``None`` where that is not known.
    not_told : list of str
        What the recording does not tell, in plain words.
    train, test : dict
        Errors in the two windows: ``"from"``, ``"to"`` (s), ``"mean_error"`` and ``"worst_dispersion"`` (m).
    errors : dict
        ``"time"`` (s), ``"error"``, ``"dispersion"`` and ``"worst"`` (m) at every recorded time, as in ``errors.csv``.
    summary : dict
        All of ``fit.json``.
    """

    intervals: dict[str, tuple[float, float] | None]
    told: dict[str, bool | None]
    not_told: list[str]
    train: dict[str, float]
    test: dict[str, float]
    errors: dict[str, list[float]]
    summary: dict[str, Any] = field(compare=False, repr=False)


def minimise(
    evaluate: Callable[[list[dict[str, float]]], Sequence[float]],
    parameters: Mapping[str, Bounds],
    *,
    start: Mapping[str, float] | None = None,
    method: Method = "cma-es",
    max_evaluations: int = 400,
    value_tolerance: float = 1e-6,
    point_tolerance: float = 1e-4,
    first_step: float | None = None,
    population: int | None = None,
    restarts: int | None = None,
    seed: int = 1,
) -> Minimum:
    """Look for the smallest value of a function in a box, without derivatives.

    The search depends on its settings and the values alone: the same values lead to the same points.

    Parameters
    ----------
    evaluate : callable
        Gets a list of dictionaries from names to values and answers with a number for each; one that is not finite is a failure.
    parameters : mapping
        Bounds by name: ``(low, high)``, or ``(low, high, "log")`` for numbers whose order of magnitude is not known.
    start : mapping, optional
        Where to begin; in the middle by default.
    method : {"cma-es", "nelder-mead"}
        A cloud of samples, or a simplex that walks downhill.
    max_evaluations : int
        Never ask for more points than this.
    value_tolerance, point_tolerance : float
        Values and points that differ by less (relative; in shares of the bounds) are the same.
    first_step : float, optional
        How far the first steps reach, in shares of the bounds: 0.3 for "cma-es", 0.2 for "nelder-mead".
    population, restarts : int, optional
        Points in a generation of "cma-es"; how often to begin again.
    seed : int
        Where random numbers start.
    """
    names = list(parameters)
    bounds = [_bounds(name, parameters[name]) for name in names]
    _check_start(start or {}, parameters)
    begin = [float((start or {}).get(name, _middle(b))) for name, b in zip(names, bounds)]
    _check_budget(max_evaluations)
    for what, count in (("population", population), ("restarts", restarts), ("seed", seed)):
        if count is not None and (not isinstance(count, (int, np.integer)) or not 0 <= count < 2**63):
            raise ArgumentError(f"{what} is {count!r}; it must be a whole number of zero or more")

    def asked(points: list[list[float]]) -> list[float]:
        values = evaluate([dict(zip(names, point)) for point in points])
        return [float(value) for value in values]

    step = first_step if first_step is not None else (0.3 if method == "cma-es" else 0.2)
    again = restarts if restarts is not None else (0 if method == "cma-es" else 2)
    found = _toile._minimise(
        asked,
        bounds,
        begin,
        method,
        max_evaluations,
        value_tolerance,
        point_tolerance,
        step,
        population,
        again,
        seed,
    )
    values, value, evaluations, stopped, history = found
    return Minimum(dict(zip(names, values)), value, evaluations, stopped, history)


def _check_start(start: Mapping[str, float], parameters: Mapping[str, Any]) -> None:
    unknown = [name for name in start if name not in parameters]
    if unknown:
        raise ArgumentError(f"the start names `{unknown[0]}`, which is not varied; known here: {', '.join(parameters)}")


def _check_budget(count: Any) -> None:
    if not isinstance(count, int) or count < 1:
        raise ArgumentError(f"max_evaluations is {count}; it must be at least 1")


def _bounds(name: str, given: Bounds) -> tuple[float, float, bool]:
    try:
        low, high, *scale = given
        low, high = float(low), float(high)
    except (TypeError, ValueError):
        raise ArgumentError(f'the bounds of `{name}` are {given!r}; they are (low, high) or (low, high, "log")') from None
    if scale not in ([], ["log"], ["linear"]):
        raise ArgumentError(f'the bounds of `{name}` are {given!r}; they are (low, high) or (low, high, "log")')
    return low, high, scale == ["log"]


def _middle(bounds: tuple[float, float, bool]) -> float:
    low, high, log = bounds
    return math.sqrt(low * high) if log and low > 0 and high > 0 else 0.5 * (low + high)


def fit(
    scene: Any,
    parameters: Mapping[str, Bounds | None],
    *,
    target: npt.ArrayLike | str | PathLike[str] | None = None,
    times: npt.ArrayLike | None = None,
    nodes: npt.ArrayLike | None = None,
    held: npt.ArrayLike | None = None,
    grid: tuple[int, int] | None = None,
    cloth: str | None = None,
    fps: float | None = None,
    unit: Literal["m", "cm", "mm"] = "m",
    begin: Begin | None = None,
    smooth: float | None = None,
    drive_from_scene: bool | None = None,
    train: tuple[float, float] | None = None,
    test: tuple[float, float] | None = None,
    map: tuple[int, int] | None = None,
    objective: Callable[[Simulation], float] | None = None,
    overrides: Mapping[str, Any] | None = None,
    files: dict[str, bytes | str] | None = None,
    on: On = "local",
    workers: int | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool | None = None,
    **search: Any,
) -> Any:
    """Find numbers of a scene that make cloth move like a recording, or make a function of your own small.

    A fit to a recording is that of the program's ``toile fit``, with the same tables, intervals and pictures: pinned nodes follow
    their recorded tracks, simulations begin at the first frame, and the first half of the recording is fitted while the second half
    tests what was found.

    Parameters
    ----------
    scene : str, path or dict
        As for ``Simulation``.
    parameters : mapping
        Fields of the scene and their bounds: ``{"cloth.sheet.material.bend": (1e-6, 1e-3, "log")}``. With a target, ``None`` stands
        for a tenth to ten times what the scene has.
    target : (frames, nodes, 3) or (frames, rows, columns, 3) array, or path, optional
        Where nodes were (m), or a file or folder of the kinds that the program reads. Places that are not finite do not count.
    times : (frames,) array, optional
        When (s); they must increase. Simulations begin at the first.
    nodes : sequence of int, optional
        Which of the cloth's nodes the target has; all of them, in their order, by default. With it, simulations begin and pins move as
        the scene says.
    held : sequence of int, optional
        Nodes of the target that something held, for scenes that pin nothing.
    grid : (columns, rows), optional
        If the nodes of the target are a grid that may be finer or coarser than the mesh.
    cloth : str, optional
        The cloth that was recorded, if the scene has several.
    fps, unit
        Frames per second of files without times; the unit of places, in files and in arrays.
    begin : {"recording", "settled", "scene"}, optional
        Begin at the first frame node by node, or with the scene's shape laid onto it and come to rest, or as the scene says. By default
        the noise of the recording decides between the first two.
    smooth : float, optional
        Over how many seconds tracks of held nodes are smoothed; 0 for not at all. By default their noise decides.
    drive_from_scene : bool, optional
        Let pins move as the scene says, and not as recorded.
    train, test : (from, to), optional
        The times (s, from the first frame) that are fitted, and those that test it: the first and the second half by default.
    map : (columns, rows), optional
        Also map the error over the first two parameters.
    objective : callable, optional
        Instead of `target`: gets a simulation at its start with the numbers to try, and answers with what is to be small. Several
        run at once, in threads, or in processes of a cluster.
    overrides, files
        As for ``Simulation``.
    on : {"local", "ray"}
        The cores of this machine, or the cluster that Ray is connected to: the points of a generation are simulated side by side,
        and the result is the same to the bit.
    workers : int, optional
        How many simulations run at once; as many as there are cores by default.
    out : path, optional
        A folder for ``evaluations.csv``: every point with its value, as soon as it is known. A fit to a recording also leaves there
        what the program does: ``fit.json``, ``fitted.toml``, ``errors.csv``, plots and a page.
    resume : bool
        Take the values that `out` has. The search asks for the same points again, so it comes to the same end.
    force : bool
        Replace what `out` has.
    progress : bool, optional
        Whether to show on standard error how far it is; yes by default.
    **search
        With an objective, as for ``minimise``. With a target, those of the program's search: ``method`` (``"nelder-mead"``, ``"cma-es"``
        or ``"both"``), ``max_evaluations`` (200), ``restarts`` (1), ``value_tolerance`` (1e-4), ``seed`` (0), ``population`` and
        ``start``.

    Returns
    -------
    Fitted or Minimum
        ``Fitted`` with a target, ``Minimum`` with an objective. A simulation that fails counts as infinite.
    """
    if (target is None) == (objective is None):
        raise ArgumentError("say what is to be met: give a target with its times, or an objective")
    if out is None and (resume or force):
        raise ArgumentError("say where the values of before are: out=…")
    told = {
        "times": times, "nodes": nodes, "held": held, "grid": grid, "cloth": cloth, "fps": fps, "begin": begin, "smooth": smooth,
        "drive_from_scene": drive_from_scene, "train": train, "test": test, "map": map,
    }  # fmt: skip
    alone = [name for name, value in told.items() if value is not None]
    if objective is not None and alone:
        raise ArgumentError(f"`{alone[0]}` is said of a target, but this fit has an objective")
    hands = crew(on, workers)
    shown = Progress("simulation", progress)
    try:
        packed = _toile._Packed((scene, dict(overrides or {}), files))
        if objective is not None:
            return _fit_objective(packed, parameters, objective, hands, shown, out, resume, force, search)
        recording = _recording(target, times, nodes, held, grid, fps, unit)
        # What is not seen cannot be begun with or be driven.
        begin = begin or ("scene" if nodes is not None else None)
        drive = nodes is not None if drive_from_scene is None else drive_from_scene
        how, start = _how(search, parameters)
        named = [(name, *_named(name, bounds), start.get(name)) for name, bounds in parameters.items()]
        task = _toile._Fit(packed, named, recording, cloth, (begin, smooth, drive))
        found = task.search(
            lambda tasks: hands.work(_trial, task, tasks),
            lambda done, budget, best: shown.show(done, max(done, budget), f"best {best:.6g} m"),
            train,
            test,
            how,
            map,
            out,
            resume,
            force,
        )
        return _fitted(list(parameters), found)
    finally:
        shown.finish()
        hands.close()


def _trial(task: _toile._Fit, part: tuple[list[float], float, bool], stop: _toile._Stop | None) -> Any:
    """One simulation beside a recording, wherever this is."""
    return task.trial(*part, stop)


def _fitted(names: list[str], found: tuple[list[float], str, list[list[float]], list[list[float]]]) -> Fitted:
    values, text, history, errors = found
    summary = json.loads(text)
    told = {known["field"]: known for known in summary["parameters"]}
    intervals = {name: told[name]["interval_95"] for name in names}
    return Fitted(
        parameters=dict(zip(names, values)),
        value=math.sqrt(history[-1][1]),
        evaluations=summary["simulations"],
        stopped="converged" if summary["ended"] == "converged" else "evaluation-limit",
        history=[(int(count), math.sqrt(loss)) for count, loss in history],
        intervals={name: None if ends is None else (ends[0], ends[1]) for name, ends in intervals.items()},
        told={name: told[name]["is_told"] for name in names},
        not_told=list(summary["not_told"] or []),
        train=summary["train"],
        test=summary["test"],
        errors=dict(zip(("time", "error", "dispersion", "worst"), (list(column) for column in zip(*errors)))),
        summary=summary,
    )


def _how(
    search: dict[str, Any], parameters: Mapping[str, Any]
) -> tuple[tuple[str, int, int, float, int, int | None], dict[str, float]]:
    """How the program's search is to look, and where it starts."""
    usual = {
        "method": "nelder-mead", "max_evaluations": 200, "restarts": 1, "value_tolerance": 1e-4, "seed": 0, "population": None, "start": None,
    }  # fmt: skip
    unknown = [name for name in search if name not in usual]
    if unknown:
        raise ArgumentError(f"a fit to a recording has no `{unknown[0]}`; it has {', '.join(usual)}")
    told = {**usual, **search}
    start = {name: float(value) for name, value in (told.pop("start") or {}).items()}
    _check_start(start, parameters)
    _check_budget(told["max_evaluations"])
    return tuple(told.values()), start


def _named(name: str, given: Bounds | None) -> tuple[tuple[float, float] | None, bool]:
    if given is None:
        return None, False
    low, high, log = _bounds(name, given)
    return (low, high), log


def _recording(target: Any, times: Any, nodes: Any, held: Any, grid: Any, fps: float | None, unit: str) -> Any:
    """A recording as the engine takes it."""
    scales = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
    if unit not in scales:
        raise ArgumentError(f"unit is {unit!r}; it is 'm', 'cm' or 'mm'")
    if isinstance(target, (str, PathLike)):
        for name, value in (("times", times), ("nodes", nodes), ("held", held), ("grid", grid)):
            if value is not None:
                raise ArgumentError(f"`{name}` is said of an array, but the target is a file, which has its own")
        return target, fps, scales[unit]
    places = np.asarray(target, float)
    if places.ndim == 4 and places.shape[3] == 3:
        grid = grid if grid is not None else (places.shape[2], places.shape[1])
        places = places.reshape(len(places), -1, 3)
    if places.ndim != 3 or places.shape[2] != 3 or len(places) == 0:
        raise ArgumentError(f"the target has the shape {places.shape}; it must be frames of nodes of 3 numbers")
    if times is None and fps is not None:
        times = np.arange(len(places)) / fps
    if times is None:
        raise ArgumentError("say when the frames of the target were: times=…")
    moments = np.asarray(times, float)
    if moments.shape != places.shape[:1]:
        raise ArgumentError(f"there are {moments.size} times for {len(places)} frames")
    if not np.isfinite(places).all(axis=2).any():
        raise ArgumentError("the target has no place that is finite")
    chosen = None if nodes is None else _indices("nodes", nodes)
    if chosen is not None and len(chosen) != places.shape[1]:
        raise ArgumentError(f"{len(chosen)} nodes are named, but the target has {places.shape[1]}")
    sides = None if grid is None else tuple(int(side) for side in grid)
    fixed = [] if held is None else _indices("held", held)
    return np.ascontiguousarray(places * scales[unit]), moments, sides, fixed, chosen


def _indices(what: str, given: Any) -> list[int]:
    numbers = np.asarray(given)
    whole = numbers.ndim == 1 and (numbers.size == 0 or np.issubdtype(numbers.dtype, np.integer))
    if not whole or (numbers < 0).any():
        raise ArgumentError(f"{what} are numbers of nodes, from 0 on, and not {given!r}")
    return [int(number) for number in numbers]


def _fit_objective(
    packed: _toile._Packed,
    parameters: Mapping[str, Bounds | None],
    objective: Callable[[Simulation], float],
    hands: Crew,
    shown: Progress,
    out: str | PathLike[str] | None,
    resume: bool,
    force: bool,
    search: Mapping[str, Any],
) -> Minimum:
    bounds: dict[str, Bounds] = {}
    for name, given in parameters.items():
        if given is None:
            raise ArgumentError(f"give `{name}` bounds: (low, high), or (low, high, \"log\")")
        bounds[name] = given
    task = _Objective(packed, objective)
    with Log(None if out is None else Path(out), list(bounds), _mark(task, bounds), resume, force) as log:
        return minimise(_asker(hands, task, log, shown, search), bounds, **search)


@dataclass(frozen=True)
class _Objective:
    """A function of a simulation."""

    scene: _toile._Packed
    objective: Callable[[Simulation], float]

    def value(self, point: dict[str, float]) -> float:
        try:
            return float(self.objective(Simulation(self.scene, point)))
        except StepError:
            return math.inf


def _try(task: _Objective, point: dict[str, float], stop: Any) -> float:
    """One point, wherever this is."""
    return task.value(point)


def _asker(
    hands: Crew, task: _Objective, log: Log, shown: Progress, search: Mapping[str, Any]
) -> Callable[[list[dict[str, float]]], list[float]]:
    """Answers with the values of points: those that are known, and those of simulations side by side."""
    budget = int(search.get("max_evaluations", 400))
    asked = 0
    best = math.inf

    def ask(points: list[dict[str, float]]) -> list[float]:
        nonlocal asked, best
        values = [log.recall(point) for point in points]
        unknown = [k for k, value in enumerate(values) if value is None]
        found: dict[int, float] = {}
        for index, value in hands.work(_try, task, [points[k] for k in unknown]):
            found[unknown[index]] = value
            log.note(points[unknown[index]], value)
        log.order(points)
        answered = [found[k] if value is None else value for k, value in enumerate(values)]
        asked += len(points)
        best = min([best, *(value for value in answered if not math.isnan(value))])
        shown.show(asked, max(asked, budget), f"best {best:.6g}")
        return answered

    return ask


def _mark(task: _Objective, parameters: Mapping[str, Bounds]) -> str:
    """Tells fits apart whose values would be others. What a function of one's own does is not looked into."""
    _, (recipe,) = task.scene.__reduce__()
    _, text, _, overrides, files = recipe
    # Where files lie is no part of what they say.
    content = hashlib.sha256(repr((text, overrides, [held for _, held in files or []])).encode())
    content.update(getattr(task.objective, "__qualname__", "objective").encode())
    return f"{content.hexdigest()} {' '.join(parameters)}\n"
