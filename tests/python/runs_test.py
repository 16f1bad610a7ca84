"""Long runs: interrupts, progress, threads, pickles, files, memory."""
import concurrent.futures
import gc
import math
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import lithe
from conftest import run_python


def test_arrays_are_views_that_outlive_the_result():
    motion = lithe.simulate(lithe.example("l_shape"), end_time=0.05)
    assert not motion.time.flags.owndata and motion["shoulder angle"].base is not None
    assert motion["tip position"] is motion["tip position"] and motion["tip position"].shape == (51, 3)
    angle = motion["shoulder angle"]
    wanted = angle.copy()
    del motion
    gc.collect()
    assert np.array_equal(angle, wanted)


def test_ctrl_c_keeps_what_was_computed():
    model = lithe.example("industrial_6r")
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        lithe.simulate(model, end_time=10000, output_step=0.01)
    assert isinstance(caught.value, lithe.Interrupted)
    motion = caught.value.result
    assert motion.end == "cancelled" and len(motion.time) > 1


def test_ctrl_c_in_a_fit_leaves_no_numbers():
    arm = lithe.Model('''lithe = 1
[[links]]
name = "arm"
type = "rigid"
mass = 3
nodes = {root = [0, 0, 0]}
inertia = [0.01, 0.09, 0.09]
[[joints]]
name = "turn"
child = "arm"
child_node = "root"
[[motors]]
joint = "turn"
rotor_inertia = 1e-4
ratio = 100
stiffness = 4000
[[moves]]
joints = ["turn"]
waypoints = [{joints = [0.5]}]
duration = 0.2
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "turn"
''')
    times = np.arange(10000) / 10
    with pytest.raises(lithe.Interrupted) as caught:
        lithe.identify(arm, {"time": times, "angle": np.sin(times)}, fit=["motors[0].stiffness"], tolerance=1e-10,
                       progress=lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert not caught.value.result.numbers and not caught.value.result.converged


def chain_of_elements(count):
    """Two beams with so many coordinates that their modes take seconds."""
    arm = lithe.Model(gravity=[0, 0, -9.81])
    arm.materials.add("steel", density=7800, young_modulus="210 GPa", poisson_ratio=0.3)
    arm.sections.add("bar", shape="circle", diameter="8 mm")
    for name, parent in (("upper", "ground"), ("lower", "upper")):
        arm.links.add(name, nodes={"root": [0, 0, 0], "tip": [0.3, 0, 0]}, path=["root", "tip"], material="steel",
                      section="bar", elements=count)
        place = {} if parent == "ground" else {"parent": parent, "parent_node": "tip"}
        arm.joints.add(f"turn of {name}", child=name, child_node="root", axis=[0, 1, 0], **place)
    return arm


SLOW = {
    "natural_modes": lambda arm: lithe.natural_modes(arm, formulation="erls-fem"),
    "find_equilibrium": lambda arm: lithe.find_equilibrium(arm, formulation="erls-fem", hold_joints=False),
    "state_space": lambda arm: lithe.state_space(arm, formulation="erls-fem"),
}


@pytest.mark.parametrize("name", SLOW)
def test_ctrl_c_is_heard_at_once_by_what_is_not_looked_into(name):
    arm = chain_of_elements(60)
    arm.core
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, press)
    timer.start()
    with pytest.raises(lithe.Interrupted) as caught:
        SLOW[name](arm)
    assert time.monotonic() - pressed[0] < 1  # 0.05 s on a machine with nothing else to do
    assert caught.value.result is None


def test_a_process_ends_as_it_should_while_a_computation_that_was_left_alone_goes_on():
    script = """
import os, signal, sys, threading
sys.path.insert(0, sys.argv[1])
import lithe
from runs_test import chain_of_elements
arm = chain_of_elements(100)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    lithe.natural_modes(arm, formulation="erls-fem")
except KeyboardInterrupt:
    print("stopped")
    sys.exit(3)
"""
    ended = subprocess.run([sys.executable, "-c", script, str(pathlib.Path(__file__).parent)], capture_output=True,
                           text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (3, "stopped\n"), ended.stderr


def test_a_mechanism_that_finds_no_rest_is_a_failed_computation():
    heavy = lithe.example("l_shape")
    heavy["gravity"] = [0, -1e12, 0]
    for analysis in (lithe.state_space, lithe.linearise):
        with pytest.raises(lithe.ComputationError, match="no steady motion"):
            analysis(heavy)


def test_progress_is_told_and_may_stop_a_run():
    parts = []

    def watch(part):
        parts.append(part)
        if len(parts) == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        lithe.simulate(lithe.example("industrial_6r"), end_time=10000, output_step=0.01, progress=watch)
    assert parts == sorted(parts) and len(caught.value.result.time) > 1


def test_the_progress_bar(capsys):
    lithe.simulate(lithe.example("l_shape"), end_time=2.0, tolerance=1e-10, progress=True)
    text = capsys.readouterr().err
    assert "simulate [" in text and text.endswith("\r")


def test_other_threads_go_on_while_a_run_computes():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    lithe.simulate(lithe.example("l_shape"), end_time=2.0, tolerance=1e-10)
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_two_simulations_at_once_are_as_alone():
    model = lithe.example("l_shape")
    alone = lithe.simulate(model, end_time=0.3)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: lithe.simulate(model, end_time=0.3), range(2)))
    for motion in both:
        assert np.array_equal(motion["tip position"], alone["tip position"])


def assert_same(one, other):
    assert one.names == other.names and one.units == other.units and one.message == other.message
    for name in one.names:
        assert np.array_equal(one[name], other[name], equal_nan=True)
    assert np.array_equal(one.coordinates, other.coordinates) and np.array_equal(one.speeds, other.speeds)
    assert one.energy == other.energy and one.counters == other.counters and one.events == other.events


@pytest.mark.parametrize("name", ["l_shape", "five_bar"])
def test_motions_survive_pickles_and_files(name, tmp_path):
    model = lithe.example(name)
    motion = lithe.simulate(model, end_time=0.02)
    assert_same(pickle.loads(pickle.dumps(motion)), motion)
    motion.save(tmp_path / "run.npz")
    loaded = lithe.load(tmp_path / "run.npz")
    assert_same(loaded, motion)
    assert loaded.page() == motion.page()
    written = motion.save(tmp_path / "table.csv")
    assert sorted(path.name for path in written) == ["table.csv", "table.h5"]
    with pytest.raises(lithe.InputError, match="npz"):
        motion.save(tmp_path / "run.xls")


def test_other_results_can_be_pickled(rod):
    moving = rod.copy()
    moving.drives.add("motor", joint="pivot", motion={"move": {"end_time": 0.2, "end_value": 0.5}})
    for result in (lithe.natural_modes(rod), lithe.find_equilibrium(rod), lithe.linearise(rod),
                   lithe.condense(rod, held=["pivot"], tool="rod:tip"), lithe.inverse_dynamics(moving, end_time=0.01)):
        other = pickle.loads(pickle.dumps(result))
        assert type(other) is type(result) and repr(other) == repr(result)


def test_frames(rod):
    motion = lithe.simulate(rod, end_time=0.01)
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    frame, data = motion.to_pandas(), motion.to_xarray()
    assert isinstance(frame, pandas.DataFrame) and frame["tip.z"].iloc[-1] == motion["tip.z"][-1]
    assert isinstance(data, xarray.Dataset) and data["tip"].shape == (11, 3) and data["tip"].attrs["units"] == "m"


def test_pictures_and_pages(rod):
    pytest.importorskip("matplotlib")
    motion = lithe.simulate(rod, end_time=0.01)
    panel = motion.plot("tip")
    assert len(panel.lines) == 3 and panel.get_ylabel() == "tip [m]"
    assert len(motion.plot()) == len(motion.sensors)
    for shown in (motion, lithe.natural_modes(rod), lithe.find_equilibrium(rod), lithe.linearise(rod)):
        assert "<table>" in shown._repr_html_()
    assert motion.page().lstrip().lower().startswith("<!doctype html")


def test_linear_models_go_to_scipy_and_control():
    linear = lithe.linearise(lithe.example("l_shape_torque"))
    system = linear.to_scipy()
    assert np.array_equal(system.A, linear.a)
    control = pytest.importorskip("control")
    other = linear.to_control()
    assert isinstance(other, control.StateSpace) and other.nstates == len(linear.a)


def test_warnings_are_pythons(rod):
    soft = rod.copy(**{"materials.steel.young_modulus": "0.02 GPa"})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        motion = lithe.simulate(soft, end_time=0.2)
    assert motion.warnings and [str(one.message) for one in seen if one.category is lithe.LitheWarning] == motion.warnings


def test_a_failed_run_raises_and_keeps_its_result(driven_rod):
    @lithe.input_type
    def explodes(time, x, v, result, memory):
        result[0] = math.nan if time > 0.05 else 0.0

    settings = {"end_time": 0.1, "drives": {"motor": lithe.compiled(explodes)}}
    with pytest.raises(lithe.ComputationError) as caught:
        lithe.simulate(driven_rod, **settings)
    assert caught.value.result.end == "failed" and 0.03 < caught.value.result.time[-1] <= 0.05
    assert lithe.simulate(driven_rod, check=False, **settings).end == "failed"


LEAK = """
import gc, resource, sys
import lithe

def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def many(count):
    for _ in range(count):
        model = lithe.Model(TEXT, file="rod.toml")
        lithe.simulate(model, end_time=0.002, output_step=0.001, controllers=lithe.Controller(
            lambda *_: 0.0, joints=["pivot"], measurements=["angle"]))
        lithe.natural_modes(model)
    gc.collect()
    return rss(), len(gc.get_objects())

many(300)
before, after = many(1), many(COUNT)
print(after[0] - before[0], after[1] - before[1])
"""


def test_nothing_leaks(rod):
    """A leak of 100 bytes per run would show."""
    count = 10000
    done = run_python(LEAK.replace("TEXT", repr(rod.text)).replace("COUNT", str(count)))
    assert done.returncode == 0, done.stderr
    memory, objects = map(int, done.stdout.split())
    assert objects < 20 and memory < 100 * count


def test_reference_counts_of_functions(driven_rod):
    def function(*_):
        return 0.0

    before = sys.getrefcount(function)
    lithe.simulate(driven_rod, end_time=0.01, drives={"motor": function})
    gc.collect()
    assert sys.getrefcount(function) == before


def test_a_large_reduction_is_kept_for_the_next_interpreter(tmp_path):
    """With the same bits as without the folder."""
    code = "import lithe; print(lithe.natural_modes(lithe.example('solids/bracket')).frequencies.tolist())"
    found = []
    for folder in (tmp_path, tmp_path, "off"):
        done = run_python(code, LITHE_CACHE=str(folder))
        found.append(done.stdout)
        assert done.returncode == 0, done.stderr
        assert len(list(tmp_path.glob("*.basis"))) == 1
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["read", "inspect", "equations", "unpack", "modes"])
def test_long_calls_let_other_threads_run(name):
    """The interpreter changes threads only where a call lets go of it: the other one runs within the call, or not."""
    model = lithe.example("solids/cast_arm")
    packed = pickle.dumps(lithe.simulate(model, end_time=1e-3)) if name == "unpack" else b""
    calls = {"read": lambda: lithe.Model(model.text, file=model.file).core, "inspect": lambda: lithe.inspect(model),
             "equations": lambda: lithe.equations(model), "unpack": lambda: pickle.loads(packed),
             "modes": lambda: lithe.natural_modes(model)}
    begin, ran = threading.Event(), []
    thread = threading.Thread(target=lambda: (begin.wait(), ran.append(1)))
    interval = sys.getswitchinterval()
    thread.start()
    while not begin._cond._waiters:  # until it waits
        time.sleep(1e-3)
    try:
        sys.setswitchinterval(1000)
        begin.set()
        during = 0
        for _ in range(50):  # on a busy machine one call may be over before the other thread gets a processor
            before = len(ran)
            calls[name]()
            during += len(ran) - before
            if during:
                break
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert during == 1


def test_warnings_name_the_line_that_called():
    model = lithe.example("l_shape")
    for call in (lithe.linearise, lithe.Model.to_urdf):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(model)
        assert caught and {one.filename for one in caught} == {__file__}
