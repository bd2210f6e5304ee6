/** The WebAssembly module of tokenizers, fetched at the first use. */
import start, * as module from '../../wasm/lanthorn_tokenizer.js';
import { lazyModule, type ModuleSource } from '../core/wasm-module.js';

/** The source of the tokenizers' module. */
export type InitTokenizerOptions = ModuleSource;

const tokenizers = lazyModule({
  name: 'tokenizer',
  title: "the tokenizers' module",
  content: 'tokenizer',
  init: 'initTokenizer',
  file: () => new URL('../../wasm/lanthorn_tokenizer_bg.wasm', import.meta.url),
  start,
  exports: module,
});

/** Runs a call into the module. */
export const callTokenizer = tokenizers.call;

/**
 * Loads the module before its first use, or from another URL.
 *
 * @example
 * await initTokenizer({ wasmUrl: '/assets/lanthorn_tokenizer_bg.wasm' });
 */
export function initTokenizer(options: InitTokenizerOptions = {}): Promise<void> {
  return tokenizers.init(options);
}
