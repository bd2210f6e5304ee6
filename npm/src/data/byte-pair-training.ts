/** Training of byte-pair encoding: the choice of pairs to merge. */

/** Two tokens. */
export type Pair = readonly [left: number, right: number];

/** A pair as one number: there are at most 2^24 tokens. */
export function pairKey(left: number, right: number): number {
  return left * 2 ** 24 + right;
}

function pairOf(key: number): Pair {
  return [Math.floor(key / 2 ** 24), key % 2 ** 24];
}

/** Replaces each occurrence of the pair, from the left, with a token. */
export function merge(word: number[], [left, right]: Pair, merged: number): void {
  let write = 0;
  for (let read = 0; read < word.length; read++, write++) {
    const both = word[read] === left && word[read + 1] === right;
    word[write] = both ? merged : word[read]!;
    if (both) read++;
  }
  word.length = write;
}

interface Word {
  tokens: number[];
  count: number;
}

/**
 * The pairs to merge, in order, until a vocabulary of `size` tokens has `wanted`: repeatedly the
 * most frequent pair; ties are broken by the lower tokens. `words` have their frequencies; the
 * token of a merge is the next number. Pair counts are updated from merge to merge.
 */
export function merges(words: readonly Word[], size: number, wanted: number): Pair[] {
  const counts = new Map<number, number>();
  const places = new Map<number, Set<Word>>();
  const count = (word: Word, sign: 1 | -1) => {
    for (let at = 0; at + 1 < word.tokens.length; at++) {
      const key = pairKey(word.tokens[at]!, word.tokens[at + 1]!);
      const total = (counts.get(key) ?? 0) + sign * word.count;
      if (total > 0) counts.set(key, total);
      else counts.delete(key);
      if (sign > 0) (places.get(key) ?? places.set(key, new Set()).get(key)!).add(word);
    }
  };
  for (const word of words) count(word, 1);
  const made: Pair[] = [];
  while (size + made.length < wanted) {
    let [best, most] = [-1, 0];
    for (const [key, total] of counts) {
      if (total > most || (total === most && key < best)) [best, most] = [key, total];
    }
    if (most === 0) break;
    const pair = pairOf(best);
    for (const word of places.get(best)!) {
      count(word, -1);
      merge(word.tokens, pair, size + made.length);
      count(word, 1);
    }
    places.delete(best);
    made.push(pair);
  }
  return made;
}
