"""Convergence with modes: what the tip misses when a link keeps fewer of them."""
import numpy as np

import lithe

model = lithe.example("l_shape")
counts = [1, 2, 4, 8]
frequencies = []
for count in counts:
    reduced = model.copy(**{"links.arm.reduction.internal_modes": count})
    frequencies.append(lithe.natural_modes(reduced, link="", count=6).frequencies[1:5])
frequencies = np.array(frequencies)

# Rayleigh's principle: a mode more never raises a frequency (to rounding).
assert (np.diff(frequencies, axis=0) <= 1e-9 * frequencies[:-1]).all()
error = np.abs(frequencies / frequencies[-1] - 1)
assert (error[0] >= error[-2]).all() and error[-2].max() < 1e-3
