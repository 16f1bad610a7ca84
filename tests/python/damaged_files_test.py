"""Saved motions and models that are damaged, endless or hostile: an InputError, never a crash."""
import json
import random

import numpy as np
import pytest

import lithe


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "run.npz"
    lithe.simulate(lithe.example("planar_2r"), end_time=0.005).save(path)
    return path


def read_all(path):
    """Whatever is accepted can be looked at."""
    motion = lithe.load(path)
    assert motion.coordinates.shape == motion.speeds.shape
    assert all(len(motion[name]) == len(motion.time) for name in motion)
    return motion.page()


def test_numbers_that_do_not_fit_are_refused(saved, tmp_path):
    with np.load(saved) as file:
        arrays = dict(file)
    chance, refused = random.Random(1), 0
    for _ in range(150):
        changed = {key: value.copy() for key, value in arrays.items()}
        name = chance.choice(["states", "states", "states", "times", "values", "event_times"])
        values, kind = changed[name], chance.randrange(3)
        at = chance.randrange(min(60, len(values))) if len(values) else 0
        if kind == 0 and len(values):
            values[at] = chance.choice([1e300, -1, np.nan, 1e9, 1e15, 0, 5, 0.5, 2.0**53])
        elif kind == 1:
            changed[name] = np.delete(values, at) if len(values) else np.ones(3)
        else:
            changed[name] = np.insert(values, at, chance.choice([0, 1, 3, 1e6]))
        np.savez(tmp_path / "changed.npz", **changed)
        try:
            read_all(tmp_path / "changed.npz")
        except lithe.InputError as error:
            assert "damaged" in str(error)
            refused += 1
    assert refused > 75  # the others change a number that may have any value


def test_headings_that_do_not_fit_are_refused(saved, tmp_path):
    with np.load(saved) as file:
        arrays = dict(file)
    heading = json.loads(str(arrays["heading"]))
    for change in ({"packed": {}}, {"packed": {**heading["packed"], "coordinate_names": []}}, {"kind": 3}, {"kind": "sweep"},
                   {"settings": 3}, {"settings": {"formulation": "none"}}, {"model": {}}, {"model": None},
                   {"packed": {**heading["packed"], "names": ["one"]}}):
        np.savez(tmp_path / "changed.npz", **{**arrays, "heading": np.array(json.dumps({**heading, **change}))})
        with pytest.raises(lithe.InputError):
            read_all(tmp_path / "changed.npz")


def test_bytes_that_do_not_fit_are_refused(saved, tmp_path):
    data, chance = saved.read_bytes(), random.Random(2)
    whole = read_all(saved)
    for _ in range(60):
        changed = bytearray(data)
        at = chance.randrange(len(changed))
        if chance.random() < 0.3:
            del changed[at:]
        else:
            changed[at] = chance.randrange(256)
        (tmp_path / "changed.npz").write_bytes(changed)
        try:
            assert read_all(tmp_path / "changed.npz") == whole
        except lithe.InputError:
            pass


def test_only_files_are_read(tmp_path):
    for path in ("/dev/zero", tmp_path, tmp_path / "nowhere"):
        for read in (lithe.load, lithe.read_model):
            with pytest.raises(lithe.InputError, match=str(path)):
                read(path)
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(8 << 30)  # sparse: no disk is used
    with pytest.raises(lithe.InputError, match="8192 MB"):
        lithe.read_model(tmp_path / "large.toml")


def test_a_saved_motion_gives_its_model_no_consent(saved, tmp_path):
    (tmp_path / "outside.csv").write_text("0, 1\n1, 1\n")
    with np.load(saved) as file:
        arrays = dict(file)
    heading = json.loads(str(arrays["heading"]))
    heading["model"]["outside_files"] = True
    heading["model"]["file"] = str(tmp_path / "inside" / "model.toml")
    heading["model"]["text"] += '\n[[loads]]\nlink = "upper arm"\nnode = "elbow"\ndirection = [1, 0, 0]\n' \
        'force = {table = "../outside.csv"}\n'
    np.savez(tmp_path / "stranger.npz", **{**arrays, "heading": np.array(json.dumps(heading))})
    with pytest.raises(lithe.InputError, match="outside the model's folder"):
        lithe.load(tmp_path / "stranger.npz")


def test_the_folder_that_a_saved_motion_names_is_not_looked_into(saved, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret.csv").write_text("0, 1\n1, hush\n")
    with np.load(saved) as file:
        arrays = dict(file)
    heading = json.loads(str(arrays["heading"]))
    heading["model"]["file"] = str(home / "model.toml")
    heading["model"]["text"] += '\n[[loads]]\nlink = "upper arm"\nnode = "elbow"\ndirection = [1, 0, 0]\n' \
        'force = {table = "secret.csv"}\n'
    path = tmp_path / "stranger.npz"
    np.savez(path, **{**arrays, "heading": np.array(json.dumps(heading))})
    with pytest.raises(lithe.InputError, match="outside_files=True") as refused:
        lithe.load(path)
    assert "does not exist" in str(refused.value) and "hush" not in str(refused.value)
    (home / "secret.csv").write_text("0, 1\n1, 2\n")
    with pytest.raises(lithe.InputError, match="outside_files=True"):
        lithe.load(path)
    assert lithe.load(path, outside_files=True).model.file == str(home / "model.toml")
    (tmp_path / "secret.csv").write_text("0, 1\n1, 2\n")  # beside the motion
    assert lithe.load(path).model.file == str(tmp_path / "model.toml")


def test_pages_show_the_model_in_memory_and_open_no_file(saved, tmp_path):
    text = lithe.example("planar_2r").text
    model = lithe.Model(text, file=str(tmp_path / "model.toml"))
    before = model.page(), lithe.natural_modes(model, count=1).page(), lithe.simulate(model, end_time=0.001).page()
    (tmp_path / "model.toml").write_text(text.replace(" mm\"", " cm\""))
    assert before == (model.page(), lithe.natural_modes(model, count=1).page(), lithe.simulate(model, end_time=0.001).page())


def test_texts_that_no_file_can_hold_are_refused():
    text = lithe.example("planar_2r").text.replace("upper arm", "upper\udcff", 1)
    model = lithe.Model(text)
    for use in (lambda: model.core, lambda: model.to_dict(), model.page, model.check):
        with pytest.raises(lithe.InputError, match=r"model.toml:\d+:\d+: error: the character '\\udcff' is none of UTF-8"):
            use()


def test_measurements_that_no_fit_can_take_are_refused():
    model = lithe.example("planar_2r")
    for data, words in (({"time": [0, 0.1, 0.2], "angle": [0, 1]}, "equally long"), ({}, "no values"),
                        ({"time": [0, 0.1], "angle": [0, float("nan")]}, "the value nan"),
                        ({"mode": [1e300], "frequency": [3]}, "they count from 1 to"),
                        ({"time": np.arange(3e6), "angle": np.arange(3e6)}, "at most 5000000"),
                        ({"time": [0, 0.1, 0.2], "an\0gle\x1b[2J": [0, 1, 2]}, r"no sensor 'an\\x00gle\\x1b\[2J'")):
        with pytest.raises(lithe.InputError, match=words):
            lithe.identify(model, data, fit=["materials.aluminium.density"])


def test_a_model_is_saved_whole_or_not_at_all(tmp_path, monkeypatch):
    model = lithe.example("planar_2r")
    path = model.save(tmp_path / "model.toml")
    before = path.read_text()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError):
        model.save(path)
    assert path.read_text() == before and [file.name for file in tmp_path.iterdir()] == ["model.toml"]
