//! Parametrizations of one's own, several of which may follow one another, as
//! `torch.nn.utils.parametrize`.

use super::{Parametrization, Parametrized, leaf};
use crate::{Buffer, Module, Parameter};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::cell::RefCell;

/// A function from trained tensors to a parameter. As a [`Module`] it may have parameters and
/// buffers, which are part of the module that it is registered on.
pub trait ParameterMap: Module {
    /// The parameter, or the argument of the next map of a list. Only the first map of a list may
    /// take several tensors.
    ///
    /// # Errors
    ///
    /// The errors of the operations that compute the parameter.
    fn map(&self, originals: &[Tensor]) -> Result<Tensor>;

    /// The tensors for which [`map`](ParameterMap::map) returns `value`; `None` if there is no such
    /// function. The tensors that are trained begin with it.
    ///
    /// # Errors
    ///
    /// The errors of the operations that compute the tensors.
    fn right_inverse(&self, _value: &Tensor) -> Result<Option<Vec<Tensor>>> {
        Ok(None)
    }
}

/// The maps of one parameter, in order, and the tensors that are trained: see
/// [`register_parametrization`].
pub struct ParametrizationList {
    originals: Vec<Parameter>,
    maps: RefCell<Vec<Box<dyn ParameterMap>>>,
}

/// Has a parameter of a module computed by `map` before every call, as
/// `torch.nn.utils.parametrize.register_parametrization`.
///
/// The trained tensor is `parametrizations.NAME.original`, or `original0`, `original1` and so on if
/// the map has several. It begins with the map's right inverse of the parameter, or with the
/// parameter. [`Parametrized::register`] adds a second map.
///
/// # Errors
///
/// `argument` if the module has no parameter of this name; `shape` or `dtype` if the map changes
/// the shape or the type of the parameter.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Linear, Module, ParameterMap, register_parametrization};
/// use lanthorn::{Result, Tensor, ops::{Args, Output}};
///
/// struct Symmetric;
/// # impl Module for Symmetric {
/// #     fn call(&self, inputs: &Args<'_>) -> Result<Output> {
/// #         Ok(self.map(&[inputs.tensor(0).clone()])?.into())
/// #     }
/// # }
/// impl ParameterMap for Symmetric {
///     fn map(&self, originals: &[Tensor]) -> Result<Tensor> {
///         let upper = originals[0].triu(0)?;
///         upper.add(&originals[0].triu(1)?.t()?)
///     }
/// }
///
/// let layer = register_parametrization(Linear::new(3, 3)?, "weight", Symmetric)?;
/// let weight = layer.weight()?;
/// assert!(pollster::block_on(weight.eq(&weight.t()?)?.all((), false)?.item())? != 0.0);
/// assert_eq!(layer.named_parameters()[1].0, "parametrizations.weight.original");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn register_parametrization<M: Module>(
    module: M,
    name: &str,
    map: impl ParameterMap,
) -> Result<Parametrized<M, ParametrizationList>> {
    Parametrized::make(module, name, |weight| {
        let before = no_grad(|| weight.clone_tensor())?;
        let originals = match no_grad(|| map.right_inverse(&before))?.as_deref() {
            // The same tensor, so that an optimizer continues with it.
            Some([value]) if value.shape() == weight.shape() && value.dtype() == weight.dtype() => {
                no_grad(|| weight.copy_(value))?;
                vec![weight.clone()]
            }
            Some(tensors) => tensors.iter().map(leaf).collect::<Result<Vec<_>>>()?,
            None => vec![weight.clone()],
        };
        let list = ParametrizationList { originals, maps: RefCell::new(vec![Box::new(map)]) };
        list.check(&before).inspect_err(|_| drop(no_grad(|| weight.copy_(&before))))?;
        Ok(list)
    })
}

impl ParametrizationList {
    /// Refuses maps whose result has another shape or type than the parameter.
    fn check(&self, before: &Tensor) -> Result<()> {
        let after = no_grad(|| self.value(true))?;
        let of = |tensor: &Tensor| format!("{} {}", tensor.dtype(), tensor.shape());
        match (after.shape() == before.shape(), after.dtype() == before.dtype()) {
            (true, true) => Ok(()),
            (false, _) => Err(Error::shape(Self::NAME, format!("the map makes {} of {}", of(&after), of(before)))),
            (true, false) => Err(Error::dtype(Self::NAME, format!("the map makes {} of {}", of(&after), of(before)))),
        }
    }

    /// Sets the trained tensors so that the maps return `value`.
    fn assign(&self, value: &Tensor) -> Result<()> {
        no_grad(|| {
            let mut tensors = vec![value.detach()];
            for map in self.maps.borrow().iter().rev() {
                let [value] = &tensors[..] else {
                    return Err(Error::argument(Self::NAME, "only the first map of a list has several tensors"));
                };
                tensors = map.right_inverse(value)?.ok_or_else(|| {
                    let message = format!("{} has no right_inverse, so the parameter cannot be set", map.type_name());
                    Error::argument(Self::NAME, message)
                })?;
            }
            if tensors.len() != self.originals.len() {
                let counts = format!("{} tensors for {}", tensors.len(), self.originals.len());
                return Err(Error::argument(Self::NAME, format!("right_inverse returned {counts}")));
            }
            self.originals.iter().zip(&tensors).try_for_each(|(original, tensor)| original.copy_(tensor))
        })
    }

    fn of_maps(&self, tensors: impl Fn(&dyn Module) -> Vec<(String, Tensor)>) -> Vec<(String, Tensor)> {
        let maps = self.maps.borrow();
        let named = maps.iter().enumerate().flat_map(|(index, map)| {
            tensors(map.as_ref()).into_iter().map(move |(name, tensor)| (format!("{index}.{name}"), tensor))
        });
        named.collect()
    }
}

impl Parametrization for ParametrizationList {
    const NAME: &'static str = "register_parametrization";

    fn originals(&self) -> Vec<(String, Parameter)> {
        let single = self.originals.len() == 1;
        let name = |index: usize| if single { "original".to_string() } else { format!("original{index}") };
        let own = self.originals.iter().enumerate().map(|(index, tensor)| (name(index), tensor.clone()));
        own.chain(self.of_maps(|map| map.named_parameters())).collect()
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        self.of_maps(|map| map.named_buffers())
    }

    fn train(&self, mode: bool) {
        self.maps.borrow().iter().for_each(|map| map.train(mode));
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        let maps = self.maps.borrow();
        let Some((first, others)) = maps.split_first() else {
            return Err(Error::argument(Self::NAME, "there is no map"));
        };
        let value = first.map(&self.originals)?;
        others.iter().try_fold(value, |value, map| map.map(&[value]))
    }
}

impl<M: Module> Parametrized<M, ParametrizationList> {
    /// Adds a map that takes the result of those before.
    ///
    /// # Errors
    ///
    /// As of [`register_parametrization`]; nothing is changed then. `argument` if the map has a
    /// right inverse of several tensors.
    pub fn register(&self, map: impl ParameterMap) -> Result<()> {
        let list = &self.parametrization;
        let before = no_grad(|| self.weight())?;
        let inverse = no_grad(|| map.right_inverse(&before))?;
        let originals = list.originals.iter().map(|original| original.detach().clone_tensor());
        let originals = originals.collect::<Result<Vec<_>>>()?;
        let added = match inverse.as_deref() {
            Some([value]) => list.assign(value),
            Some(_) => {
                Err(Error::argument(ParametrizationList::NAME, "the right_inverse of a second map returns one tensor"))
            }
            None => Ok(()),
        };
        let added = added.and_then(|()| {
            list.maps.borrow_mut().push(Box::new(map));
            list.check(&before).inspect_err(|_| drop(list.maps.borrow_mut().pop()))
        });
        added.or_else(|error| {
            no_grad(|| {
                list.originals.iter().zip(&originals).try_for_each(|(original, before)| original.copy_(before))
            })?;
            Err(error)
        })
    }

    /// Sets the computed parameter: the maps' right inverses are the trained tensors.
    ///
    /// # Errors
    ///
    /// `argument` if a map has no right inverse; `shape` if `value` has another shape.
    pub fn set_weight(&self, value: &Tensor) -> Result<()> {
        let shape = no_grad(|| self.weight())?.shape().clone();
        if value.shape() != &shape {
            let message = format!("the parameter has shape {shape}, the value {}", value.shape());
            return Err(Error::shape(ParametrizationList::NAME, message));
        }
        self.parametrization.assign(value)
    }
}

/// The module without its parametrization, as
/// `torch.nn.utils.parametrize.remove_parametrizations`: its parameter is the computed one, or with
/// `leave_parametrized: false` the trained one. A single trained tensor of the same shape stays the
/// same tensor, so that an optimizer continues with it.
///
/// # Errors
///
/// `argument` if `leave_parametrized` is false and several tensors are trained.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, WeightNorm, is_parametrized, remove_parametrizations};
/// let layer = WeightNorm::new(Linear::new(3, 3)?, "weight", Some(0))?;
/// assert!(is_parametrized(&layer, Some("weight")));
/// let layer = remove_parametrizations(layer, true)?;
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["weight", "bias"]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn remove_parametrizations<M: Module, P: Parametrization>(
    module: Parametrized<M, P>,
    leave_parametrized: bool,
) -> Result<M> {
    let originals: Vec<Tensor> = module.parametrization.originals().into_iter().map(|(_, tensor)| tensor).collect();
    let single = module.parametrization.originals().into_iter().find(|(name, _)| name == "original");
    let parameter = match (single, leave_parametrized) {
        (Some((_, original)), false) => original,
        (None, false) => {
            let message = format!("{} tensors are trained: only the computed parameter can be left", originals.len());
            return Err(Error::argument("remove_parametrizations", message));
        }
        (single, true) => {
            let value = no_grad(|| module.weight())?;
            match single {
                Some((_, original)) if original.shape() == value.shape() && original.dtype() == value.dtype() => {
                    no_grad(|| original.copy_(&value))?;
                    original
                }
                _ => leaf(&value)?,
            }
        }
    };
    module.undo(&parameter)
}

/// Whether a parameter of this module is computed, the one of this name or any, as
/// `torch.nn.utils.parametrize.is_parametrized`.
pub fn is_parametrized(module: &dyn Module, name: Option<&str>) -> bool {
    let prefix = name.map_or("parametrizations.".to_string(), |name| format!("parametrizations.{name}."));
    let tensors = module.own_parameters().into_iter().chain(module.own_buffers());
    tensors.into_iter().any(|(own, _)| own.starts_with(&prefix))
}
