/** Decoding of ids that come one by one. */
import { StreamHandle, type TokenizerHandle } from '../../wasm/lanthorn_tokenizer.js';
import { callTokenizer } from './module.js';
import { checkIds } from './options.js';

/**
 * Text from ids that come one by one, made by {@link Tokenizer.decodeStream}. It never returns half
 * a character: the bytes of one may be several tokens.
 *
 * @example
 * const stream = tokenizer.decodeStream();
 * for (const id of ids) output.textContent += stream.push(id);
 * output.textContent += stream.finish();
 */
export class DecodeStream {
  readonly #tokenizer: () => TokenizerHandle;
  readonly #state: StreamHandle;

  /** @internal */
  constructor(tokenizer: () => TokenizerHandle, skipSpecialTokens: boolean) {
    this.#tokenizer = tokenizer;
    this.#state = callTokenizer('decodeStream', () => new StreamHandle(skipSpecialTokens));
  }

  /**
   * Accepts the next id, or several, and returns the text that they complete, which may be empty.
   */
  push(id: number | bigint | readonly number[] | ArrayLike<number>): string {
    const ids = checkIds('decodeStream', typeof id === 'number' || typeof id === 'bigint' ? [Number(id)] : id);
    return callTokenizer('decodeStream', () => this.#state.push(this.#tokenizer(), ids));
  }

  /**
   * Ends the stream, and returns the text held back so far, with U+FFFD for incomplete characters.
   * The stream can then begin again.
   */
  finish(): string {
    return callTokenizer('decodeStream', () => this.#state.finish(this.#tokenizer()));
  }

  /**
   * The texts of ids that arrive over time.
   *
   * @example
   * for await (const text of tokenizer.decodeStream().of(tokens)) process.stdout.write(text);
   */
  async *of(ids: Iterable<number | bigint> | AsyncIterable<number | bigint>): AsyncGenerator<string, void, undefined> {
    for await (const id of ids) {
      const text = this.push(id);
      if (text !== '') yield text;
    }
    const rest = this.finish();
    if (rest !== '') yield rest;
  }

  /**
   * The stream as a `TransformStream` from ids to text.
   *
   * @example
   * await tokens.pipeThrough(tokenizer.decodeStream().transform()).pipeTo(sink);
   */
  transform(): TransformStream<number | bigint, string> {
    const give = (text: string, controller: TransformStreamDefaultController<string>) => { if (text !== '') controller.enqueue(text); };
    return new TransformStream<number | bigint, string>({
      transform: (id, controller) => give(this.push(id), controller),
      flush: (controller) => give(this.finish(), controller),
    });
  }
}
