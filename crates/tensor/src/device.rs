//! A device: a backend with its stream of recorded work, its plans and its buffers.

use crate::{
    explain::Explanation,
    generator::Generator,
    plan::{self, Binding, Key, Optimizations, Pending, Plan, Slot, Window},
    pool::{Buffer, MemoryStats, Pool},
    profile::{Profile, Recorder},
    stream::{Stream, fail},
    value::{State, Value},
};
use lanthorn_ir::{
    Backend, DType, Error, Kernel, Result,
    backend::{Capabilities, Counters, Launch, LocalFuture, Read},
    expr::Constant,
};
use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::{Rc, Weak},
};

/// A device that holds tensors and runs their operations. Cloning shares it.
///
/// Work is recorded and runs at a flush; see [`Device::synchronize`]. Devices are made by the backends' constructors in the crate
/// `lanthorn`. The first device made on a thread is that thread's default while it lives, as in `torch.set_default_device`.
///
/// ```
/// use lanthorn_tensor::{Device, Tensor};
/// let device = Device::new(lanthorn_cpu::CpuBackend::new());
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// assert_eq!(x.device().name(), "cpu");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Rc<Inner>);

struct Inner {
    // Declared before the backend handle below it, so that the pool gives its buffers back first.
    pool: Rc<Pool>,
    stream: RefCell<Stream>,
    cache: RefCell<plan::Cache>,
    pending: RefCell<Vec<Pending>>,
    generator: Generator,
    optimizations: Cell<Optimizations>,
    steps: Cell<u64>,
    submissions: Cell<u64>,
    /// What is being explained, between the two calls that say so.
    explanation: RefCell<Option<Explanation>>,
    /// What is being profiled.
    recorder: RefCell<Option<Recorder>>,
    /// The kernels to be tuned, while they are collected.
    tuned: RefCell<Option<Vec<(&'static str, Kernel)>>>,
    backend: Rc<dyn Backend>,
}

/// A part of a value that is brought to the host.
pub(crate) struct Part {
    pub value: Value,
    pub offset: usize,
    pub elements: usize,
}

/// What a device has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Windows that ran a plan made before.
    pub plan_hits: u64,
    /// Windows whose plan had to be made.
    pub plan_misses: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Submissions of launches and reads.
    pub submissions: u64,
    /// The buffers of values.
    pub memory: MemoryStats,
    /// What the backend has asked its API for.
    pub api: Counters,
}

thread_local! {
    /// Weak, because a device must not be taken down by a thread's end: native drivers need thread-locals of their own for that.
    static DEFAULT: RefCell<Weak<Inner>> = const { RefCell::new(Weak::new()) };
}

impl Device {
    /// A device on a backend.
    pub fn new(backend: impl Backend + 'static) -> Device {
        let backend: Rc<dyn Backend> = Rc::new(backend);
        let device = Device(Rc::new(Inner {
            pool: Pool::new(backend.clone()),
            stream: RefCell::default(),
            cache: RefCell::default(),
            pending: RefCell::default(),
            generator: Generator::new(0),
            optimizations: Cell::default(),
            steps: Cell::default(),
            submissions: Cell::default(),
            explanation: RefCell::default(),
            recorder: RefCell::default(),
            tuned: RefCell::default(),
            backend,
        }));
        if Device::default_device().is_err() {
            device.set_default();
        }
        device
    }

    /// The device that creation functions use where none is given.
    pub fn default_device() -> Result<Device> {
        let device = DEFAULT.with_borrow(Weak::upgrade).map(Device);
        device.ok_or_else(|| {
            Error::device("device", "there is no device: make one and keep it, for example `let device = lanthorn::cpu();`")
        })
    }

    /// Makes this the device that creation functions use where none is given.
    pub fn set_default(&self) {
        DEFAULT.set(Rc::downgrade(&self.0));
    }

    /// The name of the backend: `cpu`, `wgpu`.
    pub fn name(&self) -> &'static str {
        self.capabilities().name
    }

    /// What the device can hold, and what it calls itself.
    pub fn capabilities(&self) -> &Capabilities {
        self.0.backend.capabilities()
    }

    /// The generator of random numbers that ops use where none is given.
    pub fn generator(&self) -> &Generator {
        &self.0.generator
    }

    /// Sets the seed of the device's generator, as `torch.manual_seed`.
    pub fn manual_seed(&self, seed: u64) {
        self.0.generator.manual_seed(seed);
    }

    /// Counts of launches, plans and bytes.
    pub fn stats(&self) -> Stats {
        let cache = self.0.cache.borrow();
        Stats {
            plan_hits: cache.hits,
            plan_misses: cache.misses,
            launches: self.0.steps.get(),
            submissions: self.0.submissions.get(),
            memory: self.0.pool.stats(),
            api: self.0.backend.counters(),
        }
    }

    /// Limits the bytes that buffers take together, or takes the limit away. Buffers that wait for reuse are given back before work is refused; work
    /// that does not fit fails as out of memory, at the call that uploads or at the read that needs it, and the device works on.
    ///
    /// ```
    /// use lanthorn_tensor::{Device, Tensor};
    /// let device = Device::new(lanthorn_cpu::CpuBackend::new());
    /// device.set_memory_limit(Some(1 << 20));
    /// let x = Tensor::ones([1024, 1024])?;
    /// assert!(pollster::block_on(x.to_vec::<f32>()).unwrap_err().is_out_of_memory());
    /// let y = Tensor::ones([16])?;
    /// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0; 16]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn set_memory_limit(&self, bytes: Option<u64>) {
        self.0.pool.set_limit(bytes);
    }

    /// Gives the buffers that wait for reuse back to the device, as `torch.cuda.empty_cache`.
    pub fn empty_cache(&self) {
        self.0.pool.trim();
    }

    /// Runs a function, and says what it recorded and what became of that.
    ///
    /// ```
    /// use lanthorn_tensor::{Device, Tensor};
    /// let device = Device::new(lanthorn_cpu::CpuBackend::new());
    /// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
    /// let explained = device.explain(|| x.mul(2.0)?.exp()?.add(1.0))?;
    /// assert_eq!(explained.recorded.matches(" map ").count(), 3);
    /// assert_eq!(explained.kernels.len(), 1); // fused
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn explain<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<Explanation> {
        self.start_explaining();
        // What the function returns is needed until its work has run.
        let result = work();
        let explanation = self.stop_explaining();
        result.map(|_| explanation)
    }

    /// The beginning of an explanation, for callers that cannot use a closure.
    pub fn start_explaining(&self) {
        self.flush();
        self.0.explanation.replace(Some(Explanation::default()));
    }

    /// The work recorded since [`Device::start_explaining`]; it is run.
    pub fn stop_explaining(&self) -> Explanation {
        self.flush();
        self.0.explanation.take().unwrap_or_default()
    }

    /// Begins to measure launches.
    ///
    /// ```
    /// use lanthorn_tensor::{Device, Tensor};
    /// # pollster::block_on(async {
    /// let device = Device::new(lanthorn_cpu::CpuBackend::new());
    /// let x = Tensor::ones([64, 64])?;
    /// device.start_profile();
    /// let y = x.matmul(&x)?;
    /// let profile = device.stop_profile().await?;
    /// println!("{profile}"); // op, kernel, count, total, share
    /// assert!(profile.rows().iter().any(|row| row.op == "matmul" && row.count == 1));
    /// assert!(profile.to_trace().starts_with(r#"{"traceEvents":[{"name":"#));
    /// # Ok::<(), lanthorn_tensor::Error>(()) }).unwrap();
    /// ```
    pub fn start_profile(&self) {
        self.flush();
        self.0.backend.set_profiling(true);
        self.0.recorder.replace(Some(Recorder::default()));
    }

    /// Runs what is recorded, waits for it, and says what was measured since [`Device::start_profile`].
    pub async fn stop_profile(&self) -> Result<Profile> {
        let done = self.synchronize().await;
        self.0.backend.set_profiling(false);
        let recorder = self.0.recorder.take().unwrap_or_default();
        let timings = self.0.backend.timings().await;
        done?;
        Ok(recorder.finish(timings?))
    }

    /// Says which rewritings of recorded work are done. All are by default; tests compare with fewer. Plans made before are forgotten.
    pub fn set_optimizations(&self, optimizations: Optimizations) {
        self.flush();
        self.0.optimizations.set(optimizations);
        self.forget_plans();
    }

    /// Makes every plan anew from now on.
    pub(crate) fn forget_plans(&self) {
        self.0.cache.take();
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// Runs what is recorded, and collects the kernels of what is recorded from now on.
    pub(crate) fn collect_kernels(&self) {
        self.flush();
        self.0.tuned.replace(Some(vec![]));
    }

    /// Runs what is recorded, and gives the kernels collected.
    pub(crate) fn collected_kernels(&self) -> Vec<(&'static str, Kernel)> {
        self.flush();
        self.0.tuned.take().unwrap_or_default()
    }

    /// Which rewritings are done.
    pub(crate) fn optimizations(&self) -> Optimizations {
        self.0.optimizations.get()
    }

    /// Runs what is recorded, without waiting for it.
    pub fn flush(&self) {
        self.run(None);
    }

    /// Runs what is recorded and waits until it is done.
    pub async fn synchronize(&self) -> Result<()> {
        self.flush();
        let done = self.0.backend.synchronize().await;
        self.settle(self.0.submissions.get());
        done
    }

    /// Why the device is gone, if it is.
    pub fn lost(&self) -> Option<Error> {
        self.0.backend.lost()
    }

    /// An error if tensors of this type cannot be on this device.
    pub(crate) fn require_dtype(&self, op: &str, dtype: DType) -> Result<()> {
        if self.capabilities().dtypes.contains(&dtype) {
            return Ok(());
        }
        Err(Error::dtype(op, format!("{dtype} is not supported on the device {}; use float32, or the CPU", self.name())))
    }

    /// Brings host data to the device.
    pub(crate) fn upload(&self, op: &str, dtype: DType, elements: usize, bytes: &[u8]) -> Result<Value> {
        self.require_dtype(op, dtype)?;
        if let Some(error) = self.lost() {
            return Err(error.in_op(op));
        }
        let buffer = self.buffer(op, dtype, elements)?;
        self.0.backend.upload(buffer.id, dtype, bytes).map_err(|error| error.in_op(op))?;
        Ok(Value::new(dtype, elements, State::Ready(buffer)))
    }

    /// A buffer for so many elements, which holds nothing yet.
    pub(crate) fn buffer(&self, op: &str, dtype: DType, elements: usize) -> Result<Rc<Buffer>> {
        self.0.pool.take(self.0.backend.storage_bytes(dtype, elements)).map_err(|error| error.in_op(op))
    }

    /// Records work; see [`Stream::record`].
    pub(crate) fn record(
        &self,
        op: &'static str,
        kernel: Kernel,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Constant>,
    ) -> Vec<Value> {
        let outputs = self.0.stream.borrow_mut().record(op, kernel, base, inputs, params);
        self.flush_if_full();
        outputs
    }

    fn flush_if_full(&self) {
        if self.0.stream.borrow().is_full() {
            self.flush();
        }
    }

    /// Brings a part of a value to the host, after everything recorded before.
    pub(crate) fn read(&self, part: Part) -> LocalFuture<Result<Vec<u8>>> {
        let read = self.run(Some(&part));
        let submission = self.0.submissions.get();
        let device = self.clone();
        Box::pin(async move {
            let bytes = match read {
                Some(read) => read.await,
                None => Ok(Vec::new()),
            };
            device.settle(submission);
            match part.value.state() {
                State::Failed(error) => Err(error),
                _ => bytes,
            }
        })
    }

    /// Runs the recorded window and reads `wanted` after it, in one submission.
    fn run(&self, wanted: Option<&Part>) -> Option<LocalFuture<Result<Vec<u8>>>> {
        let nodes = self.0.stream.borrow_mut().take();
        let needed = wanted.map_or(&[][..], |part| std::slice::from_ref(&part.value));
        if let Some(error) = self.lost() {
            nodes.iter().for_each(|node| fail(&node.outputs, &error));
            fail(needed, &error);
            return None;
        }
        let window = Window::new(nodes, needed);
        let (plan, launches) = self.prepare(&window, needed);
        // What failed before it ran has no buffer, and an empty part nothing to read.
        let read = wanted.filter(|part| part.elements > 0).and_then(|part| {
            let buffer = part.value.buffer()?;
            Some(Read { buffer: buffer.id, dtype: part.value.dtype(), offset: part.offset, elements: part.elements })
        });
        if launches.is_empty() && read.is_none() {
            return None;
        }
        let mut submission = self.0.backend.submit(&launches, read.as_slice());
        if let Some(recorder) = &mut *self.0.recorder.borrow_mut() {
            recorder.note(submission.id, plan.as_deref());
        }
        self.0.submissions.set(submission.id);
        self.0.steps.set(self.0.steps.get() + launches.len() as u64);
        if let Some(plan) = plan {
            self.0.pending.borrow_mut().push(Pending::new(submission.id, plan, &window));
        }
        // From here on the window's own handles to buffers are gone: what nobody holds is back in the pool.
        drop(window);
        if self.capabilities().sync_read {
            self.settle(submission.id);
        }
        submission.reads.pop()
    }

    /// Finds or makes the plan of a window and binds buffers to it. The values that it computes are ready from here on, as far as
    /// later work is concerned.
    fn prepare(&self, window: &Window, wanted: &[Value]) -> (Option<Rc<Plan>>, Vec<Launch>) {
        if window.nodes.is_empty() {
            return (None, vec![]);
        }
        let plan = self.plan(window, wanted);
        for (locals, error) in &plan.failed {
            locals.iter().for_each(|&local| window.locals[local].value.set_state(State::Failed(error.clone())));
        }
        let binding = match self.bind(&plan, window) {
            Ok(binding) => binding,
            Err(error) => {
                window.nodes.iter().for_each(|node| fail(&node.outputs, &error));
                return (None, vec![]);
            }
        };
        for output in &plan.outputs {
            window.locals[output.local].value.set_state(State::Ready(binding.buffer(output.slot).clone()));
        }
        let params: Vec<Constant> = window.nodes.iter().flat_map(|node| node.params.iter().copied()).collect();
        let ids = |slots: &[plan::Slot]| slots.iter().map(|&slot| binding.buffer(slot).id).collect();
        let launch = |step: &plan::Step| Launch {
            op: step.op,
            kernel: step.kernel.clone(),
            inputs: ids(&step.inputs),
            outputs: ids(&step.outputs),
            params: step.params.iter().map(|&place| params[place]).collect(),
        };
        let launches = plan.steps.iter().map(launch).collect();
        (Some(plan), launches)
    }

    /// The plan of a window: one made before, unless it is to be looked into.
    fn plan(&self, window: &Window, wanted: &[Value]) -> Rc<Plan> {
        let key = Key::new(window, wanted);
        let (mut explanation, mut tuned) = (self.0.explanation.borrow_mut(), self.0.tuned.borrow_mut());
        let known = self.0.cache.borrow_mut().get(&key);
        if let Some(known) = known.filter(|_| explanation.is_none() && tuned.is_none()) {
            return known;
        }
        let mut graph = plan::Graph::new(window);
        if let Some(explanation) = &mut *explanation {
            explanation.record(&graph);
        }
        let optimizations = self.0.optimizations.get();
        plan::optimize(&mut graph, optimizations, self.capabilities());
        let plan = Rc::new(plan::build(&*self.0.backend, &graph, optimizations.in_place));
        if let Some(tuned) = &mut *tuned {
            tuned.extend(graph.works.iter().map(|work| (work.op, work.kernel.clone())));
        }
        if let Some(explanation) = &mut *explanation {
            explanation.rewrite(&graph, &plan, &*self.0.backend);
        }
        // A kernel that failed may compile another time, when a limit or the device has changed.
        if plan.failed.is_empty() {
            self.0.cache.borrow_mut().insert(key, plan.clone());
        }
        plan
    }

    /// Buffers for the slots of a plan.
    fn bind(&self, plan: &Plan, window: &Window) -> Result<Binding> {
        let externals: Option<Vec<_>> = window.externals().map(|local| local.value.buffer()).collect();
        let externals = externals.ok_or_else(|| Error::kernel("flush", "a value is used that was never computed"))?;
        let size = |&(dtype, elements): &(DType, usize)| self.0.backend.storage_bytes(dtype, elements);
        let take = |(place, own)| self.0.pool.take(size(own)).map_err(|error| plan.in_result(Slot::Own(place), error));
        let own: Result<Vec<_>> = plan.own.iter().enumerate().map(take).collect();
        Ok(Binding { externals, own: own? })
    }

    /// Takes note of the failures known by now, up to a submission that is done.
    fn settle(&self, submission: u64) {
        let failures = self.0.backend.failures();
        let mut pending = self.0.pending.borrow_mut();
        if !failures.is_empty() {
            plan::spread(&failures, &pending);
        }
        pending.retain(|pending| pending.submission > submission);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
