// Outlines of beam sections: points with normals, in the section's y and z.
import {SectionData} from './data';

export interface Outline {
  points: number[][]; // y, z, normal y, normal z; consecutive points with equal place form an edge
  round: boolean; // a circle, whose last point is its first again
  inner: number; // radius of the hole of a tube, or 0
  outer: number; // distance of the farthest point
  fibreY: number; // extreme fibres, for bending stresses
  fibreZ: number;
  fibreR: number; // for torsion
}

function circle(radius: number, sides: number, inner: number): Outline {
  const points: number[][] = [];
  for (let i = 0; i <= sides; ++i) {
    const a = (2 * Math.PI * i) / sides, c = Math.cos(a), s = Math.sin(a);
    points.push([radius * c, radius * s, c, s]);
  }
  return {points, round: true, inner, outer: radius, fibreY: radius, fibreZ: radius, fibreR: radius};
}

// Straight edges with flat sides: every corner appears once per side.
function polygon(corners: number[][]): Outline {
  const points: number[][] = [];
  let outer = 0, fibreY = 0, fibreZ = 0;
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const normal = [(b[1] - a[1]) / length, -(b[0] - a[0]) / length];
    points.push([...a, ...normal], [...b, ...normal]);
    outer = Math.max(outer, Math.hypot(a[0], a[1]));
    fibreY = Math.max(fibreY, Math.abs(a[0]));
    fibreZ = Math.max(fibreZ, Math.abs(a[1]));
  });
  return {points, round: false, inner: 0, outer, fibreY, fibreZ, fibreR: Math.max(fibreY, fibreZ)};
}

// Stresses come from the fibres that the program found; an outline alone knows its own.
export function outline(section: SectionData | undefined, size: number, sides: number): Outline {
  const drawn = shape(section, size, sides), fibres = section?.fibres;
  return fibres ? {...drawn, fibreY: fibres.y ?? drawn.fibreY, fibreZ: fibres.z ?? drawn.fibreZ, fibreR: fibres.torsion ?? drawn.fibreR} : drawn;
}

function shape(section: SectionData | undefined, size: number, sides: number): Outline {
  const d = section?.dimensions ?? [];
  switch (section?.shape) {
    case 'rectangle': {
      const y = d[0] / 2, z = d[1] / 2;
      return polygon([[-y, -z], [y, -z], [y, z], [-y, z]]);
    }
    case 'circle':
      return circle(d[0], sides, 0);
    case 'tube':
      return circle(d[0], sides, d[1]);
    case 'i_beam': {
      const [y, z, web] = [d[0] / 2, d[1] / 2, d[3] / 2], inside = z - d[2];
      return polygon([[-y, -z], [y, -z], [y, -inside], [web, -inside], [web, inside], [y, inside], [y, z], [-y, z], [-y, inside],
                      [-web, inside], [-web, -inside], [-y, -inside]]);
    }
    case 'general': {
      // A rectangle with the same area and ratio of second moments.
      const ratio = Math.sqrt(section.iz / section.iy), z = Math.sqrt(section.area / ratio) / 2, y = z * ratio;
      return polygon([[-y, -z], [y, -z], [y, z], [-y, z]]);
    }
    default:
      return circle(0.006 * size, sides, 0);
  }
}
