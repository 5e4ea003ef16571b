"""Many of one task at once, in the worlds of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from .._errors import ArgumentError
from .._simulation import Batch
from ._base import ClothEnv
from .dress_arm import DressArm
from .flatten_towel import FlattenTowel
from .fold_towel import FoldTowel
from .hang_towel import HangTowel
from .spread_tablecloth import SpreadTablecloth

Bools = npt.NDArray[np.bool_]


class ClothVectorEnv(gym.vector.VectorEnv[Any, npt.NDArray[np.float32], Any]):
    """Environments whose worlds step together on all cores. Each comes to the bits that it would come to alone with its seed.

    Parameters
    ----------
    kind : type of ClothEnv
        The task.
    num_envs : int
        How many.
    autoreset_mode : AutoresetMode or str
        What becomes of an environment whose episode is over: ``"NextStep"`` (it is reset by the next step), ``"SameStep"`` or
        ``"Disabled"`` (``reset(options={"reset_mask": …})`` does it).
    overrides : dict, optional
        Other values for fields of the scene.
    **options
        What else the task takes.
    """

    def __init__(
        self,
        kind: type[ClothEnv],
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        overrides: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**kind.metadata, "autoreset_mode": self.autoreset_mode}
        self.batch = Batch(kind.scene(), num_envs, overrides)
        #: The environments. Step and reset them here only, not by themselves.
        self.envs = [kind(sim=self.batch[k], **options) for k in range(num_envs)]
        self.render_mode = self.envs[0].render_mode
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._seen: list[Any] = [None] * num_envs
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes.

        Parameters
        ----------
        seed : int or sequence of int, optional
            A seed for each environment; a single one stands for it and those that follow it.
        options : dict, optional
            ``"reset_mask"``: truth values that say which environments begin an episode; all of them by default.

        Returns
        -------
        observations, infos
        """
        mask = self._mask((options or {}).get("reset_mask"))
        seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, (int, np.integer)) else seed
        if seeds is not None and len(seeds) != self.num_envs:
            raise ArgumentError(f"there are {len(seeds)} seeds for {self.num_envs} environments")
        infos: dict[str, Any] = {}
        for k, info in self._restart(mask, seeds).items():
            infos = self._add_info(infos, info, k)
        return self._observations(), infos

    def step(self, actions: npt.NDArray[np.float32]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """A step of every environment.

        Parameters
        ----------
        actions : (num_envs, n) array of float32
            An action for each.

        Returns
        -------
        observations, rewards, terminated, truncated, infos
        """
        if np.shape(actions) != self.action_space.shape:
            raise ArgumentError(f"the actions have the shape {np.shape(actions)}; it must be {self.action_space.shape}")
        # All are looked at before any hand has moved.
        if not np.isfinite(actions).all():
            raise ArgumentError("the actions must be finite numbers")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise ArgumentError("episodes are over; reset them with options={'reset_mask': …}")
        begins, goes = self._over.copy(), ~self._over
        rewards, ends, cuts = np.zeros(self.num_envs), np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        infos: dict[str, Any] = {}
        told = self._restart(begins, None)
        for k, outcome in self._advance(actions, goes).items():
            self._seen[k], rewards[k], ends[k], cuts[k], told[k] = outcome
        self._over = ends | cuts
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            over = self._over.copy()
            last = {int(k): {"final_obs": self._seen[k], "final_info": told[int(k)]} for k in np.flatnonzero(over)}
            told.update(self._restart(over, None))
            for k, final in last.items():
                infos = self._add_info(infos, final, k)
        for k in sorted(told):
            infos = self._add_info(infos, told[k], k)
        return self._observations(), rewards, ends, cuts, infos

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each."""
        return None if self.render_mode is None else tuple(env.render() for env in self.envs)

    def _mask(self, given: Any) -> Bools:
        if given is None:
            return np.ones(self.num_envs, dtype=bool)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(f"the reset_mask must be {self.num_envs} truth values, one of them true at least")
        return mask

    def _restart(self, mask: Bools, seeds: Sequence[int | None] | None) -> dict[int, dict[str, Any]]:
        """New episodes; what they tell. Their starts are made side by side."""
        ways: dict[int, Iterator[int]] = {}
        for k in map(int, np.flatnonzero(mask)):
            # The generator of Gymnasium's environments is seeded without resetting anything.
            gym.Env.reset(self.envs[k], seed=None if seeds is None else seeds[k])
            ways[k] = self.envs[k]._begin()
        left = {k: next(way, 0) for k, way in ways.items()}
        while any(left.values()):
            going = np.array([left.get(k, 0) > 0 for k in range(self.num_envs)])
            steps = min(n for n in left.values() if n > 0)
            self.batch.step(steps, mask=going)
            for k, n in left.items():
                if n > 0:
                    left[k] = n - steps or next(ways[k], 0)
        told = {}
        for k in ways:
            self._seen[k], told[k] = self.envs[k]._begun()
            self._over[k] = False
        return told

    def _advance(self, actions: npt.NDArray[np.float32], mask: Bools) -> dict[int, tuple[Any, float, bool, bool, dict[str, Any]]]:
        """A step of some; what came of it."""
        chosen = [int(k) for k in np.flatnonzero(mask)]
        if not chosen:
            return {}
        for k in chosen:
            self.envs[k]._command(actions[k])
        self.batch.step(self.envs[0]._steps_a_step, mask=mask, on_error="skip")
        failures = self.batch.failures
        return {k: self.envs[k]._ended(failures[k]) for k in chosen}

    def _observations(self) -> Any:
        out: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return deepcopy(concatenate(self.single_observation_space, self._seen, out))


# What the ids make vectors with.
many_fold_towel = partial(ClothVectorEnv, FoldTowel)
many_hang_towel = partial(ClothVectorEnv, HangTowel)
many_flatten_towel = partial(ClothVectorEnv, FlattenTowel)
many_dress_arm = partial(ClothVectorEnv, DressArm)
many_spread_tablecloth = partial(ClothVectorEnv, SpreadTablecloth)
