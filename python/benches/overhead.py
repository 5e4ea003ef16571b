"""What a call from Python costs: steps of a cloth so small that nearly all of it is the call, and readings of positions.

    python python/benches/overhead.py
"""

from __future__ import annotations

import time
import tracemalloc

import toile

PATCH = """
[time]
newton_steps = 1
[cloth.patch]
model = "mass-spring"
mesh.grid = { size = [0.1, 0.1], cells = [1, 1] }
"""


COUNT, ROUNDS = 2_000, 60


def fastest(*works) -> list[float]:
    """Microseconds for each of several works, the best of many rounds; they take turns, so that all meet the same machine."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for k, work in enumerate(works):
            begin = time.perf_counter()
            work()
            best[k] = min(best[k], time.perf_counter() - begin)
    return [1e6 * seconds / COUNT for seconds in best]


def main() -> None:
    sim = toile.Simulation(PATCH)
    sim.gravity = (0, 0, 0)
    step = sim.step

    def one_by_one() -> None:
        for _ in range(COUNT):
            step()

    def nothing() -> None:
        for _ in range(COUNT):
            step(0)

    def read() -> None:
        for _ in range(COUNT):
            sim.positions

    single, together, empty, reading = fastest(one_by_one, lambda: step(COUNT), nothing, read)
    print(f"a step, called one by one      {single:8.3f} µs")
    print(f"a step, {COUNT} in one call       {together:8.3f} µs")
    print(f"what the call costs            {single - together:8.3f} µs")
    print(f"a call of step(0)              {empty:8.3f} µs")
    print(f"a reading of positions         {reading:8.3f} µs")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    for _ in range(10_000):
        sim.positions
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"10⁴ readings: {now - before} bytes more than before, {peak - before} at most meanwhile")


if __name__ == "__main__":
    main()
