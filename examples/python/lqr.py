"""Linearise about a held configuration, and design a regulator on the modes that the motor reaches."""
import control
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
print("closed-loop poles:", np.round(np.sort_complex(poles), 3))

assert n >= 2 and (poles.real < 0).all()
assert np.abs(poles.real).min() > 1e-6 * np.abs(poles).max()  # damped by more than rounding
