// Beams as the page draws them: pieces (elements), and spans of pieces that go on straight with one section.
import {PieceData, SceneData} from './data';
import {LinkState, rotate} from './motion';
import {outline, Outline} from './sections';

export interface Piece {
  link: number;
  data: PieceData;
  index: number; // in the link
  outline: Outline;
  length: number;
  x: number[];
  section: {area: number; iy: number; iz: number; j: number};
}

export interface Span {
  link: number;
  pieces: Piece[]; // one after the other
  length: number;
  straight: boolean; // a rigid link's: never bends
  capFrom: boolean; // nothing goes on from its ends
  capTo: boolean;
  outline: (sides: number) => Outline;
}

// A place along a piece, 0 to 1.
export interface Station {
  piece: Piece;
  xi: number;
}

export function makePieces(scene: SceneData, rest: Float64Array[], size: number): Piece[] {
  return scene.links.flatMap((link, l) => link.pieces.map((data, index) => {
    const section = scene.sections[data.section];
    const along = [0, 1, 2].map(k => rest[l][3 * data.to + k] - rest[l][3 * data.from + k]);
    const length = Math.hypot(along[0], along[1], along[2]);
    return {link: l, data, index, outline: outline(section, size, 8), length, x: along.map(v => v / length), section: section ?? {area: 0, iy: 0, iz: 0, j: 0}};
  }));
}

function parallel(a: number[], b: number[]): boolean {
  return Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > 0.999;
}
function alike(a: Piece, b: Piece): boolean {
  return a.link === b.link && a.data.section === b.data.section && parallel(a.data.y, b.data.y) && parallel(a.data.z, b.data.z);
}

// Spans end at nodes with names, where joints, masses and loads are: a section is drawn there at any detail.
export function makeSpans(scene: SceneData, pieces: Piece[], size: number): Span[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1);
    const named = piece.data.from < scene.links[piece.link].nodeNames.length;
    const goesOn = last && !named && last.data.to === piece.data.from && alike(last, piece) && last.data.y.every((v, k) => Math.abs(v - piece.data.y[k]) < 1e-3);
    if (goesOn) groups.at(-1)!.push(piece); else groups.push([piece]);
  }
  const ends = (piece: Piece, node: number): boolean =>
    !pieces.some(other => other !== piece && other.link === piece.link && (other.data.from === node || other.data.to === node) && alike(other, piece));
  const outlines = new Map<string, Outline>();
  return groups.map(group => {
    const first = group[0], last = group[group.length - 1];
    return {
      link: first.link, pieces: group, length: group.reduce((sum, p) => sum + p.length, 0), straight: scene.links[first.link].rigid,
      capFrom: ends(first, first.data.from), capTo: ends(last, last.data.to),
      outline: sides => {
        const key = `${first.data.section}:${sides}`, known = outlines.get(key) ?? outline(scene.sections[first.data.section], size, sides);
        outlines.set(key, known);
        return known;
      },
    };
  });
}

// Sections along a span: 2^level segments per piece, or one segment for 2^-level pieces.
export function stations(span: Span, level: number): Station[] {
  const {pieces} = span, result: Station[] = [{piece: pieces[0], xi: 0}];
  const cuts = 2 ** Math.max(0, level), stride = 2 ** Math.max(0, -level);
  pieces.forEach((piece, p) => {
    if (cuts > 1) for (let c = 1; c <= cuts; ++c) result.push({piece, xi: c / cuts});
    else if ((p + 1) % stride === 0 || p + 1 === pieces.length) result.push({piece, xi: 1});
  });
  return result;
}

const local = new Float64Array(3), psi = new Float64Array(3);

// Centre and axes (x, y, z) of a section: 12 numbers.
export function placeStation({piece, xi}: Station, state: LinkState, rest: Float64Array, scale: number, axes: Float64Array, o: number): void {
  const f = state.frame;
  bend(piece, state.values, rest, xi, scale);
  rotate(f, 3, local[0], local[1], local[2], axes, o);
  axes[o] += f[0];
  axes[o + 1] += f[1];
  axes[o + 2] += f[2];
  turn(piece.x, f, axes, o + 3);
  turn(piece.data.y, f, axes, o + 6);
  turn(piece.data.z, f, axes, o + 9);
}

// Place and rotation of a section, link axes: a cubic through both ends with the slopes that the nodes' rotations give the
// chord.
function bend(piece: Piece, u: Float64Array, rest: Float64Array, s: number, scale: number): void {
  const n = rest.length, a = 3 * piece.data.from, b = 3 * piece.data.to, t = 1 - s, x = piece.x;
  const h00 = (1 + 2 * s) * t * t, h01 = s * s * (3 - 2 * s), h10 = piece.length * s * t * t, h11 = -piece.length * s * s * t;
  for (let k = 0; k < 3; ++k) {
    const k1 = k === 2 ? 0 : k + 1, k2 = k === 0 ? 2 : k - 1;
    const slopeA = u[n + a + k1] * x[k2] - u[n + a + k2] * x[k1], slopeB = u[n + b + k1] * x[k2] - u[n + b + k2] * x[k1];
    local[k] = t * rest[a + k] + s * rest[b + k] + scale * (h00 * u[a + k] + h01 * u[b + k] + h10 * slopeA + h11 * slopeB);
    psi[k] = scale * (t * u[n + a + k] + s * u[n + b + k]);
  }
}

// A direction in the link's axes, turned by the elastic rotation and by the link's frame.
function turn(direction: number[], frame: Float64Array, out: Float64Array, o: number): void {
  const angle = Math.sqrt(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]);
  let x = direction[0], y = direction[1], z = direction[2];
  if (angle > 1e-12) {
    const c = Math.cos(angle), s = Math.sin(angle) / angle, d = ((1 - c) / (angle * angle)) * (psi[0] * x + psi[1] * y + psi[2] * z);
    const cx = psi[1] * z - psi[2] * y, cy = psi[2] * x - psi[0] * z, cz = psi[0] * y - psi[1] * x;
    x = c * x + s * cx + d * psi[0];
    y = c * y + s * cy + d * psi[1];
    z = c * z + s * cz + d * psi[2];
  }
  rotate(frame, 3, x, y, z, out, o);
}
