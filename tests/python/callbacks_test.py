"""Functions of the user in the loop: controllers, drives, loads; Python and compiled; good and bad ones."""
import ctypes
import math

import numpy as np
import pytest

import lithe


def turn(time, measurements, references):
    return -2.0 * measurements[0]


def controller(function, **keys):
    return lithe.Controller(function, joints=["pivot"], measurements=["angle"], sample_time=1e-3, **keys)


def test_a_controller_in_python_is_the_same_as_a_compiled_one(rod):
    @lithe.controller_type
    def compiled(time, measurements, references, outputs, memory):
        outputs[0] = -2.0 * measurements[0]

    python = lithe.simulate(rod, end_time=0.1, controllers=controller(turn))
    machine = lithe.simulate(rod, end_time=0.1, controllers=controller(lithe.compiled(compiled)))
    assert python.end == machine.end == "finished"
    assert np.array_equal(python["tip"], machine["tip"])
    free = lithe.simulate(rod, end_time=0.1)
    assert np.abs(free["angle"][-1] - python["angle"][-1]) > 1e-3


def test_numba_runs_without_the_interpreter(rod):
    numba = pytest.importorskip("numba")

    @numba.cfunc(lithe.numba_signature)
    def compiled(time, measurements, references, outputs, memory):
        memory[0] += 1
        outputs[0] = -2.0 * measurements[0]

    counted = np.zeros(1)
    one = lithe.compiled(compiled, memory=counted)
    machine = lithe.simulate(rod, end_time=0.1, controllers=controller(one))
    python = lithe.simulate(rod, end_time=0.1, controllers=controller(turn))
    assert np.array_equal(python["tip"], machine["tip"])
    assert one.memory[0] in (100, 101)


def test_a_drive_as_a_function_is_the_drive_as_a_signal(driven_rod):
    signal = driven_rod.copy(**{"drives.motor.torque": {"sine": {"amplitude": 0.5, "frequency": 3}}})
    wanted = lithe.simulate(signal, end_time=0.2, tolerance=1e-9)
    found = lithe.simulate(driven_rod, end_time=0.2, tolerance=1e-9,
                           drives={"motor": lambda t, x, v: 0.5 * math.sin(6 * math.pi * t)})
    assert np.abs(wanted["tip"] - found["tip"]).max() < 2e-9  # both within the tolerance


def test_a_state_dependent_drive_is_a_spring(driven_rod):
    spring = driven_rod.copy(**{"joints.pivot.stiffness": 3.0})
    wanted = lithe.simulate(spring, end_time=0.2, tolerance=1e-9)
    found = lithe.simulate(driven_rod, end_time=0.2, tolerance=1e-9, drives={"motor": lambda t, x, v: -3.0 * x[0]})
    assert np.abs(wanted["tip"] - found["tip"]).max() < 4e-9


def test_a_load_as_a_function(rod):
    rod.loads.add("push", link="rod", node="tip", direction=[0, 0, 1], force=0.0)
    constant = rod.copy(**{"loads.push.force": 2.0})
    wanted = lithe.simulate(constant, end_time=0.1, tolerance=1e-9)
    found = lithe.simulate(rod, end_time=0.1, tolerance=1e-9, loads={"push": lambda t, x, v: 2.0})
    assert np.abs(wanted["tip"] - found["tip"]).max() < 2e-9


def test_a_prescribed_motion_as_a_function(rod):
    rod.drives.add("path", joint="pivot", motion={"ramp": {"end_time": 10, "end_value": 0}})

    def path(time, x, v):
        return 0.1 * (1 - math.cos(5 * time)), 0.5 * math.sin(5 * time), 2.5 * math.cos(5 * time)

    found = lithe.simulate(rod, end_time=0.3, drives={"path": path})
    assert np.allclose(found["angle"], 0.1 * (1 - np.cos(5 * found.time)), atol=1e-12)


def test_an_error_in_a_function_is_raised_and_keeps_the_motion(rod):
    def fails(time, measurements, references):
        if time > 0.0505:
            raise ZeroDivisionError("the tip is hot")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="the tip is hot") as caught:
        lithe.simulate(rod, end_time=0.2, controllers=controller(fails))
    kept = caught.value.result
    assert 0.05 <= kept.time[-1] < 0.06 and np.isfinite(kept["tip"]).all()


@pytest.mark.parametrize("value, message", [
    (float("nan"), "not finite"), ([1.0, 2.0], "returned 2 numbers instead of 1"), (None, "returned None"),
    ([], "returned 0 numbers"), (np.inf, "not finite")])
def test_bad_values_of_controllers_and_drives(driven_rod, value, message):
    with pytest.raises(ValueError, match=message):
        lithe.simulate(driven_rod, end_time=0.1, controllers=controller(lambda *_: value))
    with pytest.raises(ValueError, match=message):
        lithe.simulate(driven_rod, end_time=0.1, drives={"motor": lambda *_: value})


def test_a_text_is_no_number(driven_rod):
    with pytest.raises((TypeError, ValueError)):
        lithe.simulate(driven_rod, end_time=0.1, drives={"motor": lambda *_: "strong"})


def test_names_that_do_not_exist(driven_rod):
    with pytest.raises(lithe.InputError, match="no drive 'motr'"):
        lithe.simulate(driven_rod, end_time=0.1, drives={"motr": lambda *_: 0})
    with pytest.raises(TypeError, match="needs a function"):
        lithe.simulate(driven_rod, end_time=0.1, drives={"motor": 3})
    with pytest.raises(lithe.InputError, match="address"):
        lithe.compiled(ctypes.c_void_p(0))


def test_a_controller_may_have_a_start_and_references():
    model = lithe.example("control_arm")

    class Servo:
        started = 0

        def start(self, time, measurements, references):
            self.started += 1
            assert references.shape == (1, 3)

        def __call__(self, time, measurements, references):
            return 20 * (references[0, 0] - measurements[0])

    servo = Servo()
    motion = lithe.simulate(model, end_time=0.1, controllers=lithe.Controller(
        servo, joints=["shoulder"], measurements=["shoulder angle"], references=["turn"], name="servo"))
    assert servo.started == 1 and motion.end == "finished"
