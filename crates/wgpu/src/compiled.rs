//! A compiled kernel: its pipelines and the arguments that are equal for all launches.

use crate::{
    State,
    buffer::{Buffer, create},
    pipeline::Pipeline,
};
use lanthorn_ir::{Error, Kernel, Result, backend::Alias, expr::Type, kernel::Linalg};
use lanthorn_kernels::{Bindings, Pass, Plan, Slot, Tuning, plan};
use std::rc::Rc;

/// The result of [`lanthorn_ir::Backend::compile`]. It holds no buffer, so several plans may share
/// it.
pub(crate) struct Compiled {
    pub(crate) passes: Vec<CompiledPass>,
    pub(crate) params: Vec<Type>,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The kernel that the CPU runs instead of passes.
    pub(crate) cpu_fallback: Option<Linalg>,
}

pub(crate) struct CompiledPass {
    pub(crate) pipeline: Rc<Pipeline>,
    pub(crate) bindings: Bindings,
    pub(crate) slots: Vec<Slot>,
    pub(crate) arguments: Vec<u32>,
    /// The number of launch parameters among the arguments, from the first parameter on.
    pub(crate) params: usize,
    pub(crate) grid: [u32; 2],
    /// The argument word for the index of the pass's status word, if the pass may report an index
    /// out of range.
    pub(crate) status: Option<usize>,
}

impl State {
    pub(crate) fn compile(
        &self,
        op: &'static str,
        kernel: &Kernel,
        aliases: &[Alias],
        tuning: Tuning,
    ) -> Result<Compiled> {
        self.device.check_lost()?;
        let (inputs, outputs) = (kernel.input_count(), kernel.outputs().len());
        let most = self.device.capabilities.max_bindings;
        if inputs + outputs - aliases.len() > most {
            return Err(Error::limit(
                op,
                format!("{inputs} inputs and {outputs} outputs; the device binds at most {most} buffers"),
            ));
        }
        let Plan { passes, scratch_bytes } = plan(op, kernel, aliases, &self.target.with_tuning(tuning))?;
        self.ensure_scratch(op, scratch_bytes)?;
        let passes = passes.into_iter().map(|pass| {
            let pipeline = self.pipelines.get(&self.device, &self.failures, &self.counters, op, &pass);
            if let Some(error) = pipeline.resource.error() {
                return Err(error);
            }
            let Pass { bindings, slots, arguments, params, grid, status, .. } = pass;
            Ok(CompiledPass { pipeline, bindings, slots, arguments, params, grid, status })
        });
        let cpu_fallback = match kernel {
            Kernel::Linalg(linalg) => Some(linalg.clone()),
            _ => None,
        };
        Ok(Compiled {
            passes: passes.collect::<Result<_>>()?,
            params: kernel.params().to_vec(),
            inputs,
            outputs,
            cpu_fallback,
        })
    }

    /// The scratch buffer for a launch of submission `id`, and whether its creation is known to
    /// have succeeded. If it failed, another one is created.
    pub(crate) fn scratch(&self, op: &'static str, id: u64) -> Result<(u64, wgpu::Buffer, bool)> {
        let bytes = self.scratch.borrow().as_ref().map_or(0, |(_, buffer)| buffer.bytes);
        self.ensure_scratch(op, bytes)?;
        let scratch = self.scratch.borrow();
        // Compiling a kernel with scratch memory created it.
        let (number, buffer) = scratch.as_ref().ok_or_else(|| Error::kernel(op, "no scratch buffer"))?;
        buffer.resource.record_use(id, None);
        Ok((*number, buffer.raw.clone(), buffer.resource.is_resolved()))
    }

    /// Creates the scratch buffer. All kernels share it, because launches run in sequence.
    fn ensure_scratch(&self, op: &'static str, bytes: u64) -> Result<()> {
        let sound = |buffer: &Buffer| if buffer.resource.error().is_none() { buffer.bytes } else { 0 };
        let held = self.scratch.borrow().as_ref().map_or(0, |(_, buffer)| sound(buffer));
        if bytes <= held {
            return Ok(());
        }
        let most = self.device.capabilities.max_buffer_bytes;
        if bytes > most {
            return Err(Error::limit(op, format!("{bytes} bytes of scratch memory; the device binds at most {most}")));
        }
        let bytes = bytes.next_power_of_two().max(64 * 1024).min(most);
        let buffer = create(&self.device, &self.failures, &self.counters, bytes, wgpu::BufferUsages::STORAGE)?;
        if let Some((old, buffer)) = self.scratch.borrow_mut().replace((self.buffers.next_id(), Rc::new(buffer))) {
            self.groups.forget_buffer(old);
            buffer.raw.destroy();
        }
        Ok(())
    }
}
