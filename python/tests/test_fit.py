"""Searches."""

from __future__ import annotations

import math

import numpy as np
import pytest

import toile

HELD = """
[time]
step = 0.01
[cloth.strip]
mesh.grid = { size = [0.3, 0.1], cells = [6, 2] }
[[cloth.strip.pin]]
select.nodes = [0, 7, 14]
"""
BEND = "cloth.strip.material.bend"


@pytest.mark.parametrize("method", ["cma-es", "nelder-mead"])
def test_the_bottom_of_a_bowl_is_found_and_the_search_repeats(method):
    asked = []

    def bowl(points):
        asked.extend(points)
        return [(p["x"] - 0.3) ** 2 + math.log(p["k"] / 1e-4) ** 2 for p in points]

    bounds = {"x": (-1.0, 1.0), "k": (1e-6, 1e-2, "log")}
    found = toile.minimise(bowl, bounds, method=method, max_evaluations=300, seed=3)
    assert found.parameters["x"] == pytest.approx(0.3, abs=0.02)
    assert found.parameters["k"] == pytest.approx(1e-4, rel=0.05)
    assert found.evaluations == len(asked) <= 300
    assert found.history[-1][1] == found.value
    again = toile.minimise(bowl, bounds, method=method, max_evaluations=300, seed=3)
    assert again == found


def test_failures_count_as_infinite_and_exceptions_come_through():
    found = toile.minimise(lambda points: [math.nan if p["x"] < 0 else p["x"] for p in points], {"x": (-1, 1)})
    assert 0 <= found.value < 0.01

    def broken(points):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        toile.minimise(broken, {"x": (0, 1)})
    with pytest.raises(toile.ArgumentError, match="values came back"):
        toile.minimise(lambda points: [1.0], {"x": (0, 1)})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"parameters": {}}, "no parameters"),
        ({"parameters": {"x": (1, 0)}}, "the first must be smaller"),
        ({"parameters": {"x": (0, 1, "log")}}, "positive"),
        ({"parameters": {"x": (0,)}}, "low, high"),
        ({"parameters": {"x": (0, 1, "cubic")}}, "low, high"),
        ({"parameters": {"x": (0, 1)}, "method": "gradient"}, "nelder-mead"),
        ({"parameters": {"x": (0, 1)}, "start": {"y": 1}}, "not varied"),
        ({"parameters": {"x": (0, 1)}, "start": {"x": 5}}, "between 0 and 1"),
        ({"parameters": {"x": (0, 1)}, "max_evaluations": 0}, "at least 1"),
        ({"parameters": {"x": (0, 1)}, "first_step": 3.0}, "first steps"),
    ],
)
def test_searches_that_cannot_begin_say_why(arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        toile.minimise(lambda points: [0.0] * len(points), **arguments)


def record(bend: float) -> tuple[np.ndarray, list[float]]:
    sim = toile.Simulation(HELD, {BEND: bend})
    frames = []
    for _ in range(4):
        sim.advance(0.05)
        frames.append(sim.positions.copy())
    return np.array(frames), [0.05, 0.1, 0.15, 0.2]


def test_the_bending_of_a_recording_is_found_again():
    frames, times = record(2e-4)
    frames[1, 3] = np.nan
    bounds = {BEND: (1e-6, 1e-2, "log")}
    found = toile.fit(HELD, bounds, target=frames, times=times, max_evaluations=60)
    assert found.parameters[BEND] == pytest.approx(2e-4, rel=0.05)
    assert found.value < 1e-4
    some = toile.fit(
        HELD, bounds, target=frames[:, [6, 13, 20]], nodes=[6, 13, 20], times=times, max_evaluations=60
    )
    assert some.parameters[BEND] == pytest.approx(2e-4, rel=0.05)


def test_an_objective_of_your_own_is_made_small():
    goal = record(2e-4)[0][-1, 13, 2]

    def off(sim: toile.Simulation) -> float:
        sim.advance(0.2)
        return abs(sim.positions[13, 2] - goal)

    found = toile.fit(HELD, {BEND: (1e-6, 1e-2, "log")}, objective=off, max_evaluations=50, workers=2)
    assert found.value < 1e-4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "a target with its times, or an objective"),
        ({"target": np.zeros((1, 21, 3))}, "times="),
        ({"target": np.zeros((1, 21, 3)), "times": [0.1, 0.2]}, "2 times for 1 frames"),
        ({"target": np.zeros((2, 21, 3)), "times": [0.2, 0.1]}, "increase"),
        ({"target": np.zeros((1, 21, 3)), "times": [math.nan]}, "finite"),
        ({"target": np.zeros((21, 3)), "times": [0.1]}, "frames of nodes"),
        ({"target": np.zeros((1, 5, 3)), "times": [0.1]}, "nodes="),
        ({"target": np.zeros((1, 1, 3)), "times": [0.1], "nodes": [99]}, "from 0 to 20"),
        ({"target": np.full((1, 21, 3), np.nan), "times": [0.1]}, "no place that is finite"),
    ],
)
def test_targets_that_do_not_fit_are_refused(arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        toile.fit(HELD, {BEND: (1e-6, 1e-2, "log")}, **arguments)


def test_a_parameter_that_is_none_is_named():
    frames, times = record(1e-4)
    with pytest.raises(toile.SceneError, match="bent"):
        toile.fit(HELD, {"cloth.strip.material.bent": (0.1, 1.0)}, target=frames, times=times)


def test_a_fit_that_was_stopped_goes_on_to_the_same_end_and_bytes(tmp_path):
    simulated = []

    def objective(sim):
        if len(simulated) == 7:
            raise KeyboardInterrupt
        simulated.append(sim)
        sim.step(2)
        return float(abs(sim.positions[:, 2].min() + 0.0015))

    def fit(folder, **more):
        return toile.fit(
            HELD, {BEND: (1e-6, 1e-2, "log")}, objective=objective, max_evaluations=12, workers=1, progress=False, out=folder, **more
        )

    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "stopped")
    with pytest.raises(toile.ArgumentError, match="go on with resume=True"):
        fit(tmp_path / "stopped")
    simulated.clear()
    # A line that was cut off does not count.
    with (tmp_path / "stopped" / "evaluations.csv").open("a") as log:
        log.write("1e-")
    found = fit(tmp_path / "stopped", resume=True)
    assert len(simulated) == 5
    simulated[:] = [None] * 10
    assert fit(tmp_path / "stopped", resume=True) == found
    assert len(simulated) == 10, "all is known"
    assert fit(tmp_path / "whole") == found
    assert (tmp_path / "whole" / "evaluations.csv").read_bytes() == (tmp_path / "stopped" / "evaluations.csv").read_bytes()
    with pytest.raises(toile.ArgumentError, match="of another fit"):
        toile.fit(HELD, {BEND: (0, 1), "cloth.strip.damping": (0, 1)}, objective=objective, out=tmp_path / "whole", resume=True)
    with pytest.raises(toile.ArgumentError, match="out="):
        toile.fit(HELD, {BEND: (0, 1)}, objective=objective, resume=True)
