// Surfaces of links of solid elements: triangles between nodes that move and carry stress.
import * as THREE from 'three';
import {SceneData, unpack} from './data';
import {LinkState} from './motion';

interface Part {
  link: number;
  first: number; // vertex
  count: number; // nodes
}

// One mesh for all of them. Facets are shaded flat: no normals are needed, and edges of the part stay sharp.
export class Surfaces<M extends THREE.Material> {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, M>;
  readonly legs: THREE.LineSegments; // of spiders, between the same nodes
  readonly parts: Part[] = [];
  private readonly positions: THREE.BufferAttribute;
  private readonly colours: THREE.BufferAttribute | null;

  constructor(scene: SceneData, material: M, coloured: boolean) {
    const index: number[] = [], legs: number[] = [];
    let count = 0;
    scene.links.forEach((link, l) => {
      if (!link.triangles) return;
      const nodes = unpack(link.nodes).length / 3;
      for (const node of unpack(link.triangles)) index.push(count + node);
      if (link.legs) for (const node of unpack(link.legs)) legs.push(count + node);
      this.parts.push({link: l, first: count, count: nodes});
      count += nodes;
    });
    const geometry = new THREE.BufferGeometry();
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
    this.colours = coloured ? new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage) : null;
    geometry.setAttribute('position', this.positions);
    if (this.colours) geometry.setAttribute('color', this.colours);
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = count > 0;
    const lines = new THREE.BufferGeometry();
    lines.setAttribute('position', this.positions);
    lines.setIndex(legs);
    this.legs = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({color: 0xc2571a}));
    this.legs.frustumCulled = false;
    this.legs.visible = legs.length > 0;
  }

  get triangles(): number { return (this.mesh.geometry.getIndex()?.count ?? 0) / 3; }

  // `nodes`: drawn places of all nodes, per link. A link that is not shown shrinks to a point.
  place(states: LinkState[], nodes: Float64Array[]): void {
    const p = this.positions.array as Float32Array;
    for (const {link, first, count} of this.parts) {
      if (states[link].visible) p.set(nodes[link], 3 * first);
      else p.fill(0, 3 * first, 3 * (first + count));
    }
    this.positions.needsUpdate = true;
  }

  // `colourOf` tells where in `table` (red, green, blue) the colour of a node is.
  paint(table: Float32Array, colourOf: (link: number, node: number) => number): void {
    if (!this.colours) return;
    const c = this.colours.array as Float32Array;
    for (const {link, first, count} of this.parts)
      for (let node = 0, j = 3 * first; node < count; ++node, j += 3) {
        const o = colourOf(link, node);
        c[j] = table[o];
        c[j + 1] = table[o + 1];
        c[j + 2] = table[o + 2];
      }
    this.colours.needsUpdate = true;
  }
}

// Whether the state of a link with a surface has stresses, n: three times its nodes.
export function hasStress(state: LinkState, n: number): boolean {
  return state.values.length >= 4 * n;
}

// Von Mises stress at a node, Pa: after translations and rotations, six components per node.
export function stressAt(state: LinkState, n: number, node: number): number {
  const o = 2 * n + 6 * node, s = state.values;
  const a = s[o] - s[o + 1], b = s[o + 1] - s[o + 2], c = s[o + 2] - s[o];
  return Math.sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[o + 3] ** 2 + s[o + 4] ** 2 + s[o + 5] ** 2));
}

export function displacementAt(state: LinkState, node: number): number {
  const u = state.values, o = 3 * node;
  return Math.hypot(u[o], u[o + 1], u[o + 2]);
}
