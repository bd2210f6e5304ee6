/** The models of `lanthorn/vision`, in a page and in Node. The classes are printed from Rust. */
import { equal, ok, refuses } from '../lib/expect.mjs';

/** The hash of a text: FNV-1a of 32 bits. */
function hashOf(text) {
  let value = 2166136261;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 16777619) >>> 0;
  return value;
}

/** A number from -0.5 to 0.5 that looks random, by a hash and an index. */
function numberOf(hash, index) {
  let x = (Math.imul(index, 2654435761) + hash) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 2246822519) >>> 0;
  x = Math.imul(x ^ (x >>> 13), 3266489917) >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  return x / 2 ** 32 - 0.5;
}

/** The numbers of a tensor by its name and its shape, as `gen_vision_models.py` has them. */
function fill(tensor, name, shape, factor = 1) {
  const count = shape.reduce((product, size) => product * size, 1);
  const hash = hashOf(name);
  let [middle, scale] = [0, 0.2];
  if (shape.length >= 2) scale = Math.sqrt((24 * shape[0]) / count);
  else if (name.endsWith('running_var')) [middle, scale] = [1, 0.5];
  else if (name.endsWith('weight')) [middle, scale] = [1, 0.4];
  const data = Float32Array.from({ length: count }, (_, index) => Math.fround(middle + scale * numberOf(hash, index)) * factor);
  return tensor(data).reshape(shape);
}

const isFixed = (name) => /num_batches_tracked|relative_position_index|relative_coords_table/.test(name);

/** An error unless logits are the wanted ones, up to 1e-4 of the largest. */
async function checkLogits(name, logits, want) {
  const found = Array.from(await logits.data());
  const largest = Math.max(...want.map(Math.abs));
  const distance = Math.max(...found.map((value, index) => Math.abs(value - want[index]) / largest));
  ok(found.length === want.length && distance <= 1e-4, `${name}: ${found} instead of ${want}`);
}

/** An error unless tensors have the wanted norms by name. */
async function checkNorms(name, tensorOf, want) {
  for (const [key, norm] of Object.entries(want)) {
    const data = Array.from(await tensorOf(key).data());
    const got = Math.sqrt(data.reduce((sum, value) => sum + value * value, 0));
    ok(Math.abs(got - norm) <= 1e-4 * norm, `${name}: ${key} has the norm ${got} instead of ${norm}`);
  }
}

/** Compares a model's logits, gradients and statistics with torchvision's, and checks others. */
async function checkModel({ lanthorn, golden }, name, model, size, others = () => {}) {
  const { noGrad, tensor } = lanthorn;
  const want = golden.answers[name];
  model.eval();
  const state = Object.entries(model.stateDict()).map(([key, own]) => [key, isFixed(key) ? own : fill(tensor, key, own.shape)]);
  model.loadStateDict(Object.fromEntries(state));
  const logits = model.call(fill(tensor, 'picture', [1, 3, size, size], size));
  await logits.mul(fill(tensor, 'factors', [10])).sum().backward();
  await checkLogits(name, logits, want.logits);
  const named = new Map(model.namedParameters());
  await checkNorms(name, (key) => named.get(key).grad, want.gradients);
  await others();
  if (want.training) {
    model.train();
    const trained = noGrad(() => model.call(fill(tensor, 'picture', [2, 3, size, size], size)));
    await checkLogits(`${name} in training`, trained, want.training.logits);
    const buffers = new Map(model.namedBuffers());
    await checkNorms(name, (key) => buffers.get(key), want.training.buffers);
  }
  model.dispose();
}

/** Models of up to 130 million parameters, each with the size of its picture. */
export const LARGE = {
  vgg11_bn: [64, ({ vgg11Bn }) => vgg11Bn(10)],
  alexnet: [64, ({ alexnet }) => alexnet(10)],
  googlenet: [64, ({ googlenet }) => googlenet(10, true)],
  inception_v3: [299, ({ inceptionV3 }) => inceptionV3(10, true)],
  efficientnet_b0: [64, ({ efficientnetB0 }) => efficientnetB0(10)],
  resnet50: [64, ({ resnet50 }) => resnet50(10)],
};

/** Compares a large model with torchvision's, and the logits of the classifiers inside it. */
export async function checkLarge(given, name) {
  const { lanthorn: { noGrad, tensor }, golden, vision } = given;
  const [size, make] = LARGE[name];
  const model = make(vision.models);
  await checkModel(given, name, model, size, async () => {
    const { aux } = golden.answers[name];
    if (!aux) return;
    const [, ...inner] = noGrad(() => model.forwardWithAux(fill(tensor, 'picture', [1, 3, size, size], size)));
    // GoogLeNet's second classifier comes first.
    for (const [index, logits] of inner.entries()) await checkLogits(`${name} inside`, logits, aux[index]);
  });
}

export const cases = {
  async 'residual networks and MobileNet give the logits, gradients and statistics of torchvision'(given) {
    const { models } = given.vision;
    await checkModel(given, 'resnet', new models.ResNet('basic', [1, 1, 1, 1], 10), 64);
    await checkModel(given, 'mobilenet_v3', models.mobilenetV3Small({ numClasses: 10, dropout: 0 }), 64);
  },

  async 'transformers give the logits and gradients of torchvision'(given) {
    const { models } = given.vision;
    await checkModel(given, 'vit', new models.VisionTransformer(32, 8, 2, 2, 16, 32, { numClasses: 10 }), 32);
    const sizes = { patchSize: 4, embedDim: 16, depths: [2, 2], numHeads: [2, 4], windowSize: 4, numClasses: 10 };
    await checkModel(given, 'swin', new models.SwinTransformer(sizes), 36);
  },

  async 'a layer is replaced by assignment, and a picture of another shape is an error'({ lanthorn, vision }) {
    const { nn, zeros } = lanthorn;
    const model = new vision.models.ResNet('basic', [1, 1, 1, 1], 10);
    model.eval();
    equal([model.fc.inFeatures, model.layer1.length], [512, 1]);
    model.fc = new nn.Linear(512, 3);
    equal(model.call(zeros([1, 3, 32, 32])).shape, [1, 3]);
    equal(Object.keys(model.stateDict()).slice(-2), ['fc.weight', 'fc.bias']);
    ok(String(model).startsWith('ResNet(\n  (conv1): Conv2d('), String(model));
    await refuses(() => model.call(zeros([3, 32, 32])), 'shape', /takes pictures of the shape/);
    model.dispose();
  },
};
