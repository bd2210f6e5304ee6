/** Mixed precision training, as `torch.amp`. */
import { checkFunction, checkOptions } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { type Optimizer, optimizerHandle } from '../optim/optimizer.js';
import { enter, enterAsync } from '../core/runtime.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.scalerDispose(handle));
  } catch {
    // The core is gone, and the scaler with it.
  }
});

/** Options of {@link autocast}. */
export interface AutocastOptions {
  /** The type of products; default bfloat16 */
  dtype?: 'float16' | 'bfloat16';
  /** Whether anything is cast; default true */
  enabled?: boolean;
}

/**
 * Runs `fn` with matrix products, convolutions and attention in a half type, and sums, norms and
 * losses in float32. Parameters and their gradients remain float32; call `backward()` outside. `fn`
 * must not be async, because other code that runs while it waits would be cast too.
 *
 * @example
 * const loss = autocast({ dtype: 'bfloat16' }, () => criterion.call(net.call(x), y));
 * loss.backward();
 */
export function autocast<T>(options: AutocastOptions, fn: () => T): T {
  checkFunction('autocast', fn);
  const { dtype = 'bfloat16', enabled = true } = checkOptions('autocast', options, ['dtype', 'enabled']);
  const before = enter((wasm) => wasm.setAutocast(enabled ? dtype : undefined));
  try {
    const result = fn();
    if (result instanceof Promise) throw new LanthornError('argument', 'autocast', 'the function must not be async; await outside of autocast');
    return result;
  } finally {
    enter((wasm) => wasm.setAutocast(before));
  }
}

/** Options of {@link GradScaler}, with PyTorch's meanings. */
export interface GradScalerOptions {
  /** The initial scale; default 65536 */
  initScale?: number;
  /**
   * The factor by which the scale grows after `growthInterval` steps without infinite gradients;
   * default 2
   */
  growthFactor?: number;
  /** The factor by which it shrinks after infinite gradients; default 0.5 */
  backoffFactor?: number;
  /** The number of steps without infinite gradients after which the scale grows; default 2000 */
  growthInterval?: number;
  /** Whether anything is scaled; default true */
  enabled?: boolean;
}

/**
 * Scales losses so that float16 gradients do not underflow, and skips steps whose gradients are not
 * finite.
 *
 * @example
 * scaler.scale(loss).backward();
 * await scaler.step(optimizer);
 * await scaler.update();
 */
export class GradScaler {
  #handle: number;
  readonly #open: () => number;

  constructor(options: GradScalerOptions = {}) {
    const known = ['initScale', 'growthFactor', 'backoffFactor', 'growthInterval', 'enabled'];
    const { initScale = 65536, growthFactor = 2, backoffFactor = 0.5, growthInterval = 2000, enabled = true } = checkOptions('GradScaler', options, known);
    this.#open = () => enter((wasm) => wasm.scalerNew(initScale, growthFactor, backoffFactor, growthInterval, enabled));
    this.#handle = this.#open();
    registry.register(this, this.#handle, this);
  }

  /** @internal Makes the scaler again on the device that replaced a lost one. */
  reopen(): void {
    registry.unregister(this);
    enter((wasm) => wasm.scalerDispose(this.#handle));
    this.#handle = this.#open();
    registry.register(this, this.#handle, this);
  }

  /** A loss, or other outputs, multiplied by the scale. */
  scale(outputs: Tensor): Tensor {
    const handle = handleOf('GradScaler', 'outputs', outputs);
    return Tensor.fromCore(enter((wasm) => wasm.scalerScale(this.#handle, handle)));
  }

  /**
   * Divides the gradients of an optimizer's parameters by the scale, so that they can be clipped;
   * at most once before its step.
   */
  unscale_(optimizer: Optimizer): void {
    const handle = optimizerHandle('GradScaler', optimizer);
    enter((wasm) => wasm.scalerUnscale(this.#handle, handle));
  }

  /**
   * The optimizer's step with unscaled gradients, if they are all finite; resolves to whether it
   * was taken.
   */
  async step(optimizer: Optimizer): Promise<boolean> {
    const handle = optimizerHandle('GradScaler', optimizer);
    const takes = (await enterAsync((wasm) => wasm.scalerTakesStep(this.#handle, handle))) as boolean;
    if (takes) await optimizer.step();
    return takes;
  }

  /**
   * Updates the scale after the steps of an iteration: smaller if a gradient was not finite, larger
   * after enough finite steps.
   */
  async update(): Promise<void> {
    await enterAsync((wasm) => wasm.scalerUpdate(this.#handle));
  }

  /** The scale. */
  getScale(): number {
    return enter((wasm) => wasm.scalerState(this.#handle))[0]!;
  }

  /** The state for a checkpoint. */
  stateDict(): { scale: number; _growth_tracker: number } {
    const [scale, tracker] = enter((wasm) => wasm.scalerState(this.#handle));
    return { scale: scale!, _growth_tracker: tracker! };
  }

  /** Restores a state. */
  loadStateDict(state: { scale: number; _growth_tracker: number }): void {
    enter((wasm) => wasm.scalerSetState(this.#handle, state.scale, state._growth_tracker));
  }

  /** Disposes of the scaler. */
  dispose(): void {
    registry.unregister(this);
    enter((wasm) => wasm.scalerDispose(this.#handle));
  }

  [dispose](): void {
    this.dispose();
  }
}
