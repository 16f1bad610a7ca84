"""Input shaping: the same loop with and without a shaper that cancels the first mode."""
import matplotlib.pyplot as pyplot

import lithe

model = lithe.example("control_arm")
study = lithe.study_control(model, controllers=["pid", "pid zvd"], payloads=False)
plain, shaped = study.runs["pid"], study.runs["pid zvd"]
print(f"residual vibration: {plain['residual']:.3g} without, {shaped['residual']:.3g} with the shaper")

figure, axes = pyplot.subplots(layout="constrained")
for name, run in study.runs.items():
    axes.plot(run["motion"].time, run["motion"]["tip rotation"], label=name)
axes.set(xlabel="time [s]", ylabel="bending at the tip [rad]", xlim=(0, 2))
axes.legend()

# The first mode stays at rest; what is left comes from the loop and the others.
assert shaped["residual"] < plain["residual"] / 3
assert shaped["peak_deflection"] < plain["peak_deflection"]
assert abs(shaped["motion"]["shoulder angle"][-1] - plain["motion"]["shoulder angle"][-1]) < 1e-3
