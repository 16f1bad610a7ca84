"""A model of a Denavit-Hartenberg chain: masses, reach and the motion of its tool."""
import numpy as np

import lithe

model = lithe.example("scara_dh")
facts = lithe.inspect(model)
equations = lithe.equations(model)
x, v = equations.start
last = facts["links"][-1]["name"]
print(f"{len(facts['joints'])} joints, {sum(link['mass'] for link in facts['links']):.2f} kg, tool on {last}")

mass = equations.mass_matrix(x)
assert np.allclose(mass, mass.T) and (np.linalg.eigvalsh(mass) > 0).all()
assert facts["mobility"] == len(facts["independent"])
