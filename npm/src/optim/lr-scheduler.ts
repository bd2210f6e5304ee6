/** Schedules of the learning rate. */
export { LRScheduler, type SchedulerState, type ScheduleValue } from './scheduler.js';
export { ChainedScheduler, LambdaLR, MultiplicativeLR, SequentialLR, type LRLambda } from './builtin-schedulers.js';
export * from '../generated/schedules.js';
