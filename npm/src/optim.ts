/** Optimizers, learning-rate schedules, and averaged weights. */
export { Optimizer, type OptimizerState, type ParamGroup, type Params } from './optimizer.js';
export * from './optim.generated.js';
export * as lrScheduler from './lr-scheduler.js';
export * as swaUtils from './swa-utils.js';
