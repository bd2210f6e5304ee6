//! Modules: named parameters, named buffers, submodules, and a forward computation.
//!
//! State and computation are two traits. A [`Module`] can be traversed, saved and set to training
//! mode whatever arguments it takes; a [`Layer`] is also a function from one tensor to one tensor.
//! A module with other arguments (a loss, a recurrent layer) has a typed `forward` method and a
//! schema of it ([`Module::signature`]) for dynamic callers. Rejected: one `forward` with a list of
//! tensors for all modules, which no compiler checks.

use crate::{
    derive::join,
    print::{base_name, shapes},
};
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Result, Tensor,
    ops::{Arg, Args, Output},
};
use std::{any::Any, collections::HashSet, rc::Rc};

/// A tensor that is trained: a leaf that requires gradients.
pub type Parameter = Tensor;

/// A tensor of a module's state that is not trained, such as the running mean of a batch norm.
pub type Buffer = Tensor;

/// A parameter that shares the storage of a tensor, as `torch.nn.Parameter`.
///
/// # Errors
///
/// `dtype` if the tensor is not floating point.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::parameter};
/// assert!(parameter(&Tensor::zeros([2])?)?.requires_grad());
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn parameter(data: &Tensor) -> Result<Parameter> {
    data.detach().requires_grad_(true)
}

/// A buffer that shares the storage of a tensor, as `torch.nn.Buffer`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::buffer};
/// assert!(!buffer(&Tensor::zeros([2])?).requires_grad());
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn buffer(data: &Tensor) -> Buffer {
    data.detach()
}

/// The schema of a [`Layer`]'s `forward`.
pub const UNARY: &str = "forward(Tensor input) -> Tensor";

/// Named parameters, buffers and submodules with a forward computation, as `torch.nn.Module`.
/// `#[derive(Module)]` implements it, and `Display`, which prints the tree of a model's modules.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, ReLU, Sequential, Layer};
/// use lanthorn::Tensor;
/// let net = Sequential::new(vec![Box::new(Linear::new(4, 8)?), Box::new(ReLU), Box::new(Linear::new(8, 2)?)]);
/// let names: Vec<String> = net.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["0.weight", "0.bias", "2.weight", "2.bias"]);
/// assert_eq!(net.forward(&Tensor::zeros([3, 4])?)?.shape().to_vec(), [3, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Module: Any {
    /// The module's own parameters by name, without its children's.
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        vec![]
    }

    /// The module's own buffers by name, without its children's.
    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        vec![]
    }

    /// The direct submodules, by name.
    fn children(&self) -> Vec<(String, &dyn Module)> {
        vec![]
    }

    /// Replaces the module's own parameter or buffer of this name, and returns whether there is
    /// one. A parametrization such as weight norm sets the parameter with it before every call.
    fn set_tensor(&mut self, _name: &str, _value: Tensor) -> bool {
        false
    }

    /// Sets training or evaluation mode, on which dropout and batch norms depend. A new module is
    /// in training mode.
    ///
    /// A module that depends on the mode keeps it in a cell. The default implementation passes it
    /// on to the children.
    fn train(&self, mode: bool) {
        self.children().iter().for_each(|(_, child)| child.train(mode));
    }

    /// The name of the module's type, as it prints: by default the name of the Rust type.
    fn type_name(&self) -> String {
        base_name(std::any::type_name::<Self>())
    }

    /// The text in the brackets after the name where the module is printed, as
    /// `torch.nn.Module.extra_repr`: by default the shapes of its own parameters and buffers.
    fn extra_repr(&self) -> String {
        shapes(self)
    }

    /// The schema of the module's `forward`.
    fn signature(&self) -> &'static str {
        UNARY
    }

    /// The module's result for arguments that were bound to [`Module::signature`].
    ///
    /// # Errors
    ///
    /// The errors of the ops that the module runs; `argument` for a container without a forward
    /// computation.
    fn call(&self, inputs: &Args<'_>) -> Result<Output>;

    /// All buffers of the module and its submodules by full name, its own ones first. A buffer with
    /// several names is listed once, under the first one.
    fn named_buffers(&self) -> Vec<(String, Buffer)> {
        let children = self.children().into_iter().flat_map(|(name, child)| within(name, all_buffers(child)));
        once(self.own_buffers().into_iter().chain(children))
    }

    /// All parameters of the module and its submodules by full name, such as `0.weight`, its own
    /// ones first. A parameter with several names (tied weights) is listed once, under the first
    /// one; [`state_dict`](crate::state_dict) has it under every name.
    fn named_parameters(&self) -> Vec<(String, Parameter)> {
        let children = self.children().into_iter().flat_map(|(name, child)| within(name, all_parameters(child)));
        once(self.own_parameters().into_iter().chain(children))
    }

    /// All parameters of the module and its submodules, each one once.
    fn parameters(&self) -> Vec<Parameter> {
        self.named_parameters().into_iter().map(|(_, parameter)| parameter).collect()
    }
}

/// A module that is a function from one tensor to one tensor.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Linear, Module};
/// use lanthorn::{Result, Tensor};
///
/// struct Residual(Linear);
/// # impl Module for Residual {
/// #     fn call(&self, inputs: &lanthorn::ops::Args<'_>) -> Result<lanthorn::ops::Output> { Ok(self.forward(inputs.tensor(0))?.into()) }
/// # }
///
/// impl Layer for Residual {
///     fn forward(&self, input: &Tensor) -> Result<Tensor> {
///         self.0.forward(input)?.relu()?.add(input)
///     }
/// }
/// assert_eq!(Residual(Linear::new(3, 3)?).forward(&Tensor::zeros([2, 3])?)?.shape().to_vec(), [2, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Layer: Module {
    /// The module's result for an input.
    ///
    /// # Errors
    ///
    /// The errors of the ops that the module runs, such as `shape` for an input that does not fit a
    /// weight.
    fn forward(&self, input: &Tensor) -> Result<Tensor>;
}

/// The module's result for dynamic arguments, in the order of its [`Module::signature`].
///
/// # Errors
///
/// `argument` if the arguments do not fit the signature; otherwise as [`Module::call`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, call};
/// use lanthorn::{Tensor, ops::Arg};
/// let layer = Linear::new(4, 2)?;
/// let y = call(&layer, &[Arg::Tensor(Tensor::zeros([3, 4])?)])?.into_tensor("Linear")?;
/// assert_eq!(y.shape().to_vec(), [3, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn call(module: &dyn Module, args: &[Arg]) -> Result<Output> {
    module.call(&Args::bind(&signature(module), args)?)
}

/// The schema of a module's `forward`, parsed.
pub fn signature(module: &dyn Module) -> Schema {
    // The macro, or the table's test, parses every schema.
    Schema::parse(module.signature()).expect("a module's schema parses")
}

macro_rules! pointers {
    ($($pointer:ident: |$this:ident| $unique:expr;)*) => { $(
        impl<M: Module + ?Sized> Module for $pointer<M> {
            fn own_parameters(&self) -> Vec<(String, Parameter)> {
                (**self).own_parameters()
            }

            fn own_buffers(&self) -> Vec<(String, Buffer)> {
                (**self).own_buffers()
            }

            fn children(&self) -> Vec<(String, &dyn Module)> {
                (**self).children()
            }

            fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
                let $this = self;
                $unique.is_some_and(|module: &mut M| module.set_tensor(name, value))
            }

            fn train(&self, mode: bool) {
                (**self).train(mode);
            }

            fn type_name(&self) -> String {
                (**self).type_name()
            }

            fn extra_repr(&self) -> String {
                (**self).extra_repr()
            }

            fn signature(&self) -> &'static str {
                (**self).signature()
            }

            fn call(&self, inputs: &Args<'_>) -> Result<Output> {
                (**self).call(inputs)
            }
        }

        impl<L: Layer + ?Sized> Layer for $pointer<L> {
            fn forward(&self, input: &Tensor) -> Result<Tensor> {
                (**self).forward(input)
            }
        }
    )* };
}

pointers! {
    Box: |this| Some(&mut **this);
    Rc: |this| Rc::get_mut(this);
}

/// The parameters of a module and its submodules under every name that they have.
pub(crate) fn all_parameters(module: &dyn Module) -> Vec<(String, Parameter)> {
    let children = module.children().into_iter().flat_map(|(name, child)| within(name, all_parameters(child)));
    module.own_parameters().into_iter().chain(children).collect()
}

/// The buffers of a module and its submodules under every name that they have.
pub(crate) fn all_buffers(module: &dyn Module) -> Vec<(String, Buffer)> {
    let children = module.children().into_iter().flat_map(|(name, child)| within(name, all_buffers(child)));
    module.own_buffers().into_iter().chain(children).collect()
}

/// Tensors of a child by their full names in its parent.
fn within(prefix: String, tensors: Vec<(String, Tensor)>) -> impl Iterator<Item = (String, Tensor)> {
    tensors.into_iter().map(move |(name, tensor)| (join(&prefix, &name), tensor))
}

/// The tensors, each one only under its first name.
fn once(named: impl Iterator<Item = (String, Tensor)>) -> Vec<(String, Tensor)> {
    let mut seen = HashSet::new();
    named.filter(|(_, tensor)| seen.insert(tensor.id())).collect()
}
