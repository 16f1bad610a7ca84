"""Young's modulus of a rod from measured frequencies, with scipy."""
import numpy as np
from scipy.optimize import least_squares

import lithe

model = lithe.example("l_shape")
path = "materials.aluminium.young_modulus"


def frequencies(modulus):
    return lithe.natural_modes(model.copy(**{path: float(modulus)}), link="arm", count=4).frequencies


measured = frequencies(68.3e9) * (1 + 1e-4 * np.array([1, -1, 0.5, -0.5]))  # a measurement with errors of 0.01 %
found = least_squares(lambda log: frequencies(np.exp(log[0])) / measured - 1, [np.log(60e9)], xtol=1e-12)
modulus = np.exp(found.x[0])
print(f"{modulus / 1e9:.3f} GPa")

assert abs(modulus / 68.3e9 - 1) < 4e-4  # frequencies go with the root of the modulus: twice their errors
