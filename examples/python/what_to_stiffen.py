"""What to stiffen first, and the move that leaves the tool at rest: an arm of two carbon tubes built in code."""
import math

import matplotlib.pyplot as pyplot

import lithe

arm = lithe.Model(name="two tubes", gravity=[0, 0, -9.81])
arm.materials.add("carbon", density=1600, young_modulus="120 GPa", poisson_ratio=0.3)
for name, inboard in (("upper", "ground"), ("lower", "upper")):
    arm.sections.add(name, shape="tube", diameter="60 mm", thickness="3 mm")
    arm.links.add(name, nodes={"a": [0, 0, 0], "b": ["0.5 m", 0, 0]}, path=["a", "b"], material="carbon", section=name,
                  damping={"modal_ratios": [0.005]})
arm.links["lower"].masses = [{"node": "b", "mass": "2 kg"}]
arm.joints.add("shoulder", child="upper", child_node="a", axis=[0, 1, 0], value="-40 deg")
arm.joints.add("elbow", parent="upper", parent_node="b", child="lower", child_node="a", axis=[0, 1, 0], value="60 deg")
arm.moves.add(joints=["shoulder", "elbow"], waypoints=[{"joints": ["0 deg", "30 deg"]}], duration="0.3 s")

found = lithe.contributions(arm, tool="lower:b")
shaped = lithe.shape_move(arm, tool="lower:b", band="20 um")
print(found.to_pandas()[["part", "share of all"]], shaped.to_pandas(), sep="\n")

figure, (left, right) = pyplot.subplots(1, 2, layout="constrained", figsize=(9, 4))
left.bar(list(found.parts), [100 * part["mean_compliance"] for part in found.parts.values()])
left.set(ylabel="share of the tool's compliance [%]")
for name in dict.fromkeys((next(iter(shaped.moves)), shaped.best)):
    move = shaped.moves[name]
    height = next(values for column, values in move["columns"].items() if column.endswith("z"))
    right.plot(move["time"] - move["move_end"], 1e6 * (height - height[-1]), label=name)
right.set(xlabel="time after the move [s]", ylabel="height of the tool [µm]", xlim=(0, 0.5), ylim=(-800, 800))
right.legend()

# The upper tube carries the longer lever. Shares add up to one, and a share says what a stiffer part brings: walls
# thicker by 2 % make the tube stiffer by nearly as much, and the tool by its share of that.
share = found.parts["upper"]["mean_compliance"]
assert share > 0.5 and abs(sum(part["mean_compliance"] for part in found.parts.values()) - 1) < 0.02
thick = lithe.contributions(arm.copy(**{"sections.upper.thickness": "3.06 mm"}), tool="lower:b")


def second_moment(wall):  # of a tube of 60 mm, m^4
    return math.pi / 64 * (0.06**4 - (0.06 - 2 * wall) ** 4)


stiffer = math.log(second_moment(3.06e-3) / second_moment(3e-3))
gained = -math.log(thick.compliance.sum() / found.compliance.sum()) / stiffer
assert abs(gained - share) < 0.03, (gained, share)
assert shaped.moves[shaped.best]["residual"] < 0.5 * next(iter(shaped.moves.values()))["residual"]
