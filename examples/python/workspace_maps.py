"""Stiffness of a parallel robot over its workspace: a map."""
import numpy as np

import lithe

model = lithe.example("ragnar")
asked = next(one for one in model.to_dict()["analyses"] if one["kind"] in ("condense", "sweep"))
stiffness = lithe.sweep(model, {"tool.x": "-0.1 : 0.1 : 3", "tool.y": "-0.1 : 0.1 : 3"}, "condense",
                        tool=asked["tool"], count=1)
first = stiffness[stiffness.columns[0]]
stiffness.plot(stiffness.columns[0])
print(first)

assert first.shape == (3, 3) and np.isfinite(first).any()
assert (first[np.isfinite(first)] > 0).all()
