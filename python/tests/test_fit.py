"""Searches."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import toile
from toile import _fit

HELD = """
[time]
step = 0.01
newton_steps = 1
[contact]
cloth = "none"
[cloth.strip]
mesh.grid = { size = [0.3, 0.1], cells = [6, 2] }
model = "mass-spring"
material = { density = 0.15, shear_stiffness = 400.0, bend = 1e-5 }
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


def record(bend: float, frames: int = 8) -> tuple[np.ndarray, np.ndarray]:
    sim = toile.Simulation(HELD, {BEND: bend})
    seen = [sim.positions.copy()]
    for _ in range(frames):
        sim.advance(0.05)
        seen.append(sim.positions.copy())
    return np.array(seen), 0.05 * np.arange(frames + 1)


BOUNDS = {BEND: (1e-6, 1e-2, "log")}


def test_the_bending_of_a_recording_is_found_again():
    frames, times = record(2e-4)
    frames[1, 3] = np.nan
    found = toile.fit(HELD, BOUNDS, target=frames, times=times)
    assert found.parameters[BEND] == pytest.approx(2e-4, rel=0.05)
    assert found.value < 1e-4 and found.test["mean_error"] < 1e-3
    assert found.stopped == "converged" and found.value == found.history[-1][1]
    low, high = found.intervals[BEND]
    assert 1e-6 < low < 2e-4 < high < 1e-2
    assert found.told == {BEND: True} and not found.not_told
    assert found.errors["time"] == pytest.approx(times[1:])
    some = toile.fit(HELD, BOUNDS, target=frames[:, [6, 13, 20]], nodes=[6, 13, 20], times=times)
    assert some.parameters[BEND] == pytest.approx(2e-4, rel=0.05)
    again = toile.fit(HELD, {BEND: None}, target=1e3 * frames, times=times, unit="mm", start={BEND: 5e-5}, overrides={BEND: 3e-5})
    assert again.parameters[BEND] == pytest.approx(2e-4, rel=0.05)
    assert again.summary["parameters"][0]["start"] == 5e-5
    assert again.summary["parameters"][0]["low"] == pytest.approx(3e-6), "a tenth of what the scene has"


def test_a_fit_leaves_the_tables_of_the_program_and_says_what_the_recording_does_not_tell(tmp_path):
    frames, times = record(2e-4)
    scene = HELD + '[body.floor]\nshape = "plane"\nplace.at = [0, 0, -5]\n'
    bounds = {BEND: (1e-6, 1e-2, "log"), "body.floor.friction": (0.0, 1.0)}
    found = toile.fit(
        scene, bounds, target=frames, times=times, max_evaluations=40, train=(0.0, 0.2), test=(0.2, 0.4), map=(2, 3), out=tmp_path, progress=False
    )
    assert found.told == {BEND: True, "body.floor.friction": False}
    assert any("body.floor.friction" in note for note in found.not_told)
    assert (found.train["from"], found.train["to"], found.test["to"]) == (0.0, 0.2, 0.4)
    assert json.loads((tmp_path / "fit.json").read_text()) == found.summary
    assert len(found.summary["sensitivity"]["errors"]) == 3 and len(found.summary["sensitivity"]["errors"][0]) == 2
    lines = (tmp_path / "evaluations.csv").read_text().splitlines()
    assert lines[0] == f"{BEND},body.floor.friction,loss"
    losses = [float(line.split(",")[-1]) for line in lines[1:]]
    assert len(losses) == found.evaluations and math.sqrt(min(losses)) == found.value
    assert "not told by the recording" in (tmp_path / "fitted.toml").read_text()
    errors = np.genfromtxt(tmp_path / "errors.csv", delimiter=",", names=True)
    assert errors["error"] == pytest.approx(found.errors["error"])
    for name in ("errors.png", "search.png", "sensitivity.png", "sensitivity.csv", "report.html", "frames.toile"):
        assert (tmp_path / name).stat().st_size > 0


def test_a_recording_may_be_a_file_and_may_be_a_grid(tmp_path):
    frames, times = record(2e-4, 4)
    # Node numbers of the mesh go along its longer side first.
    np.savez(tmp_path / "clip.npz", t=times, x=frames, grid=[7, 3])
    read = toile.fit(HELD, BOUNDS, target=tmp_path / "clip.npz", max_evaluations=12, progress=False)
    given = toile.fit(HELD, BOUNDS, target=frames.reshape(5, 3, 7, 3), times=times, max_evaluations=12, progress=False)
    assert read == given
    at_rate = toile.fit(HELD, BOUNDS, target=frames, fps=20, max_evaluations=12, progress=False)
    assert at_rate.parameters == pytest.approx(given.parameters)
    free = HELD.split("[[")[0]
    held = toile.fit(free, BOUNDS, target=frames, times=times, held=[0, 7, 14], max_evaluations=12, progress=False)
    assert held.parameters == pytest.approx(given.parameters)


def test_point_clouds_have_no_intervals(tmp_path):
    frames, times = record(2e-4, 4)
    with (tmp_path / "points.csv").open("w") as file:
        file.write("time,x,y,z\n")
        for time, frame in zip(times, frames):
            file.writelines(f"{time},{x},{y},{z}\n" for x, y, z in frame)
    found = toile.fit(HELD, BOUNDS, target=tmp_path / "points.csv", max_evaluations=40, progress=False)
    assert found.parameters[BEND] == pytest.approx(2e-4, rel=0.2)
    assert found.intervals == {BEND: None} and found.told == {BEND: None}
    # The points are nodes 5 cm apart, and the cloth between them is up to half of that away from the next.
    assert 0 < found.summary["mean_chamfer"] < 0.02


def test_a_fit_to_a_recording_that_was_stopped_goes_on_to_the_same_end(tmp_path, monkeypatch):
    frames, times = record(2e-4, 4)
    run = _fit._trial
    asked = []

    def trial(task, part, stop):
        asked.append(part)
        if len(asked) == 7:
            raise KeyboardInterrupt
        return run(task, part, stop)

    def fit(name, **more):
        return toile.fit(HELD, BOUNDS, target=frames, times=times, max_evaluations=12, workers=1, progress=False, out=tmp_path / name, **more)

    whole = fit("whole")
    monkeypatch.setattr(_fit, "_trial", trial)
    with pytest.raises(KeyboardInterrupt):
        fit("stopped")
    known = (tmp_path / "stopped" / "evaluations.csv").read_text().splitlines()
    assert len(known) == 1 + 6, "what was done is on the disk"
    monkeypatch.setattr(_fit, "_trial", run)
    with pytest.raises(toile.ArgumentError, match="go on with resume=True"):
        fit("stopped")
    found = fit("stopped", resume=True)
    assert found == whole and found.summary["simulations_recalled"] == 6
    for name in ("evaluations.csv", "errors.csv", "fitted.toml"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "stopped" / name).read_bytes()
    with pytest.raises(toile.ArgumentError, match="of another fit"):
        toile.fit(HELD, BOUNDS, target=1.01 * frames, times=times, progress=False, out=tmp_path / "whole", resume=True)


def test_an_objective_of_your_own_is_made_small():
    goal = record(2e-4, 4)[0][-1, 13, 2]

    def off(sim: toile.Simulation) -> float:
        sim.advance(0.2)
        return abs(sim.positions[13, 2] - goal)

    found = toile.fit(HELD, {BEND: (1e-6, 1e-2, "log")}, objective=off, max_evaluations=50, workers=2)
    assert found.value < 1e-4


SEEN = np.zeros((2, 21, 3)) + 0.01 * np.arange(21)[:, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "a target with its times, or an objective"),
        ({"target": SEEN}, "times="),
        ({"target": SEEN, "times": [0.1]}, "1 times for 2 frames"),
        ({"target": SEEN, "times": [0.2, 0.1]}, "does not come after"),
        ({"target": SEEN, "times": [0, math.nan]}, "finite time"),
        ({"target": SEEN[0], "times": [0.1]}, "frames of nodes"),
        ({"target": SEEN[:, :5], "times": [0, 0.1]}, "5 nodes, the cloth 21"),
        ({"target": SEEN[:, :1], "times": [0, 0.1], "nodes": [99]}, "from 0 to 20"),
        ({"target": SEEN[:, :1], "times": [0, 0.1], "nodes": [1, 2]}, "2 nodes are named, but the target has 1"),
        ({"target": SEEN[:, :1], "times": [0, 0.1], "nodes": [0.5]}, "numbers of nodes"),
        ({"target": np.full((2, 21, 3), np.nan), "times": [0, 0.1]}, "no place that is finite"),
        ({"target": SEEN[:1], "times": [0]}, "at least 2"),
        ({"target": SEEN, "times": [0, 0.1], "held": [21]}, "node 21 is said to be held"),
        ({"target": SEEN, "times": [0, 0.1], "grid": (4, 4)}, "4 columns and 4 rows"),
        ({"target": SEEN, "times": [0, 0.1], "unit": "in"}, "'m', 'cm' or 'mm'"),
        ({"target": 1e3 * SEEN, "times": [0, 0.1]}, "mm"),
        ({"target": SEEN, "times": [0, 0.1], "cloth": "sheet"}, "no cloth `sheet`; its cloths: strip"),
        ({"target": SEEN, "times": [0, 0.1], "begin": "now"}, '"recording", "settled" or "scene"'),
        ({"target": SEEN, "times": [0, 0.1], "smooth": -1.0}, "smooth is -1"),
        ({"target": SEEN, "times": [0, 0.1], "train": (5, 6)}, "holds no recorded frame"),
        ({"target": SEEN, "times": [0, 0.1], "map": (1, 5)}, "from 2 to 100"),
        ({"target": SEEN, "times": [0, 0.1], "map": (3, 3)}, "two parameters"),
        ({"target": SEEN, "times": [0, 0.1], "method": "luck"}, "no method"),
        ({"target": SEEN, "times": [0, 0.1], "first_step": 0.1}, "no `first_step`"),
        ({"target": SEEN, "times": [0, 0.1], "start": {"x": 1.0}}, "which is not varied"),
        ({"target": SEEN, "times": [0, 0.1], "max_evaluations": 0}, "at least 1"),
        ({"target": "clip.npz", "times": [0, 0.1]}, "which has its own"),
        ({"objective": lambda sim: 0.0, "times": [0, 0.1]}, "said of a target"),
    ],
)
def test_targets_that_do_not_fit_are_refused(arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        toile.fit(HELD, BOUNDS, progress=False, **{"train": (0, 1), "test": (0, 1), **arguments} if "target" in arguments else arguments)


def test_a_recording_that_is_none_is_named(tmp_path):
    with pytest.raises(toile.RecordingError, match="clip.npz"):
        toile.fit(HELD, BOUNDS, target=tmp_path / "clip.npz", progress=False)
    with pytest.raises(toile.ArgumentError, match="no parameter is named"):
        toile.fit(HELD, {}, target=SEEN, times=[0, 0.1], progress=False)
    with pytest.raises(toile.ArgumentError, match="wrong way round"):
        toile.fit(HELD, {BEND: (1, 0)}, target=SEEN, times=[0, 0.1], progress=False)
    with pytest.raises(toile.ArgumentError, match="give `.*` bounds"):
        toile.fit(HELD, {BEND: None}, objective=lambda sim: 0.0, progress=False)


def test_a_parameter_that_is_none_is_named():
    frames, times = record(1e-4, 2)
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
