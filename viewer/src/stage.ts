// What the 3-D view shows: the motion at an instant, a mode swinging, or a configuration; and the controls below it.
import * as THREE from 'three';
import {ColourBar} from './colourbar';
import {ReportData, SceneData, unpack} from './data';
import {download, el, fileName, icon, iconButton, select} from './dom';
import {clock, modeFrequency, number, quantity} from './format';
import {Graphics} from './graphics';
import {LinkState, Modes, Motion, movingTip, nodePlace, restStates, rigidStates} from './motion';
import {placeRows} from './nodeinfo';
import {Sheet} from './sheet';
import {ColourBy} from './sweep';
import {carried, corners} from './shapes';
import {allLayers, Layers} from './symbols';
import {Tools} from './tools';
import {Upright} from './upright';
import {CameraPlace, lookAlike, View3d, ViewName} from './view3d';

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
  private readonly views = el('div', {class: 'views'});
  private readonly caption = el('figcaption', {hidden: true});
  private readonly pane = el('figure', {class: 'pane'}, this.caption);
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
  twin: Stage | null = null; // of another result beside this one: one of the two leads, the other shows the same of its own
  private leads = true;
  modeLike: (set: number, mode: number) => number | null = (_, mode) => mode; // the own mode that is most like one of the twin
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
  private readonly bar = new ColourBar();
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
    host.append(triad, this.bar3d, this.chip, this.bar.root, this.info);
    this.pane.append(host);
    this.views.append(this.pane);
    this.root.append(this.views, this.controls());
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

  // Puts another result beside this one, before both start.
  lead(twin: Stage, names: [string, string]): void {
    this.twin = twin;
    twin.twin = this;
    twin.leads = false;
    [this, twin].forEach((stage, k) => {
      stage.caption.textContent = names[k];
      stage.caption.hidden = false;
    });
    twin.pane.classList.add('follows');
    this.views.append(twin.pane);
    this.root.classList.add('pair');
    twin.view.onPick = (link, node) => { if (this.hasNode(link, node)) this.view.onPick(link, node); };
    twin.view.canvas.setAttribute('aria-label', `3-D view of ${names[1]}: follows that of ${names[0]}`);
    lookAlike(this.view, twin.view);
  }
  hasNode(link: number, node: number): boolean { return 3 * node < (this.rests[link]?.length ?? 0); }

  // Shows what the leading stage shows, of the own result.
  private follow(lead: Stage): void {
    const {scale, ghost, colourBy, time, textsDue} = lead;
    Object.assign(this, {scale, ghost, colourBy, time, textsDue});
    this.phase = lead.phase;
    this.render();
  }
  private takeSource({source}: Stage): void {
    const mode = source.kind === 'mode' ? this.modeLike(source.set, source.mode) : null;
    this.absent = source.kind === 'mode' && mode === null;
    if (source.kind === 'mode' && this.modes[source.set]) this.source = {kind: 'mode', set: source.set, mode: mode ?? 0};
    else if (source.kind === 'motion' && this.motion) this.source = source;
    else if (this.source.kind === 'motion' && !this.motion && this.modes.length) this.source = {kind: 'mode', set: 0, mode: 0};
    this.showChip(this.absent ? 'no such mode' : this.source.kind === 'mode' ? this.modeText(this.source.set, this.source.mode) : null);
  }
  private absent = false; // the twin shows a mode that this result has none like

  // From the earliest instant of both results to the latest.
  private get begin(): number { return Math.min(this.motion?.start ?? 0, this.twin?.motion?.start ?? Infinity); }
  private get end(): number { return Math.max(this.motion?.end ?? 0, this.twin?.motion?.end ?? -Infinity); }

  // After the element is on the page: needs its size.
  start(): void {
    requestAnimationFrame(now => this.tick(now));
    if (!this.leads) return;
    this.twin?.start();
    this.updateBounds();
    this.setScale(1);
    const firstSet = this.modes.findIndex(m => m.data.frequencies.length > 0);
    if (this.motion && this.motion.times.length > 1) {
      this.showMotion();
      this.setTrace(movingTip(this.motion, this.scene, this.rests));
    } else if (firstSet >= 0) this.showMode(firstSet, Math.max(0, this.modes[firstSet].data.frequencies.findIndex(f => f !== 0)));
    else this.showSomePosture();
    this.view.look('iso');
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
    if (this.leads) this.twin?.close();
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
      if (this.twin) this.twin.view.orthographic = this.view.orthographic;
      flat.setAttribute('aria-pressed', String(this.view.orthographic));
    }}, 'ortho');
    bar.append(flat, this.layerMenu(), iconButton('camera', 'Save a picture', () => this.picture(blob => download(`${fileName(this.title)}.png`, blob))));
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
    if (this.scene.links.length > 1) list.append(this.linkList());
    return el('details', {class: 'layers'}, el('summary', {title: 'Layers: what is drawn', 'aria-label': 'Layers'}, 'layers'), list);
  }

  // Links that hide others can be switched off.
  private linkList(): HTMLElement {
    const boxes = this.scene.links.map((link, l) => {
      const box = el('input', {type: 'checkbox', checked: true, 'data-link': String(l), change: () => this.showLink(l, box.checked)});
      return el('label', {class: 'field'}, box, el('span', {}, link.name));
    });
    return el('details', {class: 'link-list'}, el('summary', {}, 'links'), ...boxes);
  }
  showLink(link: number, on: boolean): void {
    if (on) this.view.hidden.delete(link); else this.view.hidden.add(link);
    const box = this.root.querySelector<HTMLInputElement>(`[data-link="${link}"]`);
    if (box) box.checked = on;
    if (!on && this.selected?.[0] === link) this.deselect();
    if (this.leads) this.twin?.showLink(link, on);
    this.render();
  }
  showAllLinks(): void {
    for (const link of [...this.view.hidden]) this.showLink(link, true);
  }
  // That of the selected node.
  hideLink(): void {
    if (this.selected) this.showLink(this.selected[0], false);
  }
  setLayer(layer: keyof Layers, on: boolean): void {
    this.layers[layer] = on;
    this.view.setLayers(this.layers);
    if (this.leads) this.twin?.setLayer(layer, on);
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

  private fromShare(share: number): number {
    return this.begin + share * (this.end - this.begin);
  }

  toggle(): void {
    if (this.playing) this.pause(); else this.play();
  }
  play(): void {
    const moves = this.motion !== null && this.motion.times.length > 1;
    if (this.source.kind !== 'mode' && !moves) return;
    if (this.source.kind === 'posture') this.showMotion();
    if (this.source.kind === 'motion' && this.time >= this.end) this.time = this.begin;
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
    this.time = Math.min(this.end, Math.max(this.begin, time));
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
    if (this.leads) this.twin?.setScale(scale);
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

  // The scale of colours is the same at all instants, and in both results: up to the largest value of the motion.
  private largestValue(by: ColourBy, states: LinkState[]): number {
    if (by === 'link') return 1;
    if (this.source.kind !== 'motion' || !this.motion) return this.view.sweep.largest(states, by);
    return Math.max(this.largestEver(by), this.twin?.source.kind === 'motion' ? this.twin.largestEver(by) : 0);
  }
  private largestEver(by: ColourBy): number {
    if (!this.motion) return 0;
    const known = this.largest.get(by);
    if (known !== undefined) return known;
    let largest = 0;
    const stride = Math.max(1, Math.floor(this.motion.times.length / 150));
    for (let i = 0; i < this.motion.times.length; i += stride) largest = Math.max(largest, this.view.sweep.largest(this.motion.evaluate(this.motion.times[i]), by));
    this.largest.set(by, largest);
    this.motion.evaluate(this.time);
    return largest;
  }

  setTrace(wanted: [number, number] | null): void {
    const place = wanted && this.hasNode(...wanted) ? wanted : null;
    this.traced = place;
    if (this.leads) this.twin?.setTrace(place);
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
    this.sourceChanged(this.modeText(set, mode));
    this.play();
  }
  private modeText(set: number, mode: number): string {
    const {data} = this.modes[set];
    return `mode ${data.numbers[mode]} \u00b7 ${modeFrequency(data.frequencies[mode])}`;
  }
  showPosture(frames: Float64Array, name: string): void {
    this.pause();
    const same = this.source.kind === 'posture';
    this.source = {kind: 'posture', states: rigidStates(this.scene, frames), name};
    if (same) this.render(); else this.sourceChanged(name);
    if (same) this.showChip(name);
  }
  private showChip(text: string | null): void {
    this.chip.hidden = text === null;
    this.chip.replaceChildren();
    if (text !== null) {
      this.chip.append(el('span', {}, text));
      if (this.leads && this.motion && this.motion.times.length > 1) this.chip.append(iconButton('close', 'Back to the motion', () => this.showMotion()));
    }
    this.view.showJoints(this.source.kind !== 'mode' || this.modes[this.source.set].data.ofMechanism);
  }
  private sourceChanged(text: string | null): void {
    this.showChip(text);
    if (this.leads) this.twin?.takeSource(this);
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

  // All places that the nodes reach, of what is shown in both results.
  private updateBounds(): void {
    this.view.survey(() => this.currentStates(), look => this.eachState(look));
    this.view.setPoints([...this.reached(), ...(this.twin?.reached() ?? [])], this.twin?.view.sweep.thickness());
    if (this.leads) this.twin?.updateBounds();
  }
  private reached(): THREE.Vector3[] {
    const points: THREE.Vector3[] = [];
    const add = (states: LinkState[]): void => states.forEach((state, l) => {
      if (!state.visible) return;
      const rest = this.rests[l], stride = Math.max(1, Math.floor(rest.length / 3 / 40));
      for (let n = 0; n < rest.length / 3; n += n < this.scene.links[l].nodeNames.length ? 1 : stride)
        points.push(new THREE.Vector3().fromArray(nodePlace(state, rest.subarray(3 * n, 3 * n + 3), n, 1)));
      for (const corner of this.shapeCorners[l]) points.push(carried(corner, state));
    });
    this.eachState(add);
    return points;
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
      const amplitude = this.absent ? 0 : 0.1 * this.view.size * Math.min(3, 1 + 0.4 * Math.log(this.scale));
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
    if (this.leads) this.twin?.follow(this);
  }

  private showTexts(largest: number, states: LinkState[]): void {
    if (this.source.kind === 'mode') {
      const turn = ((this.phase / (2 * Math.PI)) % 1 + 1) % 1;
      this.slider.value = String(turn);
      this.showClock(`${Math.round(360 * turn)}\u00b0`);
    } else if (this.motion) {
      this.slider.value = String((this.time - this.begin) / (this.end - this.begin || 1));
      this.showClock(clock(this.time, this.end));
    }
    const by = this.shownColour();
    const rigid = by !== 'displacement' && this.scene.links.some(link => link.rigid && link.pieces.length);
    this.bar.show(by === 'link' ? null : colourNames[by], this.source.kind === 'mode' ? null : largest, rigid ? 'grey: rigid, no stress computed' : '');
    if (this.textsDue) this.showInfo(states);
    if (this.textsDue) this.tools.refresh();
  }

  private showClock(text: string): void {
    if (!this.textsDue) return;
    this.clockText.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
  }

  get title(): string { return this.leads && this.twin ? `${this.caption.textContent} and ${this.twin.caption.textContent}` : this.report.title; }
  toolChanged(): void { if (this.leads) this.twin?.tools.mirror(this.tools); }
  // All that is shown now, in one picture.
  drawn(): HTMLCanvasElement {
    const all = this.twin ? [this, this.twin] : [this];
    for (const {view} of all) { view.touch(); view.draw(); }
    return this.twin ? this.sheet.compose(all.map(stage => [stage.view.canvas, stage.caption.textContent ?? ''])) : this.view.canvas;
  }
  private readonly sheet = new Sheet();
  private picture(done: (blob: Blob) => void): void {
    this.view.sharpen();
    this.twin?.view.sharpen();
    this.drawn().toBlob(blob => { if (blob) done(blob); });
  }
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
    return (this.end - this.begin) / this.speed;
  }

  nodeName(link: number, node: number): string {
    const data = this.scene.links[link];
    return `${data.name}: ${data.nodeNames[node] ?? `node ${node + 1}`}`;
  }

  deselect(): void {
    this.selected = null;
    this.view.mark(null);
    this.info.hidden = true;
    if (this.leads) this.twin?.deselect();
  }

  // Through all nodes with names, for those who have no pointer.
  selectNext(direction: number): void {
    const all = this.scene.links.flatMap((link, l) => link.nodeNames.map((_, n): [number, number] => [l, n]));
    const at = all.findIndex(([l, n]) => l === this.selected?.[0] && n === this.selected[1]);
    if (all.length) this.selectNode(...all[at < 0 ? (direction > 0 ? 0 : all.length - 1) : (at + direction + all.length) % all.length]);
  }

  selectNode(link: number, node: number): void {
    if (!this.hasNode(link, node)) return this.deselect();
    this.selected = [link, node];
    this.view.mark(this.selected);
    if (this.leads) this.twin?.selectNode(link, node);
    const close = iconButton('close', 'Close', () => (this.leads ? this : this.twin)?.deselect());
    const table = el('dl', {});
    const plot = el('button', {type: 'button', click: () => this.onPlotNode(link, node)}, 'Plot');
    const trace = el('button', {type: 'button', click: () => this.setTrace([link, node])}, 'Trace');
    this.info.replaceChildren(el('header', {}, el('strong', {}, this.nodeName(link, node)), close), table);
    const hide = el('button', {type: 'button', title: 'Hide this link (H); shift H shows all', click: () => (this.leads ? this : this.twin)?.showLink(link, false)}, 'Hide link');
    this.info.append(el('div', {class: 'row'}, ...(this.motion && this.leads ? [plot, trace] : []), ...(this.scene.links.length > 1 ? [hide] : [])));
    this.info.hidden = false;
    this.render();
  }

  // Values at the selected node now.
  private showInfo(states: LinkState[]): void {
    const table = this.info.querySelector('dl');
    if (!this.selected || !table || this.info.hidden) return;
    const [link, node] = this.selected, state = states[link], n = this.view.sweep.nodes[link].length;
    const u = state.values.subarray(3 * node, 3 * node + 3), r = state.values.subarray(n + 3 * node, n + 3 * node + 3);
    const rows = placeRows(nodePlace(state, this.rests[link].subarray(3 * node, 3 * node + 3), node, 1), u, r, this.view.size);
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
    if (!this.motion) return;
    this.time += elapsed * this.speed;
    const {begin, end} = this;
    if (this.time >= end) {
      if (this.loop) this.time = begin + ((this.time - begin) % (end - begin));
      else {
        this.time = end;
        this.pause();
      }
    }
    this.changed();
  }
}
