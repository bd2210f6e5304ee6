/** Points of a plane, each of a class, and their form as a text: a setting that a checkpoint keeps. */

export interface Place {
  x: number;
  y: number;
  /** The number of its class; 0 where there are no classes. */
  label: number;
}

/** `1.25,-0.5,0;2,1,1`. */
export function textOf(places: readonly Place[]): string {
  return places.map(({ x, y, label }) => [...[x, y].map((value) => Number(value.toFixed(4))), label].join(',')).join(';');
}

/** The points of such a text. What is no point is left out: a checkpoint may come from anywhere. */
export function placesIn(text: string): Place[] {
  return text
    .split(';')
    .map((part) => part.split(',').map(Number))
    .filter((numbers) => numbers.length === 3 && numbers.every(Number.isFinite))
    .map(([x, y, label]) => ({ x: x!, y: y!, label: label! }));
}
