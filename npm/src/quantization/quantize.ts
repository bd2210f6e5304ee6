/** Quantizing a model in place, and back. */
import { checkFunction, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { adopt, Module } from '../nn/module.js';
import { enterAsync } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';
import { itemsize } from '../tensor/views.js';
import { PACKED_NAMES } from '../generated/quantization-types.js';
import { QuantizationConfig } from './config.js';
import { QATConfig } from './qat.js';
import { checkFit, FakeWeight, labelOf, layersOf, QuantizedWeight, refuse, weightOf, type Layer, type Origin } from './weight.js';

/**
 * Says whether a layer of this name is quantized. It is asked for linear layers, convolutions and
 * embeddings.
 */
export type LayerFilter = (module: Module, name: string) => boolean;

/** Linear layers, and convolutions where weights have 8 bits and whole rows. */
const isDefault = (config: QuantizationConfig) => ({ kind }: Layer): boolean =>
  kind === 'linear' || (kind === 'conv' && config.name === 'Int8WeightOnly' && config.groupSize === null);

/** The layers that a filter takes. */
export function selected(op: string, model: unknown, filter: LayerFilter | undefined, usual: (layer: Layer) => boolean): Layer[] {
  if (!(model instanceof Module)) throw new LanthornError('argument', op, `takes a module, not ${describe(model)}`);
  if (filter !== undefined) checkFunction(op, filter);
  const layers = layersOf(model).filter((layer) => (filter ? filter(layer.module, layer.name) : usual(layer)));
  if (layers.length === 0) throw new LanthornError('argument', op, 'the model has no layer that is quantized: see the filter');
  return layers;
}

/** The configuration to which a layer is quantized. */
export interface Wanted {
  readonly layer: Layer;
  readonly weight: Tensor;
  readonly config: QuantizationConfig;
  /** Rounds the inputs, with tensors that are kept among the weight's tensors. */
  readonly input?: { readonly sources: ReadonlyMap<string, Tensor>; readonly round: NonNullable<Origin['round']> };
}

/** The quantized weight of a layer. Nothing of the layer is changed. */
async function quantizeWeight(op: string, { layer, weight, config, input }: Wanted): Promise<QuantizedWeight> {
  const { shape, dtype, requiresGrad } = weight;
  const [relativeError, ...handles] = await enterAsync((wasm) => wasm.quantizationPack(op, labelOf(layer), ...config.row, weight.coreHandle)) as Float64Array;
  const sources = new Map(handles.map((handle, index) => [PACKED_NAMES[index] as string, Tensor.fromCore(handle)]));
  for (const [name, tensor] of input?.sources ?? []) sources.set(name, tensor);
  for (const tensor of sources.values()) adopt(tensor, false);
  return new QuantizedWeight(sources, { config, kind: layer.kind, shape, dtype, requiresGrad, relativeError: relativeError!, round: input?.round });
}

/** Quantizes all of these layers, or none. A weight that another module has, too, is kept. */
export async function quantizeAll(op: string, model: Module, wanted: readonly Wanted[]): Promise<void> {
  for (const { layer, weight, config } of wanted) checkFit(op, layer, weight, config);
  const made: QuantizedWeight[] = [];
  try {
    for (const each of wanted) made.push(await quantizeWeight(op, each));
  } catch (error) {
    for (const { sources } of made) for (const tensor of sources.values()) tensor.dispose();
    throw error;
  }
  for (const [index, { layer: { module }, weight }] of wanted.entries()) {
    if (module.computed.has('weight')) module.restoreTensor('weight', weight);
    module.computeTensor('weight', made[index]!);
  }
  const held = new Set([...model.parameters(), ...model.buffers()]);
  for (const { weight } of wanted) if (!held.has(weight)) weight.dispose();
}

/** A step of quantization-aware training. */
async function quantizeTrained(op: string, model: unknown, { baseConfig, step }: QATConfig, filter?: LayerFilter): Promise<void> {
  const fakeOf = ({ module }: Layer): FakeWeight | undefined => {
    const held = module.computed.get('weight');
    return held instanceof FakeWeight ? held : undefined;
  };
  if (step === 'convert') {
    const wanted = selected(op, model, filter, (layer) => fakeOf(layer) !== undefined).map((layer): Wanted => {
      const { original, config } = fakeOf(layer) ?? refuse(op, layer, 'was not prepared for quantization-aware training');
      return { layer, weight: original, config };
    });
    return quantizeAll(op, model as Module, wanted);
  }
  const layers = selected(op, model, filter, isDefault(baseConfig));
  const weights = layers.map((layer) => weightOf(op, layer));
  layers.forEach((layer, index) => checkFit(op, layer, weights[index]!, baseConfig));
  layers.forEach(({ module }, index) => module.computeTensor('weight', new FakeWeight(new Map([['original', weights[index]!]]), baseConfig)));
}

/**
 * Quantizes the weights of a model in place, as torchao's `quantize_`, and resolves to the model.
 * Linear layers are quantized, and convolutions by `Int8WeightOnly()`; a filter chooses among
 * linear layers, convolutions and embeddings. A weight becomes buffers such as
 * `parametrizations.weight.qdata`, from which it is computed in every call; gradients go through it
 * to the inputs. The old weight is disposed of.
 *
 * Fails with an error that names the layer, and leaves the model as it was: `argument` for a layer
 * that is quantized already, has NaN or infinity, or whose input features a group does not divide;
 * `dtype` for a weight that is not floating point.
 *
 * @example
 * await quantize_(model, Int4WeightOnly({ groupSize: 32 }), (module, name) => name !== 'head');
 */
export async function quantize_<M extends Module>(model: M, config: QuantizationConfig | QATConfig, filter?: LayerFilter): Promise<M> {
  const op = 'quantize_';
  if (config instanceof QATConfig) {
    await quantizeTrained(op, model, config, filter);
    return model;
  }
  if (!(config instanceof QuantizationConfig)) {
    throw new LanthornError('argument', op, `takes a configuration such as Int8WeightOnly(), not ${describe(config)}`);
  }
  const layers = selected(op, model, filter, isDefault(config));
  await quantizeAll(op, model, layers.map((layer) => ({ layer, weight: weightOf(op, layer), config })));
  return model;
}

/** The quantized weight of a layer. */
function quantizedWeightOf({ module }: Layer): QuantizedWeight | undefined {
  const held = module.computed.get('weight');
  return held instanceof QuantizedWeight ? held : undefined;
}

/**
 * Restores the weights of quantized layers, as parameters with the rounded numbers, in place. A
 * filter chooses among the quantized layers. Throws an `argument` error if there is none.
 *
 * @example
 * dequantize(model);
 */
export function dequantize<M extends Module>(model: M, filter?: LayerFilter): M {
  for (const layer of selected('dequantize', model, filter, (layer) => quantizedWeightOf(layer) !== undefined)) {
    const held = quantizedWeightOf(layer);
    if (!held) continue;
    layer.module.restoreTensor('weight', held.asParameter());
    for (const tensor of held.sources.values()) tensor.dispose();
  }
  return model;
}

/** A quantized layer in {@link quantizationReport}. */
export interface QuantizedLayer {
  /** The name of the layer in the model. */
  name: string;
  /** The class of the layer. */
  type: string;
  /** The configuration: `Int4WeightOnly(groupSize=32)`. */
  scheme: string;
  /** The bytes of the weight as it was. */
  bytesBefore: number;
  /** The bytes of the integers with their scales. */
  bytesAfter: number;
  /** The norm of the weight's error, when it was quantized, divided by the norm of the weight. */
  relativeError: number;
}

/**
 * The quantized layers of a model, with their sizes and errors.
 *
 * @example
 * console.table(quantizationReport(model));
 */
export function quantizationReport(model: Module): QuantizedLayer[] {
  if (!(model instanceof Module)) throw new LanthornError('argument', 'quantizationReport', `takes a module, not ${describe(model)}`);
  return layersOf(model).flatMap((layer) => {
    const held = quantizedWeightOf(layer);
    if (!held) return [];
    const { shape, dtype, relativeError } = held.origin;
    const bytesBefore = shape.reduce((product, size) => product * size, itemsize(dtype));
    const bytesAfter = Array.from(held.sources.values(), ({ numel, dtype }) => numel * itemsize(dtype)).reduce((sum, size) => sum + size, 0);
    return [{ name: layer.name, type: layer.module.constructor.name, scheme: held.label, bytesBefore, bytesAfter, relativeError }];
  });
}
