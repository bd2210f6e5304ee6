/** Modules whose classes have static functions beside the generated code. */
import { checkOptions } from './check.js';
import { LanthornError } from './errors.js';
import { tripletMarginWithDistanceLoss, type TripletDistanceOptions } from './functional.js';
import { Module } from './module.js';
import * as printed from './modules.generated.js';
import { full } from './operations.generated.js';
import { handleOf, type Tensor } from './tensor.js';

/** The sizes of a pretrained table. */
function sizes(name: string, embeddings: Tensor): [number, number] {
  handleOf(name, 'embeddings', embeddings);
  const [rows, width, ...rest] = embeddings.shape;
  if (width === undefined || rest.length > 0) throw new LanthornError('shape', name, `embeddings must be a matrix, not of shape [${embeddings.shape.join(', ')}]`);
  return [rows!, width];
}

/** The options of a table that do not depend on the source of its rows. */
type Options<Module extends abstract new (...args: any[]) => unknown> = Omit<NonNullable<ConstructorParameters<Module>[2]>, '_weight' | '_freeze'>;

export class Embedding extends printed.Embedding {
  static override readonly name: string = 'Embedding';
  /**
   * A table that shares the given rows, `[numEmbeddings, embeddingDim]`; with `freeze` they are not
   * trained.
   */
  static fromPretrained(embeddings: Tensor, freeze = true, options: Options<typeof printed.Embedding> = {}): Embedding {
    return new Embedding(...sizes('Embedding', embeddings), { ...options, _weight: embeddings, _freeze: freeze });
  }
}

export class EmbeddingBag extends printed.EmbeddingBag {
  static override readonly name: string = 'EmbeddingBag';
  /**
   * A table that shares the given rows, `[numEmbeddings, embeddingDim]`; with `freeze` they are not
   * trained.
   */
  static fromPretrained(embeddings: Tensor, freeze = true, options: Options<typeof printed.EmbeddingBag> = {}): EmbeddingBag {
    return new EmbeddingBag(...sizes('EmbeddingBag', embeddings), { ...options, _weight: embeddings, _freeze: freeze });
  }
}

/** `TripletMarginLoss` with any distance. */
export class TripletMarginWithDistanceLoss extends Module {
  static override readonly name: string = 'TripletMarginWithDistanceLoss';
  readonly #options: TripletDistanceOptions;

  constructor(options: TripletDistanceOptions = {}) {
    super();
    this.#options = checkOptions('TripletMarginWithDistanceLoss', options, ['distanceFunction', 'margin', 'swap', 'reduction']);
  }

  /** The loss of an anchor, a positive and a negative. */
  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginWithDistanceLoss(anchor, positive, negative, this.#options);
  }
}

export class Transformer extends printed.Transformer {
  static override readonly name: string = 'Transformer';
  /**
   * The causal mask `[size, size]`: 0 for a position itself and those before it, minus infinity
   * elsewhere.
   */
  static generateSquareSubsequentMask(size: number): Tensor {
    return full([size, size], -Infinity).triu(1);
  }
}
