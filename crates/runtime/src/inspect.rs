//! The view of a device that inspects it: counters, explanations, profiles, and the planner's
//! switches.

use crate::{Device, explain::Explanation, plan::Optimizations, pool::MemoryStats, profile::Profile};
use lanthorn_ir::{Result, backend::Counters};

/// Counters of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Segments that ran a cached plan.
    pub plan_hits: u64,
    /// Segments that ran a template with their own sizes. The template was planned for other sizes.
    pub plan_resizes: u64,
    /// Segments that were planned.
    pub plan_misses: u64,
    /// Launched kernels.
    pub launches: u64,
    /// Submissions of launches and reads.
    pub submissions: u64,
    /// Distinct kernels recorded: each is interned once.
    pub kernels: u64,
    /// Gradients of expressions derived by this thread.
    pub derivatives: u64,
    /// The buffers of values.
    pub memory: MemoryStats,
    /// The calls of the backend to its API.
    pub api: Counters,
}

/// Reports about the planning and execution of a device; from [`Device::inspect`].
#[derive(Clone, Copy)]
pub struct Inspector<'a>(pub(crate) &'a Device);

impl Inspector<'_> {
    /// Counters of launches, plans and bytes.
    pub fn stats(&self) -> Stats {
        self.0.executor().stats()
    }

    /// Runs a function and returns its recorded graph, its rewritten graph and its kernels.
    ///
    /// # Errors
    ///
    /// The error of `function`.
    ///
    /// ```
    /// # mod lanthorn {
    /// #     pub use lanthorn_tensor::*;
    /// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
    /// # }
    /// use lanthorn::Tensor;
    /// let device = lanthorn::cpu();
    /// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
    /// let explained = device.inspect().explain(|| x.mul(2.0)?.exp()?.add(1.0))?;
    /// assert_eq!(explained.recorded.matches(" map ").count(), 3);
    /// assert_eq!(explained.kernels.len(), 1); // fused
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn explain<T>(&self, function: impl FnOnce() -> Result<T>) -> Result<Explanation> {
        self.start_explaining();
        // The results must live until the flush, or their kernels would be dead.
        let result = function();
        let explanation = self.stop_explaining();
        result.map(|_| explanation)
    }

    /// Starts an explanation, for callers that cannot use a closure.
    pub fn start_explaining(&self) {
        self.0.executor().start_explaining();
    }

    /// Runs the kernels recorded since [`Inspector::start_explaining`] and returns their explanation.
    pub fn stop_explaining(&self) -> Explanation {
        self.0.executor().stop_explaining()
    }

    /// Starts to measure launches.
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
    /// device.inspect().start_profile();
    /// let y = x.matmul(&x)?;
    /// let profile = device.inspect().stop_profile().await?;
    /// println!("{profile}"); // op, kernel, count, total, share
    /// assert!(profile.rows().iter().any(|row| row.op == "matmul" && row.count == 1));
    /// assert!(profile.to_trace().starts_with(r#"{"traceEvents":[{"name":"#));
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub fn start_profile(&self) {
        self.0.executor().start_profile();
    }

    /// Runs the recorded kernels, waits for them, and returns the measurements since
    /// [`Inspector::start_profile`].
    ///
    /// # Errors
    ///
    /// As [`Device::synchronize`].
    pub async fn stop_profile(&self) -> Result<Profile> {
        self.0.executor().stop_profile().await
    }

    /// Sets the optimizations. By default all are enabled. Drops all earlier plans.
    pub fn set_optimizations(&self, optimizations: Optimizations) {
        self.0.executor().set_optimizations(optimizations);
    }

    /// The enabled optimizations.
    pub fn optimizations(&self) -> Optimizations {
        self.0.executor().optimizations()
    }
}
