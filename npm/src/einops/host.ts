/**
 * The words of patterns; the counterpart of `crates/einops/src/host`. The rest is printed from
 * Rust.
 */

/**
 * The words of a side of a pattern: names, numbers, `...`, `(` and `)`; other characters are words
 * of one character.
 */
export function wordsOf(text: string): string[] {
  return text.match(/\.\.\.|[\p{L}\p{N}_]+|\S/gu) ?? [];
}

/** The texts between separators. */
export function splitText(text: string, separator: string): string[] {
  return text.split(separator);
}

/** The number that a word is. */
export function numberOfWord(word: string): number | undefined {
  return /^[0-9]+$/.test(word) ? Number(word) : undefined;
}

/** Whether a word is the name of a dimension. */
export function isName(word: string): boolean {
  return /^\p{L}(?:[\p{L}\p{N}_]*[\p{L}\p{N}])?$/u.test(word);
}

/** The letter of a number below 52, for `einsum`. */
export function letter(index: number): string {
  return String.fromCharCode(index < 26 ? 97 + index : 65 + index - 26);
}
