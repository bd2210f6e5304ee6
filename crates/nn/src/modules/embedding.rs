//! Table lookup.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad, ops::Args};

/// The options of [`Embedding`] and [`EmbeddingBag`], with PyTorch's defaults.
#[derive(Clone, Debug)]
pub struct EmbeddingOptions {
    /// The row that has no gradient, and is 0 in a new table. A negative number counts from the
    /// end.
    pub padding_idx: Option<i64>,
    /// The largest norm of a row: rows that are read are scaled down to it, in place.
    pub max_norm: Option<f64>,
    /// The order of that norm.
    pub norm_type: f64,
    /// Whether the gradient of a row is divided by the number of times that it was read.
    pub scale_grad_by_freq: bool,
}

impl Default for EmbeddingOptions {
    fn default() -> EmbeddingOptions {
        EmbeddingOptions { padding_idx: None, max_norm: None, norm_type: 2.0, scale_grad_by_freq: false }
    }
}

/// A new table of normally distributed numbers, or the given one, after its sizes were checked.
fn table(name: &str, rows: i64, width: i64, given: Option<&Tensor>, options: &EmbeddingOptions) -> Result<Parameter> {
    let refused = |message: String| Err(Error::argument(name, message));
    if rows < 0 || width < 0 {
        return refused(format!("a table cannot have negative sizes: {rows} x {width}"));
    }
    if let Some(row) = options.padding_idx.filter(|row| !(-rows..rows).contains(row)) {
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
    if let Some(row) = options.padding_idx {
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
#[derive(Module)]
pub struct Embedding {
    weight: Parameter,
    #[module(skip)]
    options: EmbeddingOptions,
}

impl Embedding {
    /// A new table on the default device.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Embedding, Layer};
    /// use lanthorn::Tensor;
    /// let table = Embedding::new(10, 4, Some(0))?;
    /// let rows = table.forward(&Tensor::from_slice(&[0, 3], [2], &device)?)?;
    /// assert_eq!(pollster::block_on(rows.to_vec::<f32>())?[..4], [0.0; 4]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn new(num_embeddings: i64, embedding_dim: i64, padding_idx: Option<i64>) -> Result<Embedding> {
        Embedding::with(num_embeddings, embedding_dim, EmbeddingOptions { padding_idx, ..Default::default() })
    }

    /// A new table with each of PyTorch's options.
    pub fn with(num_embeddings: i64, embedding_dim: i64, options: EmbeddingOptions) -> Result<Embedding> {
        Ok(Embedding { weight: table("Embedding", num_embeddings, embedding_dim, None, &options)?, options })
    }

    /// A table that shares the given rows, `[num_embeddings, embedding_dim]`; with `freeze` they
    /// are not trained.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Embedding, Module};
    /// use lanthorn::Tensor;
    /// let table = Embedding::from_pretrained(&Tensor::ones([10, 4])?, true, Default::default())?;
    /// assert!(!table.parameters()[0].requires_grad());
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn from_pretrained(embeddings: &Tensor, freeze: bool, options: EmbeddingOptions) -> Result<Embedding> {
        let [rows, width] = sizes("Embedding", embeddings)?;
        let weight = table("Embedding", rows, width, Some(embeddings), &options)?.requires_grad_(!freeze)?;
        Ok(Embedding { weight, options })
    }

    fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        refuse_sparse("Embedding", args.bool(6))?;
        let options = EmbeddingOptions {
            padding_idx: args.optional_int(2),
            max_norm: args.optional_float(3),
            norm_type: args.float(4),
            scale_grad_by_freq: args.bool(5),
        };
        let weight = vars.parameter("weight", || {
            table("Embedding", args.int(0), args.int(1), args.optional_tensor(7), &options)?
                .requires_grad_(!args.bool(8))
        })?;
        Ok(Box::new(Embedding { weight, options }))
    }
}

impl Layer for Embedding {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let EmbeddingOptions { padding_idx, max_norm, norm_type, scale_grad_by_freq } = self.options;
        Tensor::embedding_with(&self.weight, input, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    }
}

/// [`Tensor::embedding_bag`] with the parameter `weight: [num_embeddings, embedding_dim]`,
/// initialized with normally distributed numbers.
#[derive(Module)]
#[module("forward(Tensor input, Tensor? offsets=None, Tensor? per_sample_weights=None) -> Tensor")]
pub struct EmbeddingBag {
    weight: Parameter,
    #[module(skip)]
    options: EmbeddingOptions,
    #[module(skip)]
    mode: String,
    #[module(skip)]
    include_last_offset: bool,
}

impl EmbeddingBag {
    /// A new table on the default device. `mode` is `"sum"`, `"mean"` or `"max"`; with
    /// `include_last_offset` the offsets include the end of the last bag.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::EmbeddingBag;
    /// use lanthorn::Tensor;
    /// let bags = EmbeddingBag::new(10, 4, "sum", false, Default::default())?;
    /// let indices = Tensor::from_slice(&[1, 2, 4, 5], [4], &device)?;
    /// let offsets = Tensor::from_slice(&[0, 3], [2], &device)?;
    /// assert_eq!(bags.forward(&indices, Some(&offsets), None)?.shape().to_vec(), [2, 4]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn new(
        num_embeddings: i64,
        embedding_dim: i64,
        mode: &str,
        include_last_offset: bool,
        options: EmbeddingOptions,
    ) -> Result<EmbeddingBag> {
        let weight = table("EmbeddingBag", num_embeddings, embedding_dim, None, &options)?;
        EmbeddingBag::of(weight, mode, include_last_offset, options)
    }

    /// A table that shares the given rows, `[num_embeddings, embedding_dim]`; with `freeze` they
    /// are not trained.
    pub fn from_pretrained(
        embeddings: &Tensor,
        freeze: bool,
        mode: &str,
        include_last_offset: bool,
        options: EmbeddingOptions,
    ) -> Result<EmbeddingBag> {
        let [rows, width] = sizes("EmbeddingBag", embeddings)?;
        let weight = table("EmbeddingBag", rows, width, Some(embeddings), &options)?.requires_grad_(!freeze)?;
        EmbeddingBag::of(weight, mode, include_last_offset, options)
    }

    fn of(weight: Parameter, mode: &str, include_last_offset: bool, options: EmbeddingOptions) -> Result<EmbeddingBag> {
        if !["sum", "mean", "max"].contains(&mode) {
            return Err(Error::argument("EmbeddingBag", format!("mode is \"sum\", \"mean\" or \"max\", not {mode:?}")));
        }
        Ok(EmbeddingBag { weight, options, mode: mode.into(), include_last_offset })
    }

    /// Sums, means or maxima of bags of rows.
    ///
    /// `input: [B, n]` (int32) has one bag per row; for `input: [n]`, `offsets: [B]` has the start
    /// of each bag. `per_sample_weights`, in the shape of the input, multiply the rows of a sum.
    /// The result is `[B, embedding_dim]`.
    pub fn forward(
        &self,
        input: &Tensor,
        offsets: Option<&Tensor>,
        per_sample_weights: Option<&Tensor>,
    ) -> Result<Tensor> {
        let EmbeddingOptions { padding_idx, max_norm, norm_type, scale_grad_by_freq } = self.options;
        let (mode, last) = (self.mode.as_str(), self.include_last_offset);
        let weight = &self.weight;
        Tensor::embedding_bag_with(
            weight,
            input,
            offsets,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            per_sample_weights,
            last,
            padding_idx,
        )
    }

    fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        refuse_sparse("EmbeddingBag", args.bool(6))?;
        let options = EmbeddingOptions {
            padding_idx: args.optional_int(9),
            max_norm: args.optional_float(2),
            norm_type: args.float(3),
            scale_grad_by_freq: args.bool(4),
        };
        let weight = vars.parameter("weight", || {
            table("EmbeddingBag", args.int(0), args.int(1), args.optional_tensor(7), &options)?
                .requires_grad_(!args.bool(10))
        })?;
        Ok(Box::new(EmbeddingBag::of(weight, args.str(5), args.bool(8), options)?))
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: "Embedding(int num_embeddings, int embedding_dim, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False, Tensor? _weight=None, bool _freeze=False) -> Module",
        forward: Embedding::FORWARD,
        tensors: tensors(Embedding::TENSORS),
        doc: documentation("The rows of a table at the indices (int32). `x: [..]`, the result `[.., embeddingDim]`."),
        make: Constructor::Type(Embedding::build),
    },
    ModuleSpec {
        text: "EmbeddingBag(int num_embeddings, int embedding_dim, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str{sum|mean|max} mode=\"mean\", bool sparse=False, Tensor? _weight=None, bool include_last_offset=False, int? padding_idx=None, bool _freeze=False) -> Module",
        forward: EmbeddingBag::FORWARD,
        tensors: tensors(EmbeddingBag::TENSORS),
        doc: documentation(
            "Sums, means or maxima of bags of a table's rows. `input: [B, n]` has one bag per row; for `input: [n]`, `offsets: [B]` gives the start of each bag. The result is `[B, embeddingDim]`.",
        ),
        make: Constructor::Type(EmbeddingBag::build),
    },
];
