// What the 3-D view shows: the motion at an instant, a mode swinging, or a configuration; and the controls below it.
import * as THREE from 'three';
import {gradientCss} from './colour';
import {ReportData, SceneData, unpack} from './data';
import {download, el, fileName, icon, iconButton, select} from './dom';
import {chosenUnit, clock, number, quantity} from './format';
import {Graphics} from './graphics';
import {LinkState, Modes, Motion, rigidStates} from './motion';
import {ColourBy} from './sweep';
import {carried, corners} from './shapes';
import {allLayers, Layers} from './symbols';
import {Tools} from './tools';
import {Upright} from './upright';
import {CameraPlace, View3d, ViewName} from './view3d';

type Source = {kind: 'motion'} | {kind: 'mode'; set: number; mode: number} | {kind: 'posture'; states: LinkState[]; name: string};

// How somebody looks at it.
export interface StageLook {
  links: number;
  camera: CameraPlace;
  source: Source;
  scale: number;
  colourBy: ColourBy;
  playing: boolean;
  time: number;
  layers: Layers;
}

const colourNames: Record<ColourBy, [string, string]> = {
  link: ['by link', ''],
  displacement: ['displacement', 'm'],
  stress: ['von Mises stress', 'Pa'],
  bending: ['bending stress', 'Pa'],
  energy: ['strain energy per length', 'J/m'],
};

export class Stage {
  readonly root = el('section', {class: 'stage', 'aria-label': '3-D view'});
  readonly view: View3d;
  readonly tools: Tools;
  private readonly bar3d: HTMLElement;
  readonly motion: Motion | null;
  readonly modes: Modes[];
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  scale = 1;
  ghost = true;
  colourBy: ColourBy = 'link';
  selected: [number, number] | null = null;
  traced: [number, number] | null = null;
  source: Source = {kind: 'motion'};
  onTime: (time: number) => void = () => undefined;
  onSource: () => void = () => undefined;
  onPlotNode: (link: number, node: number) => void = () => undefined;
  private phase = 0;
  private last = 0;
  private largest = new Map<ColourBy, number>();
  private largestLoads: number[] = [];
  private readonly scene: SceneData;
  private readonly rests: Float64Array[]; // nodes of the links at rest
  private readonly shapeCorners: THREE.Vector3[][]; // of each link
  private readonly slider = el('input', {type: 'range', min: 0, max: 1, step: 'any', value: 0, class: 'time', 'aria-label': 'Time'});
  private readonly clockText = el('output', {class: 'clock', 'aria-live': 'off'});
  private readonly playButton = iconButton('play', 'Play', () => this.toggle());
  private readonly scaleSlider = el('input', {type: 'range', min: 0, max: 1, step: 0.001, value: 0, id: 'scale', 'aria-label': 'Deformation scale'});
  private readonly scaleName = el('span', {}, 'deformation');
  private readonly scaleText = el('output', {class: 'scale-text', for: 'scale'});
  private readonly chip = el('div', {class: 'chip', hidden: true});
  private readonly info = el('div', {class: 'info', role: 'status', 'aria-live': 'polite', hidden: true});
  private readonly bar = el('div', {class: 'colour-bar', hidden: true});
  private traceSelect: HTMLSelectElement | null = null;
  private colourSelect: HTMLSelectElement | null = null;

  constructor(private readonly report: ReportData, scene: SceneData, graphics: Graphics) {
    this.scene = scene;
    this.rests = scene.links.map(link => unpack(link.nodes));
    this.shapeCorners = corners(scene);
    this.motion = report.motion ? new Motion(report.motion) : null;
    this.modes = report.modes.map(set => new Modes(set));
    const host = el('div', {class: 'canvas-host'});
    const triad = el('canvas', {class: 'triad', 'aria-hidden': 'true'});
    this.bar3d = this.toolbar();
    host.append(triad, this.bar3d, this.chip, this.bar, this.info);
    this.root.append(host, this.controls());
    this.view = new View3d(host, scene, triad, this.sceneSize(), graphics);
    this.view.canvas.setAttribute('aria-label', `3-D view of ${report.title}. Arrow keys turn it, plus and minus zoom, F fits, N selects the next node, space plays.`);
    this.view.canvas.addEventListener('keydown', event => this.canvasKeys(event));
    this.view.onRefined = () => this.render();
    this.tools = new Tools(host, this);
    this.bar3d.append(...this.tools.buttons);
    this.view.onPick = (link, node) => { if (!this.tools.pick(link, node)) this.selectNode(link, node); };
    this.time = this.motion?.start ?? 0;
    this.largestLoads = this.motion?.loads.map(values => values.reduce((m, v) => Math.max(m, Math.abs(v)), 0)) ?? [];
    this.bindSliders();
  }

  // How large the mechanism is: the diagonal of the box around its first posture, at least its longest link.
  private sceneSize(): number {
    const modes = this.modes.find(m => m.data.ofMechanism), posture = this.report.maps.flatMap(map => [...map.postures, map.home]).find(p => p !== null);
    const states = this.motion?.evaluate(this.motion.start) ?? modes?.states ?? (posture ? rigidStates(this.scene, unpack(posture)) : restStates(this.scene));
    const all = new THREE.Box3(), link = new THREE.Box3(), diagonal = new THREE.Vector3(), shapes = new THREE.Box3();
    let size = 0;
    states.forEach((state, l) => {
      const rest = this.rests[l];
      link.makeEmpty();
      for (let n = 0; n < rest.length / 3; ++n) link.expandByPoint(diagonal.fromArray(nodePlace(state, rest.subarray(3 * n, 3 * n + 3), n, 0)));
      all.union(link);
      for (const corner of this.shapeCorners[l]) shapes.expandByPoint(carried(corner, state));
      size = Math.max(size, link.getSize(diagonal).length());
    });
    return Math.max(size, all.getSize(diagonal).length()) || shapes.getSize(diagonal).length() || 1;
  }

  // After the element is on the page: needs its size.
  start(): void {
    this.updateBounds();
    this.setScale(1);
    const firstSet = this.modes.findIndex(m => m.data.frequencies.length > 0);
    if (this.motion && this.motion.times.length > 1) {
      this.showMotion();
      this.setTrace(this.lastNode());
    } else if (firstSet >= 0) this.showMode(firstSet, Math.max(0, this.modes[firstSet].data.frequencies.findIndex(f => f !== 0)));
    else this.showSomePosture();
    this.view.look('iso');
    requestAnimationFrame(now => this.tick(now));
  }

  look(): StageLook {
    const {source, scale, colourBy, playing, time} = this;
    return {links: this.scene.links.length, camera: this.view.place(), source, scale, colourBy, playing, time, layers: {...this.layers}};
  }

  // As another stage was looked at, as far as there is the same to be seen.
  lookAs(kept: StageLook): void {
    const {source} = kept;
    if (source.kind === 'mode' && source.mode < (this.modes[source.set]?.data.frequencies.length ?? 0)) this.showMode(source.set, source.mode);
    if (source.kind === 'motion' && this.motion && this.motion.times.length > 1) this.setTime(kept.time);
    if (kept.colourBy in colourNames && [...(this.colourSelect?.options ?? [])].some(option => option.value === kept.colourBy)) this.setColour(kept.colourBy);
    for (const [layer, on] of Object.entries(kept.layers) as [keyof Layers, boolean][]) this.setLayer(layer, on);
    this.root.querySelectorAll<HTMLInputElement>('[data-layer]').forEach(box => (box.checked = this.layers[box.dataset.layer as keyof Layers]));
    this.setScale(kept.scale);
    if (kept.links === this.scene.links.length && kept.source.kind === this.source.kind) this.view.setPlace(kept.camera);
  }

  // Nothing is drawn any more.
  close(): void {
    this.playing = false;
    this.closed = true;
    this.view.close();
  }
  private closed = false;

  // Without a motion, modes or a posture of a map nobody knows where the links are.
  static canShow(report: ReportData): boolean {
    return report.motion !== undefined || report.modes.length > 0 || report.maps.length === 0 || report.maps.some(map => map.home !== null || map.postures.some(p => p !== null));
  }

  // Until somebody points at the map: its first configuration, or that of the model file.
  private showSomePosture(): void {
    const map = this.report.maps[0], first = map?.postures.find(posture => posture !== null);
    if (first && this.source.kind === 'motion') this.showPosture(unpack(first), 'first configuration of the map');
    else if (map?.home && this.source.kind === 'motion') this.showPosture(unpack(map.home), 'initial configuration');
    else this.render();
  }

  private bindSliders(): void {
    this.slider.addEventListener('input', () => {
      if (this.source.kind === 'mode') this.phase = Number(this.slider.value) * 2 * Math.PI;
      else this.time = this.fromShare(Number(this.slider.value));
      this.pause();
      this.changed();
    });
    this.scaleSlider.addEventListener('input', () => this.setScale(500 ** Number(this.scaleSlider.value)));
  }

  private toolbar(): HTMLElement {
    const bar = el('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Camera'});
    bar.append(iconButton('fit', 'Fit (F)', () => this.view.fit()));
    const upright = new Upright(this.scene.gravity);
    for (const [name, label] of [['iso', 'Oblique'], ...(['x', 'y', 'z'] as const).map(axis => [axis, upright.viewName(axis)])] as [ViewName, string][])
      bar.append(el('button', {type: 'button', title: `${label} view`, 'aria-label': `${label} view`, click: () => this.view.look(name)}, name === 'iso' ? '\u2b21' : name));
    const flat = el('button', {type: 'button', 'aria-pressed': 'false', title: 'Orthographic: no perspective', click: () => {
      this.view.orthographic = !this.view.orthographic;
      flat.setAttribute('aria-pressed', String(this.view.orthographic));
    }}, 'ortho');
    bar.append(flat, this.layerMenu(), iconButton('camera', 'Save a picture', () => this.view.picture(blob => download(`${fileName(this.report.title)}.png`, blob))));
    return bar;
  }

  // What is drawn beside the links.
  private layerMenu(): HTMLElement {
    const names: [keyof Layers, string, boolean][] = [
      ['joints', 'joints and guides', this.scene.joints.length > 0], ['ground', 'ground', this.scene.joints.some(j => j.parent < 0 || j.child < 0)],
      ['loads', 'loads', this.scene.loads.length > 0], ['nodes', 'nodes', true], ['labels', 'names', true], ['shapes', 'shapes of links', (this.scene.shapes?.length ?? 0) > 0], ['trace', 'trace', this.motion !== null], ['grid', 'floor grid', true]];
    const list = el('div', {class: 'layer-list', role: 'group', 'aria-label': 'Layers'});
    for (const [layer, name, there] of names) {
      if (!there) continue;
      const box = el('input', {type: 'checkbox', checked: this.layers[layer], 'data-layer': layer, change: () => this.setLayer(layer, box.checked)});
      list.append(el('label', {class: 'field'}, box, el('span', {}, name)));
    }
    return el('details', {class: 'layers'}, el('summary', {title: 'Layers: what is drawn', 'aria-label': 'Layers'}, 'layers'), list);
  }
  setLayer(layer: keyof Layers, on: boolean): void {
    this.layers[layer] = on;
    this.view.setLayers(this.layers);
    this.render();
  }
  private readonly layers: Layers = {...allLayers};

  private controls(): HTMLElement {
    const speeds: [string, string][] = [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 5].map(s => [String(s), `${s}\u00d7`]);
    const speed = select('Speed', speeds, value => (this.speed = Number(value)));
    speed.value = '1';
    speed.classList.add('speed');
    const loop = el('button', {type: 'button', class: 'icon', 'aria-label': 'Loop', title: 'Loop', 'aria-pressed': 'true', click: () => {
      this.loop = !this.loop;
      loop.setAttribute('aria-pressed', String(this.loop));
    }}, icon('loop'));
    const transport = el('div', {class: 'transport'}, this.playButton, this.slider, this.clockText, speed, loop);
    transport.hidden = !(this.motion && this.motion.times.length > 1) && this.modes.length === 0;
    const still = !(this.motion && (this.motion.bends || this.motion.times.length > 1)) && this.modes.length === 0; // postures alone
    return el('div', {class: 'controls', hidden: still}, transport, this.looks());
  }

  private looks(): HTMLElement {
    const ways: ColourBy[] = this.motion?.strained ? ['link', 'displacement', 'stress', 'bending', 'energy'] : ['link', 'displacement'];
    this.colourSelect = select('Colour', ways.map(way => [way, colourNames[way][0]]), value => this.setColour(value as ColourBy));
    this.colourSelect.id = 'colour';
    const row = el('div', {class: 'looks'},
        el('label', {class: 'field grow'}, this.scaleName, this.scaleSlider, this.scaleText),
        el('label', {class: 'field'}, el('span', {}, 'colour'), this.colourSelect));
    if (this.motion && this.motion.times.length > 1) {
      const nodes: [string, string][] = [['', 'none']];
      this.scene.links.forEach((link, l) => link.nodeNames.forEach((name, n) => nodes.push([`${l}:${n}`, `${link.name}: ${name}`])));
      this.traceSelect = select('Trace of a node', nodes, value => this.setTrace(value ? (value.split(':').map(Number) as [number, number]) : null));
      this.traceSelect.id = 'trace';
      row.append(el('label', {class: 'field'}, el('span', {}, 'trace'), this.traceSelect));
    }
    const ghost = el('input', {type: 'checkbox', checked: true, id: 'ghost', change: () => {
      this.ghost = ghost.checked;
      this.render();
    }});
    row.append(el('label', {class: 'field'}, ghost, el('span', {}, 'rigid ghost')));
    return row;
  }

  // The last named node of the last link: most often the tip.
  private lastNode(): [number, number] | null {
    const link = this.scene.links.length - 1;
    return link >= 0 && this.scene.links[link].nodeNames.length > 0 ? [link, this.scene.links[link].nodeNames.length - 1] : null;
  }

  private fromShare(share: number): number {
    return this.motion ? this.motion.start + share * (this.motion.end - this.motion.start) : 0;
  }

  toggle(): void {
    if (this.playing) this.pause(); else this.play();
  }
  play(): void {
    const moves = this.motion !== null && this.motion.times.length > 1;
    if (this.source.kind !== 'mode' && !moves) return;
    if (this.source.kind === 'posture') this.showMotion();
    if (this.source.kind === 'motion' && this.motion && this.time >= this.motion.end) this.time = this.motion.start;
    this.playing = true;
    this.last = performance.now();
    this.showPlaying();
  }
  pause(): void {
    const played = this.playing;
    this.playing = false;
    this.showPlaying();
    if (played && this.view) this.changed();
  }
  private showPlaying(): void {
    this.playButton.replaceChildren(icon(this.playing ? 'pause' : 'play'));
    const label = this.playing ? 'Pause' : 'Play';
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = `${label} (space)`;
    this.info.setAttribute('aria-live', this.playing ? 'off' : 'polite'); // nobody can listen to ten numbers a second
  }

  setTime(time: number): void {
    if (!this.motion) return;
    if (this.source.kind !== 'motion') this.showMotion();
    this.time = Math.min(this.motion.end, Math.max(this.motion.start, time));
    this.changed();
  }
  stepFrames(count: number): void {
    if (!this.motion) return;
    this.pause();
    const [i, w] = this.motion.locate(this.time);
    const frame = Math.min(this.motion.times.length - 1, Math.max(0, Math.round(i + w) + count));
    this.setTime(this.motion.times[frame]);
  }

  setScale(scale: number): void {
    this.scale = Math.min(500, Math.max(1, scale));
    this.scaleSlider.value = String(Math.log(this.scale) / Math.log(500));
    this.scaleText.textContent = `${number(this.scale, this.scale < 10 ? 2 : 3)}\u00d7`;
    this.scaleSlider.setAttribute('aria-valuetext', `${number(this.scale, 3)} times`);
    if (this.traced) this.setTrace(this.traced);
    this.view.setFloor(this.lowest());
    this.render();
  }

  // How low the motion reaches with its deformation enlarged: the ground grid has to be below.
  private lowest(): number {
    const {motion, scale} = this;
    if (!motion || scale <= 1) return Infinity;
    let lowest = Infinity;
    const place = new THREE.Vector3();
    const stride = Math.max(1, Math.floor(motion.times.length / 12));
    for (let i = 0; i < motion.times.length; i += stride)
      motion.evaluate(motion.times[i]).forEach((state, l) => {
        const rest = this.rests[l], step = Math.max(1, Math.floor(rest.length / 3 / 12));
        for (let n = 0; n < rest.length / 3; n += n < this.scene.links[l].nodeNames.length ? 1 : step)
          lowest = Math.min(lowest, this.view.upright.up.dot(place.fromArray(nodePlace(state, rest.subarray(3 * n, 3 * n + 3), n, scale))));
      });
    motion.evaluate(this.time);
    return lowest;
  }

  setColour(by: ColourBy): void {
    this.colourBy = by;
    if (this.colourSelect) this.colourSelect.value = by;
    this.render();
  }

  // The scale of colours is the same at all instants: up to the largest value of the motion.
  private largestValue(by: ColourBy, states: LinkState[]): number {
    if (by === 'link') return 1;
    if (this.source.kind !== 'motion' || !this.motion) return this.view.sweep.largest(states, by);
    const known = this.largest.get(by);
    if (known !== undefined) return known;
    let largest = 0;
    const stride = Math.max(1, Math.floor(this.motion.times.length / 150));
    for (let i = 0; i < this.motion.times.length; i += stride) largest = Math.max(largest, this.view.sweep.largest(this.motion.evaluate(this.motion.times[i]), by));
    this.largest.set(by, largest);
    this.motion.evaluate(this.time);
    return largest;
  }

  setTrace(place: [number, number] | null): void {
    this.traced = place;
    if (this.traceSelect) this.traceSelect.value = place ? `${place[0]}:${place[1]}` : '';
    if (!place || !this.motion) {
      this.view.setTrace(null);
      return;
    }
    this.view.setTrace(Float32Array.from(this.nodePath(place, this.scale).flat()));
  }

  // Strain energy and largest stress of a link at all drawn instants.
  linkLoads(link: number): {energy: Float64Array; stress: Float64Array} {
    const motion = this.motion as Motion, energy = new Float64Array(motion.times.length), stress = new Float64Array(motion.times.length);
    motion.times.forEach((time, i) => ({energy: energy[i], stress: stress[i]} = this.view.sweep.linkLoad(motion.evaluate(time), link)));
    motion.evaluate(this.time);
    return {energy, stress};
  }
  linkName(link: number): string { return this.scene.links[link].name; }

  // Places of a node at all drawn instants.
  nodePath([link, node]: [number, number], scale: number): number[][] {
    if (!this.motion) return [];
    const rest = this.rests[link].subarray(3 * node, 3 * node + 3);
    const path = Array.from(this.motion.times, time => nodePlace((this.motion as Motion).evaluate(time)[link], rest, node, scale));
    this.motion.evaluate(this.time);
    return path;
  }

  showMotion(): void {
    this.source = {kind: 'motion'};
    this.sourceChanged(null);
  }
  showMode(set: number, mode: number): void {
    this.source = {kind: 'mode', set, mode};
    this.phase = Math.PI / 2;
    const data = this.modes[set].data;
    this.sourceChanged(`mode ${data.numbers[mode]} \u00b7 ${modeFrequency(data.frequencies[mode])}`);
    this.play();
  }
  showPosture(frames: Float64Array, name: string): void {
    this.pause();
    const same = this.source.kind === 'posture';
    this.source = {kind: 'posture', states: rigidStates(this.scene, frames), name};
    if (same) this.render(); else this.sourceChanged(name);
    if (same) this.chip.firstChild!.textContent = name;
  }
  private sourceChanged(text: string | null): void {
    this.chip.hidden = text === null;
    this.chip.replaceChildren();
    if (text !== null) {
      this.chip.append(el('span', {}, text));
      if (this.motion && this.motion.times.length > 1) this.chip.append(iconButton('close', 'Back to the motion', () => this.showMotion()));
    }
    this.view.showJoints(this.source.kind !== 'mode' || this.modes[this.source.set].data.ofMechanism);
    this.updateBounds();
    const frames = this.motion?.times.length ?? 0;
    this.slider.step = this.source.kind === 'motion' && frames > 1 ? String(1 / (frames - 1)) : 'any';
    this.slider.setAttribute('aria-label', this.source.kind === 'mode' ? 'Phase' : 'Time');
    this.scaleName.textContent = this.source.kind === 'mode' ? 'amplitude' : 'deformation';
    // Other places come into sight: those of a map, of a set of modes, of the motion again.
    const where = this.source.kind === 'mode' ? `mode ${this.source.set}` : this.source.kind;
    if (this.inSight !== where && this.view.canvas.isConnected) this.view.look('iso');
    this.inSight = where;
    this.onSource();
    this.changed();
  }
  private inSight = '';

  // All places that the nodes reach, of what is shown.
  private updateBounds(): void {
    const points: THREE.Vector3[] = [];
    const add = (states: LinkState[]): void => states.forEach((state, l) => {
      if (!state.visible) return;
      const rest = this.rests[l], stride = Math.max(1, Math.floor(rest.length / 3 / 40));
      for (let n = 0; n < rest.length / 3; n += n < this.scene.links[l].nodeNames.length ? 1 : stride)
        points.push(new THREE.Vector3().fromArray(nodePlace(state, rest.subarray(3 * n, 3 * n + 3), n, 1)));
      for (const corner of this.shapeCorners[l]) points.push(carried(corner, state));
    });
    this.view.survey(() => this.currentStates(), look => this.eachState(look));
    this.eachState(add);
    this.view.setPoints(points);
  }

  // Everything that is shown of the present source, at some instants.
  private eachState(look: (states: LinkState[]) => void): void {
    if (this.source.kind === 'motion' && this.motion) {
      const stride = Math.max(1, Math.floor(this.motion.times.length / 40));
      for (let i = 0; i < this.motion.times.length; i += stride) look(this.motion.evaluate(this.motion.times[i]));
      this.motion.evaluate(this.time);
    } else if (this.source.kind === 'posture' && this.postureFrames.length) {
      for (const frames of this.postureFrames) look(rigidStates(this.scene, frames));
    } else look(this.currentStates());
  }

  // Postures that a map may ask for, so that all of them are in sight.
  setPostures(frames: Float64Array[]): void {
    this.postureFrames = frames.filter((_, i) => i % Math.max(1, Math.floor(frames.length / 40)) === 0);
  }
  private postureFrames: Float64Array[] = [];

  currentStates(): LinkState[] {
    if (this.source.kind === 'mode') {
      const amplitude = 0.1 * this.view.size * Math.min(3, 1 + 0.4 * Math.log(this.scale));
      return this.modes[this.source.set].evaluate(this.source.mode, amplitude, Math.sin(this.phase));
    }
    if (this.source.kind === 'posture') return this.source.states;
    return this.motion ? this.motion.evaluate(this.time) : restStates(this.scene);
  }

  // Numbers follow a running motion ten times a second: nobody reads faster, and every text moves the page's layout.
  textsDue = true;
  private lastTexts = -Infinity;

  private changed(): void {
    const now = performance.now();
    this.textsDue = !this.playing || now - this.lastTexts > 95;
    if (this.textsDue) this.lastTexts = now;
    this.render();
    if (this.source.kind === 'motion') this.onTime(this.time);
  }

  // Shapes of modes are displacements without loads, postures of maps have none at all.
  private shownColour(): ColourBy {
    if (this.source.kind === 'posture') return 'link';
    return this.source.kind === 'mode' && this.colourBy !== 'link' ? 'displacement' : this.colourBy;
  }

  render(): void {
    if (!this.view) return;
    const moving = this.source.kind === 'motion';
    const states = this.currentStates(), by = this.shownColour();
    const largest = this.largestValue(by, states);
    this.view.showTrace(moving && this.traced !== null);
    const loads = this.scene.loads.map((_, i) => (moving && this.motion ? this.motion.loadValue(i, this.time) : null));
    this.view.show(states, moving ? this.scale : 1, {by, largest}, this.ghost && this.source.kind !== 'posture', {values: loads, largest: this.largestLoads});
    this.showTexts(largest, states);
  }

  private showTexts(largest: number, states: LinkState[]): void {
    if (this.source.kind === 'mode') {
      const turn = ((this.phase / (2 * Math.PI)) % 1 + 1) % 1;
      this.slider.value = String(turn);
      this.showClock(`${Math.round(360 * turn)}\u00b0`);
    } else if (this.motion) {
      this.slider.value = String((this.time - this.motion.start) / (this.motion.end - this.motion.start || 1));
      this.showClock(clock(this.time, this.motion.end));
    }
    const by = this.shownColour();
    this.bar.hidden = by === 'link';
    if (by !== 'link') this.showBar(by, largest);
    if (this.textsDue) this.showInfo(states);
    if (this.textsDue) this.tools.refresh();
  }

  private showClock(text: string): void {
    if (!this.textsDue) return;
    this.clockText.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
  }

  private shownBar = '';
  private showBar(by: ColourBy, largest: number): void {
    const [name, unit] = colourNames[by];
    const mode = this.source.kind === 'mode';
    const text = mode ? 'max' : quantity(largest, unit, 3);
    if (this.shownBar === name + text) return;
    this.shownBar = name + text;
    const ramp = el('div', {class: 'ramp'});
    ramp.style.background = gradientCss;
    this.bar.replaceChildren(el('span', {class: 'bar-name'}, name), ramp, el('span', {}, '0'), el('span', {class: 'bar-end'}, text));
    if (by !== 'displacement' && this.scene.links.some(link => link.rigid && link.pieces.length)) this.bar.append(el('span', {class: 'bar-name unit'}, 'grey: rigid, no stress computed'));
  }

  get title(): string { return this.report.title; }
  jointsAt(link: number, node: number): string[] {
    return this.scene.joints.filter(j => (j.parent === link && j.parentNode === node) || (j.child === link && j.childNode === node)).map(j => j.name);
  }
  moves(): boolean { return (this.motion !== null && this.motion.times.length > 1) || this.modes.length > 0; }
  showPart(part: number): void {
    this.pause();
    if (this.source.kind === 'mode') this.phase = 2 * Math.PI * part;
    else this.time = this.fromShare(part);
    this.changed();
  }
  duration(): number {
    if (this.source.kind === 'mode') return 1 / (0.6 * Math.max(0.25, this.speed));
    return this.motion ? (this.motion.end - this.motion.start) / this.speed : 0;
  }

  nodeName(link: number, node: number): string {
    const data = this.scene.links[link];
    return `${data.name}: ${data.nodeNames[node] ?? `node ${node + 1}`}`;
  }

  deselect(): void {
    this.selected = null;
    this.view.mark(null);
    this.info.hidden = true;
  }

  // Through all nodes with names, for those who have no pointer.
  selectNext(direction: number): void {
    const all = this.scene.links.flatMap((link, l) => link.nodeNames.map((_, n): [number, number] => [l, n]));
    const at = all.findIndex(([l, n]) => l === this.selected?.[0] && n === this.selected[1]);
    if (all.length) this.selectNode(...all[at < 0 ? (direction > 0 ? 0 : all.length - 1) : (at + direction + all.length) % all.length]);
  }

  selectNode(link: number, node: number): void {
    this.selected = [link, node];
    this.view.mark(this.selected);
    const close = iconButton('close', 'Close', () => this.deselect());
    const table = el('dl', {});
    const plot = el('button', {type: 'button', click: () => this.onPlotNode(link, node)}, 'Plot');
    const trace = el('button', {type: 'button', click: () => this.setTrace([link, node])}, 'Trace');
    this.info.replaceChildren(el('header', {}, el('strong', {}, this.nodeName(link, node)), close), table);
    if (this.motion) this.info.append(el('div', {class: 'row'}, plot, trace));
    this.info.hidden = false;
    this.render();
  }

  // Values at the selected node now.
  private showInfo(states: LinkState[]): void {
    const table = this.info.querySelector('dl');
    if (!this.selected || !table || this.info.hidden) return;
    const [link, node] = this.selected, state = states[link], n = this.view.sweep.nodes[link].length;
    const rest = this.rests[link].subarray(3 * node, 3 * node + 3);
    const p = nodePlace(state, rest, node, 1), u = state.values.subarray(3 * node, 3 * node + 3), r = state.values.subarray(n + 3 * node, n + 3 * node + 3);
    const rounded = (value: number, least: number): number => (Math.abs(value) < least ? 0 : value); // rounding errors are no news
    const length = chosenUnit('m') ?? {factor: 1, unit: 'm'};
    const rows: [string, string][] = [
      ['position', `${p.map(v => number(length.factor * rounded(v, 1e-9 * this.view.size), 5)).join(', ')}\u00a0${length.unit}`],
      ['displacement', quantity(rounded(Math.hypot(u[0], u[1], u[2]), 1e-11 * this.view.size), 'm')],
      ['rotation', quantity(rounded(Math.hypot(r[0], r[1], r[2]), 1e-11), 'rad')],
    ];
    if (this.source.kind === 'motion' && this.motion?.strained) {
      rows.push(['von Mises stress', quantity(this.view.sweep.valueAtNode(states, link, node, 'stress'), 'Pa')]);
      rows.push(['bending stress', quantity(this.view.sweep.valueAtNode(states, link, node, 'bending'), 'Pa')]);
      const load = this.view.sweep.linkLoad(states, link);
      rows.push(['link: largest stress', quantity(load.stress, 'Pa')], ['link: strain energy', quantity(load.energy, 'J')]);
    }
    table.replaceChildren(...rows.flatMap(([what, value]) => [el('dt', {}, what), el('dd', {}, value)]));
  }

  private canvasKeys(event: KeyboardEvent): void {
    const turn = Math.PI / 24;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.view.orbit(-turn, 0), ArrowRight: () => this.view.orbit(turn, 0),
      ArrowUp: () => this.view.orbit(0, turn), ArrowDown: () => this.view.orbit(0, -turn),
      '+': () => this.view.zoom(1.15), '=': () => this.view.zoom(1.15), '-': () => this.view.zoom(1 / 1.15),
    };
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  }

  private tick(now: number): void {
    if (this.closed) return;
    requestAnimationFrame(next => this.tick(next));
    const elapsed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) this.advance(Math.max(0, elapsed));
    this.view.draw(now);
  }

  private advance(elapsed: number): void {
    if (this.source.kind === 'mode') {
      this.phase += 2 * Math.PI * 0.6 * elapsed * Math.max(0.25, this.speed);
      this.changed();
      return;
    }
    const motion = this.motion;
    if (!motion) return;
    this.time += elapsed * this.speed;
    if (this.time >= motion.end) {
      if (this.loop) this.time = motion.start + ((this.time - motion.start) % (motion.end - motion.start));
      else {
        this.time = motion.end;
        this.pause();
      }
    }
    this.changed();
  }
}

export function modeFrequency(frequency: number): string {
  if (frequency === 0) return 'free motion';
  return frequency < 0 ? `unstable, grows at ${number(-frequency, 4)}\u00a0Hz` : `${number(frequency, 5)}\u00a0Hz`;
}

export function nodePlace(state: LinkState, rest: Float64Array, node: number, scale: number): number[] {
  const u = state.values, o = 3 * node, q = new THREE.Quaternion(state.frame[3], state.frame[4], state.frame[5], state.frame[6]);
  const v = new THREE.Vector3(rest[0] + scale * u[o], rest[1] + scale * u[o + 1], rest[2] + scale * u[o + 2]).applyQuaternion(q);
  return [state.frame[0] + v.x, state.frame[1] + v.y, state.frame[2] + v.z];
}

function restStates(scene: SceneData): LinkState[] {
  return rigidStates(scene, Float64Array.from(scene.links.flatMap(() => [0, 0, 0, 0, 0, 0, 1])));
}
