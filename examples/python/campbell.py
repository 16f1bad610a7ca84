"""Campbell diagram of a rotor: frequencies over the speed of rotation."""
import numpy as np

import lithe

model = lithe.example("rotating_arm")
spin = model.joints.names()[0]
speeds = np.linspace(0, 600, 5)  # rad/s
linear = lithe.linearise(model, spin=spin, speeds=speeds, count=4)
rates = np.abs(linear.campbell["eigenvalues"].imag)  # rad/s
print(np.round(rates / (2 * np.pi), 3))

# The first bending out of the plane of rotation. Rayleigh's quotient with the shape at rest bounds it from above
# (1.193: Southwell's coefficient of a clamped beam), Southwell's theorem from below (1: a cord without stiffness).
bending = np.array([row[row > 1].min() for row in rates])
assert np.all(bending**2 <= bending[0] ** 2 + 1.194 * speeds**2 + 1e-6)
assert np.all(bending**2 >= bending[0] ** 2 + 1.0 * speeds**2 - 1e-6)
