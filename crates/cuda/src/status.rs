//! Indices out of range, as kernels report them.
//!
//! A pass that reads indices has a word of the status memory. If an index is out of range, it
//! stores the dimension's size plus 1 there, and accesses nothing outside. The passes of a
//! submission use the words from the first on, always in the same order for the same submission, so
//! that recordings contain their addresses. After the launches the words are copied to the host and
//! set to 0.

use crate::{State, driver::Driver, staging::Staging};
use lanthorn_ir::{Result, failed_check};

/// The launch that a word belongs to.
pub(crate) struct Use {
    pub(crate) launch: usize,
    pub(crate) op: &'static str,
}

/// The words of a submission, while they are copied to the host.
pub(crate) struct Check<D: Driver> {
    words: Staging<D>,
    uses: Vec<Use>,
}

impl<D: Driver> State<D> {
    /// Copies the words in use to the host, and sets them to 0.
    pub(crate) fn collect(&self, uses: Vec<Use>) -> Result<()> {
        let Some(status) = self.status.get().filter(|_| !uses.is_empty()) else { return Ok(()) };
        let words = self.take_staging(uses.len() * 4)?;
        // SAFETY: there are words for all uses, and the copy is read after it is done.
        self.check_answer(unsafe { self.driver.download(words.start(), status.pointer, words.len()) })?;
        self.check_answer(self.driver.fill(status.pointer, 0, words.len() as u64))?;
        self.resources.borrow_mut().checks.push(Check { words, uses });
        Ok(())
    }

    /// Reports the launches of a finished submission whose words are set.
    pub(crate) fn look_at(&self, submission: u64, check: &Check<D>) {
        // SAFETY: the copy is done.
        let words = unsafe { check.words.read() };
        for (launch, word) in check.uses.iter().zip(words.as_chunks().0) {
            if let Some(extent) = u32::from_le_bytes(*word).checked_sub(1) {
                self.report(submission, Some(launch.launch), failed_check(launch.op, None, extent as i32));
            }
        }
    }
}
