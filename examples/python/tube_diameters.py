"""The lightest arm of two tubes whose tip sags by no more than a millimetre."""
import matplotlib.pyplot as pyplot
import numpy as np
from scipy.optimize import brentq, minimize

import lithe

model = lithe.Model(name="two tubes", gravity=[0, 0, -9.81])
model.materials.add("aluminium", density=2700, young_modulus="70 GPa", poisson_ratio=0.33)
for tube in ("upper", "fore"):
    model.sections.add(tube, shape="tube", diameter="40 mm", thickness="2 mm")
    model.links.add(tube, nodes={"in": [0, 0, 0], "out": [0.5, 0, 0]}, path=["in", "out"], material="aluminium",
                    section=tube, theory="euler_bernoulli", masses=[{"node": "out", "mass": 1}])
model.joints.add("base", type="fixed", child="upper", child_node="in")
model.joints.add("wrist", type="fixed", parent="upper", parent_node="out", child="fore", child_node="in")
model.sensors.add("tip", quantity="position", link="fore", node="out")


def with_diameters(diameters):
    return model.copy(**{"sections.upper.diameter": float(diameters[0]), "sections.fore.diameter": float(diameters[1])})


def sag(diameters):
    return -lithe.find_equilibrium(with_diameters(diameters))["tip"][2]


def mass(diameters):
    return sum(link["mass"] for link in lithe.inspect(with_diameters(diameters))["links"])


limit = 1e-3
best = minimize(lambda d: mass(d), [0.06, 0.06], method="SLSQP", bounds=[(0.015, 0.12)] * 2, options={"ftol": 1e-9},
                constraints={"type": "ineq", "fun": lambda d: 1e3 * (limit - sag(d))})
uniform = brentq(lambda d: sag((d, d)) - limit, 0.03, 0.1)
print(f"{1e3 * best.x} mm, {mass(best.x):.3f} kg; both equal: {1e3 * uniform:.1f} mm, {mass((uniform, uniform)):.3f} kg")

range_ = np.linspace(0.03, 0.08, 9)
figure, axes = pyplot.subplots(layout="constrained")
drawn = axes.contour(1e3 * range_, 1e3 * range_, [[1e3 * sag((u, f)) for u in range_] for f in range_], [0.5, 1, 2, 4])
axes.clabel(drawn)
axes.plot(*(1e3 * best.x), marker="o")
axes.set(xlabel="diameter of the upper arm [mm]", ylabel="diameter of the forearm [mm]", title="sag of the tip [mm]")

assert best.success and abs(sag(best.x) - limit) < 1e-6 * limit  # not stiffer than needed
assert mass(best.x) < mass((uniform, uniform))
# Beam theory: the sag is the integral of the moment M of all weights times the lever to the tip, over E I.
d = best.x
area, second = np.pi / 4 * (d**2 - (d - 0.004)**2), np.pi / 64 * (d**4 - (d - 0.004)**4)
x = (np.arange(20000) + 0.5) / 20000
near = x < 0.5
M = 9.81 * ((1 - x) + near * (0.5 - x) + 2700 * np.where(
    near, area[0] * (0.5 - x)**2 / 2 + area[1] * 0.5 * (0.75 - x), area[1] * (1 - x)**2 / 2))
theory = np.mean(M * (1 - x) / (70e9 * np.where(near, second[0], second[1])))
assert abs(sag(d) / theory - 1) < 1e-4
