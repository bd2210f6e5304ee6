/** The options of `generate`, with the names of transformers' `GenerationConfig`. */
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Tensor } from '../tensor/tensor.js';
import type { KVCache } from './cache.js';
import { CausalLM } from './causal-lm.js';
import { NUMBER_OPTIONS, type NumberOptions } from '../generated/generation-options.js';

/** What `generate` needs of a tokenizer: `Tokenizer` of `lanthorn/tokenizer` has it. */
export interface TextTokenizer {
  encode(text: string, options?: { padding?: boolean; truncation?: boolean }): { ids: ArrayLike<number> };
  decodeStream(options?: { skipSpecialTokens?: boolean }): { push(id: number): string; finish(): string };
  readonly vocabSize: number;
}

/**
 * Changes the logits of the next token: receives the ids so far by row, prompts included, and the
 * logits `[batch, vocabSize]`, and returns others of that shape.
 */
export type LogitsProcessor = (ids: readonly (readonly number[])[], logits: Tensor) => Tensor;

/** How the next tokens are chosen. */
export interface GenerationConfig extends NumberOptions {
  /** Whether tokens are drawn at random (default: false, the most likely one). */
  doSample?: boolean;
  /** Texts that end a row; they are not part of its text. Needs a tokenizer. */
  stopStrings?: string | readonly string[];
  /** The seed of random choices (default: another one at each call). */
  seed?: number;
  /** The ids that end a row (default: the model's). */
  eosTokenId?: number | readonly number[] | null;
  /** Functions that change logits, before the temperature. */
  logitsProcessor?: LogitsProcessor | readonly LogitsProcessor[];
}

/** Options of `generate`. */
export interface GenerateOptions extends GenerationConfig {
  /** Encodes prompts that are strings, and decodes the tokens to text. */
  tokenizer?: TextTokenizer;
  /** The keys and values of a conversation to continue; kept afterwards. */
  cache?: KVCache;
  /**
   * A smaller model with the same vocabulary, whose most likely tokens are the candidates: see
   * {@link GenerationConfig.promptLookupNumTokens}.
   */
  assistantModel?: CausalLM;
  /** Ends the generation; the iterator then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The options, checked and complete. */
export interface Settings extends Required<NumberOptions>, Pick<GenerateOptions, 'tokenizer' | 'cache' | 'assistantModel' | 'signal'> {
  doSample: boolean;
  stopStrings: readonly string[];
  seed: number;
  eosTokenIds: readonly number[];
  processors: readonly LogitsProcessor[];
}

const NUMBERS = Object.keys(NUMBER_OPTIONS) as (keyof NumberOptions)[];
const NAMES = [
  ...NUMBERS, 'doSample', 'stopStrings', 'seed', 'eosTokenId', 'logitsProcessor', 'tokenizer', 'cache', 'signal', 'assistantModel',
] as const;

const OP = 'generate';

function wrong(name: string, takes: string, value: unknown): LanthornError {
  return wrongArgument(OP, name, takes, typeof value === 'number' ? value : describe(value));
}

/** The numbers, or their defaults. */
function numbersOf(given: NumberOptions): Required<NumberOptions> {
  const numbers = {} as Required<NumberOptions>;
  for (const name of NUMBERS) {
    const [initial, isInteger, min, max, takes] = NUMBER_OPTIONS[name];
    const value = given[name] ?? initial;
    const isNumber = isInteger ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!isNumber || value < min || value > max) throw wrong(name, takes, value);
    numbers[name] = value;
  }
  return numbers;
}

const isNatural = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const listOf = <T>(value: T | readonly T[] | null | undefined): readonly T[] => (value == null ? [] : Array.isArray(value) ? value as readonly T[] : [value as T]);

/** Checks the options; `eos` has the model's ids. */
export function settingsOf(options: GenerateOptions, eos: readonly number[], vocabSize: number): Settings {
  const given = checkOptions(OP, options, NAMES);
  const stopStrings = listOf(given.stopStrings);
  if (!stopStrings.every((text) => typeof text === 'string' && text !== '')) throw wrong('stopStrings', 'texts that are not empty', given.stopStrings);
  if (stopStrings.length > 0 && !given.tokenizer) throw new LanthornError('argument', OP, 'stopStrings need a tokenizer');
  const processors = listOf(given.logitsProcessor);
  if (!processors.every((processor) => typeof processor === 'function')) throw wrong('logitsProcessor', 'functions', given.logitsProcessor);
  const eosTokenIds = given.eosTokenId === undefined ? eos : listOf(given.eosTokenId);
  if (!eosTokenIds.every(isNatural)) throw wrong('eosTokenId', 'ids', given.eosTokenId);
  if (given.tokenizer && given.tokenizer.vocabSize > vocabSize) {
    throw new LanthornError('argument', OP, `the tokenizer has ${given.tokenizer.vocabSize} tokens, and the model's embedding ${vocabSize}`);
  }
  if (given.assistantModel !== undefined && !(given.assistantModel instanceof CausalLM)) throw wrong('assistantModel', 'a CausalLM', given.assistantModel);
  const seed = given.seed ?? Math.floor(Math.random() * 2 ** 32);
  if (!isNatural(seed)) throw wrong('seed', 'an integer from 0', seed);
  const numbers = numbersOf(given);
  const [topK, doSample] = [Math.min(numbers.topK, vocabSize), checkFlag(OP, 'doSample', given.doSample)];
  return { ...given, ...numbers, topK, doSample, seed, stopStrings, eosTokenIds, processors };
}
