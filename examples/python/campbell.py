"""Campbell diagram of a rotor: frequencies over the speed of rotation."""
import numpy as np

import lithe

model = lithe.example("rotating_arm")
spin = model.joints.names()[0]
linear = lithe.linearise(model, spin=spin, speeds=np.linspace(0, 20, 5), count=4, geometric_stiffening=True)
frequencies = np.abs(linear.campbell["eigenvalues"].imag) / (2 * np.pi)
print(np.round(frequencies, 3))

assert frequencies.shape[0] == 5
# Rotation stiffens an arm: its first bending frequency rises with the speed.
assert frequencies[-1].max() >= frequencies[0].max() - 1e-9
