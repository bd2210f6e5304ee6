//! A kernel made ready: loaded passes and the words that do not change from launch to launch, or a product for the library.

use crate::{
    State,
    driver::{Driver, Extent},
    product::{self, Fit, Product},
};
use lanthorn_ir::{
    DType, Error, Kernel, Result,
    backend::InPlace,
    expr::Type,
    kernel::{Contract, Linalg, Map},
};
use lanthorn_kernels::{Pass, Plan, Slot};
use std::rc::Rc;

/// A source that is loaded. There is one of each, for all kernels.
pub(crate) struct Module<D: Driver> {
    pub(crate) source: Rc<str>,
    pub(crate) function: D::Function,
}

/// What [`lanthorn_ir::Backend::compile`] gives. It holds no buffer, so many plans may hold it.
pub(crate) struct Compiled<D: Driver> {
    /// What no other kernel of the device has.
    pub(crate) number: u64,
    pub(crate) steps: Vec<Step<D>>,
    pub(crate) params: Vec<Type>,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// What is done on the host instead of by steps.
    pub(crate) host: Option<Linalg>,
}

/// One thing that the device is asked for.
pub(crate) enum Step<D: Driver> {
    Pass(CompiledPass<D>),
    Product { product: Product, a: Slot, b: Slot, bias: Option<Slot>, output: Slot },
}

pub(crate) struct CompiledPass<D: Driver> {
    pub(crate) module: Rc<Module<D>>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) words: Vec<u32>,
    /// Whether it takes the launch's parameters.
    pub(crate) params: bool,
    pub(crate) extent: Extent,
    /// Whether it may report an index.
    pub(crate) reports: bool,
}

impl<D: Driver> Compiled<D> {
    pub(crate) fn passes(&self) -> impl Iterator<Item = &CompiledPass<D>> {
        self.steps.iter().filter_map(|step| match step {
            Step::Pass(pass) => Some(pass),
            Step::Product { .. } => None,
        })
    }
}

fn inputs(kernel: &Kernel) -> usize {
    match kernel {
        Kernel::Gather(_) | Kernel::Scatter(_) => 2,
        Kernel::Sort(_) | Kernel::Copy(_) => 1,
        Kernel::Linalg(linalg) => linalg.inputs().len(),
        _ => kernel.operands().len(),
    }
}

impl<D: Driver> State<D> {
    pub(crate) fn compile(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace]) -> Result<Compiled<D>> {
        self.check_lost()?;
        let (inputs, outputs) = (inputs(kernel), kernel.outputs().len());
        let most = self.capabilities.max_bindings;
        if inputs + outputs - in_place.len() > most {
            let message = format!("{inputs} inputs and {outputs} outputs; the device binds at most {most} buffers");
            return Err(Error::limit(op, message));
        }
        let steps = match kernel {
            Kernel::Linalg(_) => vec![],
            Kernel::Contract(contract) => match self.product(contract) {
                Some(fit) => self.product_steps(op, fit, in_place)?,
                None => self.passes(op, kernel, in_place)?,
            },
            _ => self.passes(op, kernel, in_place)?,
        };
        let host = match kernel {
            Kernel::Linalg(linalg) => Some(linalg.clone()),
            _ => None,
        };
        Ok(Compiled { number: self.next_number(), steps, params: kernel.params().to_vec(), inputs, outputs, host })
    }

    /// A contraction as the library takes it, if it does.
    fn product(&self, contract: &Contract) -> Option<Fit> {
        let has = self.driver.properties().has_library && self.settings.library;
        let mut fit = product::fit(contract).filter(|_| has)?;
        fit.product.tf32 = self.settings.allow_tf32 && fit.product.dtype == DType::F32;
        self.driver.multiplies(&fit.product).then_some(fit)
    }

    fn product_steps(&self, op: &'static str, fit: Fit, in_place: &[InPlace]) -> Result<Vec<Step<D>>> {
        let Fit { product, bias, rest } = fit;
        let result = (product.batch * product.m * product.n * size_of::<f32>()) as u64;
        let output = if rest.is_some() { Slot::Scratch } else { Slot::Output(0) };
        let bias = bias.map(Slot::Input);
        let mut steps = vec![Step::Product { product, a: Slot::Input(0), b: Slot::Input(1), bias, output }];
        if let Some(map) = rest {
            self.ensure_scratch(op, result)?;
            steps.extend(self.rest_steps(op, map, in_place)?);
        }
        Ok(steps)
    }

    /// The passes of an epilogue, whose input 0 is in scratch memory and whose others are the contraction's.
    fn rest_steps(&self, op: &'static str, map: Map, in_place: &[InPlace]) -> Result<Vec<Step<D>>> {
        let moved: Vec<InPlace> = in_place.iter().map(|pair| InPlace { input: pair.input - 1, ..*pair }).collect();
        let mut steps = self.passes(op, &Kernel::Map(map), &moved)?;
        for step in &mut steps {
            let Step::Pass(pass) = step else { continue };
            for slot in &mut pass.slots {
                *slot = match *slot {
                    Slot::Input(0) => Slot::Scratch,
                    Slot::Input(input) => Slot::Input(input + 1),
                    other => other,
                };
            }
        }
        Ok(steps)
    }

    fn passes(&self, op: &'static str, kernel: &Kernel, in_place: &[InPlace]) -> Result<Vec<Step<D>>> {
        let Plan { passes, scratch_bytes } = lanthorn_kernels::plan(op, kernel, in_place, &self.target)?;
        self.ensure_scratch(op, scratch_bytes)?;
        passes.into_iter().map(|pass| self.pass(op, pass).map(Step::Pass)).collect()
    }

    fn pass(&self, op: &'static str, pass: Pass) -> Result<CompiledPass<D>> {
        let Pass { source, slots, words, params, grid, threads, status, .. } = pass;
        let extent = Extent { grid: [grid[0], grid[1], 1], block: [threads, 1, 1] };
        let module = self.module(op, source)?;
        Ok(CompiledPass { module, slots, words, params: params > 0, extent, reports: status.is_some() })
    }

    /// A source, compiled and loaded if it is new.
    pub(crate) fn module(&self, op: &'static str, source: String) -> Result<Rc<Module<D>>> {
        if let Some(known) = self.modules.borrow().get(source.as_str()) {
            return Ok(known.clone());
        }
        let function = self.heard(self.driver.compile(op, &source))?;
        self.count(|counters| &mut counters.pipelines);
        let source: Rc<str> = source.into();
        let module = Rc::new(Module { source: source.clone(), function });
        self.modules.borrow_mut().insert(source, module.clone());
        Ok(module)
    }

    /// Scratch memory is one buffer for all kernels: launches run one after another, so it is never in use twice.
    fn ensure_scratch(&self, op: &'static str, bytes: u64) -> Result<()> {
        let most = self.capabilities.max_buffer_bytes;
        if bytes > most {
            return Err(Error::limit(op, format!("{bytes} bytes of scratch memory; the device has at most {most}")));
        }
        self.ensure(&self.scratch, bytes).map_err(|error| error.in_op(op))
    }
}
