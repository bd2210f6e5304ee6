//! Operations on boxes and regions, as `torchvision.ops`.

mod boxes;
mod iou;
mod losses;
mod pooling;
mod regularization;
mod rotated;
mod suppression;

pub use boxes::{BoxFormat, box_area, box_convert, clip_boxes_to_image, masks_to_boxes, remove_small_boxes};
pub use iou::{box_iou, complete_box_iou, distance_box_iou, generalized_box_iou};
pub use losses::{complete_box_iou_loss, distance_box_iou_loss, generalized_box_iou_loss, sigmoid_focal_loss};
pub use pooling::{convert_boxes_to_roi_format, deform_conv2d, ps_roi_align, ps_roi_pool, roi_align, roi_pool};
pub use regularization::{StochasticDepthMode, drop_block2d, drop_block3d, stochastic_depth};
pub use suppression::{batched_nms, nms};
