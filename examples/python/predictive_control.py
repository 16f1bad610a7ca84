"""Predictive control keeps the torque within its limit; PID alone asks for more."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("control_arm")
study = lithe.study_control(model, controllers=["pid", "predictive"], payloads=False)
figure, (above, below) = pyplot.subplots(2, 1, sharex=True, layout="constrained")
for name, run in study.runs.items():
    motion = run["motion"]
    above.plot(motion.time, np.degrees(motion["shoulder angle"]), label=name)
    below.plot(motion.time, 1e3 * motion["tip y"] - 1e3 * motion["tip y"][-1])
    print(f"{name}: settles after {run['settling_time']:.3f} s, effort {run['peak_effort']:.3g} N m")
above.set_ylabel("shoulder [deg]")
above.legend()
below.set(xlabel="time [s]", ylabel="tip, to its end [mm]", xlim=(0, 1.5))

assert not study.failures and set(study.runs) == {"pid", "predictive"}
limit = model.controllers["predictive"].limits[0]
assert study.runs["predictive"]["peak_effort"] <= limit * (1 + 1e-12) < study.runs["pid"]["peak_effort"]
for run in study.runs.values():
    assert run["settling_time"] < 1.5  # s, within 2 mm
    assert abs(run["motion"]["shoulder angle"][-1] - np.pi / 4) < 1e-3
