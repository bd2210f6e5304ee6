/** The class of tokenizers. */
import { TokenizerHandle } from '../../wasm/lanthorn_tokenizer.js';
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { HUB_OPTIONS, hubOptionsOf, type HubOptions } from '../hub/settings.js';
import { isAbsent, repositoryOf } from '../io/hub-address.js';
import { readingOf, type Source } from '../io/source.js';
import { callTokenizer, initTokenizer } from './module.js';
import { checkIds, checkText, encodeNumbers, flagOn, type BatchEncoding, type BatchOptions, type DecodeOptions, type EncodeOptions, type Encoding } from './options.js';
import { DecodeStream } from './stream.js';

/** The most bytes of a file: a vocabulary has some millions of them. */
const FILE_LIMIT = 2 ** 28;
/** The beginning of a GGUF file that can have its metadata, in bytes. */
const GGUF_LIMIT = 2 ** 26;

/** A message of a chat. Its members are those that the template reads. */
export interface ChatMessage {
  /** Who says it: `system`, `user`, `assistant`, `tool`. */
  role: string;
  /** The text, or parts of it. */
  content?: unknown;
  [name: string]: unknown;
}

/** Options of {@link Tokenizer.fromFile}, and of a hub's file. */
export interface TokenizerOptions extends HubOptions {
  /**
   * The `tokenizer_config.json` of the same folder, with chat templates and the names of special
   * tokens; or its content.
   */
  config?: Source | Record<string, unknown>;
  /** Ends loading; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
}

/** Options of {@link Tokenizer.applyChatTemplate}. */
export interface ChatOptions {
  /** The name of a template of the tokenizer, or a template (default: the tokenizer's). */
  template?: string;
  /** Whether the text ends where the model's answer begins (default: false). */
  addGenerationPrompt?: boolean;
  /** Other variables of the template: `tools`, `documents`, `enable_thinking`. */
  variables?: Record<string, unknown>;
  /** The time that the template sees (default: now). */
  now?: Date;
}

/** A token that was added to a vocabulary. */
export interface AddedToken {
  /** Its id. */
  id: number;
  /** Its text. */
  content: string;
  /** Whether decoding may leave it out. */
  special: boolean;
}

/** Frees tokenizers that were garbage collected without being disposed of. */
const registry = new FinalizationRegistry<TokenizerHandle>((handle) => handle.free());

/**
 * Text to ids and back.
 *
 * @example
 * const tokenizer = await Tokenizer.fromFile('model/tokenizer.json', { config: 'model/tokenizer_config.json' });
 * const { ids } = tokenizer.encode('Hello');
 * console.log(tokenizer.decode(ids));
 */
export class Tokenizer {
  #handle: TokenizerHandle | undefined;

  private constructor(handle: TokenizerHandle) {
    this.#handle = handle;
    registry.register(this, handle, this);
  }

  /**
   * Reads a tokenizer from a URL, a path in Node, a `File` or `Blob`, or bytes. Its contents tell
   * whether it is `tokenizer.json`, SentencePiece's `.model` or GGUF, of which only the beginning is
   * read. `owner/name` is a model of a hub, whose `tokenizer_config.json` is read, too.
   *
   * @throws a LanthornError of kind `file`, if it has a part that is not known, which the message
   * names, or parts that do not fit together.
   */
  static async fromFile(source: Source, options: TokenizerOptions = {}): Promise<Tokenizer> {
    const op = 'Tokenizer.fromFile';
    const given = checkOptions(op, options, ['config', 'signal', ...HUB_OPTIONS]);
    const { signal } = given;
    const hub = hubOptionsOf(given);
    const repository = await repositoryOf(source);
    const file = repository === undefined ? source : `${repository}/tokenizer.json`;
    const config = given.config === undefined && repository !== undefined ? hubConfig(repository, signal, hub) : configContent(given.config, signal, hub);
    const [bytes, configuration] = await Promise.all([content(file, signal, hub), config, initTokenizer()]);
    return new Tokenizer(callTokenizer(op, () => new TokenizerHandle(bytes, configuration)));
  }

  get #tokenizer(): TokenizerHandle {
    if (this.#handle === undefined) throw new LanthornError('disposed', 'Tokenizer', 'the tokenizer was disposed of');
    return this.#handle;
  }

  #rows(op: string, texts: string[], pairs: string[], options: Float64Array): (readonly [Int32Array, Int32Array, Int32Array, Int32Array, Uint32Array, Int32Array])[] {
    return callTokenizer(op, () => this.#tokenizer.encode(texts, pairs, options));
  }

  /**
   * The tokens of a text, or of two.
   *
   * @example
   * const { ids, offsets } = tokenizer.encode('What is it?', { pair: 'A tokenizer.', maxLength: 512 });
   */
  encode(text: string, options: EncodeOptions = {}): Encoding {
    const numbers = encodeNumbers('encode', options, 'pair');
    const pairs = options?.pair === undefined ? [] : [checkText('encode', 'the pair', options.pair)];
    const [row] = this.#rows('encode', [checkText('encode', 'the argument', text)], pairs, numbers);
    const [ids, typeIds, attentionMask, specialTokensMask, offsets, wordIds] = row!;
    return { ids, typeIds, attentionMask, specialTokensMask, offsets, wordIds };
  }

  /**
   * Texts as rows of one length, which tensors are made of. Texts of different lengths need padding.
   *
   * @example
   * const { inputIds, attentionMask, shape } = tokenizer.batch(['one', 'and two'], { padding: true, maxLength: 128 });
   * const ids = tensor(inputIds, { shape });
   */
  batch(texts: readonly string[], options: BatchOptions = {}): BatchEncoding {
    const op = 'batch';
    if (!Array.isArray(texts)) throw new LanthornError('argument', op, `takes an array of texts, not ${describe(texts)}`);
    const numbers = encodeNumbers(op, options, 'pairs');
    const pairs = options?.pairs ?? [];
    if (!Array.isArray(pairs) || (pairs.length > 0 && pairs.length !== texts.length)) {
      throw new LanthornError('argument', op, `${texts.length} texts have ${Array.isArray(pairs) ? `${pairs.length} pairs` : describe(pairs)}`);
    }
    const check = (all: readonly unknown[], name: string) => all.map((text, index) => checkText(op, `${name} ${index}`, text));
    const rows = this.#rows(op, check(texts, 'text'), check(pairs, 'pair'), numbers);
    const length = rows[0]?.[0].length ?? 0;
    const odd = rows.findIndex(([ids]) => ids.length !== length);
    if (odd >= 0) {
      throw new LanthornError('shape', op, `text 0 has ${length} tokens and text ${odd} has ${rows[odd]![0].length}; give padding: true`);
    }
    const join = (column: 0 | 1 | 2) => {
      const all = new Int32Array(rows.length * length);
      rows.forEach((row, index) => all.set(row[column], index * length));
      return all;
    };
    return { inputIds: join(0), tokenTypeIds: join(1), attentionMask: join(2), shape: [rows.length, length] };
  }

  /**
   * The text of ids, which may be a typed array of a tensor's elements.
   *
   * @throws a LanthornError of kind `index`, if no token has one of the ids.
   */
  decode(ids: ArrayLike<number> | ArrayLike<bigint>, options: DecodeOptions = {}): string {
    const { skipSpecialTokens } = checkOptions('decode', options, ['skipSpecialTokens']);
    const skips = flagOn('decode', 'skipSpecialTokens', skipSpecialTokens);
    return callTokenizer('decode', () => this.#tokenizer.decode(checkIds('decode', ids), skips));
  }

  /** Text from ids that come one by one, without half characters. */
  decodeStream(options: DecodeOptions = {}): DecodeStream {
    const { skipSpecialTokens } = checkOptions('decodeStream', options, ['skipSpecialTokens']);
    return new DecodeStream(() => this.#tokenizer, flagOn('decodeStream', 'skipSpecialTokens', skipSpecialTokens));
  }

  /**
   * The text of a chat, as the model was trained to see it. Encode it with
   * `{ addSpecialTokens: false }`, because templates write those tokens.
   *
   * @example
   * const prompt = tokenizer.applyChatTemplate([{ role: 'user', content: 'Hi' }], { addGenerationPrompt: true });
   * const { ids } = tokenizer.encode(prompt, { addSpecialTokens: false });
   */
  applyChatTemplate(messages: readonly ChatMessage[], options: ChatOptions = {}): string {
    const op = 'applyChatTemplate';
    const { template, addGenerationPrompt, variables, now = new Date() } = checkOptions(op, options, ['template', 'addGenerationPrompt', 'variables', 'now']);
    if (!Array.isArray(messages)) throw new LanthornError('argument', op, `takes an array of messages, not ${describe(messages)}`);
    if (template !== undefined) checkText(op, 'the template', template);
    if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw wrongArgument(op, 'now', 'a date', describe(now));
    const time = new Float64Array([now.getFullYear(), now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()]);
    const given = variables === undefined ? undefined : asJson(op, 'the variables', variables);
    const prompt = checkFlag(op, 'addGenerationPrompt', addGenerationPrompt);
    return callTokenizer(op, () => this.#tokenizer.applyChatTemplate(asJson(op, 'the messages', messages), template, prompt, given, time));
  }

  /** The chat template with a name (default: `default`). */
  chatTemplate(name = 'default'): string | undefined {
    return callTokenizer('chatTemplate', () => this.#tokenizer.chatTemplate(checkText('chatTemplate', 'the name', name)));
  }

  /** The id of a token. */
  tokenToId(token: string): number | undefined {
    return callTokenizer('tokenToId', () => this.#tokenizer.tokenToId(checkText('tokenToId', 'the token', token)));
  }

  /** The token of an id. */
  idToToken(id: number): string | undefined {
    return callTokenizer('idToToken', () => this.#tokenizer.idToToken(checkIds('idToToken', [id])[0]!));
  }

  /** The id of the token with a role in templates, as `eos_token`. */
  idOfRole(role: string): number | undefined {
    const token = callTokenizer('idOfRole', () => this.#tokenizer.tokenOfRole(checkText('idOfRole', 'the role', role)));
    return token === undefined ? undefined : this.tokenToId(token);
  }

  /** The number of tokens, with those that were added. */
  get vocabSize(): number {
    return this.#tokenizer.vocabSize;
  }

  /** The tokens that were added to the vocabulary, in the order of their ids. */
  addedTokens(): AddedToken[] {
    const rows: [number, string, boolean][] = callTokenizer('addedTokens', () => this.#tokenizer.addedTokens());
    return rows.map(([id, content, special]) => ({ id, content, special }));
  }

  /** Frees the memory of the vocabulary. */
  dispose(): void {
    registry.unregister(this);
    this.#handle?.free();
    this.#handle = undefined;
  }

  /** As {@link Tokenizer.dispose}. */
  [dispose](): void {
    this.dispose();
  }
}

function asJson(op: string, name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new LanthornError('argument', op, `${name} are no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The bytes of a tokenizer's file; of GGUF, its beginning. */
async function content(source: Source, signal: AbortSignal | undefined, hub: HubOptions): Promise<Uint8Array> {
  const reading = readingOf(source, signal, undefined, hub);
  try {
    const start = await reading.peek(4);
    const isGguf = String.fromCharCode(...start) === 'GGUF';
    return isGguf ? await reading.peek(GGUF_LIMIT) : await reading.rest(FILE_LIMIT);
  } finally {
    await reading.close();
  }
}

/** The configuration of a model of a hub, which not every model has. */
async function hubConfig(repository: string, signal: AbortSignal | undefined, hub: HubOptions): Promise<Uint8Array | undefined> {
  try {
    return await content(`${repository}/tokenizer_config.json`, signal, hub);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function configContent(config: TokenizerOptions['config'], signal: AbortSignal | undefined, hub: HubOptions): Promise<Uint8Array | undefined> {
  if (config === undefined) return undefined;
  const isSource = typeof config === 'string' || config instanceof URL || config instanceof Blob || config instanceof ArrayBuffer || ArrayBuffer.isView(config);
  return isSource ? content(config as Source, signal, hub) : new TextEncoder().encode(asJson('Tokenizer.fromFile', 'the config', config));
}
