/**
 * The task: sums of two numbers from 0 to 99 as texts, `27+45=27 `, a character a token. The answer ends with a blank, which says that it
 * does. It stands ones first unless asked otherwise: as with pencil and paper, a carry is then known before it is needed.
 */

/** All characters there are; a token is a place in it. */
export const CHARACTERS = '0123456789+= ';

export const LARGEST = 99;
/** The longest text that is read: all of `99+99=891 ` but its last character, which is only ever foretold. */
export const LENGTH = 9;
/** What a loss skips, as in PyTorch. */
const IGNORED = -100;

const HELD_OUT = 500;

/** Which digit of the answer is written first: that of the ones, or as usual that at the other end. */
export type Order = 'ones' | 'usual';

export interface Sum {
  first: number;
  second: number;
}

/** Texts and what comes next in them, `LENGTH` tokens each, one after the other. */
export interface Examples {
  count: number;
  text: Int32Array;
  next: Int32Array;
}

/**
 * All sums, parted into those to learn from and those to be asked; it is the same parting every time. Among the first, sums of short numbers
 * stand several times: there are only 100 with one digit each, which would come up too seldom to be learnt.
 */
export function allSums(): { train: Sum[]; heldOut: Sum[] } {
  const sums: Sum[] = [];
  for (let first = 0; first <= LARGEST; first += 1) {
    for (let second = 0; second <= LARGEST; second += 1) {
      sums.push({ first, second });
    }
  }
  // A linear congruence (Numerical Recipes), for a shuffle that is the same everywhere.
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

/** What the network is given: `27+45=`. */
export function promptOf({ first, second }: Sum): string {
  return `${first}+${second}=`;
}

/** What it should go on with. */
export function answerOf({ first, second }: Sum, order: Order): string {
  const digits = String(first + second);
  return `${order === 'ones' ? reversed(digits) : digits} `;
}

/** The number that an answer says, or NaN if it is none. */
export function numberIn(answer: string, order: Order): number {
  const digits = answer.trimEnd();
  return /^\d+$/.test(digits) ? Number(order === 'ones' ? reversed(digits) : digits) : NaN;
}

/** Tokens of a text, filled up with blanks. */
export function tokensOf(text: string): Int32Array {
  return Int32Array.from({ length: LENGTH }, (_, place) => CHARACTERS.indexOf(text[place] ?? ' '));
}

/** Texts of sums; only what follows the `=` is to be learnt: what is asked cannot be foretold. */
export function examplesOf(sums: readonly Sum[], order: Order): Examples {
  const text = new Int32Array(sums.length * LENGTH);
  const next = new Int32Array(sums.length * LENGTH).fill(IGNORED);
  sums.forEach((sum, row) => {
    const prompt = promptOf(sum);
    const whole = prompt + answerOf(sum, order);
    text.set(tokensOf(whole), row * LENGTH);
    for (let place = prompt.length; place < whole.length; place += 1) {
      next[row * LENGTH + place - 1] = CHARACTERS.indexOf(whole[place]!);
    }
  });
  return { count: sums.length, text, next };
}

/** The share of examples that `predicted`, the likeliest next tokens, has wholly right. */
export function shareRight({ count, next }: Examples, predicted: ArrayLike<number | bigint>): number {
  let right = 0;
  for (let row = 0; row < count; row += 1) {
    const from = row * LENGTH;
    const wrong = next.subarray(from, from + LENGTH).some((token, place) => token !== IGNORED && token !== Number(predicted[from + place]));
    right += wrong ? 0 : 1;
  }
  return right / count;
}

/**
 * Writes texts on, a character a time, until each has its blank or no place is left. All are always `LENGTH` tokens long, so that every turn
 * is the same work for the device; what stands after the present place is not looked at by a network that cannot look ahead.
 */
export async function writeOn(
  prompts: readonly string[],
  likeliest: (tokens: Int32Array) => Promise<ArrayLike<number | bigint>>,
): Promise<string[]> {
  const texts = [...prompts];
  const tokens = new Int32Array(prompts.length * LENGTH);
  const isWritten = (text: string) => text.endsWith(' ') || text.length > LENGTH;
  while (!texts.every(isWritten)) {
    texts.forEach((text, row) => tokens.set(tokensOf(text), row * LENGTH));
    const next = await likeliest(tokens);
    texts.forEach((text, row) => {
      if (!isWritten(text)) {
        texts[row] = text + CHARACTERS[Number(next[row * LENGTH + text.length - 1])]!;
      }
    });
  }
  return texts.map((text, row) => text.slice(prompts[row]!.length));
}
