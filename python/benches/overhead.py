"""What a call from Python costs: steps of a cloth so small that nearly all of it is the call, and readings of positions.

    python python/benches/overhead.py
"""

from __future__ import annotations

import time
import tracemalloc

import toile

PATCH = "[cloth.patch]\nmesh.grid = { size = [0.1, 0.1], cells = [1, 1] }\n"


def per_call(work, count: int, rounds: int = 7) -> float:
    """The best of several rounds, in microseconds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work(count)
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / count


def main() -> None:
    sim = toile.Simulation(PATCH)
    sim.gravity = (0, 0, 0)

    def one_by_one(count: int) -> None:
        step = sim.step
        for _ in range(count):
            step()

    single, together = per_call(one_by_one, 20_000), per_call(sim.step, 20_000)
    print(f"a step, called one by one      {single:8.3f} µs")
    print(f"a step, {20_000} in one call      {together:8.3f} µs")
    print(f"what the call costs            {single - together:8.3f} µs")

    def read(count: int) -> None:
        for _ in range(count):
            sim.positions

    print(f"a reading of positions         {per_call(read, 10_000):8.3f} µs")
    read(10)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    read(10_000)
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"10⁴ readings: {now - before} bytes more than before, {peak - before} at most meanwhile")


if __name__ == "__main__":
    main()
