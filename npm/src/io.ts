/**
 * Tensors in files: safetensors, PyTorch checkpoints, npy, npz and GGUF.
 *
 * `import { load, save } from 'lanthorn/io'`. The readers are a separate WebAssembly module, which
 * is fetched at the first use.
 */
export * from './io-files.js';
export { initIo, type InitIoOptions } from './io-module.js';
export type { Source } from './io-source.js';
export { QuantizedTensor, type BlockFormat } from './quantized-tensor.js';
export * as opfs from './opfs.js';
