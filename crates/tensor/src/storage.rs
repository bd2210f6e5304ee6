//! What tensors share when one is a view of another.

use crate::Device;
use lanthorn_ir::DType;
use lanthorn_runtime::Value;
use std::cell::{Cell, RefCell};

/// A row of elements on a device, at its current value.
///
/// Writing makes the storage point to a new value and counts its version up. A saved tensor remembers the version it saw, so
/// that backward can tell that it was changed.
pub(crate) struct Storage {
    pub device: Device,
    pub dtype: DType,
    pub elements: usize,
    value: RefCell<Value>,
    version: Cell<u64>,
    /// The number of storages made before it.
    pub serial: u64,
}

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

impl Storage {
    pub fn new(device: Device, value: Value) -> Storage {
        let (dtype, elements) = (value.dtype(), value.elements());
        Storage {
            device,
            dtype,
            elements,
            value: RefCell::new(value),
            version: Cell::new(0),
            serial: MADE.replace(MADE.get() + 1),
        }
    }

    /// The number of storages made so far by this thread.
    pub fn made() -> u64 {
        MADE.get()
    }

    pub fn value(&self) -> Value {
        self.value.borrow().clone()
    }

    pub fn version(&self) -> u64 {
        self.version.get()
    }

    /// Takes the next value.
    pub fn write(&self, value: Value) {
        self.write_after(value, 1);
    }

    /// Takes the value after `writes` writes.
    pub fn write_after(&self, value: Value, writes: u64) {
        debug_assert_eq!((value.dtype(), value.elements()), (self.dtype, self.elements));
        self.value.replace(value);
        self.version.set(self.version.get() + writes);
    }
}
