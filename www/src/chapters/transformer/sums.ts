/**
 * The task: sums of two numbers from 0 to 99 as texts, `27+45=27 `, one token per character. The
 * answer ends with a blank. By default its digits are in reverse, ones first, as in addition on
 * paper: a carry is then known before it is needed.
 */

/** All characters; a token is an index into it. */
export const CHARACTERS = '0123456789+= ';

export const MAX_NUMBER = 99;
/**
 * The longest input: all of `99+99=891 ` without its last character, which is only ever predicted.
 */
export const LENGTH = 9;
/** The index that a loss ignores, as in PyTorch. */
const IGNORED = -100;

const HELD_OUT = 500;

/** Which digit of the answer is written first: the ones, or the most significant. */
export type Order = 'ones' | 'usual';

export interface Sum {
  first: number;
  second: number;
}

/** Texts and their next tokens, `LENGTH` each, concatenated. */
export interface Examples {
  count: number;
  text: Int32Array;
  next: Int32Array;
}

/**
 * All sums, split into training and held-out sums; the split is always the same. In the training
 * set, sums of short numbers are repeated: there are only 100 with one digit each, which would
 * otherwise be too rare to be learnt.
 */
export function allSums(): { train: Sum[]; heldOut: Sum[] } {
  const sums: Sum[] = [];
  for (let first = 0; first <= MAX_NUMBER; first += 1) {
    for (let second = 0; second <= MAX_NUMBER; second += 1) {
      sums.push({ first, second });
    }
  }
  // A linear congruential generator (Numerical Recipes), for a shuffle that is the same everywhere.
  let state = 1;
  for (let last = sums.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [sums[last], sums[other]] = [sums[other]!, sums[last]!];
  }
  const train = sums.slice(HELD_OUT).flatMap((sum) => new Array<Sum>(timesInLesson(sum)).fill(sum));
  return { train, heldOut: sums.slice(0, HELD_OUT) };
}

function timesInLesson({ first, second }: Sum): number {
  const short = [first, second].filter((number) => number < 10).length;
  return [1, 2, 12][short]!;
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

/** The network's input: `27+45=`. */
export function promptOf({ first, second }: Sum): string {
  return `${first}+${second}=`;
}

/** The expected continuation. */
export function answerOf({ first, second }: Sum, order: Order): string {
  const digits = String(first + second);
  return `${order === 'ones' ? reversed(digits) : digits} `;
}

/** The number in an answer, or NaN if it is none. */
export function numberIn(answer: string, order: Order): number {
  const digits = answer.trimEnd();
  return /^\d+$/.test(digits) ? Number(order === 'ones' ? reversed(digits) : digits) : NaN;
}

/** Tokens of a text, padded with blanks. */
export function tokensOf(text: string): Int32Array {
  return Int32Array.from({ length: LENGTH }, (_, index) => CHARACTERS.indexOf(text[index] ?? ' '));
}

/**
 * Texts of sums; only the part after the `=` is to be learnt, because the question cannot be
 * predicted.
 */
export function examplesOf(sums: readonly Sum[], order: Order): Examples {
  const text = new Int32Array(sums.length * LENGTH);
  const next = new Int32Array(sums.length * LENGTH).fill(IGNORED);
  sums.forEach((sum, row) => {
    const prompt = promptOf(sum);
    const whole = prompt + answerOf(sum, order);
    text.set(tokensOf(whole), row * LENGTH);
    for (let index = prompt.length; index < whole.length; index += 1) {
      next[row * LENGTH + index - 1] = CHARACTERS.indexOf(whole[index]!);
    }
  });
  return { count: sums.length, text, next };
}

/** The fraction of examples that `predicted`, the most likely next tokens, has entirely right. */
export function shareRight({ count, next }: Examples, predicted: ArrayLike<number | bigint>): number {
  let right = 0;
  for (let row = 0; row < count; row += 1) {
    const from = row * LENGTH;
    const wrong = next.subarray(from, from + LENGTH).some((token, index) => token !== IGNORED && token !== Number(predicted[from + index]));
    right += wrong ? 0 : 1;
  }
  return right / count;
}

/**
 * Extends texts, one character a time, until each has its blank or no position is left. All are
 * always `LENGTH` tokens long, so that every pass is the same work for the device; causal attention
 * ignores the tokens after the current position.
 */
export async function writeOn(
  prompts: readonly string[],
  predict: (tokens: Int32Array) => Promise<ArrayLike<number | bigint>>,
): Promise<string[]> {
  const texts = [...prompts];
  const tokens = new Int32Array(prompts.length * LENGTH);
  const isWritten = (text: string) => text.endsWith(' ') || text.length > LENGTH;
  while (!texts.every(isWritten)) {
    texts.forEach((text, row) => tokens.set(tokensOf(text), row * LENGTH));
    const next = await predict(tokens);
    texts.forEach((text, row) => {
      if (!isWritten(text)) {
        texts[row] = text + CHARACTERS[Number(next[row * LENGTH + text.length - 1])]!;
      }
    });
  }
  return texts.map((text, row) => text.slice(prompts[row]!.length));
}
