//! What waits behind a step on the host, or for pipelines.
//!
//! Some kernels run on the processor ([`crate::cpu_fallback`]): their inputs are brought there and their outputs back, in the middle of a submission. Natively the thread waits for that.
//! A page may not wait, so everything that comes later, launches, reads, uploads and buffers set free, queues up behind the step and is handed to the
//! device in the order of the program; buffers are recycled by that order, so nothing may overtake. A [`Shared`] future works the queue off, natively at once and in a page by
//! its event loop. Without such a step the queue is empty and no call goes through it. In the same way a page waits for pipelines that the browser compiles ahead.
//!
//! Rejected: handing out what does not depend on the step's results ahead of it. It would need the dependencies of every buffer here, and gain only
//! where a program has other work for that time.

use crate::{
    State,
    buffer::{Buffer, write},
    pipeline::Pipeline,
    shared::Shared,
    submit::{Bytes, compiling, is_cpu_fallback},
};
use futures_channel::oneshot;
use lanthorn_ir::{
    Error, Result,
    backend::{BufferId, Launch, LocalFuture, Read},
};
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

/// Where the future of something in the queue is sent once its turn has come.
type Answer<T> = oneshot::Sender<LocalFuture<Result<T>>>;

/// Something to be done in its turn.
pub(crate) enum Task {
    /// Pipelines that are used from here on.
    Pipelines(Vec<Rc<Pipeline>>),
    /// Launches of a submission, by the number of the first, and reads after them.
    Device { submission: u64, first: usize, launches: Vec<Launch>, reads: Vec<(Read, Answer<Vec<u8>>)> },
    /// Launches of a submission that the host does.
    CpuFallback { submission: u64, first: usize, launches: Vec<Launch> },
    /// Words for a buffer.
    Upload { buffer: Rc<Buffer>, words: Vec<u8> },
    /// A buffer that nobody needs any more.
    Free(BufferId),
    /// Somebody waits for all that was before.
    Synchronize(Answer<()>),
}

pub(crate) struct Queue {
    tasks: RefCell<VecDeque<Task>>,
    /// What works the queue off, while there is something in it.
    driver: RefCell<Option<Shared>>,
    /// Whether steps wait for somebody to ask, natively too.
    pub(crate) deferred: bool,
}

impl Queue {
    pub(crate) fn new(deferred: bool) -> Queue {
        Queue { tasks: RefCell::default(), driver: RefCell::default(), deferred }
    }

    /// Whether something is under way that later calls must not overtake.
    pub(crate) fn is_busy(&self) -> bool {
        self.driver.borrow().is_some()
    }
}

impl State {
    /// Puts tasks at the end of the queue, and sees to it that it is worked off.
    pub(crate) fn enqueue(self: &Rc<State>, tasks: impl IntoIterator<Item = Task>) {
        self.queue.tasks.borrow_mut().extend(tasks);
        if self.queue.is_busy() {
            return;
        }
        let state = self.clone();
        let driver = Shared::new(async move { state.drain().await });
        self.queue.driver.replace(Some(driver.clone()));
        if !driver.advance() {
            #[cfg(target_arch = "wasm32")]
            wasm_bindgen_futures::spawn_local(driver);
        }
    }

    async fn drain(self: &Rc<State>) {
        loop {
            let task = self.queue.tasks.borrow_mut().pop_front();
            match task {
                None => break,
                Some(Task::Pipelines(pipelines)) => self.make_pipelines(&pipelines).await,
                Some(Task::Device { submission, first, launches, reads }) => {
                    let (reads, answers): (Vec<Read>, Vec<_>) = reads.into_iter().unzip();
                    for (read, answer) in self.execute(submission, first, &launches, &reads).into_iter().zip(answers) {
                        // A read that was dropped wants no answer.
                        let _ = answer.send(read);
                    }
                }
                Some(Task::CpuFallback { submission, first, launches }) => self.run_on_cpu(submission, first, &launches).await,
                Some(Task::Upload { buffer, words }) => write(&self.device, &buffer, &words),
                Some(Task::Free(buffer)) => {
                    self.groups.forget_buffer(buffer.0);
                    self.buffers.free(buffer);
                }
                Some(Task::Synchronize(answer)) => {
                    let _ = answer.send(self.synchronize_now());
                }
            }
        }
        self.queue.driver.take();
    }

    /// Makes pipelines once they are compiled, and waits until it is known of each whether it is valid: then all that uses them is one submission.
    async fn make_pipelines(&self, pipelines: &[Rc<Pipeline>]) {
        for pipeline in pipelines {
            self.pipelines.finish(&self.device, &self.failures, &self.counters, pipeline).await;
        }
        for answer in self.failures.settle_pending() {
            answer.await;
        }
    }

    /// [`State::submit`] by way of the queue: cut into work for the device and for the host.
    pub(crate) fn submit_deferred(self: &Rc<State>, submission: u64, launches: &[Launch], reads: &[Read]) -> Vec<Bytes> {
        let pipelines: Vec<_> = launches.iter().flat_map(compiling).cloned().collect();
        let mut tasks = match pipelines.is_empty() {
            true => Vec::new(),
            false => vec![Task::Pipelines(pipelines)],
        };
        let mut first = 0;
        for launches in launches.chunk_by(|a, b| is_cpu_fallback(a) == is_cpu_fallback(b)) {
            let owned = launches.to_vec();
            tasks.push(match is_cpu_fallback(&launches[0]) {
                true => Task::CpuFallback { submission, first, launches: owned },
                false => Task::Device { submission, first, launches: owned, reads: Vec::new() },
            });
            first += launches.len();
        }
        let (answers, waiting): (Vec<_>, Vec<_>) = reads.iter().map(|_| oneshot::channel()).unzip();
        let copied = reads.iter().copied().zip(answers);
        match tasks.last_mut() {
            Some(Task::Device { reads, .. }) => reads.extend(copied),
            _ => tasks.push(Task::Device { submission, first, launches: Vec::new(), reads: copied.collect() }),
        }
        self.enqueue(tasks);
        waiting.into_iter().map(|waiting| self.deferred(waiting)).collect()
    }

    /// [`State::synchronize`] by way of the queue.
    pub(crate) fn synchronize_deferred(self: &Rc<State>) -> LocalFuture<Result<()>> {
        let (answer, waiting) = oneshot::channel();
        self.enqueue([Task::Synchronize(answer)]);
        self.deferred(waiting)
    }

    /// Waits for the turn of something in the queue, and then for itself.
    fn deferred<T: 'static>(self: &Rc<State>, waiting: oneshot::Receiver<LocalFuture<Result<T>>>) -> LocalFuture<Result<T>> {
        let state = self.clone();
        Box::pin(async move {
            match state.dequeued(waiting).await {
                Some(future) => future.await,
                None => Err(Error::device("wgpu", "the device was dropped before its work was done")),
            }
        })
    }

    /// In a page the event loop works the queue off.
    #[cfg(target_arch = "wasm32")]
    async fn dequeued<T>(&self, waiting: oneshot::Receiver<T>) -> Option<T> {
        waiting.await.ok()
    }

    /// Natively nobody does but who waits, unless it was done at once.
    #[cfg(not(target_arch = "wasm32"))]
    async fn dequeued<T>(&self, mut waiting: oneshot::Receiver<T>) -> Option<T> {
        loop {
            match waiting.try_recv() {
                Ok(None) => {
                    let driver = self.queue.driver.borrow().clone();
                    // A device that cannot be polled is lost, and every step hears of that.
                    let _ = self.device.device.poll(wgpu::PollType::wait_indefinitely());
                    driver?.advance();
                }
                Ok(found) => return found,
                Err(_) => return None,
            }
        }
    }
}
