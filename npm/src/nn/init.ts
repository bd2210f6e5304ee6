/** Initializers of parameters, as `torch.nn.init`. */
import { LanthornError } from '../core/errors.js';
import { handleOf, type Tensor } from '../tensor/tensor.js';

export * from '../generated/init.js';

/**
 * The numbers of inputs and outputs that an element of a weight `[out, in, ..]` connects, as
 * PyTorch's function of this name.
 *
 * @example
 * const [fanIn, fanOut] = nn.init._calculateFanInAndFanOut(zeros(4, 3, 5, 5)); // [75, 100]
 */
export function _calculateFanInAndFanOut(weight: Tensor): [fanIn: number, fanOut: number] {
  const op = '_calculateFanInAndFanOut';
  handleOf(op, 'weight', weight);
  const [outputs, inputs, ...window] = weight.shape;
  if (outputs === undefined || inputs === undefined) throw new LanthornError('shape', op, `a weight has at least 2 dimensions, not shape [${weight.shape.join(', ')}]`);
  const taps = window.reduce((product, size) => product * size, 1);
  return [inputs * taps, outputs * taps];
}
