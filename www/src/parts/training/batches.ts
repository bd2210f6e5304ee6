/**
 * The order in which examples are trained on: shuffled anew every epoch. It follows from the seed and the epoch alone, so that a seed gives the
 * same batches on every device, and a checkpoint needs no more than the place in it.
 */

/** Where training stands in the data. */
export interface Place {
  seed: number;
  /** How many times all examples have been begun with, less one; -1 before the first batch. */
  epoch: number;
  /** How many examples of the epoch have been handed out. */
  position: number;
}

export class Batches {
  private readonly order: Int32Array;
  private place: Place;

  constructor(count: number, seed: number) {
    this.order = new Int32Array(count);
    this.place = { seed, epoch: -1, position: count };
  }

  get epoch(): number {
    return this.place.epoch;
  }

  /**
   * The indices of the next `size` examples. What is left over at the end of an epoch is skipped rather than given as a smaller batch: every
   * step then has the same shapes, and the runtime replays one plan.
   */
  next(size: number): Int32Array {
    if (this.place.position + size > this.order.length) {
      this.place = { ...this.place, epoch: this.place.epoch + 1, position: 0 };
      this.shuffle();
    }
    const { position } = this.place;
    this.place = { ...this.place, position: position + size };
    return this.order.slice(position, position + size);
  }

  stateDict(): Place {
    return this.place;
  }

  loadStateDict(place: Place): void {
    this.place = { ...place };
    this.shuffle();
  }

  private shuffle(): void {
    const random = randomOf(this.place);
    this.order.forEach((_, index) => (this.order[index] = index));
    for (let last = this.order.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1));
      const kept = this.order[last]!;
      this.order[last] = this.order[other]!;
      this.order[other] = kept;
    }
  }
}

/** Numbers from 0 to 1: a Weyl sequence through the finalizer of MurmurHash3, begun anew for every seed and epoch. */
function randomOf({ seed, epoch }: Place): () => number {
  const mix = (word: number) => {
    let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return (bits ^ (bits >>> 16)) >>> 0;
  };
  let state = mix(seed + 1) ^ mix(Math.imul(epoch + 1, 0x9e3779b9));
  return () => mix((state = (state + 0x9e3779b9) >>> 0)) / 2 ** 32;
}
