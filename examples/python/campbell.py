"""Campbell diagram of a rotor: frequencies over the speed of rotation."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("rotating_arm")
speeds = np.linspace(0, 600, 9)  # rad/s
linear = lithe.linearise(model, spin="hub", speeds=speeds, count=4)
rates = np.abs(linear.campbell["eigenvalues"].imag)  # rad/s

figure, axes = pyplot.subplots(layout="constrained")
axes.plot(speeds, rates / (2 * np.pi), color="tab:blue", marker=".")
axes.plot(speeds, speeds / (2 * np.pi), color="gray", linestyle="--", label="once per turn")
axes.set(xlabel="speed [rad/s]", ylabel="frequency [Hz]", ylim=(0, 500))
axes.legend()

# The first bending out of the plane of rotation. Rayleigh's quotient with the shape at rest bounds it from above
# (1.193: Southwell's coefficient of a clamped beam), Southwell's theorem from below (1: a cord without stiffness).
bending = np.array([row[row > 1].min() for row in rates])
assert np.all(bending**2 <= bending[0] ** 2 + 1.194 * speeds**2 + 1e-6)
assert np.all(bending**2 >= bending[0] ** 2 + 1.0 * speeds**2 - 1e-6)
# At rest: a clamped beam. Its rotary inertia, of the order (radius of gyration / length)^2 = 2.5e-5, is left out here.
at_rest = 1.8751040687**2 * np.sqrt(200e9 * np.pi * 0.006**4 / 64 / (7870 * np.pi * 0.006**2 / 4)) / 0.3**2
assert abs(bending[0] / at_rest - 1) < 5e-5
