// Where every node is: the rigid mechanism's frames plus shapes times coefficients.
import {MotionData, ModeSetData, Packed, SceneData, unpack} from './data';

export type Frame = Float64Array; // x y z, quaternion x y z w

interface Track {
  frames: Float64Array; // 7 per time
  shapes: Float64Array; // column by column
  rows: number;
  coefficients: Float64Array; // column (time) by column
  count: number; // shapes
}

export interface LinkState {
  visible: boolean;
  frame: Frame;
  values: Float64Array; // translations (3 n), rotations (3 n), perhaps loads (6 per piece); link axes
}

export function rotate(q: Float64Array, at: number, x: number, y: number, z: number, out: Float64Array | number[], o = 0): void {
  const qx = q[at], qy = q[at + 1], qz = q[at + 2], qw = q[at + 3];
  const tx = 2 * (qy * z - qz * y), ty = 2 * (qz * x - qx * z), tz = 2 * (qx * y - qy * x);
  out[o] = x + qw * tx + qy * tz - qz * ty;
  out[o + 1] = y + qw * ty + qz * tx - qx * tz;
  out[o + 2] = z + qw * tz + qx * ty - qy * tx;
}

function track(frames: Packed, shapes: Packed, coefficients: Packed): Track {
  const values = unpack(shapes);
  const rows = shapes.rows ?? 0;
  return {frames: unpack(frames), shapes: values, rows, coefficients: unpack(coefficients), count: rows ? values.length / rows : 0};
}

// sum over shapes of weight * shape, into `out`.
function combine(shapes: Float64Array, rows: number, weights: Float64Array, used: number, out: Float64Array): void {
  out.fill(0);
  for (let k = 0; k < weights.length; ++k) {
    const w = weights[k];
    if (w === 0) continue;
    const start = k * rows;
    for (let i = 0; i < used; ++i) out[i] += w * shapes[start + i];
  }
}

export class Motion {
  readonly times: Float64Array;
  readonly loads: Float64Array[];
  readonly strained: boolean;
  readonly states: LinkState[];
  private readonly tracks: Track[];
  private readonly weights: Float64Array[];

  constructor(data: MotionData) {
    this.times = unpack(data.times);
    this.loads = data.loads.map(unpack);
    this.strained = data.links.some(link => link.strained);
    this.tracks = data.links.map(link => track(link.frames, link.shapes, link.coefficients));
    this.weights = this.tracks.map(t => new Float64Array(t.count));
    this.states = this.tracks.map(t => ({visible: true, frame: new Float64Array(7), values: new Float64Array(t.rows)}));
  }

  // Whether anything but rigid links is there to see.
  get bends(): boolean { return this.tracks.some(t => t.count > 0); }
  get start(): number { return this.times[0]; }
  get end(): number { return this.times[this.times.length - 1]; }

  // The frame before `time` and how far it is to the next.
  locate(time: number): [number, number] {
    const t = this.times, last = t.length - 1;
    if (last === 0 || time <= t[0]) return [0, 0];
    if (time >= t[last]) return [last - 1, 1];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    return [low, (time - t[low]) / (t[high] - t[low])];
  }

  evaluate(time: number): LinkState[] {
    const [i, w] = this.locate(time);
    this.tracks.forEach((t, link) => {
      const state = this.states[link];
      mixFrames(t.frames, 7 * i, Math.min(7 * (i + 1), t.frames.length - 7), w, state.frame);
      const weights = this.weights[link];
      const next = Math.min((i + 1) * t.count, t.coefficients.length - t.count);
      for (let k = 0; k < t.count; ++k) weights[k] = (1 - w) * t.coefficients[i * t.count + k] + w * t.coefficients[next + k];
      combine(t.shapes, t.rows, weights, t.rows, state.values);
    });
    return this.states;
  }

  loadValue(load: number, time: number): number {
    const [i, w] = this.locate(time);
    const values = this.loads[load];
    return (1 - w) * values[i] + w * values[Math.min(i + 1, values.length - 1)];
  }
}

function mixFrames(frames: Float64Array, a: number, b: number, w: number, out: Frame): void {
  let dot = 0;
  for (let k = 3; k < 7; ++k) dot += frames[a + k] * frames[b + k];
  const sign = dot < 0 ? -1 : 1;
  for (let k = 0; k < 3; ++k) out[k] = (1 - w) * frames[a + k] + w * frames[b + k];
  // Neighbouring frames are close: the straight line between quaternions, back on the sphere, is as good as the arc.
  let norm = 0;
  for (let k = 3; k < 7; ++k) {
    out[k] = (1 - w) * frames[a + k] + w * sign * frames[b + k];
    norm += out[k] * out[k];
  }
  norm = Math.sqrt(norm);
  for (let k = 3; k < 7; ++k) out[k] /= norm;
}

// A mode swinging about its posture.
export class Modes {
  readonly states: LinkState[];
  private readonly shapes: (Float64Array | null)[];
  private readonly rests: (Float64Array | null)[];
  private readonly rows: number[];
  private readonly sizes = new Map<number, number>(); // largest displacement of a mode's shape

  constructor(readonly data: ModeSetData) {
    this.shapes = data.links.map(link => (link ? unpack(link.shapes) : null));
    this.rests = data.links.map(link => (link ? unpack(link.displacement) : null));
    this.rows = data.links.map(link => link?.shapes.rows ?? 0);
    this.states = data.links.map((link, i) => ({
      visible: link !== null,
      frame: Float64Array.from(link?.frame ?? [0, 0, 0, 0, 0, 0, 1]),
      values: new Float64Array(this.rows[i]),
    }));
  }

  private largest(mode: number): number {
    const known = this.sizes.get(mode);
    if (known !== undefined) return known;
    let result = 0;
    this.shapes.forEach((shapes, link) => {
      if (!shapes) return;
      const rows = this.rows[link], n = rows / 2;
      for (let i = 0; i < n; i += 3) result = Math.max(result, Math.hypot(...shapes.subarray(mode * rows + i, mode * rows + i + 3)));
    });
    this.sizes.set(mode, result);
    return result;
  }

  // Displacements of the mode alone: amplitude (m) of the node that moves most, times `swing`.
  evaluate(mode: number, amplitude: number, swing: number): LinkState[] {
    const factor = (amplitude * swing) / (this.largest(mode) || 1);
    this.shapes.forEach((shapes, link) => {
      const rest = this.rests[link];
      if (!shapes || !rest) return;
      const rows = this.rows[link], values = this.states[link].values;
      for (let i = 0; i < rows; ++i) values[i] = rest[i] + factor * shapes[mode * rows + i];
    });
    return this.states;
  }
}

// The rigid mechanism in a posture of a map.
export function rigidStates(scene: SceneData, frames: Float64Array): LinkState[] {
  return scene.links.map((link, i) => ({
    visible: true,
    frame: frames.slice(7 * i, 7 * i + 7),
    values: new Float64Array(6 * (unpack(link.nodes).length / 3)),
  }));
}

// Where a node is, its displacement times `scale`.
export function nodePlace(state: LinkState, rest: Float64Array, node: number, scale: number): number[] {
  const u = state.values, o = 3 * node, place = [0, 0, 0];
  rotate(state.frame, 3, rest[0] + scale * u[o], rest[1] + scale * u[o + 1], rest[2] + scale * u[o + 2], place);
  return [state.frame[0] + place[0], state.frame[1] + place[1], state.frame[2] + place[2]];
}

// All links at the origin, as their files have them.
export function restStates(scene: SceneData): LinkState[] {
  return rigidStates(scene, Float64Array.from(scene.links.flatMap(() => [0, 0, 0, 0, 0, 0, 1])));
}

// The last named node of the last link that moves: most often the tip. Rotors of motors come after the links.
export function movingTip(motion: Motion, scene: SceneData, rests: Float64Array[]): [number, number] | null {
  const ends = scene.links.map(link => link.nodeNames.length - 1), instants = 40;
  const ways = ends.map(() => 0), before: (number[] | undefined)[] = [];
  for (let k = 0; k <= instants; ++k) {
    const states = motion.evaluate(motion.start + (k / instants) * (motion.end - motion.start));
    ends.forEach((node, l) => {
      if (node < 0) return;
      const now = nodePlace(states[l], rests[l].subarray(3 * node, 3 * node + 3), node, 0), last = before[l];
      if (last) ways[l] += Math.hypot(now[0] - last[0], now[1] - last[1], now[2] - last[2]) || 0;
      before[l] = now;
    });
  }
  const longest = Math.max(...ways), link = ends.map((node, l) => node >= 0 && ways[l] >= 0.01 * longest).lastIndexOf(true);
  return link < 0 ? null : [link, ends[link]];
}
