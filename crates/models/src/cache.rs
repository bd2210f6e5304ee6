//! The keys and values of the tokens that a model has seen.

use crate::DecoderConfig;
use lanthorn_tensor::{DType, Device, Error, Result, Tensor};
use std::cell::{Ref, RefCell};

/// Slots are allocated in multiples of this, so that rows of scores are loaded as vectors.
const SLOT_MULTIPLE: usize = 8;

/// The keys and values of the tokens so far, for every layer and row. All memory is allocated at once,
/// and the position of the next token is data: no plan or buffer depends on it.
///
/// ```
/// # let device = lanthorn::cpu();
/// # device.set_default();
/// # let json = r#"{ "architectures": ["LlamaForCausalLM"], "vocab_size": 96, "hidden_size": 32,
/// #     "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4 }"#;
/// use lanthorn::models::{DecoderConfig, KvCache};
/// let config = DecoderConfig::from_json(json, true)?;
/// let cache = KvCache::new(&config, 1, 512, lanthorn::DType::F32, &device)?;
/// assert_eq!((cache.capacity(), cache.lengths().to_vec()), (512, vec![0]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct KvCache {
    batch: usize,
    capacity: usize,
    /// By layer: `[batch, kv_heads, slots, head_dim]`.
    pub(crate) keys: Vec<Tensor>,
    pub(crate) values: Vec<Tensor>,
    /// The number of tokens of each row, int32 `[batch]`.
    pub(crate) position: Tensor,
    lengths: RefCell<Vec<usize>>,
}

impl KvCache {
    /// A cache for `batch` rows of at most `capacity` tokens. Keys and values are stored in the
    /// type; the fastest is the model's ([`CausalLm::dtype`](crate::CausalLm::dtype)).
    ///
    /// # Errors
    ///
    /// `argument` if a number is 0, or the model has fewer learned positions.
    pub fn new(
        config: &DecoderConfig,
        batch: usize,
        capacity: usize,
        dtype: DType,
        device: &Device,
    ) -> Result<KvCache> {
        if batch == 0 || capacity == 0 {
            return Err(Error::argument("KvCache", format!("{batch} rows of {capacity} tokens are none")));
        }
        if capacity > config.max_positions && config.ropes.is_empty() {
            let positions = config.max_positions;
            let message = format!("the model has {positions} learned positions, fewer than a capacity of {capacity}");
            return Err(Error::argument("KvCache", message));
        }
        let slots = capacity.next_multiple_of(SLOT_MULTIPLE);
        let shape = [batch, config.kv_heads, slots, config.head_dim].map(|size| size as i64);
        let zeros = || Tensor::zeros_with(shape, dtype, Some(device));
        let all = || config.layers.iter().map(|_| zeros()).collect::<Result<Vec<_>>>();
        Ok(KvCache {
            batch,
            capacity,
            keys: all()?,
            values: all()?,
            position: Tensor::zeros_with([batch as i64], DType::I32, Some(device))?,
            lengths: RefCell::new(vec![0; batch]),
        })
    }

    /// The number of rows.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The most tokens of a row.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The number of tokens of each row.
    pub fn lengths(&self) -> Ref<'_, Vec<usize>> {
        self.lengths.borrow()
    }

    /// Refuses tokens that do not fit, before anything is changed.
    pub(crate) fn check(&self, op: &str, counts: &[usize]) -> Result<()> {
        if counts.len() != self.batch {
            let message = format!("the cache has {} rows, the ids have {}", self.batch, counts.len());
            return Err(Error::shape(op, message));
        }
        for (row, (length, count)) in self.lengths().iter().zip(counts).enumerate() {
            if length + count > self.capacity {
                let (total, capacity) = (length + count, self.capacity);
                let message = format!("row {row} would have {total} tokens, and the cache holds {capacity}");
                return Err(Error::limit(op, message));
            }
        }
        Ok(())
    }

    /// Counts tokens that were written.
    pub(crate) fn advance(&self, counts: &[usize]) {
        self.lengths.borrow_mut().iter_mut().zip(counts).for_each(|(length, count)| *length += count);
    }

    /// Forgets the tokens of each row behind its first `length`; the memory is kept.
    ///
    /// # Errors
    ///
    /// `device_lost` if the device is gone.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// # let json = r#"{ "architectures": ["LlamaForCausalLM"], "vocab_size": 96, "hidden_size": 32,
    /// #     "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4 }"#;
    /// # let config = lanthorn::models::DecoderConfig::from_json(json, true)?;
    /// # let model = lanthorn::models::CausalLm::random(&config, &device)?;
    /// let cache = lanthorn::models::KvCache::new(&config, 1, 16, lanthorn::DType::F32, &device)?;
    /// model.forward_cached(&lanthorn::Tensor::from_slice(&[5i32, 17, 42], [1, 3], &device)?, &cache)?;
    /// cache.crop(2)?;
    /// assert_eq!(*cache.lengths(), [2]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn crop(&self, length: usize) -> Result<()> {
        if self.lengths().iter().all(|&own| own <= length) {
            return Ok(());
        }
        self.lengths.borrow_mut().iter_mut().for_each(|own| *own = (*own).min(length));
        let lengths: Vec<i32> = self.lengths().iter().map(|&length| length as i32).collect();
        self.position.copy_(&Tensor::from_slice(&lengths, [self.batch as i64], self.position.device())?)?;
        Ok(())
    }

    /// Forgets all tokens; the memory is kept.
    ///
    /// # Errors
    ///
    /// `device_lost` if the device is gone.
    pub fn reset(&self) -> Result<()> {
        self.position.fill_(0)?;
        self.lengths.borrow_mut().fill(0);
        Ok(())
    }
}
