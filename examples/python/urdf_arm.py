"""A robot from its URDF description; then one of its links bends."""
import pathlib
import tempfile

import numpy as np

import lithe

LINK = """<link name="{name}"><inertial><origin xyz="{c} 0 0"/><mass value="{m}"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial></link>"""
JOINT = """<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{x} 0 0"/><axis xyz="0 1 0"/></joint>"""
l1, c1, c2, m1, m2, i1, i2 = 0.5, 0.25, 0.2, 2.0, 1.0, 0.06, 0.02
path = pathlib.Path(tempfile.mkdtemp()) / "arm.urdf"
path.write_text('<robot name="arm"><link name="base"/>' + LINK.format(name="upper", c=c1, m=m1, i=i1)
                + LINK.format(name="fore", c=c2, m=m2, i=i2)
                + JOINT.format(name="shoulder", parent="base", child="upper", x=0)
                + JOINT.format(name="elbow", parent="upper", child="fore", x=l1) + "</robot>")
model = lithe.Model('lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "arm.urdf"\n', file=str(path.parent / "arm.toml"))

# The mass matrix of a double pendulum, from any textbook.
equations = lithe.equations(model)
for elbow in (0.0, 0.7, 2.0):
    x = equations.start[0].copy()
    x[:2] = 0.3, elbow
    coupling = m2 * (c2**2 + l1 * c2 * np.cos(elbow)) + i2
    wanted = [[m1 * c1**2 + i1 + m2 * l1**2 + 2 * m2 * l1 * c2 * np.cos(elbow) + m2 * c2**2 + i2, coupling],
              [coupling, m2 * c2**2 + i2]]
    assert np.allclose(equations.mass_matrix(x), wanted, rtol=1e-12)

# The upper arm as a carbon tube: it falls, and what its energy balance loses is rounding.
model = lithe.Model(model.text + '[links.upper]\nflexible = {beam = "tube 40x2 carbon", from = "shoulder", to = "elbow"}\n'
                    '[[sensors]]\nname = "elbow"\nquantity = "position"\nlink = "fore"\nnode = "elbow"\n',
                    file=str(path.parent / "arm.toml"))
motion = lithe.simulate(model, end_time=0.5)
motion.plot("elbow", "elastic_energy")

assert np.isclose(sum(link["mass"] for link in lithe.inspect(model)["links"]), m1 + m2)
assert abs(motion.energy["imbalance"]) < 1e-6 * motion.energy["largest_kinetic"]
# The elbow stays an arm's length from the shoulder but for what the tube bends and stretches.
bent = np.abs(np.linalg.norm(motion["elbow"], axis=1) - l1).max()
assert 0 < bent < 1e-4 and motion["elastic_energy"].max() > 0
