// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Operations on boxes and regions, as `torchvision.ops`. */
export {
  boxArea, boxConvert, clipBoxesToImage, masksToBoxes, removeSmallBoxes, type BoxFormat,
} from '../ops/boxes.js';
export { boxIou, completeBoxIou, distanceBoxIou, generalizedBoxIou } from '../ops/iou.js';
export {
  completeBoxIouLoss, distanceBoxIouLoss, generalizedBoxIouLoss, sigmoidFocalLoss,
} from '../ops/losses.js';
export {
  convertBoxesToRoiFormat, deformConv2d, psRoiAlign, psRoiPool, roiAlign, roiPool,
} from '../ops/pooling.js';
export {
  dropBlock2d, dropBlock3d, stochasticDepth, type StochasticDepthMode,
} from '../ops/regularization.js';
export { batchedNms, nms } from '../ops/suppression.js';
