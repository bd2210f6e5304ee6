/** The options of `generate`, with the names of transformers' `GenerationConfig`. */
import { checkFlag, checkOptions, describe } from '../check.js';
import { LanthornError } from '../errors.js';
import type { Tensor } from '../tensor.js';
import type { KVCache } from './cache.js';
import { CausalLM } from './causal-lm.js';

/** What `generate` needs of a tokenizer: `Tokenizer` of `lanthorn/tokenizer` has it. */
export interface TextTokenizer {
  encode(text: string, options?: { padding?: boolean; truncation?: boolean }): { ids: ArrayLike<number> };
  decodeStream(options?: { skipSpecialTokens?: boolean }): { push(id: number): string; finish(): string };
  readonly vocabSize: number;
}

/**
 * Changes the logits of the next token: gets the ids so far by row, prompts included, and the logits
 * `[batch, vocabSize]`, and gives others of that shape.
 */
export type LogitsProcessor = (ids: readonly (readonly number[])[], logits: Tensor) => Tensor;

/** How the next tokens are chosen. */
export interface GenerationConfig {
  /** The most tokens of a row (default: 20). */
  maxNewTokens?: number;
  /** Whether tokens are drawn at random (default: false, the most likely one). */
  doSample?: boolean;
  /** Divides logits (default: 1). */
  temperature?: number;
  /** Only the most likely tokens, so many; 0 for all (default: 50, as in transformers). */
  topK?: number;
  /** Only the most likely tokens whose probabilities add up to this (default: 1). */
  topP?: number;
  /** Only tokens that are at least so likely, relative to the most likely one (default: 0). */
  minP?: number;
  /** Divides positive logits of tokens that occurred, and multiplies negative ones (default: 1). */
  repetitionPenalty?: number;
  /** Subtracted from the logits of a generated token, once for each occurrence (default: 0). */
  frequencyPenalty?: number;
  /** Subtracted from the logits of all tokens that were generated (default: 0). */
  presencePenalty?: number;
  /** Texts that end a row; they are not part of its text. Needs a tokenizer. */
  stopStrings?: string | readonly string[];
  /** The seed of random choices (default: another one at each call). */
  seed?: number;
  /** The ids that end a row (default: the model's). */
  eosTokenId?: number | readonly number[] | null;
  /** Functions that change logits, before the temperature. */
  logitsProcessor?: LogitsProcessor | readonly LogitsProcessor[];
  /**
   * The number of candidates, taken from where the text's last tokens stood before (default: 0, none). The model checks
   * them in one call, and takes those that it would have chosen: the tokens are the same, and come faster where a text
   * repeats itself. For one prompt.
   */
  promptLookupNumTokens?: number;
  /** The most tokens that have to stand before candidates (default: 2). */
  maxMatchingNgramSize?: number;
  /** The number of candidates of an `assistantModel` (default: 5). */
  numAssistantTokens?: number;
}

/** Options of `generate`. */
export interface GenerateOptions extends GenerationConfig {
  /** Reads prompts that are strings, and gives text. */
  tokenizer?: TextTokenizer;
  /** The keys and values of a conversation so far, which goes on; kept afterwards. */
  cache?: KVCache;
  /**
   * The most tokens of a prompt that are computed at once (default: 256). The rest of a prompt takes quarters of it,
   * down to 16, so that little is computed for padding and few sizes occur.
   */
  prefillChunk?: number;
  /**
   * A smaller model with the same vocabulary, whose most likely tokens are the candidates: see
   * {@link GenerationConfig.promptLookupNumTokens}.
   */
  assistantModel?: CausalLM;
  /** Ends the generation; the iterator then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The options, checked and complete. */
export interface Settings {
  maxNewTokens: number;
  doSample: boolean;
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  repetitionPenalty: number;
  frequencyPenalty: number;
  presencePenalty: number;
  stopStrings: readonly string[];
  seed: number;
  eosTokenIds: readonly number[];
  processors: readonly LogitsProcessor[];
  tokenizer: TextTokenizer | undefined;
  cache: KVCache | undefined;
  prefillChunk: number;
  promptLookupNumTokens: number;
  maxMatchingNgramSize: number;
  numAssistantTokens: number;
  assistantModel: CausalLM | undefined;
  signal: AbortSignal | undefined;
}

const NAMES = [
  'maxNewTokens', 'doSample', 'temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'frequencyPenalty', 'presencePenalty',
  'stopStrings', 'seed', 'eosTokenId', 'logitsProcessor', 'tokenizer', 'cache', 'prefillChunk', 'signal',
  'promptLookupNumTokens', 'maxMatchingNgramSize', 'numAssistantTokens', 'assistantModel',
] as const;

const OP = 'generate';

function wrong(name: string, takes: string, value: unknown): LanthornError {
  return new LanthornError('argument', OP, `the argument ${name} takes ${takes}, not ${typeof value === 'number' ? value : describe(value)}`);
}

function number(name: string, value: unknown, otherwise: number, takes: string, holds: (value: number) => boolean): number {
  const given = value ?? otherwise;
  if (typeof given !== 'number' || !holds(given)) throw wrong(name, takes, given);
  return given;
}

const integer = (least: number) => (value: number) => Number.isSafeInteger(value) && value >= least;
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
  if (!eosTokenIds.every(integer(0))) throw wrong('eosTokenId', 'ids', given.eosTokenId);
  if (given.tokenizer && given.tokenizer.vocabSize > vocabSize) {
    throw new LanthornError('argument', OP, `the tokenizer has ${given.tokenizer.vocabSize} tokens, and the model's embedding ${vocabSize}`);
  }
  if (given.assistantModel !== undefined && !(given.assistantModel instanceof CausalLM)) throw wrong('assistantModel', 'a CausalLM', given.assistantModel);
  const finite = (value: number) => Number.isFinite(value);
  return {
    maxNewTokens: number('maxNewTokens', given.maxNewTokens, 20, 'a positive integer', integer(1)),
    doSample: checkFlag(OP, 'doSample', given.doSample),
    temperature: number('temperature', given.temperature, 1, 'a positive number; greedy is doSample: false', (value) => finite(value) && value > 0),
    topK: Math.min(number('topK', given.topK, 50, 'an integer from 0', integer(0)), vocabSize),
    topP: number('topP', given.topP, 1, 'a number above 0 and up to 1', (value) => value > 0 && value <= 1),
    minP: number('minP', given.minP, 0, 'a number from 0 to 1', (value) => value >= 0 && value <= 1),
    repetitionPenalty: number('repetitionPenalty', given.repetitionPenalty, 1, 'a positive number', (value) => finite(value) && value > 0),
    frequencyPenalty: number('frequencyPenalty', given.frequencyPenalty, 0, 'a number', finite),
    presencePenalty: number('presencePenalty', given.presencePenalty, 0, 'a number', finite),
    seed: number('seed', given.seed, Math.floor(Math.random() * 2 ** 32), 'an integer from 0', integer(0)),
    prefillChunk: number('prefillChunk', given.prefillChunk, 256, 'a positive integer', integer(1)),
    promptLookupNumTokens: number('promptLookupNumTokens', given.promptLookupNumTokens, 0, 'an integer from 0', integer(0)),
    maxMatchingNgramSize: number('maxMatchingNgramSize', given.maxMatchingNgramSize, 2, 'a positive integer', integer(1)),
    numAssistantTokens: number('numAssistantTokens', given.numAssistantTokens, 5, 'a positive integer', integer(1)),
    stopStrings, eosTokenIds, processors, tokenizer: given.tokenizer, cache: given.cache, assistantModel: given.assistantModel, signal: given.signal,
  };
}
