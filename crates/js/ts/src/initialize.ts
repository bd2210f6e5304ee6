/** How the printed functions of `nn.init` fill a tensor. */
import { encode, gather, type Spec } from './call.js';
import { enter } from './runtime.js';
import { handleOf, type Tensor } from './tensor.js';

/** Fills the first argument by initializer `number`, and gives it back. */
export function initialize(number: number, spec: Spec, args: readonly unknown[]): Tensor {
  handleOf(spec.name, 'tensor', args[0]);
  const [words, strings] = encode(spec.name, spec.params, gather(spec, args));
  enter((wasm) => wasm.initialize(number, words, strings));
  return args[0] as Tensor;
}

/** By what a nonlinearity (`'relu'`, `'tanh'`, `'leaky_relu'` of slope `param`, …) shrinks the standard deviation. */
export function calculateGain(nonlinearity: string, param?: number): number {
  return enter((wasm) => wasm.calculateGain(nonlinearity, param));
}
