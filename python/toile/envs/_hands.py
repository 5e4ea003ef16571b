"""Hands: pickers that hold a node outright, and grippers whose fingers hold by friction alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .._simulation import Simulation
from .._toile import Grasp

Floats = npt.NDArray[np.float64]


class Hand(Protocol):
    """What an action moves."""

    #: Numbers of the action that it takes.
    width: int
    position: Floats

    @property
    def closed(self) -> bool:
        """Whether it holds, or would."""

    def command(self, action: Floats, seconds: float) -> None:
        """Set out for what the action says; numbers from -1 to 1."""

    def row(self) -> Floats:
        """What is observed of it: its position first."""


class Picker:
    """A point that takes hold of the nearest node within reach when it closes (as in SoftGym). It shows as a ball that touches nothing.

    Its action has four numbers: the way, and whether it is closed (above 0) or open.
    """

    width = 4
    #: How near a node must be to be taken (m).
    reach = 0.03

    def __init__(self, sim: Simulation, name: str, at: Floats, allowed: Callable[[Floats], Floats], stride: float = 0.04) -> None:
        self._sim = sim
        self._body = sim.body[name]
        self._allowed = allowed
        #: The longest way of a step along each axis (m).
        self.stride = stride
        self.position = np.array(at, float)
        self.grasp: Grasp | None = None
        self._body.pose = self.position

    @property
    def closed(self) -> bool:
        return self.grasp is not None

    def command(self, action: Floats, seconds: float) -> None:
        if action[3] <= 0:
            self.let_go()
        elif self.grasp is None:
            self.take(self._nearest())
        self.lead(self.position + self.stride * action[:3], seconds)

    def lead(self, target: Floats, seconds: float) -> None:
        """Go there within so many seconds, as far as it is allowed."""
        self.position = self._allowed(target)
        self._body.move_to(self.position, within=seconds)
        if self.grasp is not None:
            self.grasp.move_to(self.position, within=seconds)

    def take(self, nodes: list[int]) -> None:
        """Hold these nodes; a single one is where the hand is from then on."""
        if not nodes:
            return
        if len(nodes) == 1:
            self.position = self._sim.positions[nodes[0]].copy()
        self.grasp = self._sim.grasp(nodes, frame=self.position)

    def let_go(self) -> None:
        """Release what it holds."""
        if self.grasp is not None:
            self.grasp.release()
            self.grasp = None

    def _nearest(self) -> list[int]:
        away = np.linalg.norm(self._sim.positions - self.position, axis=1)
        for grasp in self._sim.grasps:
            away[grasp.nodes] = np.inf
        node = int(away.argmin())
        return [node] if away[node] <= self.reach else []

    def row(self) -> Floats:
        return np.append(self.position, 1.0 if self.closed else -1.0)


def ball(color: tuple[float, float, float] = (0.15, 0.15, 0.15)) -> dict[str, Any]:
    """The body that shows a picker."""
    return {"shape": {"sphere": {"radius": 0.012}}, "place": {"at": [0.0, 0.0, 1.0]}, "color": list(color)}


class Gripper:
    """Two fingers, boxes that pinch cloth between them. Nothing is held but by friction.

    Its action has five numbers: the way, the turn about the y axis, and the opening: towards closed (above 0) or open.

    ``position`` is the middle of the inner side of the upper finger; the lower one opens and closes.
    """

    width = 5
    #: Sides of a finger (m).
    size = (0.028, 0.04, 0.008)
    #: Room between open and between closed fingers (m); closed, they press cloth of 2 mm together.
    rooms = (0.0012, 0.032)
    #: The longest way of a step along each axis (m), the largest turn (rad), and how fast the fingers go (m).
    stride, turn, pace = 0.04, 0.2, 0.0077

    def __init__(self, sim: Simulation, name: str, at: Floats, allowed: Callable[[Gripper, Floats], Floats]) -> None:
        self._upper, self._lower = sim.body[f"{name}-upper"], sim.body[f"{name}-lower"]
        self._allowed = allowed
        self.position = np.array(at, float)
        self.pitch = 0.0
        self.room = self.rooms[1]
        for body, pose in zip((self._upper, self._lower), self.poses()):
            body.pose = pose

    @property
    def closed(self) -> bool:
        return self.room < 0.5 * sum(self.rooms)

    def command(self, action: Floats, seconds: float) -> None:
        self.pitch = float(np.clip(self.pitch + self.turn * action[3], -np.pi, 0.5))
        self.room = float(np.clip(self.room - self.pace * action[4], *self.rooms))
        self.position = self._allowed(self, self.position + self.stride * action[:3])
        for body, pose in zip((self._upper, self._lower), self.poses()):
            body.move_to(pose, within=seconds)

    def poses(self, position: Floats | None = None) -> list[tuple[Floats, Floats]]:
        """Places and turns of the two fingers."""
        base = self.position if position is None else position
        up = np.array([np.sin(self.pitch), 0.0, np.cos(self.pitch)])
        turn = np.array([0.0, np.sin(0.5 * self.pitch), 0.0, np.cos(0.5 * self.pitch)])
        half = 0.5 * self.size[2]
        return [(base + half * up, turn), (base - (half + self.room) * up, turn)]

    def reach(self) -> tuple[Floats, Floats]:
        """How far the fingers reach around ``position``, to the lower and to the upper side along each axis (m)."""
        c, s = abs(np.cos(self.pitch)), abs(np.sin(self.pitch))
        long, wide, thick = (0.5 * side for side in self.size)
        box = np.array([c * long + s * thick, wide, s * long + c * thick])
        middles = np.array([place for place, _ in self.poses(np.zeros(3))])
        return middles.min(axis=0) - box, middles.max(axis=0) + box

    def row(self) -> Floats:
        low, high = self.rooms
        return np.append(self.position, [self.pitch, (high + low - 2 * self.room) / (high - low)])


def fingers(name: str) -> dict[str, Any]:
    """The bodies of a gripper."""
    one = {"shape": {"box": {"size": list(Gripper.size)}}, "friction": 0.5, "color": [0.85, 0.65, 0.50]}
    return {f"{name}-{finger}": {**one, "place": {"at": [0.5, 0.0, height]}} for finger, height in (("upper", 0.5), ("lower", 0.4))}
