"""HangTowel: hang a towel over a rod so that it stays."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .._looking import Camera
from ._base import TIME, ClothEnv, Floats, towel
from ._hands import Hand, Picker, ball


class HangTowel(ClothEnv):
    """Take a towel from a table and hang it over a rod; it has to stay there by itself for 5 s.

    The score is the share of the towel that is off the table and, the larger part of it, how long it hangs already.
    """

    default_max_steps = 200
    fabric = {
        "cloth.towel.material.bend": (1e-5, 1e-4),
        "cloth.towel.material.density": (0.15, 0.3),
        "body.rod.friction": (0.4, 0.8),
    }
    camera = Camera(eye=(0.75, -0.75, 0.55), target=(-0.1, 0.0, 0.12), fov=40.0)
    #: Side of the towel, place of the rod (x and z) and its radius (m).
    size: ClassVar[float] = 0.3
    rod: ClassVar[tuple[float, float]] = (-0.28, 0.25)
    radius: ClassVar[float] = 0.02
    #: How long it has to hang (s).
    seconds: ClassVar[float] = 5.0

    def __init__(self, **options: Any) -> None:
        self._hung = 0.0
        super().__init__(**options)

    @classmethod
    def scene(cls) -> dict[str, Any]:
        x, z = cls.rod
        cloth = towel(14, cls.size, (0.0, 0.0, 0.001), bend=3e-5)
        # Quads do not come to rest over a table's edge; triangles over a rod do.
        cloth["mesh"]["grid"]["pattern"] = "alternating"
        return {
            "title": "Hang a towel",
            "time": TIME,
            "contact": {"cloth": "all", "certify": "never", "exclude": [["towel", "left"], ["towel", "right"]]},
            "cloth": {"towel": cloth},
            "body": {
                "table": {"shape": "plane", "friction": 0.5},
                "rod": {
                    "shape": {"capsule": {"radius": cls.radius, "length": 0.5}},
                    "place": {"at": [x, 0.0, z], "rotate_degrees": [90.0, 0.0, 0.0]},
                    "friction": 0.6,
                    "color": [0.62, 0.50, 0.38],
                },
                "left": ball(),
                "right": ball(),
            },
        }

    def make_hands(self) -> list[Hand]:
        self._hung = 0.0
        starts = [np.array([-0.12, y, 0.05]) + self.jitter(0.02) for y in (-0.12, 0.12)]
        return [Picker(self.sim, name, at, self._allowed) for name, at in zip(("left", "right"), starts)]

    def _allowed(self, target: Floats) -> Floats:
        """Hands stay over the table and out of the rod."""
        at = np.clip(target, [-0.6, -0.3, 0.002], [0.3, 0.3, 0.6])
        away = at[[0, 2]] - self.rod
        distance, clear = float(np.linalg.norm(away)), self.radius + 0.004
        if distance < clear:
            at[[0, 2]] = self.rod + (away / distance if distance > 0 else np.array([0.0, 1.0])) * clear
        return at

    def off(self) -> float:
        """The share of nodes that are 1 cm above the table."""
        return float((self.sim.positions[:, 2] > 0.01).mean())

    def _command(self, action: npt.NDArray[np.float32]) -> None:
        super()._command(action)
        free = not any(hand.closed for hand in self.hands)
        self._hung = self._hung + self.step_time if free and self.off() == 1.0 else 0.0

    def score(self) -> float:
        hangs = self._hung if self.off() == 1.0 else 0.0
        return 0.3 * self.off() + 0.7 * min(1.0, hangs / self.seconds)

    def succeeded(self) -> bool:
        return self.off() == 1.0 and self._hung > self.seconds - 1e-9

    def told(self) -> Floats:
        return np.array([self._hung / self.seconds])

    def measures(self) -> dict[str, float]:
        return {"off": self.off(), "hung": self._hung}
