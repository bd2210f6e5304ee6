//! A lock that never blocks and has a timeout, for data that all threads of a page share.
//!
//! The main thread of a page may not block, so this lock spins. A worker may be killed while it
//! holds the lock, so the attempt fails after some seconds. A worker that is about to be terminated
//! is *cancelled* first, as by `pthread_cancel`: it traps when it next takes a lock, and so holds
//! none when it is terminated.

use std::{
    cell::{Cell, UnsafeCell},
    sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
};

/// Number of attempts to take a lock before its owner counts as dead: some seconds.
const PATIENCE: u64 = 1 << 30;

/// Threads with a number below this can be cancelled.
const MAX_CANCELLED: usize = 4096;

static THREADS: AtomicU32 = AtomicU32::new(0);
static ANY_CANCELLED: AtomicBool = AtomicBool::new(false);
static CANCELLED: [AtomicBool; MAX_CANCELLED] = [const { AtomicBool::new(false) }; MAX_CANCELLED];

thread_local! {
    /// The number of this thread, if it can be cancelled.
    static THREAD: Cell<Option<u32>> = const { Cell::new(None) };
    /// The number of [`Guarded`] values that this thread uses. While it uses one, it allocates
    /// memory and does not end.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Assigns a number to this thread, by which it can be [cancelled](cancel).
pub fn number_thread() -> u32 {
    THREAD.with(|thread| match thread.get() {
        Some(number) => number,
        None => {
            let number = THREADS.fetch_add(1, SeqCst);
            thread.set(Some(number));
            number
        }
    })
}

/// Makes a thread trap when it next takes a lock, which is as soon as it allocates memory.
pub fn cancel(number: u32) {
    if let Some(thread) = CANCELLED.get(number as usize) {
        thread.store(true, SeqCst);
        ANY_CANCELLED.store(true, SeqCst);
    }
}

/// Whether this thread is cancelled and holds no lock.
fn is_to_end() -> bool {
    let number = || THREAD.try_with(Cell::get).ok().flatten();
    ANY_CANCELLED.load(SeqCst)
        && DEPTH.try_with(Cell::get) == Ok(0)
        && number().and_then(|number| CANCELLED.get(number as usize)).is_some_and(|thread| thread.load(SeqCst))
}

/// Ends a thread. Native threads are never cancelled.
fn end() {
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
}

/// A lock without contents.
pub(crate) struct Lock(AtomicBool);

/// The ownership of a lock, until it is dropped.
pub(crate) struct Turn<'a>(&'a Lock);

impl Lock {
    pub const fn new() -> Lock {
        Lock(AtomicBool::new(false))
    }

    /// Takes the lock; `None` if its owner seems to have died.
    pub fn take(&self) -> Option<Turn<'_>> {
        for tries in 0..PATIENCE {
            if is_to_end() {
                end();
            }
            if !self.0.swap(true, SeqCst) {
                return Some(Turn(self));
            }
            pause(tries);
        }
        None
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // Does nothing else, because the allocator frees the thread-local storage of a thread that
        // ends.
        self.0.0.store(false, SeqCst);
    }
}

#[cfg(target_family = "wasm")]
fn pause(_tries: u64) {
    std::hint::spin_loop();
}

#[cfg(not(target_family = "wasm"))]
fn pause(tries: u64) {
    if tries < 1000 { std::thread::yield_now() } else { std::thread::sleep(std::time::Duration::from_micros(50)) }
}

/// A value that one thread at a time uses.
pub(crate) struct Guarded<T> {
    lock: Lock,
    contents: UnsafeCell<T>,
}

// SAFETY: the contents are accessed only while the lock is held.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub const fn new(contents: T) -> Guarded<T> {
        Guarded { lock: Lock::new(), contents: UnsafeCell::new(contents) }
    }

    /// Uses the contents. `None` if a thread seems to have died while it used them. `run` must not
    /// call `with` again.
    pub fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> Option<R> {
        struct Deeper;
        impl Drop for Deeper {
            fn drop(&mut self) {
                DEPTH.set(DEPTH.get() - 1);
            }
        }
        let _turn = self.lock.take()?;
        DEPTH.set(DEPTH.get() + 1);
        let _deeper = Deeper;
        // SAFETY: this thread holds the lock, and does not use the contents twice at the same time.
        Some(run(unsafe { &mut *self.contents.get() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_thread_at_a_time_uses_the_contents() {
        static SUM: Guarded<u64> = Guarded::new(0);
        let add = || (0..10_000).for_each(|_| SUM.with(|sum| *sum += 1).unwrap());
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(add))));
        assert_eq!(SUM.with(|sum| *sum), Some(40_000));
    }
}
