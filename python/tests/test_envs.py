"""Tasks for Gymnasium."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import toile.envs as envs  # noqa: E402

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name):
    """A module of the examples."""
    path = EXAMPLES / f"{name}.py"
    if not path.exists():
        pytest.skip("installed without the examples")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", envs.IDS)
def test_gymnasium_finds_nothing_to_complain_about(name):
    env = gymnasium.make(name, render_mode="rgb_array", disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("name", [name for name in envs.IDS if "Flatten" not in name])
@pytest.mark.parametrize("obs", ["points", "image"])
def test_nor_about_other_observations(name, obs):
    env = gymnasium.make(name, obs=obs, image_size=32, disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("obs", ["points", "image"])
def test_observations_are_in_their_space(obs):
    # The checks above begin many episodes, and crumpling a towel takes long.
    env = envs.FlattenTowel(obs=obs, image_size=16)
    seen, _ = env.reset(seed=0)
    assert seen in env.observation_space
    assert env.step(env.action_space.sample())[0] in env.observation_space


@pytest.mark.parametrize(
    "task, close, seed, strain",
    [("FoldTowel", 0.03, 0, 0.03), ("FoldTowel", 0.03, 7, 0.03), ("HangTowel", 5.0, 0, 0.03), ("FlattenTowel", 0.9, 0, 0.06)],
)
def test_a_scripted_policy_solves_it(task, close, seed, strain):
    scripted = example("scripted")
    env = envs.IDS[f"toile/{task}-v0"]()
    told = scripted.play(env, scripted.POLICIES[task], seed=seed)
    assert told["is_success"], told
    assert told["worst_strain"] < strain <= env.strain_bound
    if task == "FoldTowel":
        assert told["distance"] < close
        assert not env.sim.grasps, "friction holds it, nothing else"
    elif task == "HangTowel":
        assert told["hung"] >= close - 1e-9 and not env.sim.grasps
        assert env.sim.positions[:, 2].min() > 0.01
    else:
        assert told["coverage"] >= close and not env.sim.grasps


def test_a_scripted_policy_dresses_the_arm():
    scripted = example("scripted")
    assert scripted.play(envs.DressArm(), scripted.dress_arm, seed=0)["is_success"]


def test_a_towel_to_be_flattened_is_crumpled_at_the_start():
    for randomise, seed in ((True, 1), (True, 2), (False, 1)):
        env = envs.FlattenTowel(randomise=randomise)
        env.reset(seed=seed)
        assert env.coverage() < env.crumpled and not env.sim.grasps


def test_a_start_that_took_long_is_there_at_once_the_next_time_to_the_same_bits(monkeypatch):
    env = envs.FlattenTowel()
    seen, info = env.reset(seed=11)
    state, lot = env.sim.snapshot(), env.np_random.bit_generator.state
    began = env.sim.steps

    def arrange(self):
        raise AssertionError("it is made once more")
        yield

    monkeypatch.setattr(envs.FlattenTowel, "arrange", arrange)
    env.step(env.action_space.sample())
    other, many = envs.FlattenTowel(), envs.ClothVectorEnv(envs.FlattenTowel, 1)
    for again in (env, other):
        told = again.reset(seed=11)
        assert told[0].tobytes() == seen.tobytes() and told[1] == info
        assert again.sim.snapshot() == state and again.np_random.bit_generator.state == lot
        assert again.sim.steps == began > 0
    assert many.reset(seed=11)[0][0].tobytes() == seen.tobytes()
    assert many.envs[0].sim.snapshot() == state
    for different in (envs.FlattenTowel(overrides={"body.table.friction": 0.4}), envs.FlattenTowel(randomise=False)):
        with pytest.raises(AssertionError, match="once more"):
            different.reset(seed=11)
    with pytest.raises(AssertionError, match="once more"):
        env.reset(seed=12)


def test_a_small_task_is_learned():
    learner = example("learn_to_fold")

    def learn(rounds):
        # Layers that pass through each other are folded sooner.
        history, learned = learner.learn(rounds, 10, 1, max_steps=12, overrides={"contact.cloth": "none"})
        return [told.mean() for told in history], learned

    told, learned = learn(20)
    assert np.mean(told[-3:]) > np.mean(told[:3]) + 0.2, told
    assert all(np.isfinite(w).all() for w in learned.policy.weights)
    assert learn(2)[0] == told[:2], "the same seed gives the same curve"


def test_gradients_of_the_learner_are_those_of_its_losses():
    learner = example("learn_to_fold")
    made, rng = learner.Learner(5, 3, 0), np.random.default_rng(1)
    made.policy.weights[4][:] = rng.normal(size=(64, 3))
    states, actions, gains = rng.normal(size=(40, 5)), rng.normal(size=(40, 3)), rng.normal(size=40)
    before = made.likelihoods(made.policy(states), actions) + 0.2 * rng.normal(size=40)
    scaled = (gains - gains.mean()) / (gains.std() + 1e-8)

    def loss():
        ratio = np.exp(made.likelihoods(made.policy(states), actions) - before)
        return -np.minimum(ratio * scaled, np.clip(ratio, 1 - made.clip, 1 + made.clip) * scaled).mean()

    caught = []
    made.optimiser.step = caught.append
    made.improve_policy(states, actions, gains, before)
    for array, gradient in zip([*made.policy.weights, made.spread], caught[0], strict=True):
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        kept, h = array[place], 1e-6
        array[place] = kept + h
        above = loss()
        array[place] = kept - h
        slope = (above - loss()) / (2 * h)
        array[place] = kept
        assert abs(slope - gradient[place]) < 1e-5 * max(1.0, abs(slope)), (slope, gradient[place])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"obs": "smell"}, "'state', 'points' or 'image'"),
        ({"render_mode": "human"}, "'rgb_array' or None"),
        ({"image_size": 0}, "image_size is 0; it must be a whole number"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"max_steps": 1.5}, "max_steps is 1.5"),
    ],
)
def test_tasks_that_cannot_be_are_refused(options, words):
    with pytest.raises(envs._base.ArgumentError, match=words):
        envs.HangTowel(**options)


def test_what_all_tasks_share_is_no_task():
    with pytest.raises(envs._base.ArgumentError, match="toile.envs.IDS"):
        envs.ClothEnv()


def test_without_friction_the_fingers_do_not_hold():
    scripted = example("scripted")
    slippery = {f"body.{hand}-{finger}.friction": 0.0 for hand in ("left", "right") for finger in ("upper", "lower")}
    told = scripted.play(envs.FoldTowel(overrides=slippery), scripted.fold_towel, seed=0)
    assert not told["is_success"] and told["distance"] > 0.1


def test_episodes_are_truncated_and_do_not_terminate_by_time():
    env = envs.HangTowel(max_steps=3)
    env.reset(seed=0)
    still = np.zeros(env.action_space.shape, np.float32)
    ends = [env.step(still)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_cloth_that_is_pulled_apart_ends_the_episode_with_a_loss():
    env = envs.HangTowel(randomise=False)
    env.reset(seed=0)
    left, right = env.hands
    left.take([0])
    right.take([14 * 15])
    apart = np.array([0, -1, 0, 1, 0, 1, 0, 1], np.float32)
    for _ in range(10):
        _, reward, terminated, truncated, info = env.step(apart)
        if terminated:
            break
    assert terminated and not truncated and not info["is_success"]
    assert info["strain"] > env.strain_bound and reward < -0.5


def test_fabrics_are_drawn_by_the_seed():
    env = envs.HangTowel()
    first, again, other = (env.reset(seed=seed)[1]["fabric"] for seed in (3, 3, 4))
    assert first == again != other
    for name, (low, high) in env.fabric.items():
        assert low <= first[name] <= high
    plain = envs.HangTowel(randomise=False)
    assert plain.reset(seed=3)[1]["fabric"] == plain.reset(seed=4)[1]["fabric"]


RUN = """
import hashlib, numpy as np
from toile.envs import HangTowel, ClothVectorEnv
# Both hands go the same way: cloth that is torn ends an episode, and only the vector begins another by itself.
way = np.random.default_rng(0).uniform(-0.3, 0.3, (8, 4)).astype(np.float32)
way[:, 3] = 1
way[:3, 2], way[3:, 2] = -0.5, 0.4
actions = np.concatenate([way, way], axis=1)
env = HangTowel(); told = [env.reset(seed=5)[0]]
for action in actions:
    seen, _, terminated, _, _ = env.step(action)
    told.append(seen)
    assert not terminated
assert env.sim.grasps
many = ClothVectorEnv(HangTowel, 2); seen = [many.reset(seed=[5, 6])[0][0]]
seen += [many.step(np.stack([a, -a]))[0][0] for a in actions]
assert all(a.tobytes() == b.tobytes() for a, b in zip(told, seen))
print(hashlib.sha256(b"".join(a.tobytes() for a in told) + env.sim.snapshot()).hexdigest())
"""


def test_the_same_seed_gives_the_same_bytes_in_two_processes_and_in_a_batch(tmp_path):
    def digest(threads):
        environment = {**os.environ, "RAYON_NUM_THREADS": threads}
        ran = subprocess.run(
            [sys.executable, "-c", RUN], capture_output=True, text=True, env=environment, check=True, timeout=300, cwd=tmp_path
        )
        return ran.stdout.strip()

    assert len(digest("1")) == 64
    assert digest("1") == digest("2")


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_many_at_once_do_what_single_ones_do(mode):
    def make():
        return envs.HangTowel(max_steps=4)

    single = SyncVectorEnv([make] * 3, autoreset_mode=mode)
    many = envs.ClothVectorEnv(envs.HangTowel, 3, max_steps=4, autoreset_mode=mode)
    assert many.metadata["autoreset_mode"] == mode
    assert np.array_equal(single.reset(seed=7)[0], many.reset(seed=7)[0])
    rng = np.random.default_rng(1)
    for _ in range(10):
        actions = rng.uniform(-1, 1, single.action_space.shape).astype(np.float32)
        wanted, got = single.step(actions), many.step(actions)
        for one, other in zip(wanted[:4], got[:4]):
            assert np.array_equal(one, other)
        assert wanted[4].keys() == got[4].keys()
        assert np.array_equal(wanted[4]["strain"], got[4]["strain"])


def test_a_mask_resets_some():
    many = gymnasium.make_vec("toile/HangTowel-v0", num_envs=2, max_steps=2, autoreset_mode="Disabled")
    many.reset(seed=0)
    still = np.zeros(many.action_space.shape, np.float32)
    many.step(still)
    assert many.step(still)[3].all()
    with pytest.raises(envs._base.ArgumentError, match="reset_mask"):
        many.step(still)
    many.reset(options={"reset_mask": np.array([True, False])})
    assert [env._elapsed for env in many.envs] == [0, 2]


def test_coverage_counts_what_is_under_the_cloth_once():
    from toile.envs._cover import coverage

    square = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0.3, 0.2, 0]], float)
    triangles = np.array([[0, 1, 2], [1, 3, 2]])
    assert coverage(square, triangles, 0.06) == pytest.approx(1.0, abs=0.01)
    assert coverage(np.concatenate([square, square + [0, 0, 0.1]]), np.concatenate([triangles, triangles + 4]), 0.06) == pytest.approx(1.0, abs=0.01)
    turn = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    assert coverage(square @ turn.T, triangles, 0.06) == pytest.approx(1.0, abs=0.01)


def test_without_gymnasium_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['gymnasium'] = None\nimport toile\nimport toile.envs"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert ran.returncode != 0 and "pip install toile[gym]" in ran.stderr
