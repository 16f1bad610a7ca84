"""Young's modulus and a tip mass from measured frequencies, with scipy."""
import matplotlib.pyplot as pyplot
import numpy as np
from scipy.optimize import least_squares

import lithe

model = lithe.example("l_shape")


def frequencies(modulus, mass):
    changed = model.copy(**{"materials.aluminium.young_modulus": modulus, "links.arm.masses[0].mass": mass})
    return lithe.natural_modes(changed, link="arm", count=8).frequencies


true = np.array([68.3e9, 0.021])
measured = frequencies(*true) * (1 + 1e-4 * np.array([1, -1, 0.5, -0.5, 1, -0.5, 0.5, -1]))  # errors of 0.01 %
start = np.array([60e9, 0.010])
found = least_squares(lambda p: frequencies(*(start * p)) / measured - 1, [1, 1], xtol=1e-12, ftol=1e-14)
modulus, mass = start * found.x
print(f"{modulus / 1e9:.3f} GPa, {1e3 * mass:.2f} g")

figure, axes = pyplot.subplots(layout="constrained")
axes.plot(100 * (frequencies(*start) / measured - 1), marker="o", label="before")
axes.plot(100 * (frequencies(modulus, mass) / measured - 1), marker="o", label="after")
axes.set(xlabel="mode", ylabel="model against measurement [%]")
axes.legend()

# The residual is that of the measurement; both values are met as well as its errors allow.
assert np.abs(frequencies(modulus, mass) / measured - 1).max() < 2e-4
assert abs(modulus / true[0] - 1) < 5e-4 and abs(mass / true[1] - 1) < 0.01
