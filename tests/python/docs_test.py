"""The blocks of docs/howto/python.md run in one session, in their order; that of the README with its model."""
import pathlib
import re
import webbrowser

import numpy as np
import pytest

import lithe

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto" / "python.md"
BLOCKS = re.findall(r"(?m)^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S)
# Need a cluster or a scheduler; tests/python/sweep_test.py has a local one.
NEED_MORE = re.compile(r"dask")


def parts_that_the_page_removes(session):
    """Loads and a joint that a reader's model has and the example has not."""
    model = session["model"] = lithe.example("planar_2r")
    for name in ("wind", "snow"):
        model.loads.add(name=name, link="forearm", node="hand", force=[0, 1, 0])
    model.joints["elbow"].damping = 0.1


def controlled_arm(session):
    model = session["model"] = lithe.example("control_arm")
    model.drives.add(name="motor", joint="shoulder", torque=0)


# What the session has before a block that begins with these words.
BEFORE = {
    "model.loads.remove": parts_that_the_page_removes,
    "modes = lithe.natural_modes": lambda session: session.update(model=lithe.example("l_shape")),
    "def servo": controlled_arm,
    "eq = lithe.equations": lambda session: session.update(model=lithe.example("l_shape"), np=np),
}


def test_the_sweep_of_the_page_on_clusters_runs(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    page = PAGE.with_name("python_cluster.md").read_text(encoding="utf-8")
    local, slurm = re.findall(r"(?m)^```python\n(.*?)^```$", page, re.S)
    monkeypatch.chdir(tmp_path)
    session = {}
    exec(compile(local, "python_cluster.md", "exec"), session)  # noqa: S102
    assert session["found"].shape == (9, 2) and session["found"].finished and (tmp_path / "points.part").exists()
    compile(slurm, "python_cluster.md", "exec")


def test_the_lines_of_the_readme_run(tmp_path, monkeypatch):
    readme = (PAGE.parents[2] / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"(?m)^```python\n(.*?)^```$", readme, re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    pathlib.Path("arm.toml").write_text(re.search(r"(?m)^```toml\n(.*?)^```$", readme, re.S)[1], encoding="utf-8")
    session = {}
    exec(compile(code, "README.md", "exec"), session)  # noqa: S102
    assert session["result"]["tip"].shape == (1001, 3)


def test_every_block_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    lithe.example("l_shape").save("l_shape.toml")
    session = {}
    ran = 0
    for block in BLOCKS:
        if NEED_MORE.search(block):
            continue
        for words, prepare in BEFORE.items():
            if block.startswith(words):
                prepare(session)
        try:
            exec(compile(block, PAGE.name, "exec"), session)  # noqa: S102
        except Exception as error:
            pytest.fail(f"{PAGE.name}: {error!r}\n{block}")
        ran += 1
    assert ran >= 6
    assert session["x"].shape == session["v"].shape
    assert all(words in "\n".join(BLOCKS) for words in BEFORE)
