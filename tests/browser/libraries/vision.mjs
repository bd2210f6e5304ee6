/** `lanthorn/vision`, in a page and in Node. The functions are printed from Rust. */
import { equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** A recorded tensor. */
const toTensor = ({ tensor }, { data, shape, dtype }) => tensor(data, { dtype }).reshape(shape);

/** Checks a tensor with a recorded one. Indices are int32, and bytes differ by at most `near`. */
async function checkAnswer(found, want, near, message) {
  equal([...found.shape], want.shape, message);
  equal(found.dtype, want.dtype.replace('64', '32'), message);
  const data = Array.from(await found.data());
  const tolerance = (wanted) => (want.dtype === 'uint8' ? near : 5e-5 * (1 + Math.abs(wanted)));
  const wrong = data.filter((value, index) => !(Math.abs(value - want.data[index]) <= tolerance(want.data[index])));
  equal(wrong, [], `${message}: ${data} instead of ${want.data}`);
}

export const cases = {
  'functions have torchvision\'s answers': async ({ golden, lanthorn, vision }) => {
    const { inputs, rows } = golden.vision;
    for (const { function: name, args, want, near = 0 } of rows) {
      const own = [vision.ops, vision.transforms.functional, vision.utils].find((library) => library[camel(name)])[camel(name)];
      const values = args.map((value) => (typeof value === 'string' && inputs[value] ? toTensor(lanthorn, inputs[value]) : value));
      const found = await own(...values);
      const message = `${name} ${JSON.stringify(args)}`;
      if (typeof want[0] === 'number') equal(found, want, message);
      else if (Array.isArray(want)) await Promise.all(want.map((one, index) => checkAnswer(found[index], one, near, message)));
      else await checkAnswer(found, want, near, message);
    }
    ok(rows.length > 120, `${rows.length} answers`);
  },

  'options are given by name, and wrong ones are errors': async ({ lanthorn: { tensor }, vision: { ops, transforms: { functional } } }) => {
    const image = tensor([[[1, 2], [3, 4]]], { dtype: 'float32' });
    equal(await functional.pad(image, 1, { fill: 7, paddingMode: 'constant' }).sum().item(), 94);
    equal([...functional.resize(image, [4, 3], { interpolation: 'nearest' }).shape], [1, 4, 3]);
    await refuses(() => functional.resize(image, 4, { interpolation: 'cubic' }), 'argument', /resize: the argument interpolation takes one of 'nearest', .*, not "cubic"/);
    await refuses(() => functional.pad(image, [1, 2, 3]), 'argument', /pad: padding must be 1, 2 or 4 numbers, and has 3/);
    await refuses(() => functional.adjustBrightness(image, -1), 'argument', /adjustBrightness: brightnessFactor must not be negative/);
    await refuses(() => ops.boxConvert([[0, 0, 1, 1]], 'xyxy', 'xyxyx'), 'argument', /boxConvert: the argument outFmt takes one of 'xyxy'/);
    await refuses(() => ops.boxIou(image, [[0, 0, 1, 1]]), 'shape', /boxIou: boxes1 must have 4 coordinates/);
  },

  'masks and boxes move with the picture': async ({ lanthorn: { tensor, zeros }, vision: { transforms, tvTensors } }) => {
    const boxes = tensor([[1, 2, 4, 6]], { dtype: 'float32' });
    const sample = [tvTensors.image(zeros([3, 8, 10])), tvTensors.mask(zeros([8, 10])), tvTensors.boundingBoxes(boxes, 'xyxy', [8, 10])];
    const both = new transforms.Compose([new transforms.RandomHorizontalFlip(1), new transforms.Pad([1, 2]), new transforms.Resize([24, 24])]);
    const [image, mask, moved] = both.forwardSample(sample);
    equal([image.data.shape, mask.data.shape, moved.canvasSize].map((shape) => [...shape]), [[3, 24, 24], [24, 24], [24, 24]]);
    equal(await moved.data.tolist(), [[14, 8, 20, 16]]);
    await refuses(() => tvTensors.boundingBoxes(boxes, 'xywhr', [8, 10]), 'argument', /boundingBoxes: format must be xyxy/);
  },

  'choices follow from seeds, in JavaScript as in Rust': async ({ lanthorn: { manualSeed, rand, stack }, vision: { transforms } }) => {
    const random = transforms.Random.fromSeed(7);
    equal([random.below(1000), random.below(1000), random.permutation(5)], [541, 66, [1, 2, 0, 3, 4]]);
    const { ColorJitter, Compose, RandomErasing, RandomResizedCrop, Transform } = transforms;
    class Darken extends Transform {
      apply(sample, random) {
        return sample.map((item) => item.withData(item.data.mul(random.uniform(0.5, 1))));
      }
    }
    const augment = new Compose([new RandomResizedCrop(6), new ColorJitter(0.4, 0.4, 0.4, 0.1), new RandomErasing(1), new Darken()]);
    const picture = rand([3, 8, 8]);
    const made = augment.forwardBatch(stack([picture, picture, picture]), [7, 8, 7]);
    equal([...made.shape], [3, 3, 6, 6]);
    const [one, other, again] = await made.tolist();
    equal(one, again);
    ok(JSON.stringify(one) !== JSON.stringify(other));
    manualSeed(5);
    const first = await augment.forward(picture).tolist();
    const second = await augment.forward(picture).tolist();
    manualSeed(5);
    equal(await augment.forward(picture).tolist(), first);
    ok(JSON.stringify(first) !== JSON.stringify(second));
    await refuses(() => new RandomErasing(2), 'argument', /RandomErasing: p must be a probability from 0 to 1, and is 2/);
    await refuses(() => new Compose([]).forwardBatch(picture, [1]), 'shape', /forwardBatch: imgs must have shape \[1, C, H, W\]/);
  },

  'automatic augmentations and mixtures': async ({ lanthorn: { rand, tensor }, vision: { transforms } }) => {
    const { AugMix, AutoAugment, CutMix, MixUp, RandAugment, TrivialAugmentWide } = transforms;
    const picture = rand([3, 8, 8]).mul(255).to('uint8');
    for (const transform of [new AugMix(), new AutoAugment('svhn'), new RandAugment(), new TrivialAugmentWide({ fill: 3 })]) {
      const made = transform.forward(picture);
      equal([made.dtype, [...made.shape]], ['uint8', [3, 8, 8]]);
    }
    for (const mixture of [new MixUp({ numClasses: 3 }), new CutMix({ numClasses: 3 })]) {
      const [pictures, labels] = mixture.forward(rand([2, 3, 8, 8]), tensor([0, 2], { dtype: 'int32' }));
      equal([[...pictures.shape], [...labels.shape]], [[2, 3, 8, 8], [2, 3]]);
    }
  },

  'intermediate tensors are freed at once': async ({ lanthorn: { memory, rand }, vision: { transforms: { functional } } }) => {
    const image = rand([3, 8, 8]);
    functional.adjustHue(image, 0.1).dispose();
    const before = await settled(memory);
    for (let step = 0; step < 4; step++) {
      functional.rotate(image, 20, { fill: 1 }).dispose();
      functional.adjustHue(image, 0.1).dispose();
      functional.equalize(image).dispose();
    }
    equal(memory().tensors, before);
  },
};
