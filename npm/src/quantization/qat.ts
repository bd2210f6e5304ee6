/** Quantization-aware training: weights that are rounded in every call and trained. */
import { checkOptions, describe } from '../check.js';
import { LanthornError } from '../errors.js';
import type { ComputedTensor } from '../module.js';
import type { Tensor } from '../tensor.js';
import { QuantizationConfig } from './config.js';
import { fakeTokens, schemeOf } from './scheme.js';
import { checkFit, labelOf, weightOf, type Layer } from './weight.js';

/** Options of {@link QATConfig}. */
export interface QATOptions {
  /** Rounds the weights, or makes integers of them: `prepare` before a training, `convert` after it. */
  step: 'prepare' | 'convert';
}

/**
 * Quantization-aware training with {@link quantize_}, as torchao's `QATConfig`. After the step `prepare`
 * every call rounds the weights, and inputs if the configuration does, and gradients pass through the
 * rounding; the trained weight is `parametrizations.weight.original`, the same tensor as before. The step
 * `convert` quantizes those layers by the configuration that they were prepared with.
 *
 * Throws an `argument` error for a step that is not known, and for blocks, whose scales have no gradient.
 *
 * @example
 * const config = Int4WeightOnly({ groupSize: 32 });
 * await quantize_(model, new QATConfig(config, { step: 'prepare' }));
 * train(model);
 * await quantize_(model, new QATConfig(config, { step: 'convert' }));
 */
export class QATConfig {
  readonly baseConfig: QuantizationConfig;
  readonly step: 'prepare' | 'convert';

  constructor(baseConfig: QuantizationConfig, options: QATOptions) {
    const refuse = (message: string): never => { throw new LanthornError('argument', 'QATConfig', message); };
    if (!(baseConfig instanceof QuantizationConfig)) refuse(`takes a configuration such as Int8WeightOnly(), not ${describe(baseConfig)}`);
    if (baseConfig.format !== null) refuse(`weights are not trained in blocks, as of ${baseConfig}`);
    const { step } = checkOptions('QATConfig', options, ['step']);
    if (step !== 'prepare' && step !== 'convert') refuse(`the argument step takes "prepare" or "convert", not ${JSON.stringify(step) ?? 'nothing'}`);
    [this.baseConfig, this.step] = [baseConfig, step as QATConfig['step']];
  }
}

/** A trained weight that every call rounds. */
class FakeWeight implements ComputedTensor {
  readonly sources: Map<string, Tensor>;
  readonly config: QuantizationConfig;
  readonly input?: (x: Tensor) => Tensor;

  constructor(sources: Map<string, Tensor>, config: QuantizationConfig) {
    [this.sources, this.config] = [sources, config];
    if (config.name === 'Int8DynamicActivationInt8Weight') this.input = fakeTokens;
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
    const { shape } = this.original;
    return schemeOf(this.config).fake!(this.original.reshape([shape[0]!, -1])).reshape(shape);
  }
}

/** Has the weights of layers rounded in every call. */
export function prepareFakeWeights(op: string, layers: readonly Layer[], config: QuantizationConfig): void {
  const weights = layers.map((layer) => weightOf(op, layer));
  layers.forEach((layer, index) => checkFit(op, layer, weights[index]!, config));
  layers.forEach(({ module }, index) => module.computeTensor('weight', new FakeWeight(new Map([['original', weights[index]!]]), config)));
}

/** Whether a layer's weight is rounded in every call. */
export const isPrepared = ({ module }: Layer): boolean => module.computed.get('weight') instanceof FakeWeight;

/** The trained weight of a layer that was prepared, and what it is to be quantized to. */
export function fakeWeightOf(op: string, layer: Layer): { weight: Tensor; config: QuantizationConfig } {
  const held = layer.module.computed.get('weight');
  if (held instanceof FakeWeight) return { weight: held.original, config: held.config };
  throw new LanthornError('argument', op, `${labelOf(layer)} was not prepared for quantization-aware training`);
}
