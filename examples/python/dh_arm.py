"""A model of a Denavit-Hartenberg chain: masses, reach and the motion of its tool."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("scara_dh")
facts = lithe.inspect(model)
equations = lithe.equations(model)
x, v = equations.start
mass = equations.mass_matrix(x)
print(f"{len(facts['joints'])} joints, {sum(link['mass'] for link in facts['links']):.2f} kg")

figure, axes = pyplot.subplots(layout="constrained")
drawn = axes.imshow(np.log10(np.maximum(np.abs(mass), 1e-9)))
figure.colorbar(drawn, label="log10 of the mass matrix")

assert facts["mobility"] == len(facts["independent"]) == len(facts["joints"])
assert np.allclose(mass, mass.T) and (np.linalg.eigvalsh(mass) > 0).all()
# Kinetic energy is half of v M v.
v = np.random.default_rng(1).standard_normal(len(v))
assert np.isclose(equations.energies(x, v)[0], v @ mass @ v / 2, rtol=1e-12)
