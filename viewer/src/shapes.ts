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

// The corners of a box around the shapes of every link, in its frame; none where it has no shapes.
export function corners(scene: SceneData): THREE.Vector3[][] {
  const meshes = (scene.meshes ?? []).map(mesh => new THREE.Box3().setFromArray(Array.from(unpack(mesh.corners))));
  const boxes = scene.links.map(() => new THREE.Box3());
  for (const {link, kind, size, pose, mesh} of scene.shapes ?? []) {
    const [x, y, z] = size;
    const half = kind === 'box' ? [x / 2, y / 2, z / 2] : kind === 'sphere' ? [x, x, x] : [x, x, y / 2 + (kind === 'capsule' ? x : 0)];
    const box = mesh === undefined ? new THREE.Box3(new THREE.Vector3(...half).negate(), new THREE.Vector3(...half)) : meshes[mesh].clone();
    const place = new THREE.Matrix4().compose(new THREE.Vector3(pose[0], pose[1], pose[2]), new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]),
        mesh === undefined ? new THREE.Vector3(1, 1, 1) : new THREE.Vector3(x, y, z));
    boxes[link].union(box.applyMatrix4(place));
  }
  return boxes.map(({min, max}) => (min.x > max.x ? [] : [0, 1, 2, 3, 4, 5, 6, 7].map(k =>
    new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z))));
}

// A point of a link's frame in the world.
export function carried(point: THREE.Vector3, {frame}: LinkState): THREE.Vector3 {
  return point.clone().applyQuaternion(new THREE.Quaternion(frame[3], frame[4], frame[5], frame[6])).add(new THREE.Vector3(frame[0], frame[1], frame[2]));
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
