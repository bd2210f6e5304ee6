/**
 * The gate of a transformer's feed-forward layer (Shazeer, "GLU Variants Improve Transformer",
 * 2020), as one kernel.
 */
import { library } from 'lanthorn';

export const swiglu = library.customOp('example::swiglu(Tensor gate, Tensor up, float beta=1.0) -> Tensor', {
  // The shape and type of the result; an exception reaches the caller.
  fake(gate, up) {
    if (String(gate.shape) !== String(up.shape)) {
      throw new RangeError(`swiglu: gate is [${gate.shape}], up is [${up.shape}]`);
    }
    return gate;
  },

  // The statements of a function of `i`, run for every element of the result.
  wgsl: `let g = gate(i);
set_out(i, g / (1.0 + exp(-beta * g)) * up(i));`,

  // A function over typed arrays.
  cpu({ gate, up, beta, out }) {
    for (let i = 0; i < out.data.length; i += 1) {
      const g = gate.data[i];
      out.data[i] = (g / (1 + Math.exp(-beta * g))) * up.data[i];
    }
  },

  // The same in other operations, for a device without a kernel; `opcheck` compares the two.
  fallback: (gate, up, beta) => gate.mul(gate.mul(beta).sigmoid()).mul(up),

  setupContext(ctx, [gate, up, beta]) {
    ctx.saveForBackward(gate, up);
    ctx.beta = beta;
  },

  backward(ctx, grad) {
    const [gate, up] = ctx.savedTensors;
    const sigmoid = gate.mul(ctx.beta).sigmoid();
    const slope = sigmoid.add(gate.mul(ctx.beta).mul(sigmoid).mul(sigmoid.neg().add(1)));
    return [grad.mul(up).mul(slope), grad.mul(gate).mul(sigmoid), null];
  },
});
