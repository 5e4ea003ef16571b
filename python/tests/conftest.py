"""What the tests share."""

from __future__ import annotations

from typing import Any

import pytest

import toile

TOWEL: dict[str, Any] = {
    "title": "Towel",
    "time": {"step": 0.005},
    "cloth": {
        "towel": {
            "mesh": {"grid": {"size": [0.3, 0.3], "cells": [6, 6]}},
            "place": {"at": [0.0, 0.0, 0.1]},
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
