/** Modules whose classes have functions of their own beside what is printed from the module table. */
import { checkOptions } from './check.js';
import { LanthornError } from './errors.js';
import { tripletMarginWithDistanceLoss, type TripletDistanceOptions } from './functional.js';
import { Module } from './module.js';
import * as printed from './modules.generated.js';
import { full } from './operations.generated.js';
import { handleOf, type Tensor } from './tensor.js';

/** The sizes of a table that was trained before. */
function sizes(name: string, embeddings: Tensor): [number, number] {
  handleOf(name, 'embeddings', embeddings);
  const [rows, width, ...rest] = embeddings.shape;
  if (width === undefined || rest.length > 0) throw new LanthornError('shape', name, `embeddings must be a matrix, not of shape [${embeddings.shape.join(', ')}]`);
  return [rows!, width];
}

/** The options of a table that do not depend on where its rows are from. */
type Options<Module extends abstract new (...args: any[]) => unknown> = Omit<NonNullable<ConstructorParameters<Module>[2]>, '_weight' | '_freeze'>;

export class Embedding extends printed.Embedding {
  /** A table of these rows, `[numEmbeddings, embeddingDim]`, which it shares; with `freeze` they are not trained. */
  static fromPretrained(embeddings: Tensor, freeze = true, options: Options<typeof printed.Embedding> = {}): Embedding {
    return new Embedding(...sizes('Embedding', embeddings), { ...options, _weight: embeddings, _freeze: freeze });
  }
}

export class EmbeddingBag extends printed.EmbeddingBag {
  /** A table of these rows, `[numEmbeddings, embeddingDim]`, which it shares; with `freeze` they are not trained. */
  static fromPretrained(embeddings: Tensor, freeze = true, options: Options<typeof printed.EmbeddingBag> = {}): EmbeddingBag {
    return new EmbeddingBag(...sizes('EmbeddingBag', embeddings), { ...options, _weight: embeddings, _freeze: freeze });
  }
}

/** `TripletMarginLoss` with any distance. */
export class TripletMarginWithDistanceLoss extends Module {
  readonly #options: TripletDistanceOptions;

  constructor(options: TripletDistanceOptions = {}) {
    super();
    this.#options = checkOptions('TripletMarginWithDistanceLoss', options, ['distanceFunction', 'margin', 'swap', 'reduction']);
  }

  /** The loss of an anchor, what is to be near it, and what is to be far. */
  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginWithDistanceLoss(anchor, positive, negative, this.#options);
  }
}

export class Transformer extends printed.Transformer {
  /** The mask `[size, size]` under which a place attends to itself and what comes before: 0 there, and minus infinity elsewhere. */
  static generateSquareSubsequentMask(size: number): Tensor {
    return full([size, size], -Infinity).triu(1);
  }
}
