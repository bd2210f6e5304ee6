/** The implementation of the generated functions of `nn.init`. */
import { encode, gather } from './arguments.js';
import { enter } from './runtime.js';
import { specOf } from './spec.js';
import { handleOf, type Tensor } from './tensor.js';

/** Fills the first argument with initializer `number`, and returns it. */
export function initialize(number: number, text: string, args: readonly unknown[]): Tensor {
  const spec = specOf(text);
  handleOf(spec.name, 'tensor', args[0]);
  const [words, strings] = encode(spec, gather(spec, args));
  enter((wasm) => wasm.initialize(number, words, strings));
  return args[0] as Tensor;
}

/**
 * The recommended gain of a nonlinearity (`'relu'`, `'tanh'`, `'leaky_relu'` with slope `param`,
 * …).
 */
export function calculateGain(nonlinearity: string, param?: number): number {
  return enter((wasm) => wasm.calculateGain(nonlinearity, param));
}
