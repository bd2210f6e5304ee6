// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import { BuiltinOptimizer } from '../optim/builtin-optimizer.js';
import type { Params } from '../optim/param-groups.js';

/** Options of {@link SGD}, with PyTorch's meanings. */
export interface SGDOptions {
  /** The learning rate. default 0.001 */
  lr?: number;
  /** The momentum factor. default 0 */
  momentum?: number;
  /** The dampening of the momentum: the gradient has weight `1 - dampening`. default 0 */
  dampening?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** Use Nesterov momentum. default false */
  nesterov?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Stochastic gradient descent with momentum, as `torch.optim.SGD` (Sutskever et al., 2013, in
 * PyTorch's form).
 *
 * `v = momentum * v + (1 - dampening) * g` (the first step takes `v = g`), `p = p - lr * v`.
 */
export class SGD extends BuiltinOptimizer<SGDOptions> {
  static override readonly name: string = 'SGD';
  constructor(params: Params<SGDOptions>, lr?: number, momentum?: number, dampening?: number, weightDecay?: number, nesterov?: boolean, options?: { maximize?: boolean });
  constructor(params: Params<SGDOptions>, options?: { lr?: number; momentum?: number; dampening?: number; weightDecay?: number; nesterov?: boolean; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('SGD lr momentum dampening weightDecay nesterov|maximize', params, args); }
}

/** Options of {@link Adam}, with PyTorch's meanings. */
export interface AdamOptions {
  /** The learning rate. default 0.001 */
  lr?: number;
  /** The decay rates of the means of the gradient and of its square. default [0.9, 0.999] */
  betas?: number | readonly number[];
  /** Added to the square root of the mean square, for numerical stability. default 1e-8 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** AMSGrad: divide by the maximum of the mean squares so far (Reddi et al., 2018). default false */
  amsgrad?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
  /** Decouple the weight decay, as in AdamW. default false */
  decoupledWeightDecay?: boolean;
}

/**
 * Adam (Kingma and Ba, 2015), as `torch.optim.Adam`.
 */
export class Adam extends BuiltinOptimizer<AdamOptions> {
  static override readonly name: string = 'Adam';
  constructor(params: Params<AdamOptions>, lr?: number, betas?: number | readonly number[], eps?: number, weightDecay?: number, amsgrad?: boolean, options?: { maximize?: boolean; decoupledWeightDecay?: boolean });
  constructor(params: Params<AdamOptions>, options?: { lr?: number; betas?: number | readonly number[]; eps?: number; weightDecay?: number; amsgrad?: boolean; maximize?: boolean; decoupledWeightDecay?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Adam lr betas eps weightDecay amsgrad|maximize decoupledWeightDecay', params, args); }
}

/** Options of {@link AdamW}, with PyTorch's meanings. */
export interface AdamWOptions {
  /** The learning rate. default 0.001 */
  lr?: number;
  /** The decay rates of the means of the gradient and of its square. default [0.9, 0.999] */
  betas?: number | readonly number[];
  /** Added to the square root of the mean square, for numerical stability. default 1e-8 */
  eps?: number;
  /** Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`. default 0.01 */
  weightDecay?: number;
  /** AMSGrad: divide by the maximum of the mean squares so far (Reddi et al., 2018). default false */
  amsgrad?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as `torch.optim.AdamW`.
 */
export class AdamW extends BuiltinOptimizer<AdamWOptions> {
  static override readonly name: string = 'AdamW';
  constructor(params: Params<AdamWOptions>, lr?: number, betas?: number | readonly number[], eps?: number, weightDecay?: number, amsgrad?: boolean, options?: { maximize?: boolean });
  constructor(params: Params<AdamWOptions>, options?: { lr?: number; betas?: number | readonly number[]; eps?: number; weightDecay?: number; amsgrad?: boolean; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('AdamW lr betas eps weightDecay amsgrad|maximize', params, args); }
}

/** Options of {@link Adamax}, with PyTorch's meanings. */
export interface AdamaxOptions {
  /** The learning rate. default 0.002 */
  lr?: number;
  /** The decay rates of the mean and of the infinity norm of the gradients. default [0.9, 0.999] */
  betas?: number | readonly number[];
  /** Added to the infinity norm, for numerical stability. default 1e-8 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adamax, Adam with the infinity norm (Kingma and Ba, 2015), as `torch.optim.Adamax`.
 */
export class Adamax extends BuiltinOptimizer<AdamaxOptions> {
  static override readonly name: string = 'Adamax';
  constructor(params: Params<AdamaxOptions>, lr?: number, betas?: number | readonly number[], eps?: number, weightDecay?: number, options?: { maximize?: boolean });
  constructor(params: Params<AdamaxOptions>, options?: { lr?: number; betas?: number | readonly number[]; eps?: number; weightDecay?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Adamax lr betas eps weightDecay|maximize', params, args); }
}

/** Options of {@link NAdam}, with PyTorch's meanings. */
export interface NAdamOptions {
  /** The learning rate. default 0.002 */
  lr?: number;
  /** The decay rates of the means of the gradient and of its square. default [0.9, 0.999] */
  betas?: number | readonly number[];
  /** Added to the square root of the mean square, for numerical stability. default 1e-8 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** The decay of the momentum schedule. default 0.004 */
  momentumDecay?: number;
  /** Decouple the weight decay, as in AdamW. default false */
  decoupledWeightDecay?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adam with Nesterov's momentum (Dozat, 2016), as `torch.optim.NAdam`.
 */
export class NAdam extends BuiltinOptimizer<NAdamOptions> {
  static override readonly name: string = 'NAdam';
  constructor(params: Params<NAdamOptions>, lr?: number, betas?: number | readonly number[], eps?: number, weightDecay?: number, momentumDecay?: number, decoupledWeightDecay?: boolean, options?: { maximize?: boolean });
  constructor(params: Params<NAdamOptions>, options?: { lr?: number; betas?: number | readonly number[]; eps?: number; weightDecay?: number; momentumDecay?: number; decoupledWeightDecay?: boolean; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('NAdam lr betas eps weightDecay momentumDecay decoupledWeightDecay|maximize', params, args); }
}

/** Options of {@link RAdam}, with PyTorch's meanings. */
export interface RAdamOptions {
  /** The learning rate. default 0.001 */
  lr?: number;
  /** The decay rates of the means of the gradient and of its square. default [0.9, 0.999] */
  betas?: number | readonly number[];
  /** Added to the square root of the mean square, for numerical stability. default 1e-8 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** Decouple the weight decay, as in AdamW. default false */
  decoupledWeightDecay?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adam whose adaptive rate starts once its variance is known (Liu et al., 2020), as
 * `torch.optim.RAdam`.
 */
export class RAdam extends BuiltinOptimizer<RAdamOptions> {
  static override readonly name: string = 'RAdam';
  constructor(params: Params<RAdamOptions>, lr?: number, betas?: number | readonly number[], eps?: number, weightDecay?: number, decoupledWeightDecay?: boolean, options?: { maximize?: boolean });
  constructor(params: Params<RAdamOptions>, options?: { lr?: number; betas?: number | readonly number[]; eps?: number; weightDecay?: number; decoupledWeightDecay?: boolean; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('RAdam lr betas eps weightDecay decoupledWeightDecay|maximize', params, args); }
}

/** Options of {@link RMSprop}, with PyTorch's meanings. */
export interface RMSpropOptions {
  /** The learning rate. default 0.01 */
  lr?: number;
  /** The decay rate of the mean squares. default 0.99 */
  alpha?: number;
  /** Added to the square root of the mean square, for numerical stability. default 1e-8 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** The momentum factor. default 0 */
  momentum?: number;
  /** Centered: divide by the standard deviation instead of the root mean square. default false */
  centered?: boolean;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * RMSprop (Hinton, 2012; centered: Graves, 2013), as `torch.optim.RMSprop`.
 */
export class RMSprop extends BuiltinOptimizer<RMSpropOptions> {
  static override readonly name: string = 'RMSprop';
  constructor(params: Params<RMSpropOptions>, lr?: number, alpha?: number, eps?: number, weightDecay?: number, momentum?: number, centered?: boolean, options?: { maximize?: boolean });
  constructor(params: Params<RMSpropOptions>, options?: { lr?: number; alpha?: number; eps?: number; weightDecay?: number; momentum?: number; centered?: boolean; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('RMSprop lr alpha eps weightDecay momentum centered|maximize', params, args); }
}

/** Options of {@link Adagrad}, with PyTorch's meanings. */
export interface AdagradOptions {
  /** The learning rate. default 0.01 */
  lr?: number;
  /** The decay of the learning rate. default 0 */
  lrDecay?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** The initial value of the sum of squares. default 0 */
  initialAccumulatorValue?: number;
  /** Added to the square root of the sum, for numerical stability. default 1e-10 */
  eps?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adagrad (Duchi et al., 2011), as `torch.optim.Adagrad`.
 */
export class Adagrad extends BuiltinOptimizer<AdagradOptions> {
  static override readonly name: string = 'Adagrad';
  constructor(params: Params<AdagradOptions>, lr?: number, lrDecay?: number, weightDecay?: number, initialAccumulatorValue?: number, eps?: number, options?: { maximize?: boolean });
  constructor(params: Params<AdagradOptions>, options?: { lr?: number; lrDecay?: number; weightDecay?: number; initialAccumulatorValue?: number; eps?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Adagrad lr lrDecay weightDecay initialAccumulatorValue eps|maximize', params, args); }
}

/** Options of {@link Adadelta}, with PyTorch's meanings. */
export interface AdadeltaOptions {
  /** The learning rate. default 1 */
  lr?: number;
  /** The decay rate of the mean squares. default 0.9 */
  rho?: number;
  /** Added to the mean squares, for numerical stability. default 1e-6 */
  eps?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adadelta (Zeiler, 2012), as `torch.optim.Adadelta`.
 */
export class Adadelta extends BuiltinOptimizer<AdadeltaOptions> {
  static override readonly name: string = 'Adadelta';
  constructor(params: Params<AdadeltaOptions>, lr?: number, rho?: number, eps?: number, weightDecay?: number, options?: { maximize?: boolean });
  constructor(params: Params<AdadeltaOptions>, options?: { lr?: number; rho?: number; eps?: number; weightDecay?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Adadelta lr rho eps weightDecay|maximize', params, args); }
}

/** Options of {@link Adafactor}, with PyTorch's meanings. */
export interface AdafactorOptions {
  /** The maximum relative step size, and the factor of the weight decay. default 0.01 */
  lr?: number;
  /** The exponent of the step in the decay rate of the mean squares. default -0.8 */
  beta2Decay?: number;
  /** The minimum mean square (default: the precision of the type), and the minimum root mean square of the parameters. default [None, 0.001] */
  eps?: number | readonly (number | null)[];
  /** The root mean square beyond which an update is scaled down. default 1 */
  d?: number;
  /** Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`. default 0 */
  weightDecay?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Adafactor (Shazeer and Stern, 2018), as `torch.optim.Adafactor`: the second moment of a
 * matrix is stored as row and column means.
 */
export class Adafactor extends BuiltinOptimizer<AdafactorOptions> {
  static override readonly name: string = 'Adafactor';
  constructor(params: Params<AdafactorOptions>, lr?: number, beta2Decay?: number, eps?: number | readonly (number | null)[], d?: number, weightDecay?: number, options?: { maximize?: boolean });
  constructor(params: Params<AdafactorOptions>, options?: { lr?: number; beta2Decay?: number; eps?: number | readonly (number | null)[]; d?: number; weightDecay?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Adafactor lr beta2Decay eps d weightDecay|maximize', params, args); }
}

/** Options of {@link ASGD}, with PyTorch's meanings. */
export interface ASGDOptions {
  /** The learning rate. default 0.01 */
  lr?: number;
  /** The decay of the parameters. default 0.0001 */
  lambd?: number;
  /** The exponent of the learning rate's decay. default 0.75 */
  alpha?: number;
  /** The step at which averaging begins. default 1000000.0 */
  t0?: number;
  /** Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient. default 0 */
  weightDecay?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Averaged stochastic gradient descent (Polyak and Juditsky, 1992), as `torch.optim.ASGD`.
 */
export class ASGD extends BuiltinOptimizer<ASGDOptions> {
  static override readonly name: string = 'ASGD';
  constructor(params: Params<ASGDOptions>, lr?: number, lambd?: number, alpha?: number, t0?: number, weightDecay?: number, options?: { maximize?: boolean });
  constructor(params: Params<ASGDOptions>, options?: { lr?: number; lambd?: number; alpha?: number; t0?: number; weightDecay?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('ASGD lr lambd alpha t0 weightDecay|maximize', params, args); }
}

/** Options of {@link Rprop}, with PyTorch's meanings. */
export interface RpropOptions {
  /** The size of the first step. default 0.01 */
  lr?: number;
  /** The factors of the step size: the first if the gradient changed sign, the second if it did not. default [0.5, 1.2] */
  etas?: number | readonly number[];
  /** The minimum and maximum step size. default [1e-6, 50.0] */
  stepSizes?: number | readonly number[];
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Resilient backpropagation (Riedmiller and Braun, 1993), as `torch.optim.Rprop`: for
 * full-batch gradients.
 */
export class Rprop extends BuiltinOptimizer<RpropOptions> {
  static override readonly name: string = 'Rprop';
  constructor(params: Params<RpropOptions>, lr?: number, etas?: number | readonly number[], stepSizes?: number | readonly number[], options?: { maximize?: boolean });
  constructor(params: Params<RpropOptions>, options?: { lr?: number; etas?: number | readonly number[]; stepSizes?: number | readonly number[]; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Rprop lr etas stepSizes|maximize', params, args); }
}

/** Options of {@link Lion}, with PyTorch's meanings. */
export interface LionOptions {
  /** The learning rate. default 0.0001 */
  lr?: number;
  /** The weight of the momentum in the update, and its decay rate. default [0.9, 0.99] */
  betas?: number | readonly number[];
  /** Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`. default 0 */
  weightDecay?: number;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * Lion, whose update is the sign of the momentum (Chen et al., 2023).
 */
export class Lion extends BuiltinOptimizer<LionOptions> {
  static override readonly name: string = 'Lion';
  constructor(params: Params<LionOptions>, lr?: number, betas?: number | readonly number[], weightDecay?: number, options?: { maximize?: boolean });
  constructor(params: Params<LionOptions>, options?: { lr?: number; betas?: number | readonly number[]; weightDecay?: number; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('Lion lr betas weightDecay|maximize', params, args); }
}

/** Options of {@link Muon}, with PyTorch's meanings. */
export interface MuonOptions {
  /** The learning rate. default 0.001 */
  lr?: number;
  /** Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`. default 0.1 */
  weightDecay?: number;
  /** The momentum factor. default 0.95 */
  momentum?: number;
  /** Use Nesterov momentum. default true */
  nesterov?: boolean;
  /** The coefficients of the Newton-Schulz iteration. default [3.4445, -4.775, 2.0315] */
  nsCoefficients?: number | readonly number[];
  /** The minimum norm to divide by. default 1e-7 */
  eps?: number;
  /** The number of iterations. default 5 */
  nsSteps?: number;
  /** The dependence of the rate on the shape: `"original"` (the default), `"match_rms_adamw"` or `"spectral_unclamped"`. default null */
  adjustLrFn?: 'original' | 'match_rms_adamw' | 'spectral_unclamped' | null;
}

/**
 * Momentum with an orthogonalized direction (Jordan et al., 2024), as `torch.optim.Muon`: for
 * matrices.
 */
export class Muon extends BuiltinOptimizer<MuonOptions> {
  static override readonly name: string = 'Muon';
  constructor(params: Params<MuonOptions>, lr?: number, weightDecay?: number, momentum?: number, nesterov?: boolean, nsCoefficients?: number | readonly number[], eps?: number, nsSteps?: number, adjustLrFn?: 'original' | 'match_rms_adamw' | 'spectral_unclamped' | null);
  constructor(params: Params<MuonOptions>, options?: { lr?: number; weightDecay?: number; momentum?: number; nesterov?: boolean; nsCoefficients?: number | readonly number[]; eps?: number; nsSteps?: number; adjustLrFn?: 'original' | 'match_rms_adamw' | 'spectral_unclamped' | null });
  constructor(params: unknown, ...args: unknown[]) { super('Muon lr weightDecay momentum nesterov nsCoefficients eps nsSteps adjustLrFn', params, args); }
}

/** Options of {@link LBFGS}, with PyTorch's meanings. */
export interface LBFGSOptions {
  /** The learning rate: the step size along the direction, or the first that a line search tries. default 1 */
  lr?: number;
  /** The maximum number of iterations per step. default 20 */
  maxIter?: number;
  /** The maximum number of loss evaluations per step (default: five fourths of `max_iter`). default null */
  maxEval?: number | null;
  /** The gradient counts as zero if its largest element is not larger. default 1e-7 */
  toleranceGrad?: number;
  /** The iteration ends if the loss and the parameters change by less. default 1e-9 */
  toleranceChange?: number;
  /** The number of stored directions. default 100 */
  historySize?: number;
  /** `"strong_wolfe"`, or nothing for steps of fixed size. default null */
  lineSearchFn?: 'strong_wolfe' | null;
  /** Maximize the objective instead of minimizing it. default false */
  maximize?: boolean;
}

/**
 * L-BFGS (Liu and Nocedal, 1989), as `torch.optim.LBFGS`. Its step takes a closure that
 * computes the loss, and waits for it.
 */
export class LBFGS extends BuiltinOptimizer<LBFGSOptions> {
  static override readonly name: string = 'LBFGS';
  constructor(params: Params<LBFGSOptions>, lr?: number, maxIter?: number, maxEval?: number | null, toleranceGrad?: number, toleranceChange?: number, historySize?: number, lineSearchFn?: 'strong_wolfe' | null, options?: { maximize?: boolean });
  constructor(params: Params<LBFGSOptions>, options?: { lr?: number; maxIter?: number; maxEval?: number | null; toleranceGrad?: number; toleranceChange?: number; historySize?: number; lineSearchFn?: 'strong_wolfe' | null; maximize?: boolean });
  constructor(params: unknown, ...args: unknown[]) { super('LBFGS lr maxIter maxEval toleranceGrad toleranceChange historySize lineSearchFn|maximize', params, args); }
}

