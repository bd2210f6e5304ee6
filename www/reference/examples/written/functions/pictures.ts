/** Conversions from and to the browser's images. */
const gradientImage = `// Red to the right, green downwards: [3, H, W] from 0 to 1.
const ramp = linspace(0, 1, 32);
const image = stack([ramp.expand(32, 32), ramp.unsqueeze(1).expand(32, 32), zeros([32, 32])]);
`;

export const PICTURES: Readonly<Record<string, string>> = {
  fromPixels: `const pixels = new ImageData(new Uint8ClampedArray([255, 0, 0, 255, 0, 255, 0, 255]), 2, 1);

console.log(fromPixels(pixels));
console.log(fromPixels(pixels, { dtype: 'float32' }).shape);
`,
  toBlob: `${gradientImage}
const png = await toBlob(image);
const jpeg = await toBlob(image, { type: 'image/jpeg', quality: 0.9 });

console.log(png.type, png.size > 0, jpeg.type, jpeg.size > 0);
`,
  toCanvas: `${gradientImage}
const canvas = await toCanvas(image, new OffscreenCanvas(1, 1));

console.log(canvas.width, canvas.height);
console.log(fromPixels(canvas).shape);
draw(image.mean(0));
`,
  toImageData: `const image = tensor([[0, 0.5], [1, 2]]);
const { width, height, data } = await toImageData(image);

// Red, green, blue and opacity of each pixel; values above 1 are clamped.
console.log(width, height, data);
`,
};
