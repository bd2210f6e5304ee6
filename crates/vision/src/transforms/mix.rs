//! Mixtures of the pictures of a batch, and of their labels.

use crate::host::{Random, arange};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The labels as probabilities, `[n, classes]`.
fn probabilities(op: &str, imgs: &Tensor, labels: &Tensor, num_classes: Option<i64>) -> Result<Tensor> {
    if imgs.rank() < 4 || labels.rank() < 1 || labels.rank() > 2 || labels.shape()[0] != imgs.shape()[0] {
        let (own, other) = (imgs.shape(), labels.shape());
        let message =
            format!("imgs must have shape [n, C, H, W] and labels [n] or [n, classes], not {own} and {other}");
        return Err(Error::shape(op, message));
    }
    if labels.rank() == 2 {
        return if labels.dtype() == DType::F32 { Ok(labels.clone()) } else { labels.to(DType::F32) };
    }
    let Some(classes) = num_classes else {
        return Err(Error::argument(op, "num_classes must be given for labels that are indices".to_string()));
    };
    labels.one_hot(classes)?.to(DType::F32)
}

/// `share` of each element, and the rest of the element before it.
fn blend(x: &Tensor, share: f64) -> Result<Tensor> {
    (x * share)? + x.roll(1, 0)? * (1.0 - share)
}

/// A number of the beta distribution with both parameters `alpha`.
fn beta(random: &Random, alpha: f64) -> f64 {
    let (one, other) = (random.gamma(alpha), random.gamma(alpha));
    one / (one + other)
}

/// Each picture of a batch mixed with the one before it, as `torchvision.transforms.v2.MixUp`.
///
/// Source: Zhang et al., "mixup: Beyond Empirical Risk Minimization" (2018).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::MixUp};
/// let imgs = Tensor::ones([2, 3, 4, 4])?;
/// let labels = Tensor::from_slice(&[0i32, 1], [2], &device)?;
/// let (_, mixed) = MixUp::new(1.0, Some(2))?.forward(&imgs, &labels)?;
/// assert_eq!(mixed.shape()[..], [2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MixUp {
    alpha: f64,
    num_classes: Option<i64>,
}

impl MixUp {
    /// `alpha` is the parameter of the beta distribution of the shares, and `num_classes` the
    /// number of classes of labels that are indices.
    ///
    /// # Errors
    /// `argument` if `alpha` is not positive.
    ///
    /// Defaults: alpha = 1.
    pub fn new(alpha: f64, num_classes: Option<i64>) -> Result<MixUp> {
        if alpha <= 0.0 {
            return Err(Error::argument("MixUp", format!("alpha must be positive, and is {alpha}")));
        }
        Ok(MixUp { alpha, num_classes })
    }

    /// The pictures `[n, C, H, W]` and their labels, `[n]` or `[n, classes]`, mixed; labels become
    /// probabilities. The share follows from the generator of the device.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit; `argument` for labels that are indices without
    /// `num_classes`.
    pub fn forward(&self, imgs: &Tensor, labels: &Tensor) -> Result<(Tensor, Tensor)> {
        let targets = probabilities("MixUp", imgs, labels, self.num_classes)?;
        let share = beta(&Random::draw_from(imgs), self.alpha);
        Ok((blend(imgs, share)?, blend(&targets, share)?))
    }
}

/// Each picture of a batch with a rectangle of the one before it, as
/// `torchvision.transforms.v2.CutMix`.
///
/// Source: Yun et al., "CutMix" (2019).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::CutMix};
/// let imgs = Tensor::ones([2, 3, 4, 4])?;
/// let labels = Tensor::from_slice(&[0i32, 1], [2], &device)?;
/// let (cut, _) = CutMix::new(1.0, Some(2))?.forward(&imgs, &labels)?;
/// assert_eq!(cut.shape()[..], [2, 3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CutMix {
    alpha: f64,
    num_classes: Option<i64>,
}

/// The positions from `low` up to `high`, which is excluded, as a mask along a dimension.
fn between(size: usize, low: i64, high: i64, like: &Tensor) -> Result<Tensor> {
    let positions = arange(size, like)?;
    positions.ge(low as f64)?.logical_and(&positions.lt(high as f64)?)
}

impl CutMix {
    /// `alpha` is the parameter of the beta distribution of the shares, and `num_classes` the
    /// number of classes of labels that are indices.
    ///
    /// # Errors
    /// `argument` if `alpha` is not positive.
    ///
    /// Defaults: alpha = 1.
    pub fn new(alpha: f64, num_classes: Option<i64>) -> Result<CutMix> {
        if alpha <= 0.0 {
            return Err(Error::argument("CutMix", format!("alpha must be positive, and is {alpha}")));
        }
        Ok(CutMix { alpha, num_classes })
    }

    /// The pictures `[n, C, H, W]` and their labels, `[n]` or `[n, classes]`, mixed; labels become
    /// probabilities by the area of the rectangle. It follows from the generator of the device.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit; `argument` for labels that are indices without
    /// `num_classes`.
    pub fn forward(&self, imgs: &Tensor, labels: &Tensor) -> Result<(Tensor, Tensor)> {
        let targets = probabilities("CutMix", imgs, labels, self.num_classes)?;
        let (rank, random) = (imgs.rank(), Random::draw_from(imgs));
        let (rows, columns) = (imgs.shape()[rank - 2], imgs.shape()[rank - 1]);
        let half = 0.5 * (1.0 - beta(&random, self.alpha)).sqrt();
        let (x, y) = (random.below(columns) as i64, random.below(rows) as i64);
        let (across, down) = ((half * columns as f64) as i64, (half * rows as f64) as i64);
        let (left, right) = ((x - across).max(0), (x + across).min(columns as i64));
        let (top, bottom) = ((y - down).max(0), (y + down).min(rows as i64));
        let share = 1.0 - ((right - left) * (bottom - top)) as f64 / (rows * columns) as f64;
        let is_row = between(rows, top, bottom, imgs)?.unsqueeze(-1)?;
        let is_inside = is_row.logical_and(&between(columns, left, right, imgs)?)?;
        let cut = Tensor::r#where(&is_inside, &imgs.roll(1, 0)?, imgs)?;
        Ok((cut, blend(&targets, share)?))
    }
}
