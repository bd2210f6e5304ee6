/** Optimizers, learning-rate schedules, and averaged weights. */
export { Optimizer, type LossClosure } from './optimizer.js';
export type { GroupState, OptimizerState, ParameterState, ParameterStates, StateValue } from './optimizer-state.js';
export type { AnyGroup, AnyOptions, GroupView, OptionValue, ParamGroup, Params } from './param-groups.js';
export * from '../generated/optim.js';
export * as lrScheduler from './lr-scheduler.js';
export * as swaUtils from './swa-utils.js';
