"""What the tasks share: observations, actions, fabrics by lot, the end of an episode, pictures."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .._errors import ArgumentError, StepError
from .._looking import Camera
from .._simulation import Simulation
from ._hands import Hand

Floats = npt.NDArray[np.float64]
Observed = Literal["state", "points", "image"]

#: Beyond this (m, m/s) observations are cut off.
FAR = 20.0

#: Starts that were made before in this process: what they were made from, the snapshot, and the generator's state after it.
_starts: OrderedDict[bytes, tuple[bytes, Any]] = OrderedDict()


class ClothEnv(gym.Env[Any, npt.NDArray[np.float32]]):
    """A task with one cloth and some hands. The tasks are made of it; it is none itself.

    A step is 50 ms. Each hand has a row of the action: three numbers for the way that it goes, and what else its kind takes
    (`toile.envs._hands`), all of them from -1 to 1. The reward is the change of the task's score, which is between 0 and 1, with 1 more for
    success and 1 less for cloth that is strained too much. Both of these end the episode; after ``max_steps`` it is truncated.

    Parameters
    ----------
    obs : {"state", "points", "image"}
        What is observed. ``"state"``: positions and velocities of some nodes, the hands and what else the task tells, in one array.
        ``"points"``: the positions of all nodes, and the hands. ``"image"``: a picture of ``image_size`` by ``image_size`` pixels.
    render_mode : {"rgb_array"}, optional
        What ``render`` makes.
    randomise : bool
        Whether every episode has another fabric and another start; without, all have the same.
    max_steps : int, optional
        Steps of an episode.
    image_size : int
        Side of observed pictures, in pixels.
    overrides : dict, optional
        Other values for fields of the scene.
    sim : Simulation, optional
        A simulation of the task's scene to work in, such as a world of a batch.

    Attributes
    ----------
    sim : Simulation
        What is simulated. Look as you like; a policy that cheats finds all it wants here.
    hands : list
        The hands.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    #: Length of a step (s).
    step_time: ClassVar[float] = 0.05
    #: Steps of an episode unless it is told otherwise.
    default_max_steps: ClassVar[int] = 120
    #: Strain of any face at which the episode is lost. Cloth is limited to 2 %. Policies that solve the tasks stay below 3 %, and in crumpled
    #: layers, where limits and contacts are met one after another, below this. Beyond it the hands demand what cloth cannot give, and what the
    #: solver then leaves undone must be of no use to anybody.
    strain_bound: ClassVar[float] = 0.1
    #: Ranges of the fabric's numbers, which are drawn with evenly distributed logarithms.
    fabric: ClassVar[Mapping[str, tuple[float, float]]] = {}
    #: Nodes of the cloth along both directions of its mesh.
    nodes: ClassVar[tuple[int, int]] = (15, 15)
    #: How many starts are kept of a task whose starts take long to make. Those of seeds that come again are there at once, to the same bits.
    starts_kept: ClassVar[int] = 0
    #: Where pictures are taken from.
    camera: ClassVar[Camera] = Camera(eye=(0.45, -0.6, 0.45), target=(0.0, 0.0, 0.05), fov=42.0)

    def __init__(
        self,
        *,
        obs: Observed = "state",
        render_mode: str | None = None,
        randomise: bool = True,
        max_steps: int | None = None,
        image_size: int = 64,
        overrides: Mapping[str, Any] | None = None,
        sim: Simulation | None = None,
    ) -> None:
        if obs not in ("state", "points", "image"):
            raise ArgumentError(f"obs is {obs!r}; it must be 'state', 'points' or 'image'")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ArgumentError(f"render_mode is {render_mode!r}; it must be 'rgb_array' or None")
        for name, count in (("max_steps", max_steps), ("image_size", image_size)):
            if count is not None and (not isinstance(count, (int, np.integer)) or count < 1):
                raise ArgumentError(f"{name} is {count!r}; it must be a whole number of at least 1")
        self.obs = obs
        self.render_mode = render_mode
        self.randomise = randomise
        self.max_steps = self.default_max_steps if max_steps is None else max_steps
        self.image_size = image_size
        self.sim = Simulation(self.scene(), overrides) if sim is None else sim
        self.hands: list[Hand] = self.make_hands()
        #: Values of this episode's fabric, by their names in the scene.
        self.drawn: dict[str, float] = {}
        self._steps_a_step = round(self.step_time / self.sim.time_step)
        self._key_nodes = self._spread_nodes()
        self._score = 0.0
        self._elapsed = 0
        self._hurt = False
        self.action_space = spaces.Box(-1.0, 1.0, (sum(hand.width for hand in self.hands),), np.float32)
        self.observation_space = self._space()

    # What a task says.

    @classmethod
    def scene(cls) -> dict[str, Any]:
        """The scene."""
        raise ArgumentError(f"{cls.__name__} has no scene of its own; toile.envs.IDS has the tasks that do")

    def make_hands(self) -> list[Hand]:
        """The hands, open at their places at the start."""
        raise NotImplementedError

    def arrange(self) -> Iterator[int]:
        """Bring the cloth to where the episode begins; every number that this yields is so many steps of the engine.

        With `starts_kept` it may change nothing but the simulation, and draw from nothing but ``np_random``.
        """
        yield self._steps_a_step

    def score(self) -> float:
        """How good it is now, from 0 to 1."""
        raise NotImplementedError

    def succeeded(self) -> bool:
        """Whether the task is done."""
        raise NotImplementedError

    def told(self) -> Floats:
        """What else the state has to tell."""
        return np.zeros(0)

    def measures(self) -> dict[str, float]:
        """What is measured, for ``info``."""
        return {}

    # Gymnasium's side.

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode. The same seed gives the same bits.

        Parameters
        ----------
        seed : int, optional
            Where what is drawn by lot starts; it goes on from the last episode if none is given.
        options : dict, optional
            None are known.

        Returns
        -------
        observation, info
        """
        super().reset(seed=seed)
        for steps in self._begin():
            self.sim.step(steps)
        return self._begun()

    def step(self, action: npt.NDArray[np.float32]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the hands for 50 ms.

        Parameters
        ----------
        action : array of float32
            A row of numbers from -1 to 1 for each hand, one after the other.

        Returns
        -------
        observation, reward, terminated, truncated, info
        """
        self._command(action)
        failure = None
        try:
            self.sim.step(self._steps_a_step)
        except StepError as error:
            failure = str(error)
        return self._ended(failure)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of 480 by 360 pixels."""
        if self.render_mode is None:
            return None
        return self._picture(480, 360, "good")

    # The parts of a reset and a step, between which one simulation or a whole batch is stepped.

    def _begin(self) -> Iterator[int]:
        """All of a reset but the engine's steps."""
        self.sim.reset(seed=int(self.np_random.integers(2**31)))
        self._draw_fabric()
        self._elapsed, self._hurt = 0, False
        self.hands = self.make_hands()
        if self.starts_kept == 0:
            yield from self.arrange()
            return
        origin = self._origin()
        if origin not in _starts:
            yield from self.arrange()
            _starts[origin] = (self.sim.snapshot(), self.np_random.bit_generator.state)
            while len(_starts) > self.starts_kept:
                _starts.popitem(last=False)
        _starts.move_to_end(origin)
        snapshot, self.np_random.bit_generator.state = _starts[origin]
        # Also when it has just been made: what is told of the last step is the same.
        self.sim.restore(snapshot)

    def _origin(self) -> bytes:
        """All that a start is made from."""
        kind, sim = type(self), self.sim
        parts = (kind.__module__, kind.__qualname__, self.randomise, sim.scene, sim.settings, self.np_random.bit_generator.state)
        return hashlib.sha256(repr(parts).encode() + sim.snapshot()).digest()

    def _begun(self) -> tuple[Any, dict[str, Any]]:
        self._score = self.score()
        return self._observe(), self._info()

    def _command(self, action: npt.NDArray[np.float32]) -> None:
        given = np.asarray(action, float)
        if given.shape != self.action_space.shape or not np.isfinite(given).all():
            raise ArgumentError(f"the action must be {self.action_space.shape} finite numbers")
        first = 0
        for hand in self.hands:
            hand.command(np.clip(given[first : first + hand.width], -1.0, 1.0), self.step_time)
            first += hand.width

    def _ended(self, failure: str | None) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What a step led to."""
        self._elapsed += 1
        self._hurt = failure is not None or self.strain() > self.strain_bound
        before, self._score = self._score, self._score if self._hurt else self.score()
        success = not self._hurt and self.succeeded()
        reward = self._score - before + float(success) - float(self._hurt)
        terminated = success or self._hurt
        truncated = not terminated and self._elapsed >= self.max_steps
        info = self._info()
        info["is_success"] = success
        if failure is not None:
            info["failure"] = failure
        return self._observe(), reward, terminated, truncated, info

    # What is seen.

    def strain(self) -> float:
        """The worst strain of any face during the last step, by the certificate."""
        told = self.sim.certificate_of_call
        return 0.0 if told is None else float(told.strain_max)

    def _info(self) -> dict[str, Any]:
        return {"score": self._score, "strain": self.strain(), "is_success": False, **self.measures(), "fabric": dict(self.drawn)}

    def _draw_fabric(self) -> None:
        self.drawn = {}
        for name, (low, high) in self.fabric.items():
            share = float(self.np_random.random()) if self.randomise else 0.5
            self.drawn[name] = float(low * (high / low) ** share)
            self.sim.set(name, self.drawn[name])

    def jitter(self, size: float, count: int = 3) -> Floats:
        """Numbers by lot; zeros if every episode is to be the same.

        Parameters
        ----------
        size : float
            They lie between plus and minus this.
        count : int
            How many.
        """
        return self.np_random.uniform(-size, size, count) if self.randomise else np.zeros(count)

    def _spread_nodes(self) -> npt.NDArray[np.int64]:
        along, across = (np.linspace(0, count - 1, 5).round().astype(int) for count in self.nodes)
        return (along[None, :] + self.nodes[0] * across[:, None]).ravel()

    def _hand_rows(self) -> Floats:
        return np.array([hand.row() for hand in self.hands])

    def _space(self) -> spaces.Space[Any]:
        if self.obs == "image":
            return spaces.Box(0, 255, (self.image_size, self.image_size, 3), np.uint8)
        hands = spaces.Box(-FAR, FAR, self._hand_rows().shape, np.float32)
        if self.obs == "points":
            points = spaces.Box(-FAR, FAR, self.sim.positions.shape, np.float32)
            return spaces.Dict({"points": points, "hands": hands})
        return spaces.Box(-FAR, FAR, self._state().shape, np.float32)

    def _state(self) -> Floats:
        keys = self._key_nodes
        return np.concatenate(
            [self._hand_rows().ravel(), self.told(), self.sim.positions[keys].ravel(), self.sim.velocities[keys].ravel()]
        )

    def _observe(self) -> Any:
        if self.obs == "image":
            return self._picture(self.image_size, self.image_size, "draft")
        if self.obs == "points":
            return {"points": _cut(self.sim.positions), "hands": _cut(self._hand_rows())}
        return _cut(self._state())

    def _picture(self, width: int, height: int, quality: str) -> npt.NDArray[np.uint8]:
        rgb = self.sim.render(width, height, self.camera, quality=quality, depth=False).rgb
        assert rgb is not None  # colours were asked for
        return rgb


def _cut(values: Floats) -> npt.NDArray[np.float32]:
    return np.clip(np.nan_to_num(values), -FAR, FAR).astype(np.float32)


def towel(cells: int, size: float, at: tuple[float, float, float], *, bend: float, **material: float) -> dict[str, Any]:
    """A square towel that cannot be stretched by more than 2 %. It names what the tasks rely upon: defaults may change, tasks must not."""
    return {
        "mesh": {"grid": {"size": [size, size], "cells": [cells, cells]}},
        "place": {"at": list(at)},
        "model": "mass-spring",
        "limit": {"stretch": {"stretch": 0.02}},
        "damping": 1.0,
        "thickness": 0.002,
        "friction": 0.6,
        "material": {"density": 0.2, "shear_stiffness": 400.0, "bend": bend, **material},
    }


#: Limits and contacts in one solve: cloth that is pinched and folded stays within its limit.
TIME: dict[str, Any] = {"step": 0.01, "newton_steps": 1, "constraints": "unified"}
#: One after another, for cloth that lies in many layers, where the one solve takes long.
PHASES: dict[str, Any] = {"step": 0.005, "newton_steps": 1, "constraints": "phases"}
