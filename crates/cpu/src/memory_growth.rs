//! Memory that another thread has grown.
//!
//! In WebAssembly any thread may grow a shared memory, but an engine may not notify the others. V8
//! checks `memory.fill`, `memory.copy` and the `buffer` of JavaScript against a size that a thread
//! updates only when it calls `memory.grow` itself (measured in Node 20; issue 217 of
//! toyobayashi/emnapi reports it for Chrome 149). So a thread grows the memory by 0 before it uses
//! an address beyond the size that it knows, in its own allocation or in another thread's.

use crate::lock::{Lock, Turn};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    arch::wasm32::{memory_grow, memory_size, unreachable},
    cell::Cell,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

const PAGE: usize = 1 << 16;

/// The largest size of the memory that any thread has seen.
static SEEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The size of the memory that this thread knows.
    static KNOWN: Cell<usize> = const { Cell::new(0) };
}

/// Updates this thread's size of the memory, if that is smaller than `bytes`.
fn learn(bytes: usize) {
    // Without thread-local storage a thread is just starting or ending, and has no known size.
    let known = KNOWN.try_with(Cell::get).unwrap_or(0);
    if bytes > known {
        memory_grow::<0>(0);
        // A memory of 4 GiB has one byte more than the largest address.
        let size = memory_size::<0>().saturating_mul(PAGE);
        let _ = KNOWN.try_with(|known| known.set(size));
        SEEN.fetch_max(size, SeqCst);
    }
}

/// Updates to the size that other threads have seen, before their memory is used.
pub(crate) fn observe() {
    learn(SEEN.load(SeqCst));
}

/// The lock of the allocator. The system's own lock waits without a timeout, even for a worker that
/// was killed.
pub(crate) static ALLOCATOR: Lock = Lock::new();

/// Takes the lock of the allocator. If that fails, the thread ends in a trap, which the package
/// reports as an error.
fn turn() -> Turn<'static> {
    ALLOCATOR.take().unwrap_or_else(|| unreachable())
}

/// The system's allocator. The calling thread may use all of its memory.
pub struct ObservingAllocator;

// SAFETY: the system's allocator fulfils the contract.
unsafe impl GlobalAlloc for ObservingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let turn = turn();
        // SAFETY: the caller fulfils the conditions.
        let start = unsafe { System.alloc(layout) };
        drop(turn);
        learn((start as usize).saturating_add(layout.size()));
        start
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the conditions. The system's `alloc_zeroed` would fill before
        // the size is updated.
        let start = unsafe { self.alloc(layout) };
        if !start.is_null() {
            // SAFETY: this many bytes were allocated.
            unsafe { start.write_bytes(0, layout.size()) };
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let _turn = turn();
        // SAFETY: the caller fulfils the conditions.
        unsafe { System.dealloc(start, layout) }
    }
}
