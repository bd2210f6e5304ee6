//! Python's brackets: `x[1:5:2, ..., None, i]` as a list of [`Index`].
//!
//! Numbers, ranges, `None` and `...` make a view. Index tensors pick elements of that view, by [`index_put`](crate::ops::composite::index_put) and its
//! counterpart; a mask is as many index tensors as it has dimensions, known only once it is read.

use crate::{DType, Error, Operand, Result, Tensor};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// What stands at one place between the brackets.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_tensor::{Index, Tensor};
/// let x = Tensor::arange(0, 12, 1)?.reshape([3, 4])?;
/// let y = x.index(&[Index::from(1..), Index::At(-1)])?;
/// assert_eq!(pollster::block_on(y.to_vec::<i32>())?, [7, 11]);
/// assert_eq!(x.index(&Index::parse("..., None, ::2")?)?.shape().to_vec(), [3, 1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Index {
    /// One index, whose dimension goes; negative from the end.
    At(i64),
    /// Every `step`-th index from `start` up to `end`, as [`Tensor::slice`] takes them.
    Slice {
        /// The first.
        start: Option<i64>,
        /// Where it ends.
        end: Option<i64>,
        /// How far apart; positive.
        step: i64,
    },
    /// `...`: all dimensions that the others leave.
    Ellipsis,
    /// `None`: a new dimension of size 1.
    NewAxis,
    /// The places that an integer tensor names, or where a bool tensor is true.
    Tensor(Tensor),
}

impl Index {
    /// The list that text between brackets stands for: `"1:5:2, ..., None, -1"`. It has no tensors.
    pub fn parse(text: &str) -> Result<Vec<Index>> {
        Index::parse_with(text, &[])
    }

    /// [`Index::parse`], where each `T` stands for the next of `tensors`.
    pub fn parse_with(text: &str, tensors: &[Tensor]) -> Result<Vec<Index>> {
        let wrong = |part: &str| Error::argument("index", format!("{part:?} in {text:?} is no number, range, None, ... or T"));
        let mut tensors = tensors.iter();
        let mut parsed = Vec::new();
        for part in text.split(',').map(str::trim) {
            let number = |text: &str| match text.trim() {
                "" => Ok(None),
                digits => digits.parse::<i64>().map(Some).map_err(|_| wrong(part)),
            };
            let bounds: Vec<&str> = part.split(':').collect();
            parsed.push(match (part, &bounds[..]) {
                ("...", _) => Index::Ellipsis,
                ("None", _) => Index::NewAxis,
                ("T", _) => Index::Tensor(tensors.next().cloned().ok_or_else(|| wrong(part))?),
                (_, [index]) => Index::At(number(index)?.ok_or_else(|| wrong(part))?),
                (_, [start, end]) => Index::Slice { start: number(start)?, end: number(end)?, step: 1 },
                (_, [start, end, step]) => {
                    Index::Slice { start: number(start)?, end: number(end)?, step: number(step)?.unwrap_or(1) }
                }
                _ => return Err(wrong(part)),
            });
        }
        if tensors.next().is_some() {
            return Err(Error::argument("index", format!("there are more tensors than T in {text:?}")));
        }
        Ok(parsed)
    }

    /// How many dimensions it takes.
    fn spans(&self) -> usize {
        match self {
            Index::At(_) | Index::Slice { .. } => 1,
            Index::Ellipsis | Index::NewAxis => 0,
            Index::Tensor(tensor) if tensor.dtype() == DType::Bool => tensor.rank(),
            Index::Tensor(_) => 1,
        }
    }
}

impl From<i64> for Index {
    fn from(index: i64) -> Index {
        Index::At(index)
    }
}

impl From<Range<i64>> for Index {
    fn from(range: Range<i64>) -> Index {
        Index::Slice { start: Some(range.start), end: Some(range.end), step: 1 }
    }
}

impl From<RangeFrom<i64>> for Index {
    fn from(range: RangeFrom<i64>) -> Index {
        Index::Slice { start: Some(range.start), end: None, step: 1 }
    }
}

impl From<RangeTo<i64>> for Index {
    fn from(range: RangeTo<i64>) -> Index {
        Index::Slice { start: None, end: Some(range.end), step: 1 }
    }
}

impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Index {
        Index::Slice { start: None, end: None, step: 1 }
    }
}

impl From<&Tensor> for Index {
    fn from(tensor: &Tensor) -> Index {
        Index::Tensor(tensor.clone())
    }
}

/// The view that all but the tensors of `indices` make, and the tensors by its dimensions.
fn basic(x: &Tensor, indices: &[Index]) -> Result<(Tensor, Vec<Option<Tensor>>)> {
    let taken: usize = indices.iter().map(Index::spans).sum();
    let ellipses = indices.iter().filter(|index| matches!(index, Index::Ellipsis)).count();
    let Some(left) = x.rank().checked_sub(taken).filter(|_| ellipses <= 1) else {
        let message = format!("{taken} indices and {ellipses} ellipses do not fit shape {}", x.shape());
        return Err(Error::index("index", message));
    };
    let (mut view, mut dim, mut tensors) = (x.clone(), 0, Vec::new());
    for index in indices {
        match index {
            Index::At(place) => view = view.select(dim, *place)?,
            Index::Slice { start, end, step } => {
                view = view.slice(dim, *start, *end, *step)?;
                dim += 1;
            }
            Index::Ellipsis => dim += left as i64,
            Index::NewAxis => {
                view = view.unsqueeze(dim)?;
                dim += 1;
            }
            Index::Tensor(tensor) => {
                tensors.resize(dim as usize, None);
                tensors.push(Some(tensor.clone()));
                dim += index.spans() as i64;
            }
        }
    }
    Ok((view, tensors))
}

impl Tensor {
    /// `self[indices]` of Python: a view, or with index tensors a copy of what they pick.
    ///
    /// A mask is an error, because how much it selects is known only once it is read: see [`Tensor::masked_select`] and [`Tensor::index_async`].
    pub fn index(&self, indices: &[Index]) -> Result<Tensor> {
        let (view, tensors) = basic(self, indices).map_err(|error| error.in_op("index"))?;
        if tensors.is_empty() { Ok(view) } else { view.index_tensors(&tensors) }
    }

    /// `self[indices] = value` of Python: writes a number, or a tensor that is broadcast, to what [`Tensor::index`] names. A mask may be the
    /// only index.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::{Index, Tensor};
    /// let x = Tensor::zeros([2, 2])?;
    /// x.set_index(&[Index::from(..), Index::At(0)], 1.0)?;
    /// x.set_index(&[Index::from(&x.eq(0.0)?)], 5.0)?;
    /// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [1.0, 5.0, 1.0, 5.0]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn set_index(&self, indices: &[Index], value: impl Into<Operand>) -> Result<()> {
        let value = match value.into() {
            Operand::Tensor(value) => value,
            Operand::Scalar(number) => Tensor::full_with([], number, self.dtype(), Some(self.device()))?,
        };
        let (view, tensors) = basic(self, indices).map_err(|error| error.in_op("set_index"))?;
        if tensors.is_empty() { view.copy_(&value) } else { view.index_put_(&tensors, &value.to(self.dtype())?, false) }
    }
}
