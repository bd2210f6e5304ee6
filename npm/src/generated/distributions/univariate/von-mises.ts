// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The von Mises distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as special from '../../special.js';
import { HALF_LN_TAU } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardUniform, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The rounds of rejection. A round accepts at least 65 % of the candidates, so that all of them
 * reject one sample in 10^14.
 */
const ROUNDS = 32;

/**
 * The von Mises distribution of angles, of density `exp(concentration cos(x - loc)) / (2 pi
 * I0(concentration))`.
 *
 * Samples are from -pi to pi. Source: Best and Fisher, "Efficient Simulation of the von Mises
 * Distribution" (1979).
 *
 * @example
 * const angles = new VonMises(0.5, 4);
 * await angles.mean.item(); // 0.5
 */
export class VonMises extends Distribution {
  /** The angle of the largest density, in radians. */
  readonly loc!: Tensor;
  /** The concentration. */
  readonly concentration!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, concentration: TensorLike | number);
  constructor(options: { loc: TensorLike | number; concentration: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, concentration] = bind('VonMises loc:param concentration:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, VonMises.of(loc, concentration));
  }

  /** @internal */
  static of(loc: Tensor | number, concentration: Tensor | number): VonMises {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const concentration2 = Arg.of('concentration', concentration, Constraint.positive);
      const values = broadcastArgs('VonMises', [loc2, concentration2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(VonMises, { loc: values[0]!, concentration: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'VonMises';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const concentration = Arg.of('concentration', this.concentration, Constraint.positive);
      return [loc, concentration];
    });
  }

  override get support(): Constraint {
    return Constraint.real;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('VonMises.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      VonMises,
      {
        loc: this.loc.expand(batchShape),
        concentration: this.concentration.expand(batchShape),
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('VonMises.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const like = this.loc.detach().expand(shape);
      const concentration = this.concentration.detach().expand(shape);
      const proposal = proposalOf(concentration);
      let cosine = zeros(shape, like);
      let isOpen = cosine.eq(0);
      for (let step = 0; step < ROUNDS; step++) {
        const turn = standardUniform(shape, like).mul(Math.PI).cos();
        const candidate = proposal.mul(turn).add(1).div(proposal.add(turn));
        const c = concentration.mul(proposal.sub(candidate));
        const u = standardUniform(shape, like);
        const isBelow = c.mul(c.rsub(2)).gt(u);
        const isAccepted = isBelow.logicalOr(c.div(u).log().add(1).ge(c));
        const isTaken = isOpen.logicalAnd(isAccepted);
        cosine = torch.where(isTaken, candidate, cosine);
        isOpen = isOpen.logicalAnd(isAccepted.logicalNot());
      }
      const angle = cosine.clampMin(-1).clampMax(1).acos();
      const sign = standardUniform(shape, like).sub(0.5).sign();
      const turned = angle.mul(sign).add(like);
      return turned.add(Math.PI).remainder(2 * Math.PI).sub(Math.PI).to(like.dtype);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('VonMises.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const cosine = value.sub(this.loc).cos();
      const logBessel = special.i0e(this.concentration).log().add(this.concentration);
      return this.concentration.mul(cosine).sub(logBessel).sub(2 * HALF_LN_TAU);
    });
  }

  override get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => special.i1e(this.concentration).div(special.i0e(this.concentration)).rsub(
      1,
    ));
  }
}

/**
 * Best and Fisher's parameter of the proposals, a wrapped Cauchy distribution; its expansion below
 * a concentration of 1e-3, where the formula cancels.
 */
function proposalOf(concentration: Tensor): Tensor {
  return scope(() => {
    const tau = concentration.square().mul(4).add(1).sqrt().add(1);
    const rho = tau.sub(tau.mul(2).sqrt()).div(concentration.mul(2));
    const exact = rho.square().add(1).div(rho.mul(2));
    const expansion = concentration.reciprocal().add(concentration);
    return torch.where(concentration.lt(1e-3), expansion, exact);
  });
}
