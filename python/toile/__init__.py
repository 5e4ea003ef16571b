"""Cloth simulation as numpy arrays.

>>> import toile
>>> sim = toile.Simulation("hello")
>>> sim.advance(0.1)
>>> sim.positions.shape
(1681, 3)
"""

from __future__ import annotations

import os as _os
from importlib.metadata import PackageNotFoundError as _NotFound
from importlib.metadata import version as _version

try:
    from . import _toile
except ImportError as _error:
    raise ImportError(
        "toile's compiled part is not here: install the package (pip install ./python), and start Python in another folder than its sources"
    ) from _error
from ._crew import LostWork
from ._errors import (
    ArgumentError,
    BusyError,
    CommandError,
    EngineFault,
    Error,
    RecordingError,
    RestoreError,
    SceneError,
    StepError,
)
from ._fit import Fitted, Minimum, fit, minimise
from ._looking import Camera, Picture, Player
from ._recording import Recording, Track
from ._simulation import Batch, Cloth, Grasps, Simulation
from ._sweep import Swept, sweep
from ._table import read_table, write_table
from ._toile import Body, Certificate, Contacts, Energies, Grasp, bundled_scenes, scene_text

try:
    __version__ = _version("toile")
except _NotFound:  # pragma: no cover - used from a folder without being installed
    __version__ = "0"

# Threads are not copied by a fork; the engine makes its own there.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_toile._after_fork)

__all__ = [
    "ArgumentError",
    "Batch",
    "Body",
    "BusyError",
    "Camera",
    "Certificate",
    "Cloth",
    "CommandError",
    "Contacts",
    "Energies",
    "EngineFault",
    "Error",
    "Fitted",
    "Grasp",
    "Grasps",
    "LostWork",
    "Minimum",
    "Picture",
    "Player",
    "Recording",
    "RecordingError",
    "RestoreError",
    "SceneError",
    "Simulation",
    "StepError",
    "Swept",
    "Track",
    "bundled_scenes",
    "fit",
    "minimise",
    "read_table",
    "scene_text",
    "sweep",
    "write_table",
]
