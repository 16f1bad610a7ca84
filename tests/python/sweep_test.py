"""Sweeps: the same numbers on threads, processes and a cluster; files that go on."""
import concurrent.futures
import fcntl
import json
import multiprocessing
import os
import signal
import struct
import subprocess
import threading
import time

import numpy as np
import pytest

import lithe
from conftest import PROGRAM
from lithe.sweeps import _PartFile

AXES = {"sections.bar.width": [0.008, 0.010, 0.012], "joint.pivot": ["0 deg", "30 deg"]}


@pytest.fixture
def wanted(rod):
    return lithe.sweep(rod, AXES, "modes", count=3, threads=1)


def test_axes_and_columns(wanted):
    assert wanted.shape == (3, 2) and list(wanted.axes) == list(AXES) and wanted.finished
    first = wanted[wanted.columns[0]]
    assert first.shape == (3, 2) and np.isfinite(wanted.values).all()
    with pytest.raises(KeyError, match="there are"):
        wanted["colour"]
    assert list(wanted.to_pandas().columns) == [*wanted.columns, "status"]


def test_a_grid_of_xarray(wanted):
    pytest.importorskip("xarray")
    data = wanted.to_xarray()
    assert data[wanted.columns[0]].dims == tuple(AXES) and data["status"].shape == (3, 2)
    assert np.array_equal(data[wanted.columns[0]].to_numpy(), wanted[wanted.columns[0]])


def test_a_point_is_the_analysis_of_a_changed_model(rod, wanted):
    alone = lithe.natural_modes(rod.copy(**{"sections.bar.width": 0.012, "joints.pivot.value": "30 deg"}), count=3)
    elastic = [column for column in wanted.columns if wanted.units[column] == "Hz"]
    assert wanted[elastic[-1]][2, 1] in alone.frequencies


def test_threads_and_processes_give_the_same_numbers(rod, wanted):
    assert np.array_equal(lithe.sweep(rod, AXES, "modes", count=3, threads=2).values, wanted.values)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = lithe.sweep(rod, AXES, "modes", count=3, client=pool, chunk=2)
    assert np.array_equal(found.values, wanted.values) and np.array_equal(found.status, wanted.status)


def test_a_cluster_gives_the_same_numbers(rod, wanted):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        found = lithe.sweep(rod, AXES, "modes", count=3, client=client, chunk=1)
    assert np.array_equal(found.values, wanted.values)


def test_two_models_on_one_cluster_are_not_mixed(rod, wanted):
    """The first sweep is still running, with its model on the workers, while the second is made."""
    distributed = pytest.importorskip("distributed")
    from lithe.sweeps import _on_executor
    other = rod.copy(**{"sections.bar.height": 0.02})
    settings = {"axes": [f"{name} = " + ", ".join(map(str, values)) for name, values in AXES.items()],
                "analysis": "modes", "count": 3}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        running = _on_executor(client, "sweep", other.__getstate__(), settings, [[0], [1]], "rows")
        next(running)
        found = lithe.sweep(rod, AXES, "modes", count=3, client=client)
        running.close()
    assert np.array_equal(found.values, wanted.values)


def test_a_map_does_not_depend_on_how_its_points_are_split(arm_with_a_hole, tmp_path):
    """Points behind the hole are reached from neighbours in other rows, which other tasks compute."""
    axes = {"tool.x": "-0.95 : -0.35 : 7", "tool.y": "-0.6 : 0.3 : 7"}
    settings = {"analysis": "condense", "tool": "outer:b", "orientation": "free", "set": "tool.z = 0"}
    whole = lithe.sweep(arm_with_a_hole, axes, **settings)
    assert set(whole.status) == {0, 1}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for chunk in (1, 5, 48):
            part = lithe.sweep(arm_with_a_hole, axes, client=pool, chunk=chunk, **settings)
            assert np.array_equal(part.status, whole.status), chunk
            assert np.array_equal(part.values, whole.values, equal_nan=True), chunk
    kept = tmp_path / "points"
    lithe.sweep(arm_with_a_hole, axes, file=kept, **settings)
    head, records = records_of(kept, whole)
    # Points of all kinds are there already.
    kept.write_bytes(head + b"".join(one if k % 3 == 0 else bytes(len(one)) for k, one in enumerate(records)))
    again = lithe.sweep(arm_with_a_hole, axes, file=kept, **settings)
    assert np.array_equal(again.status, whole.status) and np.array_equal(again.values, whole.values, equal_nan=True)


@pytest.fixture
def arm_with_a_hole():
    model = lithe.Model(name="arm", space="planar")
    lengths = {"inner": 0.5, "outer": 0.3}
    for name, length in lengths.items():
        model.links.add(name, type="rigid", mass=1, inertia=[0.01, 0.01, 0.01],
                        nodes={"a": [0, 0, 0], "b": [length, 0, 0]})
    model.joints.add("shoulder", child="inner", child_node="a", value=0.3, stiffness=100)
    model.joints.add("elbow", parent="inner", parent_node="b", child="outer", child_node="a", value=0.8, stiffness=100)
    return model


def test_progress_of_a_sweep_is_one_whole(rod, tmp_path):
    axes = {"sections.bar.width": "8 mm : 12 mm : 24"}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for client, file in ((None, None), (None, tmp_path / "points"), (pool, None)):
            parts = []
            lithe.sweep(rod, axes, "modes", count=2, client=client, file=file, chunk=4, progress=parts.append)
            assert parts == sorted(parts) and parts[-1] == 1 and all(0 <= part <= 1 for part in parts), parts
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert len(parts) >= 6


class _Enough(Exception):
    pass


@pytest.mark.parametrize("raised, caught", [(KeyboardInterrupt, lithe.Interrupted), (_Enough, _Enough)])
def test_what_ends_a_sweep_on_a_client_has_the_points_until_then(rod, raised, caught):
    axes = {"sections.bar.width": "8 mm : 12 mm : 40"}

    def stop(part):
        if part >= 0.2:
            raise raised

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(caught) as ended:
            lithe.sweep(rod, axes, "modes", count=2, client=pool, chunk=2, progress=stop)
    result = ended.value.result
    assert not result.finished and 8 <= (result.status >= 0).sum() < 40
    done = result.status >= 0
    whole = lithe.sweep(rod, axes, "modes", count=2)
    assert np.array_equal(result.values[done], whole.values[done])


def test_an_interrupted_cluster_lets_go_of_its_tasks(rod):
    distributed = pytest.importorskip("distributed")
    axes = {"sections.bar.width": "8 mm : 12 mm : 40"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        def stop(part):
            if part > 0:
                raise KeyboardInterrupt
        with pytest.raises(lithe.Interrupted) as ended:
            lithe.sweep(rod, axes, "simulate", end_time=0.5, client=client, chunk=1, progress=stop)
        assert (ended.value.result.status >= 0).any() and not ended.value.result.finished
        for _ in range(200):  # cancelling is a message
            if not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
                break
            time.sleep(0.05)
        else:
            raise AssertionError("tasks are left")


def test_a_killed_worker_changes_nothing(rod, tmp_path):
    distributed = pytest.importorskip("distributed")
    axes, part = {"sections.bar.width": "8 mm : 12 mm : 40"}, tmp_path / "points.part"
    settings = {"analysis": "simulate", "end_time": 1.0}
    killed = []

    def kill_when_some_are_done(pid):
        while not (part.exists() and part.stat().st_size > 2000):
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        killed.append(part.stat().st_size)

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_when_some_are_done, args=(pids[0],))
        killer.start()
        found = lithe.sweep(rod, axes, client=client, chunk=1, file=part, **settings)
        killer.join()
    assert killed and killed[0] < part.stat().st_size  # before the end
    alone = lithe.sweep(rod, axes, **settings)
    assert found.columns == alone.columns and np.array_equal(found.values, alone.values, equal_nan=True)


def records_of(path, sweep):
    """What stands before the points, and the bytes of each: index, status, values, 20 words of its reason, checksum."""
    content, count = path.read_bytes(), len(sweep.status)
    size = 8 * (3 + len(sweep.columns) + 20)
    start = len(content) - count * size
    return content[:start], [content[start + k * size:start + (k + 1) * size] for k in range(count)]


def with_value(record, value):
    """The record with another first value, and its checksum (FNV-1a)."""
    changed = record[:16] + struct.pack("d", value) + record[24:-8]
    total = 14695981039346656037
    for byte in changed:
        total = (total ^ byte) * 1099511628211 % 2 ** 64
    return changed + struct.pack("Q", total)


def test_a_sweep_goes_on_from_its_file(rod, wanted, tmp_path):
    part = tmp_path / "points.part"
    whole = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert np.array_equal(whole.values, wanted.values)
    head, records = records_of(part, whole)
    damaged = records[1][:30] + b"7" + records[1][31:]
    # A point of the file is taken as it is; one that is not whole is computed again, as those that are cut off.
    part.write_bytes(head + with_value(records[0], 12345.0) + damaged + records[2] + records[3][:9])
    again = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert again.values[0, 0] == 12345.0 and np.array_equal(again.values[1:], wanted.values[1:])
    last = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert np.array_equal(last.values, again.values)
    with pytest.raises(lithe.InputError, match="another unfinished sweep: the setting count was 3 and is 2; remove"):
        lithe.sweep(rod, AXES, "modes", count=2, file=part)


def test_the_program_goes_on_from_the_file_of_python(rod, wanted, command_line, tmp_path):
    path = rod.save(tmp_path / "rod.toml")
    (tmp_path / "out").mkdir()
    part = tmp_path / "out" / "sweep.part"
    lithe.sweep(lithe.read_model(path), AXES, "modes", count=3, file=part)
    head, records = records_of(part, wanted)
    part.write_bytes(head + b"".join(records[:4]))
    told = json.loads(command_line("sweep", "rod.toml", "--analysis", "modes", "--count", 3, "-o", "out", "--json", "--axis",
                                   "sections.bar.width = 8 mm, 1 cm, 12 mm", "--axis", "joint.pivot = 0, 30 deg"))
    assert (told["from_earlier_run"], told["computed_now"]) == (4, 2)
    rows = [line.split(",") for line in (tmp_path / "out" / "sweep.csv").read_text().split("\n") if line[:1].isdigit()]
    assert [[float(value) for value in row[3:3 + wanted.values.shape[1]]] for row in rows] == wanted.values.tolist()


def test_python_goes_on_from_the_file_of_a_stopped_program(rod, tmp_path):
    path = rod.save(tmp_path / "rod.toml")
    part = tmp_path / "out" / "sweep.part"
    program = subprocess.Popen([str(PROGRAM), "sweep", "rod.toml", "--analysis", "simulate", "--end", "2", "--threads", "1",
                                "--axis", "sections.bar.width = 8 mm : 12 mm : 40", "-o", "out"], cwd=tmp_path,
                               stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while program.poll() is None and not (part.exists() and part.stat().st_size > 2000):
        time.sleep(0.005)
    program.send_signal(signal.SIGKILL)
    program.wait()
    model, axes = lithe.read_model(path), {"sections.bar.width": "0.008 : 1.2 cm : 40"}
    kept = part.read_bytes()
    told = []
    found = lithe.sweep(model, axes, "simulate", end_time=2.0, file=part, progress=told.append)
    assert 0 < told[0] < 1 and part.read_bytes().startswith(kept)
    alone = lithe.sweep(model, axes, "simulate", end_time=2.0)
    assert found.columns == alone.columns and np.array_equal(found.values, alone.values, equal_nan=True)


def test_points_are_kept_one_by_one(rod, tmp_path):
    part = tmp_path / "points.part"
    sizes = []
    with pytest.raises(_Enough):
        def stop(done):
            sizes.append(part.stat().st_size)
            if done > 0.5:
                raise _Enough
        lithe.sweep(rod, {"sections.bar.width": "8 mm : 12 mm : 40"}, "simulate", end_time=2.0, file=part, threads=1,
                    progress=stop)
    assert len(set(sizes)) > 2 and sizes == sorted(sizes)


def test_points_are_not_mixed_with_those_of_another_table(rod, tmp_path):
    (tmp_path / "torque.csv").write_text("0, 1\n1, 1\n")
    rod.drives.add("push", joint="pivot", torque={"table": "torque.csv"})
    path = rod.save(tmp_path / "rod.toml")
    part = tmp_path / "points.part"
    lithe.sweep(lithe.read_model(path), AXES, "modes", count=3, file=part)
    lithe.sweep(lithe.read_model(path), AXES, "modes", count=3, file=part)
    (tmp_path / "torque.csv").write_text("0, 2\n1, 2\n")
    with pytest.raises(lithe.InputError, match="torque.csv' has changed"):
        lithe.sweep(lithe.read_model(path), AXES, "modes", count=3, file=part)


def test_files_of_others_are_left_alone(rod, tmp_path):
    (tmp_path / "mine").write_text("my notes\n")
    (tmp_path / "link").symlink_to("mine")
    os.mkfifo(tmp_path / "pipe")
    for name in ("mine", "link", "pipe", "."):
        with pytest.raises(lithe.InputError):
            lithe.sweep(rod, AXES, "modes", count=3, file=tmp_path / name)
    assert (tmp_path / "mine").read_text() == "my notes\n"
    lithe.sweep(rod, AXES, "modes", count=3, file=tmp_path / "points")
    with (tmp_path / "points").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(lithe.InputError, match="another program"):
            lithe.sweep(rod, AXES, "modes", count=3, file=tmp_path / "points")


class FullDisk:
    def put(self, *_):
        raise OSError("cannot write: no space left on device")


def test_a_full_disk_ends_the_keeping_and_not_the_sweep(rod, wanted):
    with pytest.warns(lithe.LitheWarning, match="not kept any more"):
        part = _PartFile("/dev/full")
        part.core = FullDisk()
        part.add([0], {"status": [0], "reasons": [""], "values": np.ones((1, 1))})
    assert part.core is None


def test_errors_of_a_sweep(rod):
    with pytest.raises(lithe.InputError):
        lithe.sweep(rod, {"sections.bar.colour": [1, 2]}, "modes")
