"""Independent formulations of the same motion agree while deformations are small."""
import lithe

model = lithe.example("l_shape").copy(**{"joints.shoulder.value": "90 deg", "links.arm.elements": 3})
comparison = lithe.compare(model, end_time=0.03, formulations=["erls-cms", "erls-fem", "floating-frame", "corotational"])
for name, differences in comparison.differences.items():
    largest = max(one["largest"] for one in differences if one["unit"] == "m")
    print(f"{name}: {1e3 * largest:.3g} mm from erls-cms")

assert comparison.finished and len(comparison.runs) == 4
# The links sag by millimetres; formulations differ by what small-deformation theory leaves out of that.
sag = lithe.find_equilibrium(model).links["arm"]["deflection"]
assert comparison.largest("m") < 0.2 * sag
