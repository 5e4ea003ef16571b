"""Sweeps and fits on a cluster of two nodes, one of which is killed in the middle."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import toile
from toile import _crew, _sweep

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

SCENE = """
[time]
step = 0.01
newton_steps = 1
fps = 50
duration = 0.1
[contact]
cloth = "none"
[cloth.strip]
mesh.grid = { size = [0.3, 0.1], cells = [6, 2] }
model = "mass-spring"
material = { density = 0.15, shear_stiffness = 400.0, bend = 1e-5 }
[[cloth.strip.pin]]
select.nodes = [0, 7, 14]
[body.table]
shape = "plane"
place.at = [0.0, 0.0, -0.2]
"""
BEND = "cloth.strip.material.bend"
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
# A node that says nothing for this long is dead; without a real network it need not be given more.
QUICK = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 6}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two nodes with one core each."""
    # Workers begin where the driver is, and the sources there would come before what is installed.
    here = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": QUICK})
    made.add_node(**NODE)
    ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()
    os.chdir(here)


def marked(folder: Path, seconds: float):
    """A variant that leaves a mark when it begins and when it has ended, and takes a while."""
    real = _sweep._simulate

    def simulate(scene, changes, stop):
        import uuid

        name = f"{changes[0][1].strip()} on {ray.get_runtime_context().get_node_id()} {os.getpid()} {uuid.uuid4()}"
        (folder / f"begun {name}").touch()
        row = real(scene, changes, stop)
        threading.Event().wait(seconds)
        (folder / f"done {name}").touch()
        return row

    return simulate


class Marks:
    """What variants have left in a folder."""

    def __init__(self, folder: Path, node: str) -> None:
        self.folder, self.here = folder, f"on {node}"
        folder.mkdir()

    def told(self, kind: str) -> list[str]:
        return [path.name for path in self.folder.iterdir() if path.name.startswith(kind)]

    def unended(self) -> list[str]:
        done = self.told("done")
        return [name for name in self.told("begun") if name.replace("begun", "done", 1) not in done]

    def at_work(self) -> int | None:
        """Once both nodes have done something: the process that the node has just set to work on something else."""
        done = self.told("done")
        if len(done) < 5 or not any(self.here in name for name in done):
            return None
        return next((int(name.split()[-2]) for name in self.unended() if self.here in name), None)


def kill_all(cluster, node, process: int) -> None:
    """What happens to the processes of a machine that is switched off. Ray's nodes of a test are processes, whose workers live on for a while."""
    os.kill(process, signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def kill_raylet(cluster, node, process: int) -> None:
    """Only the process that speaks for the node; the worker is left at its work."""
    (raylet,) = node.all_processes["raylet"]
    os.kill(raylet.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("kill", [kill_all, kill_raylet])
def test_a_sweep_outlives_one_of_its_two_nodes(cluster, tmp_path, monkeypatch, kill):
    (doomed,) = cluster.worker_nodes
    marks = Marks(tmp_path / "marks", doomed.node_id)
    grid = {BEND: list(np.geomspace(1e-6, 1e-4, 16))}
    own = toile.sweep(SCENE, grid, out=tmp_path / "own", wall_time=False, progress=False)
    monkeypatch.setattr(_sweep, "_simulate", marked(marks.folder, 0.4))

    def wait_and_kill() -> None:
        while (process := marks.at_work()) is None:
            time.sleep(0.01)
        kill(cluster, doomed, process)

    killer = threading.Thread(target=wait_and_kill)
    killer.start()
    spread = toile.sweep(SCENE, grid, out=tmp_path / "spread", on="ray", wall_time=False, progress=False)
    killer.join()
    assert spread.columns == own.columns
    for name in ("results.csv", "results.parquet"):
        assert (tmp_path / "spread" / name).read_bytes() == (tmp_path / "own" / name).read_bytes()
    # Each was done once. What the dead node had not ended, and only that, was begun again.
    done = sorted(name.split(" on ")[0] for name in marks.told("done"))
    assert len(done) == len(set(done)) == 16
    unended = marks.unended()
    assert len(marks.told("begun")) == 16 + len(unended)
    assert unended and all(marks.here in name for name in unended)
    if doomed in cluster.worker_nodes:
        cluster.remove_node(doomed, allow_graceful=False)
    cluster.add_node(**NODE)
    cluster.wait_for_nodes()


def test_a_fit_is_the_same_to_the_bit(cluster, tmp_path):
    truth = toile.Simulation(SCENE, {BEND: 2e-5})
    frames, times = [truth.positions.copy()], 0.05 * np.arange(7)
    for _ in times[1:]:
        truth.advance(0.05)
        frames.append(truth.positions.copy())
    more = {"target": frames, "times": times, "max_evaluations": 20, "progress": False}
    bounds = {BEND: (1e-6, 1e-3, "log"), "cloth.strip.damping": (0.0, 2.0)}
    own = toile.fit(SCENE, bounds, out=tmp_path / "own", **more)
    ray = toile.fit(SCENE, bounds, on="ray", out=tmp_path / "ray", **more)
    assert ray == own and None not in own.intervals.values()
    for name in ("evaluations.csv", "errors.csv", "fitted.toml", "frames.toile"):
        tables = [(tmp_path / folder / name).read_bytes() for folder in ("own", "ray")]
        assert tables[0] == tables[1]
    summaries = [{**found.summary, "seconds": None} for found in (own, ray)]
    assert summaries[0] == summaries[1]


def test_functions_of_ones_own_travel_and_their_errors_come_back(cluster):
    height = 0.05

    def objective(sim: toile.Simulation) -> float:
        sim.advance(0.05)
        return abs(float(sim.positions[:, 2].min()) + height)

    bounds = {BEND: (1e-6, 1e-3, "log")}
    own = toile.fit(SCENE, bounds, objective=objective, max_evaluations=8, progress=False)
    assert toile.fit(SCENE, bounds, objective=objective, max_evaluations=8, on="ray", progress=False) == own

    def broken(sim: toile.Simulation) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        toile.fit(SCENE, bounds, objective=broken, on="ray", progress=False)
    with pytest.raises(toile.SceneError, match="must be zero or a positive number"):
        toile.fit(SCENE, {"cloth.strip.damping": (-2.0, -1.0)}, objective=objective, on="ray", progress=False)


def test_a_variant_that_kills_its_workers_is_named_and_the_others_are_kept(cluster, tmp_path, monkeypatch):
    real = _sweep._simulate

    def simulate(scene, changes, stop):
        if "1e-5" in changes[0][1] or "0.00001" in changes[0][1]:
            os._exit(1)
        return real(scene, changes, stop)

    monkeypatch.setattr(_sweep, "_simulate", simulate)
    monkeypatch.setattr(_crew, "TRIES", 2)
    grid = {BEND: [1e-6, 1e-5, 1e-4]}
    with pytest.raises(toile.LostWork, match="variants 1 are missing; resume=True runs them again") as caught:
        toile.sweep(SCENE, grid, out=tmp_path, on="ray", progress=False)
    assert caught.value.numbers == [1]
    monkeypatch.undo()
    assert toile.sweep(SCENE, grid, out=tmp_path, on="ray", resume=True, progress=False).recalled == 2


def test_another_version_on_a_node_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(_crew, "_version", lambda: "17.0")
    with pytest.raises(toile.Error, match="install the same on all nodes"):
        toile.fit(SCENE, {BEND: (1e-6, 1e-3)}, objective=lambda sim: 0.0, on="ray", progress=False)
