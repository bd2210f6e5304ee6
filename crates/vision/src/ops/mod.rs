//! Operations on boxes, as `torchvision.ops`.

mod boxes;

pub use boxes::box_area;
