// What carries joints to the ground: feet on the floor, or below a ceiling, with pillars between them and the joints.
import * as THREE from 'three';
import {cylinder, joined, Kinds} from './copies';
import {JointData} from './data';
import {Upright} from './upright';

// A cone on a disc, its top at the origin; of radius 1 there.
const height = 4.9, rim = 4.4;
function footSolid(sides: number): THREE.BufferGeometry {
  return joined(cylinder(3, 4.2, sides, 1).translate(0, 0, -2.1), cylinder(rim, 0.7, sides).translate(0, 0, 0.35 - height));
}

// Strokes on a disc's outer side, as drawings show what is fixed: a ceiling.
function hatchSolid(): THREE.BufferGeometry {
  const strokes = [-3, -1.5, 0, 1.5, 3].map(x => new THREE.BoxGeometry(0.28, 1.4 * Math.sqrt(rim ** 2 - x ** 2), 2.2).rotateY(0.7).translate(x, 0, -height - 0.8));
  return joined(...strokes);
}

export interface Foot {
  data: JointData;
  joint: THREE.Vector3; // what stands on it
  radius: number;
  below: number; // from the joint to where the foot begins
  aside: THREE.Vector3; // a bearing stands beside the link that turns in it
  above: boolean;
  beside: boolean;
  foot: THREE.Object3D;
  hatch: THREE.Object3D;
  pillar: THREE.Object3D;
  axle: THREE.Object3D;
  used: boolean;
}

const upward = new THREE.Vector3(0, 0, 1), along = new THREE.Vector3(), end = new THREE.Vector3();

// A solid of length 1 along z, from one point to another.
function span(object: THREE.Object3D, from: THREE.Vector3, to: THREE.Vector3): void {
  along.copy(to).sub(from);
  const length = along.length();
  object.position.copy(from).addScaledVector(along, 0.5);
  object.scale.z = Math.max(1e-9, length);
  if (length > 0) object.quaternion.setFromUnitVectors(upward, along.divideScalar(length));
}

export class Ground {
  readonly feet: Foot[] = [];
  private shown = true;
  private floor = Infinity; // height of the ground grid

  constructor(private readonly kinds: Kinds, private readonly colour: number, private readonly upright: Upright) {}

  // `axis`: about which a bearing turns, if its foot may stand beside it; `long`: half of its length.
  add(data: JointData, place: THREE.Vector3, radius: number, reach: {around: number; along: number}, axis: THREE.Vector3): Foot {
    const {up} = this.upright, vertical = Math.abs(up.dot(axis)), turns = data.type === 'revolute' || data.type === 'cylindrical';
    const beside = turns && vertical < 0.3;
    // It begins inside of the joint, but not so deep that the joint hides it.
    const below = beside ? 0 : Math.max(0, vertical * reach.along + Math.sqrt(Math.max(0, 1 - vertical ** 2)) * reach.around - radius);
    const shift = beside ? 1.3 * reach.along + 1.3 * radius : 0;
    const foot: Foot = {
      data, joint: place.clone(), radius, below, aside: axis.clone().multiplyScalar(-shift), beside, above: false, used: true,
      foot: this.kinds('ground', () => footSolid(36), this.colour).add(radius),
      hatch: this.kinds('hatch', hatchSolid, this.colour).add(radius),
      pillar: this.kinds('pillar', () => cylinder(1, 1, 20), this.colour).add(radius),
      axle: this.kinds('pillar', () => cylinder(1, 1, 20), this.colour).add(0.62 * radius),
    };
    this.feet.push(foot);
    return foot;
  }

  show(on: boolean): void {
    this.shown = on;
    this.place();
  }

  // Feet stand on the side of the joints where the mechanism is not: below a tower, above a robot that hangs. Beside a link
  // there is always room to the floor.
  // `height`: of the mechanism's nodes, in the mean; `clearly`: what counts as below.
  stand(height: number, clearly: number): void {
    const {up} = this.upright, used = this.feet.filter(foot => foot.used);
    const mean = used.reduce((sum, foot) => sum + up.dot(foot.joint) / used.length, 0);
    for (const foot of this.feet) foot.above = height < mean - clearly && !foot.beside;
    this.place();
  }
  reach(floor: number): void {
    this.floor = floor;
    this.place();
  }

  private place(): void {
    const {up} = this.upright, level = (foot: Foot): number => up.dot(foot.joint) + (foot.above ? 1 : -1) * (foot.below + height * foot.radius);
    const ceiling = Math.max(...this.feet.filter(foot => foot.above && foot.used).map(level));
    for (const foot of this.feet) {
      const {radius, below, joint, aside} = foot, sign = foot.above ? 1 : -1;
      foot.foot.visible = foot.pillar.visible = foot.axle.visible = this.shown && foot.used;
      const base = joint.clone().add(aside), lowest = foot.above ? ceiling : Math.min(level(foot), this.floor);
      // Its top, so that its disc is on the floor.
      const top = lowest - sign * height * radius - up.dot(base);
      foot.foot.position.copy(base).addScaledVector(up, top);
      foot.foot.quaternion.setFromUnitVectors(upward, along.copy(up).multiplyScalar(-sign));
      foot.hatch.visible = foot.foot.visible && foot.above;
      foot.hatch.position.copy(foot.foot.position);
      foot.hatch.quaternion.copy(foot.foot.quaternion);
      span(foot.pillar, end.copy(base).addScaledVector(up, sign * below - (aside.lengthSq() > 0 ? 0.9 * sign * radius : 0)), foot.foot.position);
      foot.axle.visible &&= aside.lengthSq() > 0;
      span(foot.axle, joint, end.copy(base).addScaledVector(aside, 0.6 * radius / (aside.length() || 1)));
    }
  }

  // The middle of a foot's disc and points on its rim, so that it is in sight.
  points(): THREE.Vector3[] {
    if (!this.shown) return [];
    return this.feet.filter(foot => foot.used).flatMap(foot => {
      const depth = (foot.above ? 1 : -1) * (foot.below + height * foot.radius), r = rim * foot.radius;
      return [[0, 0], [r, 0], [-r, 0], [0, r], [0, -r]].map(([i, j]) => this.upright.together(i, j, depth).add(foot.joint).add(foot.aside));
    });
  }
}
