//! Durations of launches, from marks in the stream before the first launch and after each one.
//! While profiling, recordings are not replayed.

use crate::{
    State,
    driver::{Driver, Mark},
    submit::Bound,
};
use lanthorn_ir::{Result, backend::Timing};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

/// The marks around the launches of a submission.
struct Measured<M> {
    submission: u64,
    /// One mark more than there are launches.
    marks: Vec<Arc<M>>,
    launches: Vec<usize>,
}

/// The start of profiling, on both clocks.
struct Origin<M> {
    mark: Arc<M>,
    began: Instant,
}

/// The measurements in progress.
pub(crate) struct Profiler<D: Driver> {
    on: Cell<bool>,
    origin: RefCell<Option<Rc<Origin<D::Mark>>>>,
    measured: RefCell<Vec<Measured<D::Mark>>>,
    /// Steps on the host.
    hosted: RefCell<Vec<Timing>>,
}

impl<D: Driver> Default for Profiler<D> {
    fn default() -> Profiler<D> {
        Profiler {
            on: Cell::default(),
            origin: RefCell::default(),
            measured: RefCell::default(),
            hosted: RefCell::default(),
        }
    }
}

impl<D: Driver> Profiler<D> {
    pub(crate) fn set(&self, driver: &D, on: bool) {
        // If the first mark fails, nothing is measured.
        let mark = || driver.mark().ok().map(Arc::new);
        match (on && !self.on.get()).then(mark) {
            Some(Some(mark)) => {
                self.origin.replace(Some(Rc::new(Origin { mark, began: Instant::now() })));
                self.on.set(true);
            }
            _ => self.on.set(on && self.on.get()),
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on.get()
    }
}

impl<D: Driver> State<D> {
    /// Launches one by one, each followed by a mark.
    pub(crate) fn launch_measured(&self, submission: u64, launches: &[Bound<'_, D>]) {
        let mark = || self.driver.mark().ok().map(Arc::new);
        let mut marks: Vec<Arc<D::Mark>> = mark().into_iter().collect();
        for bound in launches {
            self.launch_or_report(submission, bound);
            marks.extend(mark());
        }
        if marks.len() == launches.len() + 1 {
            let launches = launches.iter().map(|bound| bound.at).collect();
            self.profiler.measured.borrow_mut().push(Measured { submission, marks, launches });
        }
    }

    /// Runs a step on the host, and records its duration while profiling.
    pub(crate) fn measure<T>(&self, submission: u64, launch: usize, run: impl FnOnce() -> T) -> T {
        let origin = self.profiler.origin.borrow().clone().filter(|_| self.profiler.is_on());
        let Some(origin) = origin else { return run() };
        let now = || origin.began.elapsed().as_secs_f64() * 1e6;
        let start = now();
        let result = run();
        let timing = Timing { submission, launch: Some(launch), start, duration: now() - start };
        self.profiler.hosted.borrow_mut().push(timing);
        result
    }

    /// The new measurements. Waits until their work is done.
    pub(crate) async fn timings(&self) -> Result<Vec<Timing>> {
        let mut timings = self.profiler.hosted.take();
        let origin = self.profiler.origin.borrow().clone();
        for Measured { submission, marks, launches } in self.profiler.measured.take() {
            let (Some(origin), Some(last)) = (&origin, marks.last()) else { continue };
            self.waiter.wait_until_done(last).await?;
            origin.mark.wait()?;
            for (launch, pair) in launches.into_iter().zip(marks.windows(2)) {
                let start = self.driver.elapsed(&origin.mark, &pair[0])?;
                let duration = self.driver.elapsed(&pair[0], &pair[1])?;
                timings.push(Timing { submission, launch: Some(launch), start, duration });
            }
        }
        Ok(timings)
    }
}
