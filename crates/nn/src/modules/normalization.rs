//! Normalizations as modules.

use crate::{
    Buffer, Module, Parameter, init,
    module::named,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{DType, Error, Ints, Result, Scalar, Tensor, no_grad, ops::Args};
use std::cell::Cell;

/// [`Tensor::batch_norm`] with parameters and running statistics, over `D` spatial dimensions: [`BatchNorm1d`], [`BatchNorm2d`].
///
/// Parameters: `weight` (ones) and `bias` (zeros), `[num_features]`. Buffers: `running_mean` (zeros), `running_var` (ones), `num_batches_tracked`. In training the
/// batch's own statistics normalize and the running ones follow them; otherwise the running ones normalize.
pub struct BatchNorm<const D: usize> {
    affine: Option<[Parameter; 2]>,
    running: Option<Running>,
    eps: f64,
    momentum: f64,
    training: Cell<bool>,
}

/// What a batch norm keeps of the batches it has seen.
struct Running {
    mean: Buffer,
    var: Buffer,
    batches: Buffer,
}

/// [`BatchNorm`] of `[N, C]` or `[N, C, L]`.
pub type BatchNorm1d = BatchNorm<1>;
/// [`BatchNorm`] of `[N, C, H, W]`.
pub type BatchNorm2d = BatchNorm<2>;

impl<const D: usize> BatchNorm<D> {
    /// A layer for `num_features` channels on the default device, with PyTorch's defaults.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_nn::{BatchNorm2d, Module};
    /// use lanthorn_tensor::Tensor;
    /// let layer = BatchNorm2d::new(3)?;
    /// layer.train(false);
    /// let x = Tensor::ones([2, 3, 4, 4])?;
    /// assert!((pollster::block_on(layer.forward(&x)?.sum((), false)?.item())? - 96.0).abs() < 1e-2);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn new(num_features: i64) -> Result<BatchNorm<D>> {
        BatchNorm::with(num_features, 1e-5, 0.1, true, true)
    }

    /// A layer with each of PyTorch's options.
    pub fn with(num_features: i64, eps: f64, momentum: f64, affine: bool, track_running_stats: bool) -> Result<BatchNorm<D>> {
        let affine = affine.then(|| Ok([init::ones([num_features])?, init::zeros([num_features])?])).transpose()?;
        let running = track_running_stats.then(|| {
            let (mean, var) = (Tensor::zeros([num_features])?, Tensor::ones([num_features])?);
            Ok(Running { mean, var, batches: Tensor::zeros_with([], DType::I32, None)? })
        });
        Ok(BatchNorm { affine, running: running.transpose()?, eps, momentum, training: Cell::new(true) })
    }

    fn build(args: &Args<'_>) -> Result<Built> {
        let layer = BatchNorm::<D>::with(args.int(0), args.float(1), args.float(2), args.bool(3), args.bool(4))?;
        Ok(Built::Module(Box::new(layer)))
    }
}

impl<const D: usize> Module for BatchNorm<D> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let fits = input.rank() == D + 2 || (D == 1 && input.rank() == 2);
        if !fits {
            return Err(Error::shape(
                format!("BatchNorm{D}d"),
                format!("expected [N, C] and {D} more dimensions, not shape {}", input.shape()),
            ));
        }
        if let Some(running) = self.running.as_ref().filter(|_| self.training.get()) {
            no_grad(|| running.batches.add_(1))?;
        }
        let (mean, var) = self.running.as_ref().map(|running| (&running.mean, &running.var)).unzip();
        let (weight, bias) = self.affine.as_ref().map(|[weight, bias]| (weight, bias)).unzip();
        // Without running statistics, the batch's own are used at all times.
        let training = self.training.get() || self.running.is_none();
        input.batch_norm(mean, var, weight, bias, training, self.momentum, self.eps)
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        let [weight, bias] = [0, 1].map(|place| self.affine.as_ref().map(|affine| &affine[place]));
        named([("weight", weight), ("bias", bias)])
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        let Some(Running { mean, var, batches }) = &self.running else { return vec![] };
        named([("running_mean", Some(mean)), ("running_var", Some(var)), ("num_batches_tracked", Some(batches))])
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }
}

pub(crate) static BATCH_NORM1D: ModuleSpec = ModuleSpec {
    text: "BatchNorm1d(int num_features, float eps=1e-5, float momentum=0.1, bool affine=True, bool track_running_stats=True) -> Module",
    doc: "Normalization of each channel over the batch. `x: [N, C]` or `[N, C, L]`.",
    build: BatchNorm1d::build,
};

pub(crate) static BATCH_NORM2D: ModuleSpec = ModuleSpec {
    text: "BatchNorm2d(int num_features, float eps=1e-5, float momentum=0.1, bool affine=True, bool track_running_stats=True) -> Module",
    doc: "Normalization of each channel over the batch and all places. `x: [N, C, H, W]`.",
    build: BatchNorm2d::build,
};

/// [`Tensor::layer_norm`] with parameters: `weight` (ones) and `bias` (zeros), of `normalized_shape`.
pub struct LayerNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    eps: f64,
}

impl LayerNorm {
    /// A layer over the last dimensions, which have `normalized_shape`, on the default device.
    pub fn new(normalized_shape: impl Into<Ints>) -> Result<LayerNorm> {
        LayerNorm::with(normalized_shape.into(), 1e-5, true, true)
    }

    /// A layer with each of PyTorch's options.
    pub fn with(normalized_shape: Ints, eps: f64, elementwise_affine: bool, bias: bool) -> Result<LayerNorm> {
        let weight = elementwise_affine.then(|| init::ones(&normalized_shape)).transpose()?;
        let bias = (elementwise_affine && bias).then(|| init::zeros(&normalized_shape)).transpose()?;
        Ok(LayerNorm { normalized_shape, weight, bias, eps })
    }
}

impl Module for LayerNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.layer_norm(&self.normalized_shape, self.weight.as_ref(), self.bias.as_ref(), self.eps)
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        named([("weight", self.weight.as_ref()), ("bias", self.bias.as_ref())])
    }
}

pub(crate) static LAYER_NORM: ModuleSpec = ModuleSpec {
    text: "LayerNorm(int[] normalized_shape, float eps=1e-5, bool elementwise_affine=True, bool bias=True) -> Module",
    doc: "Normalization over the last dimensions, which have `normalizedShape`.",
    build: |args| {
        let layer = LayerNorm::with(args.ints(0).clone(), args.float(1), args.bool(2), args.bool(3))?;
        Ok(Built::Module(Box::new(layer)))
    },
};

/// [`Tensor::rms_norm`] with the parameter `weight` (ones), of `normalized_shape`.
pub struct RMSNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    eps: Option<Scalar>,
}

impl RMSNorm {
    /// A layer over the last dimensions, which have `normalized_shape`, on the default device; `eps` as [`Tensor::rms_norm`] has it.
    pub fn new(normalized_shape: impl Into<Ints>, eps: Option<Scalar>, elementwise_affine: bool) -> Result<RMSNorm> {
        let normalized_shape = normalized_shape.into();
        let weight = elementwise_affine.then(|| init::ones(&normalized_shape)).transpose()?;
        Ok(RMSNorm { normalized_shape, weight, eps })
    }
}

impl Module for RMSNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.rms_norm(&self.normalized_shape, self.weight.as_ref(), self.eps)
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        named([("weight", self.weight.as_ref())])
    }
}

pub(crate) static RMS_NORM: ModuleSpec = ModuleSpec {
    text: "RMSNorm(int[] normalized_shape, Scalar? eps=None, bool elementwise_affine=True) -> Module",
    doc: "Normalization by the root mean square of the last dimensions, which have `normalizedShape`.",
    build: |args| Ok(Built::Module(Box::new(RMSNorm::new(args.ints(0).clone(), args.optional_scalar(1), args.bool(2))?))),
};

/// [`Tensor::group_norm`] with parameters: `weight` (ones) and `bias` (zeros), `[num_channels]`.
pub struct GroupNorm {
    num_groups: i64,
    affine: Option<[Parameter; 2]>,
    eps: f64,
}

impl GroupNorm {
    /// A layer for `num_channels` in `num_groups` groups on the default device.
    pub fn new(num_groups: i64, num_channels: i64, eps: f64, affine: bool) -> Result<GroupNorm> {
        if num_groups <= 0 || num_channels % num_groups != 0 {
            let message = format!("num_groups must divide the {num_channels} channels, not {num_groups}");
            return Err(Error::argument("GroupNorm", message));
        }
        let affine = affine.then(|| Ok([init::ones([num_channels])?, init::zeros([num_channels])?])).transpose()?;
        Ok(GroupNorm { num_groups, affine, eps })
    }
}

impl Module for GroupNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let (weight, bias) = self.affine.as_ref().map(|[weight, bias]| (weight, bias)).unzip();
        input.group_norm(self.num_groups, weight, bias, self.eps)
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        let [weight, bias] = [0, 1].map(|place| self.affine.as_ref().map(|affine| &affine[place]));
        named([("weight", weight), ("bias", bias)])
    }
}

pub(crate) static GROUP_NORM: ModuleSpec = ModuleSpec {
    text: "GroupNorm(int num_groups, int num_channels, float eps=1e-5, bool affine=True) -> Module",
    doc: "Normalization over groups of channels and all places. `x: [N, C, ..]`.",
    build: |args| {
        let layer = GroupNorm::new(args.int(0), args.int(1), args.float(2), args.bool(3))?;
        Ok(Built::Module(Box::new(layer)))
    },
};
