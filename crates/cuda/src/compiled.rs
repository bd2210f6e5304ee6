//! A compiled kernel: its loaded passes and the arguments that are equal for all launches, or a
//! product for the library.

use crate::{
    State,
    driver::{Driver, Extent, Mark},
    product::{self, Fit, Fits, Product},
};
use lanthorn_ir::{
    DType, Error, Kernel, Result,
    backend::{Alias, InPlace},
    expr::{Constant, Type},
    kernel::{Contract, Linalg, Map},
};
use lanthorn_kernels::{Pass, Plan, Slot, Source, Tuning, Variant};
use std::rc::Rc;

/// A loaded source. All kernels with the same source share it.
pub(crate) struct Module<D: Driver> {
    pub(crate) source: Rc<str>,
    pub(crate) function: D::Function,
}

/// The result of [`lanthorn_ir::Backend::compile`]. It holds no buffer, so several plans may share
/// it.
pub(crate) struct Compiled<D: Driver> {
    /// The kernel's number, unique on the device.
    pub(crate) number: u64,
    pub(crate) steps: Vec<Step<D>>,
    /// The steps if all parameters are 1; none for most kernels.
    pub(crate) for_ones: Option<Vec<Step<D>>>,
    pub(crate) params: Vec<Type>,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The routine that runs on the host instead of the steps.
    pub(crate) host: Option<Linalg>,
}

/// One operation of the device.
pub(crate) enum Step<D: Driver> {
    Pass(CompiledPass<D>),
    Product { product: Product, a: Slot, b: Slot, bias: Option<Slot>, output: Slot },
}

pub(crate) struct CompiledPass<D: Driver> {
    pub(crate) module: Rc<Module<D>>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) arguments: Vec<u32>,
    /// Whether it reads the launch's parameters.
    pub(crate) params: bool,
    pub(crate) extent: Extent,
    /// Whether it may report an index out of range.
    pub(crate) reports: bool,
}

/// The passes in some steps.
pub(crate) fn passes<D: Driver>(steps: &[Step<D>]) -> impl Iterator<Item = &CompiledPass<D>> {
    steps.iter().filter_map(|step| match step {
        Step::Pass(pass) => Some(pass),
        Step::Product { .. } => None,
    })
}

impl<D: Driver> Compiled<D> {
    /// Whether the kernel has separate steps for these parameters, which are all 1.
    pub(crate) fn takes_ones(&self, params: &[Constant]) -> bool {
        self.for_ones.is_some() && params.iter().all(|param| param.to_f64() == 1.0)
    }

    /// The steps of a launch.
    pub(crate) fn steps(&self, ones: bool) -> &[Step<D>] {
        self.for_ones.as_ref().filter(|_| ones).unwrap_or(&self.steps)
    }
}

impl<D: Driver> State<D> {
    /// Compiles a kernel for the library, for the measured variant, or by the rules. If a `tuning`
    /// is forced, only a generated text is used.
    pub(crate) fn compile(
        &self,
        op: &'static str,
        kernel: &Kernel,
        aliases: &[Alias],
        tuning: Option<Tuning>,
    ) -> Result<Compiled<D>> {
        self.check_lost()?;
        let (inputs, outputs) = (kernel.input_count(), kernel.outputs().len());
        let most = self.capabilities.max_bindings;
        if inputs + outputs - aliases.len() > most {
            let message = format!("{inputs} inputs and {outputs} outputs; the device binds at most {most} buffers");
            return Err(Error::limit(op, message));
        }
        let in_place = &Alias::in_place(aliases);
        let Fits { always, for_ones } = match kernel {
            Kernel::Contract(contract) if tuning.is_none() => self.products(contract, in_place),
            _ => Fits::default(),
        };
        let steps = match (kernel, always) {
            (Kernel::Linalg(_), _) => vec![],
            (_, Some(fit)) => self.product_steps(op, fit, in_place)?,
            (_, None) => self.passes(op, kernel, aliases, tuning.unwrap_or_else(|| self.tuning(kernel)))?,
        };
        let for_ones = for_ones.map(|fit| self.product_steps(op, fit, in_place)).transpose()?;
        let host = match kernel {
            Kernel::Linalg(linalg) => Some(linalg.clone()),
            _ => None,
        };
        Ok(Compiled {
            number: self.next_number(),
            steps,
            for_ones,
            params: kernel.params().to_vec(),
            inputs,
            outputs,
            host,
        })
    }

    /// The measured variant of a kernel's class. If there is none, the rules choose.
    pub(crate) fn tuning(&self, kernel: &Kernel) -> Tuning {
        let mut preferred = self.preferred.borrow_mut();
        Variant::class(kernel).and_then(|class| preferred.get(&class).map(|variant| variant.tuning)).unwrap_or_default()
    }

    /// A contraction as products of the library, if the library supports them.
    pub(crate) fn products(&self, contract: &Contract, in_place: &[InPlace]) -> Fits {
        if !(self.driver.properties().has_library && self.settings.library) {
            return Fits::default();
        }
        let taken = |mut fit: Fit| {
            fit.product.tf32 = self.settings.allow_tf32 && fit.product.dtype == DType::F32;
            self.driver.multiplies(&fit.product).then_some(fit)
        };
        let Fits { always, for_ones } = product::fits(contract, in_place);
        Fits { always: always.and_then(taken), for_ones: for_ones.and_then(taken) }
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

    /// The passes of an epilogue, whose input 0 is in scratch memory. Its other inputs are the
    /// contraction's.
    fn rest_steps(&self, op: &'static str, map: Map, in_place: &[InPlace]) -> Result<Vec<Step<D>>> {
        let moved = in_place.iter().map(|pair| Alias::InPlace(InPlace { input: pair.input - 1, ..*pair }));
        let moved: Vec<Alias> = moved.collect();
        let mut steps = self.passes(op, &Kernel::Map(map), &moved, Tuning::default())?;
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

    fn passes(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias], tuning: Tuning) -> Result<Vec<Step<D>>> {
        let Plan { passes, scratch_bytes } =
            lanthorn_kernels::plan(op, kernel, aliases, &self.target.with_tuning(tuning))?;
        self.ensure_scratch(op, scratch_bytes)?;
        passes.into_iter().map(|pass| self.pass(op, pass).map(Step::Pass)).collect()
    }

    fn pass(&self, op: &'static str, pass: Pass) -> Result<CompiledPass<D>> {
        let Pass { source, slots, arguments, params, grid, threads, status, .. } = pass;
        let extent = Extent { grid: [grid[0], grid[1], 1], block: [threads, 1, 1] };
        let module = self.module(op, source)?;
        Ok(CompiledPass { module, slots, arguments, params: params > 0, extent, reports: status.is_some() })
    }

    /// Compiles and loads a source, if it is new.
    pub(crate) fn module(&self, op: &'static str, source: Source) -> Result<Rc<Module<D>>> {
        if let Some(known) = self.modules.borrow_mut().get(&source) {
            return Ok(known.clone());
        }
        let text = source.text();
        let function = self.check_answer(self.driver.compile(op, &text))?;
        self.counters.add(|counters| &mut counters.pipelines);
        let module = Rc::new(Module { source: text.into(), function });
        let mut modules = self.modules.borrow_mut();
        if modules.is_full() {
            // A module must not be unloaded while it runs.
            self.check_answer(self.driver.mark().and_then(|mark| mark.wait()))?;
        }
        // A module that a plan holds stays, because launches of the plan may still run.
        modules.insert_unless(source, module.clone(), |module| Rc::strong_count(module) > 1);
        Ok(module)
    }

    /// Allocates the scratch buffer. All kernels share it, because launches run in sequence.
    fn ensure_scratch(&self, op: &'static str, bytes: u64) -> Result<()> {
        let most = self.capabilities.max_buffer_bytes;
        if bytes > most {
            return Err(Error::limit(op, format!("{bytes} bytes of scratch memory; the device has at most {most}")));
        }
        self.ensure(&self.scratch, bytes).map_err(|error| error.in_op(op))
    }
}
