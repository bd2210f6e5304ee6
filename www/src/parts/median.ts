/** The median of numbers, the larger of the two in the middle; nothing of none. */
export function median(values: readonly number[]): number | undefined {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}
