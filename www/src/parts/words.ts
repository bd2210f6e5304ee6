/** Numbers and words as a page writes them. */

/** A share as a percentage: `97.2 %`. */
export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/** With a capital letter at the beginning. */
export function capitalize(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
