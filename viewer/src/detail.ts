// How finely a span is drawn: as finely as the screen can show, no finer.
import {Span} from './spans';

export interface Detail {
  level: number; // 2^level segments per piece
  sides: number; // of a round section
  swell: [number, number]; // of the section's y and z: what is thinner than a pixel would be drawn as loose dots
}

const segment = 7; // pixels: of a curve as bent as 20 pixels of radius, its chord is off by 0.3
const deviation = 0.3; // pixels that a round section's polygon may be off
const sideCounts = [6, 8, 12, 16, 24, 32, 40];
const finest = 4;
const thinnest = 0.65; // pixels from the middle to the border of the thinnest section
const swelling = 1.25; // from one swell to the next

// `pixels`: of a metre at the span; `ratio`: of them for one of the page, which is what a section is never thinner than.
// `last` is kept while it is nearly right, so that nothing flickers between two details.
export function detailOf(span: Span, pixels: number, ratio: number, last: Detail): Detail {
  const {fibreY, fibreZ} = span.pieces[0].outline, half = thinnest * Math.max(1, ratio);
  const swell: [number, number] = pixels > 0 ? [swellOf(pixels * fibreY, half, last.swell[0]), swellOf(pixels * fibreZ, half, last.swell[1])] : last.swell;
  return {level: levelOf(span, pixels, last.level), sides: sidesOf(span, pixels, last.sides), swell};
}

export function sameDetail(a: Detail, b: Detail): boolean {
  return a.level === b.level && a.sides === b.sides && a.swell[0] === b.swell[0] && a.swell[1] === b.swell[1];
}

// `half`: pixels that a section should have at least.
function swellOf(pixels: number, half: number, last: number): number {
  const wanted = half / pixels;
  if (wanted <= 1) return 1;
  if (last >= wanted && last < swelling ** 2 * wanted) return last;
  return Math.min(1e3, swelling ** Math.ceil(Math.log(wanted) / Math.log(swelling)));
}

function levelOf(span: Span, pixels: number, last: number): number {
  const coarsest = -Math.ceil(Math.log2(span.pieces.length));
  if (span.straight) return coarsest;
  const wanted = Math.log2(Math.max(1e-6, (pixels * span.length) / span.pieces.length / segment));
  const level = Math.abs(wanted - last) < 0.7 ? last : Math.round(wanted);
  // A span bends: two segments at least, if it has two pieces.
  return Math.min(finest, Math.max(Math.min(0, coarsest + 1), level));
}

function sidesOf(span: Span, pixels: number, last: number): number {
  const radius = Math.max(0.3, pixels * span.pieces[0].outline.outer);
  const wanted = Math.PI / Math.acos(1 - Math.min(1, deviation / radius));
  if (last >= 0.9 * wanted && last < 1.8 * wanted) return last;
  return sideCounts.find(count => count >= wanted) ?? sideCounts[sideCounts.length - 1];
}
