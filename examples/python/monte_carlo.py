"""Monte Carlo on a cluster: how uncertain is a frequency when dimensions are? Here on workers of this machine."""
import numpy as np
from distributed import Client, LocalCluster

import lithe


def main():
    model = lithe.example("l_shape")
    random = np.random.default_rng(1)
    widths = np.sort(0.008 * (1 + 0.01 * random.standard_normal(12)))
    axes = {"sections.rod.width": widths}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        spread = lithe.sweep(model, axes, "modes", client=client, count=2)
    alone = lithe.sweep(model, axes, "modes", count=2)
    column = [name for name in spread.columns if spread.units[name] == "Hz"][-1]
    print(f"{column}: {spread[column].mean():.3f} +- {spread[column].std():.3f} {spread.units[column]}")
    assert np.array_equal(spread.values, alone.values)  # whoever computes them
    assert spread.finished and spread[column].std() > 0


if __name__ == "__main__":
    main()
