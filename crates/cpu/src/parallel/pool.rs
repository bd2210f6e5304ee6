//! Threads that help the one that has work.
//!
//! The thread that has work does it, and others join in while there are parts left; so a job that is done before they woke up was not held up by them.
//! After a job they look out for the next one for a while before they sleep: a training step is a hundred jobs, and waking a thread takes as long as a
//! small one.
//!
//! Rejected: rayon. Who calls it from outside hands over all of the work and sleeps, which costs two wake-ups a kernel: 20 µs, as much as a sum of a
//! million numbers.

use std::{
    any::Any,
    hint::spin_loop,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::*},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a thread looks out for the next job.
const LOOK_OUT: Duration = Duration::from_micros(100);

/// Looks between two looks at the clock.
const LOOKS: usize = 64;

/// Parts that threads take one after another until there are none. Each has parts of its own to begin with, the same ones in every job, so that
/// what it wrote before is in its own cache.
struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    parts: usize,
    /// How many of its own parts of each thread are taken.
    taken: Vec<AtomicUsize>,
    /// Others that are at it.
    helpers: AtomicUsize,
    /// What a helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Job<'_> {
    /// Does the parts of thread `number`, and then what is left of the others'.
    fn take_part(&self, number: usize) {
        let threads = self.taken.len();
        for owner in (number..threads).chain(0..number) {
            let own = self.parts * owner / threads..self.parts * (owner + 1) / threads;
            loop {
                let part = own.start + self.taken[owner].fetch_add(1, Relaxed);
                if part >= own.end {
                    break;
                }
                (self.work)(part);
            }
        }
    }
}

#[derive(Default)]
struct State {
    /// What may be joined now.
    job: Option<&'static Job<'static>>,
    asleep: usize,
}

#[derive(Default)]
struct Board {
    state: Mutex<State>,
    posted: Condvar,
    /// How many jobs were posted so far.
    jobs: AtomicUsize,
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job after number `seen`, and gives back its number.
    fn wait(&self, seen: usize) -> usize {
        let since = Instant::now();
        while since.elapsed() < LOOK_OUT {
            for _ in 0..LOOKS {
                let jobs = self.jobs.load(Acquire);
                if jobs != seen {
                    return jobs;
                }
                spin_loop();
            }
        }
        let mut state = self.state();
        loop {
            let jobs = self.jobs.load(Acquire);
            if jobs != seen {
                return jobs;
            }
            state.asleep += 1;
            state = self.posted.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
    }

    fn help(&self, number: usize) {
        let mut seen = 0;
        loop {
            seen = self.wait(seen);
            // Counted while the job is on the board, and so before its owner takes it down.
            let job = self.state().job.inspect(|job| {
                job.helpers.fetch_add(1, Relaxed);
            });
            let Some(job) = job else { continue };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job.take_part(number))) {
                job.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
            job.helpers.fetch_sub(1, Release);
        }
    }
}

/// A job on the board, until it is dropped: then nobody has it any more.
struct Posted<'a>(&'a Board, &'a Job<'a>);

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        self.0.state().job = None;
        let mut looks = 0;
        while self.1.helpers.load(Acquire) > 0 {
            looks += 1;
            if looks % LOOKS == 0 { thread::yield_now() } else { spin_loop() }
        }
    }
}

/// The threads of a process.
pub(super) struct Pool {
    board: Arc<Board>,
    threads: usize,
}

impl Pool {
    /// So many threads, with the one that has work.
    pub fn new(threads: usize) -> Pool {
        let board = Arc::<Board>::default();
        // Where a thread cannot be had, those with lower numbers do without it.
        let spawned = (1..threads).take_while(|&number| {
            let board = board.clone();
            thread::Builder::new().name(format!("lanthorn {number}")).spawn(move || board.help(number)).is_ok()
        });
        let threads = 1 + spawned.count();
        Pool { board, threads }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Does the parts `0..parts`. While another job is on the board, of another thread or one that this is part of, nobody helps.
    pub fn run(&self, parts: usize, work: &(dyn Fn(usize) + Sync)) {
        let taken = (0..self.threads).map(|_| AtomicUsize::new(0)).collect();
        let job = Job { work, parts, taken, helpers: AtomicUsize::new(0), panic: Mutex::default() };
        let posted = {
            let mut state = self.board.state();
            let free = state.job.is_none();
            if free {
                // SAFETY: `Posted` takes the reference from the board, and waits for those who have it, before the job ends.
                state.job = Some(unsafe { std::mem::transmute::<&Job<'_>, &'static Job<'static>>(&job) });
                self.board.jobs.fetch_add(1, Release);
                if state.asleep > 0 {
                    self.board.posted.notify_all();
                }
            }
            free.then(|| Posted(&self.board, &job))
        };
        job.take_part(0);
        drop(posted);
        if let Some(panic) = job.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once() {
        let pool = Pool::new(4);
        for parts in (0..200).chain([10_000]) {
            let done: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            pool.run(parts, &|part| {
                done[part].fetch_add(1, Relaxed);
            });
            assert!(done.iter().all(|times| times.load(Relaxed) == 1));
            if parts % 50 == 0 {
                thread::sleep(2 * LOOK_OUT);
            }
        }
    }

    #[test]
    fn jobs_of_several_threads_and_within_jobs() {
        let (pool, total) = (Pool::new(3), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        pool.run(5, &|_| {
                            pool.run(7, &|part| {
                                total.fetch_add(part, Relaxed);
                            })
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 3 * 50 * 5 * 21);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_threads_go_on() {
        let pool = Pool::new(2);
        for _ in 0..20 {
            let all = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                pool.run(8, &|part| {
                    assert!(part != 3, "the third");
                    all.fetch_add(1, Relaxed);
                });
            }));
            assert!(caught.is_err());
        }
        pool.run(3, &|_| {});
    }
}
