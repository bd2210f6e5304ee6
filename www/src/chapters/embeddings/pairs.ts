/** Pairs of neighbouring words, and negative samples. */
import { uniform } from '../../parts/random';
import type { Vocabulary } from './vocabulary';

/**
 * The power of a word's count in the distribution of negative samples (Mikolov and others, 2013).
 */
const POWER = 0.75;

export interface PairBatch {
  centers: Int32Array;
  /** `[batch, 1 + negatives]` */
  contexts: Int32Array;
}

/** Batches of pairs at random positions of the text; its state is the number of batches so far. */
export class Pairs {
  private readonly positions: Int32Array;
  private readonly cumulative: Float64Array;
  private taken = 0;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly options: { window: number; negatives: number; seed: number },
  ) {
    const { sentences, counts } = vocabulary;
    this.positions = Int32Array.from(sentences.flatMap((sentence, index) => Array.from(sentence, (_, at) => [index, at]).flat()));
    let sum = 0;
    this.cumulative = Float64Array.from(counts, (count) => (sum += count ** POWER));
  }

  /** The batches that make one reading of the text. */
  passes(size: number): number {
    return Math.floor((this.taken * size) / (this.positions.length / 2));
  }

  next(size: number): PairBatch {
    // A generator for each batch, so that a checkpoint needs its number alone.
    const random = uniform(this.options.seed * 1_000_003 + this.taken);
    this.taken += 1;
    const { negatives } = this.options;
    const [centers, contexts] = [new Int32Array(size), new Int32Array(size * (1 + negatives))];
    for (let row = 0; row < size; row += 1) {
      const [center, context] = this.pair(random);
      centers[row] = center;
      contexts[row * (1 + negatives)] = context;
      for (let index = 1; index <= negatives; index += 1) {
        contexts[row * (1 + negatives) + index] = this.word(random());
      }
    }
    return { centers, contexts };
  }

  stateDict(): { taken: number } {
    return { taken: this.taken };
  }

  loadStateDict({ taken }: { taken: number }): void {
    this.taken = taken;
  }

  private pair(random: () => number): [number, number] {
    const position = 2 * Math.floor(random() * (this.positions.length / 2));
    const [sentence, at] = [this.vocabulary.sentences[this.positions[position]!]!, this.positions[position + 1]!];
    // Nearer words are chosen more often, as by a window of random width.
    const reach = 1 + Math.floor(random() * this.options.window);
    const distance = 1 + Math.floor(random() * reach);
    const side = random() < 0.5 ? -1 : 1;
    const other = sentence[at + side * distance] ?? sentence[at - side * distance] ?? sentence[at + (at + 1 < sentence.length ? 1 : -1)]!;
    return [sentence[at]!, other];
  }

  /** The word at a share of the distribution, by bisection. */
  private word(share: number): number {
    const wanted = share * this.cumulative.at(-1)!;
    let [low, high] = [0, this.cumulative.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.cumulative[middle]! > wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
