/** The end of a row, and its text. */
import { LanthornError } from '../core/errors.js';
import type { TextTokenizer } from './generation-config.js';

/** Why a row ended: a token that ends texts, a stop string, or the number of tokens. */
export type FinishReason = 'eos' | 'stop' | 'length';

/** A part of a row's text, and whether a stop string follows it and ends the row. */
export interface Piece {
  text: string;
  isStopped: boolean;
}

/**
 * Cuts a row's text at the first stop string. The end of the text is held back while it may be the beginning of a stop
 * string.
 */
export class StopStrings {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** Adds text; returns the part that no stop string can cut any more. */
  push(text: string): Piece {
    const all = this.#held + text;
    const ends = this.#stops.map((stop) => all.indexOf(stop)).filter((end) => end >= 0);
    const isStopped = ends.length > 0;
    let end = isStopped ? Math.min(...ends) : 0;
    if (!isStopped) while (end < all.length && !this.#isBegun(all.slice(end))) end += 1;
    this.#held = isStopped ? '' : all.slice(end);
    return { text: all.slice(0, end), isStopped };
  }

  /** Ends the row with `text`; returns everything that is left. */
  finish(text: string): Piece {
    const piece = this.push(text);
    return { ...piece, text: piece.text + this.#held };
  }

  /** Whether a stop string begins with a text, and is longer. */
  #isBegun(text: string): boolean {
    return this.#stops.some((stop) => stop.startsWith(text));
  }
}

/** The text of a row up to a stop string. Without a tokenizer it is empty. */
export class RowText {
  readonly #stream: ReturnType<TextTokenizer['decodeStream']> | undefined;
  readonly #stops: StopStrings;

  constructor(tokenizer: TextTokenizer | undefined, stops: readonly string[]) {
    this.#stream = tokenizer?.decodeStream({ skipSpecialTokens: true });
    this.#stops = new StopStrings(stops);
  }

  /** The text that a token completes. A model may have ids without a token, as padding: they have no text. */
  push(id: number): Piece {
    let text = '';
    try {
      text = this.#stream?.push(id) ?? '';
    } catch (error) {
      if (!(error instanceof LanthornError) || error.kind !== 'index') throw error;
    }
    return this.#stops.push(text);
  }

  /** The rest of the text at the end of the row. */
  finish(): Piece {
    return this.#stops.finish(this.#stream?.finish() ?? '');
  }
}
