"""Work that is spread: over the cores of this machine, or over a cluster with Ray.

The law of this room: whoever works, results are the same. What a task is told is all that it knows, and results are told apart by
their numbers, not by the order in which they come.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Protocol

from . import _toile
from ._errors import ArgumentError, Error

On = Literal["local", "ray"]
#: What a task does: it gets what all tasks share, its own part, and a flag that asks it to stop.
Work = Callable[[Any, Any, "_toile._Stop | None"], Any]

#: A worker that dies this often over one task is not sent there again.
TRIES = 5
#: How often a worker of a cluster looks whether its node is still there (s).
LOOK = 0.02


class LostWork(Error, RuntimeError):
    """Tasks whose workers died again and again.

    Attributes
    ----------
    numbers : list of int
        The tasks. All others are done.
    """

    def __init__(self, message: str, numbers: list[int] | None = None) -> None:
        super().__init__(message, numbers)
        self.message = message
        self.numbers = list(numbers or [])

    def __str__(self) -> str:
        return self.message


class Crew(Protocol):
    """Somebody who does many tasks."""

    def work(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Do tasks; the number and the result of each come as soon as it is done."""

    def close(self) -> None:
        """Send everybody home."""


def crew(on: str, workers: int | None) -> Crew:
    """The crew of this name."""
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise ArgumentError(f"workers is {workers!r}; it must be a whole number of at least 1")
    if on == "local":
        return Threads(workers or cores())
    if on == "ray":
        return Cluster(workers)
    raise ArgumentError(f'on is {on!r}; it is "local" or "ray"')


def cores() -> int:
    """How many threads the engine takes here."""
    told = os.environ.get("RAYON_NUM_THREADS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads:
    """The cores of this machine. The engine lets go of the interpreter, so threads do."""

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="toile")

    def work(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        stop = _toile._Stop()
        open_: dict[Future[Any], int] = {}
        try:
            for number, part in enumerate(parts):
                open_[self._pool.submit(work, shared, part, stop)] = number
            while open_:
                done, _ = wait(open_, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=open_.__getitem__):
                    yield open_.pop(future), future.result()
        finally:
            # Left early: by Ctrl-C, by an error, or because nobody wants the rest.
            stop.set()
            for future in open_:
                future.cancel()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


#: The watch of this process, if it has one.
_watch: threading.Thread | None = None


def _go_with_the_node() -> None:
    """End this process as soon as the one that started it, Ray's on this node, has ended.

    Then the cluster takes the node for dead, and begins the task again elsewhere. Ray's own workers look every second whether their node is
    there, and until then a task would go on here, for nobody.
    """
    global _watch
    if _watch is not None or os.name == "nt":
        return
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    _watch = threading.Thread(target=look, name="toile-node", daemon=True)
    _watch.start()


def _task(work: Work, shared: Any, part: Any, told: str) -> Any:
    """What a worker of a cluster does."""
    _go_with_the_node()
    # A task has one core. The engine asks for this when it first takes threads.
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    here = _version()
    if here != told:
        raise Error(f"a node of the cluster has toile {here}, but the work was begun with {told}; install the same on all nodes")
    return work(shared, part, None)


def _version() -> str:
    try:
        return version("toile")
    except PackageNotFoundError:
        return "0"


class Cluster:
    """The cluster that Ray is connected to, or this machine as one."""

    def __init__(self, workers: int | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError("on=\"ray\" takes Ray: pip install 'toile[ray]'") from error
        self._ray: Any = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            # With RAY_ADDRESS, or on a node of a cluster, this joins it.
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, num_cpus=workers)
        self._limit = workers

    def _window(self) -> int:
        """So many tasks are handed out at once: enough that nobody waits and a cluster that can grow sees a reason to."""
        total = int(self._ray.cluster_resources().get("CPU", 1))
        return self._limit or max(16, 4 * total)

    def work(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        ray = self._ray
        # A task that was at work on a node when it died is begun again on another; one that was done is not, as its result has come. Each
        # has one reference, which is answered once, whatever becomes of attempts that were given up.
        task = ray.remote(num_cpus=1, max_retries=TRIES - 1)(_task)
        kept = ray.put(shared)
        waiting = iter(enumerate(parts))
        open_: dict[Any, int] = {}
        lost: list[int] = []
        try:
            while True:
                for number, part in waiting:
                    open_[task.remote(work, kept, part, _version())] = number
                    if len(open_) >= self._window():
                        break
                if not open_:
                    break
                done, _ = ray.wait(list(open_), num_returns=1)
                # What is done by now comes along.
                more, _ = ray.wait(list(open_), num_returns=len(open_), timeout=0)
                for answer in sorted({*done, *more}, key=open_.__getitem__):
                    number = open_.pop(answer)
                    try:
                        result = ray.get(answer)
                    except ray.exceptions.RayTaskError as error:
                        raise error.cause from None
                    except ray.exceptions.RayError:
                        lost.append(number)
                        continue
                    yield number, result
        finally:
            for answer in open_:
                ray.cancel(answer, force=True)
        if lost:
            raise LostWork(f"workers died {TRIES} times over each of {len(lost)} tasks; have they enough memory?", lost)

    def close(self) -> None:
        if self._is_ours:
            self._ray.shutdown()
