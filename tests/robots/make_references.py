#!/usr/bin/env python3
"""Rigid-body dynamics of the descriptions in this folder by other engines: Pinocchio and MuJoCo; MJCF by MuJoCo, SDF by
Drake.

    pip install pin mujoco drake
    tests/robots/make_references.py            writes random_*.urdf and *.reference
    tests/robots/make_references.py --check    computes anew and compares with what is there
    tests/robots/make_references.py a.urdf ... writes the .reference of other descriptions, beside them

A .reference file holds, for some states: joint names, q, v, torques; mass matrix, bias (velocity terms and gravity),
gravity alone, joint accelerations under the torques, and the 6 x n Jacobian (linear, then angular, world axes) of the
origin of the last link. Both engines must agree to 1e-9 of the largest entry before anything is written.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

import mujoco
import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).resolve().parent
STATES = 4


def random_urdf(seed):
    """A random tree: any axes, inertial frames, joint types, some fixed joints and massless links on them."""
    rng = np.random.default_rng(seed)
    text = lambda v: " ".join(repr(float(x)) for x in np.round(v, 6))
    lines = ['<?xml version="1.0"?>', f'<robot name="random_{seed}">', '  <link name="l0"/>']
    count = 5 + 3 * seed
    for i in range(1, count):
        kind = rng.choice(["revolute", "continuous", "prismatic", "fixed"], p=[0.4, 0.25, 0.2, 0.15])
        heavy = kind != "fixed" or rng.random() < 0.5
        body = ""
        if heavy:
            second = rng.normal(size=(3, 3)) * 0.1
            second = second @ second.T + 1e-4 * np.eye(3)
            inertia = np.round(np.trace(second) * np.eye(3) - second, 7)
            xx, yy, zz, xy, xz, yz = (inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2],
                                      inertia[1, 2])
            body = (f'<inertial><origin xyz="{text(rng.normal(size=3) * 0.1)}" rpy="{text(rng.uniform(-3, 3, 3))}"/>'
                    f'<mass value="{text([rng.uniform(0.2, 5)])}"/><inertia ixx="{float(xx)!r}" ixy="{float(xy)!r}" ixz="{float(xz)!r}" '
                    f'iyy="{float(yy)!r}" iyz="{float(yz)!r}" izz="{float(zz)!r}"/></inertial>')
        lines.append(f'  <link name="l{i}">{body}</link>')
        parent = int(rng.integers(max(0, i - 3), i))
        limit = '<limit lower="-9" upper="9" effort="100" velocity="10"/>' if kind in ("revolute", "prismatic") else ""
        lines.append(f'  <joint name="j{i}" type="{kind}"><origin xyz="{text(rng.normal(size=3) * 0.3)}" '
                     f'rpy="{text(rng.uniform(-3, 3, 3))}"/><parent link="l{parent}"/><child link="l{i}"/>'
                     f'<axis xyz="{text(rng.normal(size=3))}"/>{limit}</joint>')
    return "\n".join(lines + ["</robot>", ""])


def bare(text):
    """Without what moves nothing; MuJoCo would look for meshes, merge links and refuse massless leaves."""
    for tag in ("visual", "collision", "mimic", "dynamics", "safety_controller"):
        text = re.sub(rf"<{tag}\b[^>]*?/>", "", text)
        text = re.sub(rf"<{tag}\b.*?</{tag}>", "", text, flags=re.S)
    return text


def joints_of(text):
    return xml.etree.ElementTree.fromstring(text).findall("joint")


def mimics(text):
    """{joint: (other, multiplier, offset)}"""
    found = {}
    for joint in joints_of(text):
        mimic = joint.find("mimic")
        if mimic is not None:
            found[joint.get("name")] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return found


class Pinocchio:
    def __init__(self, text):
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.names = list(self.model.names)[1:]

    def place(self, q):
        parts = []
        for name, value in zip(self.names, q):
            joint = self.model.joints[self.model.getJointId(name)]
            parts += [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
        return np.array(parts)

    def compute(self, q, v):
        model, data, at = self.model, self.data, self.place(q)
        mass = pin.crba(model, data, at)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nle(model, data, at, v).copy()
        gravity = pin.computeGeneralizedGravity(model, data, at).copy()
        frame = model.getFrameId(self.last)
        jacobian = pin.computeFrameJacobian(model, data, at, frame, pin.LOCAL_WORLD_ALIGNED)
        return mass, bias, gravity, jacobian


def mujoco_terms(text, names, q, v, last):
    option = '<mujoco><compiler fusestatic="false" discardvisual="true" boundmass="0" balanceinertia="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(re.sub(r"(<robot\b[^>]*>)", r"\1" + option, bare(text)))
    model.dof_damping[:] = 0
    model.opt.gravity[:] = (0, 0, -9.81)
    data = mujoco.MjData(model)
    index = [model.jnt_dofadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, n)] for n in names]
    data.qpos[index], data.qvel[index] = q, v
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    bias = data.qfrc_bias[index].copy()
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, last)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, linear, angular, body)
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    return full[np.ix_(index, index)], bias, data.qfrc_bias[index].copy(), np.vstack([linear, angular])[:, index]


def last_moving_link(text):
    """The child of the last joint that is not fixed."""
    return [j for j in joints_of(text) if j.get("type") != "fixed"][-1].find("child").get("link")


def same(a, b, what):
    scale = max(1e-12, np.abs(b).max())
    if np.abs(a - b).max() > 1e-9 * scale:
        sys.exit(f"{what}: the engines differ by {np.abs(a - b).max() / scale:.2e}")


def reference(text, name):
    engine = Pinocchio(bare(text))
    engine.last = last_moving_link(text)
    names, tied = engine.names, mimics(text)
    free = [n for n in names if n not in tied]
    map_, start = np.zeros((len(names), len(free))), np.zeros(len(names))
    for i, n in enumerate(names):
        other, factor, offset = tied.get(n, (n, 1.0, 0.0))
        map_[i, free.index(other)], start[i] = factor, offset
    rng = np.random.default_rng(len(names))
    out = [" ".join(free), engine.last]
    for _ in range(STATES):
        q, v, torque = np.round(rng.uniform(-1, 1, len(free)), 6), np.round(rng.normal(size=len(free)), 6), np.round(
            5 * rng.normal(size=len(free)), 6)
        whole, speeds = map_ @ q + start, map_ @ v
        terms = engine.compute(whole, speeds)
        for a, b, what in zip(mujoco_terms(text, names, whole, speeds, engine.last), terms,
                              ("mass", "bias", "gravity", "Jacobian")):
            same(a, b, f"{name}: {what}")
        mass, bias, gravity, jacobian = terms
        mass, bias, gravity, jacobian = map_.T @ mass @ map_, map_.T @ bias, map_.T @ gravity, jacobian @ map_
        acceleration = np.linalg.solve(mass, torque - bias)
        for values in (q, v, torque, mass, bias, gravity, acceleration, jacobian):
            out.append(" ".join(f"{x:.17g}" for x in np.asarray(values).ravel()))
    return "\n".join(out) + "\n"


def mjcf_reference(text, name):
    """Of an open chain in MJCF, by MuJoCo alone; without damping, friction and limits."""
    model = mujoco.MjModel.from_xml_string(text)
    if model.neq:
        return None
    model.dof_damping[:], model.dof_frictionloss[:], model.jnt_limited[:] = 0, 0, 0
    names = [model.joint(i).name for i in range(model.njnt)]
    data, last = mujoco.MjData(model), model.nbody - 1
    rng = np.random.default_rng(len(names))
    out = [" ".join(names), model.body(last).name]
    for _ in range(STATES):
        q, v, torque = np.round(rng.uniform(-1, 1, model.nv), 6), np.round(rng.normal(size=model.nv), 6), np.round(
            5 * rng.normal(size=model.nv), 6)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        mass, bias = np.zeros((model.nv, model.nv)), data.qfrc_bias.copy()
        mujoco.mj_fullM(model, data, mass)
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, last)
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        acceleration = np.linalg.solve(mass, torque - bias)
        for values in (q, v, torque, mass, bias, data.qfrc_bias, acceleration, np.vstack([linear, angular])):
            out.append(" ".join(f"{x:.17g}" for x in np.asarray(values).ravel()))
    return "\n".join(out) + "\n"


def scoped_joints(model, prefix):
    """(own name, name with the models around it) down the file; Drake counts a joint to the model of its child."""
    found = []
    for part in model:
        if part.tag == "joint":
            found.append((part.get("name"), prefix + part.get("name")))
        elif part.tag == "model":
            found += scoped_joints(part, prefix + part.get("name") + "/")
    return found


def sdf_reference(text, name):
    """Of an open chain in SDF, by Drake; without damping, friction, springs and limits. Links have the origin of the
    joint that leads to them."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import JacobianWrtVariable
    plant = MultibodyPlant(0)
    Parser(plant).AddModelsFromString(text, "sdf")
    try:
        plant.Finalize()
    except RuntimeError as error:
        if "loops" in str(error):  # Drake takes open chains alone
            return None
        raise
    known = scoped_joints(xml.etree.ElementTree.fromstring(text).find("model"), "")
    joints = {j.name(): j for j in map(plant.get_joint, plant.GetJointIndices()) if j.num_velocities() == 1}
    names, joints = [n for own, n in known if own in joints], [joints[own] for own, _ in known if own in joints]
    order, last = [j.velocity_start() for j in joints], joints[-1].frame_on_child()
    context, rng = plant.CreateDefaultContext(), np.random.default_rng(len(joints))
    out = [" ".join(names), names[-1].rpartition("/")[0] + "/" + joints[-1].child_body().name()]
    for _ in range(STATES):
        q, v, torque = (np.round(x, 6) for x in (rng.uniform(-1, 1, len(order)), rng.normal(size=len(order)),
                                                 5 * rng.normal(size=len(order))))
        positions, speeds = np.zeros(len(order)), np.zeros(len(order))
        positions[[j.position_start() for j in joints]], speeds[order] = q, v
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, speeds)
        mass = plant.CalcMassMatrix(context)[np.ix_(order, order)]
        gravity = -plant.CalcGravityGeneralizedForces(context)[order]
        bias = plant.CalcBiasTerm(context)[order] + gravity
        world = plant.world_frame()
        jacobian = plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, last, np.zeros(3), world, world)
        jacobian = np.vstack([jacobian[3:], jacobian[:3]])[:, order]
        acceleration = np.linalg.solve(mass, torque - bias)
        for values in (q, v, torque, mass, bias, gravity, acceleration, jacobian):
            out.append(" ".join(f"{x:.17g}" for x in np.asarray(values).ravel()))
    return "\n".join(out) + "\n"


def numbers(text):
    return np.array([float(x) for line in text.splitlines()[2:] for x in line.split()])


def main():
    check = "--check" in sys.argv
    others = [pathlib.Path(p) for p in sys.argv[1:] if p.endswith((".urdf", ".xml", ".sdf"))]
    if not check and not others:
        for seed in range(4):
            (HERE / f"random_{seed}.urdf").write_text(random_urdf(seed))
    engines = {".urdf": reference, ".xml": mjcf_reference, ".sdf": sdf_reference}
    for path in others or sorted(p for p in HERE.iterdir() if p.suffix in engines):
        text = engines[path.suffix](path.read_text(), path.stem)
        if text is None:
            continue
        target = path.with_suffix(".reference")
        if check:
            known = numbers(target.read_text())
            apart = np.abs(known - numbers(text)).max() / np.abs(known).max()
            print(f"{path.name}: {apart:.1e}")
            if apart > 1e-11:
                sys.exit(1)
        else:
            target.write_text(text)
            print(f"{target.name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
