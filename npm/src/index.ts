/** PyTorch for the web: tensors, autograd, modules and optimizers on WebGPU and the CPU. */
export * as amp from './amp/index.js';
export { autocast, type AutocastOptions } from './amp/index.js';
export { grad, type GradOptions } from './autograd/grad.js';
export { enableGrad, inferenceMode, isGradEnabled, noGrad, setGradEnabled, type GradMode } from './autograd/mode.js';
export * as autograd from './autograd/index.js';
export * from './compile/index.js';
export * from './control/index.js';
export * from './core/index.js';
export * as func from './func/index.js';
export * from './inspect/index.js';
export * as library from './library/index.js';
export { ops, type OperationInfo } from './library/operation-list.js';
export * as nn from './nn/index.js';
export * as optim from './optim/index.js';
export { autosave, recover, type Autosave, type AutosaveOptions, type Recoverable, type Stateful } from './recovery/index.js';
export * from './tensor/index.js';
