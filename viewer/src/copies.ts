// Small solids, many of a kind: each kind is one object to the graphics card.
import * as THREE from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';

// Copies of one solid; each is placed like an object of the scene, but they are one to the graphics card.
export class Copies {
  private readonly objects: THREE.Object3D[] = [];
  private mesh: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> | null = null;

  onTop = false; // seen through everything else

  constructor(private readonly geometry: () => THREE.BufferGeometry, private readonly colour: number) {}

  add(size: number): THREE.Object3D {
    const object = new THREE.Object3D();
    object.scale.setScalar(size);
    this.objects.push(object);
    return object;
  }

  finish(group: THREE.Group): void {
    this.mesh = new THREE.InstancedMesh(this.geometry(), new THREE.MeshStandardMaterial({color: this.colour, roughness: 0.45, metalness: 0.2}), this.objects.length);
    this.mesh.frustumCulled = false;
    this.mesh.material.depthTest = !this.onTop;
    this.mesh.renderOrder = this.onTop ? 2 : 0;
    group.add(this.mesh);
  }

  write(): void {
    const mesh = this.mesh;
    if (!mesh) return;
    let count = 0; // those in sight come first
    for (const object of this.objects) {
      if (!object.visible) continue;
      object.updateMatrix();
      mesh.setMatrixAt(count++, object.matrix);
    }
    mesh.count = count;
    mesh.visible = count > 0;
    mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh?.geometry.dispose();
    (this.mesh?.material as THREE.Material | undefined)?.dispose();
    this.mesh?.dispose();
  }
}

export function joined(...parts: THREE.BufferGeometry[]): THREE.BufferGeometry {
  return mergeGeometries(parts);
}
// Along z.
export function cylinder(radius: number, length: number, sides: number, top = radius): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(top, radius, length, sides).rotateX(Math.PI / 2);
}

export type Kinds = (name: string, geometry: () => THREE.BufferGeometry, colour: number) => Copies;
