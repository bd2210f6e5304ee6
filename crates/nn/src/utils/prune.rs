//! Pruning: a mask sets elements of a parameter to zero, as `torch.nn.utils.prune`.
//!
//! A fraction is one of the elements that are not pruned yet. Their number is on the device when a
//! mask was computed there, so that elements are ranked and the smallest ranks are pruned, without
//! a read.

use crate::{Buffer, Module, Parameter, Parametrization, Parametrized};
use lanthorn_tensor::{DType, Error, Result, Tensor, no_grad};
use std::cell::RefCell;

/// How much to prune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A number of elements or channels.
    Count(usize),
    /// A fraction, from 0 to 1, of those that are not pruned yet; half of one is rounded to an even
    /// number.
    Fraction(f64),
}

impl From<usize> for Amount {
    fn from(count: usize) -> Amount {
        Amount::Count(count)
    }
}

impl From<f64> for Amount {
    fn from(fraction: f64) -> Amount {
        Amount::Fraction(fraction)
    }
}

impl Amount {
    /// Refuses an amount beyond `size` elements.
    fn check(self, op: &str, size: usize) -> Result<()> {
        match self {
            Amount::Count(count) if count > size => {
                Err(Error::argument(op, format!("amount is at most the {size} to prune from, not {count}")))
            }
            Amount::Fraction(fraction) if !(0.0..=1.0).contains(&fraction) => {
                Err(Error::argument(op, format!("amount is a fraction from 0 to 1 or a count, not {fraction}")))
            }
            _ => Ok(()),
        }
    }

    /// The number to prune from those that `alive` marks with 1.
    fn of(self, alive: &Tensor) -> Result<Tensor> {
        match self {
            Amount::Count(count) => Tensor::full_with([], count as f64, DType::F32, Some(alive.device())),
            Amount::Fraction(fraction) => alive.sum((), false)?.mul(fraction)?.round(),
        }
    }
}

/// A way to select the elements to prune.
#[derive(Clone)]
pub enum Method {
    /// None.
    Identity,
    /// The elements of the smallest absolute values.
    L1Unstructured(Amount),
    /// Random ones.
    RandomUnstructured(Amount),
    /// The channels along `dim` of the smallest norm of order `n`.
    LnStructured {
        /// How many channels.
        amount: Amount,
        /// The order of the norm.
        n: f64,
        /// The dimension of the channels.
        dim: i64,
    },
    /// Random channels along `dim`.
    RandomStructured {
        /// How many channels.
        amount: Amount,
        /// The dimension of the channels.
        dim: i64,
    },
    /// Those where a tensor of the parameter's shape is 0.
    CustomFromMask(Tensor),
}

impl Method {
    /// PyTorch's name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Identity => "identity",
            Method::L1Unstructured(_) => "l1_unstructured",
            Method::RandomUnstructured(_) => "random_unstructured",
            Method::LnStructured { .. } => "ln_structured",
            Method::RandomStructured { .. } => "random_structured",
            Method::CustomFromMask(_) => "custom_from_mask",
        }
    }

    /// The mask after a mask: 1 where an element stays. `scores` are the importances of the
    /// elements, of the mask's shape.
    ///
    /// # Errors
    ///
    /// `argument` if the amount is beyond the elements; `shape` if a mask or scores have another
    /// shape, or channels are selected of a vector; `index` if a dimension is out of range.
    pub fn mask(&self, scores: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let op = self.name();
        if scores.shape() != mask.shape() {
            let message = format!("the scores have shape {}, the parameter {}", scores.shape(), mask.shape());
            return Err(Error::shape(op, message));
        }
        no_grad(|| match self {
            Method::Identity => Ok(mask.clone()),
            Method::L1Unstructured(amount) => {
                amount.check(op, mask.numel())?;
                let kept = keep(&scores.abs()?.flatten(0, -1)?, &mask.flatten(0, -1)?, *amount)?;
                kept.reshape(mask.shape())?.mul(mask)
            }
            Method::RandomUnstructured(amount) => {
                amount.check(op, mask.numel())?;
                let flat = mask.flatten(0, -1)?;
                keep(&random(&flat)?, &flat, *amount)?.reshape(mask.shape())?.mul(mask)
            }
            Method::LnStructured { amount, n, dim } => {
                let others = channels(op, mask, *dim, *amount)?;
                let norms = scores.linalg_vector_norm(*n, &others[..], true)?;
                keep_channels(&norms, mask, &others, *amount)
            }
            Method::RandomStructured { amount, dim } => {
                let others = channels(op, mask, *dim, *amount)?;
                let shape = mask.amax(&others[..], true)?;
                keep_channels(&random(&shape)?, mask, &others, *amount)
            }
            Method::CustomFromMask(custom) => {
                if custom.shape() != mask.shape() {
                    let message = format!("the mask has shape {}, the parameter {}", custom.shape(), mask.shape());
                    return Err(Error::shape(op, message));
                }
                mask.mul(&custom.detach().to(mask.dtype())?)
            }
        })
    }
}

fn random(like: &Tensor) -> Result<Tensor> {
    Tensor::rand_with(like.shape(), DType::F32, Some(like.device()))
}

/// The dimensions but `dim`.
fn channels(op: &str, mask: &Tensor, dim: i64, amount: Amount) -> Result<Vec<i64>> {
    if mask.rank() < 2 {
        let message =
            format!("channels are pruned of a parameter of at least 2 dimensions, not of shape {}", mask.shape());
        return Err(Error::shape(op, message));
    }
    let dim = mask.shape().dim(op, dim)?;
    amount.check(op, mask.shape()[dim])?;
    Ok((0..mask.rank()).filter(|&other| other != dim).map(|other| other as i64).collect())
}

/// 1 for each element that stays, of those that `alive` marks with 1.
fn keep(importance: &Tensor, alive: &Tensor, amount: Amount) -> Result<Tensor> {
    let last = Tensor::r#where(&alive.eq(0.0)?, f64::INFINITY, importance)?;
    let ranks = last.argsort(0, false)?.argsort(0, false)?;
    let count = amount.of(&alive.to(DType::F32)?)?.to(ranks.dtype())?;
    ranks.ge(&count)?.to(alive.dtype())
}

/// The mask without the channels of the smallest importance.
fn keep_channels(importance: &Tensor, mask: &Tensor, others: &[i64], amount: Amount) -> Result<Tensor> {
    let alive = mask.amax(others, true)?;
    let kept = keep(&importance.flatten(0, -1)?, &alive.flatten(0, -1)?, amount)?;
    kept.reshape(alive.shape())?.mul(mask)
}

/// A module with a pruned parameter: `weight` is `weight_orig` times `weight_mask`, PyTorch's names
/// for a trained parameter and a buffer.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, utils::prune::{Method, Pruned}};
/// let layer = Linear::builder(4, 2).bias(false).build()?;
/// let layer = Pruned::new(layer, "weight", &Method::L1Unstructured(0.5.into()))?;
/// assert_eq!(pollster::block_on(layer.mask().sum((), false)?.item())?, 4.0);
/// layer.prune(&Method::L1Unstructured(0.5.into()))?; // Half of the rest.
/// assert_eq!(pollster::block_on(layer.mask().sum((), false)?.item())?, 2.0);
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["weight_orig"]);
/// let layer = layer.remove()?; // The zeros stay.
/// assert_eq!(layer.named_parameters()[0].0, "weight");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub type Pruned<M> = Parametrized<M, Mask>;

/// A trained tensor and its mask: see [`Pruned`].
pub struct Mask {
    original: Parameter,
    mask: RefCell<Buffer>,
}

impl Parametrization for Mask {
    const NAME: &'static str = "prune";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![("orig".into(), self.original.clone())]
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        vec![("mask".into(), self.mask.borrow().clone())]
    }

    fn full_name(parameter: &str, name: &str) -> String {
        format!("{parameter}_{name}")
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        self.original.mul(&*self.mask.borrow())
    }
}

impl<M: Module> Pruned<M> {
    /// The module with its own parameter `name` pruned.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no such parameter; otherwise as of [`Method::mask`].
    pub fn new(module: M, name: &str, method: &Method) -> Result<Pruned<M>> {
        Parametrized::make(module, name, |weight| {
            let mask = method.mask(&weight.detach(), &Tensor::ones_like(&weight.detach())?)?;
            Ok(Mask { original: weight.clone(), mask: RefCell::new(mask) })
        })
    }

    /// The mask: 1 where an element stays.
    pub fn mask(&self) -> Buffer {
        self.parametrization().mask.borrow().clone()
    }

    /// Prunes elements that are not pruned yet.
    ///
    /// # Errors
    ///
    /// As of [`Method::mask`].
    pub fn prune(&self, method: &Method) -> Result<()> {
        let mask = method.mask(&no_grad(|| self.weight())?, &self.mask())?;
        no_grad(|| self.mask().copy_(&mask))
    }

    /// The module with the pruned parameter as its own, the same tensor as before.
    ///
    /// # Errors
    ///
    /// `argument` if another owner holds the module.
    pub fn remove(self) -> Result<M> {
        let original = self.parametrization().original.clone();
        no_grad(|| original.copy_(&self.weight()?))?;
        self.undo(&original)
    }
}

/// A pruned parameter of any module.
pub trait Prunable {
    /// The parameter as calls use it.
    ///
    /// # Errors
    ///
    /// The errors of the product with the mask.
    fn scores(&self) -> Result<Tensor>;
    /// The mask.
    fn current_mask(&self) -> Tensor;
    /// Prunes it by a method.
    ///
    /// # Errors
    ///
    /// As of [`Method::mask`].
    fn apply(&self, method: &Method) -> Result<()>;
}

impl<M: Module> Prunable for Pruned<M> {
    fn scores(&self) -> Result<Tensor> {
        no_grad(|| self.weight())
    }

    fn current_mask(&self) -> Tensor {
        self.mask()
    }

    fn apply(&self, method: &Method) -> Result<()> {
        self.prune(method)
    }
}

/// Prunes several parameters as if they were one vector, as
/// `torch.nn.utils.prune.global_unstructured`. A parameter that is not pruned yet begins with
/// [`Method::Identity`].
///
/// # Errors
///
/// `argument` if the method selects channels or there are no parameters; otherwise as of
/// [`Method::mask`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, utils::prune::{Method, Pruned, global_unstructured}};
/// let made = || Pruned::new(Linear::new(4, 2)?, "weight", &Method::Identity);
/// let (one, other) = (made()?, made()?);
/// global_unstructured(&[&one, &other], &Method::L1Unstructured(6.into()))?;
/// let left = one.mask().sum((), false)?.add(&other.mask().sum((), false)?)?;
/// assert_eq!(pollster::block_on(left.item())?, 10.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn global_unstructured(parameters: &[&dyn Prunable], method: &Method) -> Result<()> {
    const OP: &str = "global_unstructured";
    if parameters.is_empty() || matches!(method, Method::LnStructured { .. } | Method::RandomStructured { .. }) {
        return Err(Error::argument(OP, "takes parameters, and a method that selects elements"));
    }
    let flat = |tensors: Vec<Tensor>| -> Result<Tensor> {
        let flat = tensors.iter().map(|tensor| tensor.flatten(0, -1)).collect::<Result<Vec<_>>>()?;
        Tensor::cat(&flat, 0)
    };
    let scores = parameters.iter().map(|parameter| parameter.scores()).collect::<Result<Vec<_>>>()?;
    let masks: Vec<Tensor> = parameters.iter().map(|parameter| parameter.current_mask()).collect();
    let sizes: Vec<i64> = masks.iter().map(|mask| mask.numel() as i64).collect();
    let mask = no_grad(|| method.mask(&flat(scores)?, &flat(masks.clone())?)?.split_with_sizes(&sizes[..], 0))?;
    for ((parameter, part), before) in parameters.iter().zip(mask).zip(masks) {
        parameter.apply(&Method::CustomFromMask(part.reshape(before.shape())?))?;
    }
    Ok(())
}
