//! Table look-up.

use crate::{
    Layer, Module, Parameter, init,
    table::{Make, ModuleSpec},
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};

/// [`Tensor::embedding`] with the parameter `weight: [num_embeddings, embedding_dim]`, normal numbers; the row `padding_idx` is 0 and stays so.
#[derive(Module)]
pub struct Embedding {
    weight: Parameter,
    padding_idx: Option<i64>,
}

impl Embedding {
    /// A table with fresh rows on the default device.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_nn::{Embedding, Layer};
    /// use lanthorn_tensor::Tensor;
    /// let table = Embedding::new(10, 4, Some(0))?;
    /// let rows = table.forward(&Tensor::from_slice(&[0, 3], [2], &device)?)?;
    /// assert_eq!(pollster::block_on(rows.to_vec::<f32>())?[..4], [0.0; 4]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn new(num_embeddings: i64, embedding_dim: i64, padding_idx: Option<i64>) -> Result<Embedding> {
        if padding_idx.is_some_and(|row| row < -num_embeddings || row >= num_embeddings) {
            let message = format!("padding_idx {padding_idx:?} is none of {num_embeddings} rows");
            return Err(Error::argument("Embedding", message));
        }
        let weight = init::zeros([num_embeddings, embedding_dim])?;
        init::normal_(&weight, 0.0, 1.0)?;
        if let Some(row) = padding_idx {
            no_grad(|| weight.select(0, row)?.mul_(0.0))?;
        }
        Ok(Embedding { weight, padding_idx })
    }
}

impl Layer for Embedding {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        Tensor::embedding_with(&self.weight, input, self.padding_idx, None, 2.0, false)
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[ModuleSpec {
    text: "Embedding(int num_embeddings, int embedding_dim, int? padding_idx=None) -> Module",
    forward: Embedding::FORWARD,
    doc: "The rows of a table that indices (int32) name. `x: [..]`, the result `[.., embeddingDim]`.",
    make: Make::Type(|args| Ok(Box::new(Embedding::new(args.int(0), args.int(1), args.optional_int(2))?))),
}];
