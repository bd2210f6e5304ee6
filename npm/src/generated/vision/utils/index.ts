// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Pictures of pictures, boxes, masks, points and motion, as `torchvision.utils`. */
export { drawBoundingBoxes, drawKeypoints, drawSegmentationMasks } from '../utils/draw.js';
export { flowToImage } from '../utils/flow.js';
export { makeGrid } from '../utils/grid.js';
