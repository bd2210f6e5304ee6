//! Hooks before and after a layer.

use crate::{Buffer, Layer, Module, Parameter};
use lanthorn_tensor::{
    Result, Tensor,
    ops::{Args, Output},
};

/// A hook that is called with a layer and its input before `forward`. A tensor that it returns
/// replaces the input.
pub type ForwardPreHook<L> = Box<dyn Fn(&L, &Tensor) -> Result<Option<Tensor>>>;
/// A hook that is called with a layer, its input and its result after `forward`. A tensor that it
/// returns replaces the result.
pub type ForwardHook<L> = Box<dyn Fn(&L, &Tensor, &Tensor) -> Result<Option<Tensor>>>;

/// A layer with hooks that are called before and after it, as `register_forward_pre_hook` and
/// `register_forward_hook`, to observe or replace activations. The names of its parameters do not
/// change. An error of a hook is returned by `forward`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Hooked, Layer, Linear, Module};
/// use lanthorn::Tensor;
/// use std::{cell::RefCell, rc::Rc};
/// let shapes = Rc::new(RefCell::new(vec![]));
/// let seen = shapes.clone();
/// let layer = Hooked::new(Linear::new(4, 2)?)
///     .before(|_, input| input.mul(2.0).map(Some))
///     .after(move |_, _, output| {
///         seen.borrow_mut().push(output.shape().to_vec());
///         Ok(None)
///     });
/// layer.forward(&Tensor::ones([3, 4])?)?;
/// assert_eq!(*shapes.borrow(), [[3, 2]]);
/// assert_eq!(layer.named_parameters()[0].0, "weight");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Hooked<L> {
    layer: L,
    before: Vec<ForwardPreHook<L>>,
    after: Vec<ForwardHook<L>>,
}

impl<L: Layer> Hooked<L> {
    /// A layer without hooks.
    pub fn new(layer: L) -> Hooked<L> {
        Hooked { layer, before: vec![], after: vec![] }
    }

    /// Adds a hook before the layer, which runs after those added earlier.
    pub fn before(mut self, hook: impl Fn(&L, &Tensor) -> Result<Option<Tensor>> + 'static) -> Hooked<L> {
        self.before.push(Box::new(hook));
        self
    }

    /// Adds a hook after the layer, which runs after those added earlier.
    pub fn after(mut self, hook: impl Fn(&L, &Tensor, &Tensor) -> Result<Option<Tensor>> + 'static) -> Hooked<L> {
        self.after.push(Box::new(hook));
        self
    }

    /// The layer without its hooks.
    pub fn into_inner(self) -> L {
        self.layer
    }
}

impl<L: Layer> Module for Hooked<L> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.layer.own_parameters()
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.layer.own_buffers()
    }

    fn children(&self) -> Vec<(String, &dyn Module)> {
        self.layer.children()
    }

    fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
        self.layer.set_tensor(name, value)
    }

    fn train(&self, mode: bool) {
        self.layer.train(mode);
    }

    fn type_name(&self) -> String {
        self.layer.type_name()
    }

    fn extra_repr(&self) -> String {
        self.layer.extra_repr()
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.forward(inputs.tensor(0))?.into())
    }
}

impl<L: Layer> Layer for Hooked<L> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut input = input.clone();
        for hook in &self.before {
            input = hook(&self.layer, &input)?.unwrap_or(input);
        }
        let mut output = self.layer.forward(&input)?;
        for hook in &self.after {
            output = hook(&self.layer, &input, &output)?.unwrap_or(output);
        }
        Ok(output)
    }
}
