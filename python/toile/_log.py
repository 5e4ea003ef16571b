"""Every evaluation of a fit, on the disk as soon as it is done.

Searches ask for the same points again when they start again, so a fit that was stopped is resumed by starting again: points that
are in the log need no simulation. The file is that of the program's ``toile fit``, with ``value`` for its ``loss``.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TextIO

from ._errors import ArgumentError


class Log:
    """Points and their values, in memory and in a folder."""

    def __init__(self, folder: Path | None, names: list[str], mark: str, resume: bool, force: bool) -> None:
        self._names = names
        self._known: dict[bytes, float] = {}
        self._asked: dict[bytes, None] = {}
        self._path: Path | None = None
        self._file: TextIO | None = None
        self.recalled = 0
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        marked, path = folder / "fit.mark", folder / "evaluations.csv"
        if marked.exists() and not (resume or force):
            raise ArgumentError(
                f"{folder} has results already; go on with resume=True, replace them with force=True, or choose another out"
            )
        if marked.exists() and resume and marked.read_text() != mark:
            raise ArgumentError(
                f"{folder} has results of another fit: the scene, what is varied, or what it is held against has changed; choose another out, or force=True"
            )
        marked.write_text(mark)
        text = path.read_text() if resume and path.exists() else ""
        self._path = path
        self._file = path.open("w")
        self._file.write(self._heading())
        for line in text.splitlines()[1:]:
            self._take(line)
        self._file.flush()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None or self._path is None:
            return
        self._file.close()
        # Who was done first is chance; in the order in which they were asked for, the same fit leaves the same bytes.
        half = self._path.with_name("evaluations.csv.half")
        known = {**self._asked, **dict.fromkeys(self._known)}
        half.write_text(self._heading() + "".join(self._line(key) for key in known))
        os.replace(half, self._path)

    def _heading(self) -> str:
        return ",".join([*self._names, "value"]) + "\n"

    def _line(self, key: bytes) -> str:
        numbers = [*struct.unpack(f"{len(self._names)}d", key), self._known[key]]
        return ",".join(repr(float(number)) for number in numbers) + "\n"

    def order(self, points: Sequence[Mapping[str, float]]) -> None:
        """These were asked for, in this order."""
        self._asked.update(dict.fromkeys(self._key(point) for point in points))

    def recall(self, point: Mapping[str, float]) -> float | None:
        """What is known of a point."""
        value = self._known.get(self._key(point))
        self.recalled += value is not None
        return value

    def note(self, point: Mapping[str, float], value: float) -> None:
        """A point that was simulated. It is on the disk when this returns."""
        key = self._key(point)
        self._known[key] = value
        if self._file is not None:
            self._file.write(self._line(key))
            self._file.flush()

    def _key(self, point: Mapping[str, float]) -> bytes:
        return struct.pack(f"{len(self._names)}d", *(point[name] for name in self._names))

    def _take(self, line: str) -> None:
        """Reads a line of before. One that was cut off when the machine was switched off does not count."""
        try:
            *point, value = (float(word) for word in line.split(","))
        except ValueError:
            return
        if len(point) == len(self._names):
            self.note(dict(zip(self._names, point)), value)
