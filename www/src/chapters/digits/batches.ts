/**
 * The order in which images are trained on: shuffled anew every epoch, from a seed of its own, so that a seed gives the same batches on
 * every device.
 */
export class Batches {
  private readonly order: Int32Array;
  private position: number;
  private state: number;
  /** How many times all images have been seen. */
  epoch = -1;

  constructor(count: number, seed: number) {
    this.order = Int32Array.from({ length: count }, (_, index) => index);
    this.position = count;
    this.state = seed >>> 0;
  }

  /**
   * The indices of the next `size` images. What is left over at the end of an epoch is skipped rather than given as a smaller batch: every
   * step then has the same shapes, and the runtime replays one plan.
   */
  next(size: number): Int32Array {
    if (this.position + size > this.order.length) {
      this.shuffle();
      this.position = 0;
      this.epoch += 1;
    }
    const batch = this.order.slice(this.position, this.position + size);
    this.position += size;
    return batch;
  }

  private shuffle(): void {
    for (let last = this.order.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      const kept = this.order[last]!;
      this.order[last] = this.order[other]!;
      this.order[other] = kept;
    }
  }

  /** A whole number from 0 to `limit` - 1: a Weyl sequence through the finalizer of MurmurHash3. */
  private below(limit: number): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let bits = this.state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    bits = (bits ^ (bits >>> 16)) >>> 0;
    return Math.floor((bits / 2 ** 32) * limit);
  }
}
