//! An SSA value: the result of one recorded kernel, or uploaded data.
//!
//! A value is immutable. A write to a tensor makes its storage refer to another value, so recorded
//! kernels that read the old value still read the old elements. The buffer of a value exists from
//! the flush that computes it until its last handle is dropped.

use crate::pool::Buffer;
use lanthorn_ir::{DType, Error};
use std::{cell::RefCell, rc::Rc};

/// A shared handle to a value.
#[derive(Clone)]
pub struct Value(Rc<Inner>);

struct Inner {
    op: &'static str,
    dtype: DType,
    elements: usize,
    state: RefCell<State>,
}

/// The state of a value.
#[derive(Clone)]
pub(crate) enum State {
    /// A recorded kernel will compute it.
    Recorded,
    /// It has a buffer, and the kernel that computes it was submitted.
    Ready(Rc<Buffer>),
    /// It could not be computed.
    Failed(Error),
}

impl Value {
    pub(crate) fn new(op: &'static str, dtype: DType, elements: usize, state: State) -> Value {
        Value(Rc::new(Inner { op, dtype, elements, state: RefCell::new(state) }))
    }

    /// A value that no kernel computes. Reads of it, and of values computed from it, return
    /// `error`.
    pub fn fail(op: &'static str, dtype: DType, elements: usize, error: Error) -> Value {
        Value::new(op, dtype, elements, State::Failed(error))
    }

    /// The operation that computes it; `upload` for host data.
    pub fn op(&self) -> &'static str {
        self.0.op
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.0.elements
    }

    pub(crate) fn state(&self) -> State {
        self.0.state.borrow().clone()
    }

    pub(crate) fn set_state(&self, state: State) {
        *self.0.state.borrow_mut() = state;
    }

    /// The buffer, if there is one.
    pub(crate) fn buffer(&self) -> Option<Rc<Buffer>> {
        match &*self.0.state.borrow() {
            State::Ready(buffer) => Some(buffer.clone()),
            _ => None,
        }
    }

    /// Whether its computation failed.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(&*self.0.state.borrow(), State::Failed(_))
    }

    /// Whether it has a buffer.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(&*self.0.state.borrow(), State::Ready(_))
    }

    /// Whether it represents memory that other devices write, so that its elements may change.
    pub fn is_shared(&self) -> bool {
        matches!(&*self.0.state.borrow(), State::Ready(buffer) if buffer.is_shared)
    }

    /// The identity of the value while it, or a weak handle of it, exists.
    pub fn key(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// The number of handles.
    pub fn handles(&self) -> usize {
        Rc::strong_count(&self.0)
    }

    /// A handle that does not keep the value alive.
    pub fn downgrade(&self) -> WeakValue {
        WeakValue(Rc::downgrade(&self.0))
    }
}

/// A handle that does not keep its value alive.
#[derive(Clone)]
pub struct WeakValue(std::rc::Weak<Inner>);

impl WeakValue {
    /// The identity of the value. No other value has it while this handle exists.
    pub fn key(&self) -> usize {
        self.0.as_ptr() as usize
    }

    pub(crate) fn upgrade(&self) -> Option<Value> {
        self.0.upgrade().map(Value)
    }
}
