// How links look by their descriptions: boxes, cylinders, spheres, capsules and meshes that ride on the links' frames.
import * as THREE from 'three';
import {SceneData, ShapeData, unpack} from './data';
import {LinkState} from './motion';

export class Shapes {
  readonly group = new THREE.Group();
  private readonly links = new Map<number, THREE.Group>();

  constructor(scene: SceneData) {
    const meshes = (scene.meshes ?? []).map(mesh => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(Float32Array.from(unpack(mesh.corners)), 3));
      geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(unpack(mesh.triangles)), 1));
      return geometry;
    });
    for (const shape of scene.shapes ?? []) {
      const geometry = shape.mesh === undefined ? solid(shape) : meshes[shape.mesh];
      if (!geometry) continue;
      const mesh = new THREE.Mesh(geometry, materialOf(shape));
      const [x, y, z, qx, qy, qz, qw] = shape.pose;
      mesh.position.set(x, y, z);
      mesh.quaternion.set(qx, qy, qz, qw);
      if (shape.mesh !== undefined) mesh.scale.set(...(shape.size as [number, number, number]));
      let link = this.links.get(shape.link);
      if (!link) {
        this.links.set(shape.link, (link = new THREE.Group()));
        this.group.add(link);
      }
      link.add(mesh);
    }
  }

  place(states: LinkState[]): void {
    for (const [link, group] of this.links) {
      const {frame, visible} = states[link];
      group.visible = visible;
      group.position.set(frame[0], frame[1], frame[2]);
      group.quaternion.set(frame[3], frame[4], frame[5], frame[6]);
    }
  }

  dispose(): void {
    this.group.traverse(object => ((object as THREE.Mesh).material as THREE.Material | undefined)?.dispose());
  }
}

// What a description does not colour is grey; contact shapes are seen through.
function materialOf(shape: ShapeData): THREE.Material {
  const [r, g, b, opacity] = shape.colour ?? [0.72, 0.75, 0.78, shape.collision ? 0.35 : 1];
  return new THREE.MeshStandardMaterial({
    color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace), roughness: 0.6, metalness: 0.1, side: THREE.DoubleSide,
    flatShading: shape.kind === 'mesh', transparent: opacity < 1, opacity, depthWrite: opacity === 1});
}

// Cylinders and capsules of three.js lie along y, those of descriptions along z.
function solid({kind, size}: ShapeData): THREE.BufferGeometry | null {
  switch (kind) {
    case 'box':
      return new THREE.BoxGeometry(size[0], size[1], size[2]);
    case 'cylinder':
      return new THREE.CylinderGeometry(size[0], size[0], size[1], 40).rotateX(Math.PI / 2);
    case 'capsule':
      return new THREE.CapsuleGeometry(size[0], size[1], 8, 32).rotateX(Math.PI / 2);
    case 'sphere':
      return new THREE.SphereGeometry(size[0], 32, 20);
    default:
      return null;
  }
}
