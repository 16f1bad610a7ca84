"""A gymnasium environment of a flexible arm, and many of them at once by batches."""
import gymnasium
import numpy as np

import lithe


class FlexibleArm(gymnasium.Env):
    """Turn the shoulder to zero; the observation is what the sensors read."""

    def __init__(self, model, step=0.01):
        self.equations = lithe.equations(model)
        self.step_time = step
        count = len(self.equations.sensor_names)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float64)
        self.action_space = gymnasium.spaces.Box(-5.0, 5.0, (self.equations.num_inputs,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.equations.reset()
        self.x, self.v = self.equations.start
        return self.equations.sensors(self.x, self.v), {}

    def step(self, action):
        self.x, self.v = self.equations.step(self.x, self.v, self.step_time, action)
        seen = self.equations.sensors(self.x, self.v, action)
        return seen, -float(seen[0] ** 2), False, False, {}


environment = FlexibleArm(lithe.example("l_shape"))
seen, _ = environment.reset(seed=1)
for _ in range(5):
    seen, reward, *_ = environment.step(np.array([1.0]))
assert environment.observation_space.contains(seen) and np.isfinite(reward)

# Eight arms with eight torques, one call.
equations = environment.equations
x, v = (np.tile(one, (8, 1)) for one in equations.start)
x, v = equations.step(x, v, 0.01, np.linspace(-4, 3, 8)[:, None])
assert x.shape == (8, equations.num_coordinates) and (np.diff(x[:, 0]) > 0).all()
