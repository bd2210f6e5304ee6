/**
 * The layers that can be quantized, and the weights that replace theirs. The core computes these.
 */
import { LanthornError } from '../core/errors.js';
import { parameter, type ComputedTensor, type Module } from '../nn/module.js';
import { noGrad } from '../autograd/mode.js';
import { Conv1d, Conv2d, Conv3d, Embedding, Linear } from '../generated/modules.js';
import { enter } from '../core/runtime.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';
import { PACKED_NAMES } from '../generated/quantization-types.js';
import type { QuantizationConfig } from './config.js';

/** The kinds of layers that are quantized. */
export type LayerKind = 'linear' | 'conv' | 'embedding';

/** A layer of a model that can be quantized. */
export interface Layer {
  readonly name: string;
  readonly module: Module;
  readonly kind: LayerKind;
}

function kindOf(module: Module): LayerKind | undefined {
  if (module instanceof Linear) return 'linear';
  if (module instanceof Embedding) return 'embedding';
  return [Conv1d, Conv2d, Conv3d].some((type) => module instanceof type) ? 'conv' : undefined;
}

/** The layers of a model that can be quantized, by name. */
export function layersOf(model: Module): Layer[] {
  return Array.from(model.namedModules(), ([name, module]) => ({ name, module, kind: kindOf(module)! }))
    .filter(({ kind }) => kind !== undefined);
}

/** How an error names a layer: by its name in the model, or by its class if it is the model. */
export function labelOf({ name, module }: Layer): string {
  return name === '' ? `the ${module.constructor.name}` : `the layer ${JSON.stringify(name)}`;
}

/** Throws an error that names a layer. */
export function refuse(op: string, layer: Layer, message: string): never {
  throw new LanthornError('argument', op, `${labelOf(layer)} ${message}`);
}

/** The weight of a layer that is about to be quantized. */
export function weightOf(op: string, layer: Layer): Tensor {
  const held = layer.module.computed.get('weight');
  // A parametrization, such as a weight norm, is no configuration.
  if (held instanceof QuantizedWeight || held instanceof FakeWeight) refuse(op, layer, `is quantized already, by ${held.label}`);
  const weight = [...layer.module.ownParameters()].find(([name]) => name === 'weight')?.[1];
  return weight ?? refuse(op, layer, 'has no parameter weight: a parametrization computes it');
}

/** Checks that a configuration fits a layer. */
export function checkFit(op: string, layer: Layer, weight: Tensor, { name, row }: QuantizationConfig): void {
  if (name === 'Int8DynamicActivationInt8Weight' && layer.kind !== 'linear') {
    refuse(op, layer, `is a ${layer.module.constructor.name}, and inputs are rounded in linear layers alone`);
  }
  enter((wasm) => wasm.quantizationCheck(op, labelOf(layer), ...row, weight.coreHandle));
}

/** Rounds the inputs of layers, if a configuration does. */
function rounding({ name, row }: QuantizationConfig): ((x: Tensor) => Tensor) | undefined {
  if (name !== 'Int8DynamicActivationInt8Weight') return undefined;
  return (x) => Tensor.fromCore(enter((wasm) => wasm.quantizationRoundInput(...row, x.coreHandle)));
}

/** A trained weight that every call rounds. */
export class FakeWeight implements ComputedTensor {
  readonly input?: (x: Tensor) => Tensor;

  constructor(readonly sources: Map<string, Tensor>, readonly config: QuantizationConfig) {
    this.input = rounding(config);
  }

  get label(): string {
    return `QAT ${this.config}`;
  }

  get original(): Tensor {
    return this.sources.get('original')!;
  }

  over(sources: Map<string, Tensor>): FakeWeight {
    return new FakeWeight(sources, this.config);
  }

  compute(): Tensor {
    return Tensor.fromCore(enter((wasm) => wasm.quantizationRoundWeight(...this.config.row, this.original.coreHandle)));
  }
}

/** The source of a quantized weight. */
export interface Origin {
  readonly config: QuantizationConfig;
  readonly kind: LayerKind;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly requiresGrad: boolean;
  /** The norm of the weight's error divided by the norm of the weight. */
  readonly relativeError: number;
  /** Rounds the inputs with some of the weight's tensors. */
  readonly round?: (x: Tensor, sources: ReadonlyMap<string, Tensor>) => Tensor;
}

/** A weight that is computed from bytes and scales before every call. */
export class QuantizedWeight implements ComputedTensor {
  /** Computes the result of an embedding, from the rows that it reads. */
  readonly forward?: (ids: Tensor) => Tensor;
  readonly input?: (x: Tensor) => Tensor;

  constructor(readonly sources: Map<string, Tensor>, readonly origin: Origin) {
    const { config, kind, round } = origin;
    if (kind === 'embedding') this.forward = (ids) => this.#rows(ids);
    this.input = round ? (x) => round(x, sources) : rounding(config);
  }

  get label(): string {
    return String(this.origin.config);
  }

  compute(): Tensor {
    return this.#unpack((tensor) => tensor, this.origin.shape);
  }

  /** The weight as a parameter: the rounded numbers. */
  asParameter(): Tensor {
    return scope(() => parameter(noGrad(() => this.compute()), { requiresGrad: this.origin.requiresGrad }));
  }

  over(sources: Map<string, Tensor>): QuantizedWeight {
    return new QuantizedWeight(sources, this.origin);
  }

  #rows(ids: Tensor): Tensor {
    return scope(() => {
      const flat = ids.reshape([-1]);
      return this.#unpack((tensor) => tensor.indexSelect(0, flat), [...ids.shape, this.origin.shape[1]!]);
    });
  }

  #unpack(part: (tensor: Tensor) => Tensor, shape: readonly number[]): Tensor {
    const packed = PACKED_NAMES.flatMap((name) => this.sources.get(name) ?? []);
    const handles = Uint32Array.from(packed, (tensor) => part(tensor).coreHandle);
    const { config, dtype } = this.origin;
    return Tensor.fromCore(enter((wasm) => wasm.quantizationUnpack(...config.row, handles, Uint32Array.from(shape), dtype)));
  }
}
