// Rails along which sliders move: as long as the way that they go.
import * as THREE from 'three';
import {Kinds} from './copies';
import {JointData} from './data';
import {Foot, Ground} from './ground';
import {LinkState, rotate} from './motion';
import {Upright} from './upright';

interface Guide {
  data: JointData;
  size: number; // of its slider
  rail: THREE.Object3D;
  ends: THREE.Object3D[];
  feet: Foot[]; // of a guide on the ground
  least: number; // travel of the slider along the rail, m
  most: number;
}

const q = new THREE.Quaternion(), turn = new THREE.Quaternion(), psi = new THREE.Vector3();

export class Guides {
  private readonly all: Guide[] = [];

  // `nodes`: drawn places of all nodes, per link.
  constructor(private readonly kinds: Kinds, private readonly nodes: Float64Array[], private readonly ground: Ground, private readonly upright: Upright, private readonly colours: {joint: number; ground: number}) {}

  add(data: JointData, size: number): void {
    const grounded = this.onGround(data), colour = grounded ? this.colours.ground : this.colours.joint;
    const guide: Guide = {
      data, size, least: 0, most: 0, feet: [],
      rail: this.kinds(grounded ? 'rail' : 'rail of a link', () => new THREE.BoxGeometry(0.62, 0.62, 1), colour).add(size),
      ends: grounded ? [0, 1].map(() => this.kinds('rail end', () => new THREE.BoxGeometry(1.25, 1.25, 0.5), colour).add(size)) : [],
    };
    if (grounded) for (let i = 0; i < 2; ++i) guide.feet.push(this.ground.add(data, new THREE.Vector3(), 0.5 * size, {around: 0.9 * size, along: 0.9 * size}, this.upright.up));
    this.all.push(guide);
  }

  private onGround(data: JointData): boolean {
    return data.parent < 0 || data.child < 0;
  }

  // Position and z axis of the side of the joint that carries the rail; of the other side, the position.
  private side(data: JointData, states: LinkState[]): {at: THREE.Vector3; quaternion: THREE.Quaternion; slider: THREE.Vector3} {
    const carrier = data.child < 0 ? 'child' : 'parent', link = data[carrier], frame = carrier === 'child' ? data.childFrame : data.parentFrame;
    const [other, node] = carrier === 'child' ? [data.parent, data.parentNode] : [data.child, data.childNode];
    const slider = new THREE.Vector3().fromArray(this.nodes[other], 3 * node), own = new THREE.Quaternion(frame[3], frame[4], frame[5], frame[6]);
    if (link < 0) return {at: new THREE.Vector3(frame[0], frame[1], frame[2]), quaternion: own, slider};
    const at = carrier === 'child' ? data.childNode : data.parentNode, state = states[link];
    psi.fromArray(state.values, this.nodes[link].length + 3 * at);
    const angle = psi.length();
    turn.setFromAxisAngle(psi.normalize(), angle);
    q.set(state.frame[3], state.frame[4], state.frame[5], state.frame[6]).multiply(turn);
    return {at: new THREE.Vector3().fromArray(this.nodes[link], 3 * at), quaternion: q.clone().multiply(own), slider};
  }

  // The way of every slider over all states that are shown: `each` places the nodes of one after the other.
  measure(each: (look: (states: LinkState[]) => void) => void): void {
    for (const guide of this.all) [guide.least, guide.most] = [Infinity, -Infinity];
    each(states => {
      for (const guide of this.all) {
        const {at, quaternion, slider} = this.side(guide.data, states), axis = [0, 0, 0];
        rotate(Float64Array.from([quaternion.x, quaternion.y, quaternion.z, quaternion.w]), 0, 0, 0, 1, axis);
        const travel = slider.sub(at).dot(new THREE.Vector3().fromArray(axis));
        [guide.least, guide.most] = [Math.min(guide.least, travel), Math.max(guide.most, travel)];
      }
    });
    for (const guide of this.all) if (!(guide.least <= guide.most)) guide.least = guide.most = 0;
  }

  // Both ends of every rail on the ground, so that they are in sight.
  points(): THREE.Vector3[] {
    return this.all.flatMap(guide => guide.feet.map(foot => foot.joint.clone()));
  }

  update(states: LinkState[], shown: boolean): void {
    for (const guide of this.all) this.place(guide, states, shown);
  }

  private place({data, size, rail, ends, feet, least, most}: Guide, states: LinkState[], shown: boolean): void {
    const {at, quaternion} = this.side(data, states), visible = shown && [data.parent, data.child].every(link => link < 0 || states[link].visible);
    const axis = new THREE.Vector3(0, 0, 1).applyQuaternion(quaternion), air = (feet.length ? 2.2 : 1.5) * size; // beyond the slider
    const from = at.clone().addScaledVector(axis, least - air), to = at.clone().addScaledVector(axis, most + air);
    rail.visible = visible;
    rail.position.copy(from).add(to).multiplyScalar(0.5);
    rail.quaternion.copy(quaternion);
    rail.scale.set(size, size, from.distanceTo(to));
    [from, to].forEach((place, i) => {
      if (!feet[i]) return;
      ends[i].visible = visible;
      ends[i].position.copy(place);
      ends[i].quaternion.copy(quaternion);
      feet[i].joint.copy(place);
      // A foot below both ends of a rail that lies, below the lower one of a rail that stands.
      feet[i].used = visible && (Math.abs(axis.dot(this.upright.up)) < 0.7 || (i === 0) === (axis.dot(this.upright.up) > 0));
    });
  }
}
