/** The functions of `torch.nn.functional`: `nn.functional.relu(x)`. */
export * from './functional.generated.js';
export { tripletMarginWithDistanceLoss } from './functional.js';
