//! The trait of transforms, and transforms of transforms.

use crate::host::Random;
use crate::tv_tensors::{TvKind, TvTensor, image};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// A transform of pictures, and of the masks and boxes that belong to them.
pub trait Transform {
    /// The sample transformed, with the choices that `random` makes. All tensors of a sample are
    /// transformed alike.
    ///
    /// # Errors
    /// The errors of the transform's function.
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>>;

    /// A picture transformed, or a batch of pictures, all alike. Choices follow from the generator
    /// of the device, which `manual_seed` seeds.
    ///
    /// # Errors
    /// `shape` if `img` has fewer than three dimensions, and the errors of the transform's
    /// function.
    fn forward(&self, img: &Tensor) -> Result<Tensor> {
        let made = self.apply(&[image(img)?], &Random::draw_from(img))?;
        Ok(made[0].data().clone())
    }

    /// A sample of pictures, masks and boxes transformed. Choices follow from the generator of the
    /// device, which `manual_seed` seeds.
    ///
    /// # Errors
    /// `argument` if the sample is empty, and the errors of the transform's function.
    fn forward_sample(&self, sample: &[TvTensor]) -> Result<Vec<TvTensor>> {
        if sample.is_empty() {
            return Err(Error::argument("forward_sample", "sample must have a tensor".to_string()));
        }
        self.apply(sample, &Random::draw_from(sample[0].data()))
    }

    /// A batch `[N, C, H, W]` of pictures transformed, each with the choices of its seed.
    ///
    /// # Errors
    /// `shape` if there is not a seed for each picture, and the errors of the transform's function.
    fn forward_batch(&self, imgs: &Tensor, seeds: &[i64]) -> Result<Tensor> {
        if imgs.rank() < 4 || imgs.shape()[0] != seeds.len() {
            let (shape, count) = (imgs.shape(), seeds.len());
            let message = format!("imgs must have shape [{count}, C, H, W] for {count} seeds, and has {shape}");
            return Err(Error::shape("forward_batch", message));
        }
        let mut made = vec![];
        for index in 0..seeds.len() {
            let own = imgs.select(0, index as i64)?;
            let changed = self.apply(&[image(&own)?], &Random::from_seed(seeds[index])?)?;
            made.push(changed[0].data().clone());
        }
        Tensor::stack(&made, 0)
    }
}

/// Whether an element of a sample is a picture or a video.
pub(crate) fn is_picture(item: &TvTensor) -> bool {
    item.kind() == TvKind::Image || item.kind() == TvKind::Video
}

/// The sample with its pictures changed by a function.
pub(crate) fn with_pictures(sample: &[TvTensor], change: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Vec<TvTensor>> {
    let mut made = vec![];
    for item in sample {
        made.push(if is_picture(item) { item.with_data(&change(item.data())?) } else { item.clone() });
    }
    Ok(made)
}

/// Refuses a number that is no probability.
pub(crate) fn check_probability(op: &str, p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Error::argument(op, format!("p must be a probability from 0 to 1, and is {p}")))
}

/// Transforms in sequence, as `torchvision.transforms.Compose`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::{Compose, Normalize, ToDtype, Transform}};
/// use std::rc::Rc;
/// let scale = ToDtype::new(DType::F32, true);
/// let center = Normalize::new(&[0.5], &[0.5])?;
/// let both = Compose::new(&[Rc::new(scale), Rc::new(center)]);
/// let img = Tensor::from_slice(&[255u8], [1, 1, 1], &device)?;
/// assert_eq!(pollster::block_on(both.forward(&img)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Compose {
    transforms: Vec<Rc<dyn Transform>>,
}

impl Compose {
    /// The transforms in this order.
    pub fn new(transforms: &[Rc<dyn Transform>]) -> Compose {
        Compose { transforms: transforms.to_vec() }
    }
}

impl Transform for Compose {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let mut made = sample.to_vec();
        for transform in &self.transforms {
            made = transform.apply(&made, random)?;
        }
        Ok(made)
    }
}

/// Transforms in sequence with a probability, as `torchvision.transforms.RandomApply`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomApply, RandomHorizontalFlip, Transform}};
/// use std::rc::Rc;
/// let never = RandomApply::new(&[Rc::new(RandomHorizontalFlip::new(1.0)?)], 0.0)?;
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(never.forward(&img)?.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomApply {
    transforms: Vec<Rc<dyn Transform>>,
    p: f64,
}

impl RandomApply {
    /// The transforms, applied with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(transforms: &[Rc<dyn Transform>], p: f64) -> Result<RandomApply> {
        check_probability("RandomApply", p)?;
        Ok(RandomApply { transforms: transforms.to_vec(), p })
    }
}

impl Transform for RandomApply {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let mut made = sample.to_vec();
        if random.chance(self.p) {
            for transform in &self.transforms {
                made = transform.apply(&made, random)?;
            }
        }
        Ok(made)
    }
}

/// One of several transforms, as `torchvision.transforms.RandomChoice`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomChoice, RandomHorizontalFlip, Transform}};
/// use std::rc::Rc;
/// let one = RandomChoice::new(&[Rc::new(RandomHorizontalFlip::new(1.0)?)], None)?;
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(one.forward(&img)?.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomChoice {
    transforms: Vec<Rc<dyn Transform>>,
    p: Vec<f64>,
}

impl RandomChoice {
    /// The transforms, each with the probability `p` of its index in proportion, by default equal.
    ///
    /// # Errors
    /// `argument` if there is no transform, or if `p` has another number of elements.
    pub fn new(transforms: &[Rc<dyn Transform>], p: Option<&[f64]>) -> Result<RandomChoice> {
        let equal = vec![1.0; transforms.len()];
        let weights = match p {
            Some(given) => given.to_vec(),
            None => equal,
        };
        if transforms.is_empty() || weights.len() != transforms.len() {
            let (count, given) = (transforms.len(), weights.len());
            let message = format!("p must have a probability for each of {count} transforms, and has {given}");
            return Err(Error::argument("RandomChoice", message));
        }
        Ok(RandomChoice { transforms: transforms.to_vec(), p: weights })
    }
}

impl Transform for RandomChoice {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let mut total = 0.0;
        for weight in &self.p {
            total += *weight;
        }
        let mut rest = random.uniform(0.0, total);
        let mut chosen = 0;
        while chosen + 1 < self.p.len() && rest >= self.p[chosen] {
            rest -= self.p[chosen];
            chosen += 1;
        }
        self.transforms[chosen].apply(sample, random)
    }
}

/// Transforms in a random order, as `torchvision.transforms.RandomOrder`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomHorizontalFlip, RandomOrder, Transform}};
/// use std::rc::Rc;
/// let flip = Rc::new(RandomHorizontalFlip::new(1.0)?);
/// let twice = RandomOrder::new(&[flip.clone(), flip]);
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(twice.forward(&img)?.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomOrder {
    transforms: Vec<Rc<dyn Transform>>,
}

impl RandomOrder {
    /// The transforms.
    pub fn new(transforms: &[Rc<dyn Transform>]) -> RandomOrder {
        RandomOrder { transforms: transforms.to_vec() }
    }
}

impl Transform for RandomOrder {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let mut made = sample.to_vec();
        for index in random.permutation(self.transforms.len()) {
            made = self.transforms[index].apply(&made, random)?;
        }
        Ok(made)
    }
}

/// A function of the program as a transform of pictures, as `torchvision.transforms.Lambda`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{Lambda, Transform}};
/// use std::rc::Rc;
/// let double = Lambda::new(Rc::new(|img: &Tensor| img * 2.0));
/// assert_eq!(pollster::block_on(double.forward(&Tensor::ones([1, 1, 1])?)?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Lambda {
    lambd: Rc<dyn Fn(&Tensor) -> Result<Tensor>>,
}

impl Lambda {
    /// The function of a picture.
    pub fn new(lambd: Rc<dyn Fn(&Tensor) -> Result<Tensor>>) -> Lambda {
        Lambda { lambd }
    }
}

impl Transform for Lambda {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        let lambd = self.lambd.clone();
        with_pictures(sample, |img| lambd(img))
    }
}
