"""Read by mypy only: what a user writes has types."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import toile

sim = toile.Simulation("hello", {"time.step": 0.01})
places: npt.NDArray[np.float64] = sim.positions
grasp: toile.Grasp = sim.grasp([0, 1])
grasp.move_to((0.0, 0.0, 1.0), within=0.5)
grasp.velocity = (0.0, 0.0, 1.0)
force: npt.NDArray[np.float64] = grasp.force
sim.body["finger"].pose = [0.0, 0.0, 1.0]
copy: toile.Simulation = sim.clone()
cloth: toile.Cloth = sim.cloth["sheet"]
told: toile.Certificate | None = sim.certificate
batch = toile.Batch("hello", 4)
world: toile.Simulation = batch[0]
batch.step(2, mask=np.ones(4, bool))
picture: toile.Picture = sim.render(64, 48, toile.Camera((0.0, 0.0, 1.0), (0.0, 0.0, 0.0)))
found: toile.Minimum = toile.minimise(lambda points: [p["x"] for p in points], {"x": (0.0, 1.0)})
swept: toile.Swept = toile.sweep("hello", {"cloth.sheet.damping": [0.5, 1.0]}, out="out", on="ray", resume=True)
failed: dict[int, str] = swept.failed
