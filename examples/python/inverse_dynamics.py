"""Which motor does a move need? Torque and power of a flexible and a rigid arm, and the smallest motor of a list."""
import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.Model(name="arm", gravity=[0, 0, -9.81])
model.materials.add("aluminium", density="2700 kg/m^3", young_modulus="70 GPa", poisson_ratio=0.33)
model.sections.add("tube", shape="tube", diameter="30 mm", thickness="2 mm")
model.links.add("arm", nodes={"root": [0, 0, 0], "tip": ["800 mm", 0, 0]}, path=["root", "tip"],
                material="aluminium", section="tube", masses=[{"node": "tip", "mass": "1 kg"}])
model.joints.add("shoulder", child="arm", child_node="root", axis=[0, 1, 0])
model.drives.add("motor", joint="shoulder", motion={"move": {"end_time": 0.3, "end_value": "-45 deg"}})
model.sensors.add("speed", quantity="joint_speed", joint="shoulder")

figure, axes = pyplot.subplots(layout="constrained")
torques = {}
for flexible in (False, True):
    motion = lithe.inverse_dynamics(model, end_time=0.5, flexible=flexible)
    torques[flexible] = next(motion[name] for name in motion.names if motion.units[name] == "N m")
    axes.plot(motion.time, torques[flexible], label="flexible" if flexible else "rigid")
axes.set(xlabel="time [s]", ylabel="torque [N m]")
axes.legend()

speed = lithe.simulate(model, end_time=0.5)["speed"]
needed = {"peak": np.abs(torques[True]).max(), "effective": np.sqrt(np.mean(torques[True] ** 2)),
          "speed": np.abs(speed).max(), "power": np.abs(torques[True] * speed).max()}
motors = {"small": (8, 4, 10), "medium": (60, 25, 8), "large": (120, 60, 6)}  # peak N m, continuous N m, rad/s at the gear
chosen = next(name for name, (peak, steady, fastest) in motors.items()
              if peak > needed["peak"] and steady > needed["effective"] and fastest > needed["speed"])
print(needed, chosen)

# At rest at the end the motor holds the weight: 1 kg at 0.8 m and the tube at 0.4 m, at 45 degrees.
tube = 2700 * np.pi / 4 * (0.03**2 - 0.026**2) * 0.8
holding = (1 * 0.8 + tube * 0.4) * 9.81 * np.cos(np.pi / 4)
assert abs(abs(torques[False][-1]) - holding) < 1e-6 * holding
assert np.abs(torques[True]).max() > np.abs(torques[False]).max()  # vibration costs torque
