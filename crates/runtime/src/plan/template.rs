//! Templates are planned segments without sizes. Plans are templates with sizes.

use super::{
    Slot,
    traced::{Kernel, Traced},
};
use lanthorn_ir::{
    Backend, DType, Error, Result,
    backend::{Alias, Compiled},
    number::{Convert, Values},
};
use std::{
    cell::RefCell,
    rc::{Rc, Weak},
};

/// A launch without its sizes, buffers and parameters.
pub(crate) struct Step {
    pub op: &'static str,
    pub kernel: Kernel,
    /// The numbers of the kernel that depend on sizes.
    numbers: Vec<Traced>,
    pub aliases: Vec<Alias>,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    /// The index of each launch parameter among the parameters of the segment. A copy that the plan
    /// added has none.
    pub params: Vec<usize>,
}

/// A value that the plan computes for a holder outside of the segment.
pub(crate) struct Output {
    /// The id of the value in the segment.
    pub local: usize,
    pub slot: Slot,
    /// The steps that the value depends on.
    pub steps: Vec<usize>,
    /// The external values that the value depends on.
    pub externals: Vec<usize>,
}

/// Launches with assigned buffers, for all sizes that meet the conditions of a trace.
#[derive(Default)]
pub(crate) struct Template {
    pub steps: Vec<Step>,
    /// The values that alternate in each own buffer, as (type, elements).
    pub own: Vec<Vec<(DType, Traced)>>,
    pub outputs: Vec<Output>,
    /// Values whose kernel did not compile, with the error.
    pub failed: Vec<(Vec<usize>, Error)>,
    /// The latest plan. The next plan reuses its kernels whose numbers are the same.
    latest: RefCell<Weak<Plan>>,
}

/// A template for one set of sizes.
pub(crate) struct Plan {
    pub template: Rc<Template>,
    values: Values,
    /// The compiled kernel of each step.
    pub kernels: Vec<Compiled>,
    /// The size of each own buffer in bytes.
    pub own: Vec<u64>,
}

/// Replaces traced numbers by their values for one set of inputs.
struct Instantiate<'a>(&'a Values);

impl Convert<Traced, usize> for Instantiate<'_> {
    fn number(&mut self, number: Traced) -> usize {
        self.0.of(number) as usize
    }

    fn to_signed(&mut self, number: Traced) -> isize {
        self.0.of(number) as isize
    }
}

/// The kernel for one set of inputs.
fn instantiate(kernel: &Kernel, values: &Values) -> lanthorn_ir::Kernel {
    kernel.convert(&mut Instantiate(values))
}

/// Replaces traced numbers by their current values.
struct Present;

impl Convert<Traced, usize> for Present {
    fn number(&mut self, number: Traced) -> usize {
        number.value() as usize
    }

    fn to_signed(&mut self, number: Traced) -> isize {
        number.value() as isize
    }
}

/// The kernel for the inputs of the trace that is being recorded.
pub(crate) fn at_present(kernel: &Kernel) -> lanthorn_ir::Kernel {
    kernel.convert(&mut Present)
}

/// Collects the numbers of a kernel.
struct Collect(Vec<Traced>);

impl Convert<Traced, Traced> for Collect {
    fn number(&mut self, number: Traced) -> Traced {
        self.0.push(number);
        number
    }

    fn to_signed(&mut self, number: Traced) -> Traced {
        self.number(number)
    }
}

impl Step {
    /// A launch of a kernel.
    pub fn new(
        op: &'static str,
        kernel: Kernel,
        aliases: Vec<Alias>,
        inputs: Vec<Slot>,
        outputs: Vec<Slot>,
        params: Vec<usize>,
    ) -> Step {
        let mut numbers = Collect(vec![]);
        kernel.convert(&mut numbers);
        let numbers = numbers.0.into_iter().filter(|number| !number.is_constant()).collect();
        Step { op, kernel, numbers, aliases, inputs, outputs, params }
    }
}

impl Template {
    /// The plan for the sizes with which the template was planned, with its compiled kernels.
    pub fn finish(template: &Rc<Template>, backend: &dyn Backend, present: Values, kernels: Vec<Compiled>) -> Rc<Plan> {
        Template::plan(template, backend, present, kernels)
    }

    /// The plan for other sizes.
    ///
    /// # Errors
    /// The first error of a kernel that does not compile at these sizes.
    pub fn instantiate(template: &Rc<Template>, backend: &dyn Backend, values: Values) -> Result<Rc<Plan>> {
        let latest = template.latest.borrow().upgrade();
        let same = |step: &Step| {
            let agrees =
                |plan: &&Rc<Plan>| step.numbers.iter().all(|&number| values.of(number) == plan.values.of(number));
            latest.as_ref().filter(agrees)
        };
        let kernels = template.steps.iter().enumerate().map(|(index, step)| match same(step) {
            Some(latest) => Ok(latest.kernels[index].clone()),
            None => backend.compile(step.op, &instantiate(&step.kernel, &values), &step.aliases),
        });
        let kernels = kernels.collect::<Result<Vec<Compiled>>>()?;
        Ok(Template::plan(template, backend, values, kernels))
    }

    fn plan(template: &Rc<Template>, backend: &dyn Backend, values: Values, kernels: Vec<Compiled>) -> Rc<Plan> {
        let bytes = |&(dtype, elements): &(DType, Traced)| backend.storage_bytes(dtype, values.of(elements) as usize);
        let own = template.own.iter().map(|values| values.iter().map(bytes).max().unwrap_or(0)).collect();
        let plan = Rc::new(Plan { template: template.clone(), values, kernels, own });
        template.latest.replace(Rc::downgrade(&plan));
        plan
    }
}

impl Plan {
    /// An error about the buffer of a slot, with the op and the shape of its result added.
    pub fn in_result(&self, slot: Slot, error: Error) -> Error {
        let written = |step: &Step| {
            let output = step.outputs.iter().position(|&output| output == slot)?;
            let shapes = instantiate(&step.kernel, &self.values).shapes();
            Some((step.op, shapes.get(output)?.clone()))
        };
        match self.template.steps.iter().find_map(written) {
            Some((op, shape)) => error.concerning(format_args!("a result of shape {shape:?}")).in_op(op),
            None => error,
        }
    }
}
