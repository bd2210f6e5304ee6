/** Functions of functions, as `torch.func`: derivatives and batches, in any order. */
export { functionalCall, stackModuleState, type ModuleState } from './functional-call.js';
export { hessian, hvp, jacfwd, jacrev, type JacobianOptions } from './jacobian.js';
export {
  grad, gradAndValue, jvp, linearize, vjp, type Argnums, type GradFunctionOptions, type Like, type Products,
} from './transforms.js';
export type { Tree } from './tree.js';
export { vmap, type Dims, type VmapOptions } from './vmap.js';
