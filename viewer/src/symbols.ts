// Joints, ground, drives, loads and point masses as small solids.
import * as THREE from 'three';
import {JointData, SceneData, unpack} from './data';
import {LinkState, rotate} from './motion';
import {Sweep} from './sweep';

export interface Palette {
  joint: number;
  ground: number;
  drive: number;
  load: number;
  mass: number;
}

function solid(geometry: THREE.BufferGeometry, colour: number): THREE.Mesh {
  return new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({color: colour, roughness: 0.45, metalness: 0.2}));
}

// Around the joint's z axis.
function jointSolid(type: string, r: number, colour: number): THREE.Object3D {
  const group = new THREE.Group();
  const cylinder = (radius: number, length: number): THREE.Mesh => {
    const mesh = solid(new THREE.CylinderGeometry(radius, radius, length, 32), colour);
    mesh.rotation.x = Math.PI / 2;
    return mesh;
  };
  switch (type) {
    case 'revolute':
      group.add(cylinder(1.25 * r, 2.8 * r), cylinder(0.5 * r, 3.6 * r));
      break;
    case 'cylindrical':
      group.add(cylinder(1.25 * r, 2.4 * r), cylinder(0.55 * r, 7 * r));
      break;
    case 'prismatic':
      group.add(solid(new THREE.BoxGeometry(2.1 * r, 2.1 * r, 2.4 * r), colour), solid(new THREE.BoxGeometry(0.6 * r, 0.6 * r, 6 * r), colour));
      break;
    case 'planar':
      group.add(solid(new THREE.BoxGeometry(5 * r, 5 * r, 0.6 * r), colour));
      break;
    case 'universal': {
      const cross = cylinder(0.6 * r, 3.6 * r);
      cross.rotation.set(0, 0, Math.PI / 2);
      group.add(cylinder(0.6 * r, 3.6 * r), cross, solid(new THREE.SphereGeometry(1.1 * r, 24, 16), colour));
      break;
    }
    case 'spherical':
      group.add(solid(new THREE.SphereGeometry(1.5 * r, 32, 20), colour));
      break;
    case 'fixed':
      group.add(solid(new THREE.BoxGeometry(2.6 * r, 2.6 * r, 2.6 * r), colour));
      break;
  }
  return group;
}

// An arc with an arrow head around z for a motor, or a straight arrow along z.
function driveSolid(type: string, r: number, colour: number): THREE.Object3D {
  const group = new THREE.Group();
  if (type === 'prismatic') {
    const arrow = arrowSolid(4.5 * r, 0.13 * r, colour);
    arrow.position.set(1.6 * r, 0, -2.2 * r);
    group.add(arrow);
    return group;
  }
  const radius = 1.75 * r, arc = 1.45 * Math.PI;
  group.add(solid(new THREE.TorusGeometry(radius, 0.13 * r, 12, 64, arc), colour));
  const head = solid(new THREE.ConeGeometry(0.36 * r, 0.85 * r, 20), colour);
  head.position.set(radius * Math.cos(arc), radius * Math.sin(arc), 0);
  head.rotation.z = arc;
  group.add(head);
  group.position.z = 1.5 * r;
  const outer = new THREE.Group();
  outer.add(group);
  return outer;
}

// Along z from the origin.
export function arrowSolid(length: number, radius: number, colour: number, heads = 1): THREE.Group {
  const group = new THREE.Group();
  const head = 5 * radius;
  const shaft = solid(new THREE.CylinderGeometry(radius, radius, length - head, 16), colour);
  shaft.rotation.x = Math.PI / 2;
  shaft.position.z = (length - head) / 2;
  group.add(shaft);
  for (let i = 0; i < heads; ++i) {
    const cone = solid(new THREE.ConeGeometry(2.4 * radius, head, 20), colour);
    cone.rotation.x = Math.PI / 2;
    cone.position.z = length - head / 2 - i * 0.7 * head;
    group.add(cone);
  }
  return group;
}

// A foot below a joint to the ground: a cone that stands on a disc.
function groundSolid(r: number, colour: number): THREE.Object3D {
  const group = new THREE.Group();
  const cone = solid(new THREE.CylinderGeometry(1.0 * r, 3.0 * r, 4.2 * r, 36), colour);
  cone.rotation.x = Math.PI / 2;
  cone.position.z = -2.1 * r;
  const disc = solid(new THREE.CylinderGeometry(4.4 * r, 4.4 * r, 0.7 * r, 48), colour);
  disc.rotation.x = Math.PI / 2;
  disc.position.z = -4.5 * r;
  group.add(cone, disc);
  return group;
}

const q1 = new THREE.Quaternion(), q2 = new THREE.Quaternion();

export class Symbols {
  readonly group = new THREE.Group();
  private readonly joints: {data: JointData; object: THREE.Object3D}[] = [];
  private readonly knuckles: {link: number; node: number; object: THREE.Object3D}[] = [];
  private readonly arrows: {load: number; object: THREE.Group}[] = [];
  private readonly reach = new Map<string, number>(); // how far a ball at a node extends
  private readonly feet: {data: JointData; object: THREE.Object3D; r: number}[] = [];

  constructor(private readonly scene: SceneData, private readonly sweep: Sweep, palette: Palette) {
    const size = sweep.size;
    for (const joint of scene.joints) this.addJoint(joint, Math.max(0.01 * this.linkLength(joint), 1.02 * this.jointRadius(joint)), palette);
    scene.links.forEach((link, l) => {
      for (const mass of link.masses) {
        // As a ball of steel would be, but never a mere dot nor a cloud.
        const radius = Math.cbrt((3 * Math.max(0, mass.mass)) / (4 * Math.PI * 7850));
        const shown = Math.min(Math.max(radius, 1.15 * sweep.outerRadius(l, mass.node)), 0.06 * size);
        this.reach.set(`${l}:${mass.node}`, shown);
        this.addKnuckle(l, mass.node, solid(new THREE.SphereGeometry(shown, 28, 18), palette.mass));
      }
      this.addCorners(l);
    });
    scene.loads.forEach((load, i) => {
      const object = arrowSolid(0.16 * size, 0.0045 * size, palette.load, load.torque ? 2 : 1);
      this.arrows.push({load: i, object});
      this.group.add(object);
    });
  }

  private jointRadius(joint: JointData): number {
    const child = joint.child >= 0 ? this.sweep.outerRadius(joint.child, joint.childNode) : 0;
    const parent = joint.parent >= 0 ? this.sweep.outerRadius(joint.parent, joint.parentNode) : 0;
    return Math.max(child, parent);
  }

  private linkLength(joint: JointData): number {
    const link = joint.child >= 0 ? joint.child : joint.parent;
    return this.sweep.pieces.reduce((sum, piece) => sum + (piece.link === link ? piece.length : 0), 0);
  }

  private addJoint(data: JointData, r: number, palette: Palette): void {
    const object = new THREE.Group();
    object.add(jointSolid(data.type, r, palette.joint));
    if (data.driven) object.add(driveSolid(data.type, r, palette.drive));
    this.joints.push({data, object});
    this.group.add(object);
    if ((data.parent < 0 || data.child < 0) && data.type !== 'free') {
      const frame = data.parent < 0 ? data.parentFrame : data.childFrame;
      const radius = Math.min(r, 0.022 * this.sweep.size), object = groundSolid(radius, palette.ground);
      object.position.set(frame[0], frame[1], frame[2]);
      this.feet.push({data, object, r: radius});
      this.group.add(object);
    }
  }

  // A link by itself has no joints.
  showJoints(on: boolean): void {
    this.jointsShown = on;
    for (const {object} of this.feet) object.visible = on;
  }
  private jointsShown = true;

  // Feet stand on the side of the joint where the moving link is not: below a tower, above a pendulum.
  standFeet(states: LinkState[]): void {
    for (const {data, object} of this.feet) {
      const link = data.child >= 0 ? data.child : data.parent, nodes = this.sweep.nodes[link];
      let mean = 0;
      for (let i = 2; i < nodes.length; i += 3) mean += nodes[i] / (nodes.length / 3);
      object.rotation.x = states[link].visible && mean < object.position.z - 1e-9 ? Math.PI : 0;
    }
  }

  // The middle of a foot's disc and a point on its rim, so that it is in sight.
  footPoints(joint: JointData): THREE.Vector3[] {
    const foot = this.feet.find(f => f.data === joint);
    if (!foot || !this.jointsShown) return [];
    const depth = (foot.object.rotation.x === 0 ? -4.9 : 4.9) * foot.r, [x, y, z] = foot.object.position.toArray();
    return [[0, 0], [4.4, 0], [-4.4, 0], [0, 4.4], [0, -4.4]].map(([i, j]) => new THREE.Vector3(x + i * foot.r, y + j * foot.r, z + depth));
  }

  private addKnuckle(link: number, node: number, object: THREE.Object3D): void {
    this.knuckles.push({link, node, object});
    this.group.add(object);
  }

  // Balls where a link bends, so that its pieces do not gape.
  private addCorners(l: number): void {
    const link = this.scene.links[l];
    const colour = new THREE.Color(0x7b8794).getHex();
    link.nodeNames.forEach((_, node) => {
      const here = this.sweep.pieces.filter(p => p.link === l && (p.data.from === node || p.data.to === node));
      const bent = here.some(p => here.some(o => Math.abs(p.x[0] * o.x[0] + p.x[1] * o.x[1] + p.x[2] * o.x[2]) < 0.999));
      if (bent && !link.masses.some(mass => mass.node === node))
        this.addKnuckle(l, node, solid(new THREE.SphereGeometry(1.02 * this.sweep.outerRadius(l, node), 24, 16), colour));
    });
  }

  update(states: LinkState[], loadValues: (number | null)[], largestLoads: number[]): void {
    for (const {data, object} of this.joints) this.placeJoint(data, object, states);
    for (const {link, node, object} of this.knuckles) {
      object.visible = states[link].visible;
      object.position.fromArray(this.sweep.nodes[link], 3 * node);
    }
    for (const {load, object} of this.arrows) this.placeArrow(load, object, states, loadValues[load], largestLoads[load]);
  }

  private placeJoint(data: JointData, object: THREE.Object3D, states: LinkState[]): void {
    const onChild = data.child >= 0;
    const link = onChild ? data.child : data.parent;
    const node = onChild ? data.childNode : data.parentNode;
    const frame = onChild ? data.childFrame : data.parentFrame;
    const state = states[link], n = this.sweep.nodes[link].length;
    object.visible = state.visible && this.jointsShown;
    object.position.fromArray(this.sweep.nodes[link], 3 * node);
    const psi = new THREE.Vector3().fromArray(state.values, n + 3 * node);
    q1.setFromAxisAngle(psi.clone().normalize(), psi.length());
    q2.set(state.frame[3], state.frame[4], state.frame[5], state.frame[6]).multiply(q1);
    object.quaternion.copy(q2).multiply(q1.set(frame[3], frame[4], frame[5], frame[6]));
  }

  private placeArrow(load: number, object: THREE.Group, states: LinkState[], value: number | null, largest: number): void {
    const data = this.scene.loads[load], state = states[data.link];
    const share = value === null ? 0 : value / (largest || 1);
    object.visible = state.visible && Math.abs(share) > 1e-3;
    if (!object.visible) return;
    const direction = [0, 0, 0], [x, y, z] = data.direction;
    if (data.follows) rotate(state.frame, 3, x, y, z, direction); else direction.splice(0, 3, x, y, z);
    const sign = share < 0 ? -1 : 1;
    const along = new THREE.Vector3().fromArray(direction).normalize().multiplyScalar(sign);
    const scale = 0.35 + 0.65 * Math.abs(share);
    object.scale.setScalar(scale);
    object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
    // The tip of the arrow touches what is drawn at the node.
    const gap = this.reach.get(`${data.link}:${data.node}`) ?? 0;
    object.position.fromArray(this.sweep.nodes[data.link], 3 * data.node).addScaledVector(along, -0.16 * this.sweep.size * scale - gap);
  }
}

export function sceneSize(scene: SceneData): number {
  let length = 0;
  for (const link of scene.links) {
    const nodes = unpack(link.nodes);
    for (const piece of link.pieces)
      length += Math.hypot(...[0, 1, 2].map(k => nodes[3 * piece.to + k] - nodes[3 * piece.from + k]));
  }
  return length || 1;
}
