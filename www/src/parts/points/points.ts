/** Points of a plane, each with a class, and their text, which is a setting in a checkpoint. */

export interface LabelledPoint {
  x: number;
  y: number;
  /** The number of its class; 0 where there are no classes. */
  label: number;
}

/** `1.25,-0.5,0;2,1,1`. */
export function formatPoints(points: readonly LabelledPoint[]): string {
  return points.map(({ x, y, label }) => [...[x, y].map((value) => Number(value.toFixed(4))), label].join(',')).join(';');
}

/** The points of such a text. Invalid points are skipped: a checkpoint may come from anywhere. */
export function parsePoints(text: string): LabelledPoint[] {
  return text
    .split(';')
    .map((part) => part.split(',').map(Number))
    .filter((numbers) => numbers.length === 3 && numbers.every(Number.isFinite))
    .map(([x, y, label]) => ({ x: x!, y: y!, label: label! }));
}
