//! Autotuning: measures the variants of kernels on this device and keeps the fastest.
//!
//! The fastest variant differs between adapters, and no rule covers all of them.
//! [`DeviceTuner::tune`] runs a function, collects the kernels of its plans, and measures the
//! variants of each on buffers of zeros. The fastest variant is used for every kernel of that class
//! (kind, element type, sizes to the next power of two) from then on, and can be saved as text.

use crate::{Device, pool::Buffer};
use lanthorn_ir::{
    Backend, DType, Encoding, Kernel, Result,
    backend::{BufferIds, Compiled, Launch, Tuner},
    expr::Constant,
};
use std::{
    fmt::{self, Display, Formatter},
    rc::Rc,
};
use web_time::{Duration, Instant};

/// A variant replaces the default one if it takes at most this fraction of its time, because
/// measurements of equal variants differ by a few percent.
const MAX_RELATIVE_TIME: f64 = 0.95;
/// A measurement repeats a launch at least this long.
const MIN_DURATION: Duration = Duration::from_millis(4);
/// Maximum number of repetitions of a launch in a measurement.
const MAX_REPEATS: usize = 256;
/// Number of measurements of each variant, in alternation. The shortest counts.
const ROUNDS: usize = 3;

/// The tuned kernels with the times of their variants; from [`DeviceTuner::tune`]. Printing shows
/// a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuned {
    /// Kernels with several variants, one of each class.
    pub kernels: Vec<TunedKernel>,
}

/// A measured kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedKernel {
    /// The op of the kernel.
    pub op: &'static str,
    /// The class of kernels to which the choice applies.
    pub class: String,
    /// Each variant with its time in microseconds; the default one first.
    pub times: Vec<(&'static str, f64)>,
    /// The variant in use from now on.
    pub chosen: &'static str,
}

impl Display for Tuned {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24} {:<36} {:<10} times in µs", "op", "class", "chosen")?;
        for TunedKernel { op, class, times, chosen } in &self.kernels {
            let times: Vec<String> = times.iter().map(|(variant, time)| format!("{variant} {time:.0}")).collect();
            writeln!(f, "{op:<24} {class:<36} {chosen:<10} {}", times.join(", "))?;
        }
        Ok(())
    }
}

/// The choice of kernel variants on a device; from [`Device::tuner`].
#[derive(Clone, Copy)]
pub struct DeviceTuner<'a>(pub(crate) &'a Device);

impl DeviceTuner<'_> {
    /// Runs a function, measures the variants of its kernels, and uses the fastest from then on.
    ///
    /// The function runs as usual. A measurement takes some milliseconds a variant. On a device
    /// with one variant a kernel, such as the CPU, the table is empty.
    ///
    /// # Errors
    ///
    /// The error of `function`, and the errors of [`Device::synchronize`].
    ///
    /// ```
    /// # mod lanthorn {
    /// #     pub use lanthorn_tensor::*;
    /// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
    /// # }
    /// use lanthorn::Tensor;
    /// # pollster::block_on(async {
    /// let device = lanthorn::cpu();
    /// let x = Tensor::ones([64, 64])?;
    /// let tuned = device.tuner().tune(|| x.matmul(&x)).await?;
    /// assert!(tuned.kernels.is_empty());
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub async fn tune<T>(&self, function: impl FnOnce() -> Result<T>) -> Result<Tuned> {
        self.start();
        // The results must live until the flush, or their kernels would be dead.
        let result = function();
        let tuned = self.stop().await;
        result.and(tuned)
    }

    /// Starts [`DeviceTuner::tune`], for callers that cannot use a closure.
    pub fn start(&self) {
        self.0.executor().collect_kernels();
    }

    /// Measures the kernels recorded since [`DeviceTuner::start`].
    ///
    /// # Errors
    ///
    /// As [`Device::synchronize`].
    pub async fn stop(&self) -> Result<Tuned> {
        let kernels = self.0.executor().collected_kernels();
        self.0.synchronize().await?;
        let mut tuned = Tuned::default();
        let Some(tuner) = self.0.executor().backend().tuner() else { return Ok(tuned) };
        for (op, kernel) in kernels {
            let Some(tunable) = tuner.tunable(&kernel) else { continue };
            if tunable.variants.len() < 2 || tuned.kernels.iter().any(|known| known.class == tunable.class) {
                continue;
            }
            let times = Bench::new(self.0, tuner, op, &kernel)?.times(&tunable.variants).await?;
            let fastest = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or(times[0]);
            let chosen = if fastest.1 < times[0].1 * MAX_RELATIVE_TIME { fastest.0 } else { times[0].0 };
            tuned.kernels.push(TunedKernel { op, class: tunable.class, times, chosen });
        }
        let choices: Vec<(&str, &str)> =
            tuned.kernels.iter().map(|kernel| (kernel.class.as_str(), kernel.chosen)).collect();
        self.prefer(&choices);
        Ok(tuned)
    }

    /// All choices, one line `CLASS VARIANT` each. [`DeviceTuner::restore`] reads them on the
    /// same adapter.
    pub fn choices(&self) -> String {
        let preferences = self.0.executor().backend().tuner().map_or(vec![], |tuner| tuner.preferences());
        preferences.iter().map(|(class, variant)| format!("{class} {variant}\n")).collect()
    }

    /// Restores choices of an earlier [`DeviceTuner::choices`]. Unknown lines are ignored.
    pub fn restore(&self, text: &str) {
        let choices: Vec<(&str, &str)> = text.lines().filter_map(|line| line.rsplit_once(' ')).collect();
        self.prefer(&choices);
    }

    fn prefer(&self, choices: &[(&str, &str)]) {
        let Some(tuner) = self.0.executor().backend().tuner() else { return };
        choices.iter().for_each(|(class, variant)| tuner.prefer(class, variant));
        self.0.executor().forget_plans();
    }
}

/// A kernel with buffers to run it on.
struct Bench<'a> {
    backend: &'a dyn Backend,
    tuner: &'a dyn Tuner,
    op: &'static str,
    kernel: &'a Kernel,
    inputs: Vec<Rc<Buffer>>,
    outputs: Vec<Rc<Buffer>>,
}

impl<'a> Bench<'a> {
    fn new(device: &'a Device, tuner: &'a dyn Tuner, op: &'static str, kernel: &'a Kernel) -> Result<Bench<'a>> {
        // Zeros, so that indices among the operands are in range.
        let input = |operand: &lanthorn_ir::kernel::Operand| {
            let elements = operand.extent().unwrap_or(0);
            let (dtype, elements) = match operand.encoding {
                Encoding::Plain(dtype) => (dtype, elements),
                Encoding::Blocks(format) => (DType::U8, format.bytes_of(elements)),
            };
            let buffer = device.executor().buffer(op, dtype, elements)?;
            device.executor().backend().upload(buffer.id, dtype, 0, &vec![0; elements * dtype.size()])?;
            Ok(buffer)
        };
        let output = |(dtype, elements): (DType, usize)| device.executor().buffer(op, dtype, elements);
        Ok(Bench {
            backend: device.executor().backend(),
            tuner,
            op,
            kernel,
            inputs: kernel.operands().into_iter().map(input).collect::<Result<_>>()?,
            outputs: kernel.outputs().into_iter().map(output).collect::<Result<_>>()?,
        })
    }

    /// Each variant with the shortest time of a launch in microseconds.
    async fn times(&self, variants: &[&'static str]) -> Result<Vec<(&'static str, f64)>> {
        let mut compiled = Vec::new();
        for &variant in variants {
            let kernel = self.tuner.compile_variant(self.op, self.kernel, &[], variant)?;
            // The first launch includes the compilation of the pipeline.
            self.run(&kernel, 1).await?;
            let mut repeats = 1;
            while repeats < MAX_REPEATS && self.run(&kernel, repeats).await? < MIN_DURATION {
                repeats *= 2;
            }
            compiled.push((variant, kernel, repeats, f64::INFINITY));
        }
        for _ in 0..ROUNDS {
            for (_, kernel, repeats, best) in &mut compiled {
                let time = self.run(kernel, *repeats).await?.as_secs_f64() * 1e6 / *repeats as f64;
                *best = best.min(time);
            }
        }
        Ok(compiled.into_iter().map(|(variant, _, _, best)| (variant, best)).collect())
    }

    async fn run(&self, kernel: &Compiled, repeats: usize) -> Result<Duration> {
        let ids = |buffers: &[Rc<Buffer>]| buffers.iter().map(|buffer| buffer.id).collect::<BufferIds>();
        let launch = Launch {
            op: self.op,
            kernel: kernel.clone(),
            inputs: ids(&self.inputs),
            outputs: ids(&self.outputs),
            params: self.kernel.params().iter().map(|&ty| Constant::new(1.0, ty)).collect(),
        };
        let launches = vec![launch; repeats];
        let start = Instant::now();
        self.backend.submit(&launches, &[]);
        self.backend.synchronize().await?;
        Ok(start.elapsed())
    }
}
