//! Compiled functions, as `torch.compile`: a function of tensors is recorded once, and later calls
//! run its kernels again without calling it.
//!
//! A recorded call is replayed if everything is as it was, except the elements of tensors and the
//! [numbers of the host](HostNumber) that are data: the arguments' shapes, types and layouts, which
//! of them share elements, the flags and gradients of the leaves, the modes of autograd, autocast
//! and the modules. Where something differs, the function is called and recorded again, so that
//! each case is recorded once. Where a call cannot be replayed (it reads elements, it runs a hook),
//! it is an ordinary call; [`Compiled::explain`] says so.
//!
//! A forward pass is compiled with its backward pass. A whole training step can be compiled:
//! forward, backward and the optimizer's step. A replay has the same writes to existing tensors,
//! new gradients, random numbers, learning rates and counts of steps as a call of the function.
//! Other effects of the function (printing, counting) happen only when it is called.
//!
//! Batches are often views of one tensor, each at another offset. Where a recorded call only read
//! an argument, a later one with another layout is replayed on a copy whose elements are in order.
//!
//! [`capture`] notes the reads and writes of a call. `symbolic` has the numbers that change.
//! `build` turns them into an `entry`, a recorded call with its replay. `backward` is the pass back
//! through it.

mod backward;
mod build;
pub mod capture;
mod entry;
mod repeat;
mod symbolic;

pub use symbolic::{HostNumber, SymFloat};

use crate::{
    DType, Device, Result, Tensor, autocast_dtype,
    autograd::{GraphState, graph_of, release},
    batch, default_dtype, is_grad_enabled, no_grad,
    storage::Storage,
};
use backward::Traced;
use build::Call;
use entry::{Entry, Layouts, copies};
use lanthorn_ir::Layout;
use repeat::{Calls, Given};
use rustc_hash::FxHashSet;
use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::{Rc, Weak},
};

/// How the calls of a compiled function went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileReport {
    /// The recorded cases that can be replayed now, with the number of kernels of each.
    pub recordings: Vec<usize>,
    /// The calls that were replayed.
    pub replays: u64,
    /// The calls that called the function.
    pub calls: u64,
    /// Why calls could not be replayed, each reason once, the oldest first.
    pub breaks: Vec<String>,
}

impl fmt::Display for CompileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<String> = self.recordings.iter().map(usize::to_string).collect();
        writeln!(f, "{} recorded (kernels: {})", self.recordings.len(), kernels.join(", "))?;
        writeln!(f, "{} calls replayed, {} calls of the function", self.replays, self.calls)?;
        self.breaks.iter().try_for_each(|reason| writeln!(f, "not replayed: {reason}"))
    }
}

/// The recorded cases of one function, for callers that run the function themselves: [`compile`] is
/// the plain way.
///
/// A call is [`replay`](Recordings::replay), or if that returns nothing,
/// [`start`](Recordings::start), the function, and [`finish`](Recordings::finish).
#[derive(Default)]
pub struct Recordings {
    /// With their numbers, the most recently used first.
    entries: RefCell<Vec<(u32, Rc<Entry>)>>,
    /// How many were made so far.
    made: Cell<u32>,
    report: RefCell<CompileReport>,
    /// The calls in a row that could not be replayed.
    failures: Cell<usize>,
    /// How often a value that was taken for a constant had changed.
    stale: Cell<usize>,
    /// Whether the operations of calls with gradients are kept for higher derivatives.
    repeats: bool,
    /// Whether the function may use results of nodes from before the call that are no arguments.
    takes_results: bool,
    started: RefCell<Option<Started>>,
}

/// What held when a recording began.
struct Started {
    device: Device,
    /// The arguments of the function's call.
    given: Vec<Tensor>,
    /// Whether each argument is a constant.
    constants: Vec<bool>,
    /// The types, layouts and flags that the arguments had.
    guards: Vec<(DType, Layout, bool)>,
    modes: (bool, Option<DType>, DType),
    /// Arguments with the copies that the function is called with.
    copied: Vec<(Tensor, Tensor)>,
    /// The arguments for a repetition, if the operations are noted.
    repeated: Option<Given>,
}

impl Started {
    /// Copies the function's writes from the copies to the arguments.
    fn write_back(copied: &[(Tensor, Tensor)]) -> Result<()> {
        let mut written = copied.iter().filter(|(_, copy)| copy.version() > 0);
        written.try_for_each(|(argument, copy)| no_grad(|| argument.copy_(copy)))
    }
}

/// Whether calls with these arguments may be recorded and replayed: outside of a recording, and of
/// `vmap`.
fn can_record(arguments: &[Tensor]) -> bool {
    !capture::is_active() && !batch::is_active() && arguments.iter().all(|argument| argument.batch().is_empty())
}

impl Recordings {
    /// The bound of the recorded cases of one function; the least recently used goes.
    const MAX_ENTRIES: usize = 64;
    /// After this many calls in a row that could not be replayed, the function is only called.
    const MAX_FAILURES: usize = 16;
    /// The bound of the reasons that are kept.
    const MAX_BREAKS: usize = 32;
    /// After this many changes of constants, nothing is folded.
    const MAX_STALE: usize = 2;

    /// No recordings. Results of calls have derivatives of every order: where a backward pass
    /// records operations, the operations of the call run again. All tensors with gradients that
    /// the function takes must be arguments.
    pub fn with_higher_derivatives() -> Recordings {
        Recordings { repeats: true, ..Recordings::default() }
    }

    /// Runs a recorded call, if one fits.
    ///
    /// Returns the number of the recording, as [`finish`](Recordings::finish) returned it, and the
    /// results.
    pub fn replay(&self, arguments: &[Tensor]) -> Option<(u32, Vec<Tensor>)> {
        if self.entries.borrow().is_empty() || !can_record(arguments) {
            return None;
        }
        let device = arguments.first().map_or_else(|| Device::default_device().ok(), |x| Some(x.device().clone()))?;
        let count = self.entries.borrow().len();
        let found = (0..count).find_map(|index| {
            let (number, entry) = self.entries.borrow()[index].clone();
            let results = match entry.layouts(&device, arguments)? {
                Layouts::Same => entry.run(&device, arguments, &[])?,
                Layouts::Other(others) => entry.run(&device, &entry.in_order(arguments, &others)?, &[])?,
            };
            Some((index, number, results))
        });
        let (index, number, results) = found?;
        self.entries.borrow_mut()[..=index].rotate_right(1);
        self.report.borrow_mut().replays += 1;
        Some((number, results))
    }

    /// Begins to record a call. Nothing is recorded where a recording or a `vmap` is under way,
    /// where something looks at the device's plans, or where the last calls could not be replayed.
    ///
    /// `constants` says for each argument whether later calls have the same value, as weights do.
    /// Without gradients, kernels that read only constants, and tensors that the function does not
    /// get as arguments, run once. If such a value changes, the call is recorded again.
    ///
    /// Returns the arguments with which the function is to be called: copies of arguments that a
    /// recorded call only read, if their layouts differ now.
    ///
    /// # Errors
    ///
    /// `argument` while a compiled function is recorded, and the error of the device.
    pub fn start(&self, arguments: &[Tensor], constants: &[bool]) -> Result<Vec<Tensor>> {
        capture::nested()?;
        self.report.borrow_mut().calls += 1;
        let device = arguments.first().map_or_else(Device::default_device, |x| Ok(x.device().clone()))?;
        if self.failures.get() >= Recordings::MAX_FAILURES || !can_record(arguments) {
            return Ok(arguments.to_vec());
        }
        self.drop_stale();
        let entries = self.entries.borrow();
        let others = entries.iter().find_map(|(_, entry)| match entry.layouts(&device, arguments)? {
            Layouts::Same => None,
            Layouts::Other(others) => Some(others),
        });
        let others = others.unwrap_or_default();
        let given = copies(arguments, &others)?;
        let repeats = self.repeats && is_grad_enabled() && arguments.iter().any(Tensor::requires_grad);
        let repeated = repeats.then(|| Given::new(&device, &given));
        if !capture::start(&device, &given, self.takes_results) {
            return Ok(arguments.to_vec());
        }
        let guard = |x: &Tensor| (x.dtype(), x.layout().clone(), x.requires_grad());
        let guards = given.iter().map(guard).collect();
        let modes = (is_grad_enabled(), autocast_dtype(), default_dtype());
        let copied = others.iter().map(|&index| (arguments[index].clone(), given[index].clone())).collect();
        let started =
            Started { device, given: given.clone(), constants: constants.to_vec(), guards, modes, copied, repeated };
        self.started.replace(Some(started));
        if repeats {
            repeat::start();
        }
        Ok(given)
    }

    /// Ends the recording of a call with these results, and runs its kernels; dropped tensors are
    /// not stored. Returns the number of the recording, if the call can be replayed. Results with
    /// gradients are replaced by results whose backward pass is compiled too.
    pub fn finish(&self, results: &mut [Tensor]) -> Option<u32> {
        let Started { device, given, constants, guards, modes, copied, repeated } = self.started.take()?;
        let arguments = &given[..];
        let is_open =
            |x: &&Tensor| matches!(graph_of(x), GraphState::Alive) && !arguments.iter().any(|argument| argument.is(x));
        let open: Vec<Tensor> = results.iter().filter(is_open).cloned().collect();
        // The notes hold all tensors of the call, and the device stores tensors that are held.
        let calls = repeated.is_some().then(|| Calls::finish(arguments, &open));
        let Some(capture) = capture::stop() else {
            let written = Started::write_back(&copied);
            self.note(written.map_or_else(|error| error.to_string(), |()| capture::LEFT.into()));
            return None;
        };
        let first_node = capture.first_node;
        let folds = open.is_empty() && self.stale.get() < Recordings::MAX_STALE;
        let constants = if folds { capture.constants(arguments, &constants) } else { FxHashSet::default() };
        let made = device.finish_recording(&constants).and_then(|recorded| {
            let calls = calls.filter(|_| !open.is_empty()).transpose()?;
            let traced = (!open.is_empty()).then(|| Traced::new(&device, &capture, &open)).transpose()?;
            let needed = traced.as_ref().map(Traced::reads).unwrap_or_default();
            let kept = calls.as_ref();
            let call = Call { capture, recorded, arguments, guards, modes, results, needed: &needed, saved: &[], kept };
            let (mut entry, unused) = call.entry()?;
            if let Some(traced) = traced {
                let mut backward = traced.finish(&device, arguments, &needed)?;
                backward.calls = calls.map(Rc::new);
                // The kept values stand for the graph from here on.
                open.iter().for_each(|result| release(result, first_node));
                let outside: Vec<Tensor> = open.iter().map(Tensor::detach).collect();
                backward.attach(&outside, arguments, needed, repeated);
                for (open, outside) in open.iter().zip(outside) {
                    results.iter_mut().filter(|x| x.is(open)).for_each(|x| *x = outside.clone());
                }
                entry.backward = Some(Rc::new(backward));
            }
            match unused.iter().find(|value| value.handles() > 1) {
                Some(kept) => Err(format!("it keeps a tensor that {} computed, and does not return it", kept.op())),
                None => Ok(entry),
            }
        });
        device.memory().write_through();
        if let Err(error) = Started::write_back(&copied) {
            self.note(error.to_string());
            return None;
        }
        match made {
            Ok(entry) => {
                self.failures.set(0);
                let mut entries = self.entries.borrow_mut();
                entries.truncate(Recordings::MAX_ENTRIES - 1);
                let number = self.made.replace(self.made.get().wrapping_add(1));
                entries.insert(0, (number, Rc::new(entry)));
                Some(number)
            }
            Err(reason) => {
                self.note(reason);
                None
            }
        }
    }

    /// Ends the recording of a call that failed.
    pub fn abort(&self) {
        if let Some(Started { device, copied, .. }) = self.started.take() {
            repeat::abort();
            capture::stop();
            // The kernels that were recorded run as they would have. The function's error is the
            // one to give.
            let _ = device.finish_recording(&FxHashSet::default());
            let _ = Started::write_back(&copied);
        }
    }

    /// Drops the recordings whose constants have changed.
    fn drop_stale(&self) {
        let mut entries = self.entries.borrow_mut();
        let count = entries.len();
        entries.retain(|(_, entry)| !entry.is_stale.get());
        self.stale.set(self.stale.get() + usize::from(entries.len() < count));
    }

    /// The storages, with their versions, that the recorded calls read, and neither got as
    /// arguments nor wrote.
    fn reads(&self) -> Vec<(Weak<Storage>, u64)> {
        let entries = self.entries.borrow();
        let all = entries.iter().flat_map(|(_, entry)| entry.reads());
        all.filter_map(|storage| Some((storage.clone(), storage.upgrade()?.version()))).collect()
    }

    fn note(&self, reason: String) {
        self.failures.set(self.failures.get() + 1);
        let breaks = &mut self.report.borrow_mut().breaks;
        if breaks.len() < Recordings::MAX_BREAKS && !breaks.contains(&reason) {
            breaks.push(reason);
        }
    }

    /// How the calls went.
    pub fn report(&self) -> CompileReport {
        let recordings = self.entries.borrow().iter().map(|(_, entry)| entry.launches()).collect();
        CompileReport { recordings, ..self.report.borrow().clone() }
    }

    /// Drops all recordings.
    pub fn clear(&self) {
        self.entries.borrow_mut().clear();
        self.failures.set(0);
    }
}

/// A compiled function: see [`compile`].
pub struct Compiled<F> {
    function: F,
    recordings: Recordings,
}

/// Compiles a function of tensors, as `torch.compile`: see the [module](self) for the conditions of
/// a replay.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tensor::*; pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) } }
/// use lanthorn::{Device, Tensor, compile};
/// let device = lanthorn::cpu();
/// let weight = Tensor::ones([2])?;
/// let step = compile(|x: &[Tensor]| {
///     weight.copy_(&weight.add(&x[0])?)?;
///     Ok(vec![weight.sum((), false)?])
/// });
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// for sum in [5.0, 8.0, 11.0] {
///     assert_eq!(pollster::block_on(step.call(&[x.clone()])?[0].item())?, sum);
/// }
/// assert_eq!((step.explain().calls, step.explain().replays), (1, 2));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn compile<F: Fn(&[Tensor]) -> Result<Vec<Tensor>>>(function: F) -> Compiled<F> {
    Compiled { function, recordings: Recordings::default() }
}

/// [`compile`] for a step of a loop, which may compute gradients that end at results of nodes from
/// before the step.
pub(crate) fn compile_step<F: Fn(&[Tensor]) -> Result<Vec<Tensor>>>(function: F) -> Compiled<F> {
    Compiled { function, recordings: Recordings { takes_results: true, ..Recordings::default() } }
}

impl<F: Fn(&[Tensor]) -> Result<Vec<Tensor>>> Compiled<F> {
    /// Calls the function: replays a recorded call that fits, or else calls and records it.
    ///
    /// # Errors
    ///
    /// The errors of the function.
    pub fn call(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        if capture::is_active() {
            // Part of the function that is being recorded.
            return (self.function)(arguments);
        }
        if let Some((_, results)) = self.recordings.replay(arguments) {
            return Ok(results);
        }
        let given = self.recordings.start(arguments, &[])?;
        let mut results = (self.function)(&given);
        match &mut results {
            Ok(results) => {
                self.recordings.finish(results);
            }
            Err(_) => self.recordings.abort(),
        }
        results
    }

    /// [`Recordings::reads`].
    pub(crate) fn reads(&self) -> Vec<(Weak<Storage>, u64)> {
        self.recordings.reads()
    }

    /// How the calls went, and why some could not be replayed.
    pub fn explain(&self) -> CompileReport {
        self.recordings.report()
    }

    /// Drops all recordings, as `torch.compiler.reset`.
    pub fn reset(&self) {
        self.recordings.clear();
    }
}
