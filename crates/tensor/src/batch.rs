//! Batches of tensors that count as one: what `vmap` makes of its inputs.
//!
//! Within `vmap` a function sees the tensors of one sample. The storage of such a tensor holds the
//! elements of all samples, one sample after another, and names the [`Level`]s, one for each `vmap`
//! around. Shape and layout describe one sample, so operations, views and derivatives know
//! nothing of batches: [`record`] adds the batch to the kernel as a dimension
//! ([`lanthorn_ir::Kernel::batch`]). Every operation can therefore be batched, forward and
//! backward.
//!
//! A gradient may have levels that its tensor does not have: where all samples share the tensor.
//! While the level's function runs, the gradient is one for each sample, as gradients for each
//! sample want. Afterwards it is summed over the samples ([`settle`]).
//!
//! Rejected: a rule for each operation, as in functorch, which is 85 rules for the kernels here and
//! as many again for their derivatives; and tensors that wrap tensors, which need those rules.

use crate::{
    DType, Device, Error, Result, Tensor,
    autograd::{Derivative, attach, no_grad},
    ops::Arg,
    storage::copy_elements,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{Instruction, Program},
    kernel,
};
use lanthorn_runtime::{Param, Value};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The name of the kernels and nodes between a batch and its samples.
const OP: &str = "vmap";

/// What random operations do within `vmap`, as the argument `randomness` of `torch.func.vmap`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Randomness {
    /// A random operation is an error.
    #[default]
    Error,
    /// Each sample draws different numbers.
    Different,
    /// All samples draw the same numbers.
    Same,
}

/// One `vmap` that runs, or ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Later levels, which are within earlier ones, have larger numbers.
    pub id: u64,
    /// The number of samples.
    pub size: usize,
    pub randomness: Randomness,
}

/// The levels of a storage, outermost first: usually none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch(Option<Rc<[Level]>>);

impl Batch {
    pub fn of(levels: Vec<Level>) -> Batch {
        Batch((!levels.is_empty()).then(|| levels.into()))
    }

    pub fn levels(&self) -> &[Level] {
        self.0.as_deref().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn has(&self, id: u64) -> bool {
        self.levels().iter().any(|level| level.id == id)
    }

    /// The number of samples of all levels together.
    pub fn samples(&self) -> usize {
        self.levels().iter().map(|level| level.size).product()
    }

    /// The levels of both.
    fn join(&self, other: &Batch) -> Batch {
        if other.levels().iter().all(|level| self.has(level.id)) {
            return self.clone();
        }
        let mut levels = self.levels().to_vec();
        levels.extend(other.levels().iter().filter(|level| !self.has(level.id)));
        levels.sort_by_key(|level| level.id);
        Batch::of(levels)
    }

    /// The batch without one level.
    fn without(&self, id: u64) -> Batch {
        Batch::of(self.levels().iter().copied().filter(|level| level.id != id).collect())
    }

    /// The distance between the samples of level `id` in a storage of this batch with `elements`
    /// for each sample; 0 if all samples share the elements.
    fn stride(&self, id: u64, elements: usize) -> usize {
        match self.levels().iter().position(|level| level.id == id) {
            Some(at) => self.levels()[at + 1..].iter().map(|level| level.size).product::<usize>() * elements,
            None => 0,
        }
    }
}

/// A value with the batch whose elements it holds.
#[derive(Clone)]
pub(crate) struct Data {
    pub value: Value,
    pub batch: Batch,
}

impl Data {
    /// The number of elements of a sample.
    pub fn elements(&self) -> usize {
        match self.batch.is_empty() {
            true => self.value.elements(),
            false => self.value.elements() / self.batch.samples().max(1),
        }
    }
}

impl From<Value> for Data {
    fn from(value: Value) -> Data {
        Data { value, batch: Batch::default() }
    }
}

thread_local! {
    static ACTIVE: RefCell<Vec<Level>> = const { RefCell::new(vec![]) };
    static IS_ACTIVE: Cell<bool> = const { Cell::new(false) };
    static ENTERED: Cell<u64> = const { Cell::new(0) };
}

/// Enters a level of `size` samples.
pub(crate) fn enter(size: usize, randomness: Randomness) -> Level {
    let level = Level { id: ENTERED.replace(ENTERED.get() + 1), size, randomness };
    ACTIVE.with_borrow_mut(|active| active.push(level));
    IS_ACTIVE.set(true);
    level
}

/// Leaves a level, and the levels within it that an error has left entered.
pub(crate) fn leave(level: Level) {
    ACTIVE.with_borrow_mut(|active| {
        active.retain(|other| other.id < level.id);
        IS_ACTIVE.set(!active.is_empty());
    });
}

/// Whether the function of a `vmap` is running.
pub(crate) fn is_active() -> bool {
    IS_ACTIVE.get()
}

fn is_entered(id: u64) -> bool {
    is_active() && ACTIVE.with_borrow(|active| active.iter().any(|level| level.id == id))
}

/// The levels whose samples have random numbers of their own.
fn random_levels() -> Batch {
    let differs = |level: &Level| level.randomness == Randomness::Different;
    Batch::of(ACTIVE.with_borrow(|active| active.iter().copied().filter(differs).collect()))
}

/// Refuses a random operation within a `vmap` that does not say what its samples are to have.
pub(crate) fn check_random(op: &str) -> Result<()> {
    let refuses = |level: &Level| level.randomness == Randomness::Error;
    if is_active() && ACTIVE.with_borrow(|active| active.iter().any(refuses)) {
        let message = "random numbers within vmap: choose randomness \"different\" or \"same\"";
        return Err(Error::argument(op, message));
    }
    Ok(())
}

/// Records a kernel over the batches of its inputs, and returns the data that it will compute, in
/// the order of its outputs; see [`Device::record`].
pub(crate) fn record(
    device: &Device,
    op: &'static str,
    kernel: Kernel,
    base: Option<Data>,
    inputs: Vec<Data>,
    params: Vec<Param>,
) -> Vec<Data> {
    let is_plain = |data: &Data| data.batch.is_empty();
    if inputs.iter().all(is_plain) && base.iter().all(is_plain) && !(is_active() && is_random(&kernel)) {
        let values = inputs.into_iter().map(|input| input.value).collect();
        let outputs = device.record(op, kernel, base.map(|base| base.value), values, params);
        return outputs.into_iter().map(Data::from).collect();
    }
    record_batch(device, op, kernel, base, inputs, params)
}

fn record_batch(
    device: &Device,
    op: &'static str,
    kernel: Kernel,
    base: Option<Data>,
    mut inputs: Vec<Data>,
    params: Vec<Param>,
) -> Vec<Data> {
    let is_random = is_random(&kernel);
    let own = if is_random { random_levels() } else { Batch::default() };
    let batch = inputs.iter().chain(&base).fold(own, |batch, data| batch.join(&data.batch));
    // An update changes a separate base for every sample, and routines take whole buffers.
    let base = base.map(|base| spread(device, base, &batch));
    if matches!(kernel, Kernel::Linalg(_)) {
        inputs = inputs.into_iter().map(|input| spread(device, input, &batch)).collect();
    }
    let levels = batch.levels();
    let sizes: Vec<usize> = levels.iter().map(|level| level.size).collect();
    let of = |data: &Data| -> Vec<usize> {
        levels.iter().map(|level| data.batch.stride(level.id, data.elements())).collect()
    };
    let strides: Vec<Vec<usize>> = inputs.iter().map(of).collect();
    let differs = |level: &Level| is_random && level.randomness == Randomness::Different;
    let index = (0..levels.len()).map(|at| {
        let within = levels[at + 1..].iter().filter(|level| differs(level)).map(|level| level.size);
        if differs(&levels[at]) { within.product() } else { 0 }
    });
    let over = kernel::Batch {
        sizes: &sizes,
        strides: &strides,
        base: &base.as_ref().map_or_else(Vec::new, of),
        index: &index.collect::<Vec<usize>>(),
    };
    let Some(batched) = kernel.batch(over) else {
        let error = Error::kernel(op, format!("a {} kernel takes no batch of vmap", kernel.kind()));
        let fail = |(dtype, elements): (DType, usize)| {
            let value = Value::fail(op, dtype, elements * batch.samples(), error.clone());
            Data { value, batch: batch.clone() }
        };
        return kernel.outputs().into_iter().map(fail).collect();
    };
    let values = inputs.into_iter().map(|input| input.value).collect();
    let outputs = device.record(op, batched, base.map(|base| base.value), values, params);
    outputs.into_iter().map(|value| Data { value, batch: batch.clone() }).collect()
}

/// Whether a kernel draws random numbers.
fn is_random(kernel: &Kernel) -> bool {
    let draws = |program: &Program| {
        program.instructions.iter().any(|(instruction, _)| matches!(instruction, Instruction::Threefry(_)))
    };
    kernel.programs().into_iter().any(draws)
}

/// Data with an own copy of its elements for each sample of `batch`.
pub(crate) fn spread(device: &Device, data: Data, batch: &Batch) -> Data {
    if batch.levels().iter().all(|level| data.batch.has(level.id)) {
        return data;
    }
    let batch = batch.join(&data.batch);
    let elements = data.elements();
    let strides = batch.levels().iter().map(|level| data.batch.stride(level.id, elements) as isize).chain([1]);
    let sizes = batch.levels().iter().map(|level| level.size).chain([elements]);
    let layout = Layout::new(Shape::from_dims(sizes), strides, 0);
    let value = copy_elements(device, OP, data.value, layout);
    Data { value, batch }
}

/// The samples of level `level` as dimension 0 of a tensor without that level. A tensor that all
/// samples share is repeated.
pub(crate) fn stack(x: &Tensor, level: Level) -> Result<Tensor> {
    let batch = x.batch();
    let shape = Shape::from_dims(std::iter::once(level.size).chain(x.shape().iter().copied()));
    if !batch.has(level.id) {
        return x.expand(&shape);
    }
    let data = x.materialized()?;
    let elements = data.elements();
    let value = match batch.levels().last() {
        Some(last) if last.id == level.id => data.value,
        _ => {
            // The level's dimension comes after the ones of the levels within it.
            let outer = batch.without(level.id);
            let order = outer.levels().iter().chain([&level]);
            let strides = order.clone().map(|level| batch.stride(level.id, elements) as isize).chain([1]);
            let sizes = Shape::from_dims(order.map(|level| level.size).chain([elements]));
            copy_elements(x.device(), OP, data.value, Layout::new(sizes, strides, 0))
        }
    };
    let data = Data { value, batch: batch.without(level.id) };
    let output = Tensor::from_value(x.device(), data, shape);
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(unstack(grad, level)?)]));
    attach(OP, &output, &[x], &[], derivative);
    Ok(output)
}

/// The tensor of each sample, where `x` has the samples of `level` as dimension 0.
pub(crate) fn unstack(x: &Tensor, level: Level) -> Result<Tensor> {
    debug_assert_eq!(x.shape()[0], level.size);
    let shape = Shape::from_dims(x.shape()[1..].iter().copied());
    let data = x.materialized()?;
    let (outer, elements) = (data.batch.clone(), shape.elements());
    let batch = outer.join(&Batch::of(vec![level]));
    let value = match batch.levels().last() {
        Some(last) if last.id == level.id => data.value,
        _ => {
            // The level's dimension comes before the ones of the levels within it.
            let stride = |other: &Level| match other.id == level.id {
                true => elements as isize,
                false => outer.stride(other.id, level.size * elements) as isize,
            };
            let sizes = Shape::from_dims(batch.levels().iter().map(|level| level.size).chain([elements]));
            copy_elements(
                x.device(),
                OP,
                data.value,
                Layout::new(sizes, batch.levels().iter().map(stride).chain([1]), 0),
            )
        }
    };
    let output = Tensor::from_value(x.device(), Data { value, batch }, shape);
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(stack(grad, level)?)]));
    attach(OP, &output, &[x], &[], derivative);
    Ok(output)
}

/// Whether an argument differs between the samples of a `vmap`.
pub(crate) fn differs(arg: &Arg) -> bool {
    arg.tensors().any(|tensor| !tensor.batch().is_empty())
}

/// Calls a function that takes no batch once for each sample of its arguments, without derivatives.
pub(crate) fn each(args: &[Arg], run: &dyn Fn(&[Arg]) -> Result<Vec<Tensor>>) -> Result<Vec<Tensor>> {
    let levels = args.iter().flat_map(Arg::tensors).flat_map(|tensor| tensor.batch().levels());
    let Some(level) = levels.copied().max_by_key(|level| level.id) else { return run(args) };
    no_grad(|| {
        let samples = (0..level.size).map(|index| {
            let sample = |x: &Tensor| match x.batch().has(level.id) {
                true => stack(x, level)?.select(0, index as i64),
                false => Ok(x.clone()),
            };
            let args = args.iter().map(|arg| arg.map_tensors(sample)).collect::<Result<Vec<_>>>()?;
            each(&args, run)
        });
        let samples = samples.collect::<Result<Vec<_>>>()?;
        let count = samples.first().map_or(0, Vec::len);
        let of_all = |result: usize| {
            let results: Vec<Tensor> = samples.iter().map(|results| results[result].clone()).collect();
            unstack(&Tensor::stack(&results, 0)?, level)
        };
        (0..count).map(of_all).collect()
    })
}

/// Makes a tensor of random numbers on the host, or one for each sample if samples draw different
/// numbers.
pub(crate) fn draw(op: &str, make: &dyn Fn() -> Result<Tensor>) -> Result<Tensor> {
    check_random(op)?;
    draw_for(random_levels().levels(), make)
}

fn draw_for(levels: &[Level], make: &dyn Fn() -> Result<Tensor>) -> Result<Tensor> {
    let Some((&level, outer)) = levels.split_last() else { return make() };
    let all = || {
        let samples = (0..level.size).map(|_| make()).collect::<Result<Vec<_>>>()?;
        Tensor::stack(&samples, 0)
    };
    unstack(&draw_for(outer, &all)?, level)
}

/// A gradient for a tensor of `batch`, summed over the samples of the levels that the tensor does
/// not have and whose functions have ended.
pub(crate) fn settle(grad: Tensor, batch: &Batch) -> Result<Tensor> {
    let levels = grad.batch().clone();
    let ended = levels.levels().iter().filter(|level| !batch.has(level.id) && !is_entered(level.id));
    ended.copied().try_fold(grad, |grad, level| stack(&grad, level)?.sum([0], false))
}

impl Tensor {
    /// The levels of `vmap` whose samples the tensor holds.
    pub(crate) fn batch(&self) -> &Batch {
        &self.0.storage.batch
    }

    /// Refuses to read a tensor that has another value in each sample of a `vmap`.
    pub(crate) fn check_readable(&self, op: &str) -> Result<()> {
        if self.batch().is_empty() {
            return Ok(());
        }
        let message = "within vmap a tensor has a value for each sample, which is read after vmap has returned it";
        Err(Error::argument(op, message))
    }
}
