//! Yield points of long runs, where an executor may stop a run or do other work.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Yields to the executor: the future is pending once, after it has woken its task.
pub async fn yield_now() {
    let mut yielded = false;
    let yielding = poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    });
    yielding.await;
}

/// Polls a run again after each yield, as long as `goes_on` returns true. The run is pending if it
/// waits for elements or was not continued. In the second case, the task of `context` is not woken.
pub fn poll_past_yields<F: Future + ?Sized>(
    mut run: Pin<&mut F>,
    context: &Context<'_>,
    mut goes_on: impl FnMut() -> bool,
) -> Poll<F::Output> {
    loop {
        let turn = Arc::new(Turn {
            is_polling: AtomicBool::new(true),
            has_yielded: AtomicBool::new(false),
            task: context.waker().clone(),
        });
        let waker = Waker::from(turn.clone());
        let poll = run.as_mut().poll(&mut Context::from_waker(&waker));
        turn.is_polling.store(false, Ordering::SeqCst);
        if poll.is_ready() || !turn.has_yielded.load(Ordering::SeqCst) || !goes_on() {
            return poll;
        }
    }
}

/// Distinguishes a yield, which wakes during a poll, from a later wake-up.
struct Turn {
    is_polling: AtomicBool,
    has_yielded: AtomicBool,
    task: Waker,
}

impl Wake for Turn {
    fn wake(self: Arc<Self>) {
        if self.is_polling.load(Ordering::SeqCst) {
            self.has_yielded.store(true, Ordering::SeqCst);
        } else {
            self.task.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::pending, pin::pin};

    #[test]
    fn a_run_that_only_yields_needs_no_executor() {
        let mut turns = 0;
        let run = pin!(async {
            for _ in 0..5 {
                yield_now().await;
            }
            7
        });
        let context = Context::from_waker(Waker::noop());
        let poll = poll_past_yields(run, &context, || {
            turns += 1;
            true
        });
        assert_eq!((poll, turns), (Poll::Ready(7), 5));
    }

    #[test]
    fn a_run_is_pending_where_it_waits_or_is_not_continued() {
        let context = Context::from_waker(Waker::noop());
        let mut waiting = pin!(async {
            yield_now().await;
            pending::<()>().await;
        });
        assert!(poll_past_yields(waiting.as_mut(), &context, || true).is_pending());
        let mut endless = pin!(async {
            loop {
                yield_now().await;
            }
        });
        let mut left = 3;
        let poll: Poll<()> = poll_past_yields(endless.as_mut(), &context, || {
            left -= 1;
            left > 0
        });
        assert!(poll.is_pending() && left == 0);
    }
}
