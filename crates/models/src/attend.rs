//! Attention over a sequence whose last keys belong to the queries, or over a cache.

use lanthorn_tensor::{DType, Result, Tensor};

/// Options of [`attend`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AttendOptions<'a> {
    /// The number of valid keys of each row, int32 `[batch]`, queries included: query `i` of `L` sees the
    /// keys `0..=key_lengths - L + i`. Without it all keys are valid.
    pub key_lengths: Option<&'a Tensor>,
    /// The number of the last keys that a query sees, its own included; none for all.
    pub window: Option<usize>,
    /// The bound of scores: `soft_cap * tanh(score / soft_cap)`.
    pub soft_cap: Option<f64>,
    /// The factor of scores.
    pub scale: f64,
}

/// Causal attention of `query: [batch, heads, L, head_dim]` to `key` and `value: [batch, kv_heads, S,
/// head_dim]`; neighbouring query heads share a key head.
///
/// # Errors
///
/// `shape` if the sizes do not fit; `dtype` if the types differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// # device.set_default();
/// use lanthorn::Tensor;
/// use lanthorn::models::{AttendOptions, attend};
/// let (query, key) = (Tensor::ones([1, 4, 3, 8])?, Tensor::ones([1, 2, 3, 8])?);
/// let mixed = attend(&query, &key, &key, &AttendOptions { scale: 0.5, ..AttendOptions::default() })?;
/// assert_eq!(mixed.shape().to_vec(), [1, 4, 3, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn attend(query: &Tensor, key: &Tensor, value: &Tensor, options: &AttendOptions) -> Result<Tensor> {
    if query.rank() != 4 || key.rank() != 4 {
        let message = format!("takes [batch, heads, length, head_dim], not {} and {}", query.shape(), key.shape());
        return Err(lanthorn_tensor::Error::shape("attend", message));
    }
    let (length, keys) = (query.shape()[2] as i64, key.shape()[2] as i64);
    // All keys are valid, and the queries are the last of them.
    let all = match options.key_lengths {
        None if length != keys => Some(Tensor::full_with([1], keys, DType::I32, Some(query.device()))?),
        _ => None,
    };
    let (scale, window) = (Some(options.scale.into()), options.window.map(|window| window as i64));
    let lengths = options.key_lengths.or(all.as_ref());
    Tensor::scaled_dot_product_attention_with(
        query,
        key,
        value,
        None,
        0.0,
        true,
        scale,
        true,
        lengths,
        window,
        options.soft_cap,
    )
}
