// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

import type { Optimizer } from '../optim/optimizer.js';
import { BuiltinScheduler, MeasuredScheduler } from '../optim/builtin-schedulers.js';

/**
 * Multiplies the rate by `gamma` every `step_size` steps.
 * @param stepSize The number of steps between two changes.
 * @param gamma The factor of a change.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class StepLR extends BuiltinScheduler {
  static override readonly name: string = 'StepLR';
  constructor(optimizer: Optimizer, stepSize: number, gamma?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, stepSize: number, options?: { gamma?: number; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { stepSize: number; gamma?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('StepLR stepSize gamma lastEpoch', optimizer, args); }
}

/**
 * Multiplies the rate by `gamma` at each of the milestones.
 * @param milestones The steps of the changes; a repeated milestone counts twice.
 * @param gamma The factor of a change.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class MultiStepLR extends BuiltinScheduler {
  static override readonly name: string = 'MultiStepLR';
  constructor(optimizer: Optimizer, milestones: number | readonly number[], gamma?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, milestones: number | readonly number[], options?: { gamma?: number; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { milestones: number | readonly number[]; gamma?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('MultiStepLR milestones gamma lastEpoch', optimizer, args); }
}

/**
 * Multiplies the rate by `factor` for the first `total_iters` steps.
 * @param factor The factor.
 * @param totalIters The number of steps.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class ConstantLR extends BuiltinScheduler {
  static override readonly name: string = 'ConstantLR';
  constructor(optimizer: Optimizer, factor?: number, totalIters?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, options?: { factor?: number; totalIters?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('ConstantLR factor totalIters lastEpoch', optimizer, args); }
}

/**
 * Multiplies the rate by a factor that changes linearly from `start_factor` to `end_factor` in
 * `total_iters` steps.
 * @param startFactor The factor at the first step.
 * @param endFactor The factor at the end.
 * @param totalIters The number of steps.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class LinearLR extends BuiltinScheduler {
  static override readonly name: string = 'LinearLR';
  constructor(optimizer: Optimizer, startFactor?: number, endFactor?: number, totalIters?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, options?: { startFactor?: number; endFactor?: number; totalIters?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('LinearLR startFactor endFactor totalIters lastEpoch', optimizer, args); }
}

/**
 * Multiplies the rate by `gamma` every step.
 * @param gamma The factor.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class ExponentialLR extends BuiltinScheduler {
  static override readonly name: string = 'ExponentialLR';
  constructor(optimizer: Optimizer, gamma: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, gamma: number, options?: { lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { gamma: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('ExponentialLR gamma lastEpoch', optimizer, args); }
}

/**
 * Polynomial decay of the rate to 0 in `total_iters` steps.
 * @param totalIters The number of steps.
 * @param power The exponent.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class PolynomialLR extends BuiltinScheduler {
  static override readonly name: string = 'PolynomialLR';
  constructor(optimizer: Optimizer, totalIters?: number, power?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, options?: { totalIters?: number; power?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('PolynomialLR totalIters power lastEpoch', optimizer, args); }
}

/**
 * Cosine annealing of the rate to `eta_min` in `T_max` steps, and back.
 * @param TMax The number of steps down.
 * @param etaMin The minimum rate.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class CosineAnnealingLR extends BuiltinScheduler {
  static override readonly name: string = 'CosineAnnealingLR';
  constructor(optimizer: Optimizer, TMax: number, etaMin?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, TMax: number, options?: { etaMin?: number; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { TMax: number; etaMin?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('CosineAnnealingLR TMax etaMin lastEpoch', optimizer, args); }
}

/**
 * Cosine annealing of the rate to `eta_min` in `T_0` steps, with warm restarts, each period
 * `T_mult` times as long as the one before.
 * @param T0 The number of steps to the first restart.
 * @param TMult The factor of the period at a restart.
 * @param etaMin The minimum rate.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class CosineAnnealingWarmRestarts extends BuiltinScheduler {
  static override readonly name: string = 'CosineAnnealingWarmRestarts';
  constructor(optimizer: Optimizer, T0: number, TMult?: number, etaMin?: number, lastEpoch?: number);
  constructor(optimizer: Optimizer, T0: number, options?: { TMult?: number; etaMin?: number; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { T0: number; TMult?: number; etaMin?: number; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('CosineAnnealingWarmRestarts T0 TMult etaMin lastEpoch', optimizer, args); }
}

/**
 * Anneals the rate to `swa_lr` in `anneal_epochs` steps and keeps it, for weights that are
 * averaged from then on, as `torch.optim.swa_utils.SWALR` (Izmailov et al., 2018).
 * @param swaLr The last rate, one for all groups or one each.
 * @param annealEpochs The number of steps to it.
 * @param annealStrategy The curve: `"cos"` or `"linear"`.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class SWALR extends BuiltinScheduler {
  static override readonly name: string = 'SWALR';
  constructor(optimizer: Optimizer, swaLr: number | readonly number[], annealEpochs?: number, annealStrategy?: 'cos' | 'linear', lastEpoch?: number);
  constructor(optimizer: Optimizer, swaLr: number | readonly number[], options?: { annealEpochs?: number; annealStrategy?: 'cos' | 'linear'; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { swaLr: number | readonly number[]; annealEpochs?: number; annealStrategy?: 'cos' | 'linear'; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('SWALR swaLr annealEpochs annealStrategy lastEpoch', optimizer, args); }
}

/**
 * Cycles the rate between two bounds (Smith, 2017), and the momentum in the opposite
 * direction.
 * @param baseLr The minimum rate, one for all groups or one each.
 * @param maxLr The maximum rate.
 * @param stepSizeUp The number of steps up.
 * @param stepSizeDown The number of steps down (default: the number of steps up).
 * @param mode `"triangular"`, `"triangular2"` (half the amplitude in each cycle) or `"exp_range"` (`gamma` times the amplitude in each step).
 * @param gamma The factor of `"exp_range"`.
 * @param cycleMomentum Whether the momentum cycles as well.
 * @param baseMomentum The minimum momentum.
 * @param maxMomentum The maximum momentum.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class CyclicLR extends BuiltinScheduler {
  static override readonly name: string = 'CyclicLR';
  constructor(optimizer: Optimizer, baseLr: number | readonly number[], maxLr: number | readonly number[], stepSizeUp?: number, stepSizeDown?: number | null, mode?: 'triangular' | 'triangular2' | 'exp_range', gamma?: number, cycleMomentum?: boolean, baseMomentum?: number | readonly number[], maxMomentum?: number | readonly number[], lastEpoch?: number);
  constructor(optimizer: Optimizer, baseLr: number | readonly number[], maxLr: number | readonly number[], options?: { stepSizeUp?: number; stepSizeDown?: number | null; mode?: 'triangular' | 'triangular2' | 'exp_range'; gamma?: number; cycleMomentum?: boolean; baseMomentum?: number | readonly number[]; maxMomentum?: number | readonly number[]; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { baseLr: number | readonly number[]; maxLr: number | readonly number[]; stepSizeUp?: number; stepSizeDown?: number | null; mode?: 'triangular' | 'triangular2' | 'exp_range'; gamma?: number; cycleMomentum?: boolean; baseMomentum?: number | readonly number[]; maxMomentum?: number | readonly number[]; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('CyclicLR baseLr maxLr stepSizeUp stepSizeDown mode gamma cycleMomentum baseMomentum maxMomentum lastEpoch', optimizer, args); }
}

/**
 * Raises the rate to `max_lr` and lowers it to almost zero in one cycle (Smith and Topin,
 * 2019), and the momentum in the opposite direction.
 * @param maxLr The maximum rate, one for all groups or one each.
 * @param totalSteps The number of steps; or give `epochs` and `steps_per_epoch`.
 * @param epochs The number of epochs.
 * @param stepsPerEpoch The number of steps per epoch.
 * @param pctStart The fraction of the cycle in which the rate rises.
 * @param annealStrategy `"cos"` or `"linear"`.
 * @param cycleMomentum Whether the momentum changes as well.
 * @param baseMomentum The minimum momentum.
 * @param maxMomentum The maximum momentum.
 * @param divFactor The maximum rate divided by the initial rate.
 * @param finalDivFactor The initial rate divided by the final rate.
 * @param threePhase Three phases: the fall mirrors the rise, then the rate goes to the final rate.
 * @param lastEpoch The last step of the run whose state the optimizer has; -1 for a new run.
 */
export class OneCycleLR extends BuiltinScheduler {
  static override readonly name: string = 'OneCycleLR';
  constructor(optimizer: Optimizer, maxLr: number | readonly number[], totalSteps?: number | null, epochs?: number | null, stepsPerEpoch?: number | null, pctStart?: number, annealStrategy?: 'cos' | 'linear', cycleMomentum?: boolean, baseMomentum?: number | readonly number[], maxMomentum?: number | readonly number[], divFactor?: number, finalDivFactor?: number, threePhase?: boolean, lastEpoch?: number);
  constructor(optimizer: Optimizer, maxLr: number | readonly number[], options?: { totalSteps?: number | null; epochs?: number | null; stepsPerEpoch?: number | null; pctStart?: number; annealStrategy?: 'cos' | 'linear'; cycleMomentum?: boolean; baseMomentum?: number | readonly number[]; maxMomentum?: number | readonly number[]; divFactor?: number; finalDivFactor?: number; threePhase?: boolean; lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { maxLr: number | readonly number[]; totalSteps?: number | null; epochs?: number | null; stepsPerEpoch?: number | null; pctStart?: number; annealStrategy?: 'cos' | 'linear'; cycleMomentum?: boolean; baseMomentum?: number | readonly number[]; maxMomentum?: number | readonly number[]; divFactor?: number; finalDivFactor?: number; threePhase?: boolean; lastEpoch?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('OneCycleLR maxLr totalSteps epochs stepsPerEpoch pctStart annealStrategy cycleMomentum baseMomentum maxMomentum divFactor finalDivFactor threePhase lastEpoch', optimizer, args); }
}

/**
 * Multiplies the rate by `factor` when a metric has not improved for more than `patience`
 * steps.
 * @param mode `"min"` if smaller is better, or `"max"`.
 * @param factor The factor.
 * @param patience The number of steps without improvement to wait for.
 * @param threshold The threshold of an improvement.
 * @param thresholdMode Whether the threshold is `"rel"`, relative to the best, or `"abs"`.
 * @param cooldown The number of steps after a change that are not counted.
 * @param minLr The minimum rate, one for all groups or one each.
 * @param eps Smaller changes are not made.
 */
export class ReduceLROnPlateau extends MeasuredScheduler {
  static override readonly name: string = 'ReduceLROnPlateau';
  constructor(optimizer: Optimizer, mode?: 'min' | 'max', factor?: number, patience?: number, threshold?: number, thresholdMode?: 'rel' | 'abs', cooldown?: number, minLr?: number | readonly number[], eps?: number);
  constructor(optimizer: Optimizer, options?: { mode?: 'min' | 'max'; factor?: number; patience?: number; threshold?: number; thresholdMode?: 'rel' | 'abs'; cooldown?: number; minLr?: number | readonly number[]; eps?: number });
  constructor(optimizer: unknown, ...args: unknown[]) { super('ReduceLROnPlateau mode factor patience threshold thresholdMode cooldown minLr eps', optimizer, args); }
}

