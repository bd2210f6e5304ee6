/** A text as numbers of words. */

/** Rarer words are left out. */
const MAX_WORDS = 2000;
/** More text than this is not read. */
export const MAX_CHARACTERS = 2_000_000;
const MIN_WORDS = 30;
const MIN_KINDS = 8;

export interface Vocabulary {
  /** The words, the most frequent first. */
  words: readonly string[];
  counts: readonly number[];
  /** Sentences as indices of words, without words that are left out. */
  sentences: readonly Int32Array[];
}

/**
 * The words of a text that occur at least `least` times.
 *
 * @throws an Error with a sentence for the visitor, if there is too little to learn from.
 */
export function vocabularyOf(text: string, least: number): Vocabulary {
  const read = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const sentences = read.split(/[.!?\n]+/).map((sentence) => sentence.match(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu) ?? []);
  const counts = new Map<string, number>();
  for (const word of sentences.flat()) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const all = [...counts].filter(([, count]) => count >= least).sort(([, a], [, b]) => b - a).slice(0, MAX_WORDS);
  const numbers = new Map(all.map(([word], index) => [word, index]));
  // A word alone has no company to learn from.
  const known = sentences.map((sentence) => Int32Array.from(sentence.flatMap((word) => numbers.get(word) ?? []))).filter(({ length }) => length > 1);
  const running = known.reduce((sum, { length }) => sum + length, 0);
  if (all.length < MIN_KINDS || running < MIN_WORDS) {
    const found = `${all.length} different ${all.length === 1 ? 'word' : 'words'} that ${all.length === 1 ? 'occurs' : 'occur'} at least ${least} times`;
    throw new Error(`The text has ${found}, and at least ${MIN_KINDS} are needed, with ${MIN_WORDS} words in sentences of two or more. Paste a longer text, or count rarer words.`);
  }
  return { words: all.map(([word]) => word), counts: all.map(([, count]) => count), sentences: known };
}
