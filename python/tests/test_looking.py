"""Pictures, recordings, exports, tables."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

import toile

ABOVE = toile.Camera(eye=(0.0, 0.0, 1.5), target=(0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0), fov=30)


def test_a_camera_sees_colours_distances_and_what_is_where(sim):
    sim.body["finger"].pose = (0.1, 0.0, 0.3)
    sim.step()
    picture = sim.render(81, 61, ABOVE)
    assert picture.rgb.shape == (61, 81, 3) and picture.rgb.dtype == np.uint8
    assert picture.depth.shape == (61, 81) and picture.depth.dtype == np.float32
    assert sorted(picture.labels.values()) == ["body.finger", "body.table", "cloth.towel"]
    cloth, finger, table = (picture.mask(n) for n in ("cloth.towel", "body.finger", "body.table"))
    assert cloth[30, 40] and table[0, 0]
    assert picture.depth[30, 40] == pytest.approx(1.4, abs=2e-3)
    assert picture.depth[0, 0] == pytest.approx(1.5, abs=2e-3)
    assert picture.depth[finger].min() == pytest.approx(1.5 - 0.32, abs=2e-3)
    # The towel of 0.3 m at a distance of 1.4 m.
    focal = ABOVE.intrinsics(81, 61)[0, 0]
    side = 0.3 / 1.4 * focal
    assert (cloth | finger).sum() == pytest.approx(side**2, rel=0.1)
    assert picture.rgba.shape == (61, 81, 4)
    assert sim.render(81, 61, ABOVE).rgb.tobytes() == picture.rgb.tobytes()


def test_points_of_a_depth_picture_lie_on_the_cloth(sim):
    camera = toile.Camera(eye=(0.3, -0.5, 0.6), target=(0.0, 0.0, 0.1), fov=40)
    seen = sim.render(120, 90, camera, color=False)
    assert seen.rgb is None
    cloud = camera.points(seen.depth)[seen.mask("cloth.towel")]
    assert len(cloud) > 500
    assert np.abs(cloud[:, 2] - 0.1).max() < 1e-4
    assert np.abs(cloud[:, :2]).max() < 0.151
    assert not np.isfinite(camera.points(np.full((2, 2), np.inf))).all()


def test_the_background_is_label_zero_and_infinitely_far():
    sim = toile.Simulation("[cloth.a]\nmesh.grid = { size = [1, 1], cells = [2, 2] }\n")
    picture = sim.render(64, 48)
    assert (picture.segmentation == 0).any() and (picture.segmentation == 1).any()
    assert np.isinf(picture.depth[picture.segmentation == 0]).all()
    assert picture.rgba[..., 3].min() == 0
    assert sim.render(32, 24, {"azimuth": 10, "elevation": 80, "zoom": 2}).mask("cloth.a").mean() > 0.5
    stretched = sim.render(64, 48, stretch=0.01, wireframe=True, depth=False)
    assert stretched.depth is None and not np.array_equal(stretched.rgb, picture.rgb)


def test_pictures_are_png_files(sim, tmp_path):
    picture = sim.render(40, 30, quality="draft")
    picture.save(tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content == picture._repr_png_()
    start = content.index(b"IDAT")
    (length,) = struct.unpack(">I", content[start - 4 : start])
    rows = np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + length]), np.uint8).reshape(30, 121)
    assert np.array_equal(rows[:, 1:].reshape(30, 40, 3), picture.rgb)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": 0}, "from 1 to"),
        ({"width": 100000}, "from 1 to"),
        ({"quality": "best"}, '"draft", "good" or "fine"'),
        ({"stretch": 0.0}, "positive"),
        ({"camera": {"azimut": 3}}, "did you mean `azimuth`"),
        ({"camera": {"azimuth": float("nan")}}, "finite"),
        ({"camera": {"zoom": 0}}, "positive"),
        ({"camera": {"eye": (0, 0, 1)}}, "needs a target"),
        ({"camera": {"eye": (0, 0, 1), "target": (0, 0, 1)}}, "elsewhere"),
        ({"camera": {"eye": (0, 0), "target": (0, 0, 1)}}, "3 numbers"),
        ({"camera": toile.Camera((0, 0, 1), (0, 0, 0), fov=500)}, "degrees"),
        ({"camera": "above"}, "toile.Camera"),
    ],
)
def test_pictures_that_cannot_be_are_refused(sim, arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        sim.render(**arguments)


def test_a_picture_says_what_it_does_not_have(sim):
    with pytest.raises(toile.ArgumentError, match="color=True"):
        sim.render(8, 8, color=False)._repr_png_()
    with pytest.raises(toile.ArgumentError, match="depth=True"):
        sim.render(8, 8, depth=False).mask("cloth.towel")
    with pytest.raises(KeyError, match="cloth.towel"):
        sim.render(8, 8).mask("towel")


def test_frames_are_kept_saved_and_read_without_copies(sim, tmp_path):
    sim.record(fps=50)
    positions = [sim.positions.copy()]
    for _ in range(5):
        sim.step(4)
        positions.append(sim.positions.copy())
    assert sim.frames_kept == 6
    sim.step()
    sim.save(tmp_path / "frames.toile")
    recording = toile.Recording(tmp_path)
    assert len(recording) == 7
    assert np.allclose(recording.time[:6], np.arange(6) * 0.02)
    for frame, there in enumerate(positions):
        assert np.allclose(recording.positions(frame), there, atol=1e-6)
    assert recording.local_positions.base is not None
    assert not recording.local_positions.flags.writeable
    assert recording.local_velocities.shape == (7, 49, 3)
    assert recording.bodies == list(sim.body)
    assert np.allclose(recording.poses[0, recording.bodies.index("finger"), :3], [0, 0, 1])
    track = recording.cloth["towel"]
    assert np.array_equal(track.faces, sim.faces)
    assert np.array_equal(track.triangles, sim.triangles)
    assert np.array_equal(track.edges, sim.edges)
    assert np.allclose(track.rest_lengths, sim.rest_lengths)
    assert np.array_equal(track.positions(2), recording.positions(2))
    recording.check()
    assert recording.render(0, 40, 30, quality="draft").shape == (30, 40, 3)


def test_going_back_forgets_the_frames_after(sim, tmp_path):
    sim.record(fps=200)
    sim.step(3)
    snapshot = sim.snapshot()
    sim.step(5)
    sim.restore(snapshot)
    assert sim.frames_kept == 4
    sim.step()
    sim.save(tmp_path / "frames.toile")
    assert (np.diff(toile.Recording(tmp_path).time) > 0).all()
    sim.reset()
    assert sim.frames_kept == 1


def test_a_recording_far_away_keeps_its_digits(towel, tmp_path):
    scene = {**towel, "cloth": {"towel": {**towel["cloth"]["towel"], "place": {"at": [5000.0, 0.0, 0.1]}}}}
    sim = toile.Simulation(scene)
    sim.save(tmp_path / "frames.toile")
    recording = toile.Recording(tmp_path)
    assert recording.origins[0, 0] > 1000
    assert np.abs(recording.positions(0) - sim.positions).max() < 1e-6


def test_damaged_recordings_are_refused(sim, tmp_path):
    file = tmp_path / "frames.toile"
    sim.record(200)
    sim.step(3)
    sim.save(file)
    whole = file.read_bytes()
    with pytest.raises(toile.RecordingError, match="nowhere"):
        toile.Recording(tmp_path / "nowhere")
    for content, words in (
        (b"", "empty"),
        (b"something else entirely", "does not begin as one"),
        (whole[:8] + b"\x09\0\0\0" + whole[12:], "format 9"),
        (whole[:40], "cut off"),
        (whole[:60] + b"?" + whole[61:], "not a readable"),
    ):
        file.write_bytes(content)
        with pytest.raises(toile.RecordingError, match=words):
            toile.Recording(file)
    file.write_bytes(whole[:-5])
    cut = toile.Recording(file)
    assert len(cut) == 3, "an incomplete last frame does not count"
    damaged = bytearray(whole)
    damaged[-40] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(toile.RecordingError, match="frame 3 .* is damaged"):
        toile.Recording(file).check()
    with pytest.raises(IndexError, match="frame 4 was asked for"):
        toile.Recording(file).positions(4)


def test_the_player_is_one_page_with_all_frames(sim, tmp_path):
    sim.record(200)
    sim.step(3)
    player = sim.show()
    assert player.page.lstrip().lower().startswith("<!doctype html>")
    assert 'src="http' not in player.page and "Towel" in player.page
    inline = player._repr_html_()
    assert inline.startswith("<iframe srcdoc=") and "<!doctype" not in inline.lower()
    player.save(tmp_path / "motion.html")
    assert (tmp_path / "motion.html").read_text(encoding="utf-8") == player.page
    assert "MB" in repr(player)


def test_exports_are_files_of_other_programs(sim, tmp_path):
    sim.record(200)
    sim.step(2)
    (glb,) = sim.export(tmp_path / "motion.glb")
    assert glb.read_bytes()[:4] == b"glTF"
    with pytest.raises(toile.RecordingError, match="force=True"):
        sim.export(tmp_path / "motion.glb")
    sim.export(tmp_path / "motion.glb", force=True)
    objs = sim.export(tmp_path / "towel.obj", up="y")
    assert len([file for file in objs if file.suffix == ".obj"]) == 3
    with pytest.raises(toile.ArgumentError, match="glb, usda"):
        sim.export(tmp_path / "motion.fbx")
    with pytest.raises(toile.ArgumentError, match='"z" or "y"'):
        sim.export(tmp_path / "a.obj", up="x")
    with pytest.raises(toile.ArgumentError, match="frame rate"):
        sim.record(0)


def test_trimesh_has_the_same_surface(sim):
    pytest.importorskip("trimesh")
    mesh = sim.to_trimesh()
    assert mesh.area == pytest.approx(0.09)
    assert len(sim.to_trimesh("towel").vertices) == 49


def test_tables_go_through_pyarrow(tmp_path):
    pa = pytest.importorskip("pyarrow")
    file = tmp_path / "metrics.csv"
    file.write_text("# a note\ntime,stretch_worst,name\n0,0.5,a\n1,,b\n")
    table = toile.read_table(file)
    assert table.column_names == ["time", "stretch_worst", "name"]
    assert table["stretch_worst"].to_pylist() == [0.5, None]
    toile.write_table(table, tmp_path / "a.parquet")
    assert toile.read_table(tmp_path / "a.parquet").equals(table)
    toile.write_table({"x": [1.0, 2.0]}, tmp_path / "b.csv")
    assert toile.read_table(tmp_path / "b.csv").equals(pa.table({"x": [1, 2]}))
    with pytest.raises(toile.ArgumentError, match=".parquet or .csv"):
        toile.write_table({"x": [1]}, tmp_path / "b.txt")
    with pytest.raises(toile.RecordingError, match="missing.csv"):
        toile.read_table(tmp_path / "missing.csv")


def test_metrics_of_a_run_are_plotted(tmp_path, sim):
    pytest.importorskip("pyarrow")
    pytest.importorskip("matplotlib")
    sim.save(tmp_path / "frames.toile")
    (tmp_path / "metrics.csv").write_text("time,stretch_worst\n0,0.1\n1,0.2\n")
    recording = toile.Recording(tmp_path)
    figure = recording.plot()
    (axis,) = figure.axes
    assert axis.lines[0].get_ydata().tolist() == [0.1, 0.2]
    with pytest.raises(KeyError, match="stretch_worst"):
        recording.plot(["stretch"])
