"""A controller of one's own in Python, at 1 kHz."""
import time

import matplotlib.pyplot as pyplot
import numpy as np

import lithe

model = lithe.example("control_arm")


class Servo:
    """Proportional and derivative action on the encoder, by the last two samples."""

    last = None

    def __call__(self, now, measurements, references):
        error = references[0, 0] - measurements[0]
        rate = (error - self.last) / 1e-3 if self.last is not None else 0.0
        self.last = error
        return np.clip(30 * error + 1.5 * rate, -10, 10)


begin = time.process_time()
motion = lithe.simulate(model, end_time=1.5, controllers=lithe.Controller(
    Servo(), joints=["shoulder"], measurements=["shoulder angle"], references=["turn"], sample_time=1e-3))
print(f"{time.process_time() - begin:.3f} s of computing for 1.5 s of motion")

figure, axes = pyplot.subplots(layout="constrained")
axes.plot(motion.time, np.degrees(motion["shoulder angle"]))
axes.set(xlabel="time [s]", ylabel="shoulder [deg]")

angle = motion["shoulder angle"]
assert motion.end == "finished"
assert abs(angle[-1] - np.pi / 4) < 2e-3  # the reference turns it by 45 degrees
assert angle.max() < 1.2 * np.pi / 4  # and it overshoots by less than 20 %
