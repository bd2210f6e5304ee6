/**
 * Points of two or three classes, in shapes that no straight line divides, and in one that lines
 * do.
 */
import type { LabelledPoint } from '../../parts/points/points';
import { normal, uniform } from '../../parts/random';

export const DOMAIN = { x: [-1.6, 1.6], y: [-1.6, 1.6] } as const;
export const COUNT = 200;
/** The cells in a row of the plane, for each of which the network is asked. */
export const SIDE = 40;

export type Shape = 'moons' | 'circles' | 'spirals' | 'blobs';

interface Kind {
  words: string;
  classes: number;
  noise: number;
  /** The position of a point without noise; `share` is from 0 to 1. */
  at: (label: number, share: number) => readonly [number, number];
}

const turn = (radius: number, angle: number) => [radius * Math.cos(angle), radius * Math.sin(angle)] as const;

export const SHAPES: Readonly<Record<Shape, Kind>> = {
  moons: {
    words: 'Two moons',
    classes: 2,
    noise: 0.1,
    at(label, share) {
      const [x, y] = turn(0.85, Math.PI * share);
      return label === 0 ? [x - 0.4, y - 0.2] : [0.4 - x, 0.2 - y];
    },
  },
  circles: { words: 'Circles', classes: 2, noise: 0.12, at: (label, share) => turn(label === 0 ? 0.4 : 1.15, 2 * Math.PI * share) },
  spirals: {
    words: 'Spirals',
    classes: 2,
    noise: 0.04,
    at: (label, share) => turn(0.1 + 1.25 * share, 3 * Math.PI * share + Math.PI * label),
  },
  // Around three corners of a triangle; here the noise is all of the spread.
  blobs: { words: 'Three blobs', classes: 3, noise: 0.25, at: (label) => turn(0.85, (2 * Math.PI * label) / 3 + Math.PI / 2) },
};

export function pointsOf(shape: Shape, seed: number): LabelledPoint[] {
  const { classes, noise, at } = SHAPES[shape];
  const random = uniform(seed);
  const deviate = normal(random);
  return Array.from({ length: COUNT }, (_, index) => {
    const label = index % classes;
    const [x, y] = at(label, random());
    return { x: x + noise * deviate(), y: y + noise * deviate(), label };
  });
}
