//! Page-locked memory of the host, which every copy from or to the device goes through, kept for the next one: making some costs more than most copies.

use crate::driver::Driver;
use lanthorn_ir::Result;
use std::{cell::RefCell, rc::Rc};

const SMALLEST: usize = 4096;
/// What is kept idle.
const KEPT_BYTES: usize = 256 << 20;
const KEPT_BLOCKS: usize = 128;

/// Blocks that wait for use, by their size.
pub(crate) struct Pool<D: Driver> {
    driver: Rc<D>,
    idle: RefCell<Vec<(usize, *mut u8)>>,
}

impl<D: Driver> Pool<D> {
    pub(crate) fn new(driver: Rc<D>) -> Rc<Pool<D>> {
        Rc::new(Pool { driver, idle: RefCell::default() })
    }

    /// A block of at least so many bytes, and whether it had to be made.
    pub(crate) fn take(self: &Rc<Pool<D>>, bytes: usize) -> Result<(Staging<D>, bool)> {
        let capacity = bytes.max(SMALLEST).checked_next_power_of_two().unwrap_or(bytes);
        let mut idle = self.idle.borrow_mut();
        let found = idle.iter().position(|&(size, _)| size == capacity);
        let (start, new) = match found {
            Some(position) => (idle.swap_remove(position).1, false),
            None => (self.driver.pin(capacity)?, true),
        };
        Ok((Staging { pool: self.clone(), start, bytes, capacity }, new))
    }
}

impl<D: Driver> Drop for Pool<D> {
    fn drop(&mut self) {
        for (capacity, start) in self.idle.take() {
            // SAFETY: `pin` gave it, and nobody has it.
            unsafe { self.driver.unpin(start, capacity) }
        }
    }
}

/// A block in use; it goes back to the pool when dropped. So whoever has the device copy from or to it holds it until that is done.
pub(crate) struct Staging<D: Driver> {
    pool: Rc<Pool<D>>,
    start: *mut u8,
    bytes: usize,
    capacity: usize,
}

impl<D: Driver> Staging<D> {
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Fills the block from its start, before the device is told to copy from it.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.bytes);
        // SAFETY: the block has as many bytes, and no one else writes to it.
        unsafe { bytes.as_ptr().copy_to_nonoverlapping(self.start, bytes.len()) }
    }

    /// What the device has written.
    ///
    /// # Safety
    /// A copy has written all of it, and is done.
    pub(crate) unsafe fn read(&self) -> &[u8] {
        // SAFETY: the block has as many bytes, and the caller answers for their being written.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl<D: Driver> Drop for Staging<D> {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.borrow_mut();
        let held: usize = idle.iter().map(|(size, _)| size).sum();
        if idle.len() < KEPT_BLOCKS && held + self.capacity <= KEPT_BYTES {
            idle.push((self.capacity, self.start));
        } else {
            // SAFETY: `pin` gave it for so many bytes, and this was its only user.
            unsafe { self.pool.driver.unpin(self.start, self.capacity) }
        }
    }
}
