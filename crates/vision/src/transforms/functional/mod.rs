//! Transforms of pictures as functions, as `torchvision.transforms.v2.functional`.
//!
//! A picture is a tensor `[.., C, H, W]` of uint8 from 0 to 255, or of floats from 0 to 1. Results
//! have the type of the picture.

mod color;
mod crop;
mod filter;
mod meta;
mod pad;
mod resize;
mod tone;
mod warp;
mod warp_matrix;

pub use color::{
    adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation, grayscale_to_rgb, rgb_to_grayscale, to_grayscale,
};
pub(crate) use crop::part_of;
pub use crop::{center_crop, crop, five_crop, hflip, horizontal_flip, ten_crop, vertical_flip, vflip};
pub use filter::{adjust_sharpness, erase, gaussian_blur, gaussian_noise, normalize};
pub use meta::{
    InterpolationMode, convert_image_dtype, get_dimensions, get_image_num_channels, get_image_size, get_num_channels,
    get_size, permute_channels, to_dtype,
};
pub(crate) use meta::{channels_of, max_value};
pub(crate) use pad::{pad_ends, padding_ends, with_border};
pub(crate) use resize::{compute_size, interpolate_to};
pub(crate) use warp::{displace, identity_grid, relative_center, sample_affine, sample_perspective};
pub(crate) use warp_matrix::{expand_size, inverse_affine, invert_matrix, perspective_coefficients};

pub use pad::{ImagePadding, pad};
pub use resize::{resize, resized_crop};
pub use tone::{adjust_gamma, autocontrast, equalize, invert, posterize, solarize};
pub use warp::{affine, elastic, elastic_transform, perspective, rotate};
