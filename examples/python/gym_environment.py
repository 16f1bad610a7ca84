"""A gymnasium environment of a flexible arm, and a vectorised one that steps many arms in one call."""
import gymnasium
import matplotlib.pyplot as pyplot
import numpy as np

import lithe


class FlexibleArms(gymnasium.vector.VectorEnv):
    """Turn the shoulders to zero; the observation is what the sensors read."""

    def __init__(self, model, num_envs=1, step=0.01):
        self.equations = lithe.equations(model)
        self.num_envs, self.step_time = num_envs, step
        count, inputs = len(self.equations.sensor_names), self.equations.num_inputs
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float64)
        self.single_action_space = gymnasium.spaces.Box(-5.0, 5.0, (inputs,), np.float64)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.equations.reset()
        self.x, self.v = (np.tile(one, (self.num_envs, 1)) for one in self.equations.start)
        return self.equations.sensors(self.x, self.v), {}

    def step(self, actions):
        self.x, self.v = self.equations.step(self.x, self.v, self.step_time, actions)
        seen = self.equations.sensors(self.x, self.v, actions)
        ends = np.zeros(self.num_envs, bool)
        return seen, -seen[:, 0] ** 2, ends, ends, {}


torques = np.linspace(-4, 3, 8)
many, one = FlexibleArms(lithe.example("l_shape"), 8), FlexibleArms(lithe.example("l_shape"))
many.reset(seed=1), one.reset(seed=1)
angles = []
for _ in range(10):
    seen, reward, *_ = many.step(torques[:, None])
    alone, _, *_ = one.step(torques[3:4, None])
    angles.append(seen[:, 0])
figure, axes = pyplot.subplots(layout="constrained")
axes.plot(0.01 * np.arange(1, 11), np.degrees(angles))
axes.set(xlabel="time [s]", ylabel="shoulder [deg]")

assert many.observation_space.contains(seen) and np.isfinite(reward).all()
assert np.abs(many.x[3] - one.x[0]).max() < 1e-5  # an arm among others is an arm alone, within the tolerance
assert (np.diff(angles[-1]) > 0).all()  # more torque, more angle
