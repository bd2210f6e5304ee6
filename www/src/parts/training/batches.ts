/**
 * An endless sequence of batches: one epoch of a loader after another, with a position that a
 * checkpoint stores.
 */
import type { DataLoader, LoaderState } from 'lanthorn/data';

export class Batches<B> {
  private loader: DataLoader<unknown, B>;
  private running: AsyncIterator<B> | undefined;

  /**
   * `loaderOf` makes the loader for a batch size and a seed. Its order of examples is a function of
   * seed and epoch alone.
   */
  constructor(
    private readonly loaderOf: (size: number) => DataLoader<unknown, B>,
    private size: number,
  ) {
    this.loader = loaderOf(size);
  }

  /** The number of completed epochs. */
  get epoch(): number {
    return this.loader.stateDict().epoch;
  }

  /** The next batch of `size` examples; if the size changed, the first one of the next epoch. */
  async next(size: number): Promise<B> {
    if (size !== this.size) {
      const { seed, epoch } = this.stateDict();
      this.size = size;
      this.replace({ seed, epoch: epoch + 1, position: 0 });
    }
    for (;;) {
      this.running ??= this.loader[Symbol.asyncIterator]();
      const next = await this.running.next();
      if (!next.done) {
        return next.value;
      }
      this.running = undefined;
    }
  }

  stateDict(): LoaderState {
    return this.loader.stateDict();
  }

  loadStateDict(state: LoaderState): void {
    this.replace(state);
  }

  private replace(state: LoaderState): void {
    // The batches that the old loader has prepared are disposed of.
    void this.running?.return?.();
    this.running = undefined;
    this.loader = this.loaderOf(this.size);
    this.loader.loadStateDict(state);
  }
}
