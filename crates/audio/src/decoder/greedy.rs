//! The most probable path.

use crate::host::{floats_of, sizes_of};
use lanthorn_tensor::{Error, Result, Tensor};

/// The number of frames of each emission of a batch.
pub(super) async fn frame_counts(op: &str, emissions: &Tensor, lengths: Option<&Tensor>) -> Result<Vec<usize>> {
    let shape = emissions.shape().to_vec();
    if shape.len() != 3 {
        return Err(Error::shape(op, format!("emissions has shape {shape:?}, and takes (batch, frames, tokens)")));
    }
    let Some(lengths) = lengths else { return Ok(vec![shape[1]; shape[0]]) };
    let counts: Vec<usize> = sizes_of(lengths).await?;
    if counts.len() != shape[0] || counts.iter().any(|count| *count > shape[1]) {
        let message = format!("lengths must have a number up to {} for each of {} emissions", shape[1], shape[0]);
        return Err(Error::shape(op, message));
    }
    Ok(counts)
}

/// The tokens of the most probable path of each of `emissions: (batch, frames, tokens)`, without
/// repetitions and blanks. `lengths: (batch)` has the number of frames of each.
///
/// Defaults: lengths = undefined, blank = 0.
///
/// # Errors
/// `shape` for other dimensions, or lengths that exceed the frames.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::decoder::ctc_greedy_decoder};
/// let emissions = Tensor::eye(3, None)?.unsqueeze(0)?;
/// let tokens = pollster::block_on(ctc_greedy_decoder(&emissions, None, 0))?;
/// assert_eq!(tokens[0].len(), 2);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn ctc_greedy_decoder(emissions: &Tensor, lengths: Option<&Tensor>, blank: usize) -> Result<Vec<Vec<usize>>> {
    let counts: Vec<usize> = frame_counts("ctc_greedy_decoder", emissions, lengths).await?;
    let best: Vec<f64> = floats_of(&emissions.argmax(Some(-1), false)?).await?;
    let frames = emissions.shape()[1];
    let mut all = vec![];
    for row in 0..counts.len() {
        let mut tokens = vec![];
        let mut last = blank;
        for frame in 0..counts[row] {
            let token = best[row * frames + frame] as usize;
            if token != last && token != blank {
                tokens.push(token);
            }
            last = token;
        }
        all.push(tokens);
    }
    Ok(all)
}
