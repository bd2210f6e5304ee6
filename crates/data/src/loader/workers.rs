//! Worker threads that prepare batches ahead, and return them in order.
//!
//! Each thread takes the next batch that no thread has started. The number of batches ahead is
//! bounded, so a slow consumer keeps few batches in memory.

use super::Produced;
use lanthorn_tensor::{Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Runs `produce(0)` to `produce(count - 1)` on `threads` worker threads, or on the caller's thread
/// if `threads` is 0. `produce` must not panic.
pub(super) fn run<B: Send + 'static>(
    count: usize,
    workers: usize,
    prefetch: usize,
    produce: impl Fn(usize) -> Result<B> + Send + Sync + 'static,
) -> Produced<B> {
    if workers == 0 {
        return Box::new((0..count).map(produce));
    }
    let queue = Arc::new(Queue {
        progress: Mutex::new(Progress { next: 0, taken: 0, made: BTreeMap::new(), stopped: false }),
        changed: Condvar::new(),
        count,
        ahead: workers.saturating_mul(prefetch),
    });
    let produce = Arc::new(produce);
    let mut pool = Pool { queue, threads: Vec::new() };
    for worker in 0..workers.min(count) {
        let (queue, produce) = (pool.queue.clone(), produce.clone());
        let started = thread::Builder::new().name(format!("data-{worker}")).spawn(move || queue.work(&*produce));
        match started {
            Ok(thread) => pool.threads.push(thread),
            Err(error) => {
                return Box::new(std::iter::once(Err(Error::device(
                    "DataLoader",
                    format!("a thread did not start: {error}"),
                ))));
            }
        }
    }
    Box::new(pool)
}

struct Queue<B> {
    progress: Mutex<Progress<B>>,
    changed: Condvar,
    count: usize,
    /// The most batches in progress or waiting, beyond the taken ones.
    ahead: usize,
}

struct Progress<B> {
    /// The next batch that no thread has started.
    next: usize,
    /// The number of batches taken.
    taken: usize,
    made: BTreeMap<usize, Result<B>>,
    stopped: bool,
}

impl<B> Queue<B> {
    fn lock(&self) -> MutexGuard<'_, Progress<B>> {
        // Nothing can panic while the lock is held.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, progress: MutexGuard<'a, Progress<B>>) -> MutexGuard<'a, Progress<B>> {
        self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, produce: &impl Fn(usize) -> Result<B>) {
        let mut progress = self.lock();
        while !progress.stopped && progress.next < self.count {
            if progress.next >= progress.taken + self.ahead {
                progress = self.wait(progress);
                continue;
            }
            let index = progress.next;
            progress.next += 1;
            drop(progress);
            let batch = produce(index);
            progress = self.lock();
            progress.made.insert(index, batch);
            self.changed.notify_all();
        }
    }

    fn take(&self) -> Option<Result<B>> {
        let mut progress = self.lock();
        if progress.taken == self.count {
            return None;
        }
        loop {
            let index = progress.taken;
            if let Some(batch) = progress.made.remove(&index) {
                progress.taken += 1;
                self.changed.notify_all();
                return Some(batch);
            }
            progress = self.wait(progress);
        }
    }
}

struct Pool<B> {
    queue: Arc<Queue<B>>,
    threads: Vec<JoinHandle<()>>,
}

impl<B> Iterator for Pool<B> {
    type Item = Result<B>;

    fn next(&mut self) -> Option<Result<B>> {
        self.queue.take()
    }
}

impl<B> Drop for Pool<B> {
    fn drop(&mut self) {
        self.queue.lock().stopped = true;
        self.queue.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread ends after its current batch. Panics are caught in `produce`.
            let _ = thread.join();
        }
    }
}
