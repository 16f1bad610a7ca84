// Tools of the 3-D view: distances between nodes, a cut through the mechanism, a film of what moves, names under the pointer.
import * as THREE from 'three';
import {download, el, fileName, iconButton, select} from './dom';
import {chosenUnit, number} from './format';
import {View3d} from './view3d';

type Place = [number, number]; // link, node

// What the tools need of the stage.
export interface ToolHost {
  readonly view: View3d;
  readonly title: string;
  nodeName(link: number, node: number): string;
  jointsAt(link: number, node: number): string[];
  hasNode(link: number, node: number): boolean;
  moves(): boolean;
  // The motion, or the swing of a mode, from its beginning to its end: `part` from 0 to 1.
  showPart(part: number): void;
  duration(): number; // s, as it is played
  drawn(): HTMLCanvasElement; // all that is shown, drawn at once
  toolChanged(): void;
}

export class Tools {
  readonly buttons: HTMLElement[] = [];
  readonly panel = el('div', {class: 'tool-panel', hidden: true});
  private readonly tip = el('div', {class: 'node-tip', hidden: true, role: 'tooltip'});
  private readonly measureButton = this.toggle('measure', 'Measure: click on two nodes for their distance, on a third one for the angle', on => this.setMeasuring(on));
  private readonly cutButton = this.toggle('section', 'Section view: cut the mechanism open', on => this.setCutting(on));
  private readonly film = el('button', {type: 'button', title: 'Save a film of the motion (WebM)', click: () => void this.record()}, 'film');
  private ends: Place[] = [];
  private measuring = false;
  private readonly plane = new THREE.Plane(new THREE.Vector3(1, 0, 0), 0);

  constructor(host: HTMLElement, private readonly of: ToolHost) {
    this.buttons.push(this.measureButton, this.cutButton);
    if (of.moves() && typeof MediaRecorder !== 'undefined') this.buttons.push(this.film);
    host.append(this.panel, this.tip);
    const {canvas} = of.view;
    canvas.addEventListener('pointermove', event => this.point(event));
    canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    canvas.addEventListener('pointerdown', () => (this.tip.hidden = true));
  }

  private toggle(name: string, title: string, change: (on: boolean) => void): HTMLButtonElement {
    const button = el('button', {type: 'button', 'aria-pressed': 'false', title, 'data-tool': name, click: () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(on));
      change(on);
    }}, name);
    return button;
  }

  // Names where the pointer rests: nobody has to switch all of them on.
  private point(event: PointerEvent): void {
    if (event.buttons !== 0 || event.pointerType === 'touch') return;
    const found = this.of.view.nearest(event, 12);
    this.tip.hidden = found === null;
    if (!found) return;
    const joints = this.of.jointsAt(...found), box = this.of.view.canvas.getBoundingClientRect();
    this.tip.textContent = [this.of.nodeName(...found), ...joints.map(name => `joint ${name}`)].join(' \u00b7 ');
    this.tip.style.transform = `translate(${(event.clientX - box.left + 14).toFixed(0)}px, ${(event.clientY - box.top + 12).toFixed(0)}px)`;
  }

  // True when the tool has used the click.
  pick(link: number, node: number): boolean {
    if (!this.measuring) return false;
    if (this.ends.length === 3) this.ends = [];
    this.ends.push([link, node]);
    this.refresh();
    this.of.toolChanged();
    return true;
  }

  // The same of another result, as far as it has it.
  mirror(from: Tools): void {
    this.measuring = from.measuring;
    this.ends = from.ends.every(place => this.of.hasNode(...place)) ? [...from.ends] : [];
    this.panel.hidden = !this.measuring || this.ends.length < 2;
    this.refresh();
    this.of.view.cut(from.cutting ? from.plane : null);
  }
  private cutting = false;

  setMeasuring(on: boolean): void {
    this.measuring = on;
    this.measureButton.setAttribute('aria-pressed', String(on));
    if (on && this.cutting) this.setCutting(false);
    this.ends = [];
    this.panel.hidden = !on;
    this.refresh();
    this.of.toolChanged();
  }

  // Ends the tool that is on; false where there is none.
  escape(): boolean {
    if (this.measuring) this.setMeasuring(false);
    else if (this.cutting) this.setCutting(false);
    else return false;
    return true;
  }

  // The nodes have moved.
  refresh(): void {
    if (!this.measuring) {
      this.of.view.setRuler(null);
      return;
    }
    const places = this.ends.map(place => this.of.view.nodeAt(...place)), names = this.ends.map(place => this.of.nodeName(...place));
    this.of.view.setRuler(places.length >= 2 ? places : null);
    const close = iconButton('close', 'End measuring', () => this.setMeasuring(false));
    const rows: [string, string][] = [];
    if (places.length >= 2) {
      const {factor, unit} = chosenUnit('m') ?? {factor: 1, unit: 'm'}, d = places[places.length - 1].clone().sub(places[places.length - 2]);
      const shown = (value: number): string => `${number(factor * (Math.abs(value) < 1e-12 ? 0 : value), 6)}\u00a0${unit}`;
      rows.push(['distance', shown(d.length())], ['along x', shown(d.x)], ['along y', shown(d.y)], ['along z', shown(d.z)]);
    }
    if (places.length === 3) rows.push([`angle at ${names[1]}`, `${number((180 / Math.PI) * angleAt(places[1], places[0], places[2]), 6)}\u00a0\u00b0`]);
    const next = ['click on a node', 'click on another node', 'a third node gives the angle', ''][places.length];
    this.panel.replaceChildren(
        el('header', {}, el('strong', {}, [...names, ...(places.length < 2 ? [next] : [])].join(' \u2192 ')), close),
        el('dl', {}, ...rows.flatMap(([what, value]) => [el('dt', {}, what), el('dd', {}, value)])),
        ...(places.length === 2 ? [el('p', {class: 'next'}, next)] : []));
  }

  setCutting(on: boolean): void {
    this.cutButton.setAttribute('aria-pressed', String(on));
    if (on && this.measuring) this.setMeasuring(false);
    this.panel.hidden = !on;
    this.cutting = on;
    if (!on) {
      this.of.view.cut(null);
      this.of.toolChanged();
      return;
    }
    let axis = 1, sign = 1;
    const where = el('input', {type: 'range', min: 0, max: 1, step: 0.002, value: 0.5, 'aria-label': 'Place of the cut', class: 'cut-place'});
    const apply = (): void => {
      const {min, max} = this.of.view.extent(), share = Number(where.value), normal = new THREE.Vector3().setComponent(axis, -sign);
      const at = min.getComponent(axis) + share * (max.getComponent(axis) - min.getComponent(axis));
      this.plane.setComponents(normal.x, normal.y, normal.z, sign * at);
      this.of.view.cut(this.plane);
      this.of.toolChanged();
    };
    where.addEventListener('input', apply);
    const choose = select('Direction of the cut', (['x', 'y', 'z'] as const).map((name, k) => [String(k), `across ${name}`]), value => {
      axis = Number(value);
      apply();
    });
    choose.value = String(axis);
    const turn = el('button', {type: 'button', click: () => {
      sign = -sign;
      apply();
    }}, 'other side');
    this.panel.replaceChildren(el('header', {}, el('strong', {}, 'section'), iconButton('close', 'End the section view', () => this.setCutting(false))), el('div', {class: 'row'}, choose, turn), where);
    apply();
  }

  // Once through, picture by picture: none is left out where drawing is slow. At least three seconds, at most twenty.
  async record(): Promise<void> {
    const stream = this.of.drawn().captureStream(0), track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack, chunks: Blob[] = [];
    const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'].find(name => MediaRecorder.isTypeSupported(name));
    if (!type) return;
    const recorder = new MediaRecorder(stream, {mimeType: type, videoBitsPerSecond: 6e6});
    const done = new Promise<void>(resolve => recorder.addEventListener('stop', () => resolve()));
    recorder.addEventListener('dataavailable', event => { if (event.data.size) chunks.push(event.data); });
    const rate = 25, pictures = Math.round(rate * Math.min(20, Math.max(3, this.of.duration())));
    this.film.disabled = true;
    recorder.start();
    for (let k = 0; k <= pictures; ++k) {
      this.film.textContent = `${Math.round((100 * k) / pictures)} %`;
      this.of.showPart(k / pictures);
      this.of.drawn();
      track.requestFrame();
      await new Promise(resolve => setTimeout(resolve, 1000 / rate));
    }
    recorder.stop();
    await done;
    track.stop();
    this.film.disabled = false;
    this.film.textContent = 'film';
    download(`${fileName(this.of.title)}.${type.startsWith('video/mp4') ? 'mp4' : 'webm'}`, new Blob(chunks, {type: type.split(';')[0]}));
  }
}

// Between the ways from one place to two others, rad: exact for small angles, too.
function angleAt(corner: THREE.Vector3, a: THREE.Vector3, b: THREE.Vector3): number {
  const [u, v] = [a.clone().sub(corner), b.clone().sub(corner)];
  return Math.atan2(u.clone().cross(v).length(), u.dot(v));
}
