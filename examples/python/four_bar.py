"""A four-bar mechanism: one degree of freedom, a closed loop, and its natural frequencies."""
import lithe

model = lithe.example("four_bar")
facts = lithe.inspect(model)
modes = lithe.natural_modes(model, count=6)
print(model, facts["mobility"], modes)

assert facts["mobility"] == 1 and len(facts["loops"]) == 1
assert (modes.frequencies[1:] >= modes.frequencies[:-1]).all()
# Both formulations have the loop closed by other means.
other = lithe.natural_modes(model, count=6, formulation="erls-fem")
assert abs(other.frequencies[modes.num_rigid] / modes.frequencies[modes.num_rigid] - 1) < 0.01
