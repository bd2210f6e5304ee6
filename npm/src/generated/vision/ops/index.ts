// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Operations on boxes, as `torchvision.ops`. */
export { boxArea } from '../ops/boxes.js';
