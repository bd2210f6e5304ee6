/**
 * A choice of speed, for chapters whose training would otherwise be over before the eye has
 * followed it.
 */
import type { Field } from './panel';

export type Speed = 'watch' | 'fast';

const WORDS: Record<string, string> = { watch: 'To watch', fast: 'As fast as it can' };

export const SPEED: Field = { name: 'speed', label: 'Speed', values: Object.keys(WORDS), chosen: 'watch', words: (value) => WORDS[value]! };

/** Waits before a step, unless training goes as fast as it can. */
export async function holdBack(speed: Speed, milliseconds: number): Promise<void> {
  if (speed === 'watch') {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}
