"""Learn to pull a sleeve over an arm with the cross-entropy method, with numpy alone.

    python python/examples/learn_to_dress.py --curve curve.png

Both hands stay closed and move alike, and the policy is linear in where the arm stands: a = tanh(b + W s). A population of policies is
drawn from a normal distribution, each plays an episode in a world of a batch, and the distribution moves to the best of them (Rubinstein
1999). All play with the same seeds, others in every round.
"""

from __future__ import annotations

import argparse

import numpy as np

from toile.envs import ClothVectorEnv, DressArm


#: Along the arm hands may go as fast as they can, but across it slowly.
SPEEDS = np.array([1.0, 0.2, 0.2])


def actions(parameters: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """What each policy does: (policies, 8) from (policies, 9) numbers and the places of the arms (m)."""
    weights = parameters.reshape(len(parameters), 3, 3)
    state = np.concatenate([np.ones((len(arms), 1)), arms / 0.02], axis=1)
    move = np.tanh(np.einsum("nij,nj->ni", weights, state)) * SPEEDS
    closed = np.ones((len(arms), 1))
    return np.concatenate([move, closed, move, closed], axis=1).astype(np.float32)


def returns(envs: ClothVectorEnv, parameters: np.ndarray, seed: int, steps: int) -> np.ndarray:
    """The return of one episode of each policy."""
    envs.reset(seed=[seed] * envs.num_envs)
    total, over = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    for _ in range(steps):
        arms = np.array([env.told() for env in envs.envs])
        _, rewards, terminated, truncated, _ = envs.step(actions(parameters, arms))
        total += np.where(over, 0.0, rewards)
        over |= terminated | truncated
        if over.all():
            break
    return total


def learn(rounds: int, population: int, steps: int, seed: int) -> list[np.ndarray]:
    """The returns of all policies, round by round."""
    rng = np.random.default_rng(seed)
    # The sleeve passes through itself, which is faster.
    envs = ClothVectorEnv(DressArm, population, max_steps=steps, overrides={"contact.cloth": "none"})
    mean, spread = np.zeros(9), np.ones(9)
    history = []
    for number in range(rounds):
        parameters = mean + spread * rng.normal(size=(population, 9))
        history.append(returns(envs, parameters, 1000 + number, steps))
        best = parameters[np.argsort(-history[-1], kind="stable")[: max(2, population // 4)]]
        mean, spread = best.mean(axis=0), 0.8 * best.std(axis=0) + 0.1
        told = history[-1]
        print(f"round {number}: mean return {told.mean():.3f}, best {told.max():.3f}, worst {told.min():.3f}", flush=True)
    return history


def draw(history: list[np.ndarray], path: str) -> None:
    """Draw the curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 3), dpi=100)
    rounds = np.arange(len(history))
    axes.fill_between(rounds, [h.min() for h in history], [h.max() for h in history], alpha=0.2, label="worst to best")
    axes.plot(rounds, [h.mean() for h in history], marker="o", label="mean of the population")
    axes.set(xlabel="round", ylabel="return", title="DressArm, cross-entropy method")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--population", type=int, default=16)
    parser.add_argument("--steps", type=int, default=30, help="steps of an episode")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", help="write the curve to this file (needs matplotlib)")
    arguments = parser.parse_args()
    history = learn(arguments.rounds, arguments.population, arguments.steps, arguments.seed)
    if arguments.curve:
        draw(history, arguments.curve)


if __name__ == "__main__":
    main()
