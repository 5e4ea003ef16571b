"""Sweeps on this machine."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import toile
from toile import _rows, _sweep, _toile
from toile._progress import Progress, in_words

SCENE = """
[time]
step = 0.01
newton_steps = 1
fps = 50
duration = 0.1
[expect]
stretch_below = 0.5
[contact]
cloth = "none"
[cloth.strip]
mesh.grid = { size = [0.3, 0.1], cells = [6, 2] }
model = "mass-spring"
material = { density = 0.15, shear_stiffness = 400.0, bend = 1e-5 }
place.at = [0.0, 0.0, 0.05]
[body.table]
shape = "plane"
"""
BEND = "cloth.strip.material.bend"
DAMPING = "cloth.strip.damping"
GRID = {BEND: [1e-6, 1e-5, 1e-4], DAMPING: [0.0, 1.0]}


def sweep(*arguments, **more):
    more = {"wall_time": False, "progress": False, **more}
    return toile.sweep(*arguments, **more)


def test_a_grid_has_a_row_for_every_combination_the_last_field_fastest():
    swept = sweep(SCENE, GRID)
    assert len(swept) == 6
    assert swept["number"] == list(range(6))
    assert swept[BEND] == [1e-6, 1e-6, 1e-5, 1e-5, 1e-4, 1e-4]
    assert swept[DAMPING] == [0.0, 1.0] * 3
    assert swept["status"] == ["finished"] * 6
    assert set(swept["nodes"]) == {21.0}
    assert swept.failed == {}
    assert swept.path is None
    with pytest.raises(KeyError, match="there is no column `stretch`"):
        swept["stretch"]
    sim = toile.Simulation(SCENE, {BEND: 1e-4, DAMPING: 1.0})
    sim.advance(0.1)
    assert swept["lowest"][-1] == sim.positions[:, 2].min()


def test_zipped_fields_go_together_and_listed_variants_have_names(tmp_path):
    swept = sweep(SCENE, {DAMPING: [0.0, 1.0]}, zipped={BEND: [1e-6, 1e-5], "time.step": [0.01, 0.005]})
    assert swept[BEND] == [1e-6, 1e-6, 1e-5, 1e-5]
    assert swept["step"] == [0.01, 0.01, 0.005, 0.005]
    named = sweep(SCENE, variants={"soft": {BEND: 1e-6}, "stiff": {BEND: 1e-4}})
    assert named["variant"] == ["soft", "stiff"]
    listed = tmp_path / "list.csv"
    listed.write_text(f"name,{BEND}\nsoft,1e-6\nstiff,1e-4\n")
    assert sweep(SCENE, variants=listed).columns == named.columns
    plain = sweep(SCENE, variants=[{BEND: 1e-6}, {"environment.gravity": [0, 0, 0]}])
    assert plain[BEND] == [1e-6, None]
    assert plain["environment.gravity"][0] is None
    many = sweep(SCENE, {"environment.gravity": np.array([[0, 0, -9.81], [0, 0, 0]])})
    assert many["lowest"][0] < many["lowest"][1]


def test_a_value_that_cannot_be_is_a_row_that_says_so():
    swept = sweep(SCENE, {DAMPING: [-1.0, 1.0]})
    assert swept["status"][1] == "finished"
    assert "cloth.strip.damping: is -1; it must be zero or a positive number" in swept.failed[0]
    assert swept["lowest"][0] is None and swept["lowest"][1] is not None


def test_a_run_that_fails_is_a_row_that_says_so():
    swept = sweep(SCENE, {"cloth.strip.material.stretch_stiffness": [1e300, 100.0]})
    assert list(swept.failed) == [0]
    assert "strip" in swept.failed[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "nothing to vary"),
        ({"grid": {}}, "nothing to vary"),
        ({"grid": {BEND: []}}, f"`{BEND}` has no values"),
        ({"grid": {BEND: 1e-6}}, "give a list"),
        ({"grid": {BEND: "1e-6"}}, "give a list"),
        ({"grid": [BEND]}, "a dictionary"),
        ({"grid": {3: [1]}}, "fields are text"),
        ({"zipped": {BEND: [1, 2], DAMPING: [1]}}, f"`{BEND}` has 2, `{DAMPING}` has 1"),
        ({"grid": {BEND: [1]}, "zipped": {BEND: [1]}}, "varied twice"),
        ({"grid": {BEND: range(400), DAMPING: range(400)}}, "more than 100000"),
        ({"variants": []}, "at least one"),
        ({"variants": 3}, "variants are dictionaries"),
        ({"variants": [3]}, "a variant is a dictionary"),
        ({"grid": GRID, "on": "spark"}, 'on is \'spark\'; it is "local" or "ray"'),
        ({"grid": GRID, "workers": 0}, "at least 1"),
        ({"grid": GRID, "resume": True}, "out="),
        ({"grid": {BEND: [None]}}, "is None"),
    ],
)
def test_sweeps_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        sweep(SCENE, **arguments)


def test_a_field_that_does_not_exist_stops_before_anything_runs(tmp_path):
    with pytest.raises(toile.SceneError, match="did you mean `damping`"):
        sweep(SCENE, {"cloth.strip.dampign": [1.0]}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(toile.SceneError, match="nowhere.obj"):
        sweep(SCENE, {DAMPING: [1.0]}, overrides={"cloth.strip.mesh": {"file": {"path": "nowhere.obj"}}})


def test_ray_that_is_not_installed_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    for ask in (lambda: sweep(SCENE, GRID, on="ray"), lambda: toile.fit(SCENE, {BEND: (0, 1)}, objective=float, on="ray")):
        with pytest.raises(ImportError, match=r"pip install 'toile\[ray\]'"):
            ask()


def test_without_pyarrow_rows_are_csv(tmp_path, monkeypatch):
    whole = sweep(SCENE, GRID, out=tmp_path / "whole")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    swept = sweep(SCENE, GRID, out=tmp_path / "plain")
    assert swept.path == tmp_path / "plain" / "results.csv"
    assert swept.columns == whole.columns
    assert (tmp_path / "plain" / "results.csv").read_bytes() == (tmp_path / "whole" / "results.csv").read_bytes()
    assert sorted(os.listdir(tmp_path / "plain")) == ["results.csv", "sweep.mark"]


def counted(monkeypatch, stop_after: int | None = None) -> list:
    """Counts the variants that are run; the one after so many is Ctrl-C."""
    seen: list = []
    real = _sweep._simulate

    def simulate(scene, changes, stop):
        if len(seen) == stop_after:
            raise KeyboardInterrupt
        seen.append(changes)
        return real(scene, changes, stop)

    monkeypatch.setattr(_sweep, "_simulate", simulate)
    return seen


def test_what_was_stopped_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    whole = sweep(SCENE, GRID, out=tmp_path / "whole", workers=2)
    with monkeypatch.context() as patch:
        counted(patch, stop_after=4)
        with pytest.raises(KeyboardInterrupt):
            sweep(SCENE, GRID, out=tmp_path / "parts", workers=1)
    assert len(toile.read_table(tmp_path / "parts" / "results.parquet")) == 4
    with pytest.raises(toile.ArgumentError, match="go on with resume=True"):
        sweep(SCENE, GRID, out=tmp_path / "parts")
    with pytest.raises(toile.ArgumentError, match="of another sweep"):
        sweep(SCENE, {BEND: [1e-6]}, out=tmp_path / "parts", resume=True)
    with pytest.raises(toile.ArgumentError, match="of another sweep"):
        sweep(SCENE, GRID, overrides={"time.duration": 0.2}, out=tmp_path / "parts", resume=True)
    with monkeypatch.context() as patch:
        seen = counted(patch)
        again = sweep(SCENE, GRID, out=tmp_path / "parts", resume=True)
        assert len(seen) == 2
    assert (whole.recalled, again.recalled) == (0, 4)
    assert again.columns == whole.columns
    for name in ("results.csv", "results.parquet"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with monkeypatch.context() as patch:
        seen = counted(patch)
        assert sweep(SCENE, GRID, out=tmp_path / "parts", resume=True).recalled == 6
        assert seen == []
        assert sweep(SCENE, GRID, out=tmp_path / "parts", force=True).recalled == 0
        assert len(seen) == 6


def test_a_row_is_on_the_disk_when_its_variant_is_done(tmp_path, monkeypatch):
    """Killed outright, nothing that was done is lost."""
    monkeypatch.setattr(_rows.Rows, "save", lambda self: None)
    monkeypatch.setattr(_rows, "MOST_PARTS", 3)
    swept = sweep(SCENE, GRID, out=tmp_path, workers=1)
    assert not (tmp_path / "results.csv").exists()
    parts = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert parts == ["000000-4.parquet", "000004-1.parquet", "000005-1.parquet"]
    assert len(toile.read_table(tmp_path / "parts" / parts[0])) == 4
    monkeypatch.undo()
    (tmp_path / "parts" / "000005-1.parquet").unlink()
    (tmp_path / "parts" / "000005-1.parquet.half").write_bytes(b"PAR1")
    seen = counted(monkeypatch)
    again = sweep(SCENE, GRID, out=tmp_path, resume=True)
    assert (again.recalled, len(seen)) == (5, 1)
    assert again.columns == swept.columns
    assert not (tmp_path / "parts").exists()


def test_a_row_that_comes_twice_counts_once(tmp_path):
    rows = _rows.Rows([("number", "integer"), ("x", "number")], tmp_path, False)
    rows.add(1, [1, 0.5])
    rows.add(0, [0, 0.25])
    rows.add(1, [1, 7.0])
    assert rows.all() == [[0, 0.25], [1, 0.5]]
    rows.save()
    assert (tmp_path / "results.csv").read_text().splitlines() == ["number,x", "0,0.25", "1,0.5"]


def test_a_damaged_part_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_rows.Rows, "save", lambda self: None)
    sweep(SCENE, GRID, out=tmp_path)
    monkeypatch.undo()
    (tmp_path / "parts" / "000002-1.parquet").write_bytes(b"nonsense")
    with pytest.raises(toile.RecordingError, match="000002-1.parquet.*remove it"):
        sweep(SCENE, GRID, out=tmp_path, resume=True)


def test_the_table_is_that_of_pyarrow_too(tmp_path):
    swept = sweep(SCENE, GRID, out=tmp_path)
    table = swept.table()
    assert table == toile.read_table(tmp_path / "results.parquet")
    assert table.column_names == list(swept.columns)
    assert str(table.schema.field("number").type) == "int64"
    assert str(table.schema.field("gap_smallest").type) == "double"


def program() -> Path | None:
    """The program `toile` as it was built last, if it was."""
    target = Path(__file__).parents[2] / "target"
    found = [target / profile / f"toile{'.exe' if os.name == 'nt' else ''}" for profile in ("release", "debug")]
    return max((path for path in found if path.exists()), key=lambda path: path.stat().st_mtime, default=None)


@pytest.mark.skipif(program() is None, reason="the program is not built")
def test_the_table_is_that_of_the_program(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    command = [str(program()), "sweep", "scene.toml", "-o", "told", "-q"]
    command += ["--grid", f"{BEND}=1e-6,1e-5,1e-4", "--grid", f"{DAMPING}=0,1"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    swept = toile.sweep(tmp_path / "scene.toml", {BEND: [1e-6, 1e-5, 1e-4], DAMPING: [0, 1]}, out=tmp_path / "own", progress=False)
    told, own = ((tmp_path / name / "results.csv").read_text().splitlines() for name in ("told", "own"))
    assert told[0] == own[0]
    seconds = told[0].split(",").index("seconds")
    without = [[line.split(",")[:seconds] + line.split(",")[seconds + 1 :] for line in lines] for lines in (told, own)]
    assert without[0] == without[1]
    assert len(swept) == 6 and all(value > 0 for value in swept["seconds"])


def test_files_that_a_scene_names_are_read_once_and_go_along(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "scenes").mkdir()
    (tmp_path / "meshes" / "sheet.obj").write_text("v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n")
    scene = tmp_path / "scenes" / "scene.toml"
    scene.write_text('[time]\nduration = 0.04\n[cloth.sheet]\nmesh.file = { path = "../meshes/sheet.obj" }\n')
    plan = _toile._Plan((scene, None, None), [[(None, {"cloth.sheet.damping": 1.0})]])
    packed = pickle.loads(pickle.dumps(plan.packed))
    (tmp_path / "meshes" / "sheet.obj").unlink()
    row = _toile._simulate(packed, plan.changes(0))
    assert row is not None and row[0] == "finished"
    assert toile.Simulation(packed).positions.shape == (3, 3)


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_leaves_what_is_done(tmp_path):
    code = (
        "import signal, toile\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    toile.sweep('hello', {'cloth.sheet.damping': [0.1 * k for k in range(100)]}, overrides={'time.duration': 0.1},\n"
        "                out='out', workers=2)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    timer = threading.Thread(target=interrupt_when, args=(child, tmp_path / "out" / "parts"), daemon=True)
    timer.start()
    try:
        out, _ = child.communicate(timeout=120)
    finally:
        child.kill()
    assert out == "stopped\n"
    done = len((tmp_path / "out" / "results.csv").read_text().splitlines()) - 1
    assert 0 < done < 100


def interrupt_when(child: subprocess.Popen, parts: Path) -> None:
    while child.poll() is None and not (parts.exists() and any(parts.iterdir())):
        threading.Event().wait(0.02)
    child.send_signal(signal.SIGINT)


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    terminal, lines, quiet = Terminal(), io.StringIO(), io.StringIO()
    shown = [Progress("variant", None, terminal), Progress("variant", True, lines), Progress("variant", False, quiet)]
    for done in range(5):
        for one in shown:
            one.show(done, 10)
        now[0] += 3.0
    assert "4 of 10 variants, 18 seconds left" in terminal.getvalue()
    assert lines.getvalue().splitlines() == ["2 of 10 variants, 24 seconds left", "4 of 10 variants, 18 seconds left"]
    shown[0].finish()
    assert terminal.getvalue().endswith("\r")
    assert quiet.getvalue() == ""
    assert [in_words(s) for s in (1, 61, 7200, 86400 * 3)] == ["1 second", "1 minute", "2 hours", "3 days"]
