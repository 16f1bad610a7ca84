// Joints, ground, drives, loads and point masses as small solids: all of one kind are drawn at once.
import * as THREE from 'three';
import {Copies, cylinder, joined, Kinds} from './copies';
import {JointData, SceneData} from './data';
import {Ground} from './ground';
import {Guides} from './guides';
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

// What may be switched off.
export interface Layers {
  joints: boolean;
  ground: boolean;
  nodes: boolean;
  loads: boolean;
  trace: boolean;
  labels: boolean;
  grid: boolean;
  shapes: boolean;
}
export const allLayers: Layers = {joints: true, ground: true, nodes: false, loads: true, trace: true, labels: false, grid: true, shapes: true};

// Around the joint's z axis, of radius 1 and half length 1.
function jointSolid(type: string, sides: number): THREE.BufferGeometry {
  switch (type) {
    case 'cylindrical':
      return joined(cylinder(1, 1.8, sides), cylinder(0.45, 5, sides / 2));
    case 'prismatic':
      return new THREE.BoxGeometry(1.7, 1.7, 2.4); // the slider; its rail is a guide
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

const q1 = new THREE.Quaternion(), q2 = new THREE.Quaternion(), psi = new THREE.Vector3(), pointing = new THREE.Vector3(), offset = new THREE.Vector3(), upward = new THREE.Vector3(0, 0, 1);

export class Symbols {
  readonly group = new THREE.Group();
  private readonly kinds = new Map<string, Copies>();
  private readonly joints: {data: JointData; object: THREE.Object3D; along: number}[] = []; // at so much along the axis
  private readonly knuckles: {link: number; node: number; object: THREE.Object3D}[] = [];
  private readonly arrows: {load: number; object: THREE.Object3D}[] = [];
  private readonly reach = new Map<string, number>(); // how far a ball at a node extends
  private readonly dots: {link: number; node: number; object: THREE.Object3D}[] = [];
  private readonly sides: number; // of round solids: many are small
  private readonly ground: Ground;
  private readonly guides: Guides;
  private layers: Layers = {...allLayers};

  constructor(private readonly scene: SceneData, private readonly sweep: Sweep, private readonly palette: Palette, private readonly upright: Upright) {
    this.sides = scene.joints.length > 12 ? 16 : 28;
    const kinds: Kinds = (name, geometry, colour) => this.kind(name, geometry, colour);
    this.ground = new Ground(kinds, palette.ground, upright);
    this.guides = new Guides(kinds, sweep.nodes, this.ground, upright, palette);
    for (const joint of scene.joints) this.addJoint(joint);
    scene.links.forEach((link, l) => {
      for (const mass of link.masses) this.addMass(l, mass.node, mass.mass);
      this.addCorners(l);
      link.nodeNames.forEach((_, node) => this.dots.push({link: l, node, object: this.ball('node', palette.drive).add(0.006 * sweep.size)}));
    });
    scene.loads.forEach((load, i) => {
      const heads = load.torque ? 2 : 1;
      this.arrows.push({load: i, object: this.kind(`load ${heads}`, () => arrowSolid(1, 0.028, heads), palette.load).add(1)});
    });
    const dots = this.kinds.get('node');
    if (dots) dots.onTop = true;
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
    const {palette, sides} = this, section = this.sectionAt(data), slides = data.type === 'prismatic';
    const least = slides ? 0.012 * this.sweep.size : 0.0125 * this.linkLength(data);
    const r = Math.max(least, section.around), long = Math.max(least, section.along), even = Math.max(least, Math.sqrt(r * long));
    const slim = data.type === 'revolute' || data.type === 'cylindrical';
    const joint = this.kind(`joint ${data.type}`, () => jointSolid(data.type, sides), palette.joint).add(slides ? 1.3 * even : even);
    if (slim) joint.scale.set(r, r, long);
    this.joints.push({data, object: joint, along: 0});
    if (data.driven) {
      const drive = this.kind(slides ? 'drive along' : 'drive around', () => driveSolid(data.type, sides), palette.drive).add(slim ? r : slides ? 1.3 * even : even);
      this.joints.push({data, object: drive, along: slides ? 0 : 1.07 * (slim ? long : even)});
    }
    if (slides && !this.isTelescope(data)) this.guides.add(data, 1.3 * even);
    else if (data.parent < 0 || data.child < 0) this.addFoot(data, slim ? r : even, slim ? long : even);
  }

  // Links that slide along their own axis need no rail.
  private isTelescope(data: JointData): boolean {
    if (data.parent < 0 || data.child < 0) return false;
    return ([[data.child, data.childNode, data.childFrame], [data.parent, data.parentNode, data.parentFrame]] as const).some(([link, node, frame]) => {
      const axis = [0, 0, 0];
      rotate(Float64Array.from(frame), 3, 0, 0, 1, axis);
      return this.sweep.pieces.some(({link: own, data: {from, to}, x}) => own === link && (from === node || to === node) && Math.abs(x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2]) > 0.9);
    });
  }

  private addFoot(data: JointData, around: number, along: number): void {
    const frame = data.parent < 0 ? data.parentFrame : data.childFrame, {size} = this.sweep, axis = [0, 0, 0];
    const place = new THREE.Vector3(frame[0], frame[1], frame[2]);
    if (this.ground.feet.some(foot => foot.joint.distanceTo(place) < foot.radius)) return;
    rotate(Float64Array.from(frame), 3, 0, 0, 1, axis);
    this.ground.add(data, place, Math.max(Math.min(Math.max(around, 0.01 * size), 0.015 * size), 0.32 * around), {around, along}, new THREE.Vector3().fromArray(axis));
  }

  // A link by itself has no joints.
  showJoints(on: boolean): void {
    this.jointsShown = on;
    this.ground.show(on && this.layers.ground);
  }
  private jointsShown = true;

  setLayers(layers: Layers): void {
    this.layers = layers;
    this.showJoints(this.jointsShown);
  }

  // Of all states that are shown, the first one is where feet are chosen. `each` places the nodes of one after the other.
  survey(makeFirst: () => LinkState[], each: (look: (states: LinkState[]) => void) => void): void {
    const place = new THREE.Vector3(), {up} = this.upright;
    this.guides.measure(each);
    const first = makeFirst();
    this.sweep.placeNodes(first, 1);
    this.guides.update(first, true);
    let sum = 0, count = 0;
    this.sweep.nodes.forEach((nodes, link) => {
      if (!first[link].visible) return;
      for (let i = 0; i < nodes.length; i += 3) sum += up.dot(place.fromArray(nodes, i));
      count += nodes.length / 3;
    });
    this.ground.stand(sum / Math.max(1, count), 0.05 * this.sweep.size);
  }

  // The floor that feet stand on.
  reachFloor(height: number): void {
    this.ground.reach(height);
    this.write();
  }
  groundPoints(): THREE.Vector3[] { return [...this.ground.points(), ...this.guides.points()]; }

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
    const {layers} = this;
    this.guides.update(states, this.jointsShown && layers.joints);
    for (const [list, on] of [[this.knuckles, true], [this.dots, layers.nodes]] as const)
      for (const {link, node, object} of list) {
        object.visible = on && states[link].visible;
        object.position.fromArray(this.sweep.nodes[link], 3 * node);
      }
    for (const {load, object} of this.arrows) this.placeArrow(load, object, states, layers.loads ? loadValues[load] : null, largestLoads[load]);
    this.write();
  }
  private write(): void {
    for (const copies of this.kinds.values()) copies.write();
  }

  private placeJoint({data, object, along}: {data: JointData; object: THREE.Object3D; along: number}, states: LinkState[]): void {
    const onChild = data.child >= 0;
    const link = onChild ? data.child : data.parent;
    const node = onChild ? data.childNode : data.parentNode;
    const frame = onChild ? data.childFrame : data.parentFrame;
    const state = states[link], n = this.sweep.nodes[link].length;
    object.visible = state.visible && this.jointsShown && this.layers.joints;
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
