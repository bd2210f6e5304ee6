//! Futures of marks: a separate thread waits for the device, so that a task that awaits a read does
//! not block its own thread.

use crate::driver::Mark;
use lanthorn_ir::{Error, Result};
use std::{
    cell::RefCell,
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

/// For this long the awaiting thread polls the mark before it involves the other thread. A short
/// step is done by then, and waking a thread takes as long.
const LOOKED_AT: Duration = Duration::from_micros(40);

/// An awaited mark.
struct Awaited<M> {
    mark: Arc<M>,
    outcome: Mutex<(Option<Result<()>>, Option<Waker>)>,
}

/// The thread, once a mark is awaited. It ends when the waiter is dropped.
pub(crate) struct Waiter<M>(RefCell<Option<Sender<Arc<Awaited<M>>>>>);

impl<M> Default for Waiter<M> {
    fn default() -> Waiter<M> {
        Waiter(RefCell::default())
    }
}

impl<M: Mark> Waiter<M> {
    /// Resolves when a mark is done.
    pub(crate) async fn wait_until_done(&self, mark: &Arc<M>) -> Result<()> {
        let until = Instant::now() + LOOKED_AT;
        loop {
            if mark.is_done()? {
                return Ok(());
            }
            if Instant::now() >= until {
                break;
            }
            std::hint::spin_loop();
        }
        let awaited = Arc::new(Awaited { mark: mark.clone(), outcome: Mutex::default() });
        if !self.ask(&awaited) {
            return mark.wait();
        }
        poll_fn(|context| {
            let mut state = awaited.outcome.lock().unwrap_or_else(PoisonError::into_inner);
            match state.0.take() {
                Some(outcome) => Poll::Ready(outcome),
                None => {
                    state.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Sends a mark to the thread. Returns `false` if there is none.
    fn ask(&self, awaited: &Arc<Awaited<M>>) -> bool {
        let mut sender = self.0.borrow_mut();
        if sender.is_none() {
            let (new, receiver) = channel::<Arc<Awaited<M>>>();
            let work = move || receiver.into_iter().for_each(|awaited| awaited.resolve());
            *sender = thread::Builder::new().name("lanthorn-cuda".into()).spawn(work).ok().map(|_| new);
        }
        sender.as_ref().is_some_and(|sender| sender.send(awaited.clone()).is_ok())
    }
}

impl<M: Mark> Awaited<M> {
    fn resolve(&self) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.mark.wait()));
        let outcome = outcome.unwrap_or_else(|_| Err(Error::device("cuda", "waiting for the device broke down")));
        let mut state = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = Some(outcome);
        let waker = state.1.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Condvar,
        atomic::{AtomicBool, Ordering},
    };

    #[derive(Default)]
    struct Gate(Mutex<bool>, Condvar, AtomicBool);

    impl Mark for Gate {
        fn is_done(&self) -> Result<bool> {
            Ok(*self.0.lock().unwrap())
        }

        fn wait(&self) -> Result<()> {
            let mut open = self.0.lock().unwrap();
            while !*open {
                open = self.1.wait(open).unwrap();
            }
            if self.2.load(Ordering::Relaxed) { Err(Error::device_lost("cuda", "gone")) } else { Ok(()) }
        }
    }

    #[test]
    fn a_thread_wakes_who_waits_and_tells_what_went_wrong() {
        let waiter = Waiter::default();
        for fails in [false, true] {
            let gate = Arc::new(Gate::default());
            gate.2.store(fails, Ordering::Relaxed);
            let opener = gate.clone();
            let other = thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                *opener.0.lock().unwrap() = true;
                opener.1.notify_all();
            });
            let outcome = pollster::block_on(waiter.wait_until_done(&gate));
            other.join().unwrap();
            assert_eq!(outcome.is_err(), fails);
        }
    }
}
