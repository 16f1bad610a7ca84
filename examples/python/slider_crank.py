"""A slider-crank at speed: its own inertia bends the rod, four times as much at twice the speed."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

base = lithe.example("slider_crank").copy(gravity=[0, 0, 0], **{"loads.gas force.force": 0, "links.rod.elements": 4,
                                                                "links.rod.damping": {"modal_ratios": 0.05}})
figure, axes = pyplot.subplots(layout="constrained")
largest = {}
for speed in (25.0, 50.0):  # rad/s
    turns = {"ramp": {"end_time": 1, "start_value": "45 deg", "end_value": float(np.pi / 4 + speed)}}
    model = base.copy(**{"drives[0].motion": turns})
    motion = lithe.simulate(model, end_time=0.4, output_step=5e-4)
    bending = motion["rod deflection"][:, 1]  # across the rod
    settled = motion.time > 0.4 - 2 * np.pi / 25  # vibrations from the start have decayed
    largest[speed] = np.abs(bending[settled]).max()
    axes.plot(motion.time, 1e3 * bending, label=f"{speed:.0f} rad/s")
axes.set(xlabel="time [s]", ylabel="bending of the rod [mm]")
axes.legend()

# Crank and rod at a right angle: across the rod, its mass is accelerated by r w^2 at the crank and by 0 at the slider.
# A triangular load on a beam of length l with free ends bends its middle by 5/768 q l^4 / (E I).
d, l, r = 6e-3, 0.3, 0.1
area, second = np.pi * d**2 / 4, np.pi * d**4 / 64
for speed, bending in largest.items():
    wanted = 5 / 768 * 7800 * area * r * speed**2 * l**4 / (200e9 * second)
    assert abs(bending / wanted - 1) < 0.05, (speed, bending, wanted)
assert abs(largest[50.0] / largest[25.0] / 4 - 1) < 0.05
