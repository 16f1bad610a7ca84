"""An L-shaped arm falls from rest: its energy stays what it was, and it vibrates while it swings."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("l_shape")
motion = lithe.simulate(model, end_time=0.5)
tip = motion["tip position"]
spectrum = motion.spectrum("elbow acceleration z", max_frequency=60)

figure, (above, below) = pyplot.subplots(2, 1, layout="constrained")
motion.plot("tip position", axes=above)
spectrum.plot(below)

assert tip.shape == (501, 3) and motion.end == "finished"
# Nothing drives or damps it.
assert np.ptp(motion["energy"]) < 1e-5 * motion.energy["largest_kinetic"]
# At the start the elbow is 0.5 m from the axis, and the tip 0.5 m beside it.
assert np.allclose(np.hypot(tip[0, 0], tip[0, 2]), 0.5) and np.isclose(tip[0, 1], 0.5)
# The elbow is a rod's length from the axis but for what the rod bends.
elbow = np.linalg.norm(motion["elbow position"], axis=1)
assert np.ptp(elbow) < 1e-3 and np.ptp(tip[:, 2]) > 0.1
