"""The exceptions of toile. Their text is the program's own, with the mend."""

from __future__ import annotations


class Error(Exception):
    """What all exceptions of toile are."""


class SceneError(Error, ValueError):
    """A scene that cannot be used.

    Attributes
    ----------
    message : str
        What is wrong, with file, line, column and field as far as they are known.
    help : str or None
        What else to say, such as the names that are known.
    line, column : int or None
        The place in the scene, counted from 1.
    field : str
        The field, such as ``"cloth.sheet.material.bend"``; empty if it is no single one.
    report : str
        The place with the lines around it, as the program prints it.
    """

    def __init__(
        self,
        message: str,
        help: str | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str = "",
        report: str = "",
    ) -> None:
        super().__init__(message, help, line, column, field, report)
        self.message = message
        self.help = help
        self.line = line
        self.column = column
        self.field = field
        self.report = report

    def __str__(self) -> str:
        return self.message if self.help is None else f"{self.message}\n  help: {self.help}"


class ArgumentError(Error, ValueError):
    """An argument of the wrong shape, length or kind."""


class CommandError(Error, ValueError):
    """A command that cannot be obeyed. Nothing has changed."""


class StepError(Error, RuntimeError):
    """A step that cannot be made. The simulation is where the step before it ended.

    Attributes
    ----------
    steps_done : int
        How many steps of the call were made.
    worlds : list of int
        The worlds of a batch that failed.
    """

    def __init__(self, message: str, steps_done: int = 0, worlds: list[int] | None = None) -> None:
        super().__init__(message, steps_done, worlds)
        self.message = message
        self.steps_done = steps_done
        self.worlds = list(worlds or [])

    def __str__(self) -> str:
        return self.message


class RestoreError(Error, ValueError):
    """A snapshot that is damaged or of another scene. The simulation is as it was."""


class RecordingError(Error, ValueError):
    """A recording, a picture or an export that cannot be read or made."""


class BusyError(Error, RuntimeError):
    """Another thread is at work in the same simulation."""


class EngineFault(Error, RuntimeError):
    """The engine failed where it should not have: a bug. The simulation in which it happened is not usable any more."""
