//! Sequences of different lengths, as `torch.nn.utils.rnn`.
//!
//! Lengths are numbers of the host, and not a tensor, because the steps of a packed sequence depend
//! on them.

use lanthorn_tensor::{Error, Result, Side, Tensor};

/// [`Tensor::pad_sequence`], which has the shapes and errors.
///
/// # Errors
///
/// As [`Tensor::pad_sequence`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::utils::rnn::pad_sequence;
/// use lanthorn::{Side, Tensor};
/// let padded = pad_sequence(&[Tensor::ones([3, 2])?, Tensor::ones([1, 2])?], true, 0.0, Side::Right)?;
/// assert_eq!(padded.shape().to_vec(), [2, 3, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pad_sequence(sequences: &[Tensor], batch_first: bool, padding_value: f64, padding_side: Side) -> Result<Tensor> {
    Tensor::pad_sequence(sequences, batch_first, padding_value, padding_side)
}

/// The sequences of a padded tensor, as `torch.nn.utils.rnn.unpad_sequence`: the inverse of
/// [`pad_sequence`]. `padded: [T, B, ..]`, or `[B, T, ..]` with `batch_first`.
///
/// # Errors
///
/// `shape` if there are not as many lengths as sequences, or a length is above T.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::utils::rnn::unpad_sequence;
/// use lanthorn::Tensor;
/// let sequences = unpad_sequence(&Tensor::ones([2, 3, 4])?, &[3, 1], true)?;
/// assert_eq!(sequences[1].shape().to_vec(), [1, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn unpad_sequence(padded: &Tensor, lengths: &[i64], batch_first: bool) -> Result<Vec<Tensor>> {
    let (steps, batch) = sizes("unpad_sequence", padded, batch_first)?;
    check_lengths("unpad_sequence", lengths, steps, batch, 0)?;
    let of =
        |(index, &length): (usize, &i64)| padded.select(i64::from(!batch_first), index as i64)?.narrow(0, 0, length);
    lengths.iter().enumerate().map(of).collect()
}

/// The numbers of steps and of sequences of a padded tensor.
fn sizes(op: &str, padded: &Tensor, batch_first: bool) -> Result<(i64, i64)> {
    match padded.shape()[..] {
        [first, second, ..] if batch_first => Ok((second as i64, first as i64)),
        [first, second, ..] => Ok((first as i64, second as i64)),
        _ => Err(Error::shape(op, format!("takes padded sequences [T, B, ..], not shape {}", padded.shape()))),
    }
}

fn check_lengths(op: &str, lengths: &[i64], steps: i64, batch: i64, least: i64) -> Result<()> {
    if lengths.len() as i64 != batch {
        return Err(Error::shape(op, format!("{} lengths are given for {batch} sequences", lengths.len())));
    }
    match lengths.iter().find(|&&length| length < least || length > steps) {
        Some(length) => Err(Error::shape(op, format!("a length is from {least} to {steps}, not {length}"))),
        None => Ok(()),
    }
}

/// Sequences of different lengths without padding, as `torch.nn.utils.rnn.PackedSequence`: the
/// first steps of all sequences, then their second steps, and so on, the longest sequence first.
/// Recurrent layers take it by [`Recurrent::forward_packed`](crate::Recurrent::forward_packed).
#[derive(Clone)]
pub struct PackedSequence {
    /// The steps: `[sum of the lengths, ..]`.
    pub data: Tensor,
    /// The number of sequences in each step, which never grows.
    pub batch_sizes: Vec<i64>,
    /// The numbers of the given sequences in the order in which they are packed; `None` where they
    /// were given in that order.
    pub sorted_indices: Option<Vec<i64>>,
}

impl PackedSequence {
    /// The packed sequences in the same order, with other data.
    pub fn with_data(&self, data: Tensor) -> PackedSequence {
        PackedSequence { data, ..self.clone() }
    }

    /// The positions of the given sequences in the packed order: the inverse of
    /// [`sorted_indices`](PackedSequence::sorted_indices).
    pub fn unsorted_indices(&self) -> Option<Vec<i64>> {
        let sorted = self.sorted_indices.as_ref()?;
        let mut unsorted = vec![0; sorted.len()];
        for (position, &sequence) in sorted.iter().enumerate() {
            unsorted[sequence as usize] = position as i64;
        }
        Some(unsorted)
    }

    /// The lengths of the sequences in the packed order.
    fn lengths(&self) -> Vec<i64> {
        let count = self.batch_sizes.first().copied().unwrap_or(0);
        (0..count).map(|index| self.batch_sizes.iter().filter(|&&size| size > index).count() as i64).collect()
    }
}

/// Elements along dimension `dim` in another order; the tensor itself without one.
pub(crate) fn reorder(tensor: &Tensor, dim: i64, order: Option<&[i64]>) -> Result<Tensor> {
    match order {
        Some(order) => tensor.index_select(dim, &indices(order, tensor)?),
        None => Ok(tensor.clone()),
    }
}

fn indices(values: &[i64], like: &Tensor) -> Result<Tensor> {
    let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
    Tensor::from_slice(&values, [values.len() as i64], like.device())
}

/// The order of falling lengths; equal lengths keep their order.
fn falling(lengths: &[i64]) -> Vec<i64> {
    let mut order: Vec<i64> = (0..lengths.len() as i64).collect();
    order.sort_by_key(|&sequence| std::cmp::Reverse(lengths[sequence as usize]));
    order
}

/// Packs padded sequences, as `torch.nn.utils.rnn.pack_padded_sequence`. `input: [T, B, ..]`, or
/// `[B, T, ..]` with `batch_first`. With `enforce_sorted` the lengths must not rise.
///
/// # Errors
///
/// `shape` if there are not as many lengths as sequences, or a length is not from 1 to T;
/// `argument` if `enforce_sorted` is true and a length rises.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::utils::rnn::{pack_padded_sequence, pad_packed_sequence};
/// use lanthorn::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 0.0, 0.0], [2, 3], &device)?;
/// let packed = pack_padded_sequence(&x, &[3, 1], true, true)?;
/// assert_eq!(packed.batch_sizes, [2, 1, 1]);
/// assert_eq!(pollster::block_on(packed.data.to_vec::<f32>())?, [1.0, 4.0, 2.0, 3.0]);
/// let (padded, lengths) = pad_packed_sequence(&packed, true, 0.0, None)?;
/// assert_eq!((padded.shape().to_vec(), lengths), (vec![2, 3], vec![3, 1]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pack_padded_sequence(
    input: &Tensor,
    lengths: &[i64],
    batch_first: bool,
    enforce_sorted: bool,
) -> Result<PackedSequence> {
    const OP: &str = "pack_padded_sequence";
    let (steps, batch) = sizes(OP, input, batch_first)?;
    check_lengths(OP, lengths, steps, batch, 1)?;
    if enforce_sorted && lengths.windows(2).any(|pair| pair[0] < pair[1]) {
        let message = "with enforce_sorted the lengths fall; pass enforce_sorted=False for sequences in any order";
        return Err(Error::argument(OP, message));
    }
    let order = falling(lengths);
    let longest = order.first().map_or(0, |&sequence| lengths[sequence as usize]);
    let (mut rows, mut batch_sizes) = (vec![], vec![]);
    for step in 0..longest {
        let present = order.iter().filter(|&&sequence| lengths[sequence as usize] > step);
        let before = rows.len();
        rows.extend(
            present.map(|sequence| if batch_first { sequence * steps + step } else { step * batch + sequence }),
        );
        batch_sizes.push((rows.len() - before) as i64);
    }
    let data = input.flatten(0, 1)?.index_select(0, &indices(&rows, input)?)?;
    Ok(PackedSequence { data, batch_sizes, sorted_indices: (!enforce_sorted).then_some(order) })
}

/// Pads packed sequences, as `torch.nn.utils.rnn.pad_packed_sequence`: `[T, B, ..]`, or
/// `[B, T, ..]` with `batch_first`, in the order in which they were given, and their lengths. T is
/// the longest length, or `total_length`.
///
/// # Errors
///
/// `argument` if `total_length` is below the longest length.
pub fn pad_packed_sequence(
    sequence: &PackedSequence,
    batch_first: bool,
    padding_value: f64,
    total_length: Option<i64>,
) -> Result<(Tensor, Vec<i64>)> {
    let longest = sequence.batch_sizes.len() as i64;
    let steps = total_length.unwrap_or(longest);
    if steps < longest {
        let message = format!("total_length is at least the longest length {longest}, not {steps}");
        return Err(Error::argument("pad_packed_sequence", message));
    }
    let lengths = sequence.lengths();
    let positions = sequence.unsorted_indices().unwrap_or_else(|| (0..lengths.len() as i64).collect());
    let data = &sequence.data;
    let (count, batch) = (data.shape()[0] as i64, positions.len() as i64);
    let starts: Vec<i64> =
        sequence.batch_sizes.iter().scan(0, |start, size| Some(std::mem::replace(start, *start + size))).collect();
    // The row after the data is the padding.
    let row = |step: i64, position: i64| {
        if step < lengths[position as usize] { starts[step as usize] + position } else { count }
    };
    let rows: Vec<i64> = match batch_first {
        true => positions
            .iter()
            .flat_map(|&position| (0..steps).map(move |step| (step, position)))
            .map(|(step, position)| row(step, position))
            .collect(),
        false => (0..steps)
            .flat_map(|step| positions.iter().map(move |&position| (step, position)))
            .map(|(step, position)| row(step, position))
            .collect(),
    };
    let mut padding: Vec<i64> = data.shape().iter().map(|&size| size as i64).collect();
    padding[0] = 1;
    let padding = Tensor::full_with(&padding[..], padding_value, data.dtype(), Some(data.device()))?;
    let padded = Tensor::cat(&[data.clone(), padding], 0)?.index_select(0, &indices(&rows, data)?)?;
    let (first, second) = if batch_first { (batch, steps) } else { (steps, batch) };
    let shape: Vec<i64> =
        [first, second].into_iter().chain(data.shape()[1..].iter().map(|&size| size as i64)).collect();
    Ok((padded.reshape(&shape[..])?, positions.iter().map(|&position| lengths[position as usize]).collect()))
}

/// Packs sequences `[length, ..]`, as `torch.nn.utils.rnn.pack_sequence`.
///
/// # Errors
///
/// As of [`pack_padded_sequence`]; `shape` if the sequences differ beyond their lengths.
pub fn pack_sequence(sequences: &[Tensor], enforce_sorted: bool) -> Result<PackedSequence> {
    let lengths: Vec<i64> =
        sequences.iter().map(|sequence| sequence.shape().first().map_or(0, |&size| size as i64)).collect();
    pack_padded_sequence(&pad_sequence(sequences, false, 0.0, Side::Right)?, &lengths, false, enforce_sorted)
}

/// The sequences that were packed, as `torch.nn.utils.rnn.unpack_sequence`: the inverse of
/// [`pack_sequence`].
///
/// # Errors
///
/// The errors of the operations, for data that was not packed so.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::utils::rnn::{pack_sequence, unpack_sequence};
/// use lanthorn::Tensor;
/// let packed = pack_sequence(&[Tensor::ones([1, 4])?, Tensor::ones([3, 4])?], false)?;
/// let sequences = unpack_sequence(&packed)?;
/// assert_eq!(sequences[1].shape().to_vec(), [3, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn unpack_sequence(sequence: &PackedSequence) -> Result<Vec<Tensor>> {
    let (padded, lengths) = pad_packed_sequence(sequence, true, 0.0, None)?;
    unpad_sequence(&padded, &lengths, true)
}
