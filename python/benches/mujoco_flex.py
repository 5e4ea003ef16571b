"""Towels in toile and in MuJoCo's flex, in the same run on the same machine: speed, stretch, and creep of a pinch.

    pip install mujoco
    python python/benches/mujoco_flex.py

The towel is 0.3 m wide, weighs 0.2 kg/m² and has 15 × 15 or 30 × 30 nodes. An environment step is 20 ms.

* Lift: one corner is held and led up by 0.25 m and to the side within 1 s, and swung there for another second.
* Pinch: two fingers hold the middle of an edge by friction alone while the towel hangs for 10 s. Creep is how far the cloth between the
  fingers has moved from the time at which it hangs still (2 s) to the end.

Each engine runs on one thread per world; toile's batch uses all cores, and so do as many processes of MuJoCo.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import time

import numpy as np

SIZE, DENSITY, ENV_STEP = 0.3, 0.2, 0.02
YOUNG, THICKNESS, POISSON = 1e6, 1e-3, 0.3
#: What MuJoCo's cloth resists bending with (N m). Both engines have the quadratic form of Bergou and others (2006).
BEND = YOUNG * THICKNESS**3 / (12 * (1 - POISSON**2))
#: A share of the edges' length that towels with a limit stretch by at most; chosen so that they stretch less than MuJoCo's.
LIMIT = 0.004


#: What speed is measured with: the wall, or with --cpu the processor's time, for machines that others use too.
clock = time.perf_counter


def path(t: float) -> np.ndarray:
    """Where the held corner is, from where it started (m)."""
    up = min(t, 1.0)
    swing = 0.05 * math.sin(2 * math.pi * max(0.0, t - 1.0))
    return np.array([0.1 * up + swing, 0.1 * up, 0.25 * up])


class Toile:
    """toile with springs, MuJoCo's bending, and edges kept from stretching by more than a limit, if one is given."""

    def __init__(self, nodes: int, step: float, limit: float | None = None) -> None:
        import toile

        self.scene = {
            "time": {"step": step, "newton_steps": 1, "tolerance": 1e-2},
            "contact": {"cloth": "none"},
            "cloth": {
                "towel": {
                    "mesh": {"grid": {"size": [SIZE, SIZE], "cells": [nodes - 1, nodes - 1]}},
                    "place": {"at": [0.0, 0.0, 0.002]},
                    "model": "mass-spring",
                    "bending": "quadratic",
                    "material": {"density": DENSITY, "shear_stiffness": 400.0, "bend": BEND},
                    "damping": 0.5,
                }
            },
            "body": {"table": {"shape": "plane", "friction": 0.5}},
        }
        if limit is not None:
            self.scene["cloth"]["towel"]["limit"] = {"strain": {"stretch": limit}}
        self.toile = toile
        self.substeps = round(ENV_STEP / step)

    def lift(self, seconds: float) -> tuple[float, float]:
        """Environment steps a second, and the worst stretch."""
        sim = self.toile.Simulation(self.scene)
        sim.step()
        sim.reset()
        corner = sim.grasp([0])
        start = corner.position
        worst, steps = 0.0, round(seconds / ENV_STEP)
        begin = clock()
        for k in range(steps):
            corner.move_to(start + path((k + 1) * ENV_STEP), within=ENV_STEP)
            sim.step(self.substeps)
            worst = max(worst, sim.certificate_of_call.stretch_worst)
        return steps / (clock() - begin), worst

    def lift_many(self, seconds: float, count: int) -> float:
        """Environment steps a second of many worlds together."""
        batch = self.toile.Batch(self.scene, count)
        batch.step()
        batch.reset()
        corners = [world.grasp([0]) for world in batch]
        start = corners[0].position
        steps = round(seconds / ENV_STEP)
        begin = clock()
        for k in range(steps):
            for corner in corners:
                corner.move_to(start + path((k + 1) * ENV_STEP), within=ENV_STEP)
            batch.step(self.substeps)
        return count * steps / (clock() - begin)

    def pinch(self, end: float = 10.0) -> float:
        """Creep from 2 s to the end (m); infinite if it was lost."""
        finger = {"shape": {"box": {"size": [0.03, 0.01, 0.03]}}, "friction": 0.5}
        half = 0.5 * SIZE
        cloth = {**self.scene["cloth"]["towel"], "thickness": 0.002}
        # Upright, its upper edge between the fingers, which leave 1.2 of its 2 mm.
        cloth["place"] = {"at": [0.0, 0.0, 1.0 - half + 0.01], "rotate_degrees": [90, 0, 0]}
        gap = 0.005 + 0.0006
        scene = {
            **self.scene,
            "cloth": {"towel": cloth},
            "body": {
                "left": {**finger, "place": {"at": [0.0, -gap - 0.004, 1.0]}},
                "right": {**finger, "place": {"at": [0.0, gap + 0.004, 1.0]}},
            },
        }
        sim = self.toile.Simulation(scene)
        sim.gravity = (0, 0, 0)
        sim.body["left"].move_to((0.0, -gap, 1.0), within=0.1)
        sim.body["right"].move_to((0.0, gap, 1.0), within=0.1)
        sim.advance(0.15)
        sim.gravity = (0, 0, -9.81)
        sim.advance(1.85)
        held = np.abs(sim.positions - [0.0, 0.0, 1.0]).max(axis=1) < 0.015
        before = sim.positions[held].copy()
        if not held.any():
            return math.inf
        sim.advance(end - 2.0)
        return float(np.linalg.norm(sim.positions[held] - before, axis=1).max())


FLEX = """
<mujoco>
  <option timestep="{step}" solver="CG" tolerance="{tolerance}" integrator="{integrator}" {option}/>
  <size memory="100M"/>
  <worldbody>
    {bodies}
    <flexcomp name="towel" type="grid" dim="2" count="{n} {n} 1" spacing="{gap} {gap} 1" pos="{pos}" {turn}
              mass="{mass}" radius="0.001">
      <elasticity young="{young}" poisson="{poisson}" thickness="{thickness}" elastic2d="both" damping="0.001"/>
      <contact selfcollide="none" friction="0.5" solref="0.004 1"/>
    </flexcomp>
  </worldbody>
  <equality>{equality}</equality>
</mujoco>
"""


class Flex:
    """MuJoCo with membrane and bending elasticity, which its discrete integrator steps implicitly.

    Edges held by equality constraints instead came to a stretch of 32 % in the same lift.
    """

    def __init__(self, nodes: int, step: float, tolerance: float) -> None:
        import mujoco

        self.mujoco = mujoco
        self.nodes, self.step, self.tolerance = nodes, step, tolerance
        self.substeps = round(ENV_STEP / step)

    def model(self, pos: str, turn: str, bodies: str, equality: str, option: str = ""):
        # From version 4 on flex is stepped implicitly by the discrete integrator alone.
        major = int(self.mujoco.__version__.split(".")[0])
        text = FLEX.format(
            integrator="discrete" if major >= 4 else "implicitfast",
            option=option,
            tolerance=self.tolerance,
            step=self.step,
            n=self.nodes,
            gap=SIZE / (self.nodes - 1),
            pos=pos,
            turn=turn,
            mass=DENSITY * SIZE * SIZE,
            young=YOUNG,
            poisson=POISSON,
            thickness=THICKNESS,
            bodies=bodies,
            equality=equality,
        )
        return self.mujoco.MjModel.from_xml_string(text)

    def stretch(self, model, data) -> float:
        return float((data.flexedge_length / model.flexedge_length0 - 1).max())

    def lift(self, seconds: float) -> tuple[float, float]:
        """Environment steps a second, and the worst stretch."""
        corner = -0.5 * SIZE
        bodies = (
            '<geom type="plane" size="2 2 .1" friction="0.5"/>'
            f'<body name="hand" mocap="true" pos="{corner} {corner} 0.002"/>'
        )
        model = self.model("0 0 0.002", "", bodies, '<weld body1="hand" body2="towel_0"/>')
        data = self.mujoco.MjData(model)
        start = data.mocap_pos[0].copy()
        worst, steps = 0.0, round(seconds / ENV_STEP)
        begin = clock()
        for k in range(steps):
            for j in range(self.substeps):
                data.mocap_pos[0] = start + path((k + (j + 1) / self.substeps) * ENV_STEP)
                self.mujoco.mj_step(model, data)
            worst = max(worst, self.stretch(model, data))
        return steps / (clock() - begin), worst

    def pinch(self) -> float:
        """Creep from 2 s to 10 s (m); infinite if it was lost."""
        # The fingers press with 2 N, as a gripper does.
        finger = (
            '<body name="{name}" pos="0 {y} 1"><joint name="{name}" type="slide" axis="0 1 0" damping="1"/>'
            '<geom type="box" size="0.015 0.005 0.015" mass="0.1" friction="0.5" solref="0.004 1"/></body>'
        )
        bodies = finger.format(name="left", y=-0.0065) + finger.format(name="right", y=0.0065)
        # What its documentation advises against slip.
        option = 'cone="elliptic" impratio="10"'
        model = self.model(f"0 0 {1.0 - 0.5 * SIZE + 0.01}", 'euler="90 0 0"', bodies, "", option)
        model.opt.gravity[:] = 0
        data = self.mujoco.MjData(model)
        push = [model.jnt_dofadr[model.joint(name).id] for name in ("left", "right")]

        def go(seconds: float) -> None:
            for _ in range(round(seconds / self.step)):
                data.qfrc_applied[push] = [2.0, -2.0]
                self.mujoco.mj_step(model, data)

        go(0.15)
        model.opt.gravity[:] = [0, 0, -9.81]
        # The fingers' own weight is not the cloth's business: they slide along y only.
        go(1.85)
        places = data.flexvert_xpos
        held = np.abs(places - [0.0, 0.0, 1.0]).max(axis=1) < 0.015
        if not held.any():
            return math.inf
        before = places[held].copy()
        go(8.0)
        return float(np.linalg.norm(data.flexvert_xpos[held] - before, axis=1).max())


def flex_rate(arguments: tuple[int, float, float, float]) -> float:
    nodes, step, tolerance, seconds = arguments
    return Flex(nodes, step, tolerance).lift(seconds)[0]


def flex_rates(flex: Flex, seconds: float, cores: int) -> float:
    """Environment steps a second of one process on each core together."""
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        return sum(pool.map(flex_rate, [(flex.nodes, flex.step, flex.tolerance, seconds)] * cores))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated time of the lift")
    parser.add_argument("--worlds", type=int, default=16, help="worlds of the batch")
    parser.add_argument("--no-pinch", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="speed of one world by processor time; none on all cores")
    arguments = parser.parse_args()
    if arguments.cpu:
        global clock
        clock = time.process_time
    cores = os.cpu_count() or 1
    print(f"{cores} cores; environment steps of {1e3 * ENV_STEP:.0f} ms")
    print(f"{'':52}{'one world':>12}{'all cores':>12}{'stretch':>10}{'creep':>12}")
    for nodes in (15, 30):
        for step, limit in ((0.02, LIMIT), (0.01, LIMIT), (0.01, None)):
            engine = Toile(nodes, step, limit)
            rate, worst = engine.lift(arguments.seconds)
            many = math.nan if arguments.cpu else engine.lift_many(arguments.seconds, arguments.worlds)
            creep = math.nan if arguments.no_pinch else engine.pinch()
            row("toile" if limit is None else "toile, limited", nodes, step, rate, many, worst, creep)
        for step, tolerance in ((0.02, 1e-6), (0.02, 1e-3), (0.01, 1e-6), (0.01, 1e-3), (0.002, 1e-6)):
            flex = Flex(nodes, step, tolerance)
            rate, worst = flex.lift(arguments.seconds)
            many = math.nan if arguments.cpu else flex_rates(flex, arguments.seconds, cores)
            creep = math.nan if arguments.no_pinch else flex.pinch()
            row(f"mujoco flex to {tolerance:.0e},", nodes, step, rate, many, worst, creep)


def row(name: str, nodes: int, step: float, rate: float, many: float, worst: float, creep: float) -> None:
    what = f"{name} {nodes} × {nodes}, steps of {1e3 * step:.0f} ms"
    print(f"{what:52}{rate:>10.0f}/s{many:>10.0f}/s{100 * worst:>8.2f} %{1e3 * creep:>9.3f} mm", flush=True)


if __name__ == "__main__":
    main()
