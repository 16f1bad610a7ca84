"""A five-bar robot moves: its energy balance closes, and its tool follows both cranks."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("five_bar")
motion = lithe.simulate(model, end_time=0.25)
tool = motion["tool"][:, :2]
figure, axes = pyplot.subplots(layout="constrained")
axes.plot(1e3 * tool[:, 0], 1e3 * tool[:, 1])
axes.set(xlabel="x of the tool [mm]", ylabel="y [mm]", aspect="equal", adjustable="datalim")

assert lithe.inspect(model)["mobility"] == 2 and motion.end == "finished"
assert abs(motion.energy["imbalance"]) < 1e-3 * motion.energy["largest_kinetic"]
# Both forearms, 300 mm long, reach from the elbows of rigid cranks to the tool, but for what the links bend.
for angle, base in (("left angle", 0.0), ("right angle", 0.3)):
    elbow = np.stack([base + 0.2 * np.cos(motion[angle]), 0.2 * np.sin(motion[angle])], axis=1)
    assert np.abs(np.linalg.norm(tool - elbow, axis=1) - 0.3).max() < 1e-3
