"""Stepping, arrays, answers, snapshots."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
import weakref

import numpy as np
import pytest

import toile

TEXT = """
[time]
newton_steps = 1
[contact]
cloth = "none"
[cloth.sheet]
mesh.grid = { size = [0.2, 0.2], cells = [3, 3] }
model = "mass-spring"
material = { density = 0.15, shear_stiffness = 400.0, bend = 1e-5 }
[[cloth.sheet.pin]]
select.corners = [2, 3]
"""


def test_a_scene_is_a_bundled_name_a_path_text_or_a_dictionary(tmp_path, towel):
    file = tmp_path / "sheet.toml"
    file.write_text(TEXT)
    for scene in (TEXT, file, str(file)):
        assert toile.Simulation(scene).positions.shape == (16, 3)
    assert toile.Simulation("hello").title == "Hanging sheet"
    assert toile.Simulation(towel).positions.shape == (49, 3)
    assert "hello" in toile.bundled_scenes()
    assert toile.Simulation(toile.scene_text("hello")).positions.shape == (1681, 3)


def test_overrides_take_numbers_lists_and_arrays_of_numpy():
    overrides = {
        "cloth.sheet.mesh.grid.cells": np.array([2, 5]),
        "cloth.sheet.material.bend": np.float32(1e-5),
        "time.step": 0.002,
        "title": "changed",
    }
    sim = toile.Simulation(TEXT, overrides)
    assert sim.positions.shape == (18, 3)
    assert sim.time_step == 0.002
    assert sim.title == "changed"


def test_files_can_be_handed_over_in_memory():
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    scene = '[cloth.patch]\nmesh.file = { path = "patch.obj" }\n'
    sim = toile.Simulation(scene, files={"patch.obj": mesh})
    assert sim.faces.tolist() == [[0, 1, 2]]
    again = pickle.loads(pickle.dumps(sim))
    assert again.faces.tolist() == [[0, 1, 2]]


def test_free_fall_is_that_of_the_integrator(sim):
    sim.step(10)
    h, n = sim.time_step, 10
    assert sim.time == pytest.approx(n * h)
    # Backward Euler with the damping of 0.5 / s: v ← (v − g h) / (1 + 0.5 h).
    velocity = height = 0.0
    for _ in range(n):
        velocity = (velocity - 9.81 * h) / (1 + 0.5 * h)
        height += h * velocity
    assert np.allclose(sim.velocities[:, 2], velocity, rtol=1e-3)
    assert np.allclose(sim.positions[:, 2] - 0.1, height, rtol=1e-3)


def test_advance_goes_in_whole_steps_and_a_rest(sim):
    sim.advance(0.0125)
    assert sim.time == pytest.approx(0.0125)
    assert sim.steps == 3
    sim.advance(0.0)
    assert sim.steps == 3


def test_views_are_live_read_only_and_always_the_same_object(sim):
    view = sim.positions
    assert sim.positions is view and sim.velocities is sim.velocities
    before = view.copy()
    sim.step(3)
    assert not np.array_equal(before, view)
    sim.reset()
    assert np.array_equal(before, view)
    address = view.__array_interface__["data"][0]
    snapshot = sim.snapshot()
    sim.step(2)
    sim.restore(snapshot)
    assert sim.positions.__array_interface__["data"][0] == address
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1.0
    with pytest.raises(ValueError):
        view.setflags(write=True)
    for name in ("faces", "edges", "rest_lengths", "masses", "triangles", "uv"):
        array = getattr(sim, name)
        assert array is getattr(sim, name)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_view_outlives_its_simulation(towel):
    sim = toile.Simulation(towel)
    sim.step(2)
    view, kept = sim.positions, sim.positions.copy()
    gone = weakref.ref(sim)
    del sim
    gc.collect()
    assert gone() is None, "an array must not keep the whole simulation object"
    others = [toile.Simulation(towel) for _ in range(5)]
    [other.step(1) for other in others]
    assert np.array_equal(view, kept)


def test_ten_thousand_readings_of_positions_allocate_nothing(sim):
    read = lambda: [None for _ in range(10_000) if sim.positions is None]  # noqa: E731
    read()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    read()
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    own = tracemalloc.Filter(False, tracemalloc.__file__)
    grown = after.filter_traces([own]).compare_to(before.filter_traces([own]), "lineno")
    assert sum(entry.size_diff for entry in grown) < 1000


def test_meshes_have_faces_edges_lengths_and_cloths():
    text = TEXT + (
        '[cloth.other]\nmodel = "mass-spring"\nmesh.grid = { size = [0.1, 0.1], cells = [1, 1] }\nplace = { at = [1, 0, 0] }\n'
    )
    sim = toile.Simulation(text)
    assert list(sim.cloth) == ["sheet", "other"] or sorted(sim.cloth) == ["other", "sheet"]
    for cloth in sim.cloth.values():
        ends = cloth.positions[cloth.edges]
        lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        assert np.allclose(lengths, cloth.rest_lengths)
        assert cloth.faces.max() == len(cloth) - 1
        assert cloth.triangles.max() == len(cloth) - 1
    sheet = sim.cloth["sheet"]
    assert len(sheet) == 16 and sheet.positions.base is not None
    sim.step()
    assert np.array_equal(sheet.positions, sim.positions[sheet.nodes])
    areas = sim.positions[sim.triangles]
    crossed = np.cross(areas[:, 1] - areas[:, 0], areas[:, 2] - areas[:, 0])
    assert 0.5 * np.linalg.norm(crossed, axis=1).sum() == pytest.approx(0.04 + 0.01, rel=1e-2)


def test_triangles_among_quads_are_marked():
    mesh = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nf 1 2 3 4\nf 2 5 3\n"
    scene = '[cloth.patch]\nmesh.file = { path = "patch.obj" }\n'
    sim = toile.Simulation(scene, files={"patch.obj": mesh})
    assert sim.faces.tolist() == [[0, 1, 2, 3], [1, 4, 2, -1]]
    assert sim.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 2]]
    assert sim.uv is None


def test_the_certificate_tells_of_steps(sim):
    assert sim.certificate is None
    sim.step(4)
    last, call = sim.certificate, sim.certificate_of_call
    assert last.steps == 1 and call.steps == 4
    assert call.stretch_worst >= last.stretch_worst
    assert last.status == "converged" and last.converged
    assert last.gap_smallest is not None and last.gap_smallest > 0
    assert "stretch_worst" in repr(last)
    edges = sim.positions[sim.edges]
    stretch = np.linalg.norm(edges[:, 0] - edges[:, 1], axis=1) / sim.rest_lengths - 1
    assert last.stretch_worst == pytest.approx(stretch.max(), abs=1e-12)
    sim.reset()
    assert sim.certificate is None and sim.certificate_of_call is None


def test_energies_add_up(sim):
    sim.step(5)
    energies = sim.energies
    kinetic = 0.5 * (sim.masses * (sim.velocities**2).sum(axis=1)).sum()
    assert energies.kinetic == pytest.approx(kinetic)
    assert energies.gravity == pytest.approx(9.81 * (sim.masses * sim.positions[:, 2]).sum())
    assert energies.total == pytest.approx(energies.kinetic + energies.gravity + energies.elastic)


def test_contacts_carry_the_weight(sim):
    sim.advance(2.0)
    contacts = sim.contacts
    assert len(contacts) > 0
    table = list(sim.body).index("table")
    assert set(contacts.body.tolist()) == {table}
    weight = 9.81 * sim.masses.sum()
    assert contacts.force[:, 2].sum() == pytest.approx(weight, rel=1e-3)
    assert np.allclose(contacts.normal, [0, 0, 1])
    assert contacts.nodes.shape == (len(contacts), 4)
    assert sim.body["table"].force[2] == pytest.approx(-weight, rel=1e-3)
    assert sim.body["table"].touching == len(contacts)


def test_a_snapshot_goes_on_to_the_same_bits(sim):
    sim.grasp([0, 1, 7]).velocity = (0.1, 0.0, 0.2)
    sim.step(20)
    snapshot = sim.snapshot()
    sim.step(20)
    end = sim.positions.copy()
    sim.restore(snapshot)
    assert sim.snapshot() == snapshot
    sim.step(20)
    assert np.array_equal(sim.positions, end)


@pytest.mark.parametrize("how", [toile.Simulation.clone, copy.copy, copy.deepcopy])
def test_a_copy_goes_the_same_way_by_itself(sim, how):
    sim.grasp([0]).velocity = (0.0, 0.0, 0.3)
    sim.step(10)
    other = how(sim)
    assert type(other) is type(sim)
    other.step(10)
    assert other.time > sim.time
    sim.step(10)
    assert np.array_equal(sim.positions, other.positions)


def test_a_pickled_simulation_goes_on_to_the_same_bits(sim):
    sim.grasp([0, 1]).velocity = (0.0, 0.1, 0.3)
    sim.set("cloth.towel.material.bend", 2e-5)
    sim.step(10)
    other = pickle.loads(pickle.dumps(sim))
    assert other.settings == {"cloth.towel.material.bend": 2e-5}
    sim.step(10)
    other.step(10)
    assert np.array_equal(sim.positions, other.positions)


def test_answers_can_be_pickled_and_copied(sim, tmp_path):
    sim.advance(0.3)
    for again in (lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy):
        for told in (sim.certificate, sim.energies):
            other = again(told)
            names = [name for name in dir(told) if not name.startswith("_")]
            assert len(names) >= 4 and type(other) is type(told)
            assert all(getattr(other, name) == getattr(told, name) for name in names)
        contacts, touched = sim.contacts, again(sim.contacts)
        assert len(touched) == len(contacts) > 0
        for name in ("nodes", "weights", "body", "place", "normal", "force", "sliding"):
            assert np.array_equal(getattr(touched, name), getattr(contacts, name))
        sim.save(tmp_path / "frames.toile")
        recording = toile.Recording(tmp_path / "frames.toile")
        assert np.array_equal(again(recording).local_positions, recording.local_positions)
        assert np.array_equal(again(sim.cloth["towel"]).positions, sim.positions)
        assert np.array_equal(again(sim.positions), sim.positions)


def test_a_seed_changes_what_is_drawn_by_lot_and_repeats():
    text = TEXT + "[cloth.sheet.noise]\ndeviation = 1e-3\n"
    sim = toile.Simulation(text)
    view, start = sim.positions, sim.positions.copy()
    sim.reset(seed=1)
    one = view.copy()
    assert not np.array_equal(start, one)
    sim.reset(seed=2)
    assert not np.array_equal(view, one)
    sim.step(5)
    sim.reset(seed=1)
    assert np.array_equal(view, one)
    sim.reset()
    assert np.array_equal(view, one), "a reset without a seed keeps the last one"
    assert np.array_equal(pickle.loads(pickle.dumps(sim)).positions, one)


def test_a_subclass_stays_one(towel):
    class Mine(toile.Simulation):
        pass

    mine = Mine(towel)
    mine.note = "kept"
    assert type(mine.clone()) is Mine
    assert mine.note == "kept"


def test_the_certificate_says_how_much_of_a_step_was_done(sim):
    sim.step(2)
    assert sim.certificate.share_done == sim.certificate_of_call.share_done == 1.0
