/** Quantizing a model in place, and back. */
import { noGrad } from '../autograd.js';
import { checkFunction, describe } from '../check.js';
import { LanthornError } from '../errors.js';
import { buffer, Module, parameter } from '../module.js';
import { scope } from '../scope.js';
import type { Tensor } from '../tensor.js';
import { QuantizationConfig } from './config.js';
import { fakeWeightOf, isPrepared, prepareFakeWeights, QATConfig } from './qat.js';
import { schemeOf } from './scheme.js';
import { bytesOf, checkFit, labelOf, layersOf, QuantizedWeight, weightOf, type Layer } from './weight.js';

/** Says whether a layer of this name is quantized. It is asked for linear layers, convolutions and embeddings. */
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

/** Rounds the inputs of a layer, with tensors that are kept among those of its weight. */
export interface InputRounding {
  readonly sources: ReadonlyMap<string, Tensor>;
  round(x: Tensor, sources: Map<string, Tensor>): Tensor;
}

/** Tensors as buffers. */
function kept(tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
  return new Map(Array.from(tensors, ([name, tensor]) => {
    const made = buffer(tensor);
    tensor.dispose();
    return [name, made];
  }));
}

/** The number in a tensor, which is disposed of. */
function read(tensor: Tensor): Promise<number> {
  const value = tensor.item();
  tensor.dispose();
  return value.then(Number);
}

/** The quantized weight of a layer. Nothing of the layer is changed. */
async function quantizeWeight(op: string, layer: Layer, weight: Tensor, config: QuantizationConfig, input?: InputRounding): Promise<QuantizedWeight> {
  const scheme = schemeOf(config);
  const { shape, dtype } = weight;
  // A scope ends before anything is awaited, because other code makes tensors meanwhile.
  const matrix = scope(() => weight.detach().reshape([shape[0]!, -1]).to('float32'));
  try {
    const isFinite = await read(scope(() => matrix.isfinite().all()));
    if (!isFinite) throw new LanthornError('argument', op, `${labelOf(layer)} has a weight with NaN or infinity`);
    const sources = kept(await scheme.encode(matrix, dtype));
    const difference = (): Tensor => scheme.decode(sources, dtype).to('float32').sub(matrix);
    const [error, norm] = await Promise.all([difference, () => matrix].map((of) => read(scope(() => of().square().sum().sqrt()))));
    const relativeError = norm === 0 ? 0 : error! / norm!;
    for (const [name, tensor] of kept(input?.sources ?? new Map())) sources.set(name, tensor);
    return new QuantizedWeight(sources, { config, shape, dtype, requiresGrad: weight.requiresGrad, relativeError }, layer.kind, input?.round);
  } finally {
    matrix.dispose();
  }
}

/** What a layer is to be quantized to. */
export interface Wanted {
  readonly layer: Layer;
  readonly weight: Tensor;
  readonly config: QuantizationConfig;
  readonly input?: InputRounding;
}

/** Quantizes all of these layers, or none. A weight that another module has, too, is kept. */
export async function quantizeAll(op: string, model: Module, wanted: readonly Wanted[]): Promise<void> {
  for (const { layer, weight, config } of wanted) checkFit(op, layer, weight, config);
  const made: QuantizedWeight[] = [];
  try {
    for (const { layer, weight, config, input } of wanted) made.push(await quantizeWeight(op, layer, weight, config, input));
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

/**
 * Quantizes the weights of a model in place, as torchao's `quantize_`, and resolves to the model. Linear
 * layers are quantized, and convolutions by `Int8WeightOnly()`; a filter chooses among linear layers,
 * convolutions and embeddings. A weight becomes buffers such as `parametrizations.weight.qdata`, from
 * which it is computed in every call; gradients go through it to the inputs. The old weight is disposed of.
 *
 * Fails with an error that names the layer, and leaves the model as it was: `argument` for a layer that is
 * quantized already, has NaN or infinity, or whose input features a group does not divide; `dtype` for a
 * weight that is not floating point.
 *
 * @example
 * await quantize_(model, Int4WeightOnly({ groupSize: 32 }), (module, name) => name !== 'head');
 */
export async function quantize_<M extends Module>(model: M, config: QuantizationConfig | QATConfig, filter?: LayerFilter): Promise<M> {
  const op = 'quantize_';
  if (config instanceof QATConfig) {
    const layers = selected(op, model, filter, config.step === 'prepare' ? isDefault(config.baseConfig) : isPrepared);
    if (config.step === 'prepare') prepareFakeWeights(op, layers, config.baseConfig);
    else await quantizeAll(op, model, layers.map((layer) => ({ layer, ...fakeWeightOf(op, layer) })));
    return model;
  }
  if (!(config instanceof QuantizationConfig)) {
    throw new LanthornError('argument', op, `takes a configuration such as Int8WeightOnly(), not ${describe(config)}`);
  }
  const layers = selected(op, model, filter, isDefault(config));
  await quantizeAll(op, model, layers.map((layer) => ({ layer, weight: weightOf(op, layer), config })));
  return model;
}

/**
 * Gives quantized layers their weights back, as parameters with the rounded numbers, in place. A filter
 * chooses among the quantized layers. Throws an `argument` error if there is none.
 *
 * @example
 * dequantize(model);
 */
export function dequantize<M extends Module>(model: M, filter?: LayerFilter): M {
  const isQuantized = ({ module }: Layer): boolean => module.computed.get('weight') instanceof QuantizedWeight;
  for (const { module } of selected('dequantize', model, filter, isQuantized)) {
    const held = module.computed.get('weight');
    if (!(held instanceof QuantizedWeight)) continue;
    const weight = scope(() => parameter(noGrad(() => held.compute())).requiresGrad_(held.origin.requiresGrad));
    module.restoreTensor('weight', weight);
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
  return layersOf(model).flatMap(({ name, module }) => {
    const held = module.computed.get('weight');
    if (!(held instanceof QuantizedWeight)) return [];
    const { shape, dtype, relativeError } = held.origin;
    const [bytesBefore, bytesAfter] = [bytesOf([{ shape, dtype }]), bytesOf(held.sources.values())];
    return [{ name, type: module.constructor.name, scheme: held.label, bytesBefore, bytesAfter, relativeError }];
  });
}
