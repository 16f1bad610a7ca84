"""The lightest rod whose first elastic frequency is high enough."""
from scipy.optimize import brentq

import lithe

model = lithe.example("l_shape")


def first(width):
    changed = model.copy(**{"sections.rod.width": width, "sections.rod.height": width})
    return float(lithe.natural_modes(changed, link="arm", count=2).frequencies[0])


wanted = 1.5 * first(0.008)
width = brentq(lambda w: first(w) - wanted, 0.008, 0.016, xtol=1e-8)
print(f"{1e3 * width:.2f} mm give {first(width):.2f} Hz")

assert abs(first(width) / wanted - 1) < 1e-5
assert 0.008 < width < 0.016
