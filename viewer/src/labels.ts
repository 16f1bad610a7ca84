// Names of links, joints and nodes beside them, on demand. A name that would cover another one is left out.
import * as THREE from 'three';
import {SceneData} from './data';
import {el} from './dom';
import {Sweep} from './sweep';

interface Label {
  element: HTMLElement;
  place: () => THREE.Vector3;
}

export class Labels {
  private readonly layer = el('div', {class: 'labels', 'aria-hidden': 'true', hidden: true});
  private readonly all: Label[] = [];
  private readonly point = new THREE.Vector3();

  constructor(host: HTMLElement, scene: SceneData, sweep: Sweep) {
    const node = (link: number, index: number) => (): THREE.Vector3 => this.point.fromArray(sweep.nodes[link], 3 * index);
    for (const joint of scene.joints) {
      const [link, at] = joint.child >= 0 ? [joint.child, joint.childNode] : [joint.parent, joint.parentNode];
      this.add(joint.name, 'of-joint', node(link, at));
    }
    // At the middle of its longest piece.
    scene.links.forEach((link, l) => {
      const own = sweep.pieces.filter(piece => piece.link === l), middle = own[Math.floor(own.length / 2)];
      this.add(link.name, 'of-link', middle ? () => this.point.fromArray(sweep.nodes[l], 3 * middle.data.from).lerp(new THREE.Vector3().fromArray(sweep.nodes[l], 3 * middle.data.to), 0.5) : node(l, 0));
    });
    scene.links.forEach((link, l) => link.nodeNames.forEach((name, n) => this.add(name, 'of-node', node(l, n))));
    host.append(this.layer);
  }

  private add(text: string, kind: string, place: () => THREE.Vector3): void {
    const element = el('span', {class: kind}, text);
    this.layer.append(element);
    this.all.push({element, place});
  }

  show(on: boolean): void { this.layer.hidden = !on; }

  place(camera: THREE.Camera, width: number, height: number): void {
    if (this.layer.hidden) return;
    const taken: DOMRect[] = [], letter = parseFloat(getComputedStyle(this.layer).fontSize);
    for (const {element, place} of this.all) {
      const p = place().project(camera), x = ((p.x + 1) / 2) * width + 0.5 * letter, y = ((1 - p.y) / 2) * height - 1.5 * letter;
      const box = new DOMRect(x, y, 0.62 * letter * (element.textContent?.length ?? 0), 1.3 * letter);
      const free = p.z < 1 && x > 0 && y > 0 && x < width && y < height && !taken.some(o => box.left < o.right && o.left < box.right && box.top < o.bottom && o.top < box.bottom);
      element.hidden = !free;
      if (!free) continue;
      taken.push(box);
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
