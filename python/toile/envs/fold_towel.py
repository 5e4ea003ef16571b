"""FoldTowel: two grippers fold a towel in half, by friction alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ._base import TIME, ClothEnv, Floats, towel
from ._hands import Gripper, Hand, fingers


class FoldTowel(ClothEnv):
    """Take two corners of a towel that reach over a round table's rim, and lay them on the opposite ones.

    Each of the two grippers has two fingers that hold by friction. It is done when both corners are within 3 cm of the opposite ones, the
    grippers are open and the towel lies still. The score falls with the mean distance of the corners from the opposite ones.
    """

    default_max_steps = 100
    fabric = {
        "cloth.towel.material.bend": (1.5e-5, 4e-5),
        "cloth.towel.material.density": (0.18, 0.25),
        "body.table.friction": (0.5, 0.9),
    }
    #: Side of the towel, x of the table's middle and its radius (m).
    size: ClassVar[float] = 0.3
    middle: ClassVar[float] = -0.11
    radius: ClassVar[float] = 0.26
    #: Distance of both corners that counts as folded (m).
    near: ClassVar[float] = 0.03

    @classmethod
    def scene(cls) -> dict[str, Any]:
        return {
            "title": "Fold a towel",
            "time": TIME,
            "contact": {"cloth": "all", "certify": "never"},
            "cloth": {"towel": towel(14, cls.size, (0.0, 0.0, 0.001), bend=2e-5)},
            "body": {
                "table": {
                    "shape": {"disc": {"radius": cls.radius, "thickness": 0.03}},
                    "place": {"at": [cls.middle, 0.0, 0.0]},
                    "friction": 0.5,
                    "color": [0.62, 0.50, 0.38],
                },
                **fingers("left"),
                **fingers("right"),
            },
        }

    def make_hands(self) -> list[Hand]:
        starts = [np.array([0.19, y, 0.004]) + self.jitter(0.01) * [1.0, 1.0, 0.1] for y in (-0.13, 0.13)]
        return [Gripper(self.sim, name, at, self._allowed) for name, at in zip(("left", "right"), starts)]

    def arrange(self) -> Iterator[int]:
        """The towel's edge sinks a little."""
        yield 20

    def _allowed(self, hand: Gripper, target: Floats) -> Floats:
        """Grippers stay on their sides, and out of the table with room for a layer of cloth."""
        side = np.sign(hand.position[1])
        low, high = np.array([-0.3, 0.03, -0.1]), np.array([0.3, 0.25, 0.4])
        at = np.clip(target * [1.0, side, 1.0], low, high) * [1.0, side, 1.0]
        below, _ = hand.reach()
        upwards = 0.0022 - (at[2] + below[2])
        # The rim is round: a little below the top the table is narrower.
        rim = np.sqrt(max(0.0, (self.radius - 0.003) ** 2 - (abs(at[1]) + below[1]) ** 2))
        outwards = self.middle + rim - (at[0] + below[0])
        if upwards > 0 and outwards > 0:
            if outwards < upwards:
                at[0] += outwards
            else:
                at[2] += upwards
        return at

    def distances(self) -> Floats:
        """Of the two corners from the opposite ones (m)."""
        corners = self.sim.positions.reshape(*self.nodes, 3)
        return np.linalg.norm(corners[[0, -1], -1] - corners[[0, -1], 0], axis=1)

    def score(self) -> float:
        return float(max(0.0, 1.0 - self.distances().mean() / self.size))

    def succeeded(self) -> bool:
        still = np.linalg.norm(self.sim.velocities, axis=1).max() < 0.05
        free = all(self.sim.body[name].touching == 0 for name in ("left-upper", "left-lower", "right-upper", "right-lower"))
        return bool(self.distances().max() < self.near and still and free)

    def measures(self) -> dict[str, float]:
        return {"distance": float(self.distances().max())}
