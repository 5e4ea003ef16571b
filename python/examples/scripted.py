"""Policies that follow way points. They solve FoldTowel, HangTowel, FlattenTowel and DressArm; in SpreadTablecloth it is only a try.

    python python/examples/scripted.py HangTowel --seeds 3 --pictures hang

They look at the nodes of the simulation, which a robot cannot; they show that a task can be solved, and how.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from toile.envs import IDS, ClothEnv

Actions = Iterator[np.ndarray]


def follow(env: ClothEnv, targets: list[np.ndarray], grip: float, steps: int, turn: float | None = None) -> Actions:
    """Lead each hand evenly to its target in so many steps; with grippers also to an angle."""
    for left in range(steps, 0, -1):
        rows = []
        for hand, target in zip(env.hands, targets):
            row = list((np.asarray(target) - hand.position) / left / hand.stride)
            if hand.width == 5:
                row.append(0.0 if turn is None else (turn - hand.pitch) / left / hand.turn)
            rows.append([*row, grip])
        yield np.clip(np.concatenate(rows), -1, 1).astype(np.float32)


def wait(env: ClothEnv, grip: float, steps: int) -> Actions:
    """Stay where the hands are."""
    for _ in range(steps):
        yield next(follow(env, [hand.position for hand in env.hands], grip, 1))


def fold_towel(env: ClothEnv) -> Actions:
    """Close the fingers on the edge, lead it around on half a circle, open and draw back."""
    sides = [hand.position[1] for hand in env.hands]

    def places(x: float, z: float) -> list[np.ndarray]:
        return [np.array([x, 0.13 * np.sign(side), z]) for side in sides]

    yield from follow(env, places(0.139, 0.004), -1.0, 4)
    yield from follow(env, places(0.139, 0.0018), 1.0, 5)
    # Slowly at first and at last: friction holds the towel, and a jerk would draw it out of the fingers.
    shares = np.linspace(0, 1, 46)[1:]
    for angle in np.pi * shares**2 * (3 - 2 * shares):
        height = 0.0018 + 0.009 * angle / np.pi + 0.14 * np.sin(angle)
        yield from follow(env, places(0.139 * np.cos(angle), height), 1.0, 1, -angle)
    yield from wait(env, 1.0, 3)
    yield from wait(env, -1.0, 4)
    yield from follow(env, places(-0.21, 0.0108), -1.0, 6)
    yield from wait(env, -1.0, 30)


def corners(env: ClothEnv, *which: tuple[int, int]) -> list[np.ndarray]:
    """Where corners of the towel are: (row, column), 0 or -1."""
    grid = env.sim.positions.reshape(*env.nodes, 3)
    return [grid[corner].copy() for corner in which]


def take(env: ClothEnv, *which: tuple[int, int]) -> Actions:
    """Go to two corners and close."""
    # The hand with the lower y takes the corner with the lower y.
    which = tuple(sorted(which, key=lambda corner: corners(env, corner)[0][1]))
    for steps in (8, 1, 1):
        above = [place + [0.0, 0.0, 0.0 if steps == 1 else 0.01] for place in corners(env, *which)]
        yield from follow(env, above, -1.0, steps)
    yield from wait(env, 1.0, 1)


def hang_towel(env: ClothEnv) -> Actions:
    """Lead two corners over the rod until half of the towel is beyond it, and let go."""
    yield from take(env, (0, 0), (-1, 0))
    sides = [-0.14, 0.14]
    for x, z, steps in ((-0.15, 0.2, 7), (-0.22, 0.42, 8), (-0.36, 0.40, 6), (-0.40, 0.22, 7), (-0.36, 0.16, 6)):
        yield from follow(env, [np.array([x, y, z]) for y in sides], 1.0, steps)
    yield from wait(env, 1.0, 2)
    yield from wait(env, -1.0, 140)


EDGES = [((0, 0), (-1, 0)), ((0, -1), (-1, -1)), ((0, 0), (0, -1)), ((-1, 0), (-1, -1))]


def outermost(env: ClothEnv) -> tuple[tuple[int, int], tuple[int, int]]:
    """The edge whose corners lie farthest from the middle of the towel: not one that is rolled in."""
    middle = env.sim.positions[:, :2].mean(axis=0)
    return max(EDGES, key=lambda edge: min(np.linalg.norm(place[:2] - middle) for place in corners(env, *edge)))


def flatten_towel(env: ClothEnv) -> Actions:
    """Lift an edge by its corners until the towel hangs, and lay it down while going on; once more if it was not enough."""
    for _ in range(3):
        yield from take(env, *outermost(env))
        low, high = -0.145, 0.145
        for x, z, steps in ((-0.15, 0.20, 12), (-0.15, 0.36, 8)):
            yield from follow(env, [np.array([x, y, z]) for y in (low, high)], 1.0, steps)
        yield from wait(env, 1.0, 4)
        for x, z, steps in ((-0.15, 0.29, 3), (0.02, 0.15, 7), (0.14, 0.03, 6), (0.2, 0.008, 4)):
            yield from follow(env, [np.array([x, y, z]) for y in (low, high)], 1.0, steps)
        yield from wait(env, -1.0, 12)


def dress_arm(env: ClothEnv) -> Actions:
    """Bring the cuff to the arm's height and pull it straight along the arm."""
    y, z = env.told()
    start = [hand.position.copy() for hand in env.hands]
    for x, steps in ((start[0][0], 4), (-0.18, 40)):
        yield from follow(env, [np.array([x, place[1] + y, z]) for place in start], 1.0, steps)
    yield from wait(env, 1.0, 10)


def spread_tablecloth(env: ClothEnv) -> Actions:
    """Swing forward and up, back, and down."""
    low, high = -0.24, 0.24
    for x, z, steps in ((-0.35, 0.85, 6), (0.2, 0.75, 8), (0.3, 0.6, 3), (-0.23, 0.45, 10), (-0.25, 0.33, 4)):
        yield from follow(env, [np.array([x, y, z]) for y in (low, high)], 1.0, steps)
    yield from wait(env, -1.0, 30)


POLICIES: dict[str, Callable[[ClothEnv], Actions]] = {
    "FoldTowel": fold_towel,
    "HangTowel": hang_towel,
    "FlattenTowel": flatten_towel,
    "DressArm": dress_arm,
    "SpreadTablecloth": spread_tablecloth,
}


def play(env: ClothEnv, policy: Callable[[ClothEnv], Actions], seed: int, pictures: list[Any] | None = None, every: int = 10) -> dict[str, Any]:
    """One episode; the last ``info`` with the return, the number of steps and the worst strain."""
    _, info = env.reset(seed=seed)
    total, steps, worst = 0.0, 0, 0.0
    for action in policy(env):
        if pictures is not None and steps % every == 0:
            pictures.append(env.render())
        _, reward, terminated, truncated, info = env.step(action)
        total, steps, worst = total + float(reward), steps + 1, max(worst, info["strain"])
        if terminated or truncated:
            break
    if pictures is not None:
        pictures.append(env.render())
    return {**info, "return": total, "steps": steps, "worst_strain": worst}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="*", default=list(POLICIES), help=", ".join(POLICIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pictures", help="write pictures of the first episode: NAME-000.png and so on")
    arguments = parser.parse_args()
    for task in arguments.task:
        env = IDS[f"toile/{task}-v0"](render_mode="rgb_array")
        for seed in range(arguments.seeds):
            pictures: list[Any] | None = [] if arguments.pictures and seed == 0 else None
            told = play(env, POLICIES[task], seed, pictures)
            numbers = ", ".join(f"{name} {value:.3f}" for name, value in told.items() if isinstance(value, float))
            print(f"{task} seed {seed}: {'solved' if told['is_success'] else 'NOT solved'} in {told['steps']} steps, {numbers}", flush=True)
            for number, picture in enumerate(pictures or []):
                write_png(f"{arguments.pictures}-{number:03}.png", picture)


def write_png(path: str, rgb: Any) -> None:
    """Write a picture."""
    from pathlib import Path

    from toile._looking import png

    Path(path).write_bytes(png(rgb))


if __name__ == "__main__":
    main()
