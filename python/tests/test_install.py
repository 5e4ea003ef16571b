"""What the package needs, and what it does without."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires

#: What extras bring, and what these bring along.
EXTRAS = ("ray", "gymnasium", "pyarrow", "trimesh", "matplotlib", "pandas", "scipy", "torch", "typing_extensions")

RUN = """
import sys
for name in EXTRAS:
    sys.modules[name] = None
import numpy as np, toile
strip = {
    "time": {"step": 0.01, "duration": 0.05, "newton_steps": 1},
    "contact": {"cloth": "none"},
    "cloth": {"strip": {"mesh": {"grid": {"size": [0.3, 0.1], "cells": [6, 2]}}, "pin": [{"select": {"nodes": [0, 7, 14]}}],
                        "model": "mass-spring", "material": {"density": 0.15, "shear_stiffness": 400.0, "bend": 1e-5}}},
}
bend = "cloth.strip.material.bend"
swept = toile.sweep(strip, {bend: [1e-6, 1e-5]}, out="swept", on="local", progress=False)
assert swept["status"] == ["finished"] * 2 and swept.path.name == "results.csv"
sim = toile.Simulation(strip, {bend: 2e-5})
frames, times = [sim.positions.copy()], 0.05 * np.arange(4)
for _ in times[1:]:
    sim.advance(0.05)
    frames.append(sim.positions.copy())
found = toile.fit(strip, {bend: (1e-6, 1e-3, "log")}, target=frames, times=times, max_evaluations=6, out="fitted", progress=False)
assert found.evaluations > 0
toile.fit(strip, {bend: (1e-6, 1e-3)}, objective=lambda sim: 0.0, max_evaluations=6, on="local", progress=False)
assert toile.Batch(strip, 2).positions.shape == (2, 21, 3)
assert sim.render(32, 24).rgb.shape == (24, 32, 3)
sim.show().save("player.html")
for call, extra in ((sim.to_trimesh, "mesh"), (swept.table, "table"), (lambda: toile.read_table("swept/results.csv"), "table"),
                    (lambda: toile.sweep(strip, {bend: [1e-6]}, on="ray"), "ray")):
    try:
        call()
    except ImportError as error:
        assert f"pip install 'toile[{extra}]'" in str(error), error
    else:
        raise AssertionError(extra)
print("done")
"""


def test_numpy_is_all_that_it_needs(tmp_path):
    code = RUN.replace("EXTRAS", repr(EXTRAS))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert ran.returncode == 0 and ran.stdout.strip() == "done", ran.stderr


def test_everything_else_is_an_extra():
    hard, extras = [], set()
    for line in requires("toile") or []:
        name = re.split(r"[ <>=;(\[]", line)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        (extras.add((extra.group(1), name)) if extra else hard.append(name))
    assert hard == ["numpy"]
    assert {("gym", "gymnasium"), ("ray", "ray"), ("mesh", "trimesh"), ("table", "pyarrow"), ("plot", "matplotlib")} <= extras
