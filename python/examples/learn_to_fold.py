"""Learn to fold a small towel corner to corner with proximal policy optimisation, in one file and with numpy alone.

    python python/examples/learn_to_fold.py --curve curve.png

The task is a small one of our own: a towel of 9 by 9 nodes lies on a table, a hand holds one of its corners and is to lay it on the opposite
one. Policy and value are networks of two hidden layers; the policy's actions are normally distributed about its output. Each round plays an
episode in every world of a batch, each with another fabric, and then improves both by a few passes over what was seen (Schulman and others
2017; the advantages are theirs of 2016). The same seeds give the same curve, to the bit, on one machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from toile.envs import ClothEnv, ClothVectorEnv
from toile.envs._base import TIME, towel
from toile.envs._hands import Hand, Picker, ball


class ClosedPicker(Picker):
    """A picker that does not let go: its action has three numbers, the way."""

    width = 3

    def command(self, action: np.ndarray, seconds: float) -> None:
        super().command(np.append(action, 1.0), seconds)


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
        self.hand = ClosedPicker(self.sim, "hand", self.sim.positions[self.corner], self._allowed, stride=0.03)
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


class Network:
    """A perceptron with tanh in its two hidden layers, its gradients, and Adam's moments."""

    def __init__(self, inputs: int, outputs: int, last: float, rng: np.random.Generator, hidden: int = 64) -> None:
        self.weights: list[np.ndarray] = []
        for height, width, scale in ((inputs, hidden, 1.4), (hidden, hidden, 1.4), (hidden, outputs, last)):
            # Orthogonal columns or rows, as is usual in this method.
            square = np.linalg.qr(rng.normal(size=(max(height, width), min(height, width))))[0]
            self.weights += [scale * (square if height >= width else square.T), np.zeros(width)]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.layers(x)[-1]

    def layers(self, x: np.ndarray) -> list[np.ndarray]:
        a, b, c, d, e, f = self.weights
        first = np.tanh(x @ a + b)
        second = np.tanh(first @ c + d)
        return [x, first, second, second @ e + f]

    def gradients(self, layers: list[np.ndarray], slope: np.ndarray) -> list[np.ndarray]:
        """Of a loss by the weights, from its slope by the output."""
        out: list[np.ndarray] = []
        for k in (2, 1, 0):
            out = [layers[k].T @ slope, slope.sum(axis=0), *out]
            slope = (slope @ self.weights[2 * k].T) * (1 - layers[k] ** 2)
        return out


class Adam:
    """Adam (Kingma and Ba 2015) for some arrays, which it changes in place."""

    def __init__(self, arrays: list[np.ndarray], rate: float) -> None:
        self.arrays, self.rate, self.count = arrays, rate, 0
        self.first = [np.zeros_like(a) for a in arrays]
        self.second = [np.zeros_like(a) for a in arrays]

    def step(self, gradients: list[np.ndarray], longest: float = 0.5) -> None:
        self.count += 1
        shrink = min(1.0, longest / (1e-8 + np.sqrt(sum(float((g**2).sum()) for g in gradients))))
        rate = self.rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count)
        for a, g, m, v in zip(self.arrays, gradients, self.first, self.second, strict=True):
            m += 0.1 * (shrink * g - m)
            v += 0.001 * ((shrink * g) ** 2 - v)
            a -= rate * m / (np.sqrt(v) + 1e-5)


class Played(NamedTuple):
    """A round: arrays of steps × worlds. After the end of an episode `going` is false."""

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    going: np.ndarray
    #: Whether an episode ended there by what happened, and not by its length.
    ended: np.ndarray


class Learner:
    """Proximal policy optimisation for a task whose observations and actions are arrays."""

    clip, discount, trace, passes, minibatches = 0.2, 0.9, 0.9, 10, 4

    def __init__(self, states: int, actions: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.policy = Network(states, actions, 0.01, self.rng)
        self.value = Network(states, 1, 1.0, self.rng)
        #: Logarithms of the deviations of actions.
        self.spread = np.full(actions, -0.5)
        self.optimiser = Adam([*self.policy.weights, self.spread], 1e-3)
        self.value_optimiser = Adam(self.value.weights, 1e-3)
        #: Count, mean and sum of squares of all states seen, by which states are scaled.
        self.count, self.mean, self.squares = 1e-4, np.zeros(states), np.zeros(states)

    def scaled(self, states: np.ndarray) -> np.ndarray:
        return np.clip((states - self.mean) / np.sqrt(self.squares / self.count + 1e-6), -5, 5)

    def act(self, states: np.ndarray, explore: bool) -> np.ndarray:
        actions = self.policy(self.scaled(states))
        if explore:
            actions = actions + np.exp(self.spread) * self.rng.normal(size=actions.shape)
        return actions

    def play(self, envs: ClothVectorEnv, seeds: list[int], explore: bool = True) -> Played:
        """An episode in every world."""
        states, _ = envs.reset(seed=seeds)
        going = np.ones(envs.num_envs, bool)
        rows = []
        while going.any():
            actions = self.act(states, explore)
            after, rewards, ended, cut, _ = envs.step(np.clip(actions, -1, 1).astype(np.float32))
            rows.append((states, actions, rewards, going, ended))
            states, going = after, going & ~(ended | cut)
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        # One state more, which the last step led to.
        columns[0] = np.concatenate([columns[0], states[None]])
        return Played(*columns)

    def improve(self, played: Played) -> None:
        """A few passes over a round."""
        going, scaled = played.going, self.scaled(played.states)
        values = self.value(scaled)[..., 0]
        advantages, ahead = np.zeros_like(values), np.zeros(values.shape[1])
        for t in reversed(range(len(going))):
            # What lies behind the end of an episode counts for nothing; of one that was cut off, its last state's value.
            later = np.where(played.ended[t], 0.0, values[t + 1])
            over = np.ones_like(ahead, bool) if t + 1 == len(going) else ~going[t + 1]
            ahead = played.rewards[t] + self.discount * later - values[t] + self.discount * self.trace * np.where(over, 0.0, ahead)
            advantages[t] = ahead
        states, actions = scaled[:-1][going], played.actions[going]
        gains, goals = advantages[:-1][going], (advantages + values)[:-1][going]
        before = self.likelihoods(self.policy(states), actions)
        for _ in range(self.passes):
            for part in np.array_split(self.rng.permutation(len(states)), self.minibatches):
                self.improve_policy(states[part], actions[part], gains[part], before[part])
                layers = self.value.layers(states[part])
                slope = (layers[-1][:, 0] - goals[part])[:, None] / len(part)
                self.value_optimiser.step(self.value.gradients(layers, slope))
        self.learn_scale(played.states[:-1][going])

    def improve_policy(self, states: np.ndarray, actions: np.ndarray, gains: np.ndarray, before: np.ndarray) -> None:
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        layers = self.policy.layers(states)
        away = (actions - layers[-1]) / np.exp(self.spread)
        ratio = np.exp(self.likelihoods(layers[-1], actions) - before)
        # Where the ratio has left the clip in the direction of the gain, the loss is flat.
        flat = np.where(gains > 0, ratio > 1 + self.clip, ratio < 1 - self.clip)
        slope = np.where(flat, 0.0, -gains * ratio)[:, None] / len(states)
        gradients = self.policy.gradients(layers, slope * away / np.exp(self.spread))
        self.optimiser.step([*gradients, (slope * (away**2 - 1)).sum(axis=0)])

    def likelihoods(self, means: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Logarithms, but for a constant."""
        return -(0.5 * ((actions - means) / np.exp(self.spread)) ** 2 + self.spread).sum(axis=-1)

    def learn_scale(self, states: np.ndarray) -> None:
        count, mean = len(states), states.mean(axis=0)
        self.squares += ((states - mean) ** 2).sum(axis=0) + (mean - self.mean) ** 2 * self.count * count / (self.count + count)
        self.mean += (mean - self.mean) * count / (self.count + count)
        self.count += count


def learn(rounds: int, worlds: int, seed: int, **options: Any) -> tuple[list[np.ndarray], Learner]:
    """The returns of all episodes, round by round, and what has learned. Options are those of the task."""
    envs = ClothVectorEnv(FoldCorner, worlds, **options)
    learner = Learner(envs.single_observation_space.shape[0], envs.single_action_space.shape[0], seed)
    history: list[np.ndarray] = []
    begin = time.process_time()
    for number in range(rounds):
        first = 10**6 * seed + worlds * number
        played = learner.play(envs, list(range(first, first + worlds)))
        if number == 0:
            learner.learn_scale(played.states[:-1][played.going])
        else:
            learner.improve(played)
        history.append(returns(played))
        told, passed = history[-1], time.process_time() - begin
        print(f"round {number:3}: return {told.mean():.3f} ({told.min():.3f} to {told.max():.3f}), {passed:.0f} s of processor time", flush=True)
    return history, learner


def returns(played: Played) -> np.ndarray:
    return np.where(played.going, played.rewards, 0.0).sum(axis=0)


def examine(learner: Learner, count: int = 32) -> np.ndarray:
    """The returns with fabrics that were not seen, without chance in the actions; above 1 the towel is folded."""
    envs = ClothVectorEnv(FoldCorner, count)
    return returns(learner.play(envs, [10**9 + number for number in range(count)], explore=False))


def draw(history: list[np.ndarray], path: str) -> None:
    """Draw the curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.4), dpi=110)
    rounds = np.arange(len(history))
    axes.fill_between(rounds, [h.min() for h in history], [h.max() for h in history], alpha=0.2, label="worst to best")
    axes.plot(rounds, [h.mean() for h in history], label="mean of the worlds")
    axes.set(xlabel="round", ylabel="return", title="Folding corner to corner, proximal policy optimisation")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", help="write the curve to this file (needs matplotlib)")
    arguments = parser.parse_args()
    history, learner = learn(arguments.rounds, arguments.worlds, arguments.seed)
    told = examine(learner)
    print(f"{len(told)} other fabrics: return {told.mean():.3f} ({told.min():.3f} to {told.max():.3f}), {(told > 1).sum()} folded")
    if arguments.curve:
        draw(history, arguments.curve)


if __name__ == "__main__":
    main()
