//! Observers: the ranges of the numbers that pass a place of a model, as `torch.ao.quantization`.

use lanthorn_tensor::{DType, Error, Result, Scalar, Tensor, no_grad};

/// The smallest scale: of numbers that are all 0.
const EPS: f64 = 1.0 / (1 << 23) as f64;

/// Whether a grid has a zero point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QScheme {
    /// With a zero point: the range is that of the numbers.
    Affine,
    /// The range is symmetric around 0.
    Symmetric,
}

/// The integers of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QRange {
    /// The smallest integer.
    pub min: i64,
    /// The largest integer.
    pub max: i64,
}

impl QRange {
    /// 0 to 255.
    pub const UINT8: QRange = QRange { min: 0, max: 255 };
    /// -128 to 127.
    pub const INT8: QRange = QRange { min: -128, max: 127 };
}

/// A grid of numbers: `scale * (integer - zero_point)`.
#[derive(Clone, Debug)]
pub struct QParams {
    /// float32, one number or one for each channel.
    pub scale: Tensor,
    /// int32, in the shape of the scale.
    pub zero_point: Tensor,
}

impl QParams {
    /// The grid of the range from `low` to `high`, which is made to contain 0.
    pub(super) fn of(op: &str, low: &Tensor, high: &Tensor, scheme: QScheme, range: QRange) -> Result<QParams> {
        let QRange { min, max } = range;
        if min >= max {
            return Err(Error::argument(op, format!("the range from {min} to {max} has no steps")));
        }
        no_grad(|| {
            let (below, above) = (low.clamp_max(0)?, high.clamp_min(0)?);
            if scheme == QScheme::Symmetric {
                let scale = below.neg()?.maximum(&above)?.div((max - min) as f64 / 2.0)?.clamp_min(EPS)?;
                // The middle of integers without a sign.
                let zero = if min < 0 { 0 } else { (min + max + 1) / 2 };
                let zero_point = Tensor::full_with(scale.shape(), zero, Some(DType::I32), Some(scale.device()))?;
                return Ok(QParams { scale, zero_point });
            }
            let scale = above.sub(&below)?.div((max - min) as f64)?.clamp_min(EPS)?;
            let zero_point = below.div(&scale)?.round()?.neg()?.add(min)?;
            let zero_point = zero_point.clamp(Some(Scalar::Int(min)), Some(Scalar::Int(max)))?.to(DType::I32)?;
            Ok(QParams { scale, zero_point })
        })
    }
}

/// Notes the ranges of tensors, and gives a grid for them. Nothing is read.
pub trait Observer {
    /// Notes the range of a tensor. A tensor without elements changes nothing.
    ///
    /// # Errors
    ///
    /// `shape` for a tensor that has other channels than those before.
    fn observe(&mut self, x: &Tensor) -> Result<()>;

    /// The grid for what was observed.
    ///
    /// # Errors
    ///
    /// `argument` if nothing was observed, or the range of integers has no steps.
    fn calculate_qparams(&self) -> Result<QParams>;

    /// The integers of the grid.
    fn range(&self) -> QRange;

    /// The dimension of channels, if each has a grid.
    fn channel_axis(&self) -> Option<i64> {
        None
    }
}

/// What an observer of ranges has noted.
struct Noted {
    name: &'static str,
    scheme: QScheme,
    range: QRange,
    ends: Option<(Tensor, Tensor)>,
}

impl Noted {
    fn new(name: &'static str, scheme: QScheme, range: QRange) -> Noted {
        Noted { name, scheme, range, ends: None }
    }

    /// Notes the ends of another tensor, combined with those before.
    fn add(&mut self, ends: [Tensor; 2], combine: impl Fn(&Tensor, &Tensor, End) -> Result<Tensor>) -> Result<()> {
        let [low, high] = ends;
        self.ends = Some(match &self.ends {
            None => (low, high),
            Some((before, _)) if before.shape() != low.shape() => {
                let message = format!("observed {} channels, and now {}", before.numel(), low.numel());
                return Err(Error::shape(self.name, message));
            }
            Some((before, after)) => (combine(before, &low, End::Low)?, combine(after, &high, End::High)?),
        });
        Ok(())
    }

    fn qparams(&self) -> Result<QParams> {
        match &self.ends {
            Some((low, high)) => QParams::of(self.name, low, high, self.scheme, self.range),
            None => Err(Error::argument(self.name, "has observed no numbers: run the model on calibration data first")),
        }
    }
}

/// An end of a range.
#[derive(Clone, Copy)]
enum End {
    Low,
    High,
}

fn wider(one: &Tensor, other: &Tensor, end: End) -> Result<Tensor> {
    match end {
        End::Low => one.minimum(other),
        End::High => one.maximum(other),
    }
}

/// The smallest and the largest number of a tensor.
fn ends(x: &Tensor) -> Result<[Tensor; 2]> {
    no_grad(|| {
        let x = x.detach().to(DType::F32)?;
        Ok([x.amin((), false)?, x.amax((), false)?])
    })
}

/// The smallest and the largest number of all tensors, as `torch.ao.quantization.MinMaxObserver`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::quantization::{MinMaxObserver, Observer, QRange, QScheme};
/// use lanthorn_tensor::Tensor;
/// let mut observer = MinMaxObserver::new(QScheme::Affine, QRange::UINT8);
/// observer.observe(&Tensor::from_slice(&[-1.0f32, 4.1], [2], &device)?)?;
/// let grid = observer.calculate_qparams()?;
/// assert!((pollster::block_on(grid.scale.item())? - 0.02).abs() < 1e-6);
/// assert_eq!(pollster::block_on(grid.zero_point.item())?, 50.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct MinMaxObserver(Noted);

impl MinMaxObserver {
    /// An observer that has seen nothing.
    pub fn new(scheme: QScheme, range: QRange) -> MinMaxObserver {
        MinMaxObserver(Noted::new("MinMaxObserver", scheme, range))
    }
}

impl Observer for MinMaxObserver {
    fn observe(&mut self, x: &Tensor) -> Result<()> {
        if x.numel() == 0 {
            return Ok(());
        }
        self.0.add(ends(x)?, wider)
    }

    fn calculate_qparams(&self) -> Result<QParams> {
        self.0.qparams()
    }

    fn range(&self) -> QRange {
        self.0.range
    }
}

/// Moving averages of the smallest and the largest number, as
/// `torch.ao.quantization.MovingAverageMinMaxObserver`.
pub struct MovingAverageMinMaxObserver {
    noted: Noted,
    averaging_constant: f64,
}

impl MovingAverageMinMaxObserver {
    /// An observer that has seen nothing. `averaging_constant` is the part of a new range in the average;
    /// PyTorch's default is 0.01.
    pub fn new(scheme: QScheme, range: QRange, averaging_constant: f64) -> MovingAverageMinMaxObserver {
        let noted = Noted::new("MovingAverageMinMaxObserver", scheme, range);
        MovingAverageMinMaxObserver { noted, averaging_constant }
    }
}

impl Observer for MovingAverageMinMaxObserver {
    fn observe(&mut self, x: &Tensor) -> Result<()> {
        if x.numel() == 0 {
            return Ok(());
        }
        let part = self.averaging_constant;
        self.noted.add(ends(x)?, |before, now, _| no_grad(|| before.add(&now.sub(before)?.mul(part)?)))
    }

    fn calculate_qparams(&self) -> Result<QParams> {
        self.noted.qparams()
    }

    fn range(&self) -> QRange {
        self.noted.range
    }
}

/// The smallest and the largest number of each channel, as
/// `torch.ao.quantization.PerChannelMinMaxObserver`.
pub struct PerChannelMinMaxObserver {
    noted: Noted,
    ch_axis: i64,
}

impl PerChannelMinMaxObserver {
    /// An observer that has seen nothing, of the channels in dimension `ch_axis`; PyTorch's default is 0.
    pub fn new(scheme: QScheme, range: QRange, ch_axis: i64) -> PerChannelMinMaxObserver {
        PerChannelMinMaxObserver { noted: Noted::new("PerChannelMinMaxObserver", scheme, range), ch_axis }
    }
}

impl Observer for PerChannelMinMaxObserver {
    fn observe(&mut self, x: &Tensor) -> Result<()> {
        let axis = x.shape().dim("PerChannelMinMaxObserver", self.ch_axis)?;
        if x.numel() == 0 {
            return Ok(());
        }
        let channels = x.shape()[axis] as i64;
        let ends = no_grad(|| {
            let rows = x.detach().to(DType::F32)?.movedim(axis as i64, 0)?.reshape([channels, -1])?;
            Ok([rows.amin(1, false)?, rows.amax(1, false)?])
        })?;
        self.noted.add(ends, wider)
    }

    fn calculate_qparams(&self) -> Result<QParams> {
        self.noted.qparams()
    }

    fn range(&self) -> QRange {
        self.noted.range
    }

    fn channel_axis(&self) -> Option<i64> {
        Some(self.ch_axis)
    }
}
