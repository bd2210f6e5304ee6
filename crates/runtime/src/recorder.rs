//! The kernels that a device has recorded and not yet run.
//!
//! An op appends a kernel and returns immediately. A flush (a read, `synchronize`, an optimizer's
//! step, or a full recorder) takes all of them as one segment. Kernels are interned, because a
//! training loop records the same ones at every step. A plan's key then contains a number for each.

use crate::{
    param::Param,
    value::{State, Value},
};
use lanthorn_ir::{
    DType, Error, Kernel,
    backend::Capabilities,
    cache::Cache,
    number::{Convert, Trace},
};
use std::rc::Rc;

/// A kernel that the device has seen, with its id in plan keys.
pub(crate) struct Interned {
    pub id: u32,
    pub kernel: Kernel,
    /// The id of the kernel's structure, which it shares with kernels that differ only in the
    /// values of their numbers, and in the [class](Trace::class) of none.
    pub structure: u32,
    /// The kernel's numbers, in the order of [`Kernel::convert`].
    pub numbers: Vec<i64>,
    /// The type and the number of elements of each output.
    outputs: Vec<(DType, usize)>,
}

/// The key by which a caller identifies a kernel: see
/// [`Device::record_known`](crate::Device::record_known).
pub type KernelKey = [u64];

/// Extracts the numbers of a kernel.
#[derive(Default)]
struct Extract(Vec<i64>);

impl Convert<usize, usize> for Extract {
    fn number(&mut self, number: usize) -> usize {
        self.0.push(number as i64);
        Trace::class(number as i64) as usize
    }

    fn to_signed(&mut self, number: isize) -> isize {
        self.0.push(number as i64);
        Trace::class(number as i64) as isize
    }
}

/// One recorded kernel with its values.
pub(crate) struct RecordedKernel {
    /// The op that recorded it, for errors and profiles.
    pub op: &'static str,
    pub kernel: Rc<Interned>,
    /// For a kernel that updates its output: the initial value of the output; `None` leaves it
    /// undefined.
    pub base: Option<Value>,
    pub inputs: Vec<Value>,
    pub params: Vec<Param>,
    pub outputs: Vec<Value>,
}

impl RecordedKernel {
    /// All values that the kernel reads.
    pub fn reads(&self) -> impl Iterator<Item = &Value> {
        self.inputs.iter().chain(&self.base)
    }
}

/// The recorded kernels, and the interned ones.
pub(crate) struct Recorder {
    nodes: Vec<RecordedKernel>,
    /// The size of all results, and of the largest one, in bytes.
    bytes: u64,
    largest: u64,
    /// The key includes the op, because a plan names the op of each launch.
    kernels: Cache<(&'static str, Kernel), Rc<Interned>>,
    structures: Cache<(&'static str, Kernel), u32>,
    /// Kernels by the keys of callers.
    known: Cache<Box<KernelKey>, Rc<Interned>>,
}

impl Default for Recorder {
    fn default() -> Recorder {
        let interned = Recorder::MAX_KERNELS;
        Recorder {
            nodes: vec![],
            bytes: 0,
            largest: 0,
            kernels: Cache::new(interned),
            structures: Cache::new(interned),
            known: Cache::new(interned),
        }
    }
}

impl Recorder {
    /// A recorder with this many kernels is flushed without a request.
    const MAX_NODES: usize = 1024;
    /// A recording of this many kernels fails.
    const MAX_RECORDED: usize = 8192;
    /// Maximum number of interned kernels, and of their structures. Ids are never reused: a plan
    /// whose key contains a dropped id is not found again.
    const MAX_KERNELS: usize = 8192;

    /// Appends a kernel and returns the values that it will compute.
    pub fn record(
        &mut self,
        op: &'static str,
        kernel: Kernel,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Vec<Value> {
        let kernel = self.intern(op, kernel);
        self.append(op, kernel, base, inputs, params)
    }

    /// [`Recorder::record`] of a kernel. Calls `make` if the key is unknown.
    pub fn record_known<E>(
        &mut self,
        op: &'static str,
        key: &KernelKey,
        make: impl FnOnce() -> Result<Kernel, E>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Result<Vec<Value>, E> {
        let known = self.known.get(key).cloned();
        let kernel = match known {
            Some(kernel) => kernel,
            None => {
                let kernel = self.intern(op, make()?);
                self.known.insert(key.into(), kernel.clone());
                kernel
            }
        };
        Ok(self.append(op, kernel, None, inputs, params))
    }

    fn append(
        &mut self,
        op: &'static str,
        kernel: Rc<Interned>,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Param>,
    ) -> Vec<Value> {
        debug_assert_eq!(kernel.kernel.params().len(), params.len(), "{op}: a parameter for each slot");
        let made = |&(dtype, elements): &(DType, usize)| Value::new(op, dtype, elements, State::Recorded);
        let outputs: Vec<Value> = match (&kernel.kernel, &base) {
            (Kernel::Copy(copy), Some(base)) => vec![made(&(copy.dtype, base.elements()))],
            _ => kernel.outputs.iter().map(made).collect(),
        };
        for value in &outputs {
            let bytes = (value.elements() * value.dtype().size()) as u64;
            self.bytes += bytes;
            self.largest = self.largest.max(bytes);
        }
        self.nodes.push(RecordedKernel { op, kernel, base, inputs, params, outputs: outputs.clone() });
        outputs
    }

    fn intern(&mut self, op: &'static str, kernel: Kernel) -> Rc<Interned> {
        let key = (op, kernel);
        if let Some(known) = self.kernels.get(&key) {
            return known.clone();
        }
        let mut numbers = Extract::default();
        let structure = (op, key.1.convert(&mut numbers));
        let structure = self.structures.get(&structure).copied().unwrap_or_else(|| {
            let id = self.structures.insertions() as u32;
            self.structures.insert(structure, id);
            id
        });
        let interned = Rc::new(Interned {
            id: self.kernels.insertions() as u32,
            outputs: key.1.outputs(),
            kernel: key.1.clone(),
            structure,
            numbers: numbers.0,
        });
        self.kernels.insert(key, interned.clone());
        interned
    }

    /// The number of kernels that were interned.
    pub fn count_interned(&self) -> u64 {
        self.kernels.insertions()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the recorder must be flushed. A recording, which is planned once, may have more
    /// kernels, of any size, because its plan only allocates buffers for results that live at the
    /// same time. A result that exceeds the largest buffer runs at once, so that only it fails.
    pub fn is_full(&self, records: bool, device: &Capabilities) -> bool {
        match records {
            true => self.nodes.len() >= Recorder::MAX_RECORDED,
            false => {
                self.nodes.len() >= Recorder::MAX_NODES
                    || self.bytes >= device.max_pending_bytes
                    || self.largest > device.max_buffer_bytes
            }
        }
    }

    /// Takes all recorded kernels. A kernel that reads a failed value fails with the same error and
    /// is left out.
    pub fn take(&mut self) -> Vec<RecordedKernel> {
        (self.bytes, self.largest) = (0, 0);
        let mut nodes = std::mem::take(&mut self.nodes);
        remove_failed(&mut nodes);
        nodes
    }
}

/// Removes the kernels that read a failed value. Their results fail with the same error.
pub(crate) fn remove_failed(nodes: &mut Vec<RecordedKernel>) {
    nodes.retain(|node| {
        let failed = node.reads().find_map(|value| match value.state() {
            State::Failed(error) => Some(error),
            _ => None,
        });
        if let Some(error) = &failed {
            fail(&node.outputs, error);
        }
        failed.is_none()
    });
}

/// Marks values as failed with an error.
pub(crate) fn fail(values: &[Value], error: &Error) {
    values.iter().for_each(|value| value.set_state(State::Failed(error.clone())));
}
