"""The equations of motion in scipy's integrator, against Lithe's own."""
import matplotlib.pyplot as pyplot
import numpy as np
from scipy.integrate import solve_ivp

import lithe

model = lithe.example("l_shape").copy(**{"links.arm.reduction.internal_modes": 2})
equations = lithe.equations(model)
x, v = equations.start
n = len(x)
found = solve_ivp(lambda t, y: np.concatenate([y[n:], equations.evaluate(y[:n], y[n:])]), (0, 0.05),
                  np.concatenate([x, v]), method="BDF", rtol=1e-8, atol=1e-10)
motion = lithe.simulate(model, end_time=0.05, tolerance=1e-8)
tip = equations.node_motion("arm:tip", found.y[:n, -1], found.y[n:, -1])["position"]
motion.plot("tip position")
pyplot.gcf().suptitle(f"{len(found.t)} steps of scipy, {motion.counters['steps']} of Lithe")

assert found.success
assert np.allclose(tip, motion["tip position"][-1], atol=1e-6)
