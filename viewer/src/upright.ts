// Which way is up: against gravity, along the nearest axis; z where there is none.
import * as THREE from 'three';

export class Upright {
  readonly up: THREE.Vector3;
  readonly right: THREE.Vector3; // the floor, with ahead: right x ahead = up
  readonly ahead: THREE.Vector3;
  readonly axis: 'x' | 'y' | 'z'; // that up is along

  constructor(gravity: number[]) {
    const sizes = gravity.map(Math.abs), along = sizes[2] >= Math.max(sizes[0], sizes[1]) ? 2 : sizes[1] >= sizes[0] ? 1 : 0;
    this.axis = (['x', 'y', 'z'] as const)[along];
    this.up = new THREE.Vector3().setComponent(along, gravity[along] > 0 ? -1 : 1);
    this.right = along === 0 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
    this.ahead = this.up.clone().cross(this.right);
  }

  // Where the floor's axes and the height have a point.
  apart(point: THREE.Vector3): THREE.Vector3 {
    return new THREE.Vector3(point.dot(this.right), point.dot(this.ahead), point.dot(this.up));
  }
  together(right: number, ahead: number, up: number): THREE.Vector3 {
    return new THREE.Vector3().addScaledVector(this.right, right).addScaledVector(this.ahead, ahead).addScaledVector(this.up, up);
  }

  // Where to look from, along an axis.
  from(axis: 'x' | 'y' | 'z'): THREE.Vector3 {
    if (axis === this.axis) return this.up.clone();
    return axis === 'y' ? new THREE.Vector3(0, -1, 0) : axis === 'x' ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
  }
  // What that is called.
  viewName(axis: 'x' | 'y' | 'z'): string {
    return axis === this.axis ? 'From above' : `Along ${axis}`;
  }
}
