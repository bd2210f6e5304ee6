/**
 * Tensors in files: safetensors, PyTorch checkpoints, npy, npz and GGUF.
 *
 * `import { load, save } from 'lanthorn/io'`. The readers are a separate WebAssembly module, which
 * is fetched at the first use.
 */
export * from './files.js';
export type { LeftOut, Loaded, LoadOptions, LoadProgress } from './options.js';
export { initIo, type InitIoOptions } from './module.js';
export type { Source } from './source.js';
export { QuantizedTensor, type BlockFormat } from '../tensor/quantized-tensor.js';
export * as opfs from './opfs.js';
