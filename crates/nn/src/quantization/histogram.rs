//! The observer that cuts off outliers.
//!
//! Its histogram is on the host, in float64, because the search for the best range looks at it a
//! few hundred times. So observing reads the tensor, and is awaited.

use super::{
    QParams, QRange, QScheme,
    observer_table::{Kind, ObserverRule},
};
use lanthorn_tensor::{DType, Device, Error, Result, Tensor};

/// The part of the numbers by which the search cuts off one end at a time.
const STEP: f64 = 1e-5;

/// The parts of a bin that is mapped to other bins.
const UPSAMPLE: usize = 16;

/// Counts of numbers in bins of the same width. Another language has it as a row of numbers: the
/// ends, and the counts.
struct Histogram {
    low: f64,
    high: f64,
    counts: Vec<f64>,
}

impl Histogram {
    fn of_row(row: &[f64]) -> Option<Histogram> {
        let [low, high, counts @ ..] = row else { return None };
        (!counts.is_empty()).then(|| Histogram { low: *low, high: *high, counts: counts.to_vec() })
    }

    fn into_row(self) -> Vec<f64> {
        [self.low, self.high].into_iter().chain(self.counts).collect()
    }

    /// A histogram with further numbers, whose range may be wider. NaN and infinities are left out.
    /// Without a finite number there is none.
    fn with(known: Option<Histogram>, bins: usize, values: &[f32]) -> Option<Histogram> {
        let finite = || values.iter().copied().filter(|value| value.is_finite()).map(f64::from);
        let (mut low, mut high) =
            finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return known;
        }
        if let Some(known) = &known {
            (low, high) = (low.min(known.low), high.max(known.high));
        }
        let mut next = match known {
            Some(known) if (known.low, known.high) == (low, high) => known,
            Some(known) => known.widen(low, high),
            None => Histogram { low, high, counts: vec![0.0; bins] },
        };
        finite().for_each(|value| next.add(value, 1.0));
        Some(next)
    }

    fn add(&mut self, value: f64, amount: f64) {
        let (low, width) = (self.low, self.high - self.low);
        let bins = self.counts.len();
        let bin = if width == 0.0 { 0.0 } else { ((value - low) / width * bins as f64).floor() };
        // A number at an end is in the bin at that end.
        self.counts[(bin.max(0.0) as usize).min(bins - 1)] += amount;
    }

    fn width(&self) -> f64 {
        (self.high - self.low) / self.counts.len() as f64
    }

    /// The same numbers in a wider range.
    fn widen(&self, low: f64, high: f64) -> Histogram {
        let mut wide = Histogram { low, high, counts: vec![0.0; self.counts.len()] };
        let part = self.width() / UPSAMPLE as f64;
        for (bin, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            for index in 0..UPSAMPLE {
                let middle = self.low + ((bin * UPSAMPLE + index) as f64 + 0.5) * part;
                wide.add(middle, count / UPSAMPLE as f64);
            }
        }
        wide
    }

    /// The squared error of numbers that are rounded to the middles of `steps` parts of the bins.
    fn error(&self, first: usize, last: usize, steps: f64) -> f64 {
        let width = self.width();
        let step = width * (last - first + 1) as f64 / steps;
        if step == 0.0 {
            return 0.0;
        }
        let part_of = |offset: f64| (offset / step).floor().clamp(0.0, steps - 1.0);
        let cubes = |begin: f64, end: f64| (end.powi(3) - begin.powi(3)) / 3.0;
        let of_bin = |(bin, count): (usize, &f64)| {
            let begin = (bin as f64 - first as f64) * width;
            let end = begin + width;
            let (in_begin, in_end) = (part_of(begin), part_of(end));
            let integral = cubes(begin - (in_begin + 0.5) * step, step / 2.0)
                + (in_end - in_begin - 1.0) * cubes(-step / 2.0, step / 2.0)
                + cubes(-step / 2.0, end - (in_end + 0.5) * step);
            count / width * integral
        };
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0.0).map(of_bin).sum()
    }

    /// The range with the smallest error, found by moving the ends inwards while it gets smaller.
    fn best_range(&self, steps: f64) -> (f64, f64) {
        let mut sum = 0.0;
        let sums: Vec<f64> = self
            .counts
            .iter()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        let (mut first, mut last) = (0, self.counts.len() - 1);
        let (mut alpha, mut beta, mut smallest) = (0.0, 1.0, f64::INFINITY);
        while alpha < beta {
            let (next_alpha, next_beta) = (alpha + STEP, beta - STEP);
            let (mut left, mut right) = (first, last);
            while left < last && sums[left] < next_alpha * sum {
                left += 1;
            }
            while right > first && sums[right] > next_beta * sum {
                right -= 1;
            }
            let next = if left - first > last - right {
                alpha = next_alpha;
                (left, last)
            } else {
                beta = next_beta;
                (first, right)
            };
            if next == (first, last) {
                continue;
            }
            let error = self.error(next.0, next.1, steps);
            if error > smallest {
                break;
            }
            (smallest, first, last) = (error, next.0, next.1);
        }
        (self.low + self.width() * first as f64, self.low + self.width() * (last + 1) as f64)
    }
}

/// A histogram of all numbers, from which the range with the smallest squared error is chosen, as
/// `torch.ao.quantization.HistogramObserver`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::quantization::{HistogramObserver, QRange, QScheme};
/// use lanthorn::Tensor;
/// # pollster::block_on(async {
/// let mut observer = HistogramObserver::new(QScheme::Affine, QRange::UINT8, 2048)?;
/// observer.observe(&Tensor::arange(0, 1000, 1)?).await?;
/// let grid = observer.calculate_qparams(&device)?;
/// assert!((grid.scale.item().await? - 999.0 / 255.0).abs() < 0.01);
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub struct HistogramObserver {
    rule: ObserverRule,
    histogram: Option<Histogram>,
}

impl ObserverRule {
    /// A histogram with further numbers: a row of the smallest and the largest number, and the
    /// count of each bin. An empty row stands for no numbers. NaN and infinities are left out.
    ///
    /// ```
    /// use lanthorn::nn::quantization::{OBSERVERS, ObserverRule};
    /// use lanthorn::{Scalar, ops::Arg};
    /// let bins = Arg::Scalar(Scalar::Int(2));
    /// let rule = ObserverRule::new(OBSERVERS.len() - 1, &[Arg::Missing, Arg::Missing, Arg::Missing, bins])?;
    /// let row = rule.count(&[], &[0.0, 1.0, 4.0, f32::NAN]);
    /// assert_eq!(row, [0.0, 4.0, 2.0, 1.0]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn count(&self, row: &[f64], values: &[f32]) -> Vec<f64> {
        let Kind::Histogram(bins) = self.kind else { return vec![] };
        Histogram::with(Histogram::of_row(row), bins, values).map(Histogram::into_row).unwrap_or_default()
    }

    /// The grid of a histogram in the form of [`ObserverRule::count`], as tensors on a device.
    ///
    /// # Errors
    ///
    /// `argument` if the row is empty.
    pub fn qparams_of_row(&self, row: &[f64], device: &Device) -> Result<QParams> {
        self.qparams_of(Histogram::of_row(row).as_ref(), device)
    }

    fn qparams_of(&self, histogram: Option<&Histogram>, device: &Device) -> Result<QParams> {
        let message = "has observed no finite numbers: run the model on calibration data first";
        let nothing = || Error::argument(self.name, message);
        let (low, high) = histogram.ok_or_else(nothing)?.best_range(self.range.count());
        let number = |value: f64| Tensor::full_with([], value, Some(DType::F32), Some(device));
        self.qparams([&number(low)?, &number(high)?])
    }
}

impl HistogramObserver {
    /// An observer that has seen nothing. PyTorch's default for `bins` is 2048.
    ///
    /// # Errors
    ///
    /// `argument` if there are no bins.
    pub fn new(scheme: QScheme, range: QRange, bins: usize) -> Result<HistogramObserver> {
        let (name, kind) = ("HistogramObserver", Kind::Histogram(bins));
        kind.check(name)?;
        Ok(HistogramObserver { rule: ObserverRule { name, kind, scheme, range }, histogram: None })
    }

    /// Counts the numbers of a tensor. NaN and infinities are left out.
    ///
    /// # Errors
    ///
    /// The errors of the operations that computed the tensor.
    pub async fn observe(&mut self, x: &Tensor) -> Result<()> {
        let values = x.detach().to(DType::F32)?.to_vec::<f32>().await?;
        if let Kind::Histogram(bins) = self.rule.kind {
            self.histogram = Histogram::with(self.histogram.take(), bins, &values);
        }
        Ok(())
    }

    /// The grid for the observed values, as tensors on a device.
    ///
    /// # Errors
    ///
    /// `argument` if nothing was observed, or the range of integers has one integer.
    pub fn calculate_qparams(&self, device: &Device) -> Result<QParams> {
        self.rule.range.check(self.rule.name)?;
        self.rule.qparams_of(self.histogram.as_ref(), device)
    }
}
