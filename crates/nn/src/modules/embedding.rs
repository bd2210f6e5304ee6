//! Table lookup.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Tensor, no_grad};

/// A new table of normally distributed numbers, or the given one, after its sizes were checked.
fn table(name: &str, [rows, width]: [i64; 2], given: Option<&Tensor>, padding_idx: Option<i64>) -> Result<Parameter> {
    let refused = |message: String| Err(Error::argument(name, message));
    if rows < 0 || width < 0 {
        return refused(format!("a table cannot have negative sizes: {rows} x {width}"));
    }
    if let Some(row) = padding_idx.filter(|row| !(-rows..rows).contains(row)) {
        return refused(format!("padding_idx {row} is none of {rows} rows"));
    }
    if let Some(given) = given {
        if given.shape().to_i64() != [rows, width] || !given.dtype().is_floating_point() {
            let (dtype, shape) = (given.dtype(), given.shape());
            return refused(format!("a table of {rows} x {width} numbers is needed, not {dtype} of shape {shape}"));
        }
        return given.detach().requires_grad_(true);
    }
    let weight = init::zeros([rows, width])?;
    init::normal_(&weight, 0.0, 1.0)?;
    if let Some(row) = padding_idx {
        no_grad(|| weight.select(0, row)?.zero_())?;
    }
    Ok(weight)
}

/// Sparse gradients do not exist here, so `sparse` is an error.
fn refuse_sparse(name: &str, sparse: bool) -> Result<()> {
    match sparse {
        true => {
            Err(Error::argument(name, "sparse gradients are not supported; leave sparse out: the gradient is dense"))
        }
        false => Ok(()),
    }
}

/// The sizes of a pretrained table.
fn sizes(name: &str, embeddings: &Tensor) -> Result<[i64; 2]> {
    match embeddings.shape().to_i64()[..] {
        [rows, width] => Ok([rows, width]),
        _ => Err(Error::shape(name, format!("embeddings must be a matrix, not of shape {}", embeddings.shape()))),
    }
}

/// [`Tensor::embedding`] with the parameter `weight: [num_embeddings, embedding_dim]`, initialized
/// with normally distributed numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Embedding, Layer};
/// use lanthorn::Tensor;
/// let table = Embedding::builder(10, 4).padding_idx(0).build()?;
/// let rows = table.forward(&Tensor::from_slice(&[0, 3], [2], &device)?)?;
/// assert_eq!(pollster::block_on(rows.to_vec::<f32>())?[..4], [0.0; 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module, Builder)]
#[builder(
    "Embedding(int num_embeddings, int embedding_dim, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False, Tensor? _weight=None, bool _freeze=False) -> Module",
    padding_idx = "The row that has no gradient, and is 0 in a new table. A negative number counts from the end.",
    max_norm = "The largest norm of a row: rows that are read are scaled down to it, in place.",
    norm_type = "The order of that norm.",
    scale_grad_by_freq = "Whether the gradient of a row is divided by the number of times that it was read.",
    sparse = "Sparse gradients, which are an error."
)]
pub struct Embedding {
    weight: Parameter,
    #[module(skip)]
    options: EmbeddingBuilder,
}

impl Embedding {
    /// A table that shares the given rows, `[num_embeddings, embedding_dim]`; with `freeze` they
    /// are not trained.
    ///
    /// # Errors
    ///
    /// `shape` if `embeddings` is not a matrix.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Embedding, Module};
    /// use lanthorn::Tensor;
    /// let table = Embedding::from_pretrained(&Tensor::ones([10, 4])?, true)?.build()?;
    /// assert!(!table.parameters()[0].requires_grad());
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn from_pretrained(embeddings: &Tensor, freeze: bool) -> Result<EmbeddingBuilder> {
        let [rows, width] = sizes("Embedding", embeddings)?;
        let mut builder = Embedding::builder(rows, width);
        (builder._weight, builder._freeze) = (Some(embeddings.clone()), freeze);
        Ok(builder)
    }

    fn make(mut options: EmbeddingBuilder, vars: &mut VarBuilder<'_>) -> Result<Embedding> {
        refuse_sparse("Embedding", options.sparse)?;
        let (given, sizes) = (options._weight.take(), [options.num_embeddings, options.embedding_dim]);
        let weight = vars.parameter("weight", || {
            table("Embedding", sizes, given.as_ref(), options.padding_idx)?.requires_grad_(!options._freeze)
        })?;
        Ok(Embedding { weight, options })
    }
}

impl Layer for Embedding {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let EmbeddingBuilder { padding_idx, max_norm, norm_type, scale_grad_by_freq, .. } = self.options;
        Tensor::embedding_with(&self.weight, input, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    }
}

/// [`Tensor::embedding_bag`] with the parameter `weight: [num_embeddings, embedding_dim]`,
/// initialized with normally distributed numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::EmbeddingBag;
/// use lanthorn::{BagMode, Tensor};
/// let bags = EmbeddingBag::builder(10, 4).mode(BagMode::Sum).build()?;
/// let indices = Tensor::from_slice(&[1, 2, 4, 5], [4], &device)?;
/// let offsets = Tensor::from_slice(&[0, 3], [2], &device)?;
/// assert_eq!(bags.forward(&indices, Some(&offsets), None)?.shape().to_vec(), [2, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module, Builder)]
#[builder(
    "EmbeddingBag(int num_embeddings, int embedding_dim, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str{sum|mean|max} mode=\"mean\", bool sparse=False, Tensor? _weight=None, bool include_last_offset=False, int? padding_idx=None, bool _freeze=False) -> Module",
    padding_idx = "The row that has no gradient, and is 0 in a new table. A negative number counts from the end.",
    max_norm = "The largest norm of a row: rows that are read are scaled down to it, in place.",
    norm_type = "The order of that norm.",
    scale_grad_by_freq = "Whether the gradient of a row is divided by the number of times that it was read.",
    sparse = "Sparse gradients, which are an error.",
    mode = "The reduction of a bag.",
    include_last_offset = "Whether the offsets include the end of the last bag."
)]
#[module("forward(Tensor input, Tensor? offsets=None, Tensor? per_sample_weights=None) -> Tensor")]
pub struct EmbeddingBag {
    weight: Parameter,
    #[module(skip)]
    options: EmbeddingBagBuilder,
}

impl EmbeddingBag {
    /// A table that shares the given rows, `[num_embeddings, embedding_dim]`; with `freeze` they
    /// are not trained.
    ///
    /// # Errors
    ///
    /// `shape` if `embeddings` is not a matrix.
    pub fn from_pretrained(embeddings: &Tensor, freeze: bool) -> Result<EmbeddingBagBuilder> {
        let [rows, width] = sizes("EmbeddingBag", embeddings)?;
        let mut builder = EmbeddingBag::builder(rows, width);
        (builder._weight, builder._freeze) = (Some(embeddings.clone()), freeze);
        Ok(builder)
    }

    fn make(mut options: EmbeddingBagBuilder, vars: &mut VarBuilder<'_>) -> Result<EmbeddingBag> {
        refuse_sparse("EmbeddingBag", options.sparse)?;
        let (given, sizes) = (options._weight.take(), [options.num_embeddings, options.embedding_dim]);
        let weight = vars.parameter("weight", || {
            table("EmbeddingBag", sizes, given.as_ref(), options.padding_idx)?.requires_grad_(!options._freeze)
        })?;
        Ok(EmbeddingBag { weight, options })
    }

    /// The sum, the mean or the maximum of the rows in each bag.
    ///
    /// `input: [B, n]` (int32) has one bag per row; for `input: [n]`, `offsets: [B]` has the start
    /// of each bag. `per_sample_weights`, in the shape of the input, multiply the rows of a sum.
    /// The result is `[B, embedding_dim]`.
    ///
    /// # Errors
    ///
    /// `shape` for an input, offsets or weights of other shapes, `argument` for weights of a mean
    /// or a maximum.
    pub fn forward(
        &self,
        input: &Tensor,
        offsets: Option<&Tensor>,
        per_sample_weights: Option<&Tensor>,
    ) -> Result<Tensor> {
        let options = &self.options;
        Tensor::embedding_bag_with(
            &self.weight,
            input,
            offsets,
            options.max_norm,
            options.norm_type,
            options.scale_grad_by_freq,
            options.mode,
            per_sample_weights,
            options.include_last_offset,
            options.padding_idx,
        )
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: Embedding::SCHEMA,
        forward: Embedding::FORWARD,
        tensors: tensors(Embedding::TENSORS),
        doc: documentation("The rows of a table at the indices (int32). `x: [..]`, the result `[.., embeddingDim]`."),
        make: Constructor::Type(Embedding::from_args),
    },
    ModuleSpec {
        text: EmbeddingBag::SCHEMA,
        forward: EmbeddingBag::FORWARD,
        tensors: tensors(EmbeddingBag::TENSORS),
        doc: documentation(
            "The sum, the mean or the maximum of the rows of a table in each bag of indices (int32). Each row of `input: [B, n]` is a bag. If `input` is a vector `[n]`, bag `i` begins at position `offsets[i]`, with `offsets: [B]`. The result is `[B, embeddingDim]`.",
        ),
        make: Constructor::Type(EmbeddingBag::from_args),
    },
];
