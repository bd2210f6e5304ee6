//! Memory that another thread has grown.
//!
//! WebAssembly lets any thread grow a shared memory, but an engine may not tell the others: V8
//! checks `memory.fill` and `memory.copy`, and the `buffer` of JavaScript, against a size that a
//! thread learns anew only when it calls `memory.grow` itself (measured in Node 20; issue 217 of
//! toyobayashi/emnapi reports it of Chrome 149). So a thread grows the memory by nothing before it
//! uses an address beyond the size that it knows: one of its own allocation, or one that another
//! thread hands to it.

use crate::lock::{Lock, Turn};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    arch::wasm32::{memory_grow, memory_size, unreachable},
    cell::Cell,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

const PAGE: usize = 1 << 16;

/// The size of the memory that some thread has seen.
static SEEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The size of the memory that this thread knows.
    static KNOWN: Cell<usize> = const { Cell::new(0) };
}

/// Learns the size of the memory if it is smaller than `bytes` as far as this thread knows.
fn learn(bytes: usize) {
    // Without thread-local storage a thread is just starting or ending, and knows nothing.
    let known = KNOWN.try_with(Cell::get).unwrap_or(0);
    if bytes > known {
        memory_grow::<0>(0);
        // A memory of 4 GiB has one byte more than the largest address.
        let size = memory_size::<0>().saturating_mul(PAGE);
        let _ = KNOWN.try_with(|known| known.set(size));
        SEEN.fetch_max(size, SeqCst);
    }
}

/// Learns what other threads have seen, before their memory is used.
pub(crate) fn observe() {
    learn(SEEN.load(SeqCst));
}

/// The lock of the allocator. The system's own waits without end, also for a worker that was killed.
pub(crate) static ALLOCATOR: Lock = Lock::new();

/// The right to use the allocator. Where there is none, the thread ends in a trap, which the package
/// reports as an error.
fn turn() -> Turn<'static> {
    ALLOCATOR.take().unwrap_or_else(|| unreachable())
}

/// The system's allocator, whose memory the calling thread may use in any way.
pub struct ObservingAllocator;

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for ObservingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let turn = turn();
        // SAFETY: the caller's conditions.
        let start = unsafe { System.alloc(layout) };
        drop(turn);
        learn((start as usize).saturating_add(layout.size()));
        start
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's conditions. The system's own `alloc_zeroed` fills before anything is learned.
        let start = unsafe { self.alloc(layout) };
        if !start.is_null() {
            // SAFETY: so many bytes were allocated.
            unsafe { start.write_bytes(0, layout.size()) };
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let _turn = turn();
        // SAFETY: the caller's conditions.
        unsafe { System.dealloc(start, layout) }
    }
}
