"""A drive compiled by numba: no interpreter in the loop."""
import math

import matplotlib.pyplot as pyplot
import numba
import numpy as np

import lithe

model = lithe.example("l_shape")
model.drives.add("motor", joint="shoulder", torque=0.0)


@numba.cfunc(lithe.numba_signature)
def motor(time, x, v, result, memory):
    memory[0] += 1
    result[0] = 0.5 * math.sin(20 * time) - 0.1 * v[0]


drive = lithe.compiled(motor, memory=np.zeros(1))
compiled = lithe.simulate(model, end_time=0.1, drives={"motor": drive})
python = lithe.simulate(model, end_time=0.1,
                        drives={"motor": lambda t, x, v: 0.5 * math.sin(20 * t) - 0.1 * v[0]})
compiled.plot("shoulder angle")
pyplot.gcf().suptitle(f"called {drive.memory[0]:.0f} times")

assert drive.memory[0] > 100
assert np.allclose(compiled["tip position"], python["tip position"], atol=1e-12)
