// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The sets of values that parameters and samples belong to. */
import { bind } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import * as torch from '../operations.js';
import * as linalg from '../linalg.js';
import { epsilon, numberOf } from '../../distributions/host.js';
import { lastDims } from './shapes.js';

/**
 * A set of values, as in `torch.distributions.constraints`.
 *
 * @example
 * const x = tensor([-1, 0.5]);
 * const holds = Constraint.unitInterval.check(x).int();
 * await holds.tolist(); // [0, 1]
 */
export class Constraint {
  /** @internal */
  constructor(
    readonly kind:
      | 'dependent'
      | 'boolean'
      | 'oneHot'
      | 'nonnegativeInteger'
      | 'positiveInteger'
      | 'real'
      | 'realVector'
      | 'positive'
      | 'nonnegative'
      | 'unitInterval'
      | 'simplex'
      | 'square'
      | 'symmetric'
      | 'positiveSemidefinite'
      | 'positiveDefinite'
      | 'lowerTriangular'
      | 'lowerCholesky'
      | 'corrCholesky'
      | 'integerInterval'
      | 'greaterThan'
      | 'greaterThanEq'
      | 'lessThan'
      | 'interval'
      | 'halfOpenInterval'
      | 'multinomial'
      | 'independent'
      | 'cat'
      | 'stack'
      | 'mixture',
    readonly values: readonly unknown[] = [],
  ) {}

  /** Depends on other values, and is not checked. */
  static readonly dependent = new Constraint('dependent');

  /** 0 or 1. */
  static readonly boolean = new Constraint('boolean');

  /** Vectors with one 1 and otherwise 0. */
  static readonly oneHot = new Constraint('oneHot');

  /** Integers from 0. */
  static readonly nonnegativeInteger = new Constraint('nonnegativeInteger');

  /** Integers from 1. */
  static readonly positiveInteger = new Constraint('positiveInteger');

  /** All numbers except NaN. */
  static readonly real = new Constraint('real');

  /** Vectors of numbers. */
  static readonly realVector = new Constraint('realVector');

  /** Numbers above 0. */
  static readonly positive = new Constraint('positive');

  /** Numbers from 0. */
  static readonly nonnegative = new Constraint('nonnegative');

  /** Numbers from 0 to 1. */
  static readonly unitInterval = new Constraint('unitInterval');

  /** Vectors of numbers from 0 with the sum 1. */
  static readonly simplex = new Constraint('simplex');

  /** Square matrices. */
  static readonly square = new Constraint('square');

  /** Symmetric matrices. */
  static readonly symmetric = new Constraint('symmetric');

  /** Symmetric matrices without a negative eigenvalue. */
  static readonly positiveSemidefinite = new Constraint('positiveSemidefinite');

  /** Symmetric matrices whose eigenvalues are positive. */
  static readonly positiveDefinite = new Constraint('positiveDefinite');

  /** Lower triangular matrices. */
  static readonly lowerTriangular = new Constraint('lowerTriangular');

  /** Lower triangular matrices with a positive diagonal. */
  static readonly lowerCholesky = new Constraint('lowerCholesky');

  /**
   * Lower triangular matrices with a positive diagonal and rows of length 1: factors of matrices
   * of correlations.
   */
  static readonly corrCholesky = new Constraint('corrCholesky');

  /** Integers from the first bound to the second. */
  static integerInterval(...values: [Tensor | number, Tensor | number]): Constraint {
    return new Constraint('integerInterval', values);
  }

  /** Numbers above a bound. */
  static greaterThan(...values: [Tensor | number]): Constraint {
    return new Constraint('greaterThan', values);
  }

  /** Numbers from a bound. */
  static greaterThanEq(...values: [Tensor | number]): Constraint {
    return new Constraint('greaterThanEq', values);
  }

  /** Numbers below a bound. */
  static lessThan(...values: [Tensor | number]): Constraint {
    return new Constraint('lessThan', values);
  }

  /** Numbers from the first bound to the second. */
  static interval(...values: [Tensor | number, Tensor | number]): Constraint {
    return new Constraint('interval', values);
  }

  /** Numbers from the first bound up to the second, which is excluded. */
  static halfOpenInterval(...values: [Tensor | number, Tensor | number]): Constraint {
    return new Constraint('halfOpenInterval', values);
  }

  /** Vectors of integers from 0 whose sum is at most a bound. */
  static multinomial(...values: [Tensor | number]): Constraint {
    return new Constraint('multinomial', values);
  }

  /** A constraint on all values along a number of the last dimensions. */
  static independent(...values: [Constraint, number]): Constraint {
    return new Constraint('independent', values);
  }

  /** Constraints on parts of a dimension, which have the given lengths. */
  static cat(...values: [readonly Constraint[], number, readonly number[]]): Constraint {
    return new Constraint('cat', values);
  }

  /** A constraint for each index of a dimension. */
  static stack(...values: [readonly Constraint[], number]): Constraint {
    return new Constraint('stack', values);
  }

  /**
   * The constraint on samples of a mixture, whose bounds have a dimension for the components.
   */
  static mixture(...values: [Constraint]): Constraint {
    return new Constraint('mixture', values);
  }

  /** The number of dimensions of one value. */
  get eventDim(): number {
    switch (this.kind) {
      case 'oneHot': case 'realVector': case 'simplex': case 'multinomial': return 1;
      case 'square':
      case 'symmetric':
      case 'positiveSemidefinite':
      case 'positiveDefinite':
      case 'lowerTriangular':
      case 'lowerCholesky':
      case 'corrCholesky':
        return 2;
      case 'independent': {
        const base = this.values[0] as Constraint;
        const count = this.values[1] as number;
        return base.eventDim + count;
      }
      case 'cat': {
        const parts = this.values[0] as readonly Constraint[];
        return largestEventDim(parts);
      }
      case 'stack': {
        const parts = this.values[0] as readonly Constraint[];
        const dim = this.values[1] as number;
        const eventDim = largestEventDim(parts);
        const isEvent = dim < 0 && eventDim + dim >= 0;
        if (isEvent) return eventDim + 1;
        return eventDim;
      }
      case 'mixture': {
        const base = this.values[0] as Constraint;
        return base.eventDim;
      }
      default: return 0;
    }
  }

  /** Whether the values are discrete. */
  get isDiscrete(): boolean {
    switch (this.kind) {
      case 'boolean':
      case 'oneHot':
      case 'nonnegativeInteger':
      case 'positiveInteger':
      case 'integerInterval':
      case 'multinomial':
        return true;
      case 'independent': {
        const base = this.values[0] as Constraint;
        return base.isDiscrete;
      }
      case 'mixture': {
        const base = this.values[0] as Constraint;
        return base.isDiscrete;
      }
      case 'cat': {
        const parts = this.values[0] as readonly Constraint[];
        return hasDiscrete(parts);
      }
      case 'stack': {
        const parts = this.values[0] as readonly Constraint[];
        return hasDiscrete(parts);
      }
      default: return false;
    }
  }

  /**
   * Whether each value satisfies the constraint, as a tensor of bool without the
   * dimensions of a value.
   *
   * @throws `shape` if the values have fewer dimensions.
   */
  check(value: TensorLike): Tensor;
  check(...args: unknown[]): Tensor {
    const [value] = bind('Constraint.check value:tensor', args) as [Tensor];
    return scope(() => {
      switch (this.kind) {
        case 'dependent': return value.eq(value).logicalOr(value.ne(value));
        case 'boolean': return value.eq(0).logicalOr(value.eq(1));
        case 'oneHot': {
          const isBoolean = value.eq(0).logicalOr(value.eq(1)).all(-1);
          return isBoolean.logicalAnd(value.sum(-1).eq(1));
        }
        case 'nonnegativeInteger': return isInteger(value).logicalAnd(value.ge(0));
        case 'positiveInteger': return isInteger(value).logicalAnd(value.ge(1));
        case 'real': return value.eq(value);
        case 'realVector': return value.eq(value).all(-1);
        case 'positive': return value.gt(0);
        case 'nonnegative': return value.ge(0);
        case 'unitInterval': return value.ge(0).logicalAnd(value.le(1));
        case 'simplex': return isSimplex(value);
        case 'square': return isSquare(value);
        case 'symmetric': return isSymmetric(value);
        case 'positiveSemidefinite': {
          const least = linalg.eigvalsh(value).ge(0).all(-1);
          return isSymmetric(value).logicalAnd(least);
        }
        case 'positiveDefinite': {
          const [, info] = linalg.choleskyEx(value);
          return isSymmetric(value).logicalAnd(info.eq(0));
        }
        case 'lowerTriangular': return isLowerTriangular(value);
        case 'lowerCholesky':
          return hasPositiveDiagonal(value).logicalAnd(isLowerTriangular(value));
        case 'corrCholesky': return isCorrCholesky(value);
        case 'integerInterval': {
          const lower = this.values[0] as Tensor | number;
          const upper = this.values[1] as Tensor | number;
          const isInside = value.ge(lower).logicalAnd(value.le(upper));
          return isInteger(value).logicalAnd(isInside);
        }
        case 'greaterThan': {
          const lower = this.values[0] as Tensor | number;
          return value.gt(lower);
        }
        case 'greaterThanEq': {
          const lower = this.values[0] as Tensor | number;
          return value.ge(lower);
        }
        case 'lessThan': {
          const upper = this.values[0] as Tensor | number;
          return value.lt(upper);
        }
        case 'interval': {
          const lower = this.values[0] as Tensor | number;
          const upper = this.values[1] as Tensor | number;
          return value.ge(lower).logicalAnd(value.le(upper));
        }
        case 'halfOpenInterval': {
          const lower = this.values[0] as Tensor | number;
          const upper = this.values[1] as Tensor | number;
          return value.ge(lower).logicalAnd(value.lt(upper));
        }
        case 'multinomial': {
          const total = this.values[0] as Tensor | number;
          const isCount = isInteger(value).logicalAnd(value.ge(0)).all(-1);
          return isCount.logicalAnd(value.sum(-1).le(total));
        }
        case 'independent': {
          const base = this.values[0] as Constraint;
          const count = this.values[1] as number;
          const holds = base.check(value);
          if (count === 0) return holds;
          return holds.all(lastDims(count));
        }
        case 'cat': {
          const parts = this.values[0] as readonly Constraint[];
          const dim = this.values[1] as number;
          const lengths = this.values[2] as readonly number[];
          const checks: Tensor[] = [];
          let start = 0;
          for (let i = 0; i < parts.length; i++) {
            const part = value.narrow(dim, start, lengths[i]!);
            checks.push(parts[i]!.check(part));
            start += lengths[i]!;
          }
          return torch.cat(checks, dim);
        }
        case 'stack': {
          const parts = this.values[0] as readonly Constraint[];
          const dim = this.values[1] as number;
          const checks: Tensor[] = [];
          for (let i = 0; i < parts.length; i++) {
            checks.push(parts[i]!.check(value.select(dim, i)));
          }
          return torch.stack(checks, dim);
        }
        default: {
          const base = this.values[0] as Constraint;
          const eventDim = base.eventDim;
          return base.check(value.unsqueeze(-1 - eventDim)).all(-1);
        }
      }
    });
  }

  /**
   * Whether a number satisfies the constraint. Constraints on vectors and matrices, and those
   * with a tensor as a bound, accept every number.
   */
  accepts(number: number): boolean;
  accepts(...args: unknown[]): boolean {
    const [number] = bind('Constraint.accepts number:number', args) as [number];
    switch (this.kind) {
      case 'boolean': return number === 0 || number === 1;
      case 'nonnegativeInteger': return number >= 0 && Math.floor(number) === number;
      case 'positiveInteger': return number >= 1 && Math.floor(number) === number;
      case 'real': return !Number.isNaN(number);
      case 'positive': return number > 0;
      case 'nonnegative': return number >= 0;
      case 'unitInterval': return Math.min(number, 1) === number && number >= 0;
      case 'greaterThan': {
        const lower = this.values[0] as Tensor | number;
        return number > limit(lower, -Infinity);
      }
      case 'greaterThanEq': {
        const lower = this.values[0] as Tensor | number;
        return number >= limit(lower, -Infinity);
      }
      case 'lessThan': {
        const upper = this.values[0] as Tensor | number;
        return number < limit(upper, Infinity);
      }
      case 'interval': {
        const lower = this.values[0] as Tensor | number;
        const upper = this.values[1] as Tensor | number;
        return number >= limit(lower, -Infinity) && number <= limit(upper, Infinity);
      }
      case 'independent': {
        const base = this.values[0] as Constraint;
        return base.accepts(number);
      }
      default: return !Number.isNaN(number);
    }
  }

  /** The constraint in words that follow "must be". */
  describe(): string {
    switch (this.kind) {
      case 'boolean': return '0 or 1';
      case 'oneHot': return 'vectors with one 1 and otherwise 0';
      case 'nonnegativeInteger': return 'an integer from 0';
      case 'positiveInteger': return 'an integer from 1';
      case 'positive': return 'greater than 0';
      case 'nonnegative': return 'at least 0';
      case 'unitInterval': return 'from 0 to 1';
      case 'simplex': return 'vectors of numbers from 0 with the sum 1';
      case 'square': return 'square matrices';
      case 'symmetric': return 'symmetric matrices';
      case 'positiveSemidefinite': return 'positive semidefinite matrices';
      case 'positiveDefinite': return 'positive definite matrices';
      case 'lowerTriangular': return 'lower triangular matrices';
      case 'lowerCholesky': return 'lower triangular matrices with a positive diagonal';
      case 'corrCholesky': return 'Cholesky factors of matrices of correlations';
      case 'greaterThan': {
        const lower = this.values[0] as Tensor | number;
        return `greater than ${boundText(lower)}`;
      }
      case 'greaterThanEq': {
        const lower = this.values[0] as Tensor | number;
        return `at least ${boundText(lower)}`;
      }
      case 'lessThan': {
        const upper = this.values[0] as Tensor | number;
        return `less than ${boundText(upper)}`;
      }
      case 'interval': {
        const lower = this.values[0] as Tensor | number;
        const upper = this.values[1] as Tensor | number;
        return `from ${boundText(lower)} to ${boundText(upper)}`;
      }
      case 'halfOpenInterval': {
        const lower = this.values[0] as Tensor | number;
        const upper = this.values[1] as Tensor | number;
        return `from ${boundText(lower)} up to ${boundText(upper)}, which is excluded`;
      }
      case 'integerInterval': {
        const lower = this.values[0] as Tensor | number;
        const upper = this.values[1] as Tensor | number;
        return `an integer from ${boundText(lower)} to ${boundText(upper)}`;
      }
      case 'multinomial': {
        const total = this.values[0] as Tensor | number;
        return `vectors of integers from 0 with a sum of at most ${boundText(total)}`;
      }
      case 'independent': {
        const base = this.values[0] as Constraint;
        return base.describe();
      }
      case 'mixture': {
        const base = this.values[0] as Constraint;
        return base.describe();
      }
      default: return 'a number other than NaN';
    }
  }
}

/** The constraint on all values along a number of the last dimensions. */
export function independent(base: Constraint, count: number): Constraint {
  if (count === 0) return base;
  return Constraint.independent(base, count);
}

function limit(param: Tensor | number, otherwise: number): number {
  const number = numberOf(param);
  if (number !== undefined) return number;
  return otherwise;
}

function boundText(param: Tensor | number): string {
  const number = numberOf(param);
  if (number !== undefined) return `${number}`;
  return 'the element of a tensor';
}

function largestEventDim(parts: readonly Constraint[]): number {
  let largest = 0;
  for (const part of parts) {
    largest = Math.max(largest, part.eventDim);
  }
  return largest;
}

function hasDiscrete(parts: readonly Constraint[]): boolean {
  for (const part of parts) {
    if (part.isDiscrete) return true;
  }
  return false;
}

function isInteger(value: Tensor): Tensor {
  return scope(() => value.floor().eq(value));
}

function isSimplex(value: Tensor): Tensor {
  return scope(() => {
    const isNonnegative = value.ge(0).all(-1);
    const error = value.sum(-1).sub(1).abs();
    return isNonnegative.logicalAnd(error.lt(1e-6));
  });
}

function isSquare(value: Tensor): Tensor {
  return scope(() => {
    const rank = value.ndim;
    const isSquare2 = rank >= 2 && value.shape[rank - 1]! === value.shape[rank - 2]!;
    const holds = value.eq(value).all([-2, -1]);
    const same = holds.eq(holds);
    if (isSquare2) return same;
    return same.logicalNot();
  });
}

function isSymmetric(value: Tensor): Tensor {
  return scope(() => value.isclose(value.mT, 1e-5, 1e-6).all([-2, -1]));
}

function isLowerTriangular(value: Tensor): Tensor {
  return scope(() => value.tril().eq(value).all([-2, -1]));
}

function hasPositiveDiagonal(value: Tensor): Tensor {
  return scope(() => value.diagonal(0, -2, -1).gt(0).all(-1));
}

function isCorrCholesky(value: Tensor): Tensor {
  return scope(() => {
    const rank = value.ndim;
    const size = value.shape[rank - 1]!;
    const tolerance = epsilon(value) * size * 10;
    const length = value.square().sum(-1).sqrt();
    const isUnit = length.sub(1).abs().le(tolerance).all(-1);
    const isTriangular = isLowerTriangular(value).logicalAnd(hasPositiveDiagonal(value));
    return isTriangular.logicalAnd(isUnit);
  });
}
