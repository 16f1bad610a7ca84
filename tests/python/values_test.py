"""The same numbers as the command line, to the last bit."""
import json
import pickle

import h5py
import numpy as np
import pytest

import lithe


def model_of(name):
    return lithe.example(name)


# One with a controller, one with loops, two with geometric stiffening.
@pytest.mark.parametrize("name, end", [("l_shape", 0.2), ("control_arm", 0.2), ("five_bar", 0.02),
                                       ("slider_crank", 0.02), ("planar_2r", 0.05)])
def test_a_motion_has_the_bits_of_the_command_line(name, end, command_line, tmp_path):
    model = model_of(name)
    command_line("simulate", model.file, "--end", end, "-o", "out")
    motion = lithe.simulate(model, end_time=end)
    with h5py.File(tmp_path / "out" / "motion.h5") as file:
        assert np.array_equal(file["motion/time"][:], motion.time)
        for column in motion.names:
            assert np.array_equal(file[f"motion/{column}"][:], motion[column], equal_nan=True), column
        assert np.array_equal(file["states/coordinates"][:], motion.coordinates)
        assert np.array_equal(file["states/speeds"][:], motion.speeds)


@pytest.mark.parametrize("name", ["l_shape", "five_bar"])
def test_modes(name, command_line):
    model = model_of(name)
    for words, settings in (((), {}), (("--count", "8"), {"count": 8})):
        text = command_line("modes", model.file, *words, "--json", "-o", "out")
        listed = [mode["frequency_hz"] for mode in json.loads(text)["modes"]]
        found = lithe.natural_modes(model, **settings)
        assert listed == found.frequencies[:len(listed)].tolist() and len(listed) >= 8


def test_modes_of_a_link_are_those_that_the_file_asks_for(command_line):
    model = model_of("l_shape")  # asks for 18 modes of its link, then for those of the mechanism
    text = command_line("modes", model.file, "--link", "arm", "--json", "-o", "out")
    listed = [mode["frequency_hz"] for mode in json.loads(text)["modes"]]
    assert listed == lithe.natural_modes(model, link="arm").frequencies.tolist() and len(listed) == 18


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


def test_state_space(command_line, tmp_path):
    model = model_of("l_shape_torque")
    options = {"sample_time": 0.001, "states": 8, "reduction": "modal", "keep_static_gain": True, "delay": 1}
    words = ["--sample-time", 0.001, "--states", 8, "--reduction", "modal", "--keep-static-gain", "--delay", 1]
    printed = json.loads(command_line("statespace", model.file, *words, "--json", "-o", "out"))
    found = lithe.state_space(model, **options)
    for name, matrix in (("A", found.a), ("B", found.b), ("C", found.c), ("D", found.d)):
        assert printed[name] == matrix.tolist(), name
    assert printed["full_states"] == found.full_states and printed["stable"] == found.stable
    assert [[pole["real"], pole["imaginary"]] for pole in printed["poles"]] == [
        [mode["pole"].real, mode["pole"].imag] for mode in found.modes]
    for one, other in zip(printed["channels"], found.channels):
        assert (one["input"], one["output"]) == (other["input"], other["output"])
        assert one["largest_gain"] is None or one["largest_gain"] == other["largest_gain"]
    assert found.to_scipy().dt == 0.001 and found.to_control().dt == 0.001


def test_sensitivity(command_line):
    model = model_of("four_bar")
    printed = json.loads(command_line("sensitivity", model.file, "--json", "-o", "out"))
    found = lithe.sensitivity(model)
    assert printed["S"] == found.matrix.tolist() and printed["rows"] == [name for name, _ in found.rows]
    assert printed["free_columns"] == found.num_free == 1
    assert found[found.rows[5][0]].tolist() == printed["S"][5]
    with pytest.raises(KeyError, match="there are"):
        found["coupler:nowhere x"]


def test_all_analyses_of_a_file_are_those_alone():
    model = model_of("l_shape").copy(**{"analyses[2].end_time": 0.1, "analyses[3].max_frequency": 400})
    model.analyses.add(kind="linearise", inputs=["nowhere"])
    with pytest.warns(lithe.LitheWarning, match="nowhere"):
        outcomes = lithe.run_all(model)
    assert [one.kind for one in outcomes] == ["modes", "modes", "simulate", "spectrum", "linearise"]
    of_link, whole, motion, spectrum, failed = outcomes
    assert of_link.name == "free arm"
    assert np.array_equal(of_link.result.frequencies, lithe.natural_modes(model, link="arm", count=18).frequencies)
    assert np.array_equal(whole.result.frequencies, lithe.natural_modes(model, link="", count=10).frequencies)
    alone = lithe.simulate(model, end_time=0.1)
    assert np.array_equal(motion.result["tip position"], alone["tip position"])
    assert np.array_equal(spectrum.result.values, alone.spectrum("elbow acceleration z", max_frequency=400).values)
    assert spectrum.result.unit == "m/s^2" and failed.result is None and "nowhere" in failed.failure


def test_all_analyses_of_a_file_include_sweeps(rod):
    rod.analyses.add(kind="sweep", analysis="modes", axes=["materials.steel.density = 7000, 8000"], count=2)
    (outcome,) = lithe.run_all(rod)
    alone = lithe.sweep(rod, {"materials.steel.density": [7000, 8000]}, "modes", count=2)
    assert np.array_equal(outcome.result.values, alone.values) and outcome.result.columns == alone.columns


def test_sizes_of_motors_and_settling(rod, command_line, tmp_path):
    rod.drives.add("motor", joint="pivot", motion={"move": {"end_time": 0.2, "end_value": 0.5}})
    path = rod.save(tmp_path / "rod.toml")
    (printed,) = json.loads(command_line("size", path, "--json", "-o", "out"))["drives"]
    sized = lithe.size_motors(rod)
    drive = sized.drives[printed["joint"]]
    assert (drive["peak_torque"], drive["rms_torque"]) == (printed["peak_torque"], printed["rms_torque"])
    assert drive["peak_speed"] == pytest.approx(15 / 8 * 0.5 / 0.2, rel=1e-3)  # of a move of fifth order
    (printed,) = json.loads(command_line("settle", path, "--after", 0.2, "--json", "-o", "out"))["points"]
    settled = lithe.settle(rod, after=0.2)
    point = settled.points[printed["name"]]
    assert point["residual"] == printed["residual_m"] and point["rest"].tolist() == printed["rest_m"]
    for result in (sized, settled):
        assert pickle.loads(pickle.dumps(result)).motion.names == result.motion.names


def test_a_spring_fitted_to_its_motion(rod, command_line, tmp_path):
    rod.joints["pivot"].stiffness, rod.joints["pivot"].damping = 50.0, 0.1
    motion = lithe.simulate(rod, end_time=0.5, output_step=2e-3)
    sensor = next(name for name in motion.names if motion[name].ndim == 1)
    noise = np.random.default_rng(3).normal(0, 1e-3 * np.std(motion[sensor]), len(motion.time))
    data = {"time": motion.time, sensor: motion[sensor] + noise}
    rod.joints["pivot"].stiffness = 70.0
    found = lithe.identify(rod, data, fit="joints.pivot.stiffness")
    number = found.numbers["joints.pivot.stiffness"]
    half_width = (number["interval"][1] - number["interval"][0]) / 2  # two standard errors
    assert abs(number["value"] - 50) < 2 * half_width and number["determined"]  # missed by chance once in 16,000
    assert lithe.Model(found.text, file="fitted.toml").joints["pivot"].stiffness == pytest.approx(number["value"])
    (tmp_path / "data.csv").write_text("\n".join([f"time,{sensor}", *(f"{t!r},{v!r}" for t, v in zip(
        data["time"].tolist(), data[sensor].tolist()))]) + "\n", encoding="utf-8")
    path = rod.save(tmp_path / "rod.toml")
    (printed,) = json.loads(command_line("identify", path, "--data", tmp_path / "data.csv", "--fit",
                                         "joints.pivot.stiffness", "--json"))["numbers"]
    assert printed["value"] == pytest.approx(number["value"], rel=1e-9)


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
