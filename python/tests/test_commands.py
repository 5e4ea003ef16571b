"""Grasps, bodies, forces, numbers of the scene."""

from __future__ import annotations

import numpy as np
import pytest

import toile


def test_a_grasp_leads_its_nodes(sim):
    grasp = sim.grasp([0, 1, 7])
    assert grasp.is_held and grasp.nodes.tolist() == [0, 1, 7]
    start = sim.positions[[0, 1, 7]].copy()
    assert np.allclose(grasp.position, start.mean(axis=0))
    goal = grasp.position + [0.05, 0.0, 0.1]
    grasp.move_to(goal, within=0.1)
    assert np.allclose(grasp.velocity, [0.5, 0.0, 1.0])
    sim.advance(0.15)
    assert np.allclose(grasp.position, goal)
    assert np.allclose(grasp.velocity, 0)
    assert np.allclose(sim.positions[[0, 1, 7]], start + [0.05, 0.0, 0.1], atol=1e-12)
    quarter = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    grasp.move_to(rotation=quarter)
    sim.step()
    assert np.allclose(grasp.rotation, quarter)
    turned = (start - start.mean(axis=0)) @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    assert np.allclose(sim.positions[[0, 1, 7]], goal + turned, atol=1e-9)
    matrix = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    grasp.move_to(rotation=matrix)
    sim.step()
    assert np.allclose(sim.positions[[0, 1, 7]], goal + (start - start.mean(axis=0)) @ matrix.T, atol=1e-9)


def test_a_grasp_feels_the_weight(sim):
    grasp = sim.grasp(range(7))
    grasp.move_to(grasp.position + [0, 0, 0.5], within=0.5)
    assert np.array_equal(grasp.force, [0, 0, 0])
    sim.advance(6.0)
    weight = 9.81 * sim.masses.sum()
    assert np.allclose(grasp.force, [0, 0, -weight], atol=0.05 * weight)
    assert grasp.force[2] == pytest.approx(-weight, rel=0.01)
    assert grasp.torque.shape == (3,)


def test_nodes_are_found_near_a_point_and_on_a_face(sim):
    corner = sim.positions[0].copy()
    grasp = sim.grasp(near=(corner, 0.051))
    assert sorted(grasp.nodes.tolist()) == [0, 1, 7]
    grasp.release()
    face = sim.grasp(face=(0, [0.25] * 4), spring=(50.0, 0.5))
    assert sorted(face.nodes.tolist()) == sorted(sim.faces[0].tolist())
    face.release()
    only = sim.grasp(near=((0, 0, 0.1), 0.01), cloth="towel")
    assert only.nodes.tolist() == [24]


def test_nodes_of_a_cloth_count_from_its_first(towel):
    scene = {**towel, "cloth": {**towel["cloth"], "a": {"model": "mass-spring", "mesh": {"grid": {"size": [0.1, 0.1], "cells": [1, 1]}}}}}
    sim = toile.Simulation(scene)
    first = sim.cloth["towel"].nodes.start
    assert sim.grasp([3], cloth="towel").nodes.tolist() == [first + 3]
    with pytest.raises(toile.CommandError, match="0 to 3"):
        sim.grasp([4], cloth="a")


def test_places_and_velocities(sim):
    grasp = sim.grasp([0, 48])
    places = sim.positions[[0, 48]] + [[0, 0, 0.1], [0, 0, 0.2]]
    grasp.move_to(places=places, within=0.02)
    sim.advance(0.02)
    assert np.allclose(sim.positions[[0, 48]], places)
    grasp.velocity = ((0, 0, 1.0), (0, 0, 0))
    sim.advance(0.02)
    assert np.allclose(sim.positions[[0, 48]], places + [0, 0, 0.02])


def test_released_and_reset_grasps_are_dead_and_say_so(sim):
    grasp = sim.grasp([0])
    grasp.release()
    assert not grasp.is_held
    for what in (
        lambda: grasp.release(),
        lambda: grasp.move_to((0, 0, 1)),
        lambda: grasp.force,
        lambda: setattr(grasp, "velocity", (0, 0, 1)),
        lambda: grasp.position,
    ):
        with pytest.raises(toile.CommandError, match="released"):
            what()
    old = sim.grasp([0])
    sim.reset()
    new = sim.grasp([0])
    assert new.id == 0 and not old.is_held
    with pytest.raises(toile.CommandError, match="take hold anew"):
        old.move_to((0, 0, 1))
    assert [g.id for g in sim.grasps] == [0]


def test_grasps_live_through_a_snapshot_that_has_them(sim):
    grasp = sim.grasp([0])
    snapshot = sim.snapshot()
    grasp.move_to((0, 0, 0.5), within=0.1)
    sim.advance(0.1)
    later = sim.grasp([5])
    sim.restore(snapshot)
    assert grasp.is_held and not later.is_held
    other = sim.grasp([6])
    assert other.id == later.id
    with pytest.raises(toile.CommandError):
        later.release()
    grasp.release()


def test_a_body_is_led_and_presses(sim):
    finger = sim.body["finger"]
    sim.advance(1.0)
    position, rotation = finger.pose
    assert np.allclose(position, [0, 0, 1]) and np.allclose(rotation, [0, 0, 0, 1])
    finger.pose = (0, 0, 0.5)
    sim.step()
    assert np.allclose(finger.pose[0], [0, 0, 0.5])
    finger.move_to((0, 0, 0.015), within=0.5)
    sim.advance(0.6)
    assert finger.force[2] > 0
    turned = np.eye(4)
    turned[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    turned[:3, 3] = [0, 0, 0.3]
    finger.pose = turned
    sim.step()
    assert np.allclose(finger.pose[0], [0, 0, 0.3])
    assert np.allclose(np.abs(finger.pose[1]), [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    finger.drive((0, 0, 1.0))
    sim.advance(0.1)
    assert np.allclose(finger.pose[0], [0, 0, 0.4])
    finger.pose = np.array([0, 0, 0.7, 0, 0, 0, 1.0])
    sim.step()
    finger.release()
    assert np.allclose(finger.pose[0], [0, 0, 1])


def test_parts_of_a_body_move_as_one(towel):
    parts = [
        {"shape": {"sphere": {"radius": 0.02}}, "place": {"at": [0.05, 0, 0]}},
        {"shape": {"sphere": {"radius": 0.02}}, "place": {"at": [-0.05, 0, 0]}},
    ]
    body = {"pair": {"shape": {"parts": parts}, "place": {"at": [0, 0, 1]}}}
    sim = toile.Simulation({**towel, "body": body})
    pair = sim.body["pair"]
    quarter = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    pair.pose = ((0.1, 0.2, 0.9), quarter)
    sim.step()
    assert np.allclose(pair.pose[0], [0.1, 0.2, 0.9])
    assert np.allclose(pair.pose[1], quarter)
    pair.pose = ((0.1, 0.2, 0.9), [0, 0, 0, 1])
    with pytest.raises(toile.CommandError, match="within=0"):
        sim.step()
        pair.move_to(((0, 0, 1), quarter), within=1.0)


def test_forces_push(sim):
    sim.gravity = (0, 0, 0)
    assert np.array_equal(sim.gravity, [0, 0, 0])
    sim.push((1e-3, 0, 0))
    sim.step()
    h = sim.time_step
    # As a whole: the cloth shares out what acts on light and heavy nodes alike.
    momentum = (sim.masses * sim.velocities[:, 0]).sum()
    assert momentum == pytest.approx(49 * 1e-3 * h, rel=0.01)
    sim.reset()
    sim.gravity = (0, 0, 0)
    forces = np.zeros((49, 3))
    forces[:, 1] = sim.masses * 2.0
    sim.push(forces)
    sim.step(10)
    assert np.allclose(sim.velocities[:, 1], 2.0 * 10 * h, rtol=0.05)
    sim.push((0, 0, 0))
    before = sim.velocities[:, 1].mean()
    sim.step()
    assert sim.velocities[:, 1].mean() <= before
    sim.push((0, 0, 1e-3), nodes=[3])


def test_wind_blows_on_cloth_in_the_air(towel):
    scene = {**towel, "environment": {"gravity": [0, 0, 0], "air": {}}}
    scene["cloth"] = {"towel": {**towel["cloth"]["towel"], "place": {"at": [0, 0, 1]}}}
    try:
        sim = toile.Simulation(scene)
    except toile.SceneError:
        scene["cloth"] = towel["cloth"]
        sim = toile.Simulation(scene)
    assert sim.wind is None
    sim.wind = (0, 0, 3)
    sim.step(10)
    assert np.array_equal(sim.wind, [0, 0, 3])
    assert sim.velocities[:, 2].mean() > 0


def test_numbers_of_the_scene_change_and_others_say_why_not(sim):
    sim.grasp(near=(sim.positions[24], 0.03))
    soft = sim.clone()
    soft.set("cloth.towel.material.bend", 1e-7)
    sim.set("cloth.towel.material.bend", 1e-2)
    for one in (sim, soft):
        one.advance(0.5)
    assert sim.settings == {"cloth.towel.material.bend": 1e-2}
    assert sim.positions[0, 2] > soft.positions[0, 2] + 1e-3
    for name, value, words in (
        ("cloth.towel.mesh.grid.cells", 3, "only body.NAME.friction"),
        ("time.step", 0.1, "only body.NAME.friction"),
        ("cloth.towel.material.bend", -1.0, "bend"),
        ("cloth.towel.material.bent", 1.0, "bent"),
        ("cloth.towel.material.bend", float("nan"), "is NaN; it must be"),
    ):
        with pytest.raises(toile.CommandError, match=words):
            sim.set(name, value)
