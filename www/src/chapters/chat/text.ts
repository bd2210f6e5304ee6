/**
 * The text that a model learns from: as bytes, split into a part to learn and a part that is held
 * back.
 */

/**
 * The share of a text that is held back, at its end, and the most windows of it that are measured.
 */
const HELD_BACK = 0.1;
const MAX_WINDOWS = 8;
/** A text of fewer windows is learnt whole. */
const MIN_WINDOWS = 10;

export interface Lesson {
  /** The bytes to learn; at least one window. */
  train: Uint8Array;
  /** Windows of `context + 1` bytes each, concatenated, that measure the model. */
  measured: Int32Array;
  windows: number;
  /** Whether the measured windows are a part of the text that is not learnt. */
  isHeldBack: boolean;
}

/** Splits a text, which may not be empty. A text that is shorter than a window is repeated. */
export function lessonOf(text: string, context: number): Lesson {
  let bytes = new TextEncoder().encode(text);
  if (bytes.length === 0) {
    throw new Error('there is no text to learn from');
  }
  const size = context + 1;
  if (bytes.length < 2 * size) {
    const times = Math.ceil((2 * size) / bytes.length);
    bytes = new TextEncoder().encode(text.repeat(times));
  }
  const isHeldBack = bytes.length >= MIN_WINDOWS * size;
  const cut = isHeldBack ? bytes.length - Math.max(size, Math.floor(bytes.length * HELD_BACK)) : bytes.length;
  const rest = isHeldBack ? bytes.subarray(cut) : bytes;
  const windows = Math.min(MAX_WINDOWS, Math.floor(rest.length / size));
  const measured = new Int32Array(windows * size);
  const stride = windows > 1 ? (rest.length - size) / (windows - 1) : 0;
  for (let index = 0; index < windows; index += 1) {
    const start = Math.floor(index * stride);
    measured.set(rest.subarray(start, start + size), index * size);
  }
  return { train: bytes.subarray(0, cut), measured, windows, isHeldBack };
}

/** Windows at random offsets of a text, `[count, size]`: the same ones for the same seed. */
export class Windows {
  private state: number;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly size: number,
    seed: number,
  ) {
    this.state = seed >>> 0;
  }

  next(count: number): Int32Array {
    const windows = new Int32Array(count * this.size);
    for (let row = 0; row < count; row += 1) {
      const start = Math.floor(this.random() * (this.bytes.length - this.size + 1));
      windows.set(this.bytes.subarray(start, start + this.size), row * this.size);
    }
    return windows;
  }

  /** A number from 0 to 1, by the generator mulberry32. */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
