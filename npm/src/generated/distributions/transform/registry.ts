// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The transforms from unconstrained values to the values of a constraint. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { paramMinus } from '../../../distributions/host.js';
import type { Transform } from '../transform.js';
import {
  CatTransform, IndependentTransform, StackTransform, affineAfter, identityTransform,
} from '../transform/combined.js';
import {
  CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform,
  SoftmaxTransform, StickBreakingTransform,
} from '../transform/matrix.js';
import { ExpTransform, SigmoidTransform } from '../transform/pointwise.js';

/**
 * A bijective transform from unconstrained values to the values of a constraint, for Hamiltonian
 * Monte Carlo.
 *
 * @throws `argument` if there is none for the constraint.
 *
 * @example
 * const y = bijectTo(Constraint.positive).forward(zeros([]));
 * await y.item(); // 1
 */
export function bijectTo(constraint: Constraint): Transform;
export function bijectTo(...args: unknown[]): Transform {
  const [constraint] = bind('bijectTo constraint:Constraint', args, { Constraint }) as [Constraint];
  return find('biject_to', constraint, true);
}

/**
 * A transform from unconstrained values to the values of a constraint, for optimizers: it need not
 * be bijective.
 *
 * @throws `argument` if there is none for the constraint.
 *
 * @example
 * const y = transformTo(Constraint.simplex).forward(zeros([2]));
 * await y.tolist(); // [0.5, 0.5]
 */
export function transformTo(constraint: Constraint): Transform;
export function transformTo(...args: unknown[]): Transform {
  const [constraint] = bind('transformTo constraint:Constraint', args, { Constraint }) as [Constraint];
  return find('transform_to', constraint, false);
}

function find(op: string, constraint: Constraint, isBijective: boolean): Transform {
  return scope(() => {
    switch (constraint.kind) {
      case 'real': return identityTransform();
      case 'realVector': return IndependentTransform.of(identityTransform(), 1);
      case 'positive': case 'nonnegative': return make(ExpTransform, {});
      case 'greaterThan': {
        const lower = constraint.values[0] as Tensor | number;
        return affineAfter(make(ExpTransform, {}), lower, 1);
      }
      case 'greaterThanEq': {
        const lower = constraint.values[0] as Tensor | number;
        return affineAfter(make(ExpTransform, {}), lower, 1);
      }
      case 'lessThan': {
        const upper = constraint.values[0] as Tensor | number;
        return affineAfter(make(ExpTransform, {}), upper, -1);
      }
      case 'unitInterval': return make(SigmoidTransform, {});
      case 'interval': {
        const lower = constraint.values[0] as Tensor | number;
        const upper = constraint.values[1] as Tensor | number;
        return affineAfter(make(SigmoidTransform, {}), lower, paramMinus(upper, lower));
      }
      case 'halfOpenInterval': {
        const lower = constraint.values[0] as Tensor | number;
        const upper = constraint.values[1] as Tensor | number;
        return affineAfter(make(SigmoidTransform, {}), lower, paramMinus(upper, lower));
      }
      case 'simplex': {
        if (isBijective) return make(StickBreakingTransform, {});
        return make(SoftmaxTransform, {});
      }
      case 'lowerCholesky': return make(LowerCholeskyTransform, {});
      case 'positiveDefinite': case 'positiveSemidefinite':
        return make(PositiveDefiniteTransform, {});
      case 'corrCholesky': return make(CorrCholeskyTransform, {});
      case 'independent': {
        const base = constraint.values[0] as Constraint;
        const count = constraint.values[1] as number;
        return IndependentTransform.of(find(op, base, isBijective), count);
      }
      case 'cat': {
        const parts = constraint.values[0] as readonly Constraint[];
        const dim = constraint.values[1] as number;
        const lengths = constraint.values[2] as readonly number[];
        return CatTransform.of(findAll(op, parts, isBijective), dim, lengths);
      }
      case 'stack': {
        const parts = constraint.values[0] as readonly Constraint[];
        const dim = constraint.values[1] as number;
        return StackTransform.of(findAll(op, parts, isBijective), dim);
      }
      default:
        throw failure(
          'argument',
          op,
          `there is no transform to values that must be ${constraint.describe()}`,
        );
    }
  });
}

function findAll(op: string, constraints: readonly Constraint[], isBijective: boolean): readonly Transform[] {
  return scope(() => {
    const transforms: Transform[] = [];
    for (const constraint of constraints) {
      transforms.push(find(op, constraint, isBijective));
    }
    return transforms;
  });
}
