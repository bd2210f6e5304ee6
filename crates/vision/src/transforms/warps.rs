//! Random rotations, affine and perspective maps, and elastic deformations.

use super::crops::check_range;
use super::items::{canvas_of, deform_item, map_item, project_item};
use super::transform::{Transform, check_probability};
use crate::host::{Random, float_tensor};
use crate::transforms::functional::{
    InterpolationMode, gaussian_blur, inverse_affine, perspective_coefficients, relative_center,
};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{Error, Result, Tensor};

/// A range from one number, `-x` to `x`, or from two.
fn range_of(op: &str, name: &str, given: &[f64]) -> Result<Vec<f64>> {
    if given.len() == 1 && given[0] >= 0.0 {
        return Ok(vec![-given[0], given[0]]);
    }
    if given.len() != 2 || given[0] > given[1] {
        let message = format!("{name} must be a number that is not negative, or two numbers in order");
        return Err(Error::argument(op, message));
    }
    Ok(given.to_vec())
}

/// Refuses an interpolation that a map does not have.
fn check_mode(op: &str, interpolation: InterpolationMode) -> Result<()> {
    if interpolation == InterpolationMode::Nearest || interpolation == InterpolationMode::Bilinear {
        return Ok(());
    }
    Err(Error::argument(op, "interpolation must be nearest or bilinear".to_string()))
}

/// Pictures rotated by a random angle, as `torchvision.transforms.RandomRotation`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{RandomRotation, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let mode = InterpolationMode::Bilinear;
/// let rotation = RandomRotation::new(&[15.0], mode, false, None, Some(&[0.5]))?;
/// assert_eq!(rotation.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 4, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomRotation {
    degrees: Vec<f64>,
    interpolation: InterpolationMode,
    expand: bool,
    center: Option<Vec<f64>>,
    fill: Option<Vec<f64>>,
}

impl RandomRotation {
    /// The angle is from `degrees[0]` to `degrees[1]`, or from `-degrees` to `degrees`. The other
    /// arguments are as in [`rotate`](crate::transforms::functional::rotate()).
    ///
    /// # Errors
    /// `argument` if `degrees` is not a range, or for another interpolation than nearest and
    /// bilinear.
    ///
    /// Defaults: interpolation = 'nearest', expand = false, fill = [0].
    pub fn new(
        degrees: &[f64],
        interpolation: InterpolationMode,
        expand: bool,
        center: Option<&[f64]>,
        fill: Option<&[f64]>,
    ) -> Result<RandomRotation> {
        check_mode("RandomRotation", interpolation)?;
        let degrees = range_of("RandomRotation", "degrees", degrees)?;
        let (center, fill) = (center.map(|list| list.to_vec()), fill.map(|list| list.to_vec()));
        Ok(RandomRotation { degrees, interpolation, expand, center, fill })
    }
}

impl Transform for RandomRotation {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("RandomRotation", sample)?;
        let angle = random.uniform(self.degrees[0], self.degrees[1]);
        let middle = relative_center("RandomRotation", rows, columns, self.center.as_deref())?;
        let matrix = inverse_affine(&middle, -angle, &[0.0, 0.0], 1.0, &[0.0, 0.0]);
        let mut made = vec![];
        for item in sample {
            let fill = self.fill.as_deref();
            made.push(map_item("RandomRotation", item, &matrix, self.interpolation, self.expand, fill)?);
        }
        Ok(made)
    }
}

/// Pictures by a random affine map, as `torchvision.transforms.RandomAffine`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{RandomAffine, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let mode = InterpolationMode::Nearest;
/// let shift = Some(&[0.1, 0.1][..]);
/// let map = RandomAffine::new(&[10.0], shift, None, None, mode, None, None)?;
/// assert_eq!(map.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 4, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomAffine {
    degrees: Vec<f64>,
    translate: Vec<f64>,
    scale: Vec<f64>,
    shear: Vec<f64>,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
    center: Option<Vec<f64>>,
}

impl RandomAffine {
    /// The angle is from `degrees[0]` to `degrees[1]`, or from `-degrees` to `degrees`. The picture
    /// moves by at most `translate[0]` of its width and `translate[1]` of its height, is scaled by
    /// `scale[0]` to `scale[1]`, and sheared by `shear`: one angle or two for a range along x, four
    /// for ranges along x and y. The other arguments are as in
    /// [`affine`](crate::transforms::functional::affine()).
    ///
    /// # Errors
    /// `argument` if an argument is not such a range, or for another interpolation than nearest and
    /// bilinear.
    ///
    /// Defaults: interpolation = 'nearest', fill = [0].
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        degrees: &[f64],
        translate: Option<&[f64]>,
        scale: Option<&[f64]>,
        shear: Option<&[f64]>,
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
        center: Option<&[f64]>,
    ) -> Result<RandomAffine> {
        check_mode("RandomAffine", interpolation)?;
        let degrees = range_of("RandomAffine", "degrees", degrees)?;
        let translate = list_or(translate, &[0.0, 0.0]);
        if translate.len() != 2 || translate.iter().any(|part| *part < 0.0 || *part > 1.0) {
            let message = "translate must be two numbers from 0 to 1".to_string();
            return Err(Error::argument("RandomAffine", message));
        }
        let scale = list_or(scale, &[1.0, 1.0]);
        check_range("RandomAffine", "scale", &scale, 1e-12, f64::INFINITY)?;
        let given = list_or(shear, &[0.0, 0.0, 0.0, 0.0]);
        let mut shear = given.to_vec();
        if given.len() != 4 {
            let along = range_of("RandomAffine", "shear", &given)?;
            shear = vec![along[0], along[1], 0.0, 0.0];
        }
        let (fill, center) = (fill.map(|list| list.to_vec()), center.map(|list| list.to_vec()));
        Ok(RandomAffine { degrees, translate, scale, shear, interpolation, fill, center })
    }
}

/// A list, or a default for none.
fn list_or(given: Option<&[f64]>, default: &[f64]) -> Vec<f64> {
    match given {
        Some(list) => list.to_vec(),
        None => default.to_vec(),
    }
}

/// A random whole number of pixels, at most a part of a length in either direction.
fn draw_shift(random: &Random, part: f64, length: usize) -> f64 {
    let most = part * length as f64;
    (random.uniform(-most, most) + 0.5).floor()
}

impl Transform for RandomAffine {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("RandomAffine", sample)?;
        let angle = random.uniform(self.degrees[0], self.degrees[1]);
        let x = draw_shift(random, self.translate[0], columns);
        let y = draw_shift(random, self.translate[1], rows);
        let scale = random.uniform(self.scale[0], self.scale[1]);
        let shear_x = random.uniform(self.shear[0], self.shear[1]);
        let shear_y = random.uniform(self.shear[2], self.shear[3]);
        let middle = relative_center("RandomAffine", rows, columns, self.center.as_deref())?;
        let matrix = inverse_affine(&middle, angle, &[x, y], scale, &[shear_x, shear_y]);
        let mut made = vec![];
        for item in sample {
            let fill = self.fill.as_deref();
            made.push(map_item("RandomAffine", item, &matrix, self.interpolation, false, fill)?);
        }
        Ok(made)
    }
}

/// Pictures in a random perspective with a probability, as
/// `torchvision.transforms.RandomPerspective`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{RandomPerspective, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let view = RandomPerspective::new(0.5, 1.0, InterpolationMode::Bilinear, Some(&[0.0]))?;
/// assert_eq!(view.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 4, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomPerspective {
    distortion_scale: f64,
    p: f64,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

impl RandomPerspective {
    /// Each corner moves inward by at most half of `distortion_scale` of the width and of the
    /// height. The other arguments are as in
    /// [`perspective`](crate::transforms::functional::perspective()).
    ///
    /// # Errors
    /// `argument` if `distortion_scale` or `p` is not from 0 to 1, or for another interpolation
    /// than nearest and bilinear.
    ///
    /// Defaults: distortion_scale = 0.5, p = 0.5, interpolation = 'bilinear', fill = [0].
    pub fn new(
        distortion_scale: f64,
        p: f64,
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
    ) -> Result<RandomPerspective> {
        check_probability("RandomPerspective", p)?;
        check_mode("RandomPerspective", interpolation)?;
        if !(0.0..=1.0).contains(&distortion_scale) {
            let message = format!("distortion_scale must be from 0 to 1, and is {distortion_scale}");
            return Err(Error::argument("RandomPerspective", message));
        }
        Ok(RandomPerspective { distortion_scale, p, interpolation, fill: fill.map(|list| list.to_vec()) })
    }
}

impl Transform for RandomPerspective {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        let (rows, columns) = canvas_of("RandomPerspective", sample)?;
        let across = (self.distortion_scale * (columns / 2) as f64) as usize + 1;
        let down = (self.distortion_scale * (rows / 2) as f64) as usize + 1;
        let (right, bottom) = (columns as f64 - 1.0, rows as f64 - 1.0);
        let starts = [vec![0.0, 0.0], vec![right, 0.0], vec![right, bottom], vec![0.0, bottom]];
        let mut ends = vec![];
        for corner in &starts {
            let (x, y) = (random.below(across) as f64, random.below(down) as f64);
            let moved_x = if corner[0] > 0.0 { right - x } else { x };
            let moved_y = if corner[1] > 0.0 { bottom - y } else { y };
            ends.push(vec![moved_x, moved_y]);
        }
        let map = perspective_coefficients("RandomPerspective", &starts, &ends)?;
        let mut made = vec![];
        for item in sample {
            made.push(project_item("RandomPerspective", item, &map, self.interpolation, self.fill.as_deref())?);
        }
        Ok(made)
    }
}

/// Pictures with randomly displaced pixels, as `torchvision.transforms.ElasticTransform`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{ElasticTransform, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let mode = InterpolationMode::Bilinear;
/// let elastic = ElasticTransform::new(&[50.0], &[0.25], mode, Some(&[0.0]))?;
/// assert_eq!(elastic.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 4, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ElasticTransform {
    alpha: Vec<f64>,
    sigma: Vec<f64>,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

/// Two numbers from one or two.
fn two(op: &str, name: &str, given: &[f64]) -> Result<Vec<f64>> {
    if given.is_empty() || given.len() > 2 || given.iter().any(|value| *value < 0.0) {
        let message = format!("{name} must be one or two numbers that are not negative");
        return Err(Error::argument(op, message));
    }
    Ok(vec![given[0], given[given.len() - 1]])
}

impl ElasticTransform {
    /// The displacements are at most `alpha` pixels along x and y, and are blurred with the
    /// standard deviation `sigma`, one number or two each. The other arguments are as in
    /// [`elastic`](crate::transforms::functional::elastic()).
    ///
    /// # Errors
    /// `argument` if a list is not one or two numbers that are not negative, or for another
    /// interpolation than nearest and bilinear.
    ///
    /// Defaults: alpha = [50], sigma = [5], interpolation = 'bilinear', fill = [0].
    pub fn new(
        alpha: &[f64],
        sigma: &[f64],
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
    ) -> Result<ElasticTransform> {
        check_mode("ElasticTransform", interpolation)?;
        let (alpha, sigma) = (two("ElasticTransform", "alpha", alpha)?, two("ElasticTransform", "sigma", sigma)?);
        Ok(ElasticTransform { alpha, sigma, interpolation, fill: fill.map(|list| list.to_vec()) })
    }

    /// The displacements along one dimension, `[1, 1, H, W]`.
    fn displacements(
        &self,
        random: &Random,
        rows: usize,
        columns: usize,
        index: usize,
        like: &Tensor,
    ) -> Result<Tensor> {
        let mut numbers = vec![];
        for _ in 0..rows * columns {
            numbers.push(random.uniform(-1.0, 1.0));
        }
        let made = float_tensor(&numbers, &[1, 1, rows as i64, columns as i64], like)?;
        let sigma = self.sigma[index];
        if sigma == 0.0 {
            return Ok(made);
        }
        let size = (8.0 * sigma + 1.0) as usize;
        let odd = if size % 2 == 0 { size + 1 } else { size };
        gaussian_blur(&made, &[odd], Some(&self.sigma))
    }
}

impl Transform for ElasticTransform {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("ElasticTransform", sample)?;
        let like = sample[0].data();
        let x = (self.displacements(random, rows, columns, 0, like)? * (self.alpha[0] / columns as f64))?;
        let y = (self.displacements(random, rows, columns, 1, like)? * (self.alpha[1] / rows as f64))?;
        let displacement = Tensor::cat(&[x, y], 1)?.permute([0, 2, 3, 1])?;
        let mut made = vec![];
        for item in sample {
            let fill = self.fill.as_deref();
            made.push(deform_item("ElasticTransform", item, &displacement, self.interpolation, fill)?);
        }
        Ok(made)
    }
}
