//! A straight run of nodes, with its recordings.

use super::values::{Key, Slot};
use crate::{Dispatch, Recorder, Value, graph::ValueId};
use std::{
    cell::{Cell, RefCell},
    ops::Range,
    rc::Rc,
};

/// The most values of the host for which a part has recordings.
const MAX_CASES: usize = 16;
/// The most recordings of a case. The device keeps as many.
const MAX_RECORDINGS: usize = 64;
/// A part that fails this often in a row is interpreted.
const MAX_FAILURES: u32 = 3;
/// The most recordings of a part beyond its replays. A part whose sizes are new in every call would
/// only record.
const MAX_UNUSED: u64 = 32;

/// A straight run of nodes.
pub(crate) struct Part<D: Dispatch> {
    /// The nodes.
    pub nodes: Range<usize>,
    /// The values that the nodes use and do not define.
    pub inputs: Vec<ValueId>,
    /// The values that the nodes define and that are used later.
    pub outputs: Vec<ValueId>,
    /// The recordings by the values of the host, the most recently used first.
    cases: RefCell<Vec<Rc<Case<D>>>>,
    pub recordings: Cell<u64>,
    pub replays: Cell<u64>,
    failures: Cell<u32>,
    /// Why the part could not be recorded, the last reason.
    pub failure: RefCell<Option<String>>,
}

/// The recordings of a part for the same values of the host.
pub(crate) struct Case<D: Dispatch> {
    key: Key,
    pub recorder: Rc<dyn Recorder<D::Tensor>>,
    results: RefCell<Vec<Numbered<D::Tensor>>>,
}

/// The results of a recording, with its number.
type Numbered<T> = (u32, Rc<Results<T>>);

/// The results of a recording.
pub(crate) struct Results<T> {
    /// The values of [`Part::outputs`].
    pub values: Vec<Value<Slot<T>>>,
    /// The number of nodes that ran, including the nodes of blocks.
    pub steps: u64,
}

impl<D: Dispatch> Part<D> {
    pub fn new(nodes: Range<usize>, inputs: Vec<ValueId>, outputs: Vec<ValueId>) -> Self {
        Part {
            nodes,
            inputs,
            outputs,
            cases: RefCell::default(),
            recordings: Cell::new(0),
            replays: Cell::new(0),
            failures: Cell::new(0),
            failure: RefCell::default(),
        }
    }

    /// Returns the recordings for values of the host, if there are any.
    pub fn case(&self, key: &Key) -> Option<Rc<Case<D>>> {
        let mut cases = self.cases.borrow_mut();
        let index = cases.iter().position(|case| case.key == *key)?;
        cases[..=index].rotate_right(1);
        Some(cases[0].clone())
    }

    /// Returns the recordings for values of the host, to which one will be added.
    pub fn case_to_extend(&self, dispatch: &D, key: Key) -> Option<Rc<Case<D>>> {
        if let Some(case) = self.case(&key) {
            if case.results.borrow().len() < MAX_RECORDINGS {
                return Some(case);
            }
            self.cases.borrow_mut().remove(0);
        }
        let case = Rc::new(Case { key, recorder: dispatch.recorder()?, results: RefCell::default() });
        let mut cases = self.cases.borrow_mut();
        cases.truncate(MAX_CASES - 1);
        cases.insert(0, case.clone());
        Some(case)
    }

    /// Whether another recording is worthwhile.
    pub fn is_recordable(&self) -> bool {
        self.failures.get() < MAX_FAILURES && self.recordings.get() < self.replays.get() + MAX_UNUSED
    }

    /// Notes a recording.
    pub fn note_recording(&self) {
        self.recordings.set(self.recordings.get() + 1);
        self.failures.set(0);
    }

    /// Notes that a recording failed.
    pub fn note_failure(&self, reason: Option<String>) {
        self.failures.set(self.failures.get() + 1);
        self.failure.replace(reason);
    }

    /// Returns the number of kernels of each recording.
    pub fn kernels(&self) -> Vec<usize> {
        self.cases.borrow().iter().flat_map(|case| case.recorder.report().kernels).collect()
    }
}

impl<D: Dispatch> Case<D> {
    /// Returns the results of a recording.
    pub fn results(&self, number: u32) -> Option<Rc<Results<D::Tensor>>> {
        let results = self.results.borrow();
        results.iter().find(|(known, _)| *known == number).map(|(_, results)| results.clone())
    }

    /// Adds a recording.
    pub fn add(&self, number: u32, results: Results<D::Tensor>) {
        self.results.borrow_mut().push((number, Rc::new(results)));
    }
}
