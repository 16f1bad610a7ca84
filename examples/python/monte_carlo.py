"""Monte Carlo on a cluster: how uncertain is a frequency when Young's modulus is? Here on workers of this machine."""
import matplotlib.pyplot as pyplot
import numpy as np
from distributed import Client, LocalCluster

import lithe


def main():
    model = lithe.example("l_shape")
    moduli = 70e9 * (1 + 0.02 * np.random.default_rng(1).standard_normal(100))
    axes = {"materials.aluminium.young_modulus": moduli}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        spread = lithe.sweep(model, axes, "modes", client=client, count=2)
    alone = lithe.sweep(model, axes, "modes", count=2)
    column = [name for name in spread.columns if spread.units[name] == "Hz"][-1]
    found = spread[column]
    print(f"{column}: {found.mean():.3f} +- {found.std():.3f} {spread.units[column]}")

    _, panel = pyplot.subplots(layout="constrained")
    panel.hist(found, bins=15)
    panel.set_xlabel("second frequency [Hz]")

    assert spread.finished and np.array_equal(spread.values, alone.values)  # whoever computes them
    # The rod is of one material alone: every elastic frequency goes with the root of its modulus.
    assert np.allclose(found / found[0], np.sqrt(moduli / moduli[0]), rtol=1e-6)
    assert abs(found.std() / found.mean() - 0.01) < 0.002  # half of 2 %, of 100 samples


if __name__ == "__main__":
    main()
