"""Sweeps: the same numbers on threads, processes and a cluster; files that go on."""
import concurrent.futures
import fcntl
import json
import multiprocessing
import os
import signal
import threading
import time
import os

import numpy as np
import pytest

import lithe
from lithe.sweeps import _line, _PartFile

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


def test_a_killed_worker_changes_nothing(rod, tmp_path):
    distributed = pytest.importorskip("distributed")
    axes, part = {"sections.bar.width": "8 mm : 12 mm : 40"}, tmp_path / "points.part"
    settings = {"analysis": "simulate", "end_time": 1.0}
    killed = []

    def kill_when_some_are_done(pid):
        while not (part.exists() and part.read_text().count("\n") > 3):
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        killed.append(part.read_text().count("\n") - 1)

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_when_some_are_done, args=(pids[0],))
        killer.start()
        found = lithe.sweep(rod, axes, client=client, chunk=1, file=part, **settings)
        killer.join()
    assert killed and killed[0] < 40  # before the end
    alone = lithe.sweep(rod, axes, **settings)
    assert found.columns == alone.columns and np.array_equal(found.values, alone.values, equal_nan=True)


def test_a_sweep_goes_on_from_its_file(rod, wanted, tmp_path):
    part = tmp_path / "points.part"
    whole = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert np.array_equal(whole.values, wanted.values)
    lines = part.read_bytes().split(b"\n")
    assert len(lines) == 8
    marked = json.loads(lines[1].rpartition(b" ")[0])
    marked[3][0] = (12345.0).hex()  # a point of the file is taken as it is
    damaged = lines[2][:30] + b"7" + lines[2][31:]  # and one that is not whole is computed again, as those that are cut off
    part.write_bytes(b"\n".join([lines[0], _line(marked)[:-1], damaged, lines[3], lines[4][:9]]))
    again = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert again.values[0, 0] == 12345.0 and np.array_equal(again.values[1:], wanted.values[1:])
    last = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert np.array_equal(last.values, again.values)
    with pytest.raises(lithe.InputError, match="another sweep: the setting count was 3 and is 2"):
        lithe.sweep(rod, AXES, "modes", count=2, file=part)


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


def test_a_full_disk_ends_the_keeping_and_not_the_sweep(rod, wanted):
    with pytest.warns(lithe.LitheWarning, match="not kept any more"):
        part = _PartFile(None, rod, {})
        part.path, part.file = "/dev/full", open("/dev/full", "r+b", buffering=0)
        part.add([0], {"status": [0], "reasons": [""], "values": [[1.0]]})
    assert part.file is None


def test_errors_of_a_sweep(rod):
    with pytest.raises(lithe.InputError):
        lithe.sweep(rod, {"sections.bar.colour": [1, 2]}, "modes")
