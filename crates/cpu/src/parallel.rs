//! Parallel loops over threads, where there are threads.
//!
//! A kernel divides its result into independent tasks, and never says how many run in parallel; so
//! a result has the same bits with any number of threads. A page has one thread here: its main
//! thread may not wait for others.

use lanthorn_ir::Result;
#[cfg(not(target_family = "wasm"))]
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::Range;
#[cfg(not(target_family = "wasm"))]
use std::sync::LazyLock;

/// The smallest number of elementary operations of a task for another thread.
#[cfg(not(target_family = "wasm"))]
const MIN_OPERATIONS: usize = 1 << 17;

/// Tasks for each thread, so that the others do not wait for a late one.
#[cfg(not(target_family = "wasm"))]
const PARTS: usize = 4;

/// The number of threads.
pub(crate) fn threads() -> usize {
    #[cfg(not(target_family = "wasm"))]
    return on_threads(rayon::current_num_threads);
    #[cfg(target_family = "wasm")]
    1
}

/// Runs the tasks `0..count`, of `operations` elementary operations in all, by calling `run` with
/// ranges of them. Returns the first error; the other tasks run all the same.
pub(crate) fn split(count: usize, operations: usize, run: impl Fn(Range<usize>) -> Result<()> + Sync) -> Result<()> {
    #[cfg(not(target_family = "wasm"))]
    if threads() > 1 {
        let parts = (operations / MIN_OPERATIONS).clamp(1, PARTS * threads());
        return if parts < 2 { run(0..count) } else { on_threads(|| spread(0..count, parts, &run)) };
    }
    let _ = operations;
    run(0..count)
}

/// Sorts words, a long list on all threads.
pub(crate) fn sort(words: &mut [u64]) {
    #[cfg(not(target_family = "wasm"))]
    if words.len() > MIN_OPERATIONS {
        return on_threads(|| rayon::slice::ParallelSliceMut::par_sort_unstable(words));
    }
    words.sort_unstable();
}

/// Calls `f` in this backend's thread pool, or in the pool of the caller.
///
/// The first calling thread is the first thread of the pool, so that it runs a part of the tasks
/// itself. Rejected: rayon's own pool, to which the caller would hand over all tasks and sleep;
/// that is two wake-ups a kernel, as much as a sum of a million numbers takes.
#[cfg(not(target_family = "wasm"))]
fn on_threads<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: LazyLock<Option<ThreadPool>> =
        LazyLock::new(|| ThreadPoolBuilder::new().use_current_thread().build().ok());
    match &*POOL {
        Some(pool) if rayon::current_thread_index().is_none() => pool.install(f),
        _ => f(),
    }
}

#[cfg(not(target_family = "wasm"))]
fn spread(tasks: Range<usize>, parts: usize, run: &(dyn Fn(Range<usize>) -> Result<()> + Sync)) -> Result<()> {
    if parts < 2 || tasks.len() < 2 {
        return run(tasks);
    }
    let half = parts / 2;
    let middle = tasks.start + (tasks.len() * half).div_ceil(parts).min(tasks.len() - 1);
    let (first, second) = (tasks.start..middle, middle..tasks.end);
    let (first, second) = rayon::join(|| spread(first, half, run), || spread(second, parts - half, run));
    first.and(second)
}
