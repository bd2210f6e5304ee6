// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Mixtures of distributions of one type. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Categorical } from '../discrete/categorical.js';
import { Distribution } from '../distribution.js';
import type { Arg } from '../../../distributions/host.js';
import { Shapes, concat, insertDims, sameShape } from '../shapes.js';

/**
 * The mixture of the distributions along the last batch dimension, with the probabilities of a
 * `Categorical`.
 *
 * Source: McLachlan and Peel, "Finite Mixture Models", 1.4; the variance by the law of total
 * variance.
 *
 * @example
 * const loc = tensor([-3, 1]);
 * const weights = new Categorical(ones([2]));
 * const mixture = new MixtureSameFamily(weights, new Normal(loc, 1));
 * await mixture.mean.item(); // -1
 */
export class MixtureSameFamily extends Distribution {
  /** @internal */
  readonly mixture!: Categorical;
  /** @internal */
  readonly component!: Distribution;
  override readonly shapes!: Shapes;

  constructor(mixtureDistribution: Categorical, componentDistribution: Distribution);
  constructor(options: { mixtureDistribution: Categorical; componentDistribution: Distribution });
  constructor(...args: unknown[]) {
    super();
    const [mixtureDistribution, componentDistribution] = bind('MixtureSameFamily mixtureDistribution:Categorical componentDistribution:Distribution', args, { Categorical, Distribution }) as [Categorical, Distribution];
    Object.assign(this, MixtureSameFamily.of(mixtureDistribution, componentDistribution));
  }

  /** @internal */
  static of(mixtureDistribution: Categorical, componentDistribution: Distribution): MixtureSameFamily {
    const components = componentDistribution.batchShape;
    const rank = components.length;
    if (rank === 0 || components[rank - 1]! !== mixtureDistribution.numEvents()) {
      const count = mixtureDistribution.numEvents();
      const message = `${count} probabilities for components in batch shape [${components.join(', ')}]`;
      throw failure('shape', 'MixtureSameFamily', message);
    }
    const batch = components.slice(0, rank - 1);
    const given = mixtureDistribution.batchShape;
    if (!(given.length === 0) && !sameShape(given, batch)) {
      const message = `probabilities in batch shape [${given.join(', ')}] for components in batch shape [${components.join(', ')}]`;
      throw failure('shape', 'MixtureSameFamily', message);
    }
    const shapes = Shapes.of(batch, componentDistribution.eventShape);
    return make(
      MixtureSameFamily,
      { mixture: mixtureDistribution, component: componentDistribution, shapes },
    );
  }

  /** The distribution of the components' index. */
  get mixtureDistribution(): Categorical {
    return this.mixture;
  }

  /** The distributions of the components. */
  get componentDistribution(): Distribution {
    return this.component;
  }

  /** @internal */
  probs(): Tensor {
    return scope(() => insertDims(this.mixture.probs, this.eventShape.length, 0));
  }

  /** @internal */
  componentDim(): number {
    return -1 - this.eventShape.length;
  }

  override get name(): string {
    return 'MixtureSameFamily';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const args = [...this.mixture.argConstraints];
      for (const arg of this.component.argConstraints) {
        args.push(arg);
      }
      return args;
    });
  }

  override get support(): Constraint {
    return scope(() => Constraint.mixture(this.component.support));
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('MixtureSameFamily.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => {
      const count = this.mixture.numEvents();
      return make(
        MixtureSameFamily,
        {
          mixture: this.mixture.expandTo(batchShape),
          component: this.component.expand(concat(batchShape, [count])),
          shapes: this.shapes.withBatch(batchShape),
        },
      );
    });
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('MixtureSameFamily.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const event = this.eventShape;
      const batch = concat(sampleShape, this.batchShape);
      const index = this.mixture.expandTo(this.batchShape).sample(sampleShape);
      const column = insertDims(index, 1 + event.length, 0);
      const positions = column.expand(concat(concat(batch, [1]), event));
      const values = this.component.sample(sampleShape);
      return values.gather(this.componentDim(), positions).squeeze(this.componentDim());
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('MixtureSameFamily.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logProbs = this.component.logProb(value.unsqueeze(this.componentDim()));
      return logProbs.add(this.mixture.probs.log()).logsumexp(-1);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('MixtureSameFamily.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const probabilities = this.component.cdf(value.unsqueeze(this.componentDim()));
      return probabilities.mul(this.mixture.probs).sum(-1);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.component.mean.mul(this.probs()).sum(this.componentDim()));
  }

  override get variance(): Tensor {
    return scope(() => {
      const probs = this.probs();
      const mean = this.mean.unsqueeze(this.componentDim());
      const within = this.component.variance.mul(probs);
      const between = this.component.mean.sub(mean).square().mul(probs);
      return within.add(between).sum(this.componentDim());
    });
  }
}
