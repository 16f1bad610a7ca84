// The stage: camera, light, ground grid, mechanism, trace. Draws only when something has changed.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {css} from './dom';
import {SceneData} from './data';
import {Graphics} from './graphics';
import {LinkState} from './motion';
import {Pace} from './pace';
import {Span} from './spans';
import {gridLines, Strokes} from './strokes';
import {Colouring, Sweep} from './sweep';
import {Labels} from './labels';
import {Shapes} from './shapes';
import {allLayers, Layers, Palette, Symbols} from './symbols';
import {Upright} from './upright';

export type ViewName = 'iso' | 'x' | 'y' | 'z';

export interface CameraPlace {
  position: THREE.Vector3;
  target: THREE.Vector3;
  zoom: number;
  tall: number;
  orthographic: boolean;
}

export class View3d {
  readonly canvas: HTMLCanvasElement;
  readonly upright: Upright;
  readonly sweep: Sweep;
  private readonly labels: Labels;
  private readonly shapes: Shapes;
  frameCost = 0; // ms, of the last update and draw
  costs: number[] = [];
  onRefined: () => void = () => undefined; // the mesh is new: everything has to be shown again
  onPick: (link: number, node: number) => void = () => undefined;
  onCamera: () => void = () => undefined;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly world = new THREE.Scene();
  private readonly perspective = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera = this.perspective;
  private readonly controls: OrbitControls;
  private readonly light = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xa4afbc, 1.9);
  private symbols: Symbols | null = null;
  private readonly grid = new Strokes(1);
  private readonly trace = new Strokes(1.6);
  private readonly ruler = new Strokes(2);
  private readonly marker: THREE.Mesh;
  private marked: [number, number] | null = null;
  private bounds = new THREE.Box3(); // along right, ahead, up
  private points: THREE.Vector3[] = [];
  private around = 0; // how far links reach beyond their nodes
  private dirty = true;
  private readonly pace: Pace;
  private paceChanged = false;

  // `size`: how large the mechanism is, m.
  constructor(host: HTMLElement, private readonly scene: SceneData, private readonly triad: HTMLCanvasElement, readonly size: number, graphics: Graphics) {
    // Opaque: what lies below need not be drawn. (The renderer would ask for a transparent one.) A processor smooths edges by
    // drawing four times the pixels when the picture is at rest: while it moves, four samples per pixel take it twice as long.
    this.canvas = document.createElement('canvas');
    this.pace = graphics.software ? new Pace(2, 1 / Math.min(2, Math.max(1, window.devicePixelRatio))) : new Pace();
    const context = this.canvas.getContext('webgl2', {alpha: false, antialias: !graphics.software, powerPreference: 'high-performance'}) as WebGL2RenderingContext;
    this.renderer = new THREE.WebGLRenderer({canvas: this.canvas, context});
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    host.prepend(this.canvas);
    this.upright = new Upright(scene.gravity);
    this.perspective.up.copy(this.upright.up);
    this.flat.up.copy(this.upright.up);
    this.sweep = new Sweep(scene, size);
    this.labels = new Labels(host, scene, this.sweep);
    this.shapes = new Shapes(scene);
    this.marker = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 14), new THREE.MeshBasicMaterial({transparent: true, opacity: 0.85, depthTest: false}));
    this.marker.renderOrder = 3;
    this.marker.visible = false;
    this.world.add(this.shapes.group, this.sweep.body.mesh, this.sweep.ghost.mesh, this.sweep.surface.mesh, this.sweep.surface.legs, this.sweep.surfaceGhost.mesh, this.grid.group, this.trace.group, this.ruler.group, this.marker, this.light, this.light.target, this.sky);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => {
      this.touch();
      this.onCamera();
    });
    this.controls.zoomToCursor = true;
    this.listen();
    this.retheme();
  }

  place(): CameraPlace {
    const {camera, controls, flat, orthographic} = this;
    return {position: camera.position.clone(), target: controls.target.clone(), zoom: flat.zoom, tall: flat.userData.tall as number, orthographic};
  }
  setPlace(place: CameraPlace): void {
    this.orthographic = place.orthographic;
    this.camera.position.copy(place.position);
    this.controls.target.copy(place.target);
    this.flat.zoom = place.zoom;
    this.flat.userData.tall = place.tall;
    this.resize();
    this.controls.update();
  }

  // From where another view of the same size looks.
  lookLike(other: View3d): void {
    const {camera, perspective, flat, controls} = this, resized = flat.userData.tall !== other.flat.userData.tall;
    this.orthographic = other.orthographic;
    camera.position.copy(other.camera.position);
    controls.target.copy(other.controls.target);
    flat.userData.tall = other.flat.userData.tall;
    flat.zoom = other.flat.zoom;
    [perspective.near, perspective.far] = [other.perspective.near, other.perspective.far];
    if (resized) this.resize();
    perspective.updateProjectionMatrix();
    flat.updateProjectionMatrix();
    controls.update();
    this.touch();
  }

  // Gives the graphics card's memory back: browsers keep few of these alive.
  close(): void {
    this.sizes.disconnect();
    this.controls.dispose();
    this.symbols?.dispose();
    this.shapes.dispose();
    this.world.traverse(object => (object as THREE.Mesh).geometry?.dispose());
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
  private readonly sizes = new ResizeObserver(() => this.resize());

  private listen(): void {
    this.canvas.addEventListener('dblclick', event => {
      const found = this.nearest(event, 28);
      if (found) this.approach(...found); else this.fit();
    });
    this.sizes.observe(this.canvas);
    let down: [number, number] | null = null;
    this.canvas.addEventListener('pointerdown', event => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener('pointerup', event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) this.pick(event);
      down = null;
    });
  }

  retheme(): void {
    const colour = (name: string): number => new THREE.Color(css(name)).getHex();
    this.world.background = new THREE.Color(css('--stage'));
    const palette: Palette = {joint: colour('--joint'), ground: colour('--ground'), drive: colour('--drive'), load: colour('--load'), mass: colour('--mass')};
    if (this.symbols) this.world.remove(this.symbols.group);
    this.symbols?.dispose();
    this.shownTurn.set(0, 0, 0, 0);
    this.symbols = new Symbols(this.scene, this.sweep, palette, this.upright);
    this.world.add(this.symbols.group);
    this.symbols.setLayers(this.layers);
    if (this.surveyed) this.survey(...this.surveyed);
    this.trace.setColour(css('--accent'));
    this.ruler.setColour(css('--drive'));
    (this.marker.material as THREE.MeshBasicMaterial).color.set(css('--accent'));
    this.placeGrid();
    this.touch();
  }

  touch(): void { this.dirty = true; }

  // `each` shows all states in turn, `first` is made anew where feet are chosen.
  survey(first: () => LinkState[], each: (look: (states: LinkState[]) => void) => void): void {
    this.surveyed = [first, each];
    const look = (use: (states: LinkState[]) => void): void => each(states => {
      this.sweep.placeNodes(states, 1);
      use(states);
    });
    this.symbols?.survey(first, look);
  }
  private surveyed: [() => LinkState[], (look: (states: LinkState[]) => void) => void] | null = null;

  setLayers(layers: Layers): void {
    this.layers = layers;
    this.symbols?.setLayers(layers);
    this.grid.group.visible = layers.grid;
    this.labels.show(layers.labels);
    this.shapes.group.visible = layers.shapes;
    this.touch();
  }
  private layers: Layers = {...allLayers};

  // What must be in sight: places that nodes reach, and how thick links are that are drawn elsewhere in the same way.
  setPoints(points: THREE.Vector3[], thickness = 0): void {
    this.points = points;
    this.around = Math.max(thickness, this.sweep.thickness());
    this.points.push(...(this.symbols?.groundPoints() ?? []));
    if (points.length === 0) points.push(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.bounds.setFromPoints(this.points.map(p => this.upright.apart(p)));
    this.placeGrid();
  }

  // The grid lies below this, too, but not out of sight.
  setFloor(height: number): void {
    this.floor = height;
    this.placeGrid();
    this.touch();
  }
  private floor = Infinity;

  private placeGrid(): void {
    if (this.bounds.isEmpty()) return;
    const extent = this.bounds.getSize(new THREE.Vector3()), centre = this.bounds.getCenter(new THREE.Vector3());
    const largest = Math.max(extent.x, extent.y, 0.5 * extent.z, 1e-6), step = niceStep(largest / 6);
    const cells = 2 * Math.ceil((0.9 * largest) / step);
    const middle = new THREE.Vector3(Math.round(centre.x / step) * step, Math.round(centre.y / step) * step, Math.max(Math.min(this.bounds.min.z, this.floor), this.bounds.min.z - 0.4 * this.size) - 0.01 * this.size);
    const {points, colours} = gridLines(middle, step, cells, css('--grid'), css('--grid-strong'), (x, y, z) => this.upright.together(x, y, z).toArray());
    this.grid.set(points, colours);
    this.grid.group.visible = this.layers.grid;
    this.symbols?.reachFloor(middle.z);
  }

  look(name: ViewName): void {
    this.fit(name === 'iso' ? this.obliqueDirection() : this.upright.from(name));
  }

  // From above the horizon, where the mechanism's points spread over the largest area: no link is seen from its end.
  // Among directions that are nearly as good the usual one is taken.
  private obliqueDirection(): THREE.Vector3 {
    const points = this.points, elevation = (27 * Math.PI) / 180, usual = (-51 * Math.PI) / 180;
    const mean = points.reduce((sum, p) => sum.addScaledVector(p, 1 / points.length), new THREE.Vector3());
    let best = usual, most = -1;
    for (let step = 0; step < 36; ++step) {
      const azimuth = usual + (step * Math.PI) / 18;
      const side = this.upright.together(-Math.sin(azimuth), Math.cos(azimuth), 0);
      const up = this.upright.together(-Math.cos(azimuth) * Math.sin(elevation), -Math.sin(azimuth) * Math.sin(elevation), Math.cos(elevation));
      let ss = 0, su = 0, uu = 0;
      for (const point of points) {
        const p = point.clone().sub(mean), s = p.dot(side), u = p.dot(up);
        ss += s * s;
        su += s * u;
        uu += u * u;
      }
      const area = Math.sqrt(Math.max(0, ss * uu - su * su)) * (1 + 0.25 * Math.cos(azimuth - usual));
      if (area > most * 1.0001) [best, most] = [azimuth, area];
    }
    return this.upright.together(Math.cos(best) * Math.cos(elevation), Math.sin(best) * Math.cos(elevation), Math.sin(elevation));
  }

  // From the present direction, or from a new one.
  fit(direction?: THREE.Vector3): void {
    const from = (direction ?? this.camera.position.clone().sub(this.controls.target)).clone().normalize();
    const side = this.upright.up.clone().cross(from);
    if (side.length() < 1e-3) side.copy(this.upright.right);
    side.normalize();
    const up = from.clone().cross(side);
    const extent = (axis: THREE.Vector3): [number, number] => {
      const values = this.points.map(p => p.dot(axis));
      return [Math.min(...values), Math.max(...values)];
    };
    const [left, right] = extent(side), [low, high] = extent(up), [far, near] = extent(from);
    const centre = new THREE.Vector3().addScaledVector(side, (left + right) / 2).addScaledVector(up, (low + high) / 2).addScaledVector(from, (far + near) / 2);
    const {around} = this;
    const margin = 1.2, aspect = this.aspect(), tangent = Math.tan(((this.perspective.fov / 2) * Math.PI) / 180);
    let distance = 0;
    for (const point of this.points) {
      const p = point.clone().sub(centre);
      const reach = Math.max(Math.abs(p.dot(up)) + around, (Math.abs(p.dot(side)) + around) / aspect, 0.06 * this.size);
      distance = Math.max(distance, (margin * reach) / tangent + p.dot(from));
    }
    const tall = margin * Math.max((high - low) / 2 + around, ((right - left) / 2 + around) / aspect, 0.06 * this.size);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(from, distance);
    // Looking straight down, the floor's first axis points to the right.
    if (Math.abs(from.dot(this.upright.up)) > 0.999) this.camera.position.addScaledVector(this.upright.ahead, -1e-4 * distance);
    this.flat.userData.tall = tall;
    this.flat.zoom = 1;
    this.perspective.near = distance / 200;
    this.perspective.far = distance * 50;
    this.resize();
    this.controls.update();
  }

  get orthographic(): boolean { return this.camera === this.flat; }
  set orthographic(on: boolean) {
    const next = on ? this.flat : this.perspective;
    if (next === this.camera) return;
    next.position.copy(this.camera.position);
    const distance = this.camera.position.distanceTo(this.controls.target);
    if (on) {
      this.flat.userData.tall = distance * Math.tan(((this.perspective.fov / 2) * Math.PI) / 180);
      this.flat.zoom = 1;
    }
    this.camera = next;
    this.controls.object = next;
    this.resize();
    this.controls.update();
  }

  // Keyboard: turns about the target, or goes nearer.
  orbit(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const {x, y, z} = this.upright.apart(offset), sphere = new THREE.Spherical().setFromVector3(new THREE.Vector3(x, z, -y));
    sphere.theta += right;
    sphere.phi = Math.min(Math.PI - 0.01, Math.max(0.01, sphere.phi - up));
    const v = new THREE.Vector3().setFromSpherical(sphere);
    this.camera.position.copy(this.controls.target).add(this.upright.together(v.x, -v.z, v.y));
    this.controls.update();
    this.touch();
  }
  zoom(factor: number): void {
    if (this.orthographic) {
      this.flat.zoom *= factor;
      this.flat.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.touch();
  }

  private aspect(): number { return Math.max(0.2, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight)); }

  // More than one pixel for a pixel of the screen only up to a size that takes no noticeable time.
  private pixelRatio(area: number): number {
    const plain = Math.min(2, window.devicePixelRatio), {scale} = this.pace;
    return scale <= 1 ? scale * plain : Math.max(plain, Math.min(2, scale * plain, Math.sqrt(4e6 / area)));
  }

  private resize(): void {
    const width = Math.max(1, this.canvas.clientWidth), height = Math.max(1, this.canvas.clientHeight);
    const ratio = this.pixelRatio(width * height);
    this.renderer.setPixelRatio(ratio);
    this.grid.fit(ratio);
    this.trace.fit(ratio);
    this.ruler.fit(ratio);
    this.renderer.setSize(width, height, false);
    this.perspective.aspect = width / height;
    const tall = (this.flat.userData.tall as number) ?? 1;
    this.flat.top = tall;
    this.flat.bottom = -tall;
    this.flat.left = -tall * (width / height);
    this.flat.right = -this.flat.left;
    this.perspective.updateProjectionMatrix();
    this.flat.updateProjectionMatrix();
    this.touch();
  }

  // Places everything; draws with the next frame.
  show(all: LinkState[], scale: number, colouring: Colouring, ghost: boolean, loads: {values: (number | null)[]; largest: number[]}): void {
    const begin = performance.now(), states = all.map((state, l) => (this.hidden.has(l) ? {...state, visible: false} : state));
    this.sweep.ghost.mesh.visible = ghost;
    this.sweep.surfaceGhost.mesh.visible = ghost && this.sweep.surfaceGhost.parts.length > 0;
    if (ghost) this.sweep.updateGhost(states);
    this.sweep.update(states, scale, colouring);
    this.shapes.place(states);
    this.symbols?.update(states, loads.values, loads.largest);
    if (this.marked) this.marker.position.fromArray(this.sweep.nodes[this.marked[0]], 3 * this.marked[1]);
    this.frameCost = performance.now() - begin;
    this.touch();
  }

  // As many sections and sides as the screen can show: of a link out of sight, the fewest.
  private refine(): void {
    const camera = this.camera, height = this.canvas.height, centre = new THREE.Vector3(), ends = [new THREE.Vector3(), new THREE.Vector3()];
    camera.updateMatrixWorld();
    const turn = camera.matrixWorldInverse, flat = this.orthographic ? (height * this.flat.zoom) / (this.flat.top - this.flat.bottom) : 0;
    const perMetre = height / (2 * Math.tan(((this.perspective.fov / 2) * Math.PI) / 180));
    this.frustum.setFromProjectionMatrix(this.toScreen.multiplyMatrices(camera.projectionMatrix, turn));
    const e = turn.elements, depth = (p: THREE.Vector3): number => -(e[2] * p.x + e[6] * p.y + e[10] * p.z + e[14]);
    const changed = this.sweep.refine((span: Span) => {
      const nodes = this.sweep.nodes[span.link];
      ends[0].fromArray(nodes, 3 * span.pieces[0].data.from);
      ends[1].fromArray(nodes, 3 * span.pieces[span.pieces.length - 1].data.to);
      centre.addVectors(ends[0], ends[1]).multiplyScalar(0.5);
      this.sphere.set(centre, Math.max(ends[0].distanceTo(ends[1]), span.length) * 0.6 + span.pieces[0].outline.outer);
      if (!this.frustum.intersectsSphere(this.sphere)) return 0;
      return flat || perMetre / Math.max(Math.min(depth(ends[0]), depth(centre), depth(ends[1])), this.perspective.near);
    }, this.renderer.getPixelRatio());
    if (changed) this.onRefined();
  }
  private readonly frustum = new THREE.Frustum();
  private readonly toScreen = new THREE.Matrix4();
  private readonly sphere = new THREE.Sphere();

  readonly hidden = new Set<number>(); // links that nobody wants to see now

  showJoints(on: boolean): void {
    this.symbols?.showJoints(on);
  }
  showTrace(on: boolean): void {
    this.trace.group.visible = on && this.traced && this.layers.trace;
  }

  mark(place: [number, number] | null): void {
    this.marked = place;
    this.marker.visible = place !== null;
    if (place) {
      this.marker.scale.setScalar(Math.max(0.009 * this.size, 0.5 * this.sweep.outerRadius(...place)));
      this.marker.position.fromArray(this.sweep.nodes[place[0]], 3 * place[1]);
    }
    this.touch();
  }

  // Through these points, one after the other.
  setTrace(points: Float32Array | null): void {
    const count = points ? points.length / 3 - 1 : 0, pairs = new Float32Array(6 * Math.max(0, count));
    for (let i = 0; points && i < count; ++i) pairs.set(points.subarray(3 * i, 3 * i + 6), 6 * i);
    this.trace.set(pairs);
    this.traced = count > 0;
    this.touch();
  }
  private traced = false;

  // Called once per screen refresh; true when something was drawn.
  draw(now = performance.now()): boolean {
    if (this.dirty ? this.paceChanged : this.pace.rested(now)) this.resize();
    if (!this.dirty) return false;
    const begin = performance.now();
    const toCamera = this.camera.position.clone().sub(this.controls.target);
    const {up} = this.upright, side = up.clone().cross(toCamera).normalize();
    this.light.position.copy(this.controls.target).add(toCamera).addScaledVector(side, -0.5 * toCamera.length()).addScaledVector(up, 0.8 * toCamera.length());
    this.light.target.position.copy(this.controls.target);
    this.refine();
    this.dirty = false;
    this.renderer.render(this.world, this.camera);
    this.drawTriad();
    this.labels.place(this.camera, this.canvas.clientWidth, this.canvas.clientHeight);
    this.costs.push(this.frameCost + performance.now() - begin);
    if (this.costs.length > 240) this.costs.shift();
    this.paceChanged = this.pace.drawn(now); // a new size wipes the picture: it has to wait for the next one
    return true;
  }

  // What the last frame asked of the graphics card; bytes: of the mesh, sent anew.
  load(): {calls: number; triangles: number; bytes: number} {
    const {calls, triangles} = this.renderer.info.render;
    return {calls, triangles, bytes: 4 * (9 * this.sweep.body.count + 6 * this.sweep.ghost.count)};
  }

  private readonly shownTurn = new THREE.Quaternion(0, 0, 0, 0);
  private drawTriad(): void {
    if (this.shownTurn.equals(this.camera.quaternion)) return;
    this.shownTurn.copy(this.camera.quaternion);
    const context = this.triad.getContext('2d');
    if (!context) return;
    const ratio = Math.min(2, window.devicePixelRatio), side = this.triad.clientWidth;
    this.triad.width = this.triad.height = side * ratio;
    context.scale(ratio, ratio);
    context.font = `600 ${side * 0.17}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = side * 0.03;
    const turn = this.camera.quaternion.clone().invert();
    const axes = ([['x', 1, 0, 0], ['y', 0, 1, 0], ['z', 0, 0, 1]] as [string, number, number, number][])
        .map(([name, x, y, z], i) => ({name, i, v: new THREE.Vector3(x, y, z).applyQuaternion(turn)}))
        .sort((a, b) => a.v.z - b.v.z);
    for (const {name, i, v} of axes) {
      context.strokeStyle = context.fillStyle = css(['--axis-x', '--axis-y', '--axis-z'][i]);
      const c = side / 2, r = side * 0.3;
      context.beginPath();
      context.moveTo(c, c);
      context.lineTo(c + r * v.x, c - r * v.y);
      context.stroke();
      context.fillText(name, c + 1.38 * r * v.x, c - 1.38 * r * v.y);
    }
  }

  // The node nearest to the pointer, within so many pixels.
  nearest(event: MouseEvent, reach: number): [number, number] | null {
    const box = this.canvas.getBoundingClientRect(), v = new THREE.Vector3();
    let best = reach, found: [number, number] | null = null;
    this.sweep.nodes.forEach((nodes, link) => {
      for (let i = 0; i < nodes.length && !this.hidden.has(link); i += 3) {
        v.fromArray(nodes, i).project(this.camera);
        const x = box.left + ((v.x + 1) / 2) * box.width, y = box.top + ((1 - v.y) / 2) * box.height;
        const distance = Math.hypot(x - event.clientX, y - event.clientY);
        if (distance < best) {
          best = distance;
          found = [link, i / 3];
        }
      }
    });
    return found;
  }
  // Within a finger's width.
  private pick(event: PointerEvent): void {
    const found = this.nearest(event, 28);
    if (found) this.onPick(found[0], found[1]);
  }

  nodeAt(link: number, node: number): THREE.Vector3 { return new THREE.Vector3().fromArray(this.sweep.nodes[link], 3 * node); }

  // A line from place to place.
  setRuler(places: THREE.Vector3[] | null): void {
    if (!places && !this.ruler.group.visible) return;
    const pairs = (places ?? []).slice(1).flatMap((place, k) => [...(places as THREE.Vector3[])[k].toArray(), ...place.toArray()]);
    this.ruler.set(Float32Array.from(pairs));
    this.touch();
  }

  // Turns about a node from now on, from twice as near.
  approach(link: number, node: number): void {
    const way = this.nodeAt(link, node).sub(this.controls.target);
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.zoom(2);
  }

  // Everything on the far side of a plane is left out.
  cut(plane: THREE.Plane | null): void {
    this.renderer.clippingPlanes = plane ? [plane] : [];
    this.touch();
  }
  // Of what is in sight, along the axes of the world.
  extent(): THREE.Box3 {
    const box = new THREE.Box3().setFromPoints(this.points);
    return box.expandByScalar(this.around);
  }

  // All pixels, for a picture to keep.
  sharpen(): void {
    this.pace.rested(Infinity);
    this.resize();
  }
}

// Two views that are turned and moved as one.
export function lookAlike(...views: [View3d, View3d]): void {
  let following = false;
  views.forEach((view, k) => (view.onCamera = () => {
    if (following) return;
    following = true;
    views[1 - k].lookLike(view);
    following = false;
  }));
}

function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value)), lead = value / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}
