/**
 * Quantization: weights of 8 and 4 bits, rounded inputs, and training with both, by torchao's names.
 *
 * `import { quantize_, Int4WeightOnly } from 'lanthorn/quantization'`.
 */
export {
  BlockWeightOnly, Int4WeightOnly, Int8DynamicActivationInt8Weight, Int8WeightOnly, QuantizationConfig,
  type BlockFormat, type BlockOptions, type Int4Options, type Int8Options,
} from './config.js';
export { FakeQuantize, type FakeQuantizeOptions } from './fake-quantize.js';
export { HistogramObserver, type HistogramOptions } from './histogram.js';
export {
  MinMaxObserver, MovingAverageMinMaxObserver, Observer, PerChannelMinMaxObserver,
  type MovingAverageOptions, type ObserverOptions, type PerChannelOptions, type QParams, type QScheme,
} from './observers.js';
export { QATConfig, type QATOptions } from './qat.js';
export { dequantize, quantizationReport, quantize_, type LayerFilter, type QuantizedLayer } from './quantize.js';
export { convert, prepare, type PrepareOptions } from './static.js';
