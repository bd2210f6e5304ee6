/** Modules whose classes have more than the generated code. */
import { assemble } from './builtin.js';
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tripletMarginWithDistanceLoss, type TripletDistanceOptions } from '../tensor/functional.js';
import { Module } from './module.js';
import * as printed from '../generated/modules.js';
import { handleOf, type Tensor } from '../tensor/tensor.js';

/** The sizes of a pretrained table. */
function sizes(name: string, embeddings: Tensor): [number, number] {
  handleOf(name, 'embeddings', embeddings);
  const [rows, width, ...rest] = embeddings.shape;
  if (width === undefined || rest.length > 0) throw new LanthornError('shape', name, `embeddings must be a matrix, not of shape [${embeddings.shape.join(', ')}]`);
  return [rows!, width];
}

/** The options of a table that do not depend on the source of its rows. */
type Options<Module extends abstract new (...args: never[]) => unknown> = Omit<NonNullable<ConstructorParameters<Module>[2]>, '_weight' | '_freeze'>;

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

/** A linear layer of these tensors. */
function linearOf({ weight, bias }: Readonly<Record<string, Tensor | undefined>>): printed.Linear {
  const [outFeatures, inFeatures] = weight!.shape;
  return assemble(printed.Linear, [inFeatures, outFeatures, bias !== undefined], { weight, bias });
}

export class MultiheadAttention extends printed.MultiheadAttention {
  static override readonly name: string = 'MultiheadAttention';
  /** The projection of the output. */
  declare readonly outProj: printed.Linear;

  /** @internal */
  protected override createChild(tensors: Readonly<Record<string, Tensor | undefined>>): Module {
    return linearOf(tensors);
  }
}

export class LinearCrossEntropyLoss extends printed.LinearCrossEntropyLoss {
  static override readonly name: string = 'LinearCrossEntropyLoss';
  /** The layer of the logits. */
  declare readonly linear: printed.Linear;

  /** @internal */
  protected override createChild(tensors: Readonly<Record<string, Tensor | undefined>>): Module {
    return linearOf(tensors);
  }
}
