"""A five-bar robot moves; its energy balance closes."""
import lithe

model = lithe.example("five_bar")
motion = lithe.simulate(model, end_time=0.2)
print(motion.energy)

assert lithe.inspect(model)["mobility"] == 2
assert motion.end == "finished"
assert abs(motion.energy["imbalance"]) < 1e-3 * motion.energy["largest_kinetic"]
