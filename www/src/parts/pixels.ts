/** Small grey images on a canvas, a canvas pixel each, enlarged by CSS without blurring. */

/** The data's ink as a colour between the dark ground and warm light. */
function colour(share: number): [number, number, number] {
  return [21 + share * 234, 19 + share * 201, 31 + share * 129];
}

/** Draws `pixels`, `side` by `side` values from 0 to `most`. */
export function paintPixels(canvas: HTMLCanvasElement, pixels: ArrayLike<number>, side: number, most: number): void {
  const context = canvas.getContext('2d');
  if (!context) {
    return;
  }
  if (canvas.width !== side || canvas.height !== side) {
    canvas.width = side;
    canvas.height = side;
  }
  const image = context.createImageData(side, side);
  for (let index = 0; index < side * side; index += 1) {
    image.data.set([...colour((pixels[index] ?? 0) / most), 255], 4 * index);
  }
  context.putImageData(image, 0, 0);
}
