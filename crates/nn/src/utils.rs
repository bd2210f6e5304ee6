//! Helpers for modules, as `torch.nn.utils`.

/// Helpers for sequences of different lengths, as `torch.nn.utils.rnn`.
pub mod rnn {
    use lanthorn_tensor::{Result, Side, Tensor};

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
    pub fn pad_sequence(
        sequences: &[Tensor],
        batch_first: bool,
        padding_value: f64,
        padding_side: Side,
    ) -> Result<Tensor> {
        Tensor::pad_sequence(sequences, batch_first, padding_value, padding_side)
    }
}
