"""Fingers that hold cloth by friction alone: nothing is wedged out beside them, and nothing creeps."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import toile

SIDE, CELLS, ROOM = 0.3, 8, 0.0006


def towel_between_fingers(beside: float) -> toile.Simulation:
    """An upright towel whose upper edge two fingers hold; columns of nodes are so far beside their edges (m)."""
    spacing = SIDE / CELLS
    half = [spacing - beside, 0.005, 0.03]
    finger = {"shape": {"box": {"size": [2 * side for side in half]}}, "friction": 0.5}
    scene = {
        "time": {"step": 0.01, "newton_steps": 1},
        "contact": {"cloth": "none"},
        "cloth": {
            "towel": {
                "mesh": {"grid": {"size": [SIDE, SIDE], "cells": [CELLS, CELLS]}},
                "place": {"at": [0.0, 0.0, 1.02 - SIDE / 2], "rotate_degrees": [90, 0, 0]},
                "thickness": 0.002,
                "model": "mass-spring",
                "material": {"density": 0.2, "shear_stiffness": 400.0, "bend": 1e-5},
                "damping": 0.5,
            }
        },
        "body": {
            name: {**finger, "place": {"at": [0.0, side * (0.005 + ROOM + 0.004), 1.0]}} for name, side in (("left", -1), ("right", 1))
        },
    }
    sim = toile.Simulation(scene)
    sim.gravity = (0, 0, 0)
    for name, side in (("left", -1), ("right", 1)):
        sim.body[name].move_to((0.0, side * (0.005 + ROOM), 1.0), within=0.1)
    sim.advance(0.15)
    return sim


@pytest.mark.parametrize("beside", [-0.0005, 0.0002, 0.0005, 0.0007])
def test_fingers_do_not_wedge_out_what_is_beside_their_edges(beside):
    sim = towel_between_fingers(beside)
    grid = sim.positions.reshape(CELLS + 1, CELLS + 1, 3)
    across = np.linspace(-SIDE / 2, SIDE / 2, CELLS + 1)
    assert np.abs(grid[:, :, 0] - across).max() < 1e-5
    assert sim.certificate.stretch_worst < 1e-4


def test_cloth_does_not_creep_out_of_a_pinch():
    path = Path(__file__).parents[1] / "benches" / "mujoco_flex.py"
    if not path.exists():
        pytest.skip("installed without the benches")
    spec = importlib.util.spec_from_file_location("mujoco_flex", path)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    # A column of its nodes is half a millimetre beside the fingers.
    assert bench.Toile(30, 0.01).pinch(end=3.5) < 1e-5
