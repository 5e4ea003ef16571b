"""Learn to fold a small towel corner to corner with the cross-entropy method, with numpy alone.

    python python/examples/learn_to_fold.py --curve curve.png

The task is a small one of our own: a towel of 9 by 9 nodes lies on a table, a hand holds one of its corners and is to lay it on the opposite
one. The policy is linear, a = tanh(W s), in five numbers: one, the way from the held corner to the opposite one, and the share of the episode
that has passed. A population of policies is drawn from a normal distribution, each plays an episode in a world of a batch, and the
distribution moves to the best of them (Rubinstein 1999). All play with the same seed, another one in every round, and every seed has another
fabric. The same seeds give the same curve, to the bit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from toile.envs import ClothEnv, ClothVectorEnv
from toile.envs._base import TIME, towel
from toile.envs._hands import Hand, Picker, ball

#: Numbers of a policy: three parts of a way from five of a state.
SHAPE = (3, 5)


class FoldCorner(ClothEnv):
    """Lay the corner that the hand holds on the opposite one. The score falls with the distance between them."""

    default_max_steps = 24
    fabric = {
        "cloth.towel.material.bend": (1e-5, 4e-5),
        "cloth.towel.material.density": (0.15, 0.3),
        "body.table.friction": (0.4, 0.8),
    }
    nodes = (9, 9)
    #: Side of the towel, and the distance of the corners that counts as folded (m).
    size: ClassVar[float] = 0.2
    near: ClassVar[float] = 0.02
    corner: ClassVar[int] = 80

    @classmethod
    def scene(cls) -> dict[str, Any]:
        return {
            "title": "Fold a towel corner to corner",
            "time": TIME,
            "contact": {"cloth": "all", "certify": "never", "exclude": [["towel", "hand"]]},
            "cloth": {"towel": towel(8, cls.size, (0.0, 0.0, 0.001), bend=2e-5)},
            "body": {"table": {"shape": "plane", "friction": 0.5}, "hand": ball()},
        }

    def make_hands(self) -> list[Hand]:
        self.hand = Picker(self.sim, "hand", self.sim.positions[self.corner], self._allowed, stride=0.03)
        return [self.hand]

    def arrange(self) -> Iterator[int]:
        """The hand takes the corner and lifts it a little."""
        self.hand.take([self.corner])
        self.hand.lead(self.hand.position + [0.0, 0.0, 0.02] + self.jitter(0.01), 0.1)
        yield 10

    def _allowed(self, target: np.ndarray) -> np.ndarray:
        return np.clip(target, [-0.3, -0.3, 0.004], [0.3, 0.3, 0.3])

    def way(self) -> np.ndarray:
        """From the held corner to the opposite one (m)."""
        return self.sim.positions[0] - self.sim.positions[self.corner]

    def score(self) -> float:
        return float(max(0.0, 1.0 - np.linalg.norm(self.way()) / (np.sqrt(2.0) * self.size)))

    def succeeded(self) -> bool:
        return bool(np.linalg.norm(self.way()) < self.near)

    def told(self) -> np.ndarray:
        return np.append(self.way(), self._elapsed / self.max_steps)


def actions(policies: np.ndarray, states: np.ndarray) -> np.ndarray:
    """What each policy does, from what its world tells. The hand stays closed."""
    scaled = np.concatenate([np.ones((len(states), 1)), states / [0.1, 0.1, 0.1, 1.0]], axis=1)
    ways = np.tanh(np.einsum("nij,nj->ni", policies.reshape(-1, *SHAPE), scaled))
    return np.concatenate([ways, np.ones((len(states), 1))], axis=1).astype(np.float32)


def returns(envs: ClothVectorEnv, policies: np.ndarray, seeds: list[int]) -> np.ndarray:
    """The return of one episode of each policy."""
    envs.reset(seed=seeds)
    total, over = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    while not over.all():
        states = np.array([env.told() for env in envs.envs])
        _, rewards, terminated, truncated, _ = envs.step(actions(policies, states))
        total += np.where(over, 0.0, rewards)
        over |= terminated | truncated
    return total


def learn(rounds: int, population: int, seed: int, **options: Any) -> tuple[list[np.ndarray], np.ndarray]:
    """The returns of all policies, round by round, and the mean of the last. Options are those of the task."""
    rng = np.random.default_rng(seed)
    envs = ClothVectorEnv(FoldCorner, population, **options)
    size = SHAPE[0] * SHAPE[1]
    mean, spread = np.zeros(size), np.full(size, 0.7)
    history: list[np.ndarray] = []
    begin = time.process_time()
    for number in range(rounds):
        policies = mean + spread * rng.normal(size=(population, size))
        history.append(returns(envs, policies, [1000 * seed + number] * population))
        best = policies[np.argsort(-history[-1], kind="stable")[: max(2, population // 4)]]
        mean, spread = best.mean(axis=0), 0.9 * best.std(axis=0) + 0.05
        told, passed = history[-1], time.process_time() - begin
        print(f"round {number:2}: return {told.mean():.3f} ({told.min():.3f} to {told.max():.3f}), {passed:.0f} s of processor time", flush=True)
    return history, mean


def examine(policy: np.ndarray, count: int = 32) -> np.ndarray:
    """The returns of a policy with fabrics that it has not seen; above 1 the towel is folded."""
    envs = ClothVectorEnv(FoldCorner, count)
    return returns(envs, np.tile(policy, (count, 1)), [10**6 + number for number in range(count)])


def draw(history: list[np.ndarray], path: str) -> None:
    """Draw the curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.4), dpi=110)
    rounds = np.arange(len(history))
    axes.fill_between(rounds, [h.min() for h in history], [h.max() for h in history], alpha=0.2, label="worst to best")
    axes.plot(rounds, [h.mean() for h in history], marker="o", markersize=3, label="mean of the population")
    axes.set(xlabel="round", ylabel="return", title="Folding corner to corner, cross-entropy method")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--population", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", help="write the curve to this file (needs matplotlib)")
    arguments = parser.parse_args()
    history, policy = learn(arguments.rounds, arguments.population, arguments.seed)
    told = examine(policy)
    print(f"{len(told)} other fabrics: return {told.mean():.3f} ({told.min():.3f} to {told.max():.3f}), {(told > 1).sum()} folded")
    if arguments.curve:
        draw(history, arguments.curve)


if __name__ == "__main__":
    main()
