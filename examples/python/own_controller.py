"""A controller of one's own in Python, at 1 kHz."""
import time

import numpy as np

import lithe

model = lithe.example("control_arm")


def servo(now, measurements, references):
    """Proportional and derivative action on the encoder, by the last two samples."""
    error = references[0, 0] - measurements[0]
    rate = (error - servo.last) / 1e-3 if servo.last is not None else 0.0
    servo.last = error
    return np.clip(30 * error + 1.5 * rate, -10, 10)


servo.last = None
begin = time.process_time()
motion = lithe.simulate(model, end_time=1.0, controllers=lithe.Controller(
    servo, joints=["shoulder"], measurements=["shoulder angle"], references=["turn"], sample_time=1e-3))
print(f"{time.process_time() - begin:.3f} s of computing for 1 s of motion")

assert motion.end == "finished"
assert abs(motion["shoulder angle"][-1] - np.pi / 4) < 0.02  # the reference turns it by 45 degrees
