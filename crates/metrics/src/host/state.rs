//! The tensors that a metric keeps between updates.

use lanthorn_tensor::Tensor;
use std::{cell::RefCell, rc::Rc};

/// The state of a metric: the tensors of each update, or of all updates together.
///
/// The tensors have no gradient. A metric keeps its state behind a shared reference, because a
/// state changes while the settings do not.
#[derive(Clone, Default)]
pub struct State {
    batches: Rc<RefCell<Vec<Vec<Tensor>>>>,
}

impl State {
    /// An empty state.
    pub fn new() -> State {
        State::default()
    }

    /// The number of entries: updates whose tensors are kept, or 1.
    pub fn count(&self) -> usize {
        self.batches.borrow().len()
    }

    /// The tensors of an entry, or none.
    pub fn entry(&self, index: usize) -> Vec<Tensor> {
        self.batches.borrow().get(index).cloned().unwrap_or_default()
    }

    /// Adds an entry.
    pub fn push(&self, tensors: &[Tensor]) {
        self.batches.borrow_mut().push(tensors.iter().map(Tensor::detach).collect());
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.batches.borrow_mut().clear();
    }
}
