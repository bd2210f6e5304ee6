/**
 * Text to ids and back: Hugging Face's `tokenizer.json`, SentencePiece's `.model`, and the tokenizers
 * in GGUF files; and chat templates.
 *
 * `import { Tokenizer } from 'lanthorn/tokenizer'`. The tokenizers are a separate WebAssembly module,
 * which is fetched at the first use; they need no device.
 */
export * from './tokenizer.js';
export { DecodeStream } from './stream.js';
export type { BatchOptions, BatchEncoding, DecodeOptions, EncodeOptions, Encoding, PaddingOptions, TruncationOptions } from './options.js';
export { initTokenizer, type InitTokenizerOptions } from './module.js';
export type { Source } from '../io/source.js';
