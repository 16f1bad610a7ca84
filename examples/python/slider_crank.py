"""A slider-crank at speed: a faster crank bends its rod more."""
import lithe

model = lithe.example("slider_crank")
motion = lithe.simulate(model, end_time=0.05)
print(motion, motion.warnings)

assert motion.end == "finished" and lithe.inspect(model)["mobility"] == 1
assert abs(motion.energy["imbalance"]) < 1e-2 * motion.energy["largest_kinetic"]
