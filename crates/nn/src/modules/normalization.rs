//! Normalizations as modules.

use crate::{
    Buffer, Layer, Module, Parameter, VarBuilder, init,
    mode::TrainingFlag,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::{Builder, functional};
use lanthorn_tensor::{DType, Error, Ints, Result, Scalar, Tensor, no_grad};

/// The options of a batch or instance norm.
struct NormOptions {
    eps: f64,
    momentum: Option<f64>,
    affine: bool,
    track_running_stats: bool,
    bias: bool,
}

/// The parameters and running statistics of channels, for batch and instance norms.
#[derive(Module)]
#[module("forward(Tensor input, bool of_instances) -> Tensor")]
struct Channels {
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    running_mean: Option<Buffer>,
    running_var: Option<Buffer>,
    num_batches_tracked: Option<Buffer>,
    #[module(skip)]
    options: NormOptions,
    training: TrainingFlag,
}

impl Channels {
    fn new(name: &str, num_features: i64, options: NormOptions, vars: &mut VarBuilder<'_>) -> Result<Channels> {
        if num_features < 0 {
            return Err(Error::argument(name, format!("num_features cannot be negative: {num_features}")));
        }
        let tracked = options.track_running_stats;
        Ok(Channels {
            weight: vars.optional("weight", options.affine, || init::ones([num_features]))?,
            bias: vars.optional("bias", options.affine && options.bias, || init::zeros([num_features]))?,
            running_mean: vars.buffer("running_mean", tracked, || Tensor::zeros([num_features]))?,
            running_var: vars.buffer("running_var", tracked, || Tensor::ones([num_features]))?,
            num_batches_tracked: vars
                .buffer("num_batches_tracked", tracked, || Tensor::zeros_with([], DType::I32, None))?,
            options,
            training: TrainingFlag::default(),
        })
    }

    fn forward(&self, input: &Tensor, of_instances: bool) -> Result<Tensor> {
        let NormOptions { eps, momentum, .. } = self.options;
        let (mean, var) = (self.running_mean.as_ref(), self.running_var.as_ref());
        let (weight, bias) = (self.weight.as_ref(), self.bias.as_ref());
        // Without running statistics, the input's statistics are used in both modes.
        let own = self.training.get() || mean.is_none();
        if of_instances {
            return input.instance_norm(mean, var, weight, bias, own, momentum.unwrap_or(0.0), eps);
        }
        let counted = self.num_batches_tracked.as_ref().filter(|_| self.training.get());
        if let Some(batches) = counted {
            no_grad(|| batches.add_(1))?;
        }
        match (counted, momentum) {
            (Some(batches), None) => {
                let output = input.batch_norm(None, None, weight, bias, true, 0.0, eps)?;
                no_grad(|| self.average(input, batches))?;
                Ok(output)
            }
            _ => input.batch_norm(mean, var, weight, bias, own, momentum.unwrap_or(0.0), eps),
        }
    }

    /// Updates the running statistics to the means over all batches; `batches` counts them.
    fn average(&self, input: &Tensor, batches: &Tensor) -> Result<()> {
        let dims: Vec<i64> = (0..input.rank() as i64).filter(|&dim| dim != 1).collect();
        let count = dims.iter().map(|&dim| input.shape()[dim as usize]).product::<usize>();
        let mean = input.mean(&dims[..], true)?;
        let squares = input.sub(&mean)?.square()?.sum(&dims[..], false)?;
        let now = [mean.reshape([-1])?, squares.div((count as f64 - 1.0).max(1.0))?];
        for (running, now) in [&self.running_mean, &self.running_var].into_iter().zip(now) {
            if let Some(running) = running {
                running.add_(&now.sub(running)?.div(batches)?)?;
            }
        }
        Ok(())
    }
}

macro_rules! norms {
    ($($(#[$doc:meta])* $name:ident, $builder:ident, $text:tt, $names:tt, $of_instances:literal, $unbatched:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// Parameters: `weight` (ones) and `bias` (zeros), `[num_features]`. Buffers:
        /// `running_mean` (zeros), `running_var` (ones), `num_batches_tracked`. In training the
        /// input's statistics normalize, and update the running ones; in evaluation the running
        /// statistics normalize.
        #[derive(Module, Builder)]
        #[builder(
            $text,
            names = $names,
            eps = "The number added to the variance.",
            momentum = "The weight of a batch in the running statistics; `None` for the mean over all batches.",
            affine = "Whether there is a weight.",
            track_running_stats = "Whether there are running statistics.",
            bias = "Whether there is a bias beside the weight."
        )]
        pub struct $name<const D: usize> {
            #[module(flatten)]
            channels: Channels,
        }

        impl<const D: usize> $name<D> {
            fn make(builder: $builder<D>, vars: &mut VarBuilder<'_>) -> Result<$name<D>> {
                let $builder { num_features, eps, momentum, affine, track_running_stats, bias, .. } = builder;
                let options = NormOptions { eps, momentum, affine, track_running_stats, bias };
                Ok($name { channels: Channels::new(stringify!($name), num_features, options, vars)? })
            }
        }

        impl<const D: usize> Layer for $name<D> {
            fn forward(&self, input: &Tensor) -> Result<Tensor> {
                let unbatched = input.rank() == $unbatched(D);
                if input.rank() != D + 2 && !unbatched {
                    let message = format!("takes [N, C] and {D} more dimensions, not shape {}", input.shape());
                    return Err(Error::shape(format!("{}{D}d", stringify!($name)), message));
                }
                if unbatched && $of_instances {
                    return self.channels.forward(&input.unsqueeze(0)?, true)?.squeeze(0);
                }
                self.channels.forward(input, $of_instances)
            }
        }
    )* };
}

norms! {
    /// [`Tensor::batch_norm`] with parameters and running statistics, over `D` spatial dimensions:
    /// [`BatchNorm1d`], [`BatchNorm2d`], [`BatchNorm3d`].
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{BatchNorm2d, Layer, Module};
    /// use lanthorn::Tensor;
    /// let layer = BatchNorm2d::new(3)?;
    /// layer.train(false);
    /// let x = Tensor::ones([2, 3, 4, 4])?;
    /// assert!((pollster::block_on(layer.forward(&x)?.sum((), false)?.item())? - 96.0).abs() < 1e-2);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    BatchNorm,
    BatchNormBuilder,
    "BatchNorm(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=True, bool track_running_stats=True, bool bias=True) -> Module",
    ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"],
    false, |spatial: usize| if spatial == 1 { 2 } else { usize::MAX };
    /// [`Tensor::instance_norm`], over `D` spatial dimensions: [`InstanceNorm1d`],
    /// [`InstanceNorm2d`], [`InstanceNorm3d`]. By default it has neither parameters nor running
    /// statistics.
    InstanceNorm,
    InstanceNormBuilder,
    "InstanceNorm(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=False, bool track_running_stats=False, bool bias=True) -> Module",
    ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"],
    true, |spatial: usize| spatial + 1;
}

/// [`BatchNorm`] of `[N, C]` or `[N, C, L]`.
pub type BatchNorm1d = BatchNorm<1>;
/// [`BatchNorm`] of `[N, C, H, W]`.
pub type BatchNorm2d = BatchNorm<2>;
/// [`BatchNorm`] of `[N, C, D, H, W]`.
pub type BatchNorm3d = BatchNorm<3>;
/// [`InstanceNorm`] of `[N, C, L]` or `[C, L]`.
pub type InstanceNorm1d = InstanceNorm<1>;
/// [`InstanceNorm`] of `[N, C, H, W]` or `[C, H, W]`.
pub type InstanceNorm2d = InstanceNorm<2>;
/// [`InstanceNorm`] of `[N, C, D, H, W]` or `[C, D, H, W]`.
pub type InstanceNorm3d = InstanceNorm<3>;

/// [`Tensor::layer_norm`] with parameters: `weight` (ones) and `bias` (zeros), of
/// `normalized_shape`.
#[derive(Module, Builder)]
#[builder(
    "LayerNorm(int[] normalized_shape, float eps=1e-5, bool elementwise_affine=True, bool bias=True) -> Module",
    eps = "The number added to the variance.",
    elementwise_affine = "Whether there is a weight.",
    bias = "Whether there is a bias beside the weight."
)]
pub struct LayerNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    eps: f64,
}

impl LayerNorm {
    pub(super) fn make(options: LayerNormBuilder, vars: &mut VarBuilder<'_>) -> Result<LayerNorm> {
        let LayerNormBuilder { normalized_shape, eps, elementwise_affine, bias, .. } = options;
        let weight = vars.optional("weight", elementwise_affine, || init::ones(&normalized_shape))?;
        let bias = vars.optional("bias", elementwise_affine && bias, || init::zeros(&normalized_shape))?;
        Ok(LayerNorm { normalized_shape, weight, bias, eps })
    }
}

impl Layer for LayerNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.layer_norm(&self.normalized_shape, self.weight.as_ref(), self.bias.as_ref(), self.eps)
    }
}

/// [`Tensor::rms_norm`] with the parameter `weight` (ones), of `normalized_shape`.
#[derive(Module, Builder)]
#[builder(
    "RMSNorm(int[] normalized_shape, Scalar? eps=None, bool elementwise_affine=True) -> Module",
    eps = "The number added to the mean square; without one, the machine epsilon.",
    elementwise_affine = "Whether there is a weight."
)]
pub struct RMSNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    eps: Option<Scalar>,
}

impl RMSNorm {
    fn make(options: RMSNormBuilder, vars: &mut VarBuilder<'_>) -> Result<RMSNorm> {
        let RMSNormBuilder { normalized_shape, eps, elementwise_affine, .. } = options;
        let weight = vars.optional("weight", elementwise_affine, || init::ones(&normalized_shape))?;
        Ok(RMSNorm { normalized_shape, weight, eps })
    }
}

impl Layer for RMSNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.rms_norm(&self.normalized_shape, self.weight.as_ref(), self.eps)
    }
}

/// [`Tensor::group_norm`] with parameters: `weight` (ones) and `bias` (zeros), `[num_channels]`.
#[derive(Module, Builder)]
#[builder(
    "GroupNorm(int num_groups, int num_channels, float eps=1e-5, bool affine=True, bool bias=True) -> Module",
    eps = "The number added to the variance.",
    affine = "Whether there is a weight.",
    bias = "Whether there is a bias beside the weight."
)]
pub struct GroupNorm {
    num_groups: i64,
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    eps: f64,
}

impl GroupNorm {
    fn make(options: GroupNormBuilder, vars: &mut VarBuilder<'_>) -> Result<GroupNorm> {
        let GroupNormBuilder { num_groups, num_channels, eps, affine, bias, .. } = options;
        if num_groups <= 0 || num_channels % num_groups != 0 {
            let message = format!("num_groups must divide the {num_channels} channels, not {num_groups}");
            return Err(Error::argument("GroupNorm", message));
        }
        let weight = vars.optional("weight", affine, || init::ones([num_channels]))?;
        let bias = vars.optional("bias", affine && bias, || init::zeros([num_channels]))?;
        Ok(GroupNorm { num_groups, weight, bias, eps })
    }
}

impl Layer for GroupNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.group_norm(self.num_groups, self.weight.as_ref(), self.bias.as_ref(), self.eps)
    }
}

/// Division by the squares of neighbouring channels (Krizhevsky et al., 2012). `x: [N, C, ..]`.
#[functional(
    "LocalResponseNorm(int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Module",
    op = "local_response_norm"
)]
pub struct LocalResponseNorm;

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: BatchNorm1d::SCHEMAS[0],
        forward: BatchNorm1d::FORWARD,
        tensors: tensors(BatchNorm1d::TENSORS),
        doc: documentation(
            "Normalization of each channel over the batch and all positions. `x: [N, C]` or `[N, C, L]`.",
        ),
        make: Constructor::Type(BatchNorm1d::from_args),
    },
    ModuleSpec {
        text: BatchNorm2d::SCHEMAS[1],
        forward: BatchNorm2d::FORWARD,
        tensors: tensors(BatchNorm2d::TENSORS),
        doc: documentation("Normalization of each channel over the batch and all positions. `x: [N, C, H, W]`."),
        make: Constructor::Type(BatchNorm2d::from_args),
    },
    ModuleSpec {
        text: BatchNorm3d::SCHEMAS[2],
        forward: BatchNorm3d::FORWARD,
        tensors: tensors(BatchNorm3d::TENSORS),
        doc: documentation("Normalization of each channel over the batch and all positions. `x: [N, C, D, H, W]`."),
        make: Constructor::Type(BatchNorm3d::from_args),
    },
    ModuleSpec {
        text: InstanceNorm1d::SCHEMAS[0],
        forward: InstanceNorm1d::FORWARD,
        tensors: tensors(InstanceNorm1d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, L]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm1d::from_args),
    },
    ModuleSpec {
        text: InstanceNorm2d::SCHEMAS[1],
        forward: InstanceNorm2d::FORWARD,
        tensors: tensors(InstanceNorm2d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, H, W]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm2d::from_args),
    },
    ModuleSpec {
        text: InstanceNorm3d::SCHEMAS[2],
        forward: InstanceNorm3d::FORWARD,
        tensors: tensors(InstanceNorm3d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, D, H, W]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm3d::from_args),
    },
    ModuleSpec {
        text: LayerNorm::SCHEMA,
        forward: LayerNorm::FORWARD,
        tensors: tensors(LayerNorm::TENSORS),
        doc: documentation("Normalization over the last dimensions, whose sizes are `normalizedShape`."),
        make: Constructor::Type(LayerNorm::from_args),
    },
    ModuleSpec {
        text: RMSNorm::SCHEMA,
        forward: RMSNorm::FORWARD,
        tensors: tensors(RMSNorm::TENSORS),
        doc: documentation(
            "Normalization by the root mean square of the last dimensions, whose sizes are `normalizedShape`.",
        ),
        make: Constructor::Type(RMSNorm::from_args),
    },
    ModuleSpec {
        text: GroupNorm::SCHEMA,
        forward: GroupNorm::FORWARD,
        tensors: tensors(GroupNorm::TENSORS),
        doc: documentation("Normalization over groups of channels and all positions. `x: [N, C, ..]`."),
        make: Constructor::Type(GroupNorm::from_args),
    },
    LocalResponseNorm::SPEC,
];
