/** Sentences of a small grammar as trees, and the value of each of their phrases. */

/** A word by its number, or two phrases. */
export type Tree = { word: number; left?: never; right?: never } | { word?: never; left: Tree; right: Tree };

/** What words do: an opinion has a value, the others change the values to their right. */
const GOOD = ['good', 'great', 'lovely', 'clever', 'funny', 'moving', 'brilliant'];
const BAD = ['bad', 'dull', 'awful', 'silly', 'tiring', 'boring', 'weak'];
const NOT = ['not', 'never', 'hardly'];
const MORE = ['very', 'really', 'truly'];
const LESS = ['slightly', 'rather'];
const JOIN = ['and'];
const TURN = ['but'];
export const WORDS: readonly string[] = [...GOOD, ...BAD, ...NOT, ...MORE, ...LESS, ...JOIN, ...TURN];

const number = new Map(WORDS.map((word, index) => [word, index]));
const is = (kind: readonly string[], word: string | undefined) => word !== undefined && kind.includes(word);

/** The value of a phrase, above 0 if it is good; `undefined` if it has none, as `very` alone. */
export function valueOf(tree: Tree): number | undefined {
  if (tree.word !== undefined) {
    const word = WORDS[tree.word]!;
    return is(GOOD, word) ? 1 : is(BAD, word) ? -1 : undefined;
  }
  // `and b` alone is not a phrase.
  if (isTail(tree)) {
    return undefined;
  }
  if (isTail(tree.right)) {
    return combineValues(tree.left, tree.right);
  }
  const [word, right] = [wordOf(tree.left), valueOf(tree.right)];
  if (right === undefined) {
    return undefined;
  }
  return is(NOT, word) ? -right : is(MORE, word) ? 2 * right : is(LESS, word) ? right / 2 : undefined;
}

/**
 * `a and b`, `a but b` are `[a, [and, b]]`: the last opinion counts after `but`, both do after
 * `and`.
 */
function combineValues(left: Tree, right: Tree): number | undefined {
  const [first, second] = [valueOf(left), valueOf(right.right!)];
  return first === undefined || second === undefined ? undefined : is(TURN, wordOf(right.left!)) ? second : first + second;
}

/** Phrases in the order of the recursion: left, right, then the whole. */
export function phrasesOf(tree: Tree): Tree[] {
  return tree.word === undefined ? [...phrasesOf(tree.left), ...phrasesOf(tree.right), tree] : [tree];
}

/** 1 for a good phrase, 0 for a bad one, -1 for one that is neither. */
export function labelOf(tree: Tree): number {
  const value = valueOf(tree);
  return value === undefined || value === 0 ? -1 : value > 0 ? 1 : 0;
}

/** Whether a tree is `and b` or `but b`. */
function isTail(tree: Tree): boolean {
  return tree.word === undefined && is([...JOIN, ...TURN], wordOf(tree.left));
}

function wordOf(tree: Tree): string | undefined {
  return tree.word === undefined ? undefined : WORDS[tree.word];
}

export function wordsOf(tree: Tree): string {
  return tree.word === undefined ? `${wordsOf(tree.left)} ${wordsOf(tree.right)}` : WORDS[tree.word]!;
}

export function depthOf(tree: Tree): number {
  return tree.word === undefined ? 1 + Math.max(depthOf(tree.left), depthOf(tree.right)) : 0;
}

/** A random tree of at most this depth, from numbers between 0 and 1. */
export function randomTree(depth: number, random: () => number): Tree {
  const one = (words: readonly string[]): Tree => ({ word: number.get(words[Math.floor(random() * words.length)]!)! });
  const share = random();
  if (depth < 1 || share < 0.2) {
    return one(random() < 0.5 ? GOOD : BAD);
  }
  if (depth > 1 && share > 0.72) {
    const [joint, left, right] = [random() < 0.5 ? JOIN : TURN, randomTree(depth - 2, random), randomTree(depth - 2, random)];
    return { left, right: { left: one(joint), right } };
  }
  return { left: one(share < 0.46 ? NOT : random() < 0.6 ? MORE : LESS), right: randomTree(depth - 1, random) };
}

/**
 * The tree of a sentence: `and` and `but` divide it from the left, other words change the words
 * after them.
 *
 * @throws an Error with a sentence for the visitor.
 */
export function parse(sentence: string, most = 24): Tree {
  const words = sentence.toLowerCase().match(/[\p{L}'-]+/gu) ?? [];
  const unknown = words.filter((word) => !number.has(word));
  if (unknown.length > 0) {
    throw new Error(`It does not know ${[...new Set(unknown)].slice(0, 3).map((word) => `“${word.slice(0, 30)}”`).join(', ')}.`);
  }
  if (words.length === 0 || words.length > most) {
    throw new Error(words.length === 0 ? 'There is no word yet.' : `A sentence has up to ${most} words here, and this one ${words.length}.`);
  }
  const trees = words.map((word): Tree => ({ word: number.get(word)! }));
  const at = words.map((word) => is([...JOIN, ...TURN], word)).lastIndexOf(true);
  if (at >= 0) {
    if (at === 0 || at === words.length - 1) {
      throw new Error(`“${words[at]}” stands between two opinions.`);
    }
    return { left: parse(words.slice(0, at).join(' '), most), right: { left: trees[at]!, right: parse(words.slice(at + 1).join(' '), most) } };
  }
  const last = words.at(-1);
  if (!is(GOOD, last) && !is(BAD, last)) {
    throw new Error(`“${last}” needs an opinion after it, such as “good”.`);
  }
  const early = words.slice(0, -1).find((word) => is(GOOD, word) || is(BAD, word));
  if (early !== undefined) {
    throw new Error(`Write “and” or “but” after “${early}”.`);
  }
  return trees.reduceRight((right, left) => ({ left, right }));
}
