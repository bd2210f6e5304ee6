/** The quantized weight of a layer, and the layers that have one. */
import { LanthornError } from '../errors.js';
import type { ComputedTensor, Module } from '../module.js';
import { Conv1d, Conv2d, Conv3d, Embedding, Linear } from '../modules.generated.js';
import type { Tensor } from '../tensor.js';
import type { DType } from '../types.js';
import { BLOCK_ELEMENTS, type QuantizationConfig } from './config.js';
import { fakeTokens, schemeOf, type Scheme } from './scheme.js';

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

/** The weight of a layer that is about to be quantized. */
export function weightOf(op: string, layer: Layer): Tensor {
  const refuse = (kind: 'argument' | 'dtype', message: string): never => {
    throw new LanthornError(kind, op, `${labelOf(layer)} ${message}`);
  };
  const held = layer.module.computed.get('weight');
  // A parametrization, such as a weight norm, is no configuration.
  if (held && ('origin' in held || 'config' in held)) refuse('argument', `is quantized already, by ${held.label}`);
  const weight = [...layer.module.ownParameters()].find(([name]) => name === 'weight')?.[1];
  if (!weight) return refuse('argument', 'has no parameter weight: a parametrization computes it');
  if (!weight.dtype.startsWith('float') && weight.dtype !== 'bfloat16') refuse('dtype', `has a weight of ${weight.dtype}, and floating-point weights are quantized`);
  return weight;
}

/** Checks that a configuration fits a layer. */
export function checkFit(op: string, layer: Layer, weight: Tensor, config: QuantizationConfig): void {
  const columns = weight.shape.slice(1).reduce((product, size) => product * size, 1);
  const size = config.groupSize;
  const refuse = (message: string): never => { throw new LanthornError('argument', op, `${labelOf(layer)} ${message}`); };
  if (config.name === 'Int8DynamicActivationInt8Weight' && layer.kind !== 'linear') {
    refuse(`is a ${layer.module.constructor.name}, and inputs are rounded in linear layers alone`);
  }
  if (weight.shape.length < 2 || columns === 0) refuse(`has a weight of shape [${weight.shape.join(', ')}], which has no rows`);
  if (size !== null && columns % size !== 0) {
    const name = config.format ? `the ${BLOCK_ELEMENTS} numbers of a block` : `groupSize ${size}`;
    refuse(`has ${columns} input features, which ${name} ${config.format ? 'do' : 'does'} not divide`);
  }
}

/** What a quantized weight was made of. */
export interface Origin {
  readonly config: QuantizationConfig;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly requiresGrad: boolean;
  /** The norm of the weight's error divided by that of the weight. */
  readonly relativeError: number;
}

/** A weight that is computed from bytes and scales before every call. */
export class QuantizedWeight implements ComputedTensor {
  readonly sources: Map<string, Tensor>;
  readonly origin: Origin;
  readonly #scheme: Scheme;
  /** Computes the result of an embedding, from the rows that it reads. */
  readonly forward?: (ids: Tensor) => Tensor;
  /** Rounds the inputs. */
  readonly input?: (x: Tensor) => Tensor;

  constructor(
    sources: Map<string, Tensor>, origin: Origin, private readonly kind: LayerKind,
    private readonly round?: (x: Tensor, sources: Map<string, Tensor>) => Tensor,
  ) {
    [this.sources, this.origin, this.#scheme] = [sources, origin, schemeOf(origin.config)];
    if (kind === 'embedding') this.forward = (ids) => this.#rows(ids);
    if (round) this.input = (x) => round(x, sources);
    else if (origin.config.name === 'Int8DynamicActivationInt8Weight') this.input = fakeTokens;
  }

  get label(): string {
    return String(this.origin.config);
  }

  compute(): Tensor {
    return this.#scheme.decode(this.sources, this.origin.dtype).reshape(this.origin.shape);
  }

  over(sources: Map<string, Tensor>): QuantizedWeight {
    return new QuantizedWeight(sources, this.origin, this.kind, this.round);
  }

  #rows(ids: Tensor): Tensor {
    const flat = ids.reshape([-1]);
    const picked = new Map(Array.from(this.sources, ([name, tensor]) => [name, tensor.indexSelect(0, flat)]));
    return this.#scheme.decode(picked, this.origin.dtype).reshape([...ids.shape, this.origin.shape[1]!]);
  }
}

/** The bytes of tensors. */
export function bytesOf(tensors: Iterable<{ shape: readonly number[]; dtype: DType }>): number {
  const sizes: Partial<Record<DType, number>> = { float64: 8, int64: 8, float32: 4, int32: 4, float16: 2, bfloat16: 2 };
  let sum = 0;
  for (const { shape, dtype } of tensors) sum += shape.reduce((product, size) => product * size, sizes[dtype] ?? 1);
  return sum;
}
