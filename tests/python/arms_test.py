"""Stiffening, shaping, feedforward, maps of settling, cycles, descriptions, reduced links: as the program has them."""
import csv
import json
import re

import numpy as np
import pytest

import lithe
from conftest import ROOT


def test_contributions_are_those_of_the_program(command_line):
    model = lithe.example("light_arm_7")
    theirs = json.loads(command_line("contributions", ROOT / "models/light_arm_7.toml", "--tool", TOOL, "--json"))
    found = lithe.contributions(model, tool=TOOL)
    assert found.compliance.tolist() == theirs["compliance_m_per_N"]
    assert {part["name"]: part["mean_compliance"] for part in theirs["parts"]} == {
        name: part["mean_compliance"] for name, part in found.parts.items()}
    assert abs(sum(part["mean_compliance"] for part in found.parts.values()) - 1) < 0.02
    assert "share of all" in found._repr_html_()
    assert lithe.contributions(model).compliance.tolist() == theirs["compliance_m_per_N"]  # of the only position sensor
    del model.sensors["tool"]
    with pytest.raises(lithe.InputError, match="name the tool"):
        lithe.contributions(model)


TOOL = "flange:out"


@pytest.fixture
def moving_rod(rod):
    rod["gravity"] = [0, 0, 0]
    rod.links["rod"].reduction = {"kept_modes": 2}
    rod.moves.add(joints=["pivot"], waypoints=[{"joints": ["30 deg"]}], profile="trapezoid", duration="0.1 s")
    return rod


def test_the_best_shaped_move_moves_as_it_says(moving_rod, tmp_path):
    found = lithe.shape_move(moving_rod, tool="rod:tip", after=0.3, band=1e-5)
    assert found.best in found.moves and found.modes[0]["frequency"] > 1
    as_it_is, best = next(iter(found.moves.values())), found.moves[found.best]
    assert best["still_after"] <= as_it_is["still_after"]
    path = moving_rod.save(tmp_path / "rod.toml")
    again = lithe.read_model(path)
    again.moves.remove(0)
    found.save_motion(tmp_path / "best.csv")
    again.moves.add(joints=["pivot"], table="best.csv")
    settled = lithe.settle(again, tool="rod:tip", after=0.3, band=1e-5)
    # A spline through values every millisecond is not the motion itself.
    assert settled.points["rod:tip"]["residual"] < 0.5 * as_it_is["residual"] + 1e-5


def test_a_map_of_settling_is_the_settling_of_its_points(moving_rod):
    axes = {"joint.pivot": ["20 deg", "30 deg"]}
    found = lithe.settle_map(moving_rod, axes, tool="rod:tip", after=0.2)
    assert found.shape == (2,) and found.finished and (found.status == 0).all()
    alone = lithe.settle(moving_rod, tool="rod:tip", after=0.2).points["rod:tip"]
    assert np.allclose(found["residual"][1], alone["residual"], rtol=1e-3, atol=1e-9)
    assert "<svg" in found._repr_html_()


def test_feedforward_of_elastic_gearboxes(command_line):
    name = "models/light_arm_7.toml"
    theirs = json.loads(command_line("inverse-dynamics", ROOT / name, "--elastic", "--json"))
    found = lithe.elastic_feedforward(lithe.read_model(ROOT / name))
    assert {one["joint"]: one["peak_torque"] for one in theirs["joints"]} == {
        joint: float(np.abs(one["torque"]).max()) for joint, one in found.joints.items()}
    assert all(len(one["torque"]) == len(found.time) for one in found.joints.values())


def test_cycles_of_the_standard():
    """ASTM E1049-85, figure 6: ranges 3, 4, 6, 8, 9 with counts 0.5, 1.5, 0.5, 1.0, 0.5."""
    values = [-2, 1, -3, 5, -1, 3, -4, 4, -2]
    cycles = lithe.rainflow(range(9), values)
    counts = {size: cycles.counts[cycles.ranges == size].sum() for size in (3, 4, 6, 8, 9)}
    assert counts == {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5}
    assert cycles.damage(10, 1) == pytest.approx(sum(size * count for size, count in counts.items()) / 10)
    with pytest.raises(ValueError, match="finite"):
        lithe.rainflow([0, 1], [0, float("nan")])


def test_cycles_of_a_motion(rod):
    rod["joints.pivot.value"] = "90 deg"
    motion = lithe.simulate(rod, end_time=1.0)
    assert motion.rainflow("tip.x").counts.sum() > 0
    with pytest.raises(lithe.InputError, match="tip.x"):
        motion.rainflow("tip")


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
</robot>
"""


def test_robot_descriptions_in_and_out(tmp_path, command_line):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    arm = lithe.import_robot(path)
    assert "shoulder" in arm.joints
    assert arm.text == command_line("import", "arm.urdf")
    arm.save(tmp_path / "arm.toml")
    assert arm.to_urdf() == command_line("export", "arm.toml", "--urdf")
    assert "<mujoco" in arm.to_mjcf()
    again = tmp_path / "again.urdf"
    again.write_text(arm.to_urdf())
    assert 2 in [link["mass"] for link in lithe.inspect(lithe.import_robot(again))["links"]]
    path.write_text(URDF.replace('value="2"', 'value="-2"'))
    with pytest.raises(lithe.InputError, match="-2"):
        lithe.import_robot(path)
    with pytest.raises(lithe.InputError, match="does not exist"):
        lithe.import_robot(tmp_path / "none.urdf")


def test_a_reduced_link_is_the_same_part(rod, tmp_path):
    rod.links["rod"].reduction = {"method": "craig_bampton"}
    told = lithe.reduce_link(rod, tmp_path / "rod.h5", modes=4)
    assert told["num_modes"] == 4 and told["nodes"] == ["root", "tip"]
    other = lithe.Model(file=str(tmp_path / "other.toml"))
    other.links.add("rod", type="reduced", file="rod.h5")
    other.joints.add("pivot", child="rod", child_node="root", axis=[0, 1, 0])
    found = lithe.natural_modes(other, link="rod", count=4).frequencies
    assert np.allclose(found[found > 1][:4], told["free_frequencies"][:4], rtol=1e-6)
    with pytest.raises(lithe.InputError, match="h5"):
        lithe.reduce_link(rod, tmp_path / "rod.npz")


def test_controllers_for_a_microcontroller(driven_rod):
    text = lithe.linearise(driven_rod).models[0].to_c("rod")
    assert re.search(r"#define|static const double", text) and "rod" in text


def test_motions_for_other_programs(rod, tmp_path):
    motion = lithe.simulate(rod, end_time=0.1)
    (binary,) = motion.save(tmp_path / "swing.glb")
    assert binary.read_bytes()[:4] == b"glTF"
    written = motion.save(tmp_path / "swing.pvd")
    assert written and written[0].read_text().startswith("<?xml")


def test_a_table_as_csv(rod, tmp_path):
    found = lithe.natural_modes(rod, count=3)
    (path,) = found.save(tmp_path / "modes.csv")
    rows = list(csv.reader(path.open()))
    assert rows[0][:2] == ["mode", "frequency [Hz]"] and float(rows[1][1]) == found.frequencies[0]
