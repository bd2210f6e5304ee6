/** The end of a row, and its text. */
import type { TextTokenizer } from './generation-config.js';

/** Why a row ended: a token that ends texts, a stop string, or the number of tokens. */
export type FinishReason = 'eos' | 'stop' | 'length';

/** The length of the longest end of a text with which a stop string begins. */
function heldBack(text: string, stops: readonly string[]): number {
  const longest = Math.min(text.length, Math.max(0, ...stops.map((stop) => stop.length - 1)));
  for (let length = longest; length > 0; length -= 1) {
    const end = text.slice(text.length - length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}

/** The text of a row that comes token by token; what may be the beginning of a stop string is held back. */
export class RowText {
  readonly #stream: ReturnType<TextTokenizer['decodeStream']> | undefined;
  readonly #stops: readonly string[];
  #held = '';

  constructor(tokenizer: TextTokenizer | undefined, stops: readonly string[]) {
    this.#stream = tokenizer?.decodeStream({ skipSpecialTokens: true });
    this.#stops = stops;
  }

  /** Cuts the text at the first stop string, if there is one. */
  #add(text: string): { text: string; stopped: boolean } {
    this.#held += text;
    const found = this.#stops.map((stop) => this.#held.indexOf(stop)).filter((index) => index >= 0);
    if (found.length > 0) return { text: this.#held.slice(0, Math.min(...found)), stopped: true };
    const ready = this.#held.length - heldBack(this.#held, this.#stops);
    const given = this.#held.slice(0, ready);
    this.#held = this.#held.slice(ready);
    return { text: given, stopped: false };
  }

  /** The text that a token completes. */
  push(id: number): { text: string; stopped: boolean } {
    return this.#stream ? this.#add(this.#stream.push(id)) : { text: '', stopped: false };
  }

  /** What was held back. */
  finish(): string {
    const { text, stopped } = this.#add(this.#stream?.finish() ?? '');
    return stopped ? text : text + this.#held;
  }
}
