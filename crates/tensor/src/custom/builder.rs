//! Declares an op with a schema: how it is computed, its derivative, and what autocast does to it.

use super::{
    Arguments, CustomOp, Definition,
    definition::{Autograd, Composite, Implementation},
    kernel::{Declared, DeviceKernel, FakeTensor, Kernels},
    registry, schema,
};
use crate::{
    Error, Policy, Result, Tensor,
    autograd::{Context, Gradients},
    ops::{OpKind, Output},
};

/// An op that is being declared; see [`custom_op`].
#[must_use = "an op is registered by `register`"]
pub struct Builder {
    schema: String,
    composite: Option<Composite>,
    kernels: Declared,
    autograd: Option<Autograd>,
    autocast: Policy,
}

/// Begins the declaration of an op, as `torch.library.custom_op`.
///
/// `schema` is in ATen's syntax, with a namespace: `mylib::scaled(Tensor x, Scalar factor=2) ->
/// Tensor`. Nothing is checked before [`Builder::register`].
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, custom::custom_op};
/// let norm = custom_op("mylib::rms(Tensor x, int dim=-1) -> Tensor")
///     .composite(|args| {
///         let mean = args.tensor("x")?.square()?.mean([args.int("dim")?], true)?;
///         Ok(mean.sqrt()?.into())
///     })
///     .register()?;
/// let x = Tensor::from_slice(&[3.0f32, 3.0, 3.0], [3], &device)?;
/// assert_eq!(pollster::block_on(norm.tensor(&[(&x).into()])?.to_vec::<f32>())?, [3.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn custom_op(schema: impl Into<String>) -> Builder {
    Builder {
        schema: schema.into(),
        composite: None,
        kernels: Declared::default(),
        autograd: None,
        autocast: Policy::Keep,
    }
}

impl Builder {
    /// The op as a function in other operations. Without [`Builder::register_autograd`] its
    /// derivative follows from theirs.
    ///
    /// If the op has kernels too, the composite runs on devices without one.
    pub fn composite(mut self, function: impl Fn(&Arguments<'_>) -> Result<Output> + Send + Sync + 'static) -> Builder {
        self.composite = Some(Box::new(function));
        self
    }

    /// The type and shape of each result, from the arguments, as `torch.library.register_fake`. An
    /// op with kernels needs it. It runs at each call before any computation, and checks the
    /// assumptions of the kernels; its errors are the call's.
    pub fn register_fake(
        mut self,
        fake: impl Fn(&Arguments<'_>) -> Result<Vec<FakeTensor>> + Send + Sync + 'static,
    ) -> Builder {
        self.kernels.fake = Some(Box::new(fake));
        self
    }

    /// A kernel for one kind of device: [`Wgsl`](super::Wgsl), [`Cuda`](super::Cuda) or
    /// [`Cpu`](super::Cpu). The last one of a kind counts. Without [`Builder::register_autograd`]
    /// the results of kernels have no derivative: asking for one is an error.
    pub fn register_kernel(mut self, kernel: impl Into<DeviceKernel>) -> Builder {
        self.kernels.add(kernel.into());
        self
    }

    /// A derivative of the op's own, as `torch.library.register_autograd`.
    ///
    /// `setup_context` runs after each forward, with the arguments and the results, and saves the
    /// data for backward. `backward` receives the gradients of the results and returns one for each
    /// tensor among the arguments, in order, also in lists; both are as in
    /// [`Function`](crate::autograd::Function).
    pub fn register_autograd(
        mut self,
        setup_context: impl Fn(&Context, &Arguments<'_>, &[Tensor]) -> Result<()> + Send + Sync + 'static,
        backward: impl Fn(&Context, &Gradients) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
    ) -> Builder {
        self.autograd = Some(Autograd {
            setup_context: Box::new(setup_context),
            backward: Box::new(backward),
            once_differentiable: false,
        });
        self
    }

    /// States that the registered derivative is not differentiable: differentiating it is an error
    /// that names the op.
    pub fn once_differentiable(mut self) -> Builder {
        if let Some(autograd) = &mut self.autograd {
            autograd.once_differentiable = true;
        }
        self
    }

    /// What autocast does to the op's tensors: nothing, if it is not said.
    pub fn autocast(mut self, policy: Policy) -> Builder {
        self.autocast = policy;
        self
    }

    /// Registers the op.
    ///
    /// # Errors
    ///
    /// `argument` if the schema does not parse, if its name lacks a namespace, has a reserved one
    /// or is taken, and if the op has neither kernels nor a composite.
    pub fn register(self) -> Result<CustomOp> {
        let schema = schema::parse(&self.schema)?;
        let (kind, implementation) = match (self.kernels.is_empty(), self.composite) {
            (true, None) => {
                let message = "nothing says how the op is computed: give a composite, or kernels";
                return Err(Error::argument(schema.full_name(), message));
            }
            (true, Some(composite)) => (OpKind::Composite, Implementation::Composite(composite)),
            (false, fallback) => {
                let kernels = Kernels::new(self.kernels, &schema, registry::name_of(&schema)?)?;
                (OpKind::Leaf, Implementation::Kernels(kernels, fallback))
            }
        };
        let definition = Definition { schema, implementation, autograd: self.autograd };
        registry::register(definition, kind, self.autocast, None)
    }
}
