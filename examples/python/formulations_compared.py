"""Five independent formulations of the same motion agree while deformations are small."""
import matplotlib.pyplot as pyplot

import lithe

names = ["erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"]
model = lithe.example("l_shape").copy(**{"joints.shoulder.value": "90 deg", "links.arm.elements": 3})
comparison = lithe.compare(model, end_time=0.03, output_step=5e-4, formulations=names)
reference = comparison.runs[names[0]]

figure, axes = pyplot.subplots(layout="constrained")
for name in names[1:]:
    motion = comparison.runs[name]
    axes.semilogy(1e3 * motion.time[1:], 1e3 * abs(motion["tip position"] - reference["tip position"]).max(1)[1:], label=name)
axes.set_xlabel("time [ms]")
axes.set_ylabel("distance of the tip from erls-cms [mm]")
axes.legend()

assert comparison.finished and len(comparison.runs) == 5
# Deflections d differ by what small-deformation theory leaves out of them: terms of order d^2 / l.
deflection = lithe.find_equilibrium(model).links["arm"]["deflection"]
assert comparison.largest("m") < deflection**2 / 0.5
print(f"deflection {1e3 * deflection:.2f} mm, largest difference {1e3 * comparison.largest('m'):.4f} mm")
