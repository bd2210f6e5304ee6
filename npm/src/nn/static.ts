/** Modules whose classes have more than the generated code. */
import { assemble } from './builtin.js';
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tripletMarginWithDistanceLoss, type TripletDistanceOptions } from '../tensor/functional.js';
import { Module } from './module.js';
import * as printed from '../generated/modules.js';
import { handleOf, type Tensor, type TensorLike } from '../tensor/tensor.js';
import { PackedSequence } from './rnn.js';

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

/** A recurrent layer's call with an output and the last states. */
type Run = (input: Tensor, options: { hx?: unknown; batchSizes: readonly number[] }) => readonly [Tensor, Tensor | readonly Tensor[]];

/** The results of recurrent layers for packed sequences, by position and by name. */
function runPacked(input: PackedSequence, given: unknown, names: readonly [string, string], run: Run): unknown {
  const { data, batchSizes, sortedIndices, unsortedIndices } = input;
  const hx = typeof given === 'object' && given !== null && 'hx' in given ? (given as { hx?: unknown }).hx : given;
  const reorder = (states: unknown, order: Tensor | null): unknown => {
    if (!order || states === null || states === undefined) return states;
    return Array.isArray(states) ? states.map((state: Tensor) => state.indexSelect(1, order)) : (states as Tensor).indexSelect(1, order);
  };
  const [output, states] = run(data, { hx: reorder(hx, sortedIndices), batchSizes });
  const results = [input.withData(output), reorder(states, unsortedIndices)];
  return Object.assign(results, { [names[0]]: results[0], [names[1]]: results[1] });
}

/** The output and the last states of packed sequences. */
export type PackedOutput = [PackedSequence, Tensor] & { output: PackedSequence; hN: Tensor };

export class RNN extends printed.RNN {
  static override readonly name: string = 'RNN';

  override forward(input: PackedSequence, hx?: Tensor | { hx?: Tensor | null } | null): PackedOutput;
  override forward(input: TensorLike, hx?: TensorLike | null, options?: { batchSizes?: readonly number[] | null }): ReturnType<printed.RNN['forward']>;
  override forward(input: TensorLike, options?: { hx?: TensorLike | null; batchSizes?: readonly number[] | null }): ReturnType<printed.RNN['forward']>;
  override forward(...args: unknown[]): unknown {
    const [input, hx] = args;
    if (!(input instanceof PackedSequence)) return super.forward(...(args as [Tensor]));
    return runPacked(input, hx, ['output', 'hN'], (data, options) => super.forward(data, options as object));
  }
}

export class GRU extends printed.GRU {
  static override readonly name: string = 'GRU';

  override forward(input: PackedSequence, hx?: Tensor | { hx?: Tensor | null } | null): PackedOutput;
  override forward(input: TensorLike, hx?: TensorLike | null, options?: { batchSizes?: readonly number[] | null }): ReturnType<printed.GRU['forward']>;
  override forward(input: TensorLike, options?: { hx?: TensorLike | null; batchSizes?: readonly number[] | null }): ReturnType<printed.GRU['forward']>;
  override forward(...args: unknown[]): unknown {
    const [input, hx] = args;
    if (!(input instanceof PackedSequence)) return super.forward(...(args as [Tensor]));
    return runPacked(input, hx, ['output', 'hN'], (data, options) => super.forward(data, options as object));
  }
}

/** The output and the last states `[h, c]` of packed sequences. */
export type PackedLSTMOutput = [PackedSequence, [Tensor, Tensor]] & { output: PackedSequence; states: [Tensor, Tensor] };

export class LSTM extends printed.LSTM {
  static override readonly name: string = 'LSTM';

  override forward(input: PackedSequence, hx?: readonly Tensor[] | { hx?: readonly Tensor[] | null } | null): PackedLSTMOutput;
  override forward(input: TensorLike, hx?: readonly Tensor[] | null, options?: { batchSizes?: readonly number[] | null }): ReturnType<printed.LSTM['forward']>;
  override forward(input: TensorLike, options?: { hx?: readonly Tensor[] | null; batchSizes?: readonly number[] | null }): ReturnType<printed.LSTM['forward']>;
  override forward(...args: unknown[]): unknown {
    const [input, hx] = args;
    if (!(input instanceof PackedSequence)) return super.forward(...(args as [Tensor]));
    return runPacked(input, hx, ['output', 'states'], (data, options) => super.forward(data, options as object));
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
