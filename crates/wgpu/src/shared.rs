//! A future that several tasks can await.
//!
//! WebGPU reports an error later, through a promise. Several reads may depend on one report, and
//! any of them may be dropped before it arrives. Each task that awaits a [`Shared`] future polls
//! it, and its result wakes all of them.

use lanthorn_ir::backend::LocalFuture;
use std::{
    cell::RefCell,
    future::Future,
    pin::Pin,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Wake, Waker},
};

/// Wakes all waiting tasks.
#[derive(Default)]
struct Waiting(Mutex<Vec<Waker>>);

impl Waiting {
    fn add(&self, waker: &Waker) {
        let mut wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        let wakers = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A future with side effects, which can be awaited any number of times.
#[derive(Clone)]
pub(crate) struct Shared {
    future: Rc<RefCell<Option<LocalFuture<()>>>>,
    waiting: Arc<Waiting>,
}

impl Shared {
    pub(crate) fn new(future: impl Future<Output = ()> + 'static) -> Shared {
        Shared { future: Rc::new(RefCell::new(Some(Box::pin(future)))), waiting: Arc::default() }
    }

    /// Polls the future once; returns whether it is done.
    pub(crate) fn advance(&self) -> bool {
        // The future is taken out while it runs, because it may access the list that contains it.
        let Some(mut future) = self.future.borrow_mut().take() else { return true };
        let waker = Waker::from(self.waiting.clone());
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            waker.wake();
            return true;
        }
        *self.future.borrow_mut() = Some(future);
        false
    }
}

impl Future for Shared {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.waiting.add(context.waker());
        if self.advance() { Poll::Ready(()) } else { Poll::Pending }
    }
}
