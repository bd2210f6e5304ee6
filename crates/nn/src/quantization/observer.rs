//! Observers of ranges: the smallest and the largest number of tensors.

use super::{
    QParams, QRange, QScheme,
    observer_table::{Kind, ObserverRule},
};
use lanthorn_tensor::{DType, Error, Result, Tensor, no_grad};

/// The reason why an observer without numbers has no grid. The npm package has it printed.
pub const NOTHING_OBSERVED: &str = "has observed no numbers: run the model on calibration data first";

/// Notes the ranges of tensors, and computes a grid for them. Nothing is read.
pub trait Observer {
    /// Notes the range of a tensor. A tensor without elements changes nothing.
    ///
    /// # Errors
    ///
    /// `shape` for a tensor that has other channels than those before.
    fn observe(&mut self, x: &Tensor) -> Result<()>;

    /// The grid of the noted range.
    ///
    /// # Errors
    ///
    /// `argument` if nothing was observed, or the range of integers has one integer.
    fn calculate_qparams(&self) -> Result<QParams>;

    /// The integers of the grid.
    fn range(&self) -> QRange;

    /// The dimension of channels, if each has a grid.
    fn channel_axis(&self) -> Option<i64> {
        None
    }
}

/// The smallest and the largest number of a tensor, or of each of its channels.
fn ends_of(rule: &ObserverRule, x: &Tensor) -> Result<[Tensor; 2]> {
    let x = x.detach().to(DType::F32)?;
    let Kind::Channels(axis) = rule.kind else { return Ok([x.amin((), false)?, x.amax((), false)?]) };
    let axis = x.shape().dim(rule.name, axis)?;
    let channels = x.shape().to_i64()[axis];
    let rows = x.movedim(axis as i64, 0)?.reshape([channels, -1])?;
    Ok([rows.amin(1, false)?, rows.amax(1, false)?])
}

impl ObserverRule {
    /// The ends of all tensors, from the ends of earlier ones and a tensor with elements. Known
    /// ends without elements count as none. A moving average begins with the ends of `x` if the
    /// known ends are infinite.
    ///
    /// # Errors
    ///
    /// `shape` for a tensor that has other channels than those before, or no dimension of channels.
    pub fn observe(&self, known: Option<&[Tensor; 2]>, x: &Tensor) -> Result<[Tensor; 2]> {
        no_grad(|| {
            let now = ends_of(self, x)?;
            let Some([low, high]) = known.filter(|[low, _]| low.numel() > 0) else { return Ok(now) };
            if low.shape() != now[0].shape() {
                let message = format!("observed {} channels, and now {}", low.numel(), now[0].numel());
                return Err(Error::shape(self.name, message));
            }
            let Kind::Average(part) = self.kind else { return Ok([low.minimum(&now[0])?, high.maximum(&now[1])?]) };
            let is_first = low.gt(high)?;
            let average =
                |before: &Tensor, now: &Tensor| before.add(&now.sub(before)?.mul(part)?)?.masked_fill(&is_first, now);
            Ok([average(low, &now[0])?, average(high, &now[1])?])
        })
    }

    /// The grid of a range.
    ///
    /// # Errors
    ///
    /// `argument` if the range of integers has one integer.
    pub fn qparams(&self, [low, high]: [&Tensor; 2]) -> Result<QParams> {
        QParams::of(self.name, [low, high], self.scheme, self.range)
    }

    pub(super) fn nothing_observed(&self) -> Error {
        Error::argument(self.name, NOTHING_OBSERVED)
    }
}

/// The rule of an observer, and the ends that it has noted.
struct Noted {
    rule: ObserverRule,
    ends: Option<[Tensor; 2]>,
}

macro_rules! observers {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        pub struct $name(Noted);

        impl $name {
            fn of(kind: Kind, scheme: QScheme, range: QRange) -> $name {
                $name(Noted { rule: ObserverRule { name: stringify!($name), kind, scheme, range }, ends: None })
            }
        }

        impl Observer for $name {
            fn observe(&mut self, x: &Tensor) -> Result<()> {
                if x.numel() > 0 {
                    self.0.ends = Some(self.0.rule.observe(self.0.ends.as_ref(), x)?);
                }
                Ok(())
            }

            fn calculate_qparams(&self) -> Result<QParams> {
                let ends = self.0.ends.as_ref().ok_or_else(|| self.0.rule.nothing_observed())?;
                self.0.rule.qparams(ends.each_ref())
            }

            fn range(&self) -> QRange {
                self.0.rule.range
            }

            fn channel_axis(&self) -> Option<i64> {
                if let Kind::Channels(axis) = self.0.rule.kind { Some(axis) } else { None }
            }
        }
    )* };
}

observers! {
    /// The smallest and the largest number of all tensors, as
    /// `torch.ao.quantization.MinMaxObserver`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::quantization::{MinMaxObserver, Observer, QRange, QScheme};
    /// use lanthorn::Tensor;
    /// let mut observer = MinMaxObserver::new(QScheme::Affine, QRange::UINT8);
    /// observer.observe(&Tensor::from_slice(&[-1.0f32, 4.1], [2], &device)?)?;
    /// let grid = observer.calculate_qparams()?;
    /// assert!((pollster::block_on(grid.scale.item())? - 0.02).abs() < 1e-6);
    /// assert_eq!(pollster::block_on(grid.zero_point.item())?, 50.0);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    MinMaxObserver;
    /// Moving averages of the smallest and the largest number, as
    /// `torch.ao.quantization.MovingAverageMinMaxObserver`.
    MovingAverageMinMaxObserver;
    /// The smallest and the largest number of each channel, as
    /// `torch.ao.quantization.PerChannelMinMaxObserver`.
    PerChannelMinMaxObserver;
}

impl MinMaxObserver {
    /// An observer that has seen nothing.
    pub fn new(scheme: QScheme, range: QRange) -> MinMaxObserver {
        MinMaxObserver::of(Kind::Widest, scheme, range)
    }
}

impl MovingAverageMinMaxObserver {
    /// An observer that has seen nothing. `averaging_constant` is the part of a new range in the
    /// average; PyTorch's default is 0.01.
    pub fn new(scheme: QScheme, range: QRange, averaging_constant: f64) -> MovingAverageMinMaxObserver {
        MovingAverageMinMaxObserver::of(Kind::Average(averaging_constant), scheme, range)
    }
}

impl PerChannelMinMaxObserver {
    /// An observer that has seen nothing, of the channels in dimension `ch_axis`; PyTorch's default
    /// is 0.
    pub fn new(scheme: QScheme, range: QRange, ch_axis: i64) -> PerChannelMinMaxObserver {
        PerChannelMinMaxObserver::of(Kind::Channels(ch_axis), scheme, range)
    }
}
