"""Sweeps: the same numbers on threads, processes and a cluster; files that go on."""
import concurrent.futures
import json
import multiprocessing

import numpy as np
import pytest

import lithe

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


def test_a_sweep_goes_on_from_its_file(rod, wanted, tmp_path):
    part = tmp_path / "points.part"
    whole = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert np.array_equal(whole.values, wanted.values)
    lines = part.read_text().split("\n")
    assert len(lines) == 8
    marked = json.loads(lines[1])
    marked[3][0] = (12345.0).hex()  # a point of the file is taken as it is
    part.write_text("\n".join([lines[0], json.dumps(marked), lines[2], lines[3][:9]]))
    again = lithe.sweep(rod, AXES, "modes", count=3, file=part)
    assert again.values[0, 0] == 12345.0 and np.array_equal(again.values[1:], wanted.values[1:])
    with pytest.raises(lithe.InputError, match="another sweep"):
        lithe.sweep(rod, AXES, "modes", count=2, file=part)


def test_errors_of_a_sweep(rod):
    with pytest.raises(lithe.InputError):
        lithe.sweep(rod, {"sections.bar.colour": [1, 2]}, "modes")
