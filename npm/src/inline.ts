/**
 * The entry `lanthorn/inline`: once it is imported, the WebAssembly modules are JavaScript of the
 * program instead of separate files. It is for bundlers without `new URL(…, import.meta.url)`, for
 * programs in a single file, and for service workers, which may not import while they run.
 * Compressed, the modules are as large as their files. A bundler that splits code writes a file for
 * each, so that a page still fetches only the modules that it uses.
 *
 * @example
 * import 'lanthorn/inline';
 * import { init } from 'lanthorn';
 * await init();
 */
import { inline } from './core/inlined.js';

inline({
  webgpu: () => import('../wasm/lanthorn_webgpu_inline.js'),
  cpu: () => import('../wasm/lanthorn_cpu_inline.js'),
  io: () => import('../wasm/lanthorn_io_inline.js'),
  onnx: () => import('../wasm/lanthorn_onnx_inline.js'),
  onnx_writer: () => import('../wasm/lanthorn_onnx_writer_inline.js'),
  program: () => import('../wasm/lanthorn_program_inline.js'),
  tokenizer: () => import('../wasm/lanthorn_tokenizer_inline.js'),
});
