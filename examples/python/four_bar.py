"""A four-bar mechanism: one degree of freedom, a closed loop, and its natural frequencies."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("four_bar")
facts = lithe.inspect(model)
modes = lithe.natural_modes(model, count=6)
motion = lithe.simulate(model, end_time=0.5)
figure, axes = pyplot.subplots(layout="constrained")
for name in ("crank angle", "rocker angle"):
    axes.plot(motion.time, np.degrees(motion[name]), label=name)
axes.set(xlabel="time [s]", ylabel="angle [deg]")
axes.legend()

assert facts["mobility"] == 1 and len(facts["loops"]) == 1 and lithe.sensitivity(model).matrix.shape[1] == 1
# The pin between coupler and rocker stays on the rocker's circle but for what links bend and stretch.
radius = np.hypot(*(motion["coupler pin position"][:, :2] - [0.4, 0]).T)
assert np.abs(radius - 0.25).max() < 1e-4
# Another formulation, with all nodes of the mesh: keeping few modes never lowers a frequency, and hardly raises the first.
other = lithe.natural_modes(model, count=6, formulation="erls-fem")
ratio = modes.frequencies[modes.num_rigid:] / other.frequencies[other.num_rigid:][:len(modes.frequencies) - modes.num_rigid]
assert ratio.min() > 1 - 1e-9 and abs(ratio[0] - 1) < 1e-3
