//! What tensors share when one is a view of another.

use crate::{
    Device,
    batch::{Batch, Data},
};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::Type,
    kernel::{Map, Operand, identity},
};
use lanthorn_runtime::{SharedValue, Value};
use std::cell::{Cell, OnceCell, RefCell};

/// A row of elements on a device, at its current value.
///
/// Writing makes the storage point to a new value and counts its version up. A saved tensor
/// remembers the version it saw, so that backward can tell that it was changed.
///
/// A storage in shared memory is bound to that memory: a flush brings its value there, and others
/// may change it. No other storage takes the value that stands for the memory: it takes a copy.
pub(crate) struct Storage {
    pub device: Device,
    pub dtype: DType,
    /// The number of elements; within `vmap`, of one sample.
    pub elements: usize,
    /// The levels of `vmap` whose samples the storage holds.
    pub batch: Batch,
    value: RefCell<Value>,
    shared: OnceCell<SharedValue>,
    version: Cell<u64>,
    /// The number of storages made before it.
    pub serial: u64,
}

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

impl Storage {
    pub fn new(device: Device, data: impl Into<Data>) -> Storage {
        let Data { value, batch } = data.into();
        let value = apart(&device, value);
        Storage::with(device, Data { value, batch }, OnceCell::new())
    }

    /// The storage of shared memory that another thread or process made.
    pub fn of_shared(device: Device, shared: SharedValue) -> Storage {
        Storage::with(device, shared.value().into(), OnceCell::from(shared))
    }

    fn with(device: Device, data: Data, shared: OnceCell<SharedValue>) -> Storage {
        let elements = data.elements();
        let Data { value, batch } = data;
        Storage {
            device,
            dtype: value.dtype(),
            elements,
            batch,
            value: RefCell::new(value),
            shared,
            version: Cell::new(0),
            serial: MADE.replace(MADE.get() + 1),
        }
    }

    /// The number of storages made so far by this thread.
    pub fn made() -> u64 {
        MADE.get()
    }

    pub fn value(&self) -> Value {
        match self.shared.get() {
            Some(shared) => shared.value(),
            None => self.value.borrow().clone(),
        }
    }

    pub fn version(&self) -> u64 {
        self.version.get()
    }

    /// The value with its batch.
    pub fn data(&self) -> Data {
        Data { value: self.value(), batch: self.batch.clone() }
    }

    /// The shared memory, if the storage is bound to some.
    pub fn shared(&self) -> Option<&SharedValue> {
        self.shared.get()
    }

    /// Binds the storage to shared memory that has its value.
    pub fn bind(&self, shared: SharedValue) {
        if self.shared.set(shared).is_ok() {
            self.value.replace(self.value());
        }
    }

    /// Takes the next value.
    pub fn write(&self, value: Value) {
        self.write_after(value, 1);
    }

    /// Takes the value after `writes` writes.
    pub fn write_after(&self, value: Value, writes: u64) {
        debug_assert_eq!((value.dtype(), value.elements()), (self.dtype, self.elements * self.batch.samples()));
        let value = apart(&self.device, value);
        match self.shared.get() {
            Some(shared) => self.device.memory().write_shared(shared, value),
            None => drop(self.value.replace(value)),
        }
        self.version.set(self.version.get() + writes);
    }
}

/// The elements of a value as they are when a flush runs: a copy, if others may change them later.
fn apart(device: &Device, value: Value) -> Value {
    if !value.is_shared() {
        return value;
    }
    let layout = Layout::contiguous(Shape::from_dims([value.elements()]));
    copy_elements(device, "clone", value, layout)
}

/// The elements of a value at the offsets of a layout, in its order: a map, which is computed
/// within its consumers where there are no others.
pub(crate) fn copy_elements(device: &Device, op: &'static str, value: Value, layout: Layout) -> Value {
    let dtype = value.dtype();
    let copy = Kernel::Map(Map {
        shape: layout.shape().clone(),
        inputs: vec![Operand::new(dtype, layout)],
        indices: vec![],
        params: vec![],
        program: identity(Type::from(dtype)),
        dtypes: vec![dtype],
    });
    let outputs = device.record(op, copy, None, vec![value], vec![]);
    outputs.into_iter().next().expect("a map with one expression has one output")
}
