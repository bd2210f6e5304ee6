//! The resources of a run: the device, and the limits.

use crate::{Error, Result};
use lanthorn_program::Dispatch;
use std::{cell::Cell, rc::Rc};

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most steps: instructions, created items of lists, and created characters of strings.
    pub steps: u64,
    /// The deepest nesting of calls.
    pub depth: usize,
    /// Stops the run as soon as it is true.
    pub abort: Rc<Cell<bool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 100_000_000, depth: 512, abort: Rc::default() }
    }
}

/// The longest list or string.
const LENGTH: usize = 1 << 24;

/// The state of a run that built-in functions use.
pub(crate) struct Context<'d, D: Dispatch> {
    pub dispatch: &'d D,
    pub steps: u64,
    /// Receives the script's output.
    pub output: &'d dyn Fn(&str),
}

impl<D: Dispatch> Context<'_, D> {
    /// Counts items before they are created.
    pub fn charge(&mut self, items: usize) -> Result<()> {
        if items > LENGTH {
            return Err(Error::limit(format!("a list or a string of more than {LENGTH} items")));
        }
        let left = self.steps.checked_sub(items as u64);
        self.steps = left.ok_or_else(|| Error::limit("the script takes more steps than its limit"))?;
        Ok(())
    }
}

/// Bounds a traversal of values. Shared containers can have exponentially many paths.
pub(crate) struct Budget(Cell<u32>);

impl Budget {
    /// A budget for any value that a program compares, tests or returns.
    pub fn new() -> Budget {
        Budget(Cell::new(1 << 22))
    }

    /// Counts one value.
    pub fn spend(&self) -> Result<()> {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.ok_or_else(|| Error::limit("containers that share their items too often"))?);
        Ok(())
    }
}
