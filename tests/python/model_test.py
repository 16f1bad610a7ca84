"""Models: text and meaning, changes that leave comments alone, errors with their places."""
import copy
import pickle

import pytest

import lithe
from conftest import ROD


def test_messages_name_keyword_arguments_not_options(rod):
    with pytest.raises(lithe.InputError, match="or move_end=") as caught:
        lithe.settle(rod)
    assert "--" not in str(caught.value) + caught.value.errors[0].message


def test_a_change_touches_one_value_and_nothing_else(rod):
    changed = rod.copy(**{"materials.steel.young_modulus": 2.0e11})
    assert changed.text == ROD.replace('"210 GPa"', "200000000000.0")
    assert "# measured" in changed.text and rod.text == ROD
    assert changed.diff(rod) == {"materials.steel.young_modulus": (2.0e11, "210 GPa")}


@pytest.mark.parametrize("path, value, before, after", [
    ("links.rod.nodes.tip[0]", 0.75, "tip = [0.5, 0, 0]", "tip = [0.75, 0, 0]"),
    ("links[0].section", "bar", 'section = "bar"', 'section = "bar"'),
    ("gravity", [0, 0, 0], "gravity = [0, 0, -9.81]", "gravity = [0, 0, 0]"),
    ("joints.pivot.value", "30 deg", "axis = [0, 1, 0]", 'axis = [0, 1, 0]\nvalue = "30 deg"'),
    ("links.rod.nodes.middle", [0.2, 0, 0], "tip = [0.5, 0, 0]}", "tip = [0.5, 0, 0], middle = [0.2, 0, 0]}"),
    ("links.rod.reduction.kept_modes", 2, "kept_modes = 4", "kept_modes = 2"),
])
def test_values_at_every_kind_of_place(rod, path, value, before, after):
    changed = rod.copy({path: value})
    assert changed.text == ROD.replace(before, after)
    assert changed[path] == value
    if "middle" not in path:  # which no beam reaches
        changed.core


def test_every_example_takes_a_change_of_every_number():
    """Replacing a number by itself, wherever it stands, leaves the model what it is."""
    for name in ("l_shape", "ragnar", "control_arm", "scara_dh"):
        model = lithe.example(name)
        changed = model.copy()
        from lithe.document import leaves
        for path, value in list(leaves(model.to_dict())):
            changed[path] = value
        assert changed == model, name
        assert [line.partition("#")[2] for line in changed.text.split("\n")] == [
            line.partition("#")[2] for line in model.text.split("\n")], name
        changed.core


def test_attributes_and_collections(rod):
    assert rod.links.names() == ["rod"] and len(rod.joints) == 1 and "pivot" in rod.joints
    rod.links["rod"].elements = 6
    rod.sections["bar"].width = "12 mm"
    assert rod["sections.bar.width"] == "12 mm" and rod.links["rod"]["elements"] == 6
    with pytest.raises(KeyError, match="there are"):
        rod.links["arm"]
    with pytest.raises(AttributeError, match="no key 'colour'"):
        rod.links["rod"].colour


def test_a_model_built_in_code_is_the_model_of_the_file(rod):
    built = lithe.Model(name="rod", gravity=[0, 0, -9.81], file="rod.toml")
    built.materials.add("steel", density=7800, young_modulus="210 GPa", poisson_ratio=0.3)
    built.sections.add("bar", shape="rectangle", width="10 mm", height="10 mm")
    built.links.add("rod", nodes={"root": [0, 0, 0], "tip": [0.5, 0, 0]}, path=["root", "tip"], material="steel",
                    section="bar", reduction={"method": "none", "kept_modes": 4})
    built.joints.add("pivot", child="rod", child_node="root", axis=[0, 1, 0])
    built.sensors.add("angle", quantity="joint_value", joint="pivot")
    built.sensors.add("tip", quantity="position", link="rod", node="tip")
    assert built == rod and built.diff(rod) == {}
    one, other = lithe.natural_modes(built), lithe.natural_modes(rod)
    assert one.frequencies.tolist() == other.frequencies.tolist()


def test_parts_go_with_their_comments_and_nothing_else_changes(rod):
    longer = ROD + """
# what the wind does
[[loads]]
name = "wind" # from the west
link = "rod"
node = "tip"
force = [1, 0, 0]

# heavy
[[loads]]
name = "snow"
link = "rod"
node = "tip"
force = [0, 0, -1]
"""
    model = lithe.Model(longer, file="rod.toml")
    model.loads.remove("snow", "wind")
    assert model.text == ROD
    model = lithe.Model(longer, file="rod.toml")
    del model.loads["wind"]
    assert model.text == longer.replace(longer[longer.index("\n# what the wind"):longer.index("\n# heavy")], "")
    del model["links.rod.reduction"]
    assert "[links.reduction]" not in model.text and model.links["rod"].section == "bar"
    del model["materials.steel.poisson_ratio"]
    assert model.materials["steel"].keys() == ["density", "young_modulus"]
    del model["links.rod.nodes.tip"]
    assert "nodes = {root = [0, 0, 0]}" in model.text
    del model.links["rod"]
    assert len(model.links) == 0 and "[links" not in model.text and "# from the catalogue" in model.text
    with pytest.raises(KeyError):
        del model["links.rod"]
    with pytest.raises(KeyError, match="there are"):
        model.sensors.remove("colour")


@pytest.mark.parametrize("text, path, left", [
    ("a = {x = 1, y = 2, z = 3}\n", "a.x", "a = {y = 2, z = 3}\n"),
    ("a = {x = 1, y = 2, z = 3}\n", "a.y", "a = {x = 1, z = 3}\n"),
    ("a = {x = 1, y = 2, z = 3}\n", "a.z", "a = {x = 1, y = 2}\n"),
    ("a = {x = 1}\n", "a.x", "a = {}\n"),
    ("a = [{name = 'p'}, {name = 'q'}] # two\n", "a.p", "a = [{name = 'q'}] # two\n"),
    ("a = [\n  1, # one\n  2,\n]\n", "a[1]", "a = [\n  1,\n]\n"),
    ("a.x = 1\na.y = 2\nb = 3", "a", "b = 3"),
    ("# file\n[a]\nx = 1\n[a.b]\ny = 2\n# of c\n[c]\nz = 3\n", "a", "# file\n# of c\n[c]\nz = 3\n"),
    ("[[a]]\nx = 1\n[[a]]\nx = 2\n", "a[0]", "[[a]]\nx = 2\n"),
    ("[[a]]\nx = 1\n[[a]]\nx = 2\n", "a", ""),
])
def test_removal_at_every_kind_of_place(text, path, left):
    from lithe.document import Document
    document = Document(text, "some.toml")
    document.remove(path)
    assert document.text == left
    document.plain()


def test_collections_show_their_items(rod):
    assert "<td>rod</td><td>nodes = " in rod.links._repr_html_()
    assert "210 GPa" in rod.materials._repr_html_() and "<table>" in rod.moves._repr_html_()


def test_a_table_with_a_header_is_replaced_whole(rod):
    rod.links["rod"].reduction = {"kept_modes": 2}
    assert rod["links.rod.reduction"] == {"kept_modes": 2} and "[links.reduction]" not in rod.text
    assert rod.text.count("#") == ROD.count("#")
    rod.core
    with pytest.raises(lithe.InputError, match="table of its own"):
        rod["links.rod.nodes"] = {"root": [0, 0, 0]}
        rod["links"] = 3


def test_couplings_moves_robots_and_tables_of_dh_in_code(tmp_path):
    model = lithe.example("scara_dh")
    assert model.dh.keys() and "rows" in dir(model.dh)
    built = lithe.Model(name="arm")
    built.dh.convention = "modified"
    assert built["dh.convention"] == "modified" and built.robot.keys() == []
    built.robot.file = "arm.urdf"
    built["links.upper.nodes.tool"] = [0, 0, 0.1]
    built.joints["elbow"] = {"value": "10 deg"}
    assert built["links.upper.nodes"] == {"tool": [0, 0, 0.1]} and built["joints.elbow.value"] == "10 deg"
    pair = lithe.Model()
    pair.couplings.add(joint="b", of="a", factor=-2)
    pair.moves.add("out", joints=["a"], waypoints=[{"joints": ["90 deg"]}])
    pair.moves.add(joints=["a"], waypoints=[{"joints": [0]}])
    assert pair.couplings[0].factor == -2 and pair.moves.names() == ["out", "1"]
    assert [pair.moves[name].joints for name in pair.moves] == [["a"], ["a"]]
    pair.moves.remove("1", "out")
    pair.couplings.remove(0)
    assert pair == lithe.Model()


def test_errors_have_file_line_and_column_and_come_together(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text(ROD.replace("density = 7800", "density = -7800").replace('section = "bar"', 'section = "tube"'))
    with pytest.raises(lithe.InputError) as caught:
        lithe.read_model(path)
    errors = caught.value.errors
    assert len(errors) == 2
    lines = path.read_text().split("\n")
    assert "-7800" in lines[errors[0].line - 1] and "tube" in lines[errors[1].line - 1]
    assert all(error.file == str(path) and error.column > 0 for error in errors)
    assert pickle.loads(pickle.dumps(caught.value)).errors == errors
    with pytest.raises(lithe.InputError, match="No such file"):
        lithe.read_model(tmp_path / "absent.toml")


def test_errors_of_code_name_the_place_in_the_text(rod):
    rod.joints["pivot"].child = "arm"
    with pytest.raises(lithe.InputError, match="arm"):
        rod.core


@pytest.mark.parametrize("path", ["nothing.here", "links.arm.section", "links.rod.nodes[0]", "", "a..b"])
def test_paths_that_lead_nowhere(rod, path):
    with pytest.raises(lithe.InputError):
        rod[path] = 1


def test_files_and_pickles(rod, tmp_path):
    path = rod.save(tmp_path / "saved.toml")
    assert path.read_text() == ROD and lithe.read_model(path) == rod
    assert pickle.loads(pickle.dumps(rod)) == rod
    assert "1 link" in repr(rod)
    assert "<iframe" in rod._repr_html_()


def test_settings_that_do_not_exist_are_refused(rod):
    with pytest.raises(TypeError, match="did you mean 'end_time'"):
        lithe.simulate(rod, endtime=1)
    with pytest.raises(TypeError, match="tolerance"):
        lithe.simulate(rod, tolerance=[1])
    with pytest.raises(lithe.InputError, match="spring"):
        lithe.simulate(rod, end_stops="wall")
    with pytest.raises(lithe.InputError, match="no quantity"):
        lithe.simulate(rod, end_time="2 parsnips")


def test_settings_come_from_the_file_and_then_from_the_call(rod):
    from lithe import _core
    rod.analyses.add(kind="simulate", end_time="2 s", tolerance=1e-5)
    settings = _core.settings_of["simulate"](rod.core, {"end_time": "50 ms"})
    assert settings["end_time"] == 0.05 and settings["tolerance"] == 1e-5
    assert lithe.simulate(rod, end_time="50 ms").time[-1] == 0.05
    assert "tolerance = 1e-06: m, error" in lithe.simulate.__doc__


def test_a_table_with_a_heading_of_its_own_becomes_a_value(rod):
    rod.links["rod"].masses = [{"node": "tip", "mass": 0.1}]
    before = rod.text
    rod.links["rod"].reduction = "auto"
    assert rod["links.rod.reduction"] == "auto" and "[links.reduction]" not in rod.text
    assert "# a steel rod that hangs on a pivot" in rod.text and rod.text.count("[[joints]]") == before.count("[[joints]]")
    rod.check()
    parts = lithe.Model(rod.text.replace('masses = [{node = "tip", mass = 0.1}]', "") + "\n")
    parts.links["rod"].masses = [{"node": "tip", "mass": "200 g"}]
    assert lithe.inspect(parts)["links"][0]["mass"] == pytest.approx(7800 * 1e-4 * 0.5 + 0.2)
    bracket = lithe.example("solids/bracket")
    bracket.links["bracket"].interfaces = [{"name": "pivot", "group": "pivot", "position": [0, 0, "10 mm"]}]
    assert "tip" not in str(bracket["links.bracket.interfaces"]) and "[[links.interfaces]]" not in bracket.text
    with pytest.raises(lithe.InputError, match="table of its own"):
        rod["links"] = 3


def test_a_model_that_is_being_built_is_shown_with_what_is_missing(rod):
    assert "<iframe" in rod._repr_html_()
    del rod.materials["steel"]
    shown = rod._repr_html_()
    assert "&lt;lithe.Model" in shown and "steel" in shown and "<iframe" not in shown
    assert "not complete" in lithe.Model()._repr_html_() or "links" in lithe.Model()._repr_html_()
    assert str(rod) == rod.text


def test_tables_and_lists_of_a_model_are_changed_in_place(rod):
    before = rod.text
    rod["gravity"][2] = -1.62
    assert rod["gravity"] == [0, 0, -1.62] and rod.text == before.replace("-9.81", "-1.62")
    rod.links["rod"].nodes["tip"][0] = "600 mm"
    assert rod["links.rod.nodes.tip"] == ["600 mm", 0, 0] and "# a steel rod" in rod.text
    rod.links["rod"].reduction.kept_modes = 7
    assert rod["links.rod.reduction.kept_modes"] == 7
    rod.links["rod"].reduction.update(method="none", kept_modes=6)
    del rod.links["rod"].reduction["method"]
    assert rod["links.rod.reduction"] == {"kept_modes": 6}
    rod.links["rod"].masses = [{"node": "tip", "mass": 1}]
    rod.links["rod"].masses[0]["mass"] = "2 kg"
    rod.links["rod"].masses.append({"node": "root", "mass": 0.5})
    assert [one["mass"] for one in rod["links.rod.masses"]] == ["2 kg", 0.5]
    assert lithe.inspect(rod)["links"][0]["mass"] == pytest.approx(7800 * 1e-4 * 0.6 + 2.5)
    rod.links["rod"].masses.pop()
    assert len(rod["links.rod.masses"]) == 1
    with pytest.raises(TypeError, match="key by key"):
        rod.links["rod"].reduction.clear()
    copied = copy.deepcopy(rod["links.rod"])
    assert type(copied) is dict and type(pickle.loads(pickle.dumps(rod["gravity"]))) is list
    copied["nodes"]["tip"] = 3
    assert rod["links.rod.nodes.tip"] == ["600 mm", 0, 0]
