//! A pool of threads, which one job at a time uses.
//!
//! A job consists of *parts*. The caller and the threads of the pool claim parts from a single
//! atomic word, the *ticket*: its upper half is the number of the job, and its lower half counts
//! the unclaimed parts. A part of an earlier job cannot be claimed, because the job's number
//! differs, and a job does not end before its claimed parts have ended. So a thread that has
//! claimed a part may use the caller's closure. No caller waits for a thread that has not started
//! yet or is late.
//!
//! Threads spin for a moment between jobs and then park. The caller only spins, while other threads
//! run their last parts.

use lanthorn_ir::{Error, Result};
use std::{
    cell::UnsafeCell,
    hint,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, Thread},
};

/// Maximum number of threads, including the caller.
pub const MAX_THREADS: usize = 64;

/// Number of times that a thread looks for a job before it parks: some 30 microseconds.
const SPINS: usize = 1 << 13;

/// Number of times that a caller checks for the end of a job between two checks for dead threads.
const PATIENCE: usize = 1 << 10;

/// A thread's state: it does not exist.
const NONE: u32 = 0;
/// A thread's state: it has been requested and has not run yet.
const STARTING: u32 = 1;
/// A thread's state: it runs parts.
const RUNNING: u32 = 2;
/// A thread's state: it ended while it ran. The function that starts threads may store this too.
const DEAD: u32 = 3;

/// The entry of a thread in the pool.
struct Member {
    state: AtomicU32,
    /// The job whose part it runs, or 0.
    job: AtomicU32,
    is_parked: AtomicBool,
    /// The handle of the thread, to unpark it.
    thread: Mutex<Option<Thread>>,
}

/// The function that runs a part, by its number.
type Part = dyn Fn(usize) + Sync;

pub(super) struct Pool {
    /// The number of threads, including the caller; 0 until it is first read.
    threads: AtomicUsize,
    /// Whether a job is running.
    is_busy: AtomicBool,
    ticket: AtomicU64,
    /// The number of parts of the job that have not ended.
    unfinished: AtomicUsize,
    /// The closure of the job, and its number of parts.
    job: UnsafeCell<Option<(*const Part, usize)>>,
    members: [Member; MAX_THREADS - 1],
    /// A `fn(PoolThread)`, or null.
    starter: AtomicPtr<()>,
    /// The panic message of the last thread that died.
    panic_message: Mutex<Option<String>>,
}

// SAFETY: only the caller that holds `is_busy` writes `job`, before it publishes the ticket, and
// again only after every part has ended.
unsafe impl Sync for Pool {}

/// The outcome of a job.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Ran {
    /// All of its parts ran.
    Completed,
    /// None of its parts ran, because another job has the pool.
    Busy,
}

/// A thread of the pool that has been requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolThread(u32);

impl PoolThread {
    /// The thread of this number.
    ///
    /// # Errors
    /// If there is no such thread.
    pub fn from_number(number: u32) -> Result<PoolThread> {
        let message = || format!("there are {} threads, and none of number {number}", MAX_THREADS - 1);
        if (number as usize) < MAX_THREADS - 1 {
            Ok(PoolThread(number))
        } else {
            Err(Error::argument("threads", message()))
        }
    }

    /// Its number, from 0 on.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The address of a 32-bit word, in which 3 is stored if the thread dies.
    pub fn state_address(self) -> usize {
        super::POOL.members[self.0 as usize].state.as_ptr() as usize
    }

    /// Keeps the message of a panic for the error of the job. It is called on the panicking thread.
    pub fn keep_panic(message: &str) {
        if let Ok(mut words) = super::POOL.panic_message.lock() {
            *words = Some(message.to_string());
        }
    }

    /// Runs parts of jobs, until the pool has fewer threads. It is called on the thread itself.
    pub fn run(self) {
        super::POOL.serve(self.0 as usize);
    }
}

/// Records that a thread died, unless it ended normally.
struct ExitGuard<'a>(&'a Member);

impl Drop for ExitGuard<'_> {
    fn drop(&mut self) {
        self.0.state.store(if thread::panicking() { DEAD } else { NONE }, SeqCst);
    }
}

impl Pool {
    pub const fn new() -> Pool {
        Pool {
            threads: AtomicUsize::new(0),
            is_busy: AtomicBool::new(false),
            ticket: AtomicU64::new(0),
            unfinished: AtomicUsize::new(0),
            job: UnsafeCell::new(None),
            members: [const {
                Member {
                    state: AtomicU32::new(NONE),
                    job: AtomicU32::new(0),
                    is_parked: AtomicBool::new(false),
                    thread: Mutex::new(None),
                }
            }; MAX_THREADS - 1],
            starter: AtomicPtr::new(std::ptr::null_mut()),
            panic_message: Mutex::new(None),
        }
    }

    pub fn threads(&self) -> usize {
        match self.threads.load(SeqCst) {
            0 => {
                let _ = self.threads.compare_exchange(0, default_threads(), SeqCst, SeqCst);
                self.threads.load(SeqCst)
            }
            threads => threads,
        }
    }

    pub fn set_threads(&self, threads: usize) {
        self.threads.store(threads, SeqCst);
        // Threads beyond the new number end.
        self.members.iter().for_each(Member::unpark);
    }

    pub fn set_starter(&self, start: fn(PoolThread)) {
        self.starter.store(start as *mut (), SeqCst);
    }

    /// Runs the parts `0..parts` on all threads.
    ///
    /// # Errors
    /// If a thread died while it ran a part. The other parts have ended.
    pub fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) -> Result<Ran> {
        if self.is_busy.swap(true, SeqCst) {
            return Ok(Ran::Busy);
        }
        let helpers = &self.members[..(self.threads() - 1).min(MAX_THREADS - 1)];
        self.start(helpers);
        // The number of a job is never 0, which means no job.
        let job = ((self.ticket.load(SeqCst) >> 32) as u32).wrapping_add(1).max(1);
        // SAFETY: no thread reads the cell, because all parts of the last job have ended. The
        // closure outlives every part, because `wait` waits for them. Its lifetime may therefore be
        // erased.
        unsafe {
            let part = std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const Part>(part);
            *self.job.get() = Some((part, parts));
        }
        self.unfinished.store(parts, SeqCst);
        self.ticket.store(u64::from(job) << 32 | parts as u64, SeqCst);
        helpers.iter().take(parts - 1).for_each(Member::unpark);
        let ended = Ended(self, job, helpers);
        while let Some(number) = self.claim(job) {
            part(number);
            self.unfinished.fetch_sub(1, SeqCst);
        }
        let lost = ended.wait();
        std::mem::forget(ended);
        observe_memory();
        self.is_busy.store(false, SeqCst);
        if lost == 0 {
            return Ok(Ran::Completed);
        }
        // Does not wait, because a thread that holds the lock is dying.
        let reason = self.panic_message.try_lock().ok().and_then(|mut words| words.take()).unwrap_or_default();
        Err(Error::kernel("threads", format!("{lost} of {} threads died: {reason}", helpers.len() + 1)))
    }

    /// Requests the missing threads.
    fn start(&self, members: &[Member]) {
        for (number, member) in members.iter().enumerate() {
            for absent in [NONE, DEAD] {
                if member.state.compare_exchange(absent, STARTING, SeqCst, SeqCst).is_ok() {
                    member.job.store(0, SeqCst);
                    let thread = PoolThread(number as u32);
                    match self.starter.load(SeqCst) {
                        null if null.is_null() => start_native(thread),
                        // SAFETY: only such functions are stored there.
                        start => unsafe { std::mem::transmute::<*mut (), fn(PoolThread)>(start)(thread) },
                    }
                }
            }
        }
    }

    /// Claims the next part of a job, if one is left.
    fn claim(&self, job: u32) -> Option<usize> {
        let taken = self.ticket.fetch_update(SeqCst, SeqCst, |ticket| {
            ((ticket >> 32) as u32 == job && ticket as u32 > 0).then(|| ticket - 1)
        });
        let left = taken.ok()? as u32 as usize;
        // SAFETY: the job cannot end while this part is claimed, and the cell was written before
        // the ticket.
        let (_, parts) = unsafe { (*self.job.get())? };
        Some(parts - left)
    }

    /// The loop of a thread.
    fn serve(&self, number: usize) {
        let member = &self.members[number];
        if let Ok(mut thread) = member.thread.lock() {
            *thread = Some(thread::current());
        }
        member.state.store(RUNNING, SeqCst);
        let _obituary = ExitGuard(member);
        let mut spins = 0;
        while number + 1 < self.threads() {
            let job = (self.ticket.load(SeqCst) >> 32) as u32;
            // Stored before the claim, so that a death after the claim is attributed to the job.
            member.job.store(job, SeqCst);
            let mut has_run = false;
            while let Some(part) = self.claim(job) {
                // SAFETY: the job cannot end while this part is claimed.
                let run = unsafe { (*self.job.get()).map(|(run, _)| &*run) };
                observe_memory();
                if let Some(run) = run {
                    run(part);
                }
                self.unfinished.fetch_sub(1, SeqCst);
                has_run = true;
            }
            member.job.store(0, SeqCst);
            spins = if has_run { 0 } else { spins + 1 };
            if spins < SPINS {
                hint::spin_loop();
            } else {
                self.park(member, number);
                spins = 0;
            }
        }
    }

    /// Sleeps until there is a part to claim, or until the thread has to end.
    fn park(&self, member: &Member, number: usize) {
        member.is_parked.store(true, SeqCst);
        while member.is_parked.load(SeqCst) {
            if self.ticket.load(SeqCst) as u32 > 0 || number + 1 >= self.threads() {
                member.is_parked.store(false, SeqCst);
            } else {
                thread::park();
            }
        }
    }
}

impl Member {
    /// Wakes the thread, if it is parked.
    fn unpark(&self) {
        if self.is_parked.swap(false, SeqCst)
            // Does not wait, because a thread that holds the lock is just starting.
            && let Ok(thread) = self.thread.try_lock()
            && let Some(thread) = &*thread
        {
            thread.unpark();
        }
    }
}

/// Ends a job. If the caller's own part panics, its closure lives until the other parts have ended.
struct Ended<'a>(&'a Pool, u32, &'a [Member]);

impl Ended<'_> {
    /// Waits until no part runs. Returns the number of parts whose threads died.
    fn wait(&self) -> usize {
        let Ended(pool, job, helpers) = self;
        loop {
            for _ in 0..PATIENCE {
                if pool.unfinished.load(SeqCst) == 0 {
                    return 0;
                }
                hint::spin_loop();
            }
            let died = |member: &&Member| member.state.load(SeqCst) == DEAD && member.job.load(SeqCst) == *job;
            let lost = helpers.iter().filter(died).count();
            if lost > 0 && pool.unfinished.load(SeqCst) <= lost {
                return lost;
            }
            #[cfg(not(target_family = "wasm"))]
            thread::yield_now();
        }
    }
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // Unclaimed parts will not run.
        let unclaimed = self.0.ticket.swap(u64::from(self.1) << 32, SeqCst) as u32 as usize;
        // One more is the part that panicked.
        self.0.unfinished.fetch_sub(unclaimed + 1, SeqCst);
        self.wait();
        self.0.is_busy.store(false, SeqCst);
    }
}

/// Updates the known size of the memory, which other threads may have grown.
fn observe_memory() {
    #[cfg(all(target_family = "wasm", target_feature = "atomics"))]
    crate::memory_growth::observe();
}

#[cfg(not(target_family = "wasm"))]
fn start_native(number: PoolThread) {
    let started = thread::Builder::new().name(format!("lanthorn-{}", number.0)).spawn(move || number.run());
    if started.is_err() {
        // The other threads do its work.
        super::POOL.members[number.0 as usize].state.store(NONE, SeqCst);
    }
}

#[cfg(target_family = "wasm")]
fn start_native(_: PoolThread) {}

/// The number of threads before a caller sets it.
fn default_threads() -> usize {
    if cfg!(target_family = "wasm") {
        return 1;
    }
    let asked = ["LANTHORN_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().find_map(|name| std::env::var(name).ok());
    let asked = asked.and_then(|text| text.trim().parse().ok()).filter(|&threads| threads > 0);
    asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).min(MAX_THREADS)
}
