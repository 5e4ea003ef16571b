"""How far work is: a bar with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

#: Plain lines come this far apart (s).
LINES_APART = 5.0
#: A bar is drawn this often at most (s).
BARS_APART = 0.1
WIDTH = 32


class Progress:
    """Shows on standard error how many of many like things are done."""

    def __init__(self, what: str, is_shown: bool | None = None, out: TextIO | None = None) -> None:
        self._what = what
        self._out = out if out is not None else sys.stderr
        self._is_bar = bool(getattr(self._out, "isatty", lambda: False)())
        self._is_shown = True if is_shown is None else is_shown
        self._begin = time.monotonic()
        self._last = self._begin
        self._first: int | None = None
        self._drawn = 0

    def show(self, done: int, all: int, message: str = "") -> None:
        """So many of all are done."""
        # What was there before took no time.
        first = self._first = done if self._first is None else self._first
        now = time.monotonic()
        apart = BARS_APART if self._is_bar else LINES_APART
        is_due = now - self._last >= apart or (self._is_bar and (self._drawn == 0 or done == all))
        if not self._is_shown or not is_due:
            return
        self._last = now
        left = None if done <= first else (all - done) * (now - self._begin) / (done - first)
        words = [f"{done} of {all} {self._what}s", message, "" if left is None else f"{in_words(left)} left"]
        text = ", ".join(word for word in words if word)
        if self._is_bar:
            full = WIDTH * done // max(1, all)
            text = f"{'█' * full}{'░' * (WIDTH - full)} {text}"
            self._out.write("\r" + text.ljust(self._drawn))
            self._drawn = len(text)
        else:
            self._out.write(text + "\n")
        self._out.flush()

    def finish(self) -> None:
        """Clear the bar."""
        if self._drawn:
            self._out.write("\r" + " " * self._drawn + "\r")
            self._out.flush()
            self._drawn = 0


def in_words(seconds: float) -> str:
    """A time as one says it."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    count = round(seconds)
    return f"{count} second{'s' if count != 1 else ''}"
