"""Whatever is wrong is answered with an exception that says how to mend it."""

from __future__ import annotations

import os

import numpy as np
import pytest

import toile
from toile import _toile

NAN = float("nan")


def test_errors_of_scenes_have_line_column_field_and_mend():
    text = "[cloth.sheet]\nmesh.grid = { size = [1, 1], cells = [4, 4] }\n[cloth.sheet.material]\n  stretch_stiffnes = 3\n"
    with pytest.raises(toile.SceneError) as caught:
        toile.Simulation(text)
    error = caught.value
    assert (error.line, error.column) == (4, 3)
    assert error.field == "cloth.sheet.material.stretch_stiffnes"
    assert "did you mean `stretch_stiffness`?" in str(error)
    assert str(error).startswith("text:4:3: ")
    assert "stretch_stiffnes = 3" in error.report and "help" in error.report
    assert isinstance(error, (toile.Error, ValueError))


def test_a_dictionary_is_answered_with_its_field(towel):
    with pytest.raises(toile.SceneError, match="did you mean `cloth`"):
        toile.Simulation({"clot": {}})
    with pytest.raises(toile.ArgumentError, match=r"cloth.towel is None; leave it out"):
        toile.Simulation({"cloth": {"towel": None}})
    with pytest.raises(toile.ArgumentError, match=r"a\[1\]: a scene has no"):
        toile.Simulation({"a": [1, object()]})


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ("helo", "did you mean `hello`"),
        ("nowhere/scene.toml", "there is no such file"),
        ("[cloth", "TOML|text:1|expected"),
        ({}, "no cloth"),
        ("", "there is no such file"),
    ],
)
def test_unknown_scenes_are_answered_with_the_known_ones(scene, words):
    text = scene + "\n" if scene == "[cloth" else scene
    with pytest.raises(toile.SceneError, match=words):
        toile.Simulation(text)


def test_a_dictionary_that_has_itself_inside_is_no_scene(towel):
    scene: dict = {}
    scene["cloth"] = scene
    values: list = []
    values.append(values)
    for give in (lambda: toile.Simulation(scene), lambda: toile.Simulation(towel, {"cloth.towel.place.at": values})):
        with pytest.raises(toile.ArgumentError, match="`cloth` is more than 64 levels deep"):
            give()


@pytest.mark.parametrize("scene", [None, 3, [1, 2], b"hello"])
def test_what_is_no_scene_is_refused(scene):
    with pytest.raises((toile.ArgumentError, toile.SceneError)):
        toile.Simulation(scene)


@pytest.mark.parametrize("overrides", [[("a", 1)], "cloth.x=1", 5, {1: 2}])
def test_overrides_of_the_wrong_kind_are_refused(towel, overrides):
    with pytest.raises(toile.ArgumentError):
        toile.Simulation(towel, overrides)


def test_a_wrong_override_is_named(towel):
    with pytest.raises(toile.SceneError, match="cloth.towel.material.bent"):
        toile.Simulation(towel, {"cloth.towel.material.bent": 1})


@pytest.mark.parametrize("steps", [-1, 1.5, "3", 10**30, None and 0, [1]])
def test_steps_must_be_counts(sim, steps):
    if steps is None:
        return
    with pytest.raises(toile.ArgumentError, match="the number of steps"):
        sim.step(steps)
    assert sim.steps == 0


@pytest.mark.parametrize("seconds", [-1.0, NAN, float("inf")])
def test_times_must_be_times(sim, seconds):
    with pytest.raises(toile.ArgumentError, match="zero or a positive number"):
        sim.advance(seconds)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"nodes": [49]}, "0 to 48"),
        ({"nodes": [-1]}, "nodes count from 0"),
        ({"nodes": []}, "names no node"),
        ({"nodes": [0, 0]}, "named twice"),
        ({"nodes": [0.5]}, "whole numbers"),
        ({"nodes": [[0, 1]]}, r"the shape \(1, 2\)"),
        ({"nodes": "corner"}, "whole numbers"),
        ({}, "one of nodes, near and face"),
        ({"nodes": [0], "near": ((0, 0, 0), 1.0)}, "one of nodes, near and face"),
        ({"near": ((0, 0, 5), 0.1)}, "the nearest, node"),
        ({"near": ((0, 0), 0.1)}, "3 numbers"),
        ({"near": ((0, 0, NAN), 0.1)}, "finite"),
        ({"near": ((0, 0, 0), -1.0)}, "not negative"),
        ({"near": (0, 0, 0)}, "a pair: a point and a radius"),
        ({"near": ((0, 0, 0), "wide")}, "a pair: a point and a radius"),
        ({"face": (99, [0.25] * 4)}, "the faces are 0 to 35"),
        ({"face": (-1, [0.25] * 4)}, "the index of the face is -1; it must be zero or more"),
        ({"face": (0.5, [0.25] * 4)}, "the index of the face must be a whole number"),
        ({"face": (10**30, [0.25] * 4)}, "the index of the face is too large"),
        ({"face": (0, [[0.25] * 4])}, r"the weights of the face has the shape \(1, 4\)"),
        ({"face": 3}, "a pair: the index of a face"),
        ({"face": (0, [0.5, 0.5])}, "4 corners"),
        ({"face": (0, [0.9, 0.9, 0, 0])}, "add up to 1"),
        ({"nodes": [0], "spring": (-1.0, 0.0)}, "positive stiffness"),
        ({"nodes": [0], "spring": (NAN, 0.0)}, "positive stiffness"),
        ({"nodes": [0], "spring": 100.0}, "a pair: stiffness"),
        ({"nodes": [0], "spring": (1.0, 2.0, 3.0)}, "a pair: stiffness"),
        ({"nodes": [0], "frame": (0, 0, NAN)}, "finite"),
    ],
)
def test_grasps_that_make_no_sense_change_nothing(sim, arguments, words):
    with pytest.raises((toile.CommandError, toile.ArgumentError), match=words):
        sim.grasp(**arguments)
    assert sim.grasps == []
    sim.step()


def test_an_unknown_cloth_or_body_is_answered_with_the_known_ones(sim):
    with pytest.raises(KeyError, match="towel"):
        sim.grasp([0], cloth="towle")
    with pytest.raises(KeyError, match="towel"):
        sim.cloth["shirt"]
    with pytest.raises(KeyError, match="finger"):
        sim.body["thumb"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"position": (0, 0)}, r"the position has the shape \(2,\); it must be 3 numbers"),
        ({"position": (0, 0, NAN)}, "it must be finite"),
        ({"position": (0, 0, float("inf"))}, "it must be finite"),
        ({"position": "up"}, "not an array of numbers"),
        ({"position": np.array([1j, 0, 0])}, "real numbers, and not complex"),
        ({"position": [0, 0, 1j]}, "real numbers, and not complex"),
        ({"position": np.zeros((3, 1))}, r"\(3, 1\)"),
        ({"rotation": (0, 0, 1)}, "a quaternion"),
        ({"rotation": (0, 0, 0, 2)}, "length 1"),
        ({"rotation": (0, 0, 0, NAN)}, "length 1"),
        ({"rotation": np.ones((3, 3))}, "no rotation"),
        ({"rotation": -np.eye(3)}, "no rotation"),
        ({"position": (0, 0, 1), "within": -1.0}, "seconds"),
        ({"position": (0, 0, 1), "within": NAN}, "seconds"),
        ({"places": [[0, 0, 0]]}, "1|2"),
        ({"places": [0, 0, 0]}, "rows of 3"),
        ({"places": [[0, 0, NAN], [0, 0, 0]]}, "finite"),
        ({}, "say where to"),
        ({"position": (0, 0, 1), "places": [[0, 0, 0]] * 2}, "say where to"),
    ],
)
def test_targets_that_make_no_sense_change_nothing(sim, arguments, words):
    grasp = sim.grasp([0, 1])
    before = sim.snapshot()
    with pytest.raises((toile.CommandError, toile.ArgumentError), match=words):
        grasp.move_to(**arguments)
    assert sim.snapshot() == before


def test_a_velocity_of_two_numbers_is_no_pair_of_vectors(sim):
    grasp = sim.grasp([0])
    with pytest.raises(toile.ArgumentError, match=r"the velocity has the shape \(2,\); it must be 3 numbers"):
        grasp.velocity = (0, 0)
    with pytest.raises(toile.ArgumentError, match=r"the angular velocity has the shape \(2,\)"):
        grasp.velocity = ((0, 0, 1), (0, 1))


def test_what_a_simulation_does_not_have_cannot_be_set_by_a_slip(sim):
    with pytest.raises(AttributeError, match="no `gravty`; did you mean `gravity`"):
        sim.gravty = (0, 0, 0)
    with pytest.raises(AttributeError, match="not writable|no setter|can't set"):
        sim.positions = np.zeros((49, 3))
    sim.note = "ours"
    assert sim.note == "ours"


def test_a_camera_that_sees_nothing_is_refused():
    with pytest.raises(toile.ArgumentError, match="between 0 and 180"):
        toile.Camera((0, 0, 1), (0, 0, 0), fov=-5.0).intrinsics(4, 4)


@pytest.mark.parametrize("pose", [(0, 0), (0, 0, NAN), np.zeros(7), np.zeros((4, 4)), ((0, 0, 1), (0, 0, 0, 3)), None])
def test_poses_that_make_no_sense_change_nothing(sim, pose):
    before = sim.snapshot()
    with pytest.raises((toile.CommandError, toile.ArgumentError)):
        sim.body["finger"].pose = pose
    assert sim.snapshot() == before


def test_forces_gravity_and_wind_must_be_finite_vectors(sim):
    before = sim.snapshot()
    for value in ((0, 0), (0, 0, NAN), "down", None):
        with pytest.raises((toile.CommandError, toile.ArgumentError)):
            sim.gravity = value
        with pytest.raises((toile.CommandError, toile.ArgumentError)):
            sim.wind = value
        with pytest.raises((toile.CommandError, toile.ArgumentError)):
            sim.push(value)
    with pytest.raises(toile.ArgumentError, match="or 49 rows"):
        sim.push(np.zeros((3, 3)))
    with pytest.raises(toile.CommandError, match="finite"):
        sim.push([[0, 0, 1], [0, 0, NAN]], nodes=[0, 1])
    with pytest.raises(toile.CommandError, match="0 to 48"):
        sim.push((0, 0, 1), nodes=[0, 99])
    assert sim.snapshot() == before
    with pytest.raises(toile.ArgumentError):
        sim.scale_velocities(NAN)


@pytest.mark.parametrize("snapshot", [b"", b"nonsense", b"\0" * 1000])
def test_damaged_snapshots_are_refused_and_change_nothing(sim, snapshot):
    sim.step()
    before = sim.snapshot()
    with pytest.raises(toile.RestoreError, match="no usable snapshot"):
        sim.restore(snapshot)
    with pytest.raises(toile.RestoreError):
        sim.restore(before[:-1])
    flipped = bytearray(before)
    flipped[len(before) // 2] ^= 1
    with pytest.raises(toile.RestoreError):
        sim.restore(bytes(flipped))
    assert sim.snapshot() == before


def test_a_snapshot_of_another_scene_is_refused(sim):
    other = toile.Simulation("[cloth.a]\nmesh.grid = { size = [1, 1], cells = [2, 2] }\n")
    with pytest.raises(toile.RestoreError, match="another world"):
        sim.restore(other.snapshot())


def test_seeds_must_be_counts(sim):
    for seed in (-1, 1.5, "x"):
        with pytest.raises(toile.ArgumentError, match="the seed"):
            sim.reset(seed=seed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"count": 0}, "at least one world"),
        ({"count": -2}, "zero or more"),
        ({}, "say how many"),
        ({"overrides": []}, "at least one world"),
        ({"count": 3, "overrides": [{}, {}]}, "2 overrides for 3 worlds"),
        ({"count": 2, "overrides": 5}, "a dictionary"),
        ({"overrides": [{}, {"cloth.towel.mesh.grid.cells": [3, 3]}]}, "world 1 has other nodes"),
        ({"count": 10**15}, "at most 1000000"),
        ({"count": 10**30}, "too large"),
    ],
)
def test_batches_that_cannot_be_are_refused(towel, arguments, words):
    with pytest.raises(toile.ArgumentError, match=words):
        toile.Batch(towel, **arguments)


@pytest.mark.skipif(not os.path.exists("/proc/meminfo"), reason="this system does not tell how much memory is free")
def test_more_worlds_than_there_is_memory_for_are_refused():
    with pytest.raises(toile.ArgumentError, match="GB are free; at most [0-9]+ worlds fit into memory"):
        toile.Batch("hello", 10**6)


@pytest.mark.parametrize("mask", [[True], [True] * 3, [[True, True]], [0, 1], "no", np.ones(2)])
def test_masks_of_the_wrong_length_or_kind_change_nothing(towel, mask):
    batch = toile.Batch(towel, 2)
    for what in (lambda: batch.step(1, mask), lambda: batch.reset(mask), lambda: batch.advance(0.1, mask)):
        with pytest.raises(toile.ArgumentError, match="2 truth values, one for each world"):
            what()
    assert (batch.time == 0).all()


def test_batches_refuse_what_does_not_fit(towel):
    batch = toile.Batch(towel, 2)
    with pytest.raises(toile.ArgumentError, match="on_error"):
        batch.step(1, on_error="ignore")
    for seeds, words in (([1], "2 seeds"), (3, "2 seeds"), ([-1, 2], "a seed is -1"), ([0.5, 1], "a seed must be a whole number")):
        with pytest.raises(toile.ArgumentError, match=words):
            batch.reset(seeds=seeds)
    with pytest.raises(toile.ArgumentError, match="one snapshot, or 2"):
        batch.restore([b"", b"", b""])
    with pytest.raises(toile.RestoreError):
        batch.restore(b"nonsense")
    with pytest.raises(IndexError, match="the worlds are 0 to 1"):
        batch[2]


def test_what_one_world_cannot_have_no_world_gets(towel):
    batch = toile.Batch(towel, 3)
    for value, words in ((NAN, "is NaN"), (-1.0, "zero or a positive number|positive")):
        with pytest.raises(toile.CommandError, match=words):
            batch.set("cloth.towel.material.bend", [1e-6, 1e-5, value])
        assert all(world.settings == {} for world in batch)
    grasps = batch.grasp([0])
    before = grasps.position.copy()
    goals = before + [0.0, 0.0, 0.1]
    goals[2, 1] = NAN
    with pytest.raises(toile.ArgumentError, match="the position must be finite"):
        grasps.move_to(goals)
    with pytest.raises(toile.ArgumentError, match="the velocity must be finite"):
        grasps.velocity = goals
    for wrong in ("up", 1j * before):
        with pytest.raises(toile.ArgumentError, match="the position is not an array of numbers"):
            grasps.move_to(wrong)
    with pytest.raises(toile.ArgumentError, match="length 1"):
        grasps.move_to(rotation=[[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 3]])
    with pytest.raises(toile.CommandError, match="seconds"):
        grasps.move_to(before, within=-1.0)
    assert np.array_equal(grasps.velocity, np.zeros((3, 3)))
    batch.step()
    assert np.array_equal(grasps.position, before)
    grasps[2].release()
    with pytest.raises(toile.CommandError, match="released"):
        grasps.move_to(before + 1.0)
    batch.step()
    assert np.array_equal(grasps[0].position, before[0])


def test_a_step_that_fails_says_where_and_leaves_what_was_before(sim):
    sim.step(2)
    sim.push((1e300, 0, 0))
    before = sim.positions.copy()
    with pytest.raises(toile.StepError, match="cloth `towel`") as caught:
        sim.step(3)
    assert caught.value.steps_done == 0
    assert np.array_equal(sim.positions, before)
    sim.push((0, 0, 0))
    sim.step()


def test_a_panic_is_an_exception():
    with pytest.raises(toile.EngineFault, match="asked to; this is a bug"):
        _toile._panic()
