"""SpreadTablecloth: fling a tablecloth over a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from .._looking import Camera
from ._base import TIME, ClothEnv, Floats, towel
from ._cover import covered
from ._hands import Hand, Picker, ball


class SpreadTablecloth(ClothEnv):
    """Fling a tablecloth that hangs from two hands over a table. It is done when it covers 90 % of the table and nobody holds it.

    Slow hands push it into a heap at the table's side; it takes a swing. The score is the covered part of the table.
    """

    default_max_steps = 60
    fabric = {
        "cloth.tablecloth.material.bend": (1e-5, 1e-4),
        "cloth.tablecloth.material.density": (0.12, 0.25),
        "body.table.friction": (0.3, 0.6),
    }
    nodes = (17, 17)
    camera = Camera(eye=(1.0, -1.0, 1.0), target=(-0.1, 0.0, 0.25), fov=42.0)
    #: Sides of tablecloth and table, and the table's height (m).
    size: ClassVar[float] = 0.5
    table: ClassVar[float] = 0.4
    height: ClassVar[float] = 0.3
    #: Share of the table that counts as spread.
    spread: ClassVar[float] = 0.9

    @classmethod
    def scene(cls) -> dict[str, Any]:
        cloth = towel(16, cls.size, (-0.34, 0.0, 0.42), bend=3e-5)
        cloth["place"]["rotate_degrees"] = [0.0, -90.0, 0.0]
        return {
            "title": "Spread a tablecloth",
            "time": TIME,
            "environment": {"air": {}},
            "contact": {"cloth": "all", "certify": "never", "exclude": [["tablecloth", "left"], ["tablecloth", "right"]]},
            "cloth": {"tablecloth": cloth},
            "body": {
                "floor": {"shape": "plane", "friction": 0.5},
                "table": {
                    "shape": {"box": {"size": [cls.table, cls.table, 0.04]}},
                    "place": {"at": [0.0, 0.0, cls.height - 0.02]},
                    "friction": 0.4,
                    "color": [0.62, 0.50, 0.38],
                },
                "left": ball(),
                "right": ball(),
            },
        }

    def make_hands(self) -> list[Hand]:
        at = self.sim.positions.reshape(*self.nodes, 3)[[0, -1], -1]
        return [Picker(self.sim, name, place, self._allowed, stride=0.1) for name, place in zip(("left", "right"), at)]

    def arrange(self) -> Iterator[int]:
        """It hangs from two corners that come together a little, by lot."""
        aside = self.jitter(0.02)
        top = [16, 16 + 16 * 17]
        for hand, node, side in zip(self.hands, top, (1.0, -1.0)):
            assert isinstance(hand, Picker)
            hand.take([node])
            hand.lead(hand.position + aside + np.array([0.0, 0.02 * side, 0.0]), 0.3)
        yield 60

    def _allowed(self, target: Floats) -> Floats:
        """Hands stay out of the table."""
        at = np.clip(target, [-0.6, -0.35, 0.05], [0.6, 0.35, 1.1])
        over = max(abs(at[0]), abs(at[1])) < 0.5 * self.table + 0.005
        if over and self.height - 0.05 < at[2] < self.height + 0.003:
            at[2] = self.height + 0.003
        return at

    def coverage(self) -> float:
        """The covered part of the table."""
        pixel, sim = 0.01, self.sim
        above = sim.positions[sim.triangles][:, :, 2].min(axis=1) > self.height - 0.02
        if not above.any():
            return 0.0
        seen = covered(sim.positions, sim.triangles[above], pixel)
        half = round(0.5 * self.table / pixel)
        return float(((seen >= -half) & (seen < half)).all(axis=1).sum() / (2 * half) ** 2)

    def score(self) -> float:
        return self.coverage()

    def succeeded(self) -> bool:
        free = not any(hand.closed for hand in self.hands)
        low = self.sim.positions[:, 2].max() < self.height + 0.06
        return bool(free and low and self.coverage() >= self.spread)

    def measures(self) -> dict[str, float]:
        return {"coverage": self.coverage()}
