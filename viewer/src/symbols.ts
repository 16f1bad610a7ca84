// Joints, ground, drives, loads and point masses as small solids: all of one kind are drawn at once.
import * as THREE from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import {JointData, SceneData} from './data';
import {LinkState, rotate} from './motion';
import {Sweep} from './sweep';
import {Upright} from './upright';

export interface Palette {
  joint: number;
  ground: number;
  drive: number;
  load: number;
  mass: number;
}

// Copies of one solid; each is placed like an object of the scene, but they are one to the graphics card.
class Copies {
  private readonly objects: THREE.Object3D[] = [];
  private mesh: THREE.InstancedMesh | null = null;

  constructor(private readonly geometry: () => THREE.BufferGeometry, private readonly colour: number) {}

  add(size: number): THREE.Object3D {
    const object = new THREE.Object3D();
    object.scale.setScalar(size);
    this.objects.push(object);
    return object;
  }

  finish(group: THREE.Group): void {
    this.mesh = new THREE.InstancedMesh(this.geometry(), new THREE.MeshStandardMaterial({color: this.colour, roughness: 0.45, metalness: 0.2}), this.objects.length);
    this.mesh.frustumCulled = false;
    group.add(this.mesh);
  }

  write(): void {
    const mesh = this.mesh;
    if (!mesh) return;
    let count = 0; // those in sight come first
    for (const object of this.objects) {
      if (!object.visible) continue;
      object.updateMatrix();
      mesh.setMatrixAt(count++, object.matrix);
    }
    mesh.count = count;
    mesh.visible = count > 0;
    mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh?.geometry.dispose();
    (this.mesh?.material as THREE.Material | undefined)?.dispose();
    this.mesh?.dispose();
  }
}

function joined(...parts: THREE.BufferGeometry[]): THREE.BufferGeometry {
  return mergeGeometries(parts);
}
// Along z.
function cylinder(radius: number, length: number, sides: number, top = radius): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(top, radius, length, sides).rotateX(Math.PI / 2);
}

// Around the joint's z axis, of radius 1 and half length 1.
function jointSolid(type: string, sides: number): THREE.BufferGeometry {
  switch (type) {
    case 'cylindrical':
      return joined(cylinder(1, 1.8, sides), cylinder(0.45, 5, sides / 2));
    case 'prismatic':
      return joined(new THREE.BoxGeometry(1.7, 1.7, 2), new THREE.BoxGeometry(0.5, 0.5, 5));
    case 'planar':
      return new THREE.BoxGeometry(4, 4, 0.5);
    case 'universal':
      return joined(cylinder(0.5, 2.9, sides / 2), cylinder(0.5, 2.9, sides / 2).rotateY(Math.PI / 2), new THREE.SphereGeometry(0.9, sides, sides / 2));
    case 'spherical':
      return new THREE.SphereGeometry(1.2, sides, sides / 2);
    case 'fixed':
      return new THREE.BoxGeometry(2, 2, 2);
    default:
      return joined(cylinder(1, 2, sides), cylinder(0.4, 2.6, sides / 2));
  }
}

// An arc with an arrow head around z for a motor, or a straight arrow along z.
function driveSolid(type: string, sides: number): THREE.BufferGeometry {
  if (type === 'prismatic') return arrowSolid(3.6, 0.1).translate(1.3, 0, -1.8);
  const radius = 1.4, arc = 1.45 * Math.PI;
  const head = new THREE.ConeGeometry(0.29, 0.68, 12).rotateZ(arc).translate(radius * Math.cos(arc), radius * Math.sin(arc), 0);
  return joined(new THREE.TorusGeometry(radius, 0.1, 6, 1.5 * sides, arc), head);
}

// Along z from the origin.
function arrowSolid(length: number, radius: number, heads = 1): THREE.BufferGeometry {
  const head = 5 * radius, parts = [cylinder(radius, length - head, 12).translate(0, 0, (length - head) / 2)];
  for (let i = 0; i < heads; ++i) parts.push(cylinder(2.4 * radius, head, 16, 0).translate(0, 0, length - head / 2 - i * 0.7 * head));
  return joined(...parts);
}

// A foot below a joint to the ground: a cone that stands on a disc.
const footHeight = 4.9, footRadius = 4.4;
function groundSolid(sides: number): THREE.BufferGeometry {
  return joined(cylinder(3, 4.2, sides, 1).translate(0, 0, -2.1), cylinder(footRadius, 0.7, sides).translate(0, 0, 0.35 - footHeight));
}

const q1 = new THREE.Quaternion(), q2 = new THREE.Quaternion(), psi = new THREE.Vector3(), pointing = new THREE.Vector3(), offset = new THREE.Vector3(), upward = new THREE.Vector3(0, 0, 1);

export class Symbols {
  readonly group = new THREE.Group();
  private readonly kinds = new Map<string, Copies>();
  private readonly joints: {data: JointData; object: THREE.Object3D; along: number}[] = []; // at so much along the axis
  private readonly knuckles: {link: number; node: number; object: THREE.Object3D}[] = [];
  private readonly arrows: {load: number; object: THREE.Object3D}[] = [];
  private readonly reach = new Map<string, number>(); // how far a ball at a node extends
  private readonly feet: {data: JointData; object: THREE.Object3D; joint: THREE.Vector3; r: number; below: number; above: boolean}[] = [];
  private readonly sides: number; // of round solids: many are small
  private readonly feetSides = 36;

  constructor(private readonly scene: SceneData, private readonly sweep: Sweep, private readonly palette: Palette, private readonly upright: Upright) {
    this.sides = scene.joints.length > 12 ? 16 : 28;
    for (const joint of scene.joints) this.addJoint(joint);
    scene.links.forEach((link, l) => {
      for (const mass of link.masses) this.addMass(l, mass.node, mass.mass);
      this.addCorners(l);
    });
    scene.loads.forEach((load, i) => {
      const heads = load.torque ? 2 : 1;
      this.arrows.push({load: i, object: this.kind(`load ${heads}`, () => arrowSolid(1, 0.028, heads), palette.load).add(1)});
    });
    for (const copies of this.kinds.values()) copies.finish(this.group);
  }

  private kind(name: string, geometry: () => THREE.BufferGeometry, colour: number): Copies {
    const known = this.kinds.get(name) ?? new Copies(geometry, colour);
    this.kinds.set(name, known);
    return known;
  }
  private ball(name: string, colour: number): Copies {
    return this.kind(name, () => new THREE.SphereGeometry(1, this.sides, this.sides / 2), colour);
  }

  dispose(): void {
    for (const copies of this.kinds.values()) copies.dispose();
  }

  // As a ball of steel would be, but never a mere dot nor a cloud.
  private addMass(link: number, node: number, mass: number): void {
    const radius = Math.cbrt((3 * Math.max(0, mass)) / (4 * Math.PI * 7850));
    const shown = Math.min(Math.max(radius, 1.15 * this.sweep.outerRadius(link, node)), 0.06 * this.sweep.size);
    this.reach.set(`${link}:${node}`, shown);
    this.knuckles.push({link, node, object: this.ball('mass', this.palette.mass).add(shown)});
  }

  // How far the links' sections reach around the joint's axis and along it.
  private sectionAt(joint: JointData): {around: number; along: number} {
    let around = 0, along = 0;
    for (const [link, node, frame] of [[joint.child, joint.childNode, joint.childFrame], [joint.parent, joint.parentNode, joint.parentFrame]] as const) {
      if (link < 0) continue;
      const axis = [0, 0, 0];
      rotate(Float64Array.from(frame), 3, 0, 0, 1, axis);
      const here = this.sweep.pieces.filter(piece => piece.link === link && (piece.data.from === node || piece.data.to === node));
      for (const piece of here) {
        const {x, data: {y, z}, outline} = piece, share = (d: number[]): number => Math.abs(d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2]);
        // Half a section's extent in a direction across the beam; along the beam the joint is as long as the beam is thick.
        const extent = (dy: number, dz: number): number => (outline.round ? outline.outer * Math.hypot(dy, dz) : outline.fibreY * dy + outline.fibreZ * dz);
        around = Math.max(around, share(x) > 0.7 ? outline.outer : extent(share(z), share(y)));
        along = Math.max(along, extent(share(y), share(z)), 0.8 * share(x) * outline.outer);
      }
    }
    return {around: 1.22 * (around || 0.006 * this.sweep.size), along: 1.3 * (along || 0.006 * this.sweep.size)};
  }

  private linkLength(joint: JointData): number {
    const link = joint.child >= 0 ? joint.child : joint.parent;
    return this.sweep.pieces.reduce((sum, piece) => sum + (piece.link === link ? piece.length : 0), 0);
  }

  private addJoint(data: JointData): void {
    if (data.type === 'free') return;
    const {palette, sides} = this, section = this.sectionAt(data), least = 0.0125 * this.linkLength(data);
    const r = Math.max(least, section.around), long = Math.max(least, section.along), even = Math.max(least, Math.sqrt(r * long));
    const slim = data.type === 'revolute' || data.type === 'cylindrical', slides = data.type === 'prismatic';
    const joint = this.kind(`joint ${data.type}`, () => jointSolid(data.type, sides), palette.joint).add(slides ? 1.3 * even : even);
    if (slim) joint.scale.set(r, r, long);
    this.joints.push({data, object: joint, along: 0});
    if (data.driven) {
      const drive = this.kind(slides ? 'drive along' : 'drive around', () => driveSolid(data.type, sides), palette.drive).add(slim ? r : slides ? 1.3 * even : even);
      this.joints.push({data, object: drive, along: slides ? 0 : 1.07 * (slim ? long : even)});
    }
    const frame = data.parent < 0 ? data.parentFrame : data.childFrame;
    const taken = this.feet.some(({object: {position: p}, r: radius}) => Math.hypot(p.x - frame[0], p.y - frame[1], p.z - frame[2]) < radius);
    if ((data.parent < 0 || data.child < 0) && !taken) this.addFoot(data, slim ? r : even, slim ? long : even);
  }

  private addFoot(data: JointData, r: number, long: number): void {
    const frame = data.parent < 0 ? data.parentFrame : data.childFrame, radius = Math.max(Math.min(Math.max(r, 0.01 * this.sweep.size), 0.015 * this.sweep.size), 0.32 * r), axis = [0, 0, 0];
    rotate(Float64Array.from(frame), 3, 0, 0, 1, axis);
    const object = this.kind('ground', () => groundSolid(this.feetSides), this.palette.ground).add(radius);
    object.position.set(frame[0], frame[1], frame[2]);
    // It begins inside of the joint, but not so deep that the joint hides it.
    const upright = Math.abs(this.upright.up.dot(new THREE.Vector3().fromArray(axis)));
    const below = Math.max(0, upright * long + Math.sqrt(Math.max(0, 1 - upright ** 2)) * r - radius);
    this.feet.push({data, object, joint: new THREE.Vector3(frame[0], frame[1], frame[2]), r: radius, below, above: false});
  }

  // A link by itself has no joints.
  showJoints(on: boolean): void {
    this.jointsShown = on;
    for (const {object} of this.feet) object.visible = on;
  }
  private jointsShown = true;

  // Feet stand on the side of the joint where the moving link is not: below a tower, above a pendulum.
  standFeet(states: LinkState[]): void {
    const {up} = this.upright, place = new THREE.Vector3();
    for (const foot of this.feet) {
      const {data, object, joint, below} = foot, link = data.child >= 0 ? data.child : data.parent, nodes = this.sweep.nodes[link];
      let mean = 0;
      for (let i = 0; i < nodes.length; i += 3) mean += up.dot(place.fromArray(nodes, i)) / (nodes.length / 3);
      foot.above = states[link].visible && mean < up.dot(joint) - 1e-9;
      object.quaternion.setFromUnitVectors(upward, place.copy(up).multiplyScalar(foot.above ? -1 : 1));
      object.position.copy(joint).addScaledVector(up, foot.above ? below : -below);
    }
  }

  // The middle of a foot's disc and a point on its rim, so that it is in sight.
  footPoints(joint: JointData): THREE.Vector3[] {
    const foot = this.feet.find(f => f.data === joint);
    if (!foot || !this.jointsShown) return [];
    const depth = (foot.above ? footHeight : -footHeight) * foot.r, rim = footRadius * foot.r;
    return [[0, 0], [rim, 0], [-rim, 0], [0, rim], [0, -rim]].map(([i, j]) => this.upright.together(i, j, depth).add(foot.object.position));
  }

  // Balls where a link bends, so that its pieces do not gape.
  private addCorners(l: number): void {
    const link = this.scene.links[l];
    link.nodeNames.forEach((_, node) => {
      const here = this.sweep.pieces.filter(p => p.link === l && (p.data.from === node || p.data.to === node));
      const bent = here.some(p => here.some(o => Math.abs(p.x[0] * o.x[0] + p.x[1] * o.x[1] + p.x[2] * o.x[2]) < 0.999));
      if (bent && !link.masses.some(mass => mass.node === node))
        this.knuckles.push({link: l, node, object: this.ball('corner', 0x7b8794).add(1.05 * this.sweep.outerRadius(l, node))});
    });
  }

  update(states: LinkState[], loadValues: (number | null)[], largestLoads: number[]): void {
    for (const joint of this.joints) this.placeJoint(joint, states);
    for (const {link, node, object} of this.knuckles) {
      object.visible = states[link].visible;
      object.position.fromArray(this.sweep.nodes[link], 3 * node);
    }
    for (const {load, object} of this.arrows) this.placeArrow(load, object, states, loadValues[load], largestLoads[load]);
    for (const copies of this.kinds.values()) copies.write();
  }

  private placeJoint({data, object, along}: {data: JointData; object: THREE.Object3D; along: number}, states: LinkState[]): void {
    const onChild = data.child >= 0;
    const link = onChild ? data.child : data.parent;
    const node = onChild ? data.childNode : data.parentNode;
    const frame = onChild ? data.childFrame : data.parentFrame;
    const state = states[link], n = this.sweep.nodes[link].length;
    object.visible = state.visible && this.jointsShown;
    object.position.fromArray(this.sweep.nodes[link], 3 * node);
    psi.fromArray(state.values, n + 3 * node);
    const angle = psi.length();
    q1.setFromAxisAngle(psi.normalize(), angle);
    q2.set(state.frame[3], state.frame[4], state.frame[5], state.frame[6]).multiply(q1);
    object.quaternion.copy(q2).multiply(q1.set(frame[3], frame[4], frame[5], frame[6]));
    if (along) object.position.add(offset.set(0, 0, along).applyQuaternion(object.quaternion));
  }

  private placeArrow(load: number, object: THREE.Object3D, states: LinkState[], value: number | null, largest: number): void {
    const data = this.scene.loads[load], state = states[data.link];
    const share = value === null ? 0 : value / (largest || 1);
    object.visible = state.visible && Math.abs(share) > 1e-3;
    if (!object.visible) return;
    const direction = [0, 0, 0], [x, y, z] = data.direction;
    if (data.follows) rotate(state.frame, 3, x, y, z, direction); else direction.splice(0, 3, x, y, z);
    const sign = share < 0 ? -1 : 1;
    pointing.fromArray(direction).normalize().multiplyScalar(sign);
    const scale = 0.16 * this.sweep.size * (0.35 + 0.65 * Math.abs(share));
    object.scale.setScalar(scale);
    object.quaternion.setFromUnitVectors(upward, pointing);
    // The tip of the arrow touches what is drawn at the node.
    const gap = this.reach.get(`${data.link}:${data.node}`) ?? Math.min(this.sweep.outerRadius(data.link, data.node), 0.06 * this.sweep.size);
    object.position.fromArray(this.sweep.nodes[data.link], 3 * data.node).addScaledVector(pointing, -scale - gap);
  }
}
