//! Random parts of pictures that contain enough of a box.

use super::items::{canvas_of, crop_item};
use crate::host::{Random, float_tensor, read_numbers};
use crate::ops::{BoxFormat, box_convert};
use crate::tv_tensors::{TvKind, TvTensor};
use lanthorn_tensor::{Error, Result};

/// A part of a picture.
struct Part {
    top: f64,
    left: f64,
    height: f64,
    width: f64,
}

/// The boxes whose centers are in a part: 1 for each of them, and 0 for the others.
fn centers_inside(corners: &[f64], part: &Part) -> Vec<f64> {
    let mut inside = vec![];
    for index in 0..corners.len() / 4 {
        let x = 0.5 * (corners[4 * index] + corners[4 * index + 2]);
        let y = 0.5 * (corners[4 * index + 1] + corners[4 * index + 3]);
        let is_across = part.left < x && x < part.left + part.width;
        let is_down = part.top < y && y < part.top + part.height;
        inside.push(if is_across && is_down { 1.0 } else { 0.0 });
    }
    inside
}

/// The largest overlap of a part with the boxes that are inside.
fn largest_overlap(corners: &[f64], inside: &[f64], part: &Part) -> f64 {
    let mut largest = 0.0;
    for index in 0..inside.len() {
        let (x1, y1) = (corners[4 * index], corners[4 * index + 1]);
        let (x2, y2) = (corners[4 * index + 2], corners[4 * index + 3]);
        let across = x2.min(part.left + part.width) - x1.max(part.left);
        let down = y2.min(part.top + part.height) - y1.max(part.top);
        let common = across.max(0.0) * down.max(0.0);
        let union = (x2 - x1) * (y2 - y1) + part.width * part.height - common;
        if inside[index] > 0.0 && union > 0.0 {
            largest = (common / union).max(largest);
        }
    }
    largest
}

/// A random part of a sample that overlaps a box, as `torchvision.transforms.v2.RandomIoUCrop`.
/// Boxes whose centers are outside become zeros. The boxes are read, and the result is awaited, so
/// it is no step of [`Compose`](super::Compose).
///
/// Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::{ops::BoxFormat, transforms::RandomIoUCrop, tv_tensors};
/// use lanthorn::Tensor;
/// let boxes = Tensor::from_slice(&[2.0f32, 2.0, 6.0, 6.0], [1, 4], &device)?;
/// let boxes = tv_tensors::bounding_boxes(&boxes, BoxFormat::Xyxy, &[8, 8])?;
/// let sample = [tv_tensors::image(&Tensor::ones([3, 8, 8])?)?, boxes];
/// let crop = RandomIoUCrop::new(0.5, 1.0, 0.5, 2.0, &[0.0, 0.5], 40)?;
/// let made = pollster::block_on(crop.forward_sample(&sample))?;
/// assert_eq!(made[1].canvas_size(), &made[0].data().shape()[1..]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomIoUCrop {
    min_scale: f64,
    max_scale: f64,
    min_aspect_ratio: f64,
    max_aspect_ratio: f64,
    sampler_options: Vec<f64>,
    trials: usize,
}

impl RandomIoUCrop {
    /// The sides of the part are `min_scale` to `max_scale` of the picture's, and their ratio is
    /// `min_aspect_ratio` to `max_aspect_ratio`. The overlap with a box is at least one of
    /// `sampler_options`; 1 stands for the whole picture. After `trials` parts that do not fit
    /// another overlap is chosen.
    ///
    /// # Errors
    /// `argument` if there are no options, or if a range is not in order.
    ///
    /// Defaults: min_scale = 0.3, max_scale = 1, min_aspect_ratio = 0.5, max_aspect_ratio = 2,
    /// sampler_options = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1], trials = 40.
    pub fn new(
        min_scale: f64,
        max_scale: f64,
        min_aspect_ratio: f64,
        max_aspect_ratio: f64,
        sampler_options: &[f64],
        trials: usize,
    ) -> Result<RandomIoUCrop> {
        if sampler_options.is_empty() || min_scale > max_scale || min_aspect_ratio > max_aspect_ratio {
            let message = "the ranges must be in order, and sampler_options must have a number".to_string();
            return Err(Error::argument("RandomIoUCrop", message));
        }
        let sampler_options = sampler_options.to_vec();
        Ok(RandomIoUCrop { min_scale, max_scale, min_aspect_ratio, max_aspect_ratio, sampler_options, trials })
    }

    /// A random part of a size and a ratio in the ranges, or nothing.
    fn draw(&self, random: &Random, rows: usize, columns: usize) -> Option<Part> {
        let width = (columns as f64 * random.uniform(self.min_scale, self.max_scale)).trunc();
        let height = (rows as f64 * random.uniform(self.min_scale, self.max_scale)).trunc();
        let left = ((columns as f64 - width) * random.uniform(0.0, 1.0)).trunc();
        let top = ((rows as f64 - height) * random.uniform(0.0, 1.0)).trunc();
        if width < 1.0 || height < 1.0 {
            return None;
        }
        let ratio = width / height;
        if ratio < self.min_aspect_ratio || ratio > self.max_aspect_ratio {
            return None;
        }
        Some(Part { top, left, height, width })
    }

    /// The part of a sample that has boxes. Choices follow from the generator of the device.
    ///
    /// # Errors
    /// `argument` if the sample has no boxes.
    pub async fn forward_sample(&self, sample: &[TvTensor]) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("RandomIoUCrop", sample)?;
        let mut corners: Vec<f64> = vec![];
        for item in sample {
            if item.kind() == TvKind::BoundingBoxes {
                let boxes = box_convert(item.data(), item.format(), BoxFormat::Xyxy)?;
                let own = read_numbers(&boxes).await?;
                corners.extend_from_slice(&own);
            }
        }
        if corners.is_empty() {
            return Err(Error::argument("RandomIoUCrop", "sample must have boxes".to_string()));
        }
        let random = Random::draw_from(sample[0].data());
        // With options that no part satisfies, the sample stays as it is.
        for _ in 0..1000 {
            let least = self.sampler_options[random.below(self.sampler_options.len())];
            if least >= 1.0 {
                return Ok(sample.to_vec());
            }
            for _ in 0..self.trials {
                if let Some(part) = self.draw(&random, rows, columns) {
                    let inside = centers_inside(&corners, &part);
                    if inside.contains(&1.0) && largest_overlap(&corners, &inside, &part) >= least {
                        return crop_sample(sample, &inside, &part);
                    }
                }
            }
        }
        Ok(sample.to_vec())
    }
}

/// A part of a sample, with zeros for the boxes that are not inside.
fn crop_sample(sample: &[TvTensor], inside: &[f64], part: &Part) -> Result<Vec<TvTensor>> {
    let (top, left) = (part.top as i64, part.left as i64);
    let (height, width) = (part.height as usize, part.width as usize);
    let mut made = vec![];
    let mut first = 0;
    for item in sample {
        let cropped = crop_item(item, top, left, height, width)?;
        if item.kind() == TvKind::BoundingBoxes {
            let count = item.data().numel() / 4;
            let kept = float_tensor(&inside[first..first + count], &[count as i64, 1], item.data())?;
            let flat = (cropped.data().reshape([-1, 4])? * kept)?;
            made.push(cropped.with_data(&flat.to(item.data().dtype())?.reshape(item.data().shape())?));
            first += count;
        } else {
            made.push(cropped);
        }
    }
    Ok(made)
}
