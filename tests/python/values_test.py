"""The same numbers as the command line, to the last bit where both run the same machine code."""
import json

import h5py
import numpy as np
import pytest

import lithe


def model_of(name):
    return lithe.example(name)


@pytest.mark.parametrize("name", ["l_shape", "control_arm"])
def test_a_motion_has_the_bits_of_the_command_line(name, command_line, tmp_path):
    model = model_of(name)
    command_line("simulate", model.file, "--end", "0.2", "-o", "out")
    motion = lithe.simulate(model, end_time=0.2)
    with h5py.File(tmp_path / "out" / "motion.h5") as file:
        assert np.array_equal(file["motion/time"][:], motion.time)
        for column in motion.names:
            assert np.array_equal(file[f"motion/{column}"][:], motion[column], equal_nan=True), column
        assert np.array_equal(file["states/coordinates"][:], motion.coordinates)
        assert np.array_equal(file["states/speeds"][:], motion.speeds)


def test_a_stiffened_motion_is_that_of_the_command_line(command_line, tmp_path):
    """Functions of headers are compiled by module and program with flags of their own: what geometric stiffening calls
    rounds differently, and steps follow. Both stay far below the tolerance, 1e-6 m per second."""
    model = model_of("slider_crank")
    command_line("simulate", model.file, "--end", "0.02", "-o", "out")
    motion = lithe.simulate(model, end_time=0.02)
    assert any("geometric stiffening" in note for note in motion.notes)
    with h5py.File(tmp_path / "out" / "motion.h5") as file:
        difference = np.abs(file["motion/slider position"][:] - motion["slider position"]).max()
    assert difference < 0.02 * 1e-6


@pytest.mark.parametrize("name", ["l_shape", "five_bar"])
def test_modes(name, command_line):
    model = model_of(name)
    text = command_line("modes", model.file, "--count", "8", "--json", "-o", "out")
    listed = [mode["frequency_hz"] for mode in json.loads(text)["modes"]]
    found = lithe.natural_modes(model, count=8, link="")
    assert listed == found.frequencies[:len(listed)].tolist()


def test_equilibrium(command_line):
    model = model_of("l_shape")
    printed = json.loads(command_line("equilibrium", model.file, "--json", "-o", "out"))
    found = lithe.find_equilibrium(model)
    assert {one["name"]: one["value"] for one in printed["sensors"]} == found.sensors


def test_condensation(command_line):
    model = model_of("ragnar")
    printed = json.loads(command_line("condense", model.file, "--json", "-o", "out"))
    found = lithe.condense(model)
    listed = printed["frequencies_hz"]
    assert listed == found.frequencies[:len(listed)].tolist()


def test_linear_model(command_line, tmp_path):
    model = model_of("l_shape_torque")
    command_line("linearise", model.file, "-o", "out")
    found = lithe.linearise(model)
    with h5py.File(tmp_path / "out" / "linear.h5") as file:
        for name, matrix in (("A", found.a), ("B", found.b), ("C", found.c), ("D", found.d)):
            assert np.array_equal(file[name][:], matrix), name


def test_two_results_of_the_same_model_agree():
    model = model_of("l_shape")
    comparison = lithe.compare(model, end_time=0.05, formulations=["erls-cms", "floating-frame"])
    assert comparison.finished and list(comparison.runs) == ["erls-cms", "floating-frame"]
    alone = lithe.simulate(model, end_time=0.05)
    assert np.array_equal(comparison.runs["erls-cms"]["tip position"], alone["tip position"])
    tip = comparison.runs["floating-frame"]["tip position"] - alone["tip position"]
    assert np.abs(tip).max() == pytest.approx(
        max(one["largest"] for one in comparison.differences["floating-frame"] if one["sensor"].startswith("tip pos")))


def test_control_study():
    study = lithe.study_control(model_of("control_arm"), controllers=["pid", "lqg"], payloads=False)
    assert set(study.runs) == {"pid", "lqg"} and not study.failures
    for run in study.runs.values():
        assert 0.3 < run["settling_time"] < 1.5
        assert len(run["motion"].time) > 100


def test_inverse_dynamics_of_a_rigid_pendulum(rod):
    rod.drives.add("motor", joint="pivot", motion={"move": {"end_time": 0.2, "end_value": 0.5}})
    motion = lithe.inverse_dynamics(rod, end_time=0.2, flexible=False)
    force = motion[next(name for name in motion.names if motion.units[name] == "N m")]
    # A uniform rod of length l about its end: m l^2/3 (plus section inertia) and gravity m g l/2 at the start.
    mass = 7800 * 0.01 ** 2 * 0.5
    assert force[0] == pytest.approx(-mass * 9.81 * 0.25, rel=1e-9)


def test_spectrum_of_a_sine():
    model = lithe.example("l_shape")
    motion = lithe.simulate(model, end_time=0.5)
    found = motion.spectrum("elbow acceleration z", max_frequency=300)
    assert found.frequencies[-1] <= 300 and len(found.peak_frequencies) > 0
    with pytest.raises(lithe.InputError, match="components"):
        motion.spectrum("tip position")
