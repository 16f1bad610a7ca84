"""Results that are kept and shown: files, frames, notebooks."""
import json
import pickle

import numpy as np
import pytest

import lithe


def all_results(rod, driven):
    yield lithe.natural_modes(rod, count=3)
    yield lithe.natural_modes(rod, link="rod", count=3)
    yield lithe.find_equilibrium(driven)
    yield lithe.linearise(driven, response=[1.0, 10.0])
    yield lithe.linearise(driven).models[0]
    yield lithe.state_space(driven)
    yield lithe.sensitivity(driven)
    yield lithe.condense(lithe.example("planar_3rrr"))
    yield lithe.compare(driven, formulations=["erls-cms", "floating-frame"], end_time=0.05)
    yield lithe.sweep(driven, {"sections.bar.width": [0.008, 0.01]}, "modes", count=2)
    yield lithe.sweep(driven, {"sections.bar.width": [0.008, 0.01], "joint.pivot": [0, 0.1]}, "modes", count=2)
    yield lithe.simulate(driven, end_time=0.2).spectrum("tip.x")
    yield lithe.simulate(driven, end_time=0.2).rainflow("tip.x")
    yield lithe.simulate(driven, end_time=0.05)


@pytest.fixture
def results(rod, driven_rod):
    driven_rod["joints.pivot.value"] = "20 deg"
    driven_rod["joints.pivot.damping"] = 0.1
    driven_rod["joints.pivot.stiffness"] = 50
    return list(all_results(driven_rod, driven_rod))


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, lithe.Motion):
        return same(one.core.pack(), other.core.pack())
    if isinstance(one, lithe.LinearModel):
        return same(vars(one), vars(other))
    return type(one) is type(other) and (one == other or one != one)


def values_of(result):
    return {key: value for key, value in vars(result).items() if key not in ("model", "settings", "core", "_stacked")}


def test_what_is_saved_and_pickled_comes_back_bit_by_bit(results, tmp_path):
    for number, result in enumerate(results):
        (path,) = result.save(tmp_path / f"{number}.npz")
        for again in (lithe.load(path), pickle.loads(pickle.dumps(result))):
            assert type(again) is type(result)
            assert same(values_of(again), values_of(result)), (result, again)
            if hasattr(result, "model"):
                assert again.model == result.model
            assert again._repr_html_() == result._repr_html_()


def test_tables_are_frames_and_shown(results, tmp_path):
    pandas = pytest.importorskip("pandas")
    for result in results:
        text = result._repr_html_()
        assert "<table" in text and "nan" not in text.partition("<iframe")[0].replace("nance", ""), result
        if not isinstance(result, lithe.Motion):
            assert len(result.to_pandas()) > 0 and isinstance(result.to_pandas(), (pandas.DataFrame, pandas.Series))
            (path,) = result.save(tmp_path / "table.csv")
            assert len(pandas.read_csv(path)) > 0
        with pytest.raises(lithe.InputError, match="not as"):
            result.save(tmp_path / "result.docx")


def test_curves_are_drawn(results):
    drawn = {type(result).__name__ for result in results if "<svg" in result._repr_html_().partition("<iframe")[0]}
    assert drawn == {"Linearised", "Spectrum", "Sweep"}


def test_pages_of_sweeps_have_their_maps(driven_rod):
    axes = {"sections.bar.width": [0.008, 0.010], "joint.pivot": [0, 0.1]}
    found = lithe.sweep(driven_rod, axes, "modes", count=2)
    page = found.page()
    assert page.lower().startswith("<!doctype html") and "sections.bar.width" in page
    driven_rod.moves.add(joints=["pivot"], waypoints=[{"joints": ["10 deg"]}], duration="0.1 s")
    del driven_rod.drives["motor"]
    settled = lithe.settle_map(driven_rod, {"joint.pivot": [0.1, 0.2]}, tool="rod:tip", after=0.05)
    assert "settling_time" in settled.page() and pickle.loads(pickle.dumps(settled)).page() == settled.page()
    settled.values = settled.values[:1]
    with pytest.raises(lithe.InputError, match="not those"):
        settled.page()


def data_of(page):
    return json.loads(page.split('id="lithe-data">')[1].partition("</script>")[0])


def test_a_comparison_has_a_page_of_its_runs_and_differences(driven_rod):
    compared = lithe.compare(driven_rod, formulations=["erls-cms", "floating-frame"], end_time=0.05)
    data = data_of(compared.page())
    assert [run["name"] for run in data["runs"]] == list(compared.runs)
    (differences,) = data["comparisons"]
    assert {one["sensor"] for one in differences["differences"]} >= {"tip.x", "tip.y", "tip.z"}
    rows = {row[0]: row[2] for row in differences["agreement"][0]["rows"]}
    assert rows == {one["sensor"]: one["largest"] for one in compared.differences["floating-frame"]}
    assert data_of(pickle.loads(pickle.dumps(compared)).page()) == data


def test_a_linear_model_has_a_page_of_its_eigenvalues_and_responses(driven_rod):
    driven_rod["joints.pivot.stiffness"] = 50
    linear = lithe.linearise(driven_rod, response=[1.0, 10.0])
    data = data_of(linear.page())
    (table,) = data["tables"]
    assert [row[1] for row in table["rows"]] == list(linear.frequencies)
    assert data["spectra"] and data["scene"]


def test_a_control_study_has_a_page_of_all_its_moves():
    study = lithe.study_control(lithe.example("control_arm"), end_time=0.02, payloads=False)
    data = data_of(study.page())
    assert [run["name"] for run in data["runs"]] == list(study.runs)
    figures = data["tables"][0]
    assert figures["title"] == "the move with each controller" and len(figures["rows"]) == len(study.runs)
    names = {column["name"] for run in data["runs"] for column in run["columns"]}
    assert not any(name.startswith(f"{run}: ") for name in names for run in study.runs)


def test_damaged_results_are_refused(results, tmp_path):
    (path,) = results[0].save(tmp_path / "modes.npz")
    whole = path.read_bytes()
    for damaged in (whole[:len(whole) // 2], whole.replace(b"heading", b"weading"), b""):
        path.write_bytes(damaged)
        with pytest.raises(lithe.InputError, match="modes.npz"):
            lithe.load(path)
    with np.load(results[1].save(tmp_path / "other.npz")[0]) as arrays:
        parts = dict(arrays)
    parts["heading"] = np.array(str(parts["heading"]).replace('"Modes"', '"Popen"'))
    np.savez(path, **parts)
    with pytest.raises(lithe.InputError, match="Popen"):
        lithe.load(path)


def test_a_campbell_diagram_as_a_frame():
    pytest.importorskip("pandas")
    found = lithe.linearise(lithe.example("rotating_arm"), spin="hub", speeds=[0, 100, 200], count=2)
    frame = found.campbell_to_pandas()
    assert list(frame.index) == [0, 100, 200] and "<svg" in found._repr_html_()
    rates = np.abs(found.campbell["eigenvalues"].imag) / (2 * np.pi)
    assert np.array_equal(frame[[name for name in frame if name.startswith("frequency")]].to_numpy(), rates)
    with pytest.raises(lithe.InputError, match="speeds"):
        lithe.linearise(lithe.example("l_shape")).campbell_to_pandas()


def test_results_are_printed_as_tables(rod):
    modes = lithe.natural_modes(rod, count=3)
    lines = str(modes).split("\n")
    assert lines[0] == repr(modes) and "frequency [Hz]" in lines[1] and f"{modes.frequencies[-1]:.6g}" in str(modes)
    long = lithe.sweep(rod, {"sections.bar.width": "8 mm : 12 mm : 60"}, "modes", count=1)
    assert str(long).endswith("10 rows more") and "60 points: 60 computed" in repr(long)
    motion = lithe.simulate(rod, end_time=0.1)
    assert str(motion) == repr(motion) and "0x" not in repr(motion.spectrum("angle"))


def test_motions_of_two_models_are_compared(rod, tmp_path):
    thick = rod.copy(**{"sections.bar.height": "20 mm", "links.rod.reduction.kept_modes": 2})
    runs = {"thin": lithe.simulate(rod, end_time=0.05), "thick": lithe.simulate(thick, end_time=0.05)}
    found = lithe.compare_motions(runs)
    wanted = np.abs(runs["thin"]["angle"] - runs["thick"]["angle"])
    angle = next(one for one in found.differences["thick"] if one["sensor"] == "angle")
    assert angle["largest"] == wanted.max() and angle["final"] == wanted[-1] and found.finished
    assert "<script" in found.page() and "angle" in str(found)
    same = lithe.compare_motions({"one": runs["thin"], "other": lithe.simulate(rod, end_time=0.05)})
    assert same.largest() == 0
    found.save(tmp_path / "both.npz")
    for other in (lithe.load(tmp_path / "both.npz"), pickle.loads(pickle.dumps(found))):
        assert other.runs["thick"].model == thick and other.runs["thin"].model == rod
        assert np.array_equal(other.runs["thick"].coordinates, runs["thick"].coordinates)
    with pytest.raises(lithe.InputError, match="two motions"):
        lithe.compare_motions({"one": runs["thin"]})
