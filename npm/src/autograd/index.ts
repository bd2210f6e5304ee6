/** Gradients, and functions with their own derivative, as `torch.autograd`. */
export { detectAnomaly } from './anomaly.js';
export { checkpoint, checkpointSequential, type CheckpointStep } from './checkpoint.js';
export * as graph from './graph.js';
export { grad, type GradOptions } from './grad.js';
export { AutogradFunction as Function, FunctionContext, type FunctionClass, type FunctionGradients } from './function.js';
