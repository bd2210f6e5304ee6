// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Pictures, as `torchvision`: transforms, operations on boxes, models and drawings.
 *
 * The files of this crate outside of `host` keep to a subset of Rust that is printed as the
 * TypeScript of the npm package, so that each formula is written once.
 */
export * as models from './models/index.js';
export * as ops from './ops/index.js';
export * as transforms from './transforms/index.js';
export * as tvTensors from './tv-tensors/index.js';
export * as utils from './utils/index.js';
