/** Fine-tuning of one layer on the digits, and whether a program can be fine-tuned so. */
import { manualSeed, noGrad, scope, Tensor, tensor, zeros } from 'lanthorn';
import { DataLoader, TensorDataset } from 'lanthorn/data';
import { OnnxModel, type Program } from 'lanthorn/program';
import { asInput, CLASSES, type Digits, type Images, PIXELS, SIDE } from '../../parts/digits/data';
import { type Evaluation, evaluationOf } from '../../parts/digits/evaluation';
import { Batches } from '../../parts/training/batches';
import { messageOf, readOnce } from '../../parts/training/worker';
import { withoutGradients } from './gradients';
import type { Size } from '../../parts/graph/info';
import type { ImagesInfo, InputInfo, LayerInfo, TuningInfo, TuningSettings } from './protocol';
import { createFineTuning, firstTensor } from './train';

/** The shapes of a digit that are tried. */
const SHAPES = [[1, SIDE, SIDE], [PIXELS], [SIDE, SIDE]];
const SEED = 1;
const TRIAL = 2;
/** A program is not trained if it needs more images than this in a call. */
const MAX_MIN_BATCH = 4096;

/** Whether the digits fit the program's input and ten scores come out: found out by a call. */
export async function tuningOf(program: Program, inputs: readonly InputInfo[]): Promise<TuningInfo> {
  const layers = layersOf(program);
  if (layers.length === 0) {
    return { why: 'it has no weight matrix to train' };
  }
  const [input] = inputs;
  if (inputs.length !== 1 || !input || input.other !== undefined) {
    return { why: `it takes ${inputs.length === 1 ? 'another value than a tensor' : `${inputs.length} arguments`}; the digits are one tensor` };
  }
  const declared = input.tensor;
  if (declared && !declared.dtype.startsWith('float')) {
    return { why: `its input has the type ${declared.dtype}; images are float32` };
  }
  const fitting = SHAPES.filter((shape) => !declared || fits(shape, declared.shape.slice(1)));
  if (fitting.length === 0) {
    const sizes = declared!.shape.map(({ size, symbol }) => symbol ?? size);
    return { why: `its input has the shape [${sizes.join(', ')}]; the digits are [N, 1, 8, 8], [N, 8, 8] or [N, 64]` };
  }
  const { size, symbol, least = 1, most = Infinity } = declared?.shape[0] ?? { size: TRIAL, symbol: 'N' };
  const range = symbol === undefined ? { least: size, most: size } : { least: Math.max(1, least), most };
  if (!(range.most >= 1 && range.least <= MAX_MIN_BATCH)) {
    return { why: `it takes ${range.least} images or more at once, and ${range.most} at most` };
  }
  let why = '';
  for (const shape of fitting) {
    why = await trial(program, [Math.min(Math.max(TRIAL, range.least), range.most), ...shape]);
    if (why === '') {
      return { layers, images: { shape, ...range } };
    }
  }
  return { why };
}

/** Whether an image has the declared sizes; a size with a name takes any number. */
function fits(shape: readonly number[], sizes: readonly Size[]): boolean {
  return shape.length === sizes.length && sizes.every(({ size, symbol }, index) => symbol !== undefined || size === shape[index]);
}

/**
 * Calls the program with digits of zeros. Returns an empty text if it returns scores, otherwise a
 * description of its result.
 */
async function trial(program: Program, shape: readonly number[]): Promise<string> {
  try {
    return await scope(() => withoutGradients(async () => {
      const result = program.call(zeros(...shape)) as unknown;
      if (result instanceof Promise) {
        await result;
        return 'it reads elements while it runs, so a step of it cannot be compiled';
      }
      const scores: unknown = firstTensor(result);
      if (!(scores instanceof Tensor) || scores.shape.length !== 2 || scores.shape[0] !== shape[0] || scores.shape[1]! < CLASSES) {
        const given = scores instanceof Tensor ? `a tensor [${scores.shape.join(', ')}]` : 'no tensor';
        return `it gives ${given} for ${shape[0]} digits, not ${CLASSES} scores or more for each`;
      }
      return '';
    }));
  } catch (error) {
    // Further lines show the position in a script.
    return `it does not take digits: ${messageOf(error).split('\n')[0]}`;
  }
}

/** The weight matrices with their biases, the last first. */
function layersOf(program: Program): LayerInfo[] {
  const parameters = new Map(program.namedParameters());
  // Exporters of ONNX rename matrices that they change.
  const isWeight = (name: string) => name.endsWith('weight') || program instanceof OnnxModel;
  const matrices = [...parameters].filter(([name, { shape }]) => shape.length === 2 && isWeight(name));
  return matrices.reverse().map(([weight, { shape }]) => {
    const bias = weight.replace(/weight$/, 'bias');
    const hasBias = parameters.get(bias)?.shape.length === 1;
    return { name: weight.replace(/\.?weight$/, '') || weight, parameters: hasBias ? [weight, bias] : [weight], shape };
  });
}

/** A program whose layer is trained. */
export class Tuning {
  step = 0;
  private readonly images: Tensor;
  private readonly labels: Tensor;
  private readonly batches: Batches<[Tensor, Tensor]>;
  private readonly batch: number;
  private readonly tuned: ReturnType<typeof createFineTuning>;

  constructor(program: Program, layer: LayerInfo, settings: TuningSettings, data: DigitsInput) {
    manualSeed(SEED);
    this.tuned = createFineTuning(program, layer.parameters, settings.rate);
    this.images = data.tensorOf(data.digits.train);
    this.labels = tensor(Int32Array.from(data.digits.train.labels), { dtype: 'int32' });
    const examples = new TensorDataset(this.images, this.labels);
    this.batch = data.batchOf(settings.batch);
    this.batches = new Batches((batchSize) => new DataLoader(examples, { batchSize, shuffle: true, dropLast: true, seed: SEED }), this.batch);
  }

  /** The compiled calls that were replayed. */
  get replays(): number {
    return this.tuned.trainStep.explain().replays;
  }

  async trainStep(): Promise<Tensor> {
    this.step += 1;
    const [images, labels] = await this.batches.next(this.batch);
    return this.tuned.trainStep(images, labels);
  }

  dispose(): void {
    this.tuned.trainStep.reset();
    for (const held of [this.images, this.labels, this.tuned.optimizer]) {
      held.dispose();
    }
  }
}

/** The digits in the shape that a program takes. */
export class DigitsInput {
  constructor(readonly digits: Digits, private readonly images: ImagesInfo) {}

  /** Whether a call takes all test images, so that a measurement is quick. */
  get isQuick(): boolean {
    return this.images.most >= this.digits.test.count;
  }

  /** The number of images of a call that is nearest to `wanted`. */
  batchOf(wanted: number): number {
    return Math.min(Math.max(wanted, this.images.least), this.images.most);
  }

  tensorOf({ count, pixels }: Pick<Images, 'count' | 'pixels'>): Tensor {
    return tensor(asInput(pixels), { shape: [count, ...this.images.shape] });
  }

  /** The probabilities of the ten digits for each image, concatenated. */
  async read(program: Program, { count, pixels }: Pick<Images, 'count' | 'pixels'>): Promise<Float32Array> {
    const found = new Float32Array(CLASSES * count);
    for (let first = 0; first < count; ) {
      const size = this.batchOf(count - first);
      // A call that takes more images than there are gets empty ones.
      const part = new Uint8Array(PIXELS * size);
      part.set(pixels.subarray(PIXELS * first, PIXELS * (first + size)));
      const input = { count: size, pixels: part };
      const read = () => firstTensor(program.call(this.tensorOf(input))).narrow(1, 0, CLASSES).softmax(1);
      const rows = await readOnce(scope(() => noGrad(read)), (table) => table.data());
      found.set(Float32Array.from(rows as ArrayLike<number>).subarray(0, CLASSES * (count - first)), CLASSES * first);
      first += size;
    }
    return found;
  }

  /** Measures the program on every test image. */
  async measure(program: Program): Promise<Evaluation> {
    return evaluationOf(await this.read(program, this.digits.test), this.digits.test);
  }
}
