/** Optimizers. */
// For compilers whose own libraries do not know Symbol.dispose yet.
/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions } from './check.js';
import { LanthornError } from './errors.js';
import { marked } from './inspect.js';
import { enter } from './runtime.js';
import { handleOf, type Tensor } from './tensor.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.optimizerDispose(handle));
  } catch {
    // The core is gone, and the optimizer with it.
  }
});

/** Changes parameters by their gradients. */
export abstract class Optimizer {
  readonly #handle: number;

  constructor(name: string, parameters: Iterable<Tensor>, options: object, known: readonly string[]) {
    if (typeof parameters?.[Symbol.iterator] !== 'function') {
      throw new LanthornError('argument', name, 'takes a list of parameters, as model.parameters() gives');
    }
    const handles = Uint32Array.from([...parameters], (parameter) => handleOf(name, 'parameters', parameter));
    const given = checkOptions(name, options, known);
    this.#handle = enter((wasm) => wasm.optimizerNew(name, handles, given));
    registry.register(this, this.#handle, this);
  }

  /** The learning rate; it may be changed at any step and recompiles nothing. */
  get lr(): number {
    return enter((wasm) => wasm.optimizerLearningRate(this.#handle));
  }

  set lr(lr: number) {
    enter((wasm) => wasm.optimizerSetLearningRate(this.#handle, lr));
  }

  /** Changes the parameters by their gradients, and runs what is recorded without waiting for it. */
  step(): void {
    marked(`${this.constructor.name}.step`, () => enter((wasm) => wasm.optimizerStep(this.#handle)));
  }

  /** Drops the gradients. */
  zeroGrad(): void {
    enter((wasm) => wasm.optimizerZeroGrad(this.#handle));
  }

  /** Lets go of the optimizer's state. */
  dispose(): void {
    registry.unregister(this);
    enter((wasm) => wasm.optimizerDispose(this.#handle));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Options of {@link SGD}, with PyTorch's meanings. */
export interface SGDOptions {
  /** default 0.001 */
  lr?: number;
  /** default 0 */
  momentum?: number;
  /** default 0 */
  dampening?: number;
  /** default 0 */
  weightDecay?: number;
  /** default false */
  nesterov?: boolean;
  /** default false */
  maximize?: boolean;
}

/** Stochastic gradient descent with momentum. */
export class SGD extends Optimizer {
  constructor(parameters: Iterable<Tensor>, options: SGDOptions = {}) {
    super('SGD', parameters, options, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov', 'maximize']);
  }
}

/** Options of {@link Adam}, with PyTorch's meanings. */
export interface AdamOptions {
  /** default 0.001 */
  lr?: number;
  /** default [0.9, 0.999] */
  betas?: readonly [number, number];
  /** default 1e-8 */
  eps?: number;
  /** default 0 */
  weightDecay?: number;
  /** default false */
  maximize?: boolean;
}

/** Adam (Kingma and Ba, 2015). */
export class Adam extends Optimizer {
  constructor(parameters: Iterable<Tensor>, options: AdamOptions = {}) {
    super('Adam', parameters, options, ['lr', 'betas', 'eps', 'weightDecay', 'maximize']);
  }
}
