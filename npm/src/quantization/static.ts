/** Static quantization: the ranges of inputs are noted on calibration data, and fixed. */
import { TEXTS } from '../generated/kinds.js';
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { Module } from '../nn/module.js';
import { fakeQuantizePerTensorAffine } from '../generated/operations.js';
import type { HookHandle, Tensor } from '../tensor/tensor.js';
import { HistogramObserver, Int8WeightOnly } from '../generated/quantization.js';
import { Observer } from './observers.js';
import { quantizeAll, selected, type LayerFilter, type Wanted } from './quantize.js';
import { checkFit, refuse, weightOf, type Layer, type Origin } from './weight.js';

/** Options of {@link prepare}. */
export interface PrepareOptions {
  /** Makes the observer of a layer's inputs; default `() => new HistogramObserver()` */
  observer?: () => Observer;
  /** Chooses among linear layers and convolutions; all of them if it is left out */
  filter?: LayerFilter;
}

/** The observers of layers that were prepared, and their hooks. */
const prepared = new WeakMap<Module, { observer: Observer; hook: HookHandle }>();

const isUsual = ({ kind }: Layer): boolean => kind !== 'embedding';

/**
 * Has the inputs of linear layers and convolutions observed from now on, as
 * `torch.ao.quantization.prepare`. Run the model on calibration data then, and {@link convert} it.
 *
 * Throws an `argument` error that names the layer for one that is quantized or prepared already,
 * for an embedding, and for observers of channels.
 *
 * @example
 * prepare(model);
 * for (const x of calibration) model.call(x);
 * await convert(model);
 */
export function prepare<M extends Module>(model: M, options: PrepareOptions = {}): M {
  const op = 'prepare';
  const { observer = () => new HistogramObserver(), filter } = checkOptions(op, options, ['observer', 'filter']);
  checkFunction(op, observer);
  const layers = selected(op, model, filter, isUsual);
  const made = layers.map((layer) => {
    checkFit(op, layer, weightOf(op, layer), Int8WeightOnly());
    if (prepared.has(layer.module)) refuse(op, layer, 'is prepared already');
    if (layer.kind === 'embedding') refuse(op, layer, 'is an Embedding, whose inputs are whole numbers');
    const own = observer();
    if (!(own instanceof Observer)) refuse(op, layer, `needs an observer, and observer() returned ${describe(own)}`);
    if (own.qscheme.startsWith('per_channel')) refuse(op, layer, 'takes an observer of whole tensors');
    return own;
  });
  for (const [index, { module }] of layers.entries()) {
    const own = made[index]!;
    const hook = module.registerForwardPreHook((_, inputs) => { own.call(inputs[0] as Tensor); });
    prepared.set(module, { observer: own, hook });
  }
  return model;
}

/** Rounds inputs to the fixed grid of a layer. */
function rounding({ quantMin, quantMax }: Observer): NonNullable<Origin['round']> {
  return (x, sources) =>
    fakeQuantizePerTensorAffine(x, sources.get('input_scale')!, sources.get('input_zero_point')!, quantMin, quantMax);
}

/**
 * Quantizes the layers that {@link prepare} has observed, in place: inputs are rounded to the
 * observed grid, and weights to 8 bits with a scale for each output channel, as
 * `torch.ao.quantization.convert`. The grid is the buffers `parametrizations.weight.input_scale`
 * and `.input_zero_point`.
 *
 * Fails with an `argument` error that names the layer if it has observed no numbers, or only NaN
 * and infinity; the model is as it was then.
 */
export async function convert<M extends Module>(model: M): Promise<M> {
  const op = 'convert';
  if (!(model instanceof Module)) throw new LanthornError('argument', op, `takes a module, not ${describe(model)}`);
  const layers = selected(op, model, (module) => prepared.has(module), isUsual);
  const wanted: Wanted[] = [];
  for (const layer of layers) {
    const { observer } = prepared.get(layer.module)!;
    if (!observer.hasObserved) refuse(op, layer, TEXTS.nothingObserved);
    const { scale, zeroPoint } = await observer.calculateQParams();
    if (!(Number(await scale.sum().item()) < Infinity)) refuse(op, layer, 'has observed NaN or infinity');
    const sources = new Map([['input_scale', scale.reshape([1])], ['input_zero_point', zeroPoint.reshape([1])]]);
    for (const tensor of [scale, zeroPoint]) tensor.dispose();
    wanted.push({ layer, weight: weightOf(op, layer), config: Int8WeightOnly(), input: { sources, round: rounding(observer) } });
  }
  await quantizeAll(op, model, wanted);
  for (const { module } of layers) {
    prepared.get(module)!.hook.remove();
    prepared.delete(module);
  }
  return model;
}
