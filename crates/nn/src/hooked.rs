//! Hooks before and after a layer, and for its gradients.

use crate::{Buffer, Layer, Module, Parameter};
use lanthorn_tensor::{
    Result, Tensor, is_grad_enabled,
    ops::{Args, Output},
};
use std::{cell::RefCell, rc::Rc};

/// A hook that is called with a layer and its input before `forward`. A tensor that it returns
/// replaces the input.
pub type ForwardPreHook<L> = Box<dyn Fn(&L, &Tensor) -> Result<Option<Tensor>>>;
/// A hook that is called with a layer, its input and its result after `forward`. A tensor that it
/// returns replaces the result.
pub type ForwardHook<L> = Box<dyn Fn(&L, &Tensor, &Tensor) -> Result<Option<Tensor>>>;

/// A hook that is called with the gradient of a layer's result before the layer's backward pass. A
/// tensor that it returns replaces the gradient.
pub type BackwardPreHook = Box<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;
/// A hook that is called with the gradients of a layer's input and of its result; the first is
/// `None` where the input does not require gradients. A tensor that it returns replaces the
/// gradient of the input.
pub type BackwardHook = Box<dyn Fn(Option<&Tensor>, &Tensor) -> Result<Option<Tensor>>>;

/// A layer with hooks that are called before and after it, as `register_forward_pre_hook` and
/// `register_forward_hook`, to observe or replace activations, and in its backward pass, as
/// `register_full_backward_pre_hook` and `register_full_backward_hook`. The names of its parameters
/// do not change. An error of a hook is returned by `forward`.
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
    before_backward: Rc<RefCell<Vec<BackwardPreHook>>>,
    after_backward: Rc<RefCell<Vec<BackwardHook>>>,
}

impl<L: Layer> Hooked<L> {
    /// A layer without hooks.
    pub fn new(layer: L) -> Hooked<L> {
        Hooked { layer, before: vec![], after: vec![], before_backward: Rc::default(), after_backward: Rc::default() }
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

    /// Adds a hook before the layer's backward pass, which runs after those added earlier.
    pub fn before_backward(self, hook: impl Fn(&Tensor) -> Result<Option<Tensor>> + 'static) -> Hooked<L> {
        self.before_backward.borrow_mut().push(Box::new(hook));
        self
    }

    /// Adds a hook after the layer's backward pass, which runs after those added earlier.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Hooked, Layer, ReLU};
    /// use lanthorn::Tensor;
    /// let x = Tensor::from_slice(&[-1.0f32, 2.0], [2], &device)?.requires_grad_(true)?;
    /// let layer = Hooked::new(ReLU)
    ///     .after_backward(|input, _| input.map(|grad| grad.mul(10.0)).transpose());
    /// layer.forward(&x)?.sum((), false)?.backward()?;
    /// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [0.0, 10.0]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn after_backward(
        self,
        hook: impl Fn(Option<&Tensor>, &Tensor) -> Result<Option<Tensor>> + 'static,
    ) -> Hooked<L> {
        self.after_backward.borrow_mut().push(Box::new(hook));
        self
    }

    /// The layer's result, with the backward hooks on views of the input and of the result, whose
    /// gradients belong to the layer alone.
    fn run_layer(&self, input: &Tensor) -> Result<Tensor> {
        let has_hooks = !self.before_backward.borrow().is_empty() || !self.after_backward.borrow().is_empty();
        if !has_hooks || !is_grad_enabled() {
            return self.layer.forward(input);
        }
        let arrived = Rc::new(RefCell::new(None::<Tensor>));
        let is_open = input.requires_grad();
        let input = if is_open { input.reshape(input.shape())? } else { input.clone() };
        let output = self.layer.forward(&input)?;
        if is_open {
            let (hooks, arrived) = (self.after_backward.clone(), arrived.clone());
            let _hook = input.register_hook(move |grad| match arrived.take() {
                Some(output) => call_after(&hooks, Some(grad), &output),
                None => Ok(None),
            })?;
        }
        if !output.requires_grad() {
            return Ok(output);
        }
        let output = output.reshape(output.shape())?;
        let (before, after) = (self.before_backward.clone(), self.after_backward.clone());
        let _hook = output.register_hook(move |grad| {
            let changed =
                before.borrow().iter().try_fold(grad.clone(), |grad, hook| Ok(hook(&grad)?.unwrap_or(grad)))?;
            match is_open {
                true => *arrived.borrow_mut() = Some(changed.clone()),
                false => drop(call_after(&after, None, &changed)?),
            }
            Ok(Some(changed))
        })?;
        Ok(output)
    }

    /// The layer without its hooks.
    pub fn into_inner(self) -> L {
        self.layer
    }
}

/// The gradient of the input after the hooks; `None` if they do not replace it.
fn call_after(hooks: &RefCell<Vec<BackwardHook>>, input: Option<&Tensor>, output: &Tensor) -> Result<Option<Tensor>> {
    let mut changed: Option<Tensor> = None;
    for hook in &*hooks.borrow() {
        changed = hook(changed.as_ref().or(input), output)?.or(changed);
    }
    Ok(changed)
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
        let mut output = self.run_layer(&input)?;
        for hook in &self.after {
            output = hook(&self.layer, &input, &output)?.unwrap_or(output);
        }
        Ok(output)
    }
}
