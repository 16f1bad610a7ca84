"""L-shape: an arm falls from rest, and its energy stays what it was."""
import numpy as np

import lithe

model = lithe.example("l_shape")
motion = lithe.simulate(model, end_time=0.5)
tip = motion["tip position"]
motion.plot("tip position", "energy")

assert tip.shape == (501, 3) and motion.end == "finished"
# Nothing drives or damps it.
assert abs(motion.energy["imbalance"]) < 1e-5 * motion.energy["largest_kinetic"]
# At the start the elbow is 0.5 m from the axis, and the tip 0.5 m beside it.
assert np.allclose(np.hypot(tip[0, 0], tip[0, 2]), 0.5) and np.isclose(tip[0, 1], 0.5)
