"""First natural frequencies of two parallel robots, Ragnar and a Stewart-Gough platform, over their workspaces."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

ranges = {"ragnar": ("platform:E", "-200 mm : 200 mm : 5"), "stewart_gough": ("platform:tool", "-0.1 : 0.1 : 5")}
figure, panels = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
maps = {}
for panel, (name, (tool, values)) in zip(panels, ranges.items()):
    model = lithe.example(name)
    found = lithe.sweep(model, {"tool.x": values, "tool.y": values}, "condense", tool=tool, count=1)
    column = next(one for one in found.columns if found.units[one] == "Hz")
    found.plot(column, axes=panel)
    panel.set_title(model.name)
    maps[name] = found[column]
    print(name, column, np.round(found[column], 2))

assert all(one.shape == (5, 5) and np.isfinite(one).all() and (one > 0).all() for one in maps.values())
# Ragnar is the same seen from the left and from behind; its map is symmetric to the digits that its file has.
ragnar = maps["ragnar"]
assert np.allclose(ragnar, ragnar[::-1], rtol=1e-6) and np.allclose(ragnar, ragnar[:, ::-1], rtol=1e-6)
