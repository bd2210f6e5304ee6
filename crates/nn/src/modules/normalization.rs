//! Normalizations as modules.

use crate::{
    Buffer, Layer, Module, Parameter, VarBuilder, init,
    mode::TrainingFlag,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::functional;
use lanthorn_tensor::{DType, Error, Ints, Result, Scalar, Tensor, no_grad, ops::Args};

/// The options of [`BatchNorm`] and [`InstanceNorm`], whose defaults differ.
#[derive(Clone, Copy, Debug)]
pub struct NormOptions {
    /// The number added to the variance.
    pub eps: f64,
    /// The weight of a batch in the running statistics; `None` for the mean over all batches.
    pub momentum: Option<f64>,
    /// Whether there is a weight.
    pub affine: bool,
    /// Whether there are running statistics.
    pub track_running_stats: bool,
    /// Whether there is a bias beside the weight.
    pub bias: bool,
}

impl Default for NormOptions {
    /// The defaults of a batch norm.
    fn default() -> NormOptions {
        NormOptions { eps: 1e-5, momentum: Some(0.1), affine: true, track_running_stats: true, bias: true }
    }
}

impl NormOptions {
    fn bound(args: &Args<'_>) -> NormOptions {
        let (eps, momentum) = (args.float(1), args.optional_float(2));
        NormOptions { eps, momentum, affine: args.bool(3), track_running_stats: args.bool(4), bias: args.bool(5) }
    }
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
    ($($(#[$doc:meta])* $name:ident, $of_instances:literal, $unbatched:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// Parameters: `weight` (ones) and `bias` (zeros), `[num_features]`. Buffers:
        /// `running_mean` (zeros), `running_var` (ones), `num_batches_tracked`. In training the
        /// input's statistics normalize, and update the running ones; in evaluation the running
        /// statistics normalize.
        #[derive(Module)]
        pub struct $name<const D: usize> {
            #[module(flatten)]
            channels: Channels,
        }

        impl<const D: usize> $name<D> {
            /// A layer for `num_features` channels on the default device, with PyTorch's defaults.
            pub fn new(num_features: i64) -> Result<$name<D>> {
                let tracked = !$of_instances;
                $name::with(num_features, NormOptions { affine: tracked, track_running_stats: tracked, ..NormOptions::default() })
            }

            /// A layer with each of PyTorch's options.
            pub fn with(num_features: i64, options: NormOptions) -> Result<$name<D>> {
                $name::make(num_features, options, &mut VarBuilder::new())
            }

            fn make(num_features: i64, options: NormOptions, vars: &mut VarBuilder<'_>) -> Result<$name<D>> {
                Ok($name { channels: Channels::new(stringify!($name), num_features, options, vars)? })
            }

            fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
                Ok(Box::new($name::<D>::make(args.int(0), NormOptions::bound(args), vars)?))
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
    BatchNorm, false, |spatial: usize| if spatial == 1 { 2 } else { usize::MAX };
    /// [`Tensor::instance_norm`], over `D` spatial dimensions: [`InstanceNorm1d`],
    /// [`InstanceNorm2d`], [`InstanceNorm3d`]. By default it has neither parameters nor running
    /// statistics.
    InstanceNorm, true, |spatial: usize| spatial + 1;
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
#[derive(Module)]
pub struct LayerNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    eps: f64,
}

impl LayerNorm {
    /// A layer over the last dimensions, whose sizes are `normalized_shape`, on the default device.
    pub fn new(normalized_shape: impl Into<Ints>) -> Result<LayerNorm> {
        LayerNorm::with(normalized_shape.into(), 1e-5, true, true)
    }

    /// A layer with each of PyTorch's options.
    pub fn with(normalized_shape: Ints, eps: f64, elementwise_affine: bool, bias: bool) -> Result<LayerNorm> {
        LayerNorm::build(normalized_shape, eps, [elementwise_affine, bias], &mut VarBuilder::new())
    }

    fn build(
        normalized_shape: Ints,
        eps: f64,
        [affine, bias]: [bool; 2],
        vars: &mut VarBuilder<'_>,
    ) -> Result<LayerNorm> {
        let weight = vars.optional("weight", affine, || init::ones(&normalized_shape))?;
        let bias = vars.optional("bias", affine && bias, || init::zeros(&normalized_shape))?;
        Ok(LayerNorm { normalized_shape, weight, bias, eps })
    }
}

impl Layer for LayerNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.layer_norm(&self.normalized_shape, self.weight.as_ref(), self.bias.as_ref(), self.eps)
    }
}

/// [`Tensor::rms_norm`] with the parameter `weight` (ones), of `normalized_shape`.
#[derive(Module)]
pub struct RMSNorm {
    normalized_shape: Ints,
    weight: Option<Parameter>,
    eps: Option<Scalar>,
}

impl RMSNorm {
    /// A layer over the last dimensions, whose sizes are `normalized_shape`, on the default device;
    /// `eps` as [`Tensor::rms_norm`] has it.
    pub fn new(normalized_shape: impl Into<Ints>, eps: Option<Scalar>, elementwise_affine: bool) -> Result<RMSNorm> {
        RMSNorm::build(normalized_shape.into(), eps, elementwise_affine, &mut VarBuilder::new())
    }

    fn build(normalized_shape: Ints, eps: Option<Scalar>, affine: bool, vars: &mut VarBuilder<'_>) -> Result<RMSNorm> {
        let weight = vars.optional("weight", affine, || init::ones(&normalized_shape))?;
        Ok(RMSNorm { normalized_shape, weight, eps })
    }
}

impl Layer for RMSNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.rms_norm(&self.normalized_shape, self.weight.as_ref(), self.eps)
    }
}

/// [`Tensor::group_norm`] with parameters: `weight` (ones) and `bias` (zeros), `[num_channels]`.
#[derive(Module)]
pub struct GroupNorm {
    num_groups: i64,
    weight: Option<Parameter>,
    bias: Option<Parameter>,
    eps: f64,
}

impl GroupNorm {
    /// A layer for `num_channels` in `num_groups` groups on the default device.
    pub fn new(num_groups: i64, num_channels: i64, eps: f64, affine: bool, bias: bool) -> Result<GroupNorm> {
        GroupNorm::build([num_groups, num_channels], eps, [affine, bias], &mut VarBuilder::new())
    }

    fn build(
        [num_groups, num_channels]: [i64; 2],
        eps: f64,
        [affine, bias]: [bool; 2],
        vars: &mut VarBuilder<'_>,
    ) -> Result<GroupNorm> {
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
        text: "BatchNorm1d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=True, bool track_running_stats=True, bool bias=True) -> Module",
        forward: BatchNorm1d::FORWARD,
        tensors: tensors(BatchNorm1d::TENSORS),
        doc: documentation(
            "Normalization of each channel over the batch and all positions. `x: [N, C]` or `[N, C, L]`.",
        ),
        make: Constructor::Type(BatchNorm1d::build),
    },
    ModuleSpec {
        text: "BatchNorm2d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=True, bool track_running_stats=True, bool bias=True) -> Module",
        forward: BatchNorm2d::FORWARD,
        tensors: tensors(BatchNorm2d::TENSORS),
        doc: documentation("Normalization of each channel over the batch and all positions. `x: [N, C, H, W]`."),
        make: Constructor::Type(BatchNorm2d::build),
    },
    ModuleSpec {
        text: "BatchNorm3d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=True, bool track_running_stats=True, bool bias=True) -> Module",
        forward: BatchNorm3d::FORWARD,
        tensors: tensors(BatchNorm3d::TENSORS),
        doc: documentation("Normalization of each channel over the batch and all positions. `x: [N, C, D, H, W]`."),
        make: Constructor::Type(BatchNorm3d::build),
    },
    ModuleSpec {
        text: "InstanceNorm1d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=False, bool track_running_stats=False, bool bias=True) -> Module",
        forward: InstanceNorm1d::FORWARD,
        tensors: tensors(InstanceNorm1d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, L]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm1d::build),
    },
    ModuleSpec {
        text: "InstanceNorm2d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=False, bool track_running_stats=False, bool bias=True) -> Module",
        forward: InstanceNorm2d::FORWARD,
        tensors: tensors(InstanceNorm2d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, H, W]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm2d::build),
    },
    ModuleSpec {
        text: "InstanceNorm3d(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=False, bool track_running_stats=False, bool bias=True) -> Module",
        forward: InstanceNorm3d::FORWARD,
        tensors: tensors(InstanceNorm3d::TENSORS),
        doc: documentation(
            "Normalization of each channel of each example over all positions. `x: [N, C, D, H, W]`, or without `N`.",
        ),
        make: Constructor::Type(InstanceNorm3d::build),
    },
    ModuleSpec {
        text: "LayerNorm(int[] normalized_shape, float eps=1e-5, bool elementwise_affine=True, bool bias=True) -> Module",
        forward: LayerNorm::FORWARD,
        tensors: tensors(LayerNorm::TENSORS),
        doc: documentation("Normalization over the last dimensions, whose sizes are `normalizedShape`."),
        make: Constructor::Type(|args, vars| {
            let layer = LayerNorm::build(args.ints(0), args.float(1), [args.bool(2), args.bool(3)], vars)?;
            Ok(Box::new(layer))
        }),
    },
    ModuleSpec {
        text: "RMSNorm(int[] normalized_shape, Scalar? eps=None, bool elementwise_affine=True) -> Module",
        forward: RMSNorm::FORWARD,
        tensors: tensors(RMSNorm::TENSORS),
        doc: documentation(
            "Normalization by the root mean square of the last dimensions, whose sizes are `normalizedShape`.",
        ),
        make: Constructor::Type(|args, vars| {
            Ok(Box::new(RMSNorm::build(args.ints(0), args.optional_scalar(1), args.bool(2), vars)?))
        }),
    },
    ModuleSpec {
        text: "GroupNorm(int num_groups, int num_channels, float eps=1e-5, bool affine=True, bool bias=True) -> Module",
        forward: GroupNorm::FORWARD,
        tensors: tensors(GroupNorm::TENSORS),
        doc: documentation("Normalization over groups of channels and all positions. `x: [N, C, ..]`."),
        make: Constructor::Type(|args, vars| {
            let (sizes, flags) = ([args.int(0), args.int(1)], [args.bool(3), args.bool(4)]);
            let layer = GroupNorm::build(sizes, args.float(2), flags, vars)?;
            Ok(Box::new(layer))
        }),
    },
    LocalResponseNorm::SPEC,
];
