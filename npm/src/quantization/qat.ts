/** The steps of quantization-aware training. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { QuantizationConfig } from './config.js';

/** Options of {@link QATConfig}. */
export interface QATOptions {
  /**
   * Rounds the weights, or makes integers of them: `prepare` before a training, `convert` after it.
   */
  step: 'prepare' | 'convert';
}

/**
 * Quantization-aware training with {@link quantize_}, as torchao's `QATConfig`. After the step
 * `prepare` every call rounds the weights, and inputs if the configuration does, and gradients pass
 * through the rounding; the trained weight is `parametrizations.weight.original`, the same tensor
 * as before. The step `convert` quantizes those layers by the configuration that they were prepared
 * with.
 *
 * Throws an `argument` error for a step that is not known, and for blocks, whose scales have no
 * gradient.
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
