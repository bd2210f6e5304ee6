/** Pictures with their masks and boxes. */
export const VISION: Readonly<Record<string, string>> = {
  'vision.transforms.RandomIoUCrop': `import { transforms, tvTensors } from 'lanthorn/vision';

manualSeed(0);
const boxes = tvTensors.boundingBoxes(tensor([[2, 2, 6, 6]], { dtype: 'float32' }), 'xyxy', [8, 8]);
const [image, moved] = await new transforms.RandomIoUCrop().forwardSample([tvTensors.image(ones([3, 8, 8])), boxes]);

console.log(image.data.shape, moved.canvasSize);
`,
  'vision.transforms.Transform': `import { transforms } from 'lanthorn/vision';

class Darken extends transforms.Transform {
  apply(sample, random) {
    return sample.map((item) => item.withData(item.data.mul(random.uniform(0.5, 0.9))));
  }
}

manualSeed(0);
console.log(await new Darken().forward(ones([1, 2, 2])));
`,
  'vision.tvTensors.TvTensor': `import { tvTensors } from 'lanthorn/vision';

const mask = tvTensors.mask(zeros([8, 10]));

console.log(mask instanceof tvTensors.TvTensor, mask.kind, mask.data.shape);
`,
};
