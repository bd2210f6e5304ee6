/** Byte-pair encoding of bytes, with the file format of GPT-2. */
import { LanthornError } from '../core/errors.js';
import { merge, merges, pairKey, type Pair } from './byte-pair-training.js';
import { isRecord } from './collate.js';
import { checkCount } from './sampler.js';

/**
 * Text split into words as GPT-2 (Radford et al., 2019) does before it merges bytes. White space is
 * Unicode's, unlike `\s`.
 */
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/**
 * GPT-2's characters for the 256 bytes: a printable byte is its own character, the others are
 * numbered from U+0100.
 */
const CHARACTERS: readonly string[] = (() => {
  let next = 0x100;
  const printable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

function refuse(message: string): LanthornError {
  return new LanthornError('file', 'BytePairTokenizer', message);
}

/**
 * Byte-pair encoding (Sennrich, Haddow and Birch, 2016) over bytes, as in GPT-2: every text can be
 * encoded, and decodes to itself. A tokenizer is read from `vocab.json` and `merges.txt`, or
 * trained. These files write a byte as a printable character.
 */
export class BytePairTokenizer {
  /** The bytes of each token. */
  readonly #tokens = new Map<number, Uint8Array>();
  /** The token of each single byte that has one. */
  readonly #bytes: (number | undefined)[] = [];
  /** The rank of each pair and its merged token; lower ranks are merged first. */
  readonly #merges = new Map<number, { rank: number; pair: Pair; merged: number }>();

  private constructor() {}

  /** A tokenizer from the contents of GPT-2's `vocab.json` and `merges.txt`. */
  static fromFiles(vocabJson: string, mergesTxt: string): BytePairTokenizer {
    let vocab: unknown;
    try {
      vocab = JSON.parse(vocabJson);
    } catch (error) {
      throw new LanthornError('file', 'BytePairTokenizer', 'vocab.json is no JSON', { cause: error });
    }
    if (!isRecord(vocab)) throw refuse('vocab.json is not an object of tokens');
    const made = new BytePairTokenizer();
    const byteOf = new Map(CHARACTERS.map((character, byte) => [character, byte]));
    const ids = new Map<string, number>();
    for (const [name, id] of Object.entries(vocab)) {
      if (!Number.isInteger(id) || (id as number) < 0 || (id as number) >= 2 ** 24) {
        throw refuse(`the id of token ${JSON.stringify(name)} is not a whole number below 2^24`);
      }
      if (made.#tokens.has(id as number)) throw refuse(`two tokens have the id ${String(id)}`);
      const bytes = [...name].map((character) => byteOf.get(character));
      // Added tokens may have characters that encode no byte.
      made.#tokens.set(id as number, bytes.includes(undefined) ? new TextEncoder().encode(name) : Uint8Array.from(bytes as number[]));
      ids.set(name, id as number);
    }
    CHARACTERS.forEach((character, byte) => { made.#bytes[byte] = ids.get(character); });
    for (const [number, line] of mergesTxt.split(/\r?\n/).entries()) {
      if (line === '' || (number === 0 && line.startsWith('#version'))) continue;
      const wrong = (what: string) => refuse(`line ${number + 1} of merges.txt ${what}: ${JSON.stringify(line)}`);
      const names = line.split(' ');
      if (names.length !== 2) throw wrong('is not two tokens');
      const [left, right, merged] = [...names, names.join('')].map((name) => ids.get(name));
      if (left === undefined || right === undefined || merged === undefined) throw wrong('names a token that vocab.json lacks');
      if (!made.#add([left, right], merged)) throw wrong('is there twice');
    }
    return made;
  }

  /**
   * Trains a tokenizer of at most `vocabSize` tokens: the 256 bytes, then repeatedly the most
   * frequent pair; ties are broken by the lower ids.
   */
  static train(text: string, vocabSize: number): BytePairTokenizer {
    checkCount('BytePairTokenizer', 'vocabSize', vocabSize, 256);
    if (vocabSize > 2 ** 24) throw new LanthornError('argument', 'BytePairTokenizer', `vocabSize is at most 2^24, not ${vocabSize}`);
    const made = new BytePairTokenizer();
    // GPT-2 numbers the bytes by the code points of their characters.
    const ordered = CHARACTERS.map((character, byte) => [character.charCodeAt(0), byte] as const).sort(([one], [other]) => one - other);
    for (const [id, [, byte]] of ordered.entries()) {
      made.#tokens.set(id, Uint8Array.of(byte));
      made.#bytes[byte] = id;
    }
    const counts = new Map<string, number>();
    for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const words = Array.from(counts, ([word, count]) => ({ tokens: made.#start(word), count }));
    for (const pair of merges(words, 256, vocabSize)) {
      const merged = made.#tokens.size;
      made.#tokens.set(merged, joinBytes(pair.map((token) => made.#bytesOf(token))));
      made.#add(pair, merged);
    }
    return made;
  }

  #add(pair: Pair, merged: number): boolean {
    const key = pairKey(...pair);
    const isNew = !this.#merges.has(key);
    this.#merges.set(key, { rank: this.#merges.size, pair, merged });
    return isNew;
  }

  /** The number of tokens. */
  get vocabSize(): number {
    return this.#tokens.size;
  }

  /**
   * The token of this text as a whole, such as GPT-2's `<|endoftext|>`; undefined if there is none.
   */
  token(text: string): number | undefined {
    const wanted = new TextEncoder().encode(text);
    for (const [id, bytes] of this.#tokens) {
      if (bytes.length === wanted.length && bytes.every((byte, at) => byte === wanted[at])) return id;
    }
    return undefined;
  }

  /** The tokens of a text. */
  encode(text: string): Int32Array {
    const known = new Map<string, number[]>();
    const tokens: number[] = [];
    for (const [word] of text.matchAll(WORDS)) {
      let merged = known.get(word);
      if (!merged) known.set(word, (merged = this.#mergeWord(this.#start(word))));
      for (const token of merged) tokens.push(token);
    }
    return Int32Array.from(tokens);
  }

  /** The tokens of the word's bytes. */
  #start(word: string): number[] {
    return Array.from(new TextEncoder().encode(word), (byte) => {
      const token = this.#bytes[byte];
      if (token !== undefined) return token;
      throw new LanthornError('data', 'encode', `the vocabulary has no token for the byte ${byte}, of ${JSON.stringify(word)}`);
    });
  }

  /** Merges all occurrences of the pair of lowest rank, until no pair is left. */
  #mergeWord(word: number[]): number[] {
    for (;;) {
      let best: { rank: number; pair: Pair; merged: number } | undefined;
      for (let at = 0; at + 1 < word.length; at++) {
        const found = this.#merges.get(pairKey(word[at]!, word[at + 1]!));
        if (found && !(best && best.rank <= found.rank)) best = found;
      }
      if (!best) return word;
      merge(word, best.pair, best.merged);
    }
  }

  #bytesOf(token: number): Uint8Array {
    const bytes = this.#tokens.get(token);
    if (!bytes) throw new LanthornError('index', 'decode', `there is no token ${token}, there are ${this.vocabSize}`);
    return bytes;
  }

  /**
   * The text of tokens. Invalid UTF-8, as when the tokens of a character are separated, becomes
   * U+FFFD.
   */
  decode(tokens: ArrayLike<number>): string {
    const bytes = joinBytes(Array.from(tokens, (token) => this.#bytesOf(token)));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  /** The contents of `vocab.json` and `merges.txt`. */
  toFiles(): { vocabJson: string; mergesTxt: string } {
    const name = (id: number) => Array.from(this.#bytesOf(id), (byte) => CHARACTERS[byte]!).join('');
    const ids = [...this.#tokens.keys()].sort((one, other) => one - other);
    const entries = ids.map((id) => `${JSON.stringify(name(id))}:${id}`);
    const lines = Array.from(this.#merges.values(), ({ pair }) => `${name(pair[0])} ${name(pair[1])}\n`);
    return { vocabJson: `{${entries.join(',')}}`, mergesTxt: `#version: 0.2\n${lines.join('')}` };
  }
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
