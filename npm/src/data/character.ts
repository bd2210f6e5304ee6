/** A token for each character. */
import { LanthornError } from '../core/errors.js';
import { isRecord } from './collate.js';
import { byCodePoints } from './csv.js';

/** A tokenizer with a token for each character of a text, numbered by code point. */
export class CharacterTokenizer {
  readonly #characters: readonly string[];
  readonly #tokens: ReadonlyMap<string, number>;

  private constructor(characters: readonly string[]) {
    this.#characters = characters;
    this.#tokens = new Map(characters.map((character, token) => [character, token]));
  }

  /** A tokenizer for the characters of this text. */
  static fit(text: string): CharacterTokenizer {
    return new CharacterTokenizer([...new Set(text)].sort(byCodePoints));
  }

  /** A tokenizer from {@link CharacterTokenizer.toJson}. */
  static fromJson(json: string): CharacterTokenizer {
    const refuse = (message: string) => new LanthornError('file', 'CharacterTokenizer', message);
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      throw new LanthornError('file', 'CharacterTokenizer', 'this is no JSON', { cause: error });
    }
    if (!isRecord(value) || value['type'] !== 'character' || !Array.isArray(value['characters'])) {
      throw refuse('this is not the JSON of a character tokenizer');
    }
    const characters: unknown[] = value['characters'];
    const odd = characters.find((character) => typeof character !== 'string' || [...character].length !== 1);
    if (odd !== undefined) throw refuse(`${JSON.stringify(odd)} is not one character`);
    const tokenizer = new CharacterTokenizer(characters as string[]);
    if (tokenizer.#tokens.size < characters.length) throw refuse('a character is there twice');
    return tokenizer;
  }

  /** The number of tokens. */
  get vocabSize(): number {
    return this.#characters.length;
  }

  /** The token of each character; an unknown character is an error. */
  encode(text: string): Int32Array {
    return Int32Array.from([...text], (character, place) => {
      const token = this.#tokens.get(character);
      if (token !== undefined) return token;
      throw new LanthornError('data', 'encode', `there is no token for ${JSON.stringify(character)}, character ${place} of the text`);
    });
  }

  /** The text of tokens. */
  decode(tokens: ArrayLike<number>): string {
    return Array.from(tokens, (token) => {
      const character = this.#characters[token];
      if (character !== undefined) return character;
      throw new LanthornError('index', 'decode', `there is no token ${token}, there are ${this.vocabSize}`);
    }).join('');
  }

  /** The tokenizer as JSON: `{"characters":["a","b"],"type":"character"}`. */
  toJson(): string {
    return JSON.stringify({ characters: this.#characters, type: 'character' });
  }
}
