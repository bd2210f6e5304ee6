/** A function with its own derivative: `log(1 + exp(x))` in a form that does not overflow. */
import { autograd } from 'lanthorn';

export class Softplus extends autograd.Function {
  static forward(ctx, x) {
    ctx.saveForBackward(x);
    // max(x, 0) + log1p(exp(-|x|))
    return x.relu().add(x.abs().neg().exp().log1p());
  }

  static backward(ctx, grad) {
    const [x] = ctx.savedTensors;
    return grad.mul(x.sigmoid());
  }
}
