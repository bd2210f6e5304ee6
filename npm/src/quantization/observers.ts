/**
 * Observers: the ranges of the numbers that pass a module, as `torch.ao.quantization`. Their
 * classes are printed from the core's table, and the core computes; here are the buffers and the
 * forward calls.
 */
import { TEXTS } from '../generated/kinds.js';
import { encode, gather } from '../tensor/arguments.js';
import type { Core } from '../core/core.js';
import { LanthornError } from '../core/errors.js';
import { buffer, Module } from '../nn/module.js';
import { full } from '../generated/operations.js';
import { enter } from '../core/runtime.js';
import { scope } from '../tensor/scope.js';
import { specOf } from '../tensor/spec.js';
import { handleOf, Tensor } from '../tensor/tensor.js';
import type { QScheme } from '../generated/quantization-types.js';

/** A scale and a zero point: `scale * (integer - zeroPoint)`. */
export interface QParams {
  /** float32, one number or one for each channel */
  scale: Tensor;
  /** int32, in the shape of the scale */
  zeroPoint: Tensor;
}

/** The parameters whose handles a call of the core returns. */
function qparams([scale, zeroPoint]: Uint32Array): QParams {
  return { scale: Tensor.fromCore(scale!), zeroPoint: Tensor.fromCore(zeroPoint!) };
}

/**
 * Copies the elements of tensors to a module's buffers, and disposes of the tensors. A buffer of
 * another number of elements is replaced.
 */
export function store(module: Module, values: Readonly<Record<string, Tensor>>): void {
  const buffers = module as unknown as Record<string, Tensor>;
  scope((keep) => {
    for (const [name, value] of Object.entries(values)) {
      const known = buffers[name]!;
      if (known.numel === value.numel) known.copy_(value);
      else {
        buffers[name] = keep(buffer(value));
        known.dispose();
      }
      value.dispose();
    }
  });
}

/** A module that returns its input and notes its range. */
export abstract class Observer extends Module {
  /** @internal The class's row of the core's table: its number, and the constructor. */
  static readonly row: readonly [number: number, constructor: string];

  declare readonly qscheme: QScheme;
  declare readonly quantMin: number;
  declare readonly quantMax: number;
  /** Whether a tensor has been observed. */
  readonly hasObserved: boolean = false;

  /** @internal */
  constructor(args: readonly unknown[]) {
    super();
    const [number, text] = this.ownRow;
    const spec = specOf(text);
    const [words, strings] = encode(spec, gather(spec, args));
    const values = enter((wasm) => wasm.observerOptions(number, words, strings));
    spec.params.forEach((name, index) => { (this as unknown as Record<string, unknown>)[name] = values[index]; });
  }

  private get ownRow(): readonly [number, string] {
    return (this.constructor as typeof Observer).row;
  }

  /** @internal A call of the core with the constructor's arguments. */
  protected inCore<T>(call: (wasm: Core, ...row: [number: number, words: Float64Array, strings: string[]]) => T): T {
    const [number, text] = this.ownRow;
    const spec = specOf(text);
    const [words, strings] = encode(spec, spec.params.map((name) => (this as unknown as Record<string, unknown>)[name]));
    return enter((wasm) => call(wasm, number, words, strings));
  }

  /** Notes the range of `x`, and returns `x`. */
  override forward(x: Tensor): Tensor {
    handleOf(this.constructor.name, 'x', x);
    if (x.shape.includes(0)) return x;
    this.observe(x);
    (this as { hasObserved: boolean }).hasObserved = true;
    return x;
  }

  /** @internal Notes the range of a tensor with elements. */
  protected abstract observe(x: Tensor): void;

  /** The scale and the zero point of the observed range; an `argument` error before one. */
  abstract calculateQParams(): QParams | Promise<QParams>;

  /** @internal */
  protected checkObserved(): void {
    if (!this.hasObserved) throw new LanthornError('argument', this.constructor.name, TEXTS.nothingObserved);
  }

  override extraRepr(): string {
    return specOf(this.ownRow[1]).params.map((name) => `${name}=${(this as unknown as Record<string, unknown>)[name]}`).join(', ');
  }
}

/** An observer of the smallest and the largest number, of all or of each channel. */
export abstract class RangeObserver extends Observer {
  minVal: Tensor;
  maxVal: Tensor;

  /** @internal */
  constructor(args: readonly unknown[]) {
    super(args);
    const shape = this.qscheme.startsWith('per_channel') ? [0] : [];
    [this.minVal, this.maxVal] = [buffer(full(shape, Infinity)), buffer(full(shape, -Infinity))];
  }

  /** @internal */
  protected override observe(x: Tensor): void {
    const known = [this.minVal.coreHandle, this.maxVal.coreHandle] as const;
    const [low, high] = this.inCore((wasm, ...row) => wasm.observerObserve(...row, ...known, x.coreHandle));
    store(this, { minVal: Tensor.fromCore(low!), maxVal: Tensor.fromCore(high!) });
  }

  calculateQParams(): QParams {
    this.checkObserved();
    return qparams(this.inCore((wasm, ...row) => wasm.observerQParams(...row, this.minVal.coreHandle, this.maxVal.coreHandle)));
  }
}

/** An observer of a histogram on the host: a tensor is read while the next batch is computed. */
export abstract class CountingObserver extends Observer {
  /** The core's row of the numbers that were read, and the reading of the others. */
  private readonly counted: { row: Float64Array; pending: Promise<void> } = { row: new Float64Array(), pending: Promise.resolve() };

  /** @internal */
  protected override observe(x: Tensor): void {
    const { counted } = this;
    const copy = scope(() => x.detach().to('float32'));
    const read = copy.data();
    copy.dispose();
    counted.pending = Promise.all([counted.pending, read]).then(([, values]) => {
      counted.row = this.inCore((wasm, ...row) => wasm.histogramCount(...row, counted.row, values));
    });
    // Errors are as of calculateQParams.
    counted.pending.catch(() => {});
  }

  async calculateQParams(): Promise<QParams> {
    this.checkObserved();
    await this.counted.pending;
    return qparams(this.inCore((wasm, ...row) => wasm.histogramQParams(...row, this.counted.row)));
  }
}
