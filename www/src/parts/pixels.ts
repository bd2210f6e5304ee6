/** Small images on a canvas, one canvas pixel each, enlarged by CSS without blurring. */

type Colour = readonly [number, number, number];

/** The same colours in light and dark mode, like a little screen. */
const GROUND: Colour = [21, 19, 31];
const WARM: Colour = [255, 220, 160];
const COLD: Colour = [120, 170, 255];

/** Draws `pixels`, `side` by `side` values from 0 to `most`. */
export function paintPixels(canvas: HTMLCanvasElement, pixels: ArrayLike<number>, side: number, most: number): void {
  paint(canvas, side, side, (index) => mix(WARM, (pixels[index] ?? 0) / most));
}

/** Draws `pixels`, `side` by `side` values from `-most` (cold) to `most` (warm). */
export function paintSigned(canvas: HTMLCanvasElement, pixels: ArrayLike<number>, side: number, most: number): void {
  paint(canvas, side, side, (index) => {
    const share = (pixels[index] ?? 0) / most;
    return mix(share < 0 ? COLD : WARM, Math.abs(share));
  });
}

/** Draws `width` by `height` values, from the least (dark) to the largest (light). */
export function paintGrey(canvas: HTMLCanvasElement, values: ArrayLike<number>, width: number, height: number): void {
  const all = Array.from(values);
  const [least, most] = all.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  paint(canvas, width, height, (index) => mix(WARM, (all[index]! - least) / (most - least || 1)));
}

function mix(light: Colour, share: number): number[] {
  return light.map((part, channel) => GROUND[channel]! + share * (part - GROUND[channel]!));
}

function paint(canvas: HTMLCanvasElement, width: number, height: number, colourAt: (index: number) => number[]): void {
  const context = canvas.getContext('2d');
  if (!context) {
    return;
  }
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const image = context.createImageData(width, height);
  for (let index = 0; index < width * height; index += 1) {
    image.data.set([...colourAt(index), 255], 4 * index);
  }
  context.putImageData(image, 0, 0);
}
