"""Parameters that make cloth move like a recording, or whatever a function of your own wants."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    unknown = [name for name in start or {} if name not in parameters]
    if unknown:
        raise ArgumentError(f"the start names `{unknown[0]}`, which is not varied; known here: {', '.join(names)}")
    begin = [float((start or {}).get(name, _middle(b))) for name, b in zip(names, bounds)]
    if not isinstance(max_evaluations, int) or max_evaluations < 1:
        raise ArgumentError(f"max_evaluations is {max_evaluations}; it must be at least 1")

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
    parameters: Mapping[str, Bounds],
    *,
    target: npt.ArrayLike | None = None,
    times: npt.ArrayLike | None = None,
    nodes: npt.ArrayLike | None = None,
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
) -> Minimum:
    """Find numbers of a scene that make cloth move like a recording, or make a function of your own small.

    Parameters
    ----------
    scene : str, path or dict
        As for ``Simulation``.
    parameters : mapping
        Fields of the scene and their bounds: ``{"cloth.sheet.material.bend": (1e-6, 1e-3, "log")}``.
    target : (frames, nodes, 3) array, optional
        Where nodes were (m). Places that are not finite do not count.
    times : (frames,) array, optional
        When (s), from the start of the simulation; they must increase.
    nodes : sequence of int, optional
        Which of the scene's nodes the target has; all of them, in their order, by default.
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
        A folder for ``evaluations.csv``: every point with its value, as soon as it is known.
    resume : bool
        Take the values that `out` has. The search asks for the same points again, so it comes to the same end.
    force : bool
        Replace what `out` has.
    progress : bool, optional
        Whether to show on standard error how far it is; yes by default.
    **search
        As for ``minimise``.

    Returns
    -------
    Minimum
        With a target its value is the root mean square of the distances (m). A simulation that fails counts as infinite.
    """
    if (target is None) == (objective is None):
        raise ArgumentError("say what is to be met: give a target with its times, or an objective")
    if out is None and (resume or force):
        raise ArgumentError("say where the values of before are: out=…")
    hands = crew(on, workers)
    try:
        packed = _toile._Packed(scene, dict(overrides or {}), files=files)
        task: _Objective | _Target
        if objective is not None:
            task = _Objective(packed, objective)
        else:
            task = _Target(packed, *_target(target, times, nodes))
            _check_nodes(Simulation(packed), task.places, task.chosen)
        mark = _mark(task, parameters)
        with Log(None if out is None else Path(out), list(parameters), mark, resume, force) as log:
            shown = Progress("simulation", progress)
            try:
                return minimise(_asker(hands, task, log, shown, search), parameters, **search)
            finally:
                shown.finish()
    finally:
        hands.close()


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


@dataclass(frozen=True)
class _Target:
    """Places to be met."""

    scene: _toile._Packed
    places: npt.NDArray[np.float64]
    moments: npt.NDArray[np.float64]
    chosen: npt.NDArray[np.int64] | None

    def value(self, point: dict[str, float]) -> float:
        """Root mean square of the distances from the target (m)."""
        sim = Simulation(self.scene, point)
        known: npt.NDArray[np.bool_] = np.asarray(np.isfinite(self.places).all(axis=2))
        total, now = 0.0, 0.0
        for frame, moment in enumerate(self.moments):
            try:
                sim.advance(moment - now)
            except StepError:
                return math.inf
            now = moment
            there = sim.positions if self.chosen is None else sim.positions[self.chosen]
            off = there[known[frame]] - self.places[frame, known[frame]]
            total += float((off**2).sum())
        return math.sqrt(total / max(1, int(known.sum())))


def _try(task: _Objective | _Target, point: dict[str, float], stop: Any) -> float:
    """One point, wherever this is."""
    return task.value(point)


def _asker(
    hands: Crew, task: _Objective | _Target, log: Log, shown: Progress, search: Mapping[str, Any]
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


def _mark(task: _Objective | _Target, parameters: Mapping[str, Bounds]) -> str:
    """Tells fits apart whose values would be others. What a function of one's own does is not looked into."""
    _, (recipe,) = task.scene.__reduce__()
    _, text, _, overrides, files = recipe
    # Where files lie is no part of what they say.
    content = hashlib.sha256(repr((text, overrides, [held for _, held in files or []])).encode())
    if isinstance(task, _Target):
        for array in (task.places, task.moments, np.asarray([] if task.chosen is None else task.chosen)):
            content.update(str(array.shape).encode() + array.tobytes())
    else:
        content.update(getattr(task.objective, "__qualname__", "objective").encode())
    return f"{content.hexdigest()} {' '.join(parameters)}\n"


def _target(
    target: Any, times: Any, nodes: Any
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64] | None]:
    places = np.asarray(target, float)
    if places.ndim != 3 or places.shape[2] != 3 or len(places) == 0:
        raise ArgumentError(f"the target has the shape {places.shape}; it must be frames of nodes of 3 numbers")
    if times is None:
        raise ArgumentError("say when the frames of the target were: times=…")
    moments = np.asarray(times, float)
    if moments.shape != places.shape[:1]:
        raise ArgumentError(f"there are {moments.size} times for {len(places)} frames")
    if not (np.isfinite(moments).all() and moments[0] >= 0 and (np.diff(moments) > 0).all()):
        raise ArgumentError("times must be finite, not negative, and increase")
    if not np.isfinite(places).all(axis=2).any():
        raise ArgumentError("the target has no place that is finite")
    chosen = None if nodes is None else np.asarray(nodes, np.int64)
    if chosen is not None and chosen.shape != places.shape[1:2]:
        raise ArgumentError(f"{chosen.size} nodes are named, but the target has {places.shape[1]}")
    return places, moments, chosen


def _check_nodes(sim: Simulation, places: npt.NDArray[np.float64], chosen: npt.NDArray[np.int64] | None) -> None:
    count = len(sim.positions)
    if chosen is None and places.shape[1] != count:
        raise ArgumentError(
            f"the target has {places.shape[1]} nodes, but the scene {count}; say which of them it has: nodes=…"
        )
    if chosen is not None and not ((chosen >= 0) & (chosen < count)).all():
        raise ArgumentError(f"nodes of the target must be from 0 to {count - 1}")
