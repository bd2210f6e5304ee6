/**
 * Derivatives by finite differences.
 *
 * The outputs are summed with fixed weights in JavaScript's doubles, so that of a float32 operation
 * only its own rounding is in a difference; central differences lose `eps^2` to curvature and
 * `rounding / eps` to rounding, and the step is chosen for both.
 */
import { grad } from '../autograd/grad.js';
import { noGrad } from '../autograd/mode.js';
import { tensor as fromData } from '../tensor/from-data.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

/** The allowed distance of two numbers: `atol`, plus `rtol` times the larger. */
export interface Tolerance {
  atol?: number;
  rtol?: number;
}

/** Of an input with more elements, this many are checked, evenly spread. */
const MAX_ELEMENTS = 32;

const STEP: { [T in DType]?: number } = { float64: 1e-5, float32: 1e-2 };
const DEFAULT: { [T in DType]?: Required<Tolerance> } = { float64: { atol: 1e-6, rtol: 1e-6 }, float32: { atol: 5e-3, rtol: 1e-2 } };

/**
 * A fixed weight between 0.5 and 1.5 for each element, so that errors of different elements do not
 * cancel.
 */
const weight = (index: number, salt: number): number => 0.5 + (((index + 1) * 0.6180339887498949 + salt * 0.7548776662466927) % 1);

const weights = (count: number, salt: number): number[] => Array.from({ length: count }, (_, index) => weight(index, salt));

/** The outputs that have a derivative. */
function outputsOf(value: unknown): Tensor[] {
  const list = (Array.isArray(value) ? value : [value]) as unknown[];
  return list.filter((item): item is Tensor => item instanceof Tensor && item.dtype.startsWith('float') && item.requiresGrad);
}

/** Weights as a tensor with the type and shape of another. */
const weightsLike = (output: Tensor, salt: number): Tensor => fromData(new Float64Array(weights(output.numel, salt)), { shape: output.shape, dtype: output.dtype });

/**
 * The tensors whose derivative is checked: the outputs, or their gradients with respect to the
 * inputs.
 */
function subject(op: (...args: never[]) => unknown, args: readonly unknown[], inputs: readonly Tensor[], order: number): (Tensor | null)[] {
  const outputs = outputsOf(op(...(args as never[])));
  if (order === 1) return outputs;
  return grad(outputs, inputs, { gradOutputs: outputs.map((output, index) => weightsLike(output, index)), createGraph: true });
}

/** The sum of the subject with its weights. */
async function total(tensors: readonly (Tensor | null)[]): Promise<number> {
  const data = await Promise.all(tensors.map((tensor) => tensor?.data()));
  return data.reduce((sum, values, salt) => (values ? Array.from(values, Number).reduce((part, value, index) => part + value * weight(index, 100 + salt), sum) : sum), 0);
}

/**
 * Compares the derivatives of order 1 or 2 with finite differences: for each input nothing if they
 * agree, else the error.
 */
export async function differences(
  op: (...args: never[]) => unknown, args: readonly unknown[], inputs: readonly Tensor[], order: number, tolerance: Tolerance = {},
): Promise<(string | undefined)[]> {
  const values = subject(op, args, inputs, order);
  const open = values.map((value, salt) => [value, salt] as const).filter(([value]) => value?.requiresGrad) as [Tensor, number][];
  if (order === 1 && open.length === 0) return ['no output requires gradients, though an input does'];
  const analytic = open.length === 0
    ? inputs.map(() => null)
    : grad(open.map(([value]) => value), inputs, { gradOutputs: open.map(([value, salt]) => weightsLike(value, 100 + salt)) });
  const found: (string | undefined)[] = [];
  for (const [index, input] of inputs.entries()) found.push(await compare(op, args, inputs, order, tolerance, index, input, analytic[index] ?? null));
  return found;
}

async function compare(
  op: (...args: never[]) => unknown, args: readonly unknown[], inputs: readonly Tensor[], order: number, tolerance: Tolerance, index: number, input: Tensor,
  analytic: Tensor | null,
): Promise<string | undefined> {
  const original = Array.from(await input.data(), Number);
  const given = analytic ? Array.from(await analytic.data(), Number) : original.map(() => 0);
  if (given.length !== original.length) return `the gradient of input ${index} has ${given.length} elements, the input ${original.length}`;
  const step = STEP[input.dtype]!;
  const { atol, rtol } = { ...DEFAULT[input.dtype]!, ...tolerance };
  const stride = Math.max(1, Math.ceil(original.length / MAX_ELEMENTS));
  for (let at = 0; at < original.length; at += stride) {
    const evaluate = async (by: number): Promise<readonly [number, number]> => {
      const moved = new Float64Array(original);
      moved[at]! += by;
      const replacement = fromData(moved, { shape: input.shape, dtype: input.dtype, requiresGrad: true });
      const swap = (value: unknown): unknown => (value === input ? replacement : Array.isArray(value) ? value.map(swap) : value);
      const sum = await total(subject(op, args.map(swap), inputs.map(swap) as Tensor[], order));
      // Rounded to the type, because that is where the derivative was computed.
      const held = Number((await noGrad(() => replacement.detach()).data())[at]);
      return [sum, held];
    };
    const [[high, above], [low, below]] = [await evaluate(step), await evaluate(-step)];
    const numeric = (high - low) / (above - below);
    const allowed = atol + rtol * Math.max(Math.abs(numeric), Math.abs(given[at]!));
    if (!(Math.abs(numeric - given[at]!) <= allowed)) {
      return `the gradient of input ${index} at element ${at} is ${given[at]}; finite differences give ${numeric} (allowed difference ${allowed})`;
    }
  }
  return undefined;
}
