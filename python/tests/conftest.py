"""What the tests share."""

from __future__ import annotations

from typing import Any

import pytest

import toile

#: It names all that the tests rely upon, so that nothing moves when a default does.
TOWEL: dict[str, Any] = {
    "title": "Towel",
    "time": {"step": 0.005, "newton_steps": 1},
    "contact": {"cloth": "none"},
    "cloth": {
        "towel": {
            "mesh": {"grid": {"size": [0.3, 0.3], "cells": [6, 6]}},
            "place": {"at": [0.0, 0.0, 0.1]},
            "model": "mass-spring",
            "material": {"density": 0.15, "shear_stiffness": 400.0, "bend": 1e-5},
            "damping": 0.5,
        }
    },
    "body": {
        "table": {"shape": "plane"},
        "finger": {"shape": {"sphere": {"radius": 0.02}}, "place": {"at": [0.0, 0.0, 1.0]}},
    },
}


@pytest.fixture
def sim() -> toile.Simulation:
    """A towel above a table, with a finger that waits above it."""
    return toile.Simulation(TOWEL)


@pytest.fixture
def towel() -> dict[str, Any]:
    """The scene of ``sim``."""
    return TOWEL
