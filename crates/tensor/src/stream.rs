//! The recorded work of a device.
//!
//! An op call appends nodes here and returns at once. A flush (a read, `synchronize`, an optimizer's step, or enough recorded
//! work) turns the window into a plan, or finds the plan that an equal window made before, and submits it.

use crate::value::{State, Value};
use lanthorn_ir::{Error, Kernel, expr::Constant};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A kernel known to a device, with the number that stands for it in plan keys.
pub(crate) struct Interned {
    pub number: u32,
    pub kernel: Kernel,
}

/// One recorded piece of work.
pub(crate) struct Node {
    /// The op that recorded it, for errors and profiles.
    pub op: &'static str,
    pub kernel: Rc<Interned>,
    /// For a kernel that updates its output: what the output holds before; `None` leaves it undefined.
    pub base: Option<Value>,
    pub inputs: Vec<Value>,
    pub params: Vec<Constant>,
    pub outputs: Vec<Value>,
}

impl Node {
    /// Everything the node reads.
    pub fn reads(&self) -> impl Iterator<Item = &Value> {
        self.inputs.iter().chain(&self.base)
    }
}

/// What is recorded and not yet run, and the kernels seen so far.
#[derive(Default)]
pub(crate) struct Stream {
    nodes: Vec<Node>,
    bytes: u64,
    /// By op too: a plan names the op of each launch.
    kernels: FxHashMap<(&'static str, Kernel), Rc<Interned>>,
    next_kernel: u32,
}

impl Stream {
    /// Recorded nodes after which the window is run even if nobody asks.
    const MAX_NODES: usize = 1024;
    /// Bytes of recorded outputs after which the window is run even if nobody asks.
    const MAX_BYTES: u64 = 256 << 20;
    /// Distinct kernels kept; a program with ever new shapes starts afresh beyond this.
    const MAX_KERNELS: usize = 8192;

    /// Appends a node and gives the values that it will compute.
    pub fn record(
        &mut self,
        op: &'static str,
        kernel: Kernel,
        base: Option<Value>,
        inputs: Vec<Value>,
        params: Vec<Constant>,
    ) -> Vec<Value> {
        debug_assert_eq!(kernel.params().len(), params.len(), "{op}: a parameter for each slot");
        let shapes = match (&kernel, &base) {
            (Kernel::Copy(copy), Some(base)) => vec![(copy.dtype, base.elements())],
            _ => kernel.outputs(),
        };
        let outputs: Vec<Value> =
            shapes.into_iter().map(|(dtype, elements)| Value::new(dtype, elements, State::Recorded)).collect();
        self.bytes += outputs.iter().map(|value| (value.elements() * value.dtype().size()) as u64).sum::<u64>();
        let kernel = self.intern(op, kernel);
        self.nodes.push(Node { op, kernel, base, inputs, params, outputs: outputs.clone() });
        outputs
    }

    fn intern(&mut self, op: &'static str, kernel: Kernel) -> Rc<Interned> {
        let key = (op, kernel);
        if let Some(known) = self.kernels.get(&key) {
            return known.clone();
        }
        if self.kernels.len() >= Stream::MAX_KERNELS {
            // Numbers are never reused, so plans keyed by the old ones merely stop being found.
            self.kernels.clear();
        }
        let interned = Rc::new(Interned { number: self.next_kernel, kernel: key.1.clone() });
        self.next_kernel += 1;
        self.kernels.insert(key, interned.clone());
        interned
    }

    /// Whether the window should be run now.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= Stream::MAX_NODES || self.bytes >= Stream::MAX_BYTES
    }

    /// Hands the window over. Work on a value that failed fails in the same way, and is left out.
    pub fn take(&mut self) -> Vec<Node> {
        self.bytes = 0;
        let mut nodes = std::mem::take(&mut self.nodes);
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
        nodes
    }
}

/// Marks values as failed.
pub(crate) fn fail(values: &[Value], error: &Error) {
    values.iter().for_each(|value| value.set_state(State::Failed(error.clone())));
}
