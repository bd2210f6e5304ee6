//! Python's brackets: `x[1:5:2, ..., None, i]` as a list of [`Index`].
//!
//! Numbers, ranges, `None` and `...` make a view. Index tensors select elements of that view, by
//! [`index_put`](crate::ops::composite::index_put) and its counterpart. A mask stands for as many
//! index tensors as it has dimensions, whose sizes are known only after it is read.

use crate::{DType, Error, Operand, Result, Tensor};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// One entry of Python's brackets.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Index, Tensor};
/// let x = Tensor::arange(0, 12, 1)?.reshape([3, 4])?;
/// let y = x.index(&[Index::from(1..), Index::At(-1)])?;
/// assert_eq!(pollster::block_on(y.to_vec::<i32>())?, [7, 11]);
/// assert_eq!(x.index(&Index::parse("..., None, ::2")?)?.shape().to_vec(), [3, 1, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Index {
    /// One index, which removes its dimension; a negative one counts from the end.
    At(i64),
    /// Every `step`-th index from `start` up to, but without, `end`, as in [`Tensor::slice`].
    Slice {
        /// The first index, 0 if it is `None`.
        start: Option<i64>,
        /// The index after the last one, the size of the dimension if it is `None`.
        end: Option<i64>,
        /// The distance of two indices, which is positive.
        step: i64,
    },
    /// `...`: all dimensions that the other entries do not index. There is at most one.
    Ellipsis,
    /// `None`: a new dimension of size 1.
    NewAxis,
    /// The indices in an integer tensor, or the true elements of a bool tensor.
    Tensor(Tensor),
}

impl Index {
    /// Parses the text between Python's brackets, without tensors: `"1:5:2, ..., None, -1"`.
    ///
    /// # Errors
    ///
    /// `argument` if an entry is no number, range, `None` or `...`.
    pub fn parse(text: &str) -> Result<Vec<Index>> {
        Index::parse_with(text, &[])
    }

    /// [`Index::parse`], where each `T` stands for the next of `tensors`.
    ///
    /// # Errors
    ///
    /// `argument` if an entry does not parse or there are not as many tensors as `T`s.
    pub fn parse_with(text: &str, tensors: &[Tensor]) -> Result<Vec<Index>> {
        let wrong =
            |part: &str| Error::argument("index", format!("{part:?} in {text:?} is no number, range, None, ... or T"));
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

    /// The number of dimensions that the entry indexes.
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

/// The view of the entries that are not tensors, and the index tensors by the dimensions of that
/// view.
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
            Index::At(position) => view = view.select(dim, *position)?,
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
    /// `self[indices]` in Python: a view, or with index tensors a copy of the elements that they
    /// select; see [`Tensor::index_tensors`] for the shape of the result.
    ///
    /// # Errors
    ///
    /// `index` if there are more indices than dimensions, more than one `...`, or an index is out
    /// of range; `argument` for a step that is not positive; `dtype` for a mask, because the number
    /// of its true elements is known only after it is read: see [`Tensor::masked_select`] and
    /// [`Tensor::index_async`]. An element of an index tensor that is out of range is an `index`
    /// error when the result is read.
    pub fn index(&self, indices: &[Index]) -> Result<Tensor> {
        let (view, tensors) = basic(self, indices).map_err(|error| error.in_op("index"))?;
        if tensors.is_empty() { Ok(view) } else { view.index_tensors(&tensors) }
    }

    /// `self[indices] = value` in Python: writes a number, or a tensor that is broadcast, to the
    /// elements that [`Tensor::index`] selects. A mask is taken if it is the only index tensor.
    ///
    /// # Errors
    ///
    /// As [`Tensor::index`] and [`Tensor::index_put`]; `shape` if `value` does not broadcast;
    /// `autograd` if `self` is a leaf that requires gradients and ops are recorded.
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
            Operand::Scalar(number) => Tensor::full_with([], number, self.dtype(), Some(self.device()))
                .map_err(|error| error.in_op("set_index"))?,
        };
        let (view, tensors) = basic(self, indices).map_err(|error| error.in_op("set_index"))?;
        if tensors.is_empty() { view.copy_(&value) } else { view.index_put_(&tensors, &value.to(self.dtype())?, false) }
    }
}
