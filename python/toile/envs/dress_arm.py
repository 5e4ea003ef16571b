"""DressArm: pull a sleeve over an arm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .._looking import Camera
from ._base import TIME, ClothEnv, Floats, towel
from ._hands import Hand, Picker, ball


class DressArm(ClothEnv):
    """Pull a sleeve that two hands hold open over an arm. It is done when the cuff has passed 80 % of the arm.

    The arm is a capsule along x; from episode to episode it stands elsewhere. The score is how much of it the cuff has passed.
    """

    default_max_steps = 80
    fabric = {
        "cloth.sleeve.material.bend": (1e-5, 1e-4),
        "cloth.sleeve.material.density": (0.12, 0.25),
        "body.arm.friction": (0.1, 0.3),
    }
    nodes = (20, 11)
    camera = Camera(eye=(0.55, -0.75, 0.45), target=(-0.05, 0.0, 0.0), fov=40.0)
    #: Radii of sleeve and arm, lengths of sleeve and of the arm's straight part (m).
    radii: ClassVar[tuple[float, float]] = (0.07, 0.035)
    lengths: ClassVar[tuple[float, float]] = (0.22, 0.3)
    #: Where the cuff is at the start, and the share of the arm that counts as dressed.
    start: ClassVar[float] = 0.22
    dressed: ClassVar[float] = 0.8

    def __init__(self, **options: Any) -> None:
        self._shift = np.zeros(2)
        super().__init__(**options)

    @classmethod
    def scene(cls) -> dict[str, Any]:
        around, along = cls.nodes
        sleeve = towel(1, 1.0, (cls.start + 0.5 * cls.lengths[0], 0.0, 0.0), bend=3e-5)
        sleeve["mesh"] = {"tube": {"radius": cls.radii[0], "height": cls.lengths[0], "cells": [around, along - 1]}}
        sleeve["place"]["rotate_degrees"] = [0.0, 90.0, 0.0]
        return {
            "title": "Dress an arm",
            "time": TIME,
            "contact": {"cloth": "all", "certify": "never", "exclude": [["sleeve", "left"], ["sleeve", "right"]]},
            "cloth": {"sleeve": sleeve},
            "body": {
                "arm": {
                    "shape": {"capsule": {"radius": cls.radii[1], "length": cls.lengths[1]}},
                    "place": {"rotate_degrees": [0.0, 90.0, 0.0]},
                    "friction": 0.2,
                    "color": [0.85, 0.65, 0.50],
                },
                "left": ball(),
                "right": ball(),
            },
        }

    def make_hands(self) -> list[Hand]:
        starts = [np.array([self.start, y, 0.0]) for y in (-self.radii[0], self.radii[0])]
        return [Picker(self.sim, name, at, self._allowed, stride=0.02) for name, at in zip(("left", "right"), starts)]

    def cuff(self) -> npt.NDArray[np.int64]:
        """The nodes of the rim that the hands hold at the start."""
        at = self._at_start
        return np.flatnonzero(at[:, 0] < at[:, 0].min() + 1e-6)

    def arrange(self) -> Iterator[int]:
        """Each hand takes a third of the rim; the sleeve hangs down from them, and the arm goes to its place."""
        self._at_start = self.sim.positions.copy()
        self._shift = self.jitter(0.02, 2)
        turn = np.sqrt(0.5)
        self.sim.body["arm"].move_to(((0.0, *self._shift), (0.0, turn, 0.0, turn)), within=0.2)
        cuff = self.cuff()
        for hand, side in zip(self.hands, (-1.0, 1.0)):
            assert isinstance(hand, Picker)
            hand.take([int(n) for n in cuff if side * self._at_start[n, 1] > 0.5 * self.radii[0]])
        yield 50

    def _allowed(self, target: Floats) -> Floats:
        """Hands stay out of the arm."""
        at = np.clip(target, [-0.25, -0.2, -0.2], [0.4, 0.2, 0.2])
        half = 0.5 * self.lengths[1]
        on_axis = np.array([np.clip(at[0], -half, half), *self._shift])
        away = at - on_axis
        distance, clear = float(np.linalg.norm(away)), self.radii[1] + 0.01
        if 0.0 < distance < clear:
            at = on_axis + away / distance * clear
        return at

    def passed(self) -> float:
        """The share of the arm that the cuff has passed, as far as it is around the arm."""
        places = self.sim.positions[self.cuff()]
        half = 0.5 * self.lengths[1] + self.radii[1]
        share = np.clip((half - places[:, 0]) / (2 * half), 0.0, 1.0)
        # Around it are nodes on all sides of the axis.
        angles = np.sort(np.arctan2(places[:, 2] - self._shift[1], places[:, 1] - self._shift[0]))
        widest = np.diff(np.append(angles, angles[0] + 2 * np.pi)).max()
        return float(share.mean()) if widest < np.pi else 0.0

    def score(self) -> float:
        return self.passed()

    def succeeded(self) -> bool:
        return self.passed() >= self.dressed

    def told(self) -> Floats:
        return self._shift

    def measures(self) -> dict[str, float]:
        return {"passed": self.passed()}
