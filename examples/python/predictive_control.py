"""The controllers of an arm side by side: predictive control keeps its torque within limits."""
import numpy as np

import lithe

model = lithe.example("control_arm")
names = [name for name in model.controllers if model.controllers[name].type in ("pid", "predictive")][:1] + [
    name for name in model.controllers if model.controllers[name].type == "predictive"][:1]
study = lithe.study_control(model, controllers=names, payloads=False)
for name, run in study.runs.items():
    print(f"{name}: settles after {run['settling_time']:.3f} s, effort {run['peak_effort']:.3g} N m")

assert not study.failures and set(study.runs) == set(names)
for name, run in study.runs.items():
    limit = model.controllers[name].limits[0]
    assert np.isfinite(run["settling_time"]) and run["peak_effort"] <= limit * (1 + 1e-12)
