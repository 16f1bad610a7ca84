"""Modes chosen by error, pages of what-if, robots in `run_all`, meshes, payloads: as the program has them."""
import json
import pickle
import shutil
import subprocess

import h5py
import numpy as np
import pytest

import lithe
from conftest import PROGRAM, ROOT

PLACE = '<script type="application/json" id="part-start">'


@pytest.fixture
def open_arm(rod):
    """A rod of many elements whose modes are left to the program."""
    rod.links["rod"].elements = 16
    del rod["links.rod.reduction"]
    rod.links["rod"].reduction = "auto"
    rod.drives.add("motor", joint="pivot", torque={"sine": {"amplitude": 2, "frequency": 5}})
    return rod


ANALYSES = {
    "simulate": (lambda model: lithe.simulate(model, end_time=0.1), ("--end", 0.1)),
    "modes": (lambda model: lithe.natural_modes(model, count=4), ("--count", 4)),
    "linearise": (lithe.linearise, ()),
    "statespace": (lithe.state_space, ()),
}


@pytest.mark.parametrize("command", ANALYSES)
def test_modes_are_chosen_as_by_the_program(command, open_arm, command_line, tmp_path):
    compute, words = ANALYSES[command]
    path = open_arm.save(tmp_path / "arm.toml")
    printed = json.loads(command_line(command, path, *words, "--json", "-o", "out", "--freeze-reduction",
                                      tmp_path / "frozen.toml"))["reduction"]
    found = compute(lithe.read_model(path))
    chosen = found.reduction
    for key in ("internal_modes", "available", "tolerance", "estimated_error", "worst"):
        assert chosen[key] == printed[key], key
    assert chosen["good_up_to"] == printed["good_up_to_hz"]
    assert chosen["links"]["rod"]["internal_modes"] == printed["links"][0]["internal_modes"] <= chosen["available"]
    assert [modes for modes, _ in chosen["tried"]] == [one["internal_modes"] for one in printed["tried"]]
    assert any("fixed-interface modes" in note for note in found.notes)
    frozen = found.frozen()
    assert frozen.text == (tmp_path / "frozen.toml").read_text(encoding="utf-8")
    assert "# from the catalogue" in frozen.text
    again = compute(frozen)
    assert again.reduction is None
    if command in ("simulate", "modes"):
        assert chosen["internal_modes"] < chosen["available"] == 90
    if command == "simulate":
        assert np.array_equal(again["tip"], found["tip"])
    with pytest.raises(lithe.InputError, match="nothing was chosen"):
        again.frozen()


def test_the_choice_of_modes_survives_pickles_and_files(open_arm, tmp_path):
    for found in (lithe.simulate(open_arm, end_time=0.05), lithe.natural_modes(open_arm, count=3)):
        found.save(tmp_path / "result.npz")
        for other in (pickle.loads(pickle.dumps(found)), lithe.load(tmp_path / "result.npz")):
            assert repr(other.reduction) == repr(found.reduction)  # the first trial has nothing to compare with: nan
            assert other.frozen() == found.frozen()


@pytest.fixture
def playground(tmp_path):
    path = tmp_path / "playground.html"
    path.write_text(f"<html>{PLACE}</script></html>", encoding="utf-8")
    return path


def start_of(page):
    text = page.read_text(encoding="utf-8").removeprefix(f"<html>{PLACE}").removesuffix("</script></html>")
    assert "<" not in text
    return json.loads(text)


def test_pages_of_what_if_have_text_settings_sliders_and_result(driven_rod, playground, tmp_path):
    results = {
        "motion": lithe.simulate(driven_rod, end_time="50 ms"),
        "modes": lithe.natural_modes(driven_rod, count=3),
        "linear": lithe.linearise(driven_rod, response=[1, 10]),
        "map": lithe.sweep(driven_rod, {"sections.bar.width": [0.01, 0.02]}, "modes", count=2),
    }
    for what, result in results.items():
        path = result.what_if(tmp_path / f"{what}.html", sliders=["sections.bar.width"], playground=playground)
        start = start_of(path)
        assert (start["what"], start["sliders"], start["title"]) == (what, ["sections.bar.width"], "rod")
        assert start["text"] == driven_rod.text and "scene" in json.loads(start["report"])
    assert start_of(tmp_path / "motion.html")["settings"]["end_time"] == 0.05
    assert start_of(tmp_path / "modes.html")["settings"]["count"] == 3


def test_the_page_of_a_motion_is_that_of_the_program(driven_rod, playground, tmp_path):
    (tmp_path / "share" / "lithe").mkdir(parents=True)
    shutil.copy(playground, tmp_path / "share" / "lithe" / "playground.html")
    path = driven_rod.save(tmp_path / "rod.toml")
    mine = start_of(lithe.simulate(lithe.read_model(path), end_time=0.02).what_if(tmp_path / "mine.html",
                                                                                  playground=playground))
    beside = tmp_path / "bin" / "lithe"  # the program looks for a playground beside itself
    beside.parent.mkdir()
    shutil.copy(PROGRAM, beside)
    if subprocess.run([beside, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("the program of a wheel needs its library beside it")
    subprocess.run([beside, "simulate", path, "--end", "0.02", "--what-if", "-o", tmp_path / "out"], check=True,
                   stdout=subprocess.DEVNULL)
    content = (tmp_path / "out" / "motion_what_if.html").read_text(encoding="utf-8")
    theirs = json.loads(content[content.index(PLACE) + len(PLACE):].removesuffix("</script></html>"))
    reports = [json.loads(one.pop("report")) for one in (mine, theirs)]
    assert mine == theirs
    assert reports[0]["runs"] == reports[1]["runs"] and reports[0]["scene"] == reports[1]["scene"]


def test_what_a_page_could_not_compute_is_refused(driven_rod, playground, tmp_path):
    motion = lithe.simulate(driven_rod, end_time=0.02)
    with pytest.raises(lithe.InputError, match="nobody") as caught:
        motion.what_if(tmp_path / "page.html", ["links.nobody.mass", "sections.bar.widht"], playground=playground)
    assert len(caught.value.errors) == 2
    with pytest.raises(lithe.InputError, match="functions of yours: motor"):
        lithe.simulate(driven_rod, end_time=0.02, drives={"motor": lambda t, x, v: 0.0}).what_if(
            tmp_path / "page.html", playground=playground)
    old = tmp_path / "old.html"
    old.write_text("<html></html>", encoding="utf-8")
    with pytest.raises(lithe.InputError, match="older than the program"):
        motion.what_if(tmp_path / "page.html", playground=old)
    solid = lithe.example("solids/bracket")
    with pytest.raises(lithe.InputError, match="reads other files: .*bracket.msh"):
        lithe.natural_modes(solid, count=2).what_if(tmp_path / "page.html", playground=playground)
    with pytest.raises(lithe.InputError, match="not of a link"):
        lithe.natural_modes(driven_rod, link="rod").what_if(tmp_path / "page.html", playground=playground)
    assert not (tmp_path / "page.html").exists()


def test_all_analyses_of_a_file_include_questions_of_robots(rod, tmp_path):
    rod.drives.add("motor", joint="pivot", motion={"move": {"end_time": 0.2, "end_value": 0.5}})
    rod.analyses.add(kind="size", name="motors", flexible=False)
    rod.analyses.add(kind="modes", count=3)
    rod.analyses.add(kind="settle", tool="rod:tip", after=0.2, band="0.1 mm")
    rod.analyses.add(kind="contributions", tool="rod:tip", held=["pivot"], count=2)
    rod.analyses.add(kind="shape", tool="rod:nowhere", after=0.1)
    outcomes = lithe.run_all(rod.copy(**{"analyses[4].tool": "rod:tip"}))
    assert [one.kind for one in outcomes] == ["size", "modes", "settle", "contributions", "shape"]
    motors, modes, settled, shares, shaped = [one.result for one in outcomes]
    assert outcomes[0].name == "motors" and not any(one.failure for one in outcomes)
    assert repr(motors.drives) == repr(lithe.size_motors(rod.copy(**{"analyses[4].tool": "rod:tip"})).drives)
    assert len(modes.frequencies) >= 3
    alone = lithe.settle(rod.copy(**{"analyses[4].tool": "rod:tip"}), tool="rod:tip", after=0.2, band=1e-4)
    assert settled.points["rod:tip"]["residual"] == alone.points["rod:tip"]["residual"]
    assert len(shares.frequencies) == 2 and set(shares.parts) >= {"rod"}
    assert shaped.best in shaped.moves


def test_a_fit_among_the_analyses_reads_its_file(rod, tmp_path):
    rod.joints["pivot"].stiffness, rod.joints["pivot"].damping = 50.0, 0.1
    motion = lithe.simulate(rod, end_time=0.3, output_step=2e-3)
    rows = [f"{time!r},{1000 * angle!r}" for time, angle in zip(motion.time.tolist(), motion["angle"].tolist())]
    (tmp_path / "data.csv").write_text("\n".join(["time [s],angle [mrad]", *rows]) + "\n", encoding="utf-8")
    rod.joints["pivot"].stiffness = 70.0
    rod.analyses.add(kind="identify", data=["data.csv"], fit=["joints.pivot.stiffness"])
    (outcome,) = lithe.run_all(lithe.read_model(rod.save(tmp_path / "rod.toml")))
    assert outcome.kind == "identify" and outcome.failure == ""
    assert outcome.result.numbers["joints.pivot.stiffness"]["value"] == pytest.approx(50, rel=1e-4)


def test_a_question_that_fails_keeps_no_other_from_its_answer(rod):
    rod.analyses.add(kind="settle", tool="rod:tip", after=0.2)  # nothing moves the rod
    rod.analyses.add(kind="modes", count=2)
    with pytest.warns(lithe.LitheWarning):
        settled, modes = lithe.run_all(rod)
    assert settled.kind == "settle" and settled.failure
    assert modes.kind == "modes" and len(modes.result.frequencies) >= 2


def test_a_mesh_becomes_a_model(tmp_path):
    mesh = shutil.copy(ROOT / "models" / "solids" / "bracket.msh", tmp_path)
    found = lithe.inspect_mesh(mesh, units="mm t s")
    assert found["format"] == "Gmsh" and "pivot" in {group["name"] for group in found["groups"]}
    part = lithe.import_mesh(mesh, units="mm t s")
    assert part.links.names() == ["bracket"] and part.links["bracket"].file == "bracket.msh"
    assert lithe.inspect(part)["links"][0]["mass"] == pytest.approx(7850 * found["volume"], rel=2e-3)  # the volume is that of straight edges
    (tmp_path / "no.msh").write_text("nothing\n", encoding="utf-8")
    with pytest.raises(lithe.InputError, match="no.msh"):
        lithe.import_mesh(tmp_path / "no.msh")


def test_a_payload_in_code_is_taken_and_put_down(command_line, tmp_path):
    lift = lithe.Model(name="lift", gravity=[0, 0, -9.81])
    lift.links.add("car", type="rigid", mass=2, nodes={"hook": [0, 0, 0]}, inertia=[0.1, 0.1, 0.1])
    lift.joints.add("up", type="prismatic", child="car", child_node="hook", axis=[0, 0, 1])
    lift.drives.add("rope", joint="up", force=2 * 9.81)
    lift.sensors.add("height", quantity="joint_value", joint="up")
    lift.payloads.add(link="car", node="hook", mass="3 kg", taken="0.1 s", put_down="0.3 s")
    motion = lithe.simulate(lift, end_time=0.4)
    # At rest until 0.1 s; with 5 kg on a rope for 2 kg it falls at 3/5 g; then it goes on with that speed.
    speed = 0.6 * 9.81 * 0.2
    fallen = speed * 0.2 / 2
    assert motion["height"][100] == pytest.approx(0, abs=1e-9)
    assert motion["height"][300] == pytest.approx(-fallen, rel=1e-6)
    assert motion["height"][400] == pytest.approx(-fallen - speed * 0.1, rel=1e-6)
    command_line("simulate", lift.save(tmp_path / "lift.toml"), "--end", 0.4, "-o", "out")
    with h5py.File(tmp_path / "out" / "motion.h5") as file:
        assert np.array_equal(file["motion/height"][:], motion["height"])
    assert np.array_equal(pickle.loads(pickle.dumps(motion))["height"], motion["height"])
    lift.payloads.remove(0)
    assert len(lift.payloads) == 0 and lithe.simulate(lift, end_time=0.2)["height"][-1] == pytest.approx(0, abs=1e-9)
