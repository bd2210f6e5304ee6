//! Containers of modules and parameters.
//!
//! JavaScript has its own containers, because they hold modules written there. A struct needs no
//! container for a list of modules: `#[derive(Module)]` traverses a `Vec`.

use crate::{Layer, Module, Parameter, derive::Declared};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Args, Output},
};

/// Modules applied in sequence, as `torch.nn.Sequential`. Their names are their positions, `0` and
/// `1`, or those given.
///
/// `forward` returns the error of the first module that fails.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Linear, Module, Sequential};
/// let layer: Box<dyn Layer> = Box::new(Linear::new(2, 1)?);
/// let net = Sequential::with_names(vec![("head".to_string(), layer)]);
/// assert_eq!(net.named_parameters()[0].0, "head.weight");
/// assert_eq!(net.iter().count(), 1);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct Sequential {
    #[module(flatten)]
    modules: ModuleDict<Box<dyn Layer>>,
}

impl Sequential {
    /// A sequence of these modules.
    pub fn new(modules: Vec<Box<dyn Layer>>) -> Sequential {
        let named = modules.into_iter().enumerate().map(|(index, module)| (index.to_string(), module));
        Sequential { modules: named.collect() }
    }

    /// A sequence of modules with names. Of two modules of one name, the last one is there.
    pub fn with_names(modules: Vec<(String, Box<dyn Layer>)>) -> Sequential {
        Sequential { modules: modules.into_iter().collect() }
    }

    /// The modules in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Layer> {
        self.modules.iter().map(|(_, module)| &**module)
    }

    /// Sets the module of a name, a position in a sequence without names, and returns the previous
    /// one.
    pub fn set(&mut self, name: &str, module: Box<dyn Layer>) -> Option<Box<dyn Layer>> {
        self.modules.insert(name, module)
    }
}

impl Layer for Sequential {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.iter().try_fold(input.clone(), |value, module| module.forward(&value))
    }
}

/// The error of calling a container that has no forward computation.
fn no_result(name: &str) -> Result<Output> {
    Err(Error::argument(name, "holds modules or parameters, and has no result of its own"))
}

macro_rules! modules {
    ($($(#[$doc:meta])* $name:ident<$key:ty>: |$own:ident| $shown:expr;)*) => { $(
        $(#[$doc])*
        pub struct $name<M = Box<dyn Layer>>(Vec<($key, M)>);

        impl<M: Module> Module for $name<M> {
            fn children(&self) -> Vec<(String, &dyn Module)> {
                self.0.iter().map(|($own, module)| ($shown, module as &dyn Module)).collect()
            }

            fn call(&self, _: &Args<'_>) -> Result<Output> {
                no_result(stringify!($name))
            }
        }

        impl<M> $name<M> {
            /// The number of modules.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are no modules.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }
    )* };
}

modules! {
    /// A list of modules, named by their positions, as `torch.nn.ModuleList`. Calling it is an
    /// `argument` error.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Linear, Module, ModuleList};
    /// let mut list = ModuleList::from_iter([Linear::builder(2, 3).bias(false).build()?]);
    /// list.push(Linear::builder(3, 1).bias(false).build()?);
    /// assert_eq!(list.named_parameters()[1].0, "1.weight");
    /// assert_eq!((list.len(), list.iter().count()), (2, 2));
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    ModuleList<usize>: |index| index.to_string();
    /// Modules by name, in the order of insertion, as `torch.nn.ModuleDict`. Calling it is an
    /// `argument` error.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Linear, Module, ModuleDict};
    /// let mut heads = ModuleDict::from_iter([("value".to_string(), Linear::builder(2, 1).bias(false).build()?)]);
    /// heads.insert("policy", Linear::builder(2, 4).bias(false).build()?);
    /// assert_eq!(heads.named_parameters()[1].0, "policy.weight");
    /// assert!(heads.get("value").is_some() && heads.get("other").is_none());
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    ModuleDict<String>: |name| name.clone();
}

impl<M> ModuleList<M> {
    /// Appends a module.
    pub fn push(&mut self, module: M) {
        self.0.push((self.0.len(), module));
    }

    /// The module at a position.
    pub fn get(&self, index: usize) -> Option<&M> {
        self.0.get(index).map(|(_, module)| module)
    }

    /// A sequence of these modules.
    pub fn iter(&self) -> impl Iterator<Item = &M> {
        self.0.iter().map(|(_, module)| module)
    }
}

impl<M> FromIterator<M> for ModuleList<M> {
    fn from_iter<I: IntoIterator<Item = M>>(modules: I) -> ModuleList<M> {
        ModuleList(modules.into_iter().enumerate().collect())
    }
}

impl<M> ModuleDict<M> {
    /// The parameters and buffers that are fields of the container itself: none.
    pub const TENSORS: &'static [Declared] = &[];

    /// Sets the module of a name, and returns the previous one.
    pub fn insert(&mut self, name: impl Into<String>, module: M) -> Option<M> {
        let name = name.into();
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, held)) => Some(std::mem::replace(held, module)),
            None => {
                self.0.push((name, module));
                None
            }
        }
    }

    /// The module of this name.
    pub fn get(&self, name: &str) -> Option<&M> {
        self.iter().find(|(own, _)| *own == name).map(|(_, module)| module)
    }

    /// The modules with their names, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &M)> {
        self.0.iter().map(|(name, module)| (name.as_str(), module))
    }
}

impl<M> FromIterator<(String, M)> for ModuleDict<M> {
    fn from_iter<I: IntoIterator<Item = (String, M)>>(modules: I) -> ModuleDict<M> {
        let mut dict = ModuleDict(vec![]);
        modules.into_iter().for_each(|(name, module)| drop(dict.insert(name, module)));
        dict
    }
}

/// Parameters by name, in the order of insertion, as `torch.nn.ParameterDict`; the parameters of a
/// list are named by their positions. Calling it is an `argument` error.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Module, ParameterDict};
/// use lanthorn::Tensor;
/// let named = ParameterDict::new([("scale".to_string(), Tensor::ones([2])?)])?;
/// assert!(named.get("scale").is_some_and(|scale| scale.requires_grad()));
/// let listed = ParameterDict::list([Tensor::ones([2])?, Tensor::zeros([1])?])?;
/// assert_eq!(listed.named_parameters()[1].0, "1");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ParameterDict(Vec<(String, Parameter)>);

/// [`ParameterDict::list`].
pub type ParameterList = ParameterDict;

impl ParameterDict {
    /// Parameters that share the storage of these tensors: leaves that require gradients. Of two
    /// tensors of one name, `get` returns the first.
    ///
    /// # Errors
    ///
    /// `dtype` if a tensor is not floating point.
    pub fn new(tensors: impl IntoIterator<Item = (String, Tensor)>) -> Result<ParameterDict> {
        let leaf = |(name, tensor): (String, Tensor)| Ok((name, tensor.detach().requires_grad_(true)?));
        Ok(ParameterDict(tensors.into_iter().map(leaf).collect::<Result<_>>()?))
    }

    /// A list of parameters, as `torch.nn.ParameterList`.
    ///
    /// # Errors
    ///
    /// As [`ParameterDict::new`].
    pub fn list(tensors: impl IntoIterator<Item = Tensor>) -> Result<ParameterList> {
        ParameterDict::new(tensors.into_iter().enumerate().map(|(index, tensor)| (index.to_string(), tensor)))
    }

    /// The parameter of this name.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, parameter)| parameter)
    }
}

impl Module for ParameterDict {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.0.clone()
    }

    fn call(&self, _: &Args<'_>) -> Result<Output> {
        no_result("ParameterDict")
    }
}
