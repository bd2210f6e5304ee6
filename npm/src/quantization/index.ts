/**
 * Quantization: weights of 8 and 4 bits, rounded inputs, and training with both, by torchao's
 * names.
 *
 * `import { quantize_, Int4WeightOnly } from 'lanthorn/quantization'`.
 */
export {
  BlockWeightOnly, HistogramObserver, Int4WeightOnly, Int8DynamicActivationInt8Weight, Int8WeightOnly,
  MinMaxObserver, MovingAverageMinMaxObserver, PerChannelMinMaxObserver,
  type BlockOptions, type HistogramOptions, type Int4Options, type Int8Options, type MovingAverageOptions,
  type ObserverOptions, type PerChannelOptions,
} from '../generated/quantization.js';
export type { BlockFormat, QScheme } from '../generated/quantization-types.js';
export { QuantizationConfig } from './config.js';
export { FakeQuantize, type FakeQuantizeOptions } from './fake-quantize.js';
export { Observer, type QParams } from './observers.js';
export { QATConfig, type QATOptions } from './qat.js';
export { dequantize, quantizationReport, quantize_, type LayerFilter, type QuantizedLayer } from './quantize.js';
export { convert, prepare, type PrepareOptions } from './static.js';
