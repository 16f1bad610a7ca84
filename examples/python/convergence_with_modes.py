"""Convergence with modes: how far frequencies are off when a link keeps fewer of them."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("l_shape")
counts = [1, 2, 4, 8, 16]
frequencies = []
for count in counts:
    reduced = model.copy(**{"links.arm.reduction.internal_modes": count})
    found = lithe.natural_modes(reduced, link="", count=6)
    frequencies.append(found.frequencies[found.num_rigid:][:4])
frequencies = np.array(frequencies)
error = frequencies[:-1] / frequencies[-1] - 1

figure, axes = pyplot.subplots(layout="constrained")
axes.loglog(counts[:-1], np.maximum(error, 1e-12), marker="o", label=[f"{f:.1f} Hz" for f in frequencies[-1]])
axes.set_xlabel("internal modes kept")
axes.set_ylabel("frequency, relative error")
axes.legend()

# Rayleigh's principle: one mode more never raises a frequency (to rounding).
assert (np.diff(frequencies, axis=0) <= 1e-9 * frequencies[:-1]).all()
# With one internal mode the fourth frequency is off by half a percent; eight give all four to 2e-4.
assert error[0].max() > 1e-3 and error[3].max() < 2e-4
