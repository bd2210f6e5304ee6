//! A function of one sample as a function of many.

use crate::{
    Error, Result, Tensor,
    batch::{self, Level, Randomness},
};

/// Options of [`vmap`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VmapOptions {
    /// The dimension of the samples in each input; `None` for an input that all samples share.
    /// Empty: dimension 0 of every input.
    pub in_dims: Vec<Option<i64>>,
    /// The dimension of the samples in each output. Empty: dimension 0 of every output.
    pub out_dims: Vec<i64>,
    /// What random operations do.
    pub randomness: Randomness,
    /// The largest number of samples that are computed together; all without it.
    pub chunk_size: Option<usize>,
}

/// A running `vmap`, for callers that cannot use a closure. [`Vmap::unwrap`] is called for every
/// output, then the value is dropped.
pub struct Vmap {
    level: Level,
}

impl Drop for Vmap {
    fn drop(&mut self) {
        batch::leave(self.level);
    }
}

impl Vmap {
    /// Begins a `vmap` over inputs with samples along `in_dims`. Returns it with the inputs of one
    /// sample, as the function sees them.
    ///
    /// # Errors
    ///
    /// `argument` if no input has samples, or `in_dims` has another length than `inputs`; `index`
    /// if an input does not have its dimension; `shape` if the numbers of samples differ or are 0.
    pub fn start(inputs: &[Tensor], in_dims: &[Option<i64>], randomness: Randomness) -> Result<(Vmap, Vec<Tensor>)> {
        let dims = dims_of("in_dims", in_dims, inputs.len(), Some(0))?;
        let size = samples(inputs, &dims)?;
        let vmap = Vmap { level: batch::enter(size, randomness) };
        let sample = |(input, dim): (&Tensor, &Option<i64>)| match dim {
            Some(dim) => batch::unstack(&input.movedim(*dim, 0)?, vmap.level),
            None => Ok(input.clone()),
        };
        let tensors = inputs.iter().zip(&dims).map(sample).collect::<Result<_>>()?;
        Ok((vmap, tensors))
    }

    /// An output of the function with the samples as dimension `out_dim`.
    ///
    /// # Errors
    ///
    /// `index` if the output does not have that dimension.
    pub fn unwrap(&self, output: &Tensor, out_dim: i64) -> Result<Tensor> {
        let stacked = batch::stack(output, self.level)?;
        if out_dim == 0 { Ok(stacked) } else { stacked.movedim(0, out_dim).map_err(|error| error.in_op("vmap")) }
    }
}

/// Whether the function of a `vmap` is running on this thread. Calls are not recorded then.
pub fn is_vmap_active() -> bool {
    batch::is_active()
}

/// One entry for each of `count` tensors.
fn dims_of<T: Copy>(name: &str, given: &[T], count: usize, default: T) -> Result<Vec<T>> {
    match given.len() {
        0 => Ok(vec![default; count]),
        1 => Ok(vec![given[0]; count]),
        length if length == count => Ok(given.to_vec()),
        length => Err(Error::argument("vmap", format!("{name} has {length} entries for {count} tensors"))),
    }
}

/// The number of samples of inputs.
fn samples(inputs: &[Tensor], dims: &[Option<i64>]) -> Result<usize> {
    let mut known: Option<(usize, usize)> = None;
    for (index, (input, dim)) in inputs.iter().zip(dims).enumerate() {
        let Some(dim) = dim else { continue };
        if input.rank() == 0 {
            let message = format!("input {index} has no dimensions, so it has none of samples: its in_dims is none");
            return Err(Error::index("vmap", message));
        }
        let size = input.shape()[input.shape().dim("vmap", *dim)?];
        match known {
            Some((first, other)) if other != size => {
                let message = format!("input {first} has {other} samples, input {index} has {size}");
                return Err(Error::shape("vmap", message));
            }
            _ => known = known.or(Some((index, size))),
        }
    }
    match known {
        None => Err(Error::argument("vmap", "no input has samples: every entry of in_dims is none")),
        Some((index, 0)) => Err(Error::shape("vmap", format!("input {index} has no samples"))),
        Some((_, size)) => Ok(size),
    }
}

/// A function of one sample as a function of many, as `torch.func.vmap`: the operations run once,
/// over all samples.
///
/// Within the function a tensor has the shape of one sample. It cannot be read there, and neither
/// can an operation whose result's shape depends on the elements run.
///
/// # Errors
///
/// Of the returned function: as of [`Vmap::start`]; `argument` for a random operation without
/// [`VmapOptions::randomness`], for a read within the function, and for a write of what differs
/// between samples to a tensor that they share.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let rows = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// let dot = func::vmap(|x| Ok(vec![x[0].matmul(&x[1])?]), Default::default());
/// assert_eq!(pollster::block_on(dot(&[rows.clone(), rows])?[0].to_vec::<f32>())?, [5.0, 25.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vmap<F>(function: F, options: VmapOptions) -> impl Fn(&[Tensor]) -> Result<Vec<Tensor>>
where
    F: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
{
    move |inputs| {
        let dims = dims_of("in_dims", &options.in_dims, inputs.len(), Some(0))?;
        let size = samples(inputs, &dims)?;
        let chunk = options.chunk_size.unwrap_or(size);
        if chunk == 0 {
            return Err(Error::argument("vmap", "chunk_size is at least 1, not 0"));
        }
        if chunk >= size {
            return run(&function, inputs, &dims, &options);
        }
        let chunks = (0..size).step_by(chunk).map(|start| {
            let length = chunk.min(size - start) as i64;
            let part = |(input, dim): (&Tensor, &Option<i64>)| match dim {
                Some(dim) => input.narrow(*dim, start as i64, length),
                None => Ok(input.clone()),
            };
            let parts = inputs.iter().zip(&dims).map(part).collect::<Result<Vec<_>>>()?;
            run(&function, &parts, &dims, &options)
        });
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let count = chunks.first().map_or(0, Vec::len);
        let out_dims = dims_of("out_dims", &options.out_dims, count, 0)?;
        let whole = |output: usize| {
            let parts: Vec<Tensor> = chunks.iter().map(|outputs| outputs[output].clone()).collect();
            Tensor::cat(&parts, out_dims[output])
        };
        (0..count).map(whole).collect()
    }
}

fn run<F>(function: &F, inputs: &[Tensor], dims: &[Option<i64>], options: &VmapOptions) -> Result<Vec<Tensor>>
where
    F: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
{
    let (vmap, sample) = Vmap::start(inputs, dims, options.randomness)?;
    let outputs = function(&sample)?;
    let out_dims = dims_of("out_dims", &options.out_dims, outputs.len(), 0)?;
    outputs.iter().zip(out_dims).map(|(output, dim)| vmap.unwrap(output, dim)).collect()
}
