"""A finite-element part as a link: a bracket from a mesh swings about its bearing."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("solids/bracket")
mesh = lithe.natural_modes(model, link="bracket", count=3)
reduced = lithe.natural_modes(model, link="bracket", count=3, reduced=True)
swing = lithe.natural_modes(model, count=1).frequencies[0]
motion = lithe.simulate(model, end_time=0.5, output_step=2e-3)
figure, axes = pyplot.subplots(layout="constrained")
axes.plot(motion.time, 1e3 * motion["tip position"][:, :2], label=["x", "y"])
axes.set(xlabel="time [s]", ylabel="tip [mm]")
axes.legend()

# The link keeps a few modes of 6,333 unknowns: no frequency is lower than that of the mesh, the first ones hardly higher.
ratio = reduced.frequencies[:3] / mesh.frequencies[:3]
assert (ratio > 1 - 1e-9).all() and (ratio < 1.002).all()
# It swings as the rigid body that its mass, centre and inertia make, on the spring of its hinge; gravity is along -y.
(part,) = lithe.inspect(model)["links"]
x, y, _ = part["centre"]
inertia = part["inertia"][2, 2] + part["mass"] * (x**2 + y**2)
rigid = np.sqrt((20 - part["mass"] * 9.81 * y) / inertia) / (2 * np.pi)
print(f"swings at {swing:.4f} Hz, {rigid:.4f} Hz as a rigid body")
assert rigid * 0.999 < swing <= rigid * (1 + 1e-9)
assert abs(motion.energy["imbalance"]) < 1e-5 * motion.energy["largest_kinetic"]
