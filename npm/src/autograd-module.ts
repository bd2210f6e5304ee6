/** Gradients, and functions with a derivative of their own, as `torch.autograd`. */
export { grad, type GradOptions } from './autograd.js';
export { AutogradFunction as Function, FunctionContext, type FunctionClass, type FunctionGradients } from './function.js';
