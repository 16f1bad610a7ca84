"""The inner loop: evaluate, linearise, Jacobians, inverse dynamics, steps, batches."""
import pickle
import threading

import numpy as np
import pytest

import lithe

EPS = np.finfo(float).eps


@pytest.fixture
def arm():
    return lithe.equations(lithe.example("spatial_3r"))


def nearby(equations, seed=1, size=0.05):
    x, v = equations.start
    random = np.random.default_rng(seed)
    x, v = x.copy(), v.copy()
    joints = equations.num_joint_coordinates
    x[:joints] += size * random.standard_normal(joints)
    v[:joints] += random.standard_normal(joints)
    return x, v


def test_sizes_and_names(arm):
    x, v = arm.start
    assert len(x) == len(v) == arm.num_coordinates == len(arm.coordinate_names)
    assert arm.num_inputs == len(arm.input_names) == 3
    assert "coordinates" in repr(arm)


def test_forces_are_the_mass_times_what_they_accelerate(arm):
    x, v = nearby(arm)
    u = np.array([0.3, -0.2, 0.1])
    mass, _, _, inputs = arm.linearise(x, v, u)
    change = arm.evaluate(x, v, u) - arm.evaluate(x, v)
    force = inputs @ u
    assert np.allclose(mass @ change, force, atol=1e4 * EPS * np.abs(mass @ arm.evaluate(x, v)).max())
    assert np.allclose(arm.mass_matrix(x), mass, rtol=1e-12, atol=1e-14)


def test_inverse_dynamics_gives_the_forces_back(arm):
    x, v = nearby(arm)
    u = np.array([0.3, -0.2, 0.1])
    _, _, _, inputs = arm.linearise(x, v)
    forces = arm.inverse_dynamics(x, v, arm.evaluate(x, v, u))
    scale = np.abs(arm.mass_matrix(x) @ arm.evaluate(x, v)).max()
    assert np.allclose(forces, inputs @ u, atol=1e4 * EPS * scale)


@pytest.mark.parametrize("name, node", [("spatial_3r", None), ("five_bar", None), ("l_shape", "arm:tip")])
def test_a_jacobian_is_the_derivative_of_the_position(name, node):
    equations = lithe.equations(lithe.example(name))
    if node is None:
        link = equations.model.to_dict()["links"][-1]
        node = f"{link['name']}:{list(link['nodes'])[-1]}"
    x, v = equations.start
    jacobian = equations.jacobian(node, x)
    step = 1e-6
    for k in range(equations.num_joint_coordinates):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[k] += sign * step
            ends.append(equations.node_motion(node, moved, 0 * v)["position"])
        # Central differences: error of order step^2 and rounding / step.
        assert np.allclose((ends[0] - ends[1]) / (2 * step), jacobian[:3, k], atol=1e-8)


def test_batches_are_the_single_calls(arm):
    states = [nearby(arm, seed) for seed in range(6)]
    x = np.array([s[0] for s in states]).reshape(2, 3, -1)
    v = np.array([s[1] for s in states]).reshape(2, 3, -1)
    u = np.linspace(-1, 1, 18).reshape(2, 3, 3)
    batch = arm.evaluate(x, v, u)
    assert batch.shape == x.shape
    assert arm.mass_matrix(x).shape == (2, 3, arm.num_coordinates, arm.num_coordinates)
    for i in np.ndindex(2, 3):
        assert np.array_equal(batch[i], arm.evaluate(x[i], v[i], u[i]))
    assert np.array_equal(arm.evaluate(x, v, u[0, 0])[1, 1], arm.evaluate(x[1, 1], v[1, 1], u[0, 0]))


def test_batches_of_everything_are_the_single_calls(arm):
    states = [nearby(arm, seed) for seed in range(4)]
    x = np.array([s[0] for s in states]).reshape(2, 2, -1)
    v = np.array([s[1] for s in states]).reshape(2, 2, -1)
    u = np.linspace(-1, 1, 12).reshape(2, 2, 3)
    node = arm_node(arm)
    linear, moving, energies = arm.linearise(x, v, u), arm.node_motion(node, x, v, u), arm.energies(x, v)
    n = arm.num_coordinates
    assert [part.shape for part in linear] == [(2, 2, n, n)] * 3 + [(2, 2, n, 3)]
    assert moving["orientation"].shape == (2, 2, 3, 3) and energies[0].shape == (2, 2)
    for i in np.ndindex(2, 2):
        for whole, single in zip(linear, arm.linearise(x[i], v[i], u[i])):
            assert np.array_equal(whole[i], single)
        for name, single in arm.node_motion(node, x[i], v[i], u[i]).items():
            assert np.array_equal(moving[name][i], single), name
        single = arm.energies(x[i], v[i])
        assert all(isinstance(part, float) for part in single) and single == tuple(part[i] for part in energies)
    with pytest.raises(ValueError, match="one state"):
        arm.accept(x, v)


def arm_node(equations):
    link = equations.model.to_dict()["links"][-1]
    return f"{link['name']}:{list(link['nodes'])[-1]}"


def test_impossible_states_are_nan_in_all_batches():
    equations = lithe.equations(lithe.example("five_bar"))
    x, v = equations.start
    far = x.copy()
    far[0] = np.nan
    both, speeds = np.stack([far, x]), np.stack([v, v])
    moving = equations.node_motion(arm_node(equations), both, speeds)
    found = [*equations.linearise(both, speeds), *moving.values(), *equations.energies(both, speeds)]
    assert all(np.isnan(part[0]).all() and np.isfinite(part[1]).all() for part in found if part[1].size)


def test_arguments_of_other_types_and_wrong_shapes(arm):
    x, v = arm.start
    plain = arm.evaluate(x.tolist(), v.tolist())
    assert np.array_equal(plain, arm.evaluate(x, v))
    both = np.stack([x, x], axis=1)
    assert np.array_equal(arm.evaluate(both[:, 0], v), plain)  # not contiguous
    with pytest.raises(ValueError, match="x has 1 rows of 2 numbers"):
        arm.evaluate(x[:2], v[:2])
    with pytest.raises(ValueError, match="u has"):
        arm.evaluate(x, v, [1.0])
    with pytest.raises(lithe.InputError, match="link:node"):
        arm.jacobian("tip", x)


def test_an_impossible_state_raises_alone_and_is_nan_in_a_batch():
    equations = lithe.equations(lithe.example("five_bar"))
    x, v = equations.start
    far = x.copy()
    far[0] += np.nan
    with pytest.raises(lithe.ComputationError):
        equations.evaluate(far, v)
    batch = equations.evaluate(np.stack([x, far]), np.stack([v, v]))
    assert np.isfinite(batch[0]).all() and np.isnan(batch[1]).all()


def test_steps_follow_the_simulation(rod):
    rod["joints.pivot.value"] = "90 deg"
    equations = lithe.equations(rod)
    motion = lithe.simulate(rod, end_time=0.1, output_step=0.01, tolerance=1e-8)
    x, v = equations.start
    for k in range(10):
        x, v = equations.step(x, v, 0.01, time=0.01 * k, tolerance=1e-8)
    # Both within the tolerance, 1e-8 m per second and restarts: a few of these.
    tip = equations.node_motion("rod:tip", x, v)["position"]
    assert np.allclose(tip, motion["tip"][-1], atol=2e-8)


def test_threads_share_one_object(arm):
    x, v = nearby(arm)
    wanted = arm.evaluate(x, v)
    many = np.tile(x, (200, 1)), np.tile(v, (200, 1))
    bad = []

    def work():
        for _ in range(5):
            if not np.array_equal(arm.evaluate(*many), np.tile(wanted, (200, 1))):
                bad.append(1)
            if not np.array_equal(arm.evaluate(x, v), wanted):
                bad.append(2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad


def test_equations_can_be_pickled(arm):
    other = pickle.loads(pickle.dumps(arm))
    x, v = nearby(arm)
    assert np.array_equal(other.evaluate(x, v), arm.evaluate(x, v))


def test_energies_and_sensors(rod):
    equations = lithe.equations(rod)
    x, v = equations.start
    kinetic, gravity, elastic = equations.energies(x, v)
    assert kinetic == 0 and elastic == 0
    assert [name for name, _ in equations.sensor_names] == ["angle", "tip.x", "tip.y", "tip.z"]
    assert equations.sensors(x, v).tolist() == [0, 0.5, 0, 0]
