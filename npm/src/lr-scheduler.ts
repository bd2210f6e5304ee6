/** Schedules of the learning rate. */
export { ChainedScheduler, LambdaLR, LRScheduler, MultiplicativeLR, SequentialLR, type LRLambda } from './scheduler.js';
export * from './schedules.generated.js';
