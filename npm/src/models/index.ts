/**
 * Language models: GPT-2, Llama, Mistral, Qwen, Gemma and Phi, read from Hugging Face's folders and from
 * GGUF, and the generation of text.
 *
 * `import { fromPretrained, generate } from 'lanthorn/models'`.
 */
export { attend, type AttendOptions } from './attend.js';
export { KVCache, type CacheOptions } from './cache.js';
export { CausalLM, type ForwardOptions } from './causal-lm.js';
export { readConfig, type ConfigOptions, type DecoderConfig } from './config.js';
export type { ModelSource } from './files.js';
export { generate, Generation, type Generated, type GeneratedToken, type Prompt } from './generate.js';
export type { GenerateOptions, GenerationConfig, LogitsProcessor, TextTokenizer } from './generation-config.js';
export type { NumberOptions } from '../generated/generation-options.js';
export type { Weights } from './layers.js';
export { fromPretrained, type PretrainedOptions } from './pretrained.js';
export type { FinishReason } from './stopping.js';
