// The links as one mesh: section outlines swept along beams that bend, recomputed for every drawn instant.
import * as THREE from 'three';
import {linkColour, valueColour} from './colour';
import {LinkData, PieceData, SceneData, unpack} from './data';
import {LinkState, rotate} from './motion';
import {outline, Outline} from './sections';

export type ColourBy = 'link' | 'displacement' | 'stress' | 'bending' | 'energy';

interface Ring {
  link: number;
  piece: number;
  xi: number; // place along the piece, 0 to 1
}

interface Piece {
  link: number;
  data: PieceData;
  index: number; // in the link
  outline: Outline;
  length: number;
  x: number[];
  section: {area: number; iy: number; iz: number; j: number};
}

// Vertices stand at (ring, y, z) with a normal (x, y, z) in the ring's axes.
class Builder {
  ring: number[] = [];
  local: number[] = [];
  normal: number[] = [];
  index: number[] = [];
  add(ring: number, y: number, z: number, nx: number, ny: number, nz: number): number {
    this.ring.push(ring);
    this.local.push(y, z);
    this.normal.push(nx, ny, nz);
    return this.ring.length - 1;
  }
  quad(a: number, b: number, c: number, d: number): void {
    this.index.push(a, b, c, a, c, d);
  }
}

export class Sweep {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  readonly ghost = new THREE.Group(); // the rigid links, one mesh each
  readonly nodes: Float64Array[]; // drawn places of all nodes, per link
  readonly pieces: Piece[] = [];
  private readonly rings: Ring[] = [];
  private readonly rest: Float64Array[]; // node positions, link frame
  private readonly nodeRing: Map<number, number>[]; // per link: a ring at the node
  private readonly ringOf: Int32Array;
  private readonly local: Float32Array;
  private readonly localNormal: Float32Array;
  private readonly ringAxes: Float64Array; // centre, x, y, z: 12 per ring
  private readonly ringValue: Float64Array;
  private readonly vertexLink: Int16Array;

  constructor(private readonly scene: SceneData, readonly size: number) {
    this.rest = scene.links.map(link => unpack(link.nodes));
    this.nodes = this.rest.map(r => new Float64Array(r.length));
    this.nodeRing = scene.links.map(() => new Map());
    const count = scene.links.reduce((sum, link) => sum + link.pieces.length, 0);
    const sides = count > 400 ? 10 : count > 60 ? 16 : 28;
    const cuts = Math.min(8, Math.max(1, Math.floor(400 / Math.max(1, count))));
    const builder = new Builder();
    scene.links.forEach((link, l) => link.pieces.forEach((piece, p) => this.addPiece(builder, link, l, piece, p, sides, cuts)));
    this.ringOf = Int32Array.from(builder.ring);
    this.local = Float32Array.from(builder.local);
    this.localNormal = Float32Array.from(builder.normal);
    this.ringAxes = new Float64Array(12 * this.rings.length);
    this.ringValue = new Float64Array(this.rings.length);
    this.vertexLink = Int16Array.from(builder.ring, r => this.rings[r].link);
    this.mesh = this.makeMesh(builder.index, new THREE.MeshStandardMaterial({vertexColors: true, roughness: 0.5, metalness: 0.15, side: THREE.DoubleSide}));
    this.makeGhost(builder.index);
    this.paintByLink();
  }

  private makeMesh<M extends THREE.Material>(index: number[], material: M): THREE.Mesh<THREE.BufferGeometry, M> {
    const geometry = new THREE.BufferGeometry();
    const count = this.ringOf.length;
    for (const name of ['position', 'normal', 'color']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * count), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
    }
    geometry.setIndex(index);
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    return mesh;
  }

  // Rigid links keep their shape: their meshes stay and only their frames move.
  private makeGhost(index: number[]): void {
    const still = this.scene.links.map((_, l) => ({visible: true, frame: Float64Array.from([0, 0, 0, 0, 0, 0, 1]), values: new Float64Array(2 * this.rest[l].length)}));
    this.update(still, 0);
    const material = new THREE.MeshStandardMaterial({color: 0x8a97a6, transparent: true, opacity: 0.22, depthWrite: false, roughness: 1});
    const whole = this.mesh.geometry;
    for (let l = 0; l < this.scene.links.length; ++l) {
      const geometry = new THREE.BufferGeometry();
      for (const name of ['position', 'normal']) geometry.setAttribute(name, new THREE.BufferAttribute(Float32Array.from(whole.getAttribute(name).array), 3));
      geometry.setIndex(index.filter((_, i) => this.vertexLink[index[i - (i % 3)]] === l));
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      this.ghost.add(mesh);
    }
  }

  private addPiece(builder: Builder, link: LinkData, l: number, data: PieceData, p: number, sides: number, cuts: number): void {
    const section = this.scene.sections[data.section];
    const shape = outline(section, this.size, sides);
    const rest = this.rest[l];
    const along = [0, 1, 2].map(k => rest[3 * data.to + k] - rest[3 * data.from + k]);
    const length = Math.hypot(along[0], along[1], along[2]);
    const index = this.pieces.length;
    this.pieces.push({
      link: l, data, index: p, outline: shape, length, x: along.map(v => v / length),
      section: section ?? {area: 0, iy: 0, iz: 0, j: 0},
    });
    const first = this.rings.length;
    let previous: number[] = [];
    for (let c = 0; c <= cuts; ++c) {
      const ring = this.rings.length;
      this.rings.push({link: l, piece: index, xi: c / cuts});
      const row = shape.points.map(([y, z, ny, nz]) => builder.add(ring, y, z, 0, ny, nz));
      for (let i = 0; c > 0 && i + 1 < row.length; ++i) {
        const [a, b] = [shape.points[i], shape.points[i + 1]];
        if (a[0] === b[0] && a[1] === b[1]) continue; // a corner, where two flat sides meet
        builder.quad(previous[i], previous[i + 1], row[i + 1], row[i]);
      }
      previous = row;
    }
    this.nodeRing[l].set(data.from, this.nodeRing[l].get(data.from) ?? first);
    this.nodeRing[l].set(data.to, this.nodeRing[l].get(data.to) ?? this.rings.length - 1);
    if (this.endsAt(link, data.from, data)) this.addCap(builder, first, shape, -1);
    if (this.endsAt(link, data.to, data)) this.addCap(builder, this.rings.length - 1, shape, 1);
  }

  // Whether no other piece goes on straight from this node.
  private endsAt(link: LinkData, node: number, data: PieceData): boolean {
    return !link.pieces.some(other => other !== data && (other.from === node || other.to === node) &&
        other.section === data.section && Math.abs(other.y[0] * data.y[0] + other.y[1] * data.y[1] + other.y[2] * data.y[2]) > 0.999 &&
        Math.abs(other.z[0] * data.z[0] + other.z[1] * data.z[1] + other.z[2] * data.z[2]) > 0.999);
  }

  private addCap(builder: Builder, ring: number, shape: Outline, side: number): void {
    const hole = shape.inner / shape.outer;
    const outer = shape.points.map(([y, z]) => builder.add(ring, y, z, side, 0, 0));
    const inner = shape.points.map(([y, z]) => builder.add(ring, hole * y, hole * z, side, 0, 0));
    for (let i = 0; i + 1 < outer.length; ++i) builder.quad(outer[i], outer[i + 1], inner[i + 1], inner[i]);
  }

  // Moves all rings to the links' states, displacements times `scale`, and writes the mesh.
  update(states: LinkState[], scale: number): void {
    this.placeNodes(states, scale);
    this.placeRings(states, scale);
    this.writeVertices(this.mesh.geometry, states);
  }

  updateGhost(states: LinkState[]): void {
    states.forEach((state, l) => {
      const mesh = this.ghost.children[l], f = state.frame;
      mesh.visible = state.visible;
      mesh.position.set(f[0], f[1], f[2]);
      mesh.quaternion.set(f[3], f[4], f[5], f[6]);
    });
  }

  private placeNodes(states: LinkState[], scale: number): void {
    const out = [0, 0, 0];
    states.forEach((state, l) => {
      const rest = this.rest[l], nodes = this.nodes[l], u = state.values, f = state.frame;
      for (let i = 0; i < rest.length; i += 3) {
        rotate(f, 3, rest[i] + scale * u[i], rest[i + 1] + scale * u[i + 1], rest[i + 2] + scale * u[i + 2], out);
        nodes[i] = f[0] + out[0];
        nodes[i + 1] = f[1] + out[1];
        nodes[i + 2] = f[2] + out[2];
      }
    });
  }

  private placeRings(states: LinkState[], scale: number): void {
    const axes = this.ringAxes, v = new Float64Array(3), local = new Float64Array(3), psi = new Float64Array(3);
    for (let r = 0; r < this.rings.length; ++r) {
      const ring = this.rings[r], piece = this.pieces[ring.piece], state = states[ring.link], rest = this.rest[ring.link];
      this.bend(piece, state.values, rest, ring.xi, scale, local, psi);
      const f = state.frame, o = 12 * r;
      rotate(f, 3, local[0], local[1], local[2], v);
      axes[o] = f[0] + v[0];
      axes[o + 1] = f[1] + v[1];
      axes[o + 2] = f[2] + v[2];
      turn(piece.x, psi, f, axes, o + 3);
      turn(piece.data.y, psi, f, axes, o + 6);
      turn(piece.data.z, psi, f, axes, o + 9);
    }
  }

  // Place and rotation of a section, link axes: a cubic through both ends with the slopes that the nodes' rotations give the
  // chord.
  private bend(piece: Piece, u: Float64Array, rest: Float64Array, s: number, scale: number, local: Float64Array, psi: Float64Array): void {
    const n = rest.length, a = 3 * piece.data.from, b = 3 * piece.data.to, t = 1 - s, x = piece.x;
    const h00 = (1 + 2 * s) * t * t, h01 = s * s * (3 - 2 * s), h10 = piece.length * s * t * t, h11 = -piece.length * s * s * t;
    for (let k = 0; k < 3; ++k) {
      const k1 = k === 2 ? 0 : k + 1, k2 = k === 0 ? 2 : k - 1;
      const slopeA = u[n + a + k1] * x[k2] - u[n + a + k2] * x[k1], slopeB = u[n + b + k1] * x[k2] - u[n + b + k2] * x[k1];
      local[k] = t * rest[a + k] + s * rest[b + k] + scale * (h00 * u[a + k] + h01 * u[b + k] + h10 * slopeA + h11 * slopeB);
      psi[k] = scale * (t * u[n + a + k] + s * u[n + b + k]);
    }
  }

  private writeVertices(geometry: THREE.BufferGeometry, states: LinkState[]): void {
    const position = geometry.getAttribute('position') as THREE.BufferAttribute;
    const normal = geometry.getAttribute('normal') as THREE.BufferAttribute;
    const p = position.array as Float32Array, m = normal.array as Float32Array, axes = this.ringAxes, local = this.local, ln = this.localNormal;
    const ringOf = this.ringOf, shown = states.map(state => (state.visible ? 1 : 0)), link = this.vertexLink;
    for (let i = 0, j = 0; i < ringOf.length; ++i, j += 3) {
      const o = 12 * ringOf[i], y = local[2 * i], z = local[2 * i + 1], on = shown[link[i]];
      const nx = ln[j], ny = ln[j + 1], nz = ln[j + 2];
      p[j] = on * (axes[o] + y * axes[o + 6] + z * axes[o + 9]);
      p[j + 1] = on * (axes[o + 1] + y * axes[o + 7] + z * axes[o + 10]);
      p[j + 2] = on * (axes[o + 2] + y * axes[o + 8] + z * axes[o + 11]);
      m[j] = nx * axes[o + 3] + ny * axes[o + 6] + nz * axes[o + 9];
      m[j + 1] = nx * axes[o + 4] + ny * axes[o + 7] + nz * axes[o + 10];
      m[j + 2] = nx * axes[o + 5] + ny * axes[o + 8] + nz * axes[o + 11];
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }

  // The middle of the drawn section at a node: what the eye sees, read back from the mesh.
  drawnNode(link: number, node: number): number[] | null {
    const ring = this.nodeRing[link]?.get(node);
    if (ring === undefined) return null;
    const p = this.mesh.geometry.getAttribute('position').array, shape = this.pieces[this.rings[ring].piece].outline;
    const first = this.ringOf.indexOf(ring), sum = [0, 0, 0];
    // Corners of a polygon appear twice each, a circle's first point at its end again: leave that one out.
    const count = shape.points.length - (shape.round ? 1 : 0);
    for (let i = 0; i < count; ++i) for (let k = 0; k < 3; ++k) sum[k] += p[3 * (first + i) + k] / count;
    return sum;
  }

  outerRadius(link: number, node: number): number {
    let radius = 0;
    for (const piece of this.pieces)
      if (piece.link === link && (piece.data.from === node || piece.data.to === node)) radius = Math.max(radius, piece.outline.outer);
    return radius || 0.006 * this.size;
  }

  // How far joints and thick links reach beyond their nodes.
  thickness(): number {
    return 2 * this.pieces.reduce((most, piece) => Math.max(most, piece.outline.outer), 0);
  }

  paintByLink(): void {
    const colour = this.mesh.geometry.getAttribute('color') as THREE.BufferAttribute;
    for (let i = 0; i < this.ringOf.length; ++i) {
      const rgb = new THREE.Color().setRGB(...(linkColour(this.vertexLink[i]) as [number, number, number]), THREE.SRGBColorSpace);
      colour.setXYZ(i, rgb.r, rgb.g, rgb.b);
    }
    colour.needsUpdate = true;
  }

  // Values of all rings for a way of colouring; the largest is returned.
  values(states: LinkState[], by: ColourBy): number {
    let largest = 0;
    for (let r = 0; r < this.rings.length; ++r) {
      const ring = this.rings[r], value = ringValue(this.pieces[ring.piece], states[ring.link], this.rest[ring.link].length, ring.xi, by);
      this.ringValue[r] = value;
      if (value > largest) largest = value;
    }
    return largest;
  }

  paint(largest: number): void {
    const colour = this.mesh.geometry.getAttribute('color') as THREE.BufferAttribute;
    const c = colour.array as Float32Array, ramp = colourRamp(), steps = ramp.length / 3 - 1, ringOf = this.ringOf;
    for (let i = 0, j = 0; i < ringOf.length; ++i, j += 3) {
      const share = this.ringValue[ringOf[i]] / (largest || 1), o = 3 * Math.round(steps * (share > 1 ? 1 : share > 0 ? share : 0));
      c[j] = ramp[o];
      c[j + 1] = ramp[o + 1];
      c[j + 2] = ramp[o + 2];
    }
    colour.needsUpdate = true;
  }

  // Of a whole link: its strain energy (J) and its largest stress (Pa) now.
  linkLoad(states: LinkState[], link: number): {energy: number; stress: number} {
    let energy = 0, stress = 0;
    const n = this.rest[link].length;
    for (const piece of this.pieces) {
      if (piece.link !== link) continue;
      // Simpson's rule is exact: moments are linear along a piece, the energy quadratic.
      const at = (s: number, by: ColourBy): number => ringValue(piece, states[link], n, s, by);
      energy += (piece.length * (at(0, 'energy') + 4 * at(0.5, 'energy') + at(1, 'energy'))) / 6;
      stress = Math.max(stress, at(0, 'stress'), at(1, 'stress'));
    }
    return {energy, stress};
  }

  valueAtNode(states: LinkState[], link: number, node: number, by: ColourBy): number {
    const ring = this.nodeRing[link].get(node);
    if (ring === undefined) return NaN;
    const {piece, xi} = this.rings[ring];
    return ringValue(this.pieces[piece], states[link], this.rest[link].length, xi, by);
  }
}

// The scale of values in 512 steps, in the renderer's linear colours.
let rampOfValues: Float32Array | null = null;
function colourRamp(): Float32Array {
  if (rampOfValues) return rampOfValues;
  rampOfValues = new Float32Array(3 * 512);
  const rgb = [0, 0, 0], scratch = new THREE.Color();
  for (let i = 0; i < 512; ++i) {
    valueColour(i / 511, rgb);
    scratch.setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace).toArray(rampOfValues, 3 * i);
  }
  return rampOfValues;
}

// A direction in the link's axes, turned by the elastic rotation and by the link's frame.
function turn(direction: number[], psi: Float64Array, frame: Float64Array, out: Float64Array, o: number): void {
  const angle = Math.sqrt(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]);
  let x = direction[0], y = direction[1], z = direction[2];
  if (angle > 1e-12) {
    const c = Math.cos(angle), s = Math.sin(angle) / angle, d = ((1 - c) / (angle * angle)) * (psi[0] * x + psi[1] * y + psi[2] * z);
    const cx = psi[1] * z - psi[2] * y, cy = psi[2] * x - psi[0] * z, cz = psi[0] * y - psi[1] * x;
    x = c * x + s * cx + d * psi[0];
    y = c * y + s * cy + d * psi[1];
    z = c * z + s * cz + d * psi[2];
  }
  rotate(frame, 3, x, y, z, out, o);
}

function ringValue(piece: Piece, state: LinkState, n: number, s: number, by: ColourBy): number {
  const u = state.values, a = 3 * piece.data.from, b = 3 * piece.data.to;
  if (by === 'displacement') {
    let sum = 0;
    for (let k = 0; k < 3; ++k) {
      const d = (1 - s) * u[a + k] + s * u[b + k];
      sum += d * d;
    }
    return Math.sqrt(sum);
  }
  const o = 2 * n + 6 * piece.index;
  if (o + 6 > u.length || piece.data.e === 0) return 0;
  const {area, iy, iz, j} = piece.section, {fibreY, fibreZ, fibreR} = piece.outline;
  const normal = u[o], torque = u[o + 1], my = (1 - s) * u[o + 2] + s * u[o + 4], mz = (1 - s) * u[o + 3] + s * u[o + 5];
  if (by === 'energy')
    return normal ** 2 / (2 * piece.data.e * area) + torque ** 2 / (2 * piece.data.g * j) + my ** 2 / (2 * piece.data.e * iy) + mz ** 2 / (2 * piece.data.e * iz);
  // Rectangles have both extreme fibres in one corner; in circles the two moments add as vectors.
  const bending = piece.outline.round ? (Math.hypot(my, mz) * fibreY) / iz : (Math.abs(my) * fibreZ) / iy + (Math.abs(mz) * fibreY) / iz;
  if (by === 'bending') return bending;
  const axial = Math.abs(normal) / area + bending, shear = (Math.abs(torque) * fibreR) / j;
  return Math.sqrt(axial ** 2 + 3 * shear ** 2);
}
