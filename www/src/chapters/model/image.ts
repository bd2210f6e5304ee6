/** A picture as the elements of a tensor [N, C, H, W]. */

/** The mean that is subtracted from a channel of 0 to 1, and the divisor of the difference. */
interface Scale {
  mean: readonly number[];
  deviation: readonly number[];
}

/** The usual scales of a picture's values. */
export const SCALES: Readonly<Record<string, Scale>> = {
  '0 to 1': { mean: [0, 0, 0], deviation: [1, 1, 1] },
  '−1 to 1': { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] },
  ImageNet: { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] },
};

const MAX_PIXELS = 2 ** 24;

/** Reads a picture, stretched to the size; every image of the batch is this one. */
export async function readImage(file: Blob, shape: readonly number[], { mean, deviation }: Scale): Promise<Float32Array> {
  const [count, channels, height, width] = shape as [number, number, number, number];
  const pixels = height * width;
  if (!(pixels > 0 && count * channels * pixels <= MAX_PIXELS)) {
    throw new Error(`a picture cannot have the shape [${shape.join(', ')}]`);
  }
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error('this file is no picture that the browser can read');
  });
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  const { data } = context.getImageData(0, 0, width, height);
  const image = new Float32Array(channels * pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const colour = [0, 1, 2].map((channel) => data[4 * pixel + channel]! / 255);
    // Luma of Rec. 601 for images of one channel.
    const values = channels === 1 ? [0.299 * colour[0]! + 0.587 * colour[1]! + 0.114 * colour[2]!] : colour;
    values.forEach((value, channel) => (image[channel * pixels + pixel] = (value - mean[channel]!) / deviation[channel]!));
  }
  const batch = new Float32Array(count * image.length);
  for (let index = 0; index < count; index += 1) {
    batch.set(image, index * image.length);
  }
  return batch;
}
