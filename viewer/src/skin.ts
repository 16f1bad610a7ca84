// A mesh of sections swept along spans: vertices stand in rings, which are placed anew for every drawn instant.
import * as THREE from 'three';
import {LinkState} from './motion';
import {Outline} from './sections';
import {placeStation, Span, Station} from './spans';

export interface Strip {
  span: Span;
  stations: Station[];
  outline: Outline;
}

export class Skin<M extends THREE.Material> {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, M>;
  rings: Station[] = [];
  count = 0; // vertices in use
  private capacity = 0;
  private ringOf = new Int32Array(0);
  private local = new Float32Array(0); // y, z, normal x, y, z in the ring's axes
  private axes = new Float64Array(0); // centre, x, y, z: 12 per ring
  private indexCount = 0;
  private index = new Uint32Array(0);

  constructor(material: M, private readonly coloured: boolean) {
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.reserve(1, 6); // a mechanism of surfaces alone has no strips
    this.mesh.geometry.setDrawRange(0, 0);
  }

  // Takes buffers that are large enough and fills in everything that does not move.
  build(strips: Strip[]): void {
    let rings = 0, vertices = 0, indices = 0;
    for (const {span, stations, outline} of strips) {
      const row = outline.points.length, caps = Number(span.capFrom) + Number(span.capTo);
      rings += stations.length;
      vertices += row * (stations.length + 2 * caps);
      indices += 6 * row * (stations.length - 1 + caps);
    }
    this.reserve(vertices, indices);
    if (this.axes.length < 12 * rings) this.axes = new Float64Array(12 * rings);
    this.rings = [];
    this.count = this.indexCount = 0;
    for (const strip of strips) this.addStrip(strip);
    const geometry = this.mesh.geometry, index = geometry.getIndex() as THREE.BufferAttribute;
    index.clearUpdateRanges();
    index.addUpdateRange(0, this.indexCount);
    index.needsUpdate = true;
    geometry.setDrawRange(0, this.indexCount);
  }

  // Buffers grow, with room to spare, and never shrink.
  private reserve(vertices: number, indices: number): void {
    if (vertices <= this.capacity && indices <= this.index.length) return;
    this.capacity = Math.ceil(1.5 * vertices);
    this.ringOf = new Int32Array(this.capacity);
    this.local = new Float32Array(5 * this.capacity);
    this.index = new Uint32Array(Math.ceil(1.5 * indices));
    this.mesh.geometry.dispose();
    const geometry = (this.mesh.geometry = new THREE.BufferGeometry());
    for (const name of this.coloured ? ['position', 'normal', 'color'] : ['position', 'normal'])
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * this.capacity), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setIndex(new THREE.BufferAttribute(this.index, 1).setUsage(THREE.DynamicDrawUsage));
  }

  private vertex(ring: number, y: number, z: number, nx: number, ny: number, nz: number): void {
    this.ringOf[this.count] = ring;
    this.local.set([y, z, nx, ny, nz], 5 * this.count++);
  }
  private quad(a: number, b: number, c: number, d: number): void {
    this.index.set([a, b, c, a, c, d], this.indexCount);
    this.indexCount += 6;
  }

  private addStrip({span, stations, outline}: Strip): void {
    const first = this.rings.length, {points} = outline;
    stations.forEach((station, s) => {
      const row = this.count;
      for (const [y, z, ny, nz] of points) this.vertex(first + s, y, z, 0, ny, nz);
      for (let i = 0; s > 0 && i + 1 < points.length; ++i) {
        const a = points[i], b = points[i + 1], before = row - points.length + i;
        if (a[0] === b[0] && a[1] === b[1]) continue; // a corner, where two flat sides meet
        this.quad(before, before + 1, row + i + 1, row + i);
      }
      this.rings.push(station);
    });
    if (span.capFrom) this.addCap(first, outline, -1);
    if (span.capTo) this.addCap(this.rings.length - 1, outline, 1);
  }

  private addCap(ring: number, {points, inner, outer}: Outline, side: number): void {
    const hole = inner / outer, row = this.count, n = points.length;
    for (const [y, z] of points) this.vertex(ring, y, z, side, 0, 0);
    for (const [y, z] of points) this.vertex(ring, hole * y, hole * z, side, 0, 0);
    for (let i = row; i + 1 < row + n; ++i)
      if (side > 0) this.quad(i, i + 1, n + i + 1, n + i); else this.quad(n + i, n + i + 1, i + 1, i);
  }

  // Moves all rings to the links' states, displacements times `scale`, and writes the vertices.
  place(states: LinkState[], rest: Float64Array[], scale: number): void {
    const {rings, axes} = this;
    for (let r = 0; r < rings.length; ++r) {
      const l = rings[r].piece.link;
      if (states[l].visible) placeStation(rings[r], states[l], rest[l], scale, axes, 12 * r);
      else axes.fill(0, 12 * r, 12 * r + 12);
    }
    this.write();
  }

  private write(): void {
    const p = this.array('position'), m = this.array('normal'), {axes, local, ringOf} = this;
    for (let i = 0, j = 0, l = 0; i < this.count; ++i, j += 3, l += 5) {
      const o = 12 * ringOf[i], y = local[l], z = local[l + 1], nx = local[l + 2], ny = local[l + 3], nz = local[l + 4];
      p[j] = axes[o] + y * axes[o + 6] + z * axes[o + 9];
      p[j + 1] = axes[o + 1] + y * axes[o + 7] + z * axes[o + 10];
      p[j + 2] = axes[o + 2] + y * axes[o + 8] + z * axes[o + 11];
      m[j] = nx * axes[o + 3] + ny * axes[o + 6] + nz * axes[o + 9];
      m[j + 1] = nx * axes[o + 4] + ny * axes[o + 7] + nz * axes[o + 10];
      m[j + 2] = nx * axes[o + 5] + ny * axes[o + 8] + nz * axes[o + 11];
    }
    this.changed('position');
    this.changed('normal');
  }

  // Colours of all vertices: `colourOf(ring)` tells where in `table` (red, green, blue) that of a ring is.
  paint(table: Float32Array, colourOf: (ring: number) => number): void {
    const c = this.array('color'), {ringOf} = this;
    let ring = -1, o = 0;
    for (let i = 0, j = 0; i < this.count; ++i, j += 3) {
      if (ringOf[i] !== ring) o = colourOf((ring = ringOf[i]));
      c[j] = table[o];
      c[j + 1] = table[o + 1];
      c[j + 2] = table[o + 2];
    }
    this.changed('color');
  }

  // The middle of a drawn section: what the eye sees, read back from the mesh.
  middle(ring: number, outline: Outline): number[] {
    const p = this.array('position'), first = this.ringOf.indexOf(ring), sum = [0, 0, 0];
    // Corners of a polygon appear twice each, a circle's first point at its end again: leave that one out.
    const count = outline.points.length - (outline.round ? 1 : 0);
    for (let i = 0; i < count; ++i) for (let k = 0; k < 3; ++k) sum[k] += p[3 * (first + i) + k] / count;
    return sum;
  }

  private array(name: string): Float32Array {
    return this.mesh.geometry.getAttribute(name).array as Float32Array;
  }
  // Only what is in use goes to the graphics card.
  private changed(name: string): void {
    const attribute = this.mesh.geometry.getAttribute(name) as THREE.BufferAttribute;
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, 3 * this.count);
    attribute.needsUpdate = true;
  }
}
