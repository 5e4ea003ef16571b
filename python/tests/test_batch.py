"""Many worlds at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import toile


def test_worlds_come_to_the_bits_of_single_ones(towel):
    bends = [1e-6, 1e-5, 1e-4]
    overrides = [{"cloth.towel.material.bend": bend} for bend in bends]
    batch = toile.Batch(towel, overrides=overrides)
    assert len(batch) == 3 and batch.positions.shape == (3, 49, 3)
    singles = [toile.Simulation(towel, one) for one in overrides]
    for world, (one, other) in enumerate(zip(batch, singles)):
        for each in (one, other):
            each.grasp([world]).velocity = (0.0, 0.0, 0.2 * (world + 1))
    batch.step(15)
    batch.advance(0.0125)
    for world, single in enumerate(singles):
        single.step(15)
        single.advance(0.0125)
        assert np.array_equal(batch.positions[world], single.positions)
        assert np.array_equal(batch.velocities[world], single.velocities)
    assert not np.array_equal(batch.positions[0], batch.positions[1])
    assert np.allclose(batch.time, singles[0].time)
    assert batch.stretch_worst.shape == (3,)
    assert batch.stretch_worst[1] == batch[1].certificate_of_call.stretch_worst


def test_only_masked_worlds_are_stepped_and_reset(towel):
    batch = toile.Batch(towel, 4)
    view, start = batch.positions, batch.positions.copy()
    mask = np.array([True, False, True, False])
    batch.step(5, mask)
    assert batch.positions is view
    moved = ~(view == start).all(axis=(1, 2))
    assert moved.tolist() == mask.tolist()
    assert np.allclose(batch.time, [0.025, 0, 0.025, 0])
    batch.reset(mask=[True, False, False, False])
    assert np.array_equal(view[0], start[0]) and not np.array_equal(view[2], start[2])
    batch.reset()
    assert np.array_equal(view, start)
    assert np.isnan(batch.stretch_worst).all()


def test_worlds_can_be_commanded_by_themselves(towel):
    batch = toile.Batch(towel, 2)
    batch[1].step(3)
    assert np.array_equal(batch.positions[1], batch[1].positions)
    assert not np.array_equal(batch.positions[0], batch.positions[1])
    assert np.array_equal(batch[-1].positions, batch[1].positions)
    assert [world.steps for world in batch] == [0, 3]


def test_numbers_differ_from_world_to_world(towel):
    batch = toile.Batch(towel, 3)
    batch.set("cloth.towel.material.bend", [1e-6, 1e-5, 1e-4])
    batch.set("cloth.towel.damping", 0.1, mask=[True, False, False])
    assert [world.settings["cloth.towel.material.bend"] for world in batch] == [1e-6, 1e-5, 1e-4]
    assert "cloth.towel.damping" not in batch[1].settings
    with pytest.raises(toile.ArgumentError, match="one for each world"):
        batch.set("cloth.towel.material.bend", [1.0, 2.0])
    with pytest.raises(toile.CommandError, match="is NaN; it must be"):
        batch.set("cloth.towel.material.bend", [1.0, np.nan, 1.0])


def test_snapshots_go_on_to_the_same_bits(towel):
    batch = toile.Batch(towel, 3)
    batch.step(4)
    batch.step(3, mask=[False, True, False])
    snapshots = batch.snapshot()
    batch.step(5)
    end = batch.positions.copy()
    batch.restore(snapshots)
    batch.step(5)
    assert np.array_equal(batch.positions, end)
    batch.restore(snapshots[1])
    assert (batch.time == batch.time[0]).all()


def test_seeds_of_worlds_are_those_of_single_ones(towel):
    noisy = {**towel, "cloth": {"towel": {**towel["cloth"]["towel"], "noise": {"deviation": 1e-4}}}}
    batch = toile.Batch(noisy, 2)
    batch.reset(seeds=[5, 6])
    single = toile.Simulation(noisy)
    for world, seed in enumerate((5, 6)):
        single.reset(seed)
        single.step(4)
        if world == 0:
            batch.step(4)
        assert np.array_equal(batch.positions[world], single.positions)


def test_a_world_that_fails_leaves_the_others_alone(towel):
    batch = toile.Batch(towel, 3)
    start = batch.positions.copy()
    bad = batch[1]
    bad.push((1e300, 0, 0))
    with pytest.raises(toile.StepError, match="1 of 3 worlds failed, the first of them world 1") as caught:
        batch.step(2)
    assert caught.value.worlds == [1]
    assert np.array_equal(batch.positions[1], start[1])
    assert batch.time.tolist() == [0.01, 0.0, 0.01]
    batch.step(1, on_error="skip")
    failures = batch.failures
    assert failures[0] is None and "cloth `towel`" in failures[1]
    batch.reset(mask=[False, True, False])
    batch.step()
    assert batch.failures == [None] * 3


def test_the_same_grasp_in_every_world(towel):
    batch = toile.Batch(towel, 3)
    grasps = batch.grasp([0, 1])
    start = grasps.position
    assert len(grasps) == 3 and start.shape == (3, 3)
    goals = start + [[0, 0, 0.01], [0, 0, 0.02], [0, 0, 0.03]]
    grasps.move_to(goals, within=0.02)
    batch.advance(0.02)
    assert np.allclose(grasps.position, goals)
    grasps.velocity = (0, 0, 1.0)
    assert np.array_equal(grasps.velocity, [[0, 0, 1.0]] * 3)
    batch.step()
    assert (grasps.force[:, 2] < 0).all() and grasps.torque.shape == (3, 3)
    grasps.release(mask=np.array([True, False, False]))
    assert grasps.is_held.tolist() == [False, True, True]
    with pytest.raises(toile.ArgumentError, match="3 rows"):
        grasps.move_to(np.zeros((2, 3)))
    with pytest.raises(toile.ArgumentError, match="3 truth values"):
        grasps.release(mask=[True])
    with pytest.raises(toile.CommandError):
        batch.grasp([0])
    assert len(batch[0].grasps) == 0, "all worlds, or none"


def test_worlds_may_have_steps_of_their_own(towel):
    batch = toile.Batch(towel, overrides=[{"time.step": 0.005}, {"time.step": 0.01}])
    batch.advance(0.02)
    assert np.allclose(batch.time, 0.02)
    assert [world.steps for world in batch] == [4, 2]


def test_a_pickled_batch_goes_on_to_the_same_bits(towel):
    batch = toile.Batch(towel, overrides=[{"cloth.towel.material.bend": b} for b in (1e-6, 1e-4)])
    batch.grasp([0]).velocity = (0, 0, 0.2)
    batch.step(5, mask=[True, False])
    other = pickle.loads(pickle.dumps(batch))
    batch.step(5)
    other.step(5)
    assert np.array_equal(other.positions, batch.positions)
    for part in (batch[0].grasps[0], batch[0].body["table"]):
        with pytest.raises(TypeError, match="pickle the simulation"):
            pickle.dumps(part)


def test_a_view_outlives_its_batch(towel):
    batch = toile.Batch(towel, 2)
    batch.step()
    view, kept = batch.positions, batch.positions.copy()
    del batch
    other = toile.Batch(towel, 2)
    other.step(3)
    assert np.array_equal(view, kept)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
