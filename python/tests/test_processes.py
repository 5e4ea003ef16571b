"""Threads, forks, other processes, Ctrl-C."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import toile

RUN = """
import hashlib, toile, sys
noisy = {
    "time": {"newton_steps": 1}, "contact": {"cloth": "none"},
    "cloth": {"towel": {"mesh": {"grid": {"size": [0.3, 0.3], "cells": [20, 20]}},
              "model": "mass-spring", "material": {"density": 0.15, "shear_stiffness": 400.0, "bend": 1e-5},
              "place": {"at": [0, 0, 0.05]}, "noise": {"deviation": 1e-4}}},
    "body": {"table": {"shape": "plane"}},
}
sim = toile.Simulation(noisy)
sim.reset(seed=7)
sim.grasp([0, 1, 21]).velocity = (0.1, 0, 0.2)
sim.step(30)
batch = toile.Batch(noisy, 2)
batch.reset(seeds=[7, 8])
batch[0].grasp([0, 1, 21]).velocity = (0.1, 0, 0.2)
batch.step(30)
assert batch.positions[0].tobytes() == sim.positions.tobytes()
print(hashlib.sha256(sim.snapshot() + batch.positions.tobytes()).hexdigest())
"""


def digest(threads: str, folder) -> str:
    environment = {**os.environ, "RAYON_NUM_THREADS": threads}
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
        timeout=300,
        cwd=folder,
    )
    return ran.stdout.strip()


def test_the_same_seed_gives_the_same_bytes_in_two_processes_and_in_a_batch(tmp_path):
    assert digest("1", tmp_path) == digest("3", tmp_path) != ""


def test_other_threads_run_while_one_steps(towel):
    sim = toile.Simulation("hello")
    counted = 0
    done = threading.Event()

    def step() -> None:
        try:
            sim.step(10)
        finally:
            done.set()

    worker = threading.Thread(target=step)
    worker.start()
    busy = 0
    while not done.is_set():
        counted += 1
        try:
            sim.time
        except toile.BusyError as error:
            assert "sim.clone()" in str(error)
            busy += 1
    worker.join()
    assert counted > 10, "the interpreter was not let go of"
    assert busy > 0
    assert sim.steps == 10


def test_each_thread_can_have_its_own(towel):
    sims = [toile.Simulation(towel) for _ in range(4)]
    workers = [threading.Thread(target=one.step, args=(20,)) for one in sims]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for one in sims:
        assert np.array_equal(one.positions, sims[0].positions) and one.steps == 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_steps_to_the_same_bits():
    # Large enough that the engine uses its threads, which a fork does not copy.
    sim = toile.Simulation("hello")
    sim.step(3)
    batch = toile.Batch("hello", 2)
    batch.step(1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sim.step(3)
            batch.step(1)
            toile.Simulation("hello").step(1)
            content = sim.positions.tobytes() + batch.positions.tobytes()
            os.write(write, hashlib.sha256(content).digest())
        finally:
            os._exit(0)
    os.close(write)
    ready = []
    reader = threading.Thread(target=lambda: ready.append(os.read(read, 32)), daemon=True)
    reader.start()
    reader.join(timeout=120)
    if reader.is_alive():
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    sim.step(3)
    batch.step(1)
    content = sim.positions.tobytes() + batch.positions.tobytes()
    assert ready == [hashlib.sha256(content).digest()]


#: What takes for ever, how often it has been done, and what can still be done afterwards.
LONG = {
    "advance": ("sim.advance(1e5)", "sim.steps", "sim.step()"),
    "step": ("sim.step(10**15)", "sim.steps", "sim.step()"),
    "batch": ("batch.step(10**15)", "batch[1].steps", "batch.step()"),
    "fit": ("toile.fit(scene, bounds, objective=far, max_evaluations=10**6, progress=False)", "len(tried)", "tried.append(0)"),
    "fit to a recording": ("toile.fit(held, bounds, target=seen, times=times, max_evaluations=10**6, progress=False)", "1", "0"),
}

BEGIN = """
import numpy as np, signal, time, toile
# A shell that starts the tests in the background has children ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
sim, batch, tried = toile.Simulation("hello"), toile.Batch("hello", 2), []
scene = {"cloth": {"a": {"model": "mass-spring", "mesh": {"grid": {"size": [1, 1], "cells": [3, 3]}}}}}
held = {"cloth": {"a": {**scene["cloth"]["a"], "pin": [{"select": {"nodes": [0, 1]}}]}}}
bounds = {"cloth.a.damping": (0.0, 1.0)}
def far(sim):
    time.sleep(0.05)  # So that the search does not come to its end first.
    tried.append(0)
    return float(np.random.random())
times = np.linspace(0, 60, 20)
seen = np.random.default_rng(0).normal(size=(20, 16, 3))
def done():
    return COUNT
print("ready", flush=True)
before = done()
try:
    WAY
except KeyboardInterrupt:
    count = done()
    AFTER
    print(count, done(), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_stops_a_long_way_between_two_steps(what, tmp_path):
    way, count, after = LONG[what]
    code = BEGIN.replace("WAY", way).replace("COUNT", count).replace("AFTER", after)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    timer = threading.Timer(0.5, child.send_signal, (signal.SIGINT,))
    timer.start()
    try:
        out, _ = child.communicate(timeout=120)
    finally:
        child.kill()
    done, later = map(int, out.split())
    assert done > 0 and later == done + (after != "0")
