//! Work spread over threads, where there are threads.
//!
//! A kernel says how its result falls into tasks that do not depend on one another, and never how many run side by side; so a result has
//! the same bits with any number of threads. A page has one thread here: its main thread may not wait for others.

#[cfg(not(target_family = "wasm"))]
mod pool;

use lanthorn_ir::Result;
use std::ops::Range;

/// How many threads take part.
pub(crate) fn threads() -> usize {
    #[cfg(not(target_family = "wasm"))]
    return native::with_pool(pool::Pool::threads);
    #[cfg(target_family = "wasm")]
    1
}

/// Does the tasks `0..count`, which together are so many elementary operations, by calling `work` with ranges of them. The error of the
/// first range that fails is given back; the other tasks are done all the same.
pub(crate) fn split(count: usize, operations: usize, work: impl Fn(Range<usize>) -> Result<()> + Sync) -> Result<()> {
    #[cfg(not(target_family = "wasm"))]
    return native::split(count, operations, &work);
    #[cfg(target_family = "wasm")]
    {
        let _ = operations;
        work(0..count)
    }
}

/// Sorts words, a long list on all threads.
pub(crate) fn sort(words: &mut [u64]) {
    #[cfg(not(target_family = "wasm"))]
    native::sort_parts(words);
    #[cfg(target_family = "wasm")]
    words.sort_unstable();
}

#[cfg(all(test, not(target_family = "wasm")))]
pub(crate) use native::with_threads;

#[cfg(not(target_family = "wasm"))]
mod native {
    use super::pool::Pool;
    use lanthorn_ir::{Error, Result};
    use std::{
        ops::Range,
        sync::{LazyLock, Mutex, PoisonError},
        thread::available_parallelism,
    };

    /// Elementary operations that are worth the way to another thread.
    const WORTH: usize = 1 << 17;

    /// Parts for each thread, so that one that is late does not leave the others waiting.
    const PARTS: usize = 4;

    static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(available_parallelism().map_or(1, usize::from)));

    #[cfg(test)]
    thread_local! {
        static OTHER: std::cell::Cell<Option<&'static Pool>> = const { std::cell::Cell::new(None) };
    }

    /// Calls `f` with the threads of the process, or in a test with those of [`with_threads`].
    pub(super) fn with_pool<R>(f: impl FnOnce(&Pool) -> R) -> R {
        #[cfg(test)]
        if let Some(other) = OTHER.get() {
            return f(other);
        }
        f(&POOL)
    }

    /// Lets what `f` does on this thread be spread over so many threads.
    #[cfg(test)]
    pub(crate) fn with_threads<R>(threads: usize, f: impl FnOnce() -> R) -> R {
        let held = OTHER.replace(Some(Box::leak(Box::new(Pool::new(threads)))));
        let result = f();
        OTHER.set(held);
        result
    }

    pub(super) fn split(count: usize, operations: usize, work: &(dyn Fn(Range<usize>) -> Result<()> + Sync)) -> Result<()> {
        with_pool(|pool| {
            let parts = (operations / WORTH).min(PARTS * pool.threads()).min(count);
            if pool.threads() == 1 || parts < 2 {
                return work(0..count);
            }
            let failed: Mutex<Option<(usize, Error)>> = Mutex::default();
            pool.run(parts, &|part| {
                let Err(error) = work(count * part / parts..count * (part + 1) / parts) else { return };
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(first, _)| part < *first) {
                    *failed = Some((part, error));
                }
            });
            failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
        })
    }

    /// Sorts a part on each thread; that there are sorted parts is then found out, and they are merged, by the standard library's sort.
    pub(super) fn sort_parts(words: &mut [u64]) {
        let threads = super::threads();
        if words.len() <= WORTH || threads == 1 {
            return words.sort_unstable();
        }
        let parts: Vec<Mutex<&mut [u64]>> = words.chunks_mut(words.len().div_ceil(threads)).map(Mutex::new).collect();
        with_pool(|pool| {
            pool.run(parts.len(), &|part| parts[part].lock().unwrap_or_else(PoisonError::into_inner).sort_unstable());
        });
        words.sort();
    }
}
