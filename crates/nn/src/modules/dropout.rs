//! The dropout family: layers that drop parts of their input in training.

use crate::{
    Layer, Module, VarBuilder,
    mode::TrainingFlag,
    table::{Constructor, ModuleSpec, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Tensor, no_grad};

/// The probability and the mode, which all of them share.
struct Chance {
    name: &'static str,
    p: f64,
}

impl Chance {
    fn new(name: &'static str, p: f64) -> Result<Chance> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::argument(name, format!("p is a probability from 0 to 1, not {p}")));
        }
        Ok(Chance { name, p })
    }

    /// A mask of `1 / (1 - p)` for kept elements and 0 for dropped ones: per element, or per
    /// channel of `spatial` more dimensions.
    fn noise(&self, input: &Tensor, spatial: Option<usize>) -> Result<Tensor> {
        let kept = spatial.map_or(input.rank(), |spatial| input.rank() - spatial);
        let sizes: Vec<i64> =
            input.shape().iter().enumerate().map(|(dim, &size)| if dim < kept { size as i64 } else { 1 }).collect();
        no_grad(|| Tensor::ones_with(sizes, input.dtype(), Some(input.device()))?.dropout(self.p, true))
    }

    /// Sets dropped elements to the limit of SELU activations, then scales and shifts so that mean
    /// and variance are kept (Klambauer et al., 2017).
    fn alpha(&self, input: &Tensor, spatial: Option<usize>) -> Result<Tensor> {
        const ALPHA: f64 = 1.758_099_340_847_376_6;
        if self.p == 1.0 {
            return input.mul(0.0);
        }
        let kept = no_grad(|| self.noise(input, spatial)?.mul(1.0 - self.p))?;
        let scale = 1.0 / ((ALPHA * ALPHA * self.p + 1.0) * (1.0 - self.p)).sqrt();
        let dropped = no_grad(|| kept.sub(1.0)?.mul(ALPHA * scale)?.add(ALPHA * scale * self.p))?;
        input.mul(&kept.mul(scale)?)?.add(&dropped)
    }
}

macro_rules! dropouts {
    ($($(#[doc = $doc:literal])* $name:ident, $builder:ident $text:tt ($rank:expr) = |$chance:ident, $input:ident| $body:expr;)*) => { $(
        $(#[doc = $doc])*
        #[derive(Module, Builder)]
        #[builder($text, required = ["p"])]
        pub struct $name {
            chance: Chance,
            training: TrainingFlag,
        }

        impl $name {
            fn make(options: $builder, _: &mut VarBuilder<'_>) -> Result<$name> {
                Ok($name { chance: Chance::new(stringify!($name), options.p)?, training: TrainingFlag::default() })
            }
        }

        impl Layer for $name {
            fn forward(&self, $input: &Tensor) -> Result<Tensor> {
                let ranks: &[usize] = &$rank;
                if !ranks.is_empty() && !ranks.contains(&$input.rank()) {
                    let message = format!("takes an input of {ranks:?} dimensions, not shape {}", $input.shape());
                    return Err(Error::shape(self.chance.name, message));
                }
                let $chance = &self.chance;
                if self.training.get() { $body } else { Ok($input.clone()) }
            }
        }
    )*

        pub(crate) static MODULES: &[ModuleSpec] = &[$(
            ModuleSpec {
                text: $name::SCHEMA,
                forward: $name::FORWARD,
                tensors: tensors($name::TENSORS),
                doc: crate::table::documentation(concat!($($doc, "\n"),*)),
                make: Constructor::Type($name::from_args),
            },
        )*];
    };
}

dropouts! {
    /// In training, sets each element to 0 with probability `p` and divides the others by `1 - p`.
    Dropout, DropoutBuilder "Dropout(float p=0.5) -> Module" ([]) = |chance, input| input.dropout(chance.p, true);
    /// In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
    /// `x: [N, C, L]` or `[C, L]`.
    Dropout1d, Dropout1dBuilder "Dropout1d(float p=0.5) -> Module" ([2, 3]) = |chance, input| input.mul(&chance.noise(input, Some(1))?);
    /// In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
    /// `x: [N, C, H, W]` or `[C, H, W]`.
    Dropout2d, Dropout2dBuilder "Dropout2d(float p=0.5) -> Module" ([3, 4]) = |chance, input| input.mul(&chance.noise(input, Some(2))?);
    /// In training, sets each channel to 0 with probability `p` and divides the others by `1 - p`.
    /// `x: [N, C, D, H, W]` or `[C, D, H, W]`.
    Dropout3d, Dropout3dBuilder "Dropout3d(float p=0.5) -> Module" ([4, 5]) = |chance, input| input.mul(&chance.noise(input, Some(3))?);
    /// Dropout that keeps mean and variance of normally distributed inputs, for networks with SELU.
    AlphaDropout, AlphaDropoutBuilder "AlphaDropout(float p=0.5) -> Module" ([]) = |chance, input| chance.alpha(input, None);
    /// [`AlphaDropout`] of whole channels. `x: [N, C, ..]`.
    FeatureAlphaDropout, FeatureAlphaDropoutBuilder "FeatureAlphaDropout(float p=0.5) -> Module" ([]) = |chance, input| chance.alpha(input, Some(input.rank().saturating_sub(2)));
}
