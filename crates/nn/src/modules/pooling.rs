//! Pooling as modules.

use crate::{
    Module,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Ints, PartialInts, Result, Tensor, ops::Args};

/// Sizes that may be left out, as an op takes them: empty.
fn optional(args: &Args<'_>, place: usize) -> Result<Ints> {
    Ok(args.optional_ints(place).as_slice().unwrap_or_default().into())
}

/// [`Tensor::max_pool2d`] as a module. `x: [N, C, H, W]`.
pub struct MaxPool2d {
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
}

impl MaxPool2d {
    /// Windows of `kernel_size` side by side, without padding.
    pub fn new(kernel_size: impl Into<Ints>) -> MaxPool2d {
        let stride = Ints::default();
        MaxPool2d { kernel_size: kernel_size.into(), stride, padding: 0.into(), dilation: 1.into(), ceil_mode: false }
    }
}

impl Module for MaxPool2d {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.max_pool2d(&self.kernel_size, &self.stride, &self.padding, &self.dilation, self.ceil_mode)
    }
}

pub(crate) static MAX_POOL2D: ModuleSpec = ModuleSpec {
    text: "MaxPool2d(int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, *, bool ceil_mode=False) -> Module",
    doc: "The largest value of each window. `x: [N, C, H, W]`; `stride` is `kernelSize` where it is not given.",
    build: |args| {
        Ok(Built::Module(Box::new(MaxPool2d {
            kernel_size: args.ints(0).clone(),
            stride: optional(args, 1)?,
            padding: args.ints(2).clone(),
            dilation: args.ints(3).clone(),
            ceil_mode: args.bool(4),
        })))
    },
};

/// [`Tensor::avg_pool2d`] as a module. `x: [N, C, H, W]`.
pub struct AvgPool2d {
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Option<i64>,
}

impl AvgPool2d {
    /// Windows of `kernel_size` side by side, without padding.
    pub fn new(kernel_size: impl Into<Ints>) -> AvgPool2d {
        AvgPool2d {
            kernel_size: kernel_size.into(),
            stride: Ints::default(),
            padding: 0.into(),
            ceil_mode: false,
            count_include_pad: true,
            divisor_override: None,
        }
    }
}

impl Module for AvgPool2d {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let AvgPool2d { kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override } = self;
        input.avg_pool2d(kernel_size, stride, padding, *ceil_mode, *count_include_pad, *divisor_override)
    }
}

pub(crate) static AVG_POOL2D: ModuleSpec = ModuleSpec {
    text: "AvgPool2d(int[] kernel_size, int[]? stride=None, int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Module",
    doc: "The mean of each window. `x: [N, C, H, W]`; `stride` is `kernelSize` where it is not given.",
    build: |args| {
        Ok(Built::Module(Box::new(AvgPool2d {
            kernel_size: args.ints(0).clone(),
            stride: optional(args, 1)?,
            padding: args.ints(2).clone(),
            ceil_mode: args.bool(3),
            count_include_pad: args.bool(4),
            divisor_override: args.optional_int(5),
        })))
    },
};

/// [`Tensor::adaptive_avg_pool2d`] as a module. `x: [N, C, H, W]`.
pub struct AdaptiveAvgPool2d {
    output_size: PartialInts,
}

impl AdaptiveAvgPool2d {
    /// Means over windows that give `output_size`.
    pub fn new(output_size: impl Into<PartialInts>) -> AdaptiveAvgPool2d {
        AdaptiveAvgPool2d { output_size: output_size.into() }
    }
}

impl Module for AdaptiveAvgPool2d {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.adaptive_avg_pool2d(&self.output_size)
    }
}

pub(crate) static ADAPTIVE_AVG_POOL2D: ModuleSpec = ModuleSpec {
    text: "AdaptiveAvgPool2d(int?[] output_size) -> Module",
    doc: "Means of windows that are laid so that the result has `outputSize`. `x: [N, C, H, W]`.",
    build: |args| Ok(Built::Module(Box::new(AdaptiveAvgPool2d::new(args.partial_ints(0))))),
};
