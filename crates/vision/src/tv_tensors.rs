//! Tensors with their kinds, as `torchvision.tv_tensors`.
//!
//! A transform of a sample changes each tensor as its kind requires: a mask is not interpolated,
//! and boxes move with the picture. A tensor with its kind is one type rather than a class for each
//! kind, because a sample is then a list in both languages.

use crate::ops::BoxFormat;
use lanthorn_tensor::{Error, Result, Tensor};

/// The kind of a tensor in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TvKind {
    /// A picture `[.., C, H, W]`.
    Image,
    /// Pictures in a sequence, `[.., T, C, H, W]`.
    Video,
    /// Labels of pixels, `[.., H, W]`.
    Mask,
    /// Boxes `[.., 4]` in a picture.
    BoundingBoxes,
    /// Anything else, which transforms leave as it is.
    Other,
}

/// A tensor with its kind, and for boxes their format and the size of their picture.
#[derive(Clone, Debug)]
pub struct TvTensor {
    data: Tensor,
    kind: TvKind,
    format: BoxFormat,
    canvas_size: Vec<usize>,
}

impl TvTensor {
    /// The tensor.
    pub fn data(&self) -> &Tensor {
        &self.data
    }

    /// The kind.
    pub fn kind(&self) -> TvKind {
        self.kind
    }

    /// The format of boxes.
    pub fn format(&self) -> BoxFormat {
        self.format
    }

    /// The height and the width of the picture that boxes are in; empty for other kinds.
    pub fn canvas_size(&self) -> &[usize] {
        &self.canvas_size
    }

    /// Another tensor of this kind, for transforms of a program's own.
    pub fn with_data(&self, data: &Tensor) -> TvTensor {
        TvTensor { data: data.clone(), ..self.clone() }
    }

    /// Other boxes of this format, in a picture of another size.
    pub(crate) fn with_canvas(&self, data: &Tensor, height: usize, width: usize) -> TvTensor {
        TvTensor { data: data.clone(), canvas_size: vec![height, width], ..self.clone() }
    }
}

fn plain(data: &Tensor, kind: TvKind) -> TvTensor {
    TvTensor { data: data.clone(), kind, format: BoxFormat::Xyxy, canvas_size: vec![] }
}

/// A picture `[.., C, H, W]`, as `torchvision.tv_tensors.Image`.
///
/// # Errors
/// `shape` if it has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::tv_tensors::image};
/// assert_eq!(image(&Tensor::ones([3, 4, 4])?)?.data().numel(), 48);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn image(data: &Tensor) -> Result<TvTensor> {
    check_rank("image", data, 3)?;
    Ok(plain(data, TvKind::Image))
}

/// Pictures in a sequence, `[.., T, C, H, W]`, as `torchvision.tv_tensors.Video`.
///
/// # Errors
/// `shape` if it has fewer than four dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::tv_tensors::video};
/// assert_eq!(video(&Tensor::ones([2, 3, 4, 4])?)?.data().numel(), 96);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn video(data: &Tensor) -> Result<TvTensor> {
    check_rank("video", data, 4)?;
    Ok(plain(data, TvKind::Video))
}

/// Labels of pixels, `[.., H, W]`, as `torchvision.tv_tensors.Mask`.
///
/// # Errors
/// `shape` if it has fewer than two dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::tv_tensors::mask};
/// assert_eq!(mask(&Tensor::ones([4, 4])?)?.data().numel(), 16);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mask(data: &Tensor) -> Result<TvTensor> {
    check_rank("mask", data, 2)?;
    Ok(plain(data, TvKind::Mask))
}

/// Boxes `[.., 4]` in a picture of the height and the width `canvas_size`, as
/// `torchvision.tv_tensors.BoundingBoxes`.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates; `argument` for a rotated format, or if
/// `canvas_size` does not have two numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::{ops::BoxFormat, tv_tensors::bounding_boxes}};
/// let boxes = bounding_boxes(&Tensor::ones([2, 4])?, BoxFormat::Xywh, &[8, 6])?;
/// assert_eq!(boxes.canvas_size(), [8, 6]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn bounding_boxes(data: &Tensor, format: BoxFormat, canvas_size: &[usize]) -> Result<TvTensor> {
    if data.rank() == 0 || data.shape()[data.rank() - 1] != 4 {
        let shape = data.shape();
        let message = format!("data must have four coordinates for each box, and has shape {shape}");
        return Err(Error::shape("bounding_boxes", message));
    }
    if format != BoxFormat::Xyxy && format != BoxFormat::Xywh && format != BoxFormat::Cxcywh {
        return Err(Error::argument("bounding_boxes", "format must be xyxy, xywh or cxcywh".to_string()));
    }
    if canvas_size.len() != 2 {
        return Err(Error::argument("bounding_boxes", "canvas_size must be the height and the width".to_string()));
    }
    Ok(TvTensor { data: data.clone(), kind: TvKind::BoundingBoxes, format, canvas_size: canvas_size.to_vec() })
}

/// A tensor that transforms leave as it is, such as labels of whole pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::tv_tensors::{TvKind, other}};
/// assert_eq!(other(&Tensor::ones([2])?).kind(), TvKind::Other);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn other(data: &Tensor) -> TvTensor {
    plain(data, TvKind::Other)
}

fn check_rank(op: &str, data: &Tensor, rank: usize) -> Result<()> {
    if data.rank() < rank {
        let message = format!("data must have at least {rank} dimensions, and has shape {}", data.shape());
        return Err(Error::shape(op, message));
    }
    Ok(())
}
