//! Parallel loops over threads.
//!
//! A kernel divides its result into independent tasks and does not specify how many run in
//! parallel, so a result has the same bits with any number of threads. The same pool serves native
//! threads and the workers of a page: its caller runs a part of the tasks and never blocks, because
//! the main thread of a page may not.
//!
//! Rejected: rayon. Its callers sleep until a job is done, which is forbidden in a page, and its
//! number of threads cannot change.

mod merge;
mod pool;
#[cfg(test)]
mod tests;

pub use pool::{MAX_THREADS, PoolThread};

use lanthorn_ir::{Error, Result};
use pool::Pool;
use std::{cell::Cell, ops::Range, sync::OnceLock};

/// Minimum number of elementary operations of a part that runs on another thread.
const MIN_OPERATIONS: usize = 1 << 17;

/// Number of parts for each thread, so that the other threads do not wait for a late one.
const PARTS: usize = 4;

/// Whether there can be more than one thread. In WebAssembly this depends on the build: it needs
/// atomic instructions and shared memory.
const HAS_THREADS: bool = cfg!(any(not(target_family = "wasm"), target_feature = "atomics"));

static POOL: Pool = Pool::new();

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Makes the calling thread run its kernels without the pool. This is for a worker of a page whose
/// other workers compute too, and which may be killed while it runs a kernel.
pub fn compute_alone() {
    IS_ALONE.set(true);
}

/// The number of threads that kernels use, including the calling thread.
///
/// As `torch.get_num_threads`. In native builds the initial number is `LANTHORN_NUM_THREADS` or
/// `OMP_NUM_THREADS`, otherwise the number of processors. In WebAssembly it is 1.
pub fn num_threads() -> usize {
    if HAS_THREADS && !IS_ALONE.get() { POOL.threads() } else { 1 }
}

/// Sets the number of threads of kernels, including the calling thread, as `torch.set_num_threads`.
/// Results have the same bits with any number.
///
/// # Errors
/// If it is zero or more than [`MAX_THREADS`].
pub fn set_num_threads(threads: usize) -> Result<()> {
    if threads == 0 || threads > MAX_THREADS {
        let message = format!("the number of threads is from 1 to {MAX_THREADS}, not {threads}");
        return Err(Error::argument("set_num_threads", message));
    }
    POOL.set_threads(threads);
    Ok(())
}

/// Sets the function that starts threads of the pool. It receives the number of a thread, and the
/// thread calls [`PoolThread::run`]. By default the pool starts native threads, and none in
/// WebAssembly.
pub fn set_thread_starter(start: fn(PoolThread)) {
    POOL.set_starter(start);
}

pub(crate) use num_threads as threads;

/// `n * numerator / denominator`, rounded down. The product may exceed a `usize` of WebAssembly.
fn fraction(n: usize, numerator: usize, denominator: usize) -> usize {
    (n as u64 * numerator as u64 / denominator as u64) as usize
}

/// Runs the tasks `0..count` by calling `run` with ranges of them. The product of `operations` is
/// the number of elementary operations of all tasks. Returns the first error. The other tasks run
/// nevertheless.
pub(crate) fn split(count: usize, operations: &[usize], run: impl Fn(Range<usize>) -> Result<()> + Sync) -> Result<()> {
    let threads = threads();
    let operations = operations.iter().fold(1, |product: usize, &factor| product.saturating_mul(factor));
    let parts = if threads < 2 { 1 } else { (operations / MIN_OPERATIONS).min(PARTS * threads).min(count) };
    if parts < 2 {
        return run(0..count);
    }
    let errors: Vec<OnceLock<Error>> = (0..parts).map(|_| OnceLock::new()).collect();
    let part = |number: usize| {
        if let Err(error) = run(fraction(count, number, parts)..fraction(count, number + 1, parts)) {
            // Each part runs once.
            let _ = errors[number].set(error);
        }
    };
    if POOL.run(parts, &part)? == pool::Ran::Busy {
        return run(0..count);
    }
    errors.into_iter().find_map(OnceLock::into_inner).map_or(Ok(()), Err)
}

/// Sorts words. A long list is sorted on all threads.
pub(crate) fn sort(words: &mut [u64]) -> Result<()> {
    if threads() < 2 || words.len() < MIN_OPERATIONS {
        words.sort_unstable();
        return Ok(());
    }
    merge::sort(words)
}
