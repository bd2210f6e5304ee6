//! Page-locked memory of the host for all copies from and to the device. It is reused, because
//! allocating it takes longer than most copies.

use crate::driver::Driver;
use lanthorn_ir::Result;
use std::{cell::RefCell, rc::Rc};

const MIN_BYTES: usize = 4096;
/// Maximum size of idle memory in bytes.
const KEPT_BYTES: usize = 256 << 20;
const KEPT_BLOCKS: usize = 128;

/// Idle blocks, by their size.
pub(crate) struct Pool<D: Driver> {
    driver: Rc<D>,
    idle: RefCell<Vec<(usize, *mut u8)>>,
}

impl<D: Driver> Pool<D> {
    pub(crate) fn new(driver: Rc<D>) -> Rc<Pool<D>> {
        Rc::new(Pool { driver, idle: RefCell::default() })
    }

    /// Takes a block of at least `bytes` bytes, and returns whether it was allocated.
    pub(crate) fn take(self: &Rc<Pool<D>>, bytes: usize) -> Result<(Staging<D>, bool)> {
        let capacity = bytes.max(MIN_BYTES).checked_next_power_of_two().unwrap_or(bytes);
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
            // SAFETY: `pin` returned it, and it is not in use.
            unsafe { self.driver.unpin(start, capacity) }
        }
    }
}

/// A block in use. Dropping it returns it to the pool, so callers keep it until the device's copy
/// is done.
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

    /// Fills the block from its start, before the copy to the device is requested.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.bytes);
        // SAFETY: the block has this many bytes, and no one else writes to it.
        unsafe { bytes.as_ptr().copy_to_nonoverlapping(self.start, bytes.len()) }
    }

    /// The bytes that the device has written.
    ///
    /// # Safety
    /// A copy has written all of them, and is done.
    pub(crate) unsafe fn read(&self) -> &[u8] {
        // SAFETY: the block has this many bytes, and the caller guarantees that they were written.
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
            // SAFETY: `pin` returned it for this many bytes, and this was its only user.
            unsafe { self.pool.driver.unpin(self.start, self.capacity) }
        }
    }
}
