// Lines that look equally thick on every screen. Where a pixel of the screen is a pixel of the picture, plain lines do; finer pictures
// get ribbons.
import * as THREE from 'three';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {LineSegments2} from 'three/examples/jsm/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

export class Strokes {
  readonly group = new THREE.Group();
  private readonly thin = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
  private readonly ribbon: LineSegments2;

  constructor(width: number) {
    this.ribbon = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({linewidth: width}));
    this.thin.frustumCulled = this.ribbon.frustumCulled = false;
    this.group.visible = false;
    this.group.add(this.thin, this.ribbon);
  }

  // Pairs of points, and of colours if they are not all alike.
  set(points: Float32Array, colours?: Float32Array): void {
    this.thin.geometry.dispose();
    this.ribbon.geometry.dispose();
    this.thin.geometry = new THREE.BufferGeometry();
    this.thin.geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
    this.ribbon.geometry = new LineSegmentsGeometry();
    if (points.length > 0) this.ribbon.geometry.setPositions(points);
    if (colours) {
      this.thin.geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
      this.ribbon.geometry.setColors(colours);
    }
    this.thin.material.vertexColors = this.ribbon.material.vertexColors = colours !== undefined;
    this.group.visible = points.length > 0;
  }

  setColour(colour: string): void {
    this.thin.material.color.set(colour);
    this.ribbon.material.color.set(colour);
  }

  // `ratio`: pixels of the picture for one of the page.
  fit(ratio: number): void {
    this.ribbon.visible = ratio > 1.2;
    this.thin.visible = !this.ribbon.visible;
  }
}

// A grid on the floor around a point: lines through it are stronger. `place`: the point of the world at right, ahead, up.
export function gridLines(centre: THREE.Vector3, step: number, cells: number, weak: string, strong: string, place: (x: number, y: number, z: number) => number[]): {points: Float32Array; colours: Float32Array} {
  const points: number[] = [], colours: number[] = [], reach = (cells / 2) * step, [plain, axis] = [new THREE.Color(weak), new THREE.Color(strong)];
  for (let k = -cells / 2; k <= cells / 2; ++k) {
    const at = k * step, {x, y, z} = centre, colour = (k === 0 ? axis : plain).toArray();
    points.push(...place(x + at, y - reach, z), ...place(x + at, y + reach, z), ...place(x - reach, y + at, z), ...place(x + reach, y + at, z));
    for (let i = 0; i < 4; ++i) colours.push(...colour);
  }
  return {points: Float32Array.from(points), colours: Float32Array.from(colours)};
}
