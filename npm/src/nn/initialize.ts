/** The implementation of the generated functions of `nn.init`. */
import { encode, gather } from '../tensor/arguments.js';
import { drawing } from '../tensor/call.js';
import { enter } from '../core/runtime.js';
import { specOf } from '../tensor/spec.js';
import { handleOf, type Tensor } from '../tensor/tensor.js';

/** Fills the first argument with initializer `number`, and returns it. */
export function initialize(number: number, text: string, args: readonly unknown[]): Tensor {
  const spec = specOf(text);
  handleOf(spec.name, 'tensor', args[0]);
  return drawing(spec.name, args, (given) => {
    const [words, strings] = encode(spec, gather(spec, given));
    enter((wasm) => wasm.initialize(number, words, strings));
    return args[0] as Tensor;
  });
}

/** The recommended gain of a nonlinearity. */
export function gain(text: string, args: readonly unknown[]): number {
  const [nonlinearity, param] = gather(specOf(text), args);
  return enter((wasm) => wasm.calculateGain(String(nonlinearity), (param ?? undefined) as number | undefined));
}
