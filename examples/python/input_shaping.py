"""Input shaping: the same loop with and without a ZVD shaper."""
import lithe

model = lithe.example("control_arm")
study = lithe.study_control(model, controllers=["pid", "pid zvd"], payloads=False)
plain, shaped = study.runs["pid"], study.runs["pid zvd"]
print(f"residual vibration: {plain['residual']:.3g} without, {shaped['residual']:.3g} with the shaper")

assert shaped["residual"] < 0.5 * plain["residual"]
assert shaped["peak_deflection"] < plain["peak_deflection"]
