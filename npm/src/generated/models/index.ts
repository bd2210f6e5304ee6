// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Language models: GPT-2, Llama, Mistral, Qwen, Gemma and Phi, read from Hugging Face's folders
 * and from GGUF, and the generation of tokens and, with a tokenizer, of text.
 *
 * One decoder serves all families: `families.json`, which the npm package also reads, has the
 * parts of each family and their names in its files. Rejected: a file for each family, which
 * repeats the same computation with other names.
 */
export * as options from './options/index.js';
export { DecoderConfig } from './decoder/config.js';
