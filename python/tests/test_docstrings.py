"""What ``help`` says: every public name has a docstring, and a call says what it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

import toile


def public() -> Iterator[tuple[str, Any]]:
    """Names of the package and, of its classes, methods and properties."""
    rooms = [toile]
    if find_spec("gymnasium"):
        rooms.append(import_module("toile.envs"))
    for room in rooms:
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isclass(thing) or callable(thing):
                yield f"{room.__name__}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for member in dir(thing):
                    owner = next(kind for kind in thing.__mro__ if member in kind.__dict__)
                    if member[0] != "_" and owner.__module__.startswith("toile"):
                        yield f"{room.__name__}.{name}.{member}", getattr(thing, member)


PUBLIC = dict(public())


def test_everything_public_is_looked_at():
    assert {"toile.Simulation.step", "toile.Batch.set", "toile.Grasp.force", "toile.sweep"} <= set(PUBLIC)
    assert len(PUBLIC) > 150


@pytest.mark.parametrize("name", PUBLIC)
def test_it_has_a_docstring_in_the_style_of_numpy(name):
    thing = PUBLIC[name]
    if not (inspect.isclass(thing) or callable(thing) or inspect.isdatadescriptor(thing)):
        return  # A constant of a class.
    text = inspect.getdoc(thing) or ""
    kind, _, member = name.rpartition(".")
    if not text and re.search(rf"Attributes\n-+\n.*^(?! ).*\b{member}\b", inspect.getdoc(PUBLIC.get(kind)) or "", re.M | re.S):
        return  # Its class says what it is.
    assert text.split("\n")[0].strip().endswith((".", ":")), f"{name}: {text[:80]!r}"
    if inspect.isclass(thing) or not callable(thing):
        return
    taken = [name.lstrip("*") for name in inspect.signature(thing).parameters if name not in ("self", "cls")]
    _, heading, told = text.partition("Parameters\n----------\n")
    assert heading or not taken, f"{name} does not say what {taken} are"
    missing = [one for one in taken if not re.search(rf"^(?! ).*\b{one}\b", told, re.M)]
    assert not missing, f"{name} does not say what {missing} are"
