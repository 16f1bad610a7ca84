// The links as one mesh: section outlines swept along beams that bend, recomputed for every drawn instant.
import * as THREE from 'three';
import {linkColour, neutralColour, valueColour} from './colour';
import {SceneData, unpack} from './data';
import {Detail, detailOf, sameDetail} from './detail';
import {LinkState, rotate} from './motion';
import {Outline} from './sections';
import {Skin} from './skin';
import {displacementAt, hasStress, stressAt, Surfaces} from './surface';
import {makePieces, makeSpans, Piece, Span, Station, stations} from './spans';

export type ColourBy = 'link' | 'displacement' | 'stress' | 'bending' | 'energy';

export interface Colouring {
  by: ColourBy;
  largest: number;
}

export class Sweep {
  readonly body = new Skin(new THREE.MeshStandardMaterial({vertexColors: true, roughness: 0.5, metalness: 0.15, side: THREE.DoubleSide}), true);
  // The rigid links, behind what coincides with them.
  readonly ghost = new Skin(new THREE.MeshLambertMaterial({color: 0x8a97a6, transparent: true, opacity: 0.26, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4}), false);
  readonly surface: Surfaces<THREE.MeshStandardMaterial>;
  readonly surfaceGhost: Surfaces<THREE.MeshLambertMaterial>;
  private readonly surfaceOf: boolean[]; // links that have one
  private readonly atRest: Float64Array[]; // scratch: places of the rigid links' nodes
  readonly nodes: Float64Array[]; // drawn places of all nodes, per link
  readonly pieces: Piece[];
  private readonly spans: Span[];
  private details: Detail[];
  private readonly rest: Float64Array[]; // node positions, link frame
  private readonly places: Map<number, Station>[]; // per link: a place at the node
  private readonly linkColours: Float32Array;
  private painted: ColourBy | null = null;

  constructor(scene: SceneData, readonly size: number) {
    this.rest = scene.links.map(link => unpack(link.nodes));
    this.nodes = this.rest.map(r => new Float64Array(r.length));
    this.surface = new Surfaces(scene, new THREE.MeshStandardMaterial({vertexColors: true, roughness: 0.5, metalness: 0.15, side: THREE.DoubleSide, flatShading: true}), true);
    this.surfaceGhost = new Surfaces(scene, new THREE.MeshLambertMaterial({color: 0x8a97a6, transparent: true, opacity: 0.2, depthWrite: false, flatShading: true, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 16}), false);
    this.surfaceGhost.mesh.renderOrder = 1;
    this.surfaceOf = scene.links.map(link => link.triangles !== undefined);
    this.atRest = this.rest.map((r, l) => new Float64Array(this.surfaceOf[l] ? r.length : 0));
    this.pieces = makePieces(scene, this.rest, size);
    this.spans = makeSpans(scene, this.pieces, size);
    this.places = scene.links.map(() => new Map());
    for (const piece of this.pieces)
      for (const [node, xi] of [[piece.data.from, 0], [piece.data.to, 1]] as const) if (!this.places[piece.link].has(node)) this.places[piece.link].set(node, {piece, xi});
    this.linkColours = coloursOf(scene.links.map((_, l) => linkColour(l)));
    this.ghost.mesh.renderOrder = 1;
    this.details = this.spans.map(() => ({level: NaN, sides: 0, swell: [1, 1]}));
    this.refine(() => 1000 / size);
  }

  // `pixels`: how many of them a metre has at a span, 0 out of sight; `ratio`: of them for one of the page. True when the mesh
  // has to be placed again.
  refine(pixels: (span: Span) => number, ratio = 1): boolean {
    return this.draw(this.spans.map((span, s) => detailOf(span, pixels(span), ratio, this.details[s])));
  }

  private draw(next: Detail[]): boolean {
    if (next.every((d, s) => sameDetail(d, this.details[s]))) return false;
    this.details = next;
    const strip = (span: Span, s: number, level: number) => ({span, stations: stations(span, level), outline: swollen(span.outline(next[s].sides), next[s].swell)});
    this.body.build(this.spans.map((span, s) => strip(span, s, next[s].level)));
    this.ghost.build(this.spans.map((span, s) => strip(span, s, -Infinity))); // straight: two sections each
    this.painted = null;
    return true;
  }

  // Moves everything to the links' states, displacements times `scale`.
  update(states: LinkState[], scale: number, colouring: Colouring = {by: 'link', largest: 1}): void {
    this.placeNodes(states, scale);
    this.body.place(states, this.rest, scale);
    this.surface.place(states, this.nodes);
    if (colouring.by !== 'link') this.paint(states, colouring);
    else if (this.painted !== 'link') {
      this.body.paint(this.linkColours, ring => 3 * this.body.rings[ring].piece.link);
      this.surface.paint(this.linkColours, link => 3 * link);
    }
    this.painted = colouring.by;
  }

  updateGhost(states: LinkState[]): void {
    this.ghost.place(states, this.rest, 0);
    states.forEach((state, l) => { if (this.surfaceOf[l]) placeAll(state, this.rest[l], 0, this.atRest[l]); });
    this.surfaceGhost.place(states, this.atRest);
  }

  placeNodes(states: LinkState[], scale: number): void {
    for (let l = 0; l < states.length; ++l) placeAll(states[l], this.rest[l], scale, this.nodes[l]);
  }

  // The middle of the drawn section at a node, read back from the mesh; nothing where detail has left the section out. Of a
  // surface, the node.
  drawnNode(link: number, node: number): number[] | null {
    if (this.surfaceOf[link]) return Array.from(this.nodes[link].subarray(3 * node, 3 * node + 3));
    const ring = this.body.rings.findIndex(({piece, xi}) => piece.link === link && (xi === 0 ? piece.data.from === node : xi === 1 && piece.data.to === node));
    if (ring < 0) return null;
    const s = this.spans.findIndex(span => span.pieces.includes(this.body.rings[ring].piece));
    return this.body.middle(ring, this.spans[s].outline(this.details[s].sides));
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

  // The largest value anywhere: loads are linear along a piece, so that it is at an end.
  largest(states: LinkState[], by: ColourBy): number {
    let largest = 0;
    for (const piece of this.pieces)
      for (const xi of [0, 1]) largest = Math.max(largest, valueAt(piece, states[piece.link], this.rest[piece.link].length, xi, by));
    for (const {link, count} of this.surface.parts)
      for (let node = 0; node < count; ++node) largest = Math.max(largest, this.surfaceValue(states[link], link, node, by));
    return largest;
  }

  // What a surface has no values of (bending, energy per length) is zero.
  private surfaceValue(state: LinkState, link: number, node: number, by: ColourBy): number {
    if (by === 'displacement') return displacementAt(state, node);
    const n = this.rest[link].length;
    return by === 'stress' && hasStress(state, n) ? stressAt(state, n, node) : 0;
  }

  private paint(states: LinkState[], {by, largest}: Colouring): void {
    const ramp = colourRamp(), steps = ramp.length / 3 - 2, neutral = ramp.length - 3;
    this.surface.paint(ramp, (link, node) => {
      if (by !== 'displacement' && !(by === 'stress' && hasStress(states[link], this.rest[link].length))) return neutral;
      return 3 * Math.round(steps * Math.min(1, this.surfaceValue(states[link], link, node, by) / (largest || 1)));
    });
    this.body.paint(ramp, ring => {
      const {piece, xi} = this.body.rings[ring];
      if (by !== 'displacement' && !hasLoads(piece, states[piece.link], this.rest[piece.link].length)) return neutral;
      const share = valueAt(piece, states[piece.link], this.rest[piece.link].length, xi, by) / (largest || 1);
      return 3 * Math.round(steps * (share > 1 ? 1 : share > 0 ? share : 0));
    });
  }

  // Of a whole link: its strain energy (J) and its largest stress (Pa) now.
  linkLoad(states: LinkState[], link: number): {energy: number; stress: number} {
    let energy = 0, stress = 0;
    const n = this.rest[link].length;
    if (this.surfaceOf[link]) {
      for (let node = 0; node < n / 3; ++node) stress = Math.max(stress, this.surfaceValue(states[link], link, node, 'stress'));
      return {energy: NaN, stress};
    }
    for (const piece of this.pieces) {
      if (piece.link !== link) continue;
      // Simpson's rule is exact: moments are linear along a piece, the energy quadratic.
      const at = (s: number, by: ColourBy): number => valueAt(piece, states[link], n, s, by);
      energy += (piece.length * (at(0, 'energy') + 4 * at(0.5, 'energy') + at(1, 'energy'))) / 6;
      stress = Math.max(stress, at(0, 'stress'), at(1, 'stress'));
    }
    return {energy, stress};
  }

  valueAtNode(states: LinkState[], link: number, node: number, by: ColourBy): number {
    if (this.surfaceOf[link]) return by === 'bending' ? NaN : this.surfaceValue(states[link], link, node, by);
    const place = this.places[link].get(node);
    return place ? valueAt(place.piece, states[link], this.rest[link].length, place.xi, by) : NaN;
  }
}

function placeAll(state: LinkState, rest: Float64Array, scale: number, out: Float64Array): void {
  const u = state.values, f = state.frame;
  for (let i = 0; i < rest.length; i += 3) {
    rotate(f, 3, rest[i] + scale * u[i], rest[i + 1] + scale * u[i + 1], rest[i + 2] + scale * u[i + 2], out, i);
    out[i] += f[0];
    out[i + 1] += f[1];
    out[i + 2] += f[2];
  }
}

function swollen(outline: Outline, [y, z]: [number, number]): Outline {
  return y === 1 && z === 1 ? outline : {...outline, points: outline.points.map(p => [y * p[0], z * p[1], p[2], p[3]])};
}

// In the renderer's linear colours.
function coloursOf(list: number[][]): Float32Array {
  const result = new Float32Array(3 * list.length), scratch = new THREE.Color();
  list.forEach((rgb, i) => scratch.setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace).toArray(result, 3 * i));
  return result;
}

// The scale of values in 512 steps, then the colour of what has no such value.
let rampOfValues: Float32Array | null = null;
function colourRamp(): Float32Array {
  return (rampOfValues ??= coloursOf([...Array.from({length: 512}, (_, i) => {
    const rgb = [0, 0, 0];
    valueColour(i / 511, rgb);
    return rgb;
  }), neutralColour]));
}

// Rigid links carry loads that nobody computes a stress from.
function hasLoads(piece: Piece, state: LinkState, n: number): boolean {
  return piece.data.e > 0 && 2 * n + 6 * piece.index + 6 <= state.values.length;
}

function valueAt(piece: Piece, state: LinkState, n: number, s: number, by: ColourBy): number {
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
  if (!hasLoads(piece, state, n)) return 0;
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
