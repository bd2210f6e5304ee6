// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Options of {@link generate} that are numbers. */
export interface NumberOptions {
  /** The most tokens of a row. Default: 20. */
  maxNewTokens?: number;
  /** Divides logits. Default: 1. */
  temperature?: number;
  /** The number of the most likely tokens that are kept; 0 for all. Default: 50. */
  topK?: number;
  /** Only the most likely tokens whose probabilities add up to this. Default: 1. */
  topP?: number;
  /** Only tokens that are at least so likely, relative to the most likely one. Default: 0. */
  minP?: number;
  /** Divides positive logits of tokens that occurred, and multiplies negative ones. Default: 1. */
  repetitionPenalty?: number;
  /** Subtracted from the logits of a generated token, once for each occurrence. Default: 0. */
  frequencyPenalty?: number;
  /** Subtracted from the logits of all tokens that were generated. Default: 0. */
  presencePenalty?: number;
  /** The most tokens of a prompt that are computed at once. The rest of a prompt takes quarters of it, down to 16, so that little is computed for padding and few sizes occur. Default: 256. */
  prefillChunk?: number;
  /** The number of candidates, taken from where the text's last tokens occurred before; 0 for none. The model checks them in one call, and takes those that it would have chosen: the tokens are the same, and come faster where a text repeats itself. For one prompt. Default: 0. */
  promptLookupNumTokens?: number;
  /** The most tokens that have to occur before candidates. Default: 2. */
  maxMatchingNgramSize?: number;
  /** The number of candidates of `assistantModel`. Default: 5. */
  numAssistantTokens?: number;
}

/** The default of each number, whether it is an integer, its bounds, and the accepted values in words. */
export const NUMBER_OPTIONS: Readonly<Record<keyof NumberOptions, readonly [number, boolean, number, number, string]>> = {
  maxNewTokens: [20, true, 1, Infinity, 'a positive integer'],
  temperature: [1, false, 5e-324, Infinity, 'a positive number; greedy is doSample: false'],
  topK: [50, true, 0, Infinity, 'an integer from 0'],
  topP: [1, false, 5e-324, 1, 'a number above 0 and up to 1'],
  minP: [0, false, 0, 1, 'a number from 0 to 1'],
  repetitionPenalty: [1, false, 5e-324, Infinity, 'a positive number'],
  frequencyPenalty: [0, false, -Infinity, Infinity, 'a number'],
  presencePenalty: [0, false, -Infinity, Infinity, 'a number'],
  prefillChunk: [256, true, 1, Infinity, 'a positive integer'],
  promptLookupNumTokens: [0, true, 0, Infinity, 'an integer from 0'],
  maxMatchingNgramSize: [2, true, 1, Infinity, 'a positive integer'],
  numAssistantTokens: [5, true, 1, Infinity, 'a positive integer'],
};
