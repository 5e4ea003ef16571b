"""What the book says about Python, run from top to bottom."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def blocks() -> list[tuple[int, str, str]]:
    """Line, what is needed and text of every block. ```` ```python needs=ray ```` is left out where ray is not installed."""
    found = []
    for match in re.finditer(r"^```python([^\n]*)\n(.*?)^```", PAGE.read_text(), re.M | re.S):
        line = PAGE.read_text()[: match.start()].count("\n") + 2
        needs = re.search(r"needs=(\w+)", match.group(1))
        found.append((line, needs.group(1) if needs else "", match.group(2)))
    return found


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    if not PAGE.exists():
        pytest.skip("installed without the book")
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "__main__"}
    run = 0
    for line, needs, text in blocks():
        if needs and find_spec(needs) is None:
            continue
        # Lines count as in the page.
        exec(compile("\n" * (line - 1) + text, str(PAGE), "exec"), space)
        run += 1
    assert run >= 12
