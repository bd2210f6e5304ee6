//! Runs of programs: results that may have to be waited for, and signals that stop a run.
//!
//! A page does not react while a task of its event loop runs, so a signal could not be aborted
//! during a long run. A run with a signal is divided into slices, with turns of the event loop
//! between. Rejected: turns in every run, because most runs return their result at once, without a
//! promise.

use super::{
    host::{Host, Lent, Signal, Tensor},
    tree::to_js,
};
use crate::error::Thrown;
use lanthorn_program::{Value, poll_past_yields};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker, ready},
};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// The milliseconds after which a run with a signal yields to the event loop.
const SLICE: f64 = 20.0;

/// A run of a program.
pub type Running = Pin<Box<dyn Future<Output = Result<Value<Tensor>, Thrown>>>>;

/// The result of a run. Without a signal it is a value if nothing is read meanwhile; otherwise a
/// promise. The run uses the tensors that the page lends until the function returns. It records
/// operations for gradients as the page does, or as `grad_enabled` says.
pub fn answer(
    host: &Host,
    signal: Option<Signal>,
    mut lent: Lent,
    grad_enabled: Option<bool>,
    running: Running,
) -> Result<JsValue, Thrown> {
    let is_sync = signal.is_none();
    let outer = lent.begin(host, grad_enabled)?;
    let mode = Mode { outer, own: grad_enabled.unwrap_or(outer), is_set: true };
    let mut run = Run { host: host.clone(), signal, running: Some(running), turn: None, begin: host.now(), mode };
    if is_sync && let Poll::Ready(value) = Pin::new(&mut run).poll(&mut Context::from_waker(Waker::noop())) {
        return to_js(host, value?);
    }
    run.leave();
    lent.keep()?;
    let host = host.clone();
    Ok(future_to_promise(async move { Ok(to_js(&host, run.await?)?) }).into())
}

/// A run in slices.
struct Run {
    host: Host,
    signal: Option<Signal>,
    /// None when it ended.
    running: Option<Running>,
    /// The turn of the event loop that the run waits for.
    turn: Option<JsFuture>,
    /// When the slice began.
    begin: f64,
    mode: Mode,
}

/// Whether operations are recorded for gradients.
struct Mode {
    /// The page's mode.
    outer: bool,
    /// The run's mode.
    own: bool,
    /// Whether the run's mode is set.
    is_set: bool,
}

impl Run {
    fn is_aborted(&self) -> bool {
        self.signal.as_ref().is_some_and(Signal::aborted)
    }

    /// Sets whether operations are recorded for gradients, and returns the previous mode.
    fn set_mode(&self, enabled: bool) -> bool {
        // It fails only where the core is gone, as the next operation says.
        self.host.set_grad_enabled(enabled).unwrap_or(enabled)
    }

    /// Sets the run's mode.
    fn enter(&mut self) {
        if !self.mode.is_set {
            self.mode.outer = self.set_mode(self.mode.own);
            self.mode.is_set = true;
        }
    }

    /// Sets the page's mode again.
    fn leave(&mut self) {
        if self.mode.is_set {
            self.mode.own = self.set_mode(self.mode.outer);
            self.mode.is_set = false;
        }
    }

    /// Runs a slice. The page keeps its own mode of recording gradients meanwhile.
    fn slice(&mut self, context: &Context<'_>) -> Poll<Result<Value<Tensor>, Thrown>> {
        let (host, begin, sliced) = (self.host.clone(), self.begin, self.signal.is_some());
        let mut is_over = false;
        let goes_on = || {
            is_over = sliced && host.now() - begin > SLICE;
            !is_over
        };
        self.enter();
        let modes = host.grad_modes();
        let Some(running) = &mut self.running else { return Poll::Ready(Err(Thrown::aborted())) };
        let poll = poll_past_yields(running.as_mut(), context, goes_on);
        if poll.is_ready() {
            self.running = None;
        }
        if poll.is_pending() || self.mode.own != self.mode.outer || modes != host.grad_modes() {
            self.leave();
        }
        if is_over && poll.is_pending() {
            self.turn = Some(JsFuture::from(self.host.next_task()));
        }
        poll
    }

    /// Drops the run, which may restore the previous mode.
    fn stop(&mut self) {
        let outer = self.set_mode(true);
        self.running = None;
        self.set_mode(outer);
    }
}

impl Future for Run {
    type Output = Result<Value<Tensor>, Thrown>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let run = &mut *self;
        loop {
            if let Some(turn) = &mut run.turn {
                // The promise of a turn is never rejected.
                let _ = ready!(Pin::new(turn).poll(context));
                (run.turn, run.begin) = (None, run.host.now());
            }
            if run.is_aborted() {
                run.stop();
                return Poll::Ready(Err(Thrown::aborted()));
            }
            if run.signal.is_some() && run.host.now() - run.begin > SLICE {
                // Reads on the CPU come back within the same turn.
                run.turn = Some(JsFuture::from(run.host.next_task()));
                continue;
            }
            match run.slice(context) {
                Poll::Pending if run.turn.is_some() => {}
                poll => return poll,
            }
        }
    }
}
