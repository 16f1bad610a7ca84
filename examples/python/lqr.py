"""Linearise about a held configuration, and design a regulator on the modes that the motor reaches."""
import control
import matplotlib.pyplot as pyplot
import numpy as np
from scipy.linalg import eigh

import lithe

model = lithe.example("l_shape_torque")
linear = lithe.linearise(model, about="held")
assert linear.to_control().nstates == len(linear.a)

# Modal coordinates of M and K; the torque reaches only some of the modes.
stiffness = (linear.stiffness + linear.stiffness.T) / 2
squares, shapes = eigh(stiffness, linear.mass)
reached = np.abs(shapes.T @ linear.input[:, 0])
modes = [k for k in range(len(squares)) if reached[k] > 1e-3 * reached.max()][:4]
n = len(modes)
a = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(squares[modes]), np.zeros((n, n))]])
b = np.vstack([np.zeros((n, 1)), shapes[:, modes].T @ linear.input[:, :1]])
weight = np.diag([*np.maximum(squares[modes], 1.0), *np.ones(n)])  # energy
gain, _, poles = control.lqr(a, b, weight, np.eye(1))

# The loop that is opened at the motor, and how near it comes to -1.
loop = control.ss(a, b, gain, 0)
rates = np.geomspace(0.1, 1e4, 4000)
response = loop(1j * rates)
figure, axes = pyplot.subplots(layout="constrained")
axes.plot(response.real, response.imag)
axes.plot([-1], [0], marker="+", color="black")
axes.set(xlim=(-4, 6), ylim=(-5, 5), xlabel="real part", ylabel="imaginary part", aspect="equal")

assert n >= 2 and (poles.real < 0).all()
# Kalman: the loop of a linear-quadratic regulator keeps a distance of 1 from the point -1.
assert np.abs(1 + response).min() > 1 - 1e-6
