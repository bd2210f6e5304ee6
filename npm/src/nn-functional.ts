/**
 * The functions of `torch.nn.functional`: `nn.functional.relu(x)`. They are those of the package,
 * which has every one of them at its top level too.
 */
export { einsum, tripletMarginWithDistanceLoss } from './functional.js';
export * from './functions.generated.js';
export * from './operations.generated.js';
