// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of one batch, as `torchmetrics.functional`. */
export { meanAbsoluteError } from '../functional/regression.js';
