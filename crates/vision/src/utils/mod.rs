//! Pictures of pictures, boxes, masks, points and motion, as `torchvision.utils`.

mod draw;
mod flow;
mod grid;

pub use draw::{draw_bounding_boxes, draw_keypoints, draw_segmentation_masks};
pub use flow::flow_to_image;
pub use grid::make_grid;
