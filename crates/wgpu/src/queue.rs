//! The queue of work that is deferred until a CPU fallback or pipelines are done.
//!
//! Some kernels run on the processor ([`crate::cpu_fallback`]): their inputs are copied there and
//! their outputs back, in the middle of a submission. A native thread blocks meanwhile. A page
//! cannot block, so all later launches, reads, uploads and freed buffers are queued and passed to
//! the device in program order. The order matters because buffers are recycled. A [`Shared`] future
//! drains the queue: natively when a result is awaited, in a page from its event loop. Without a
//! fallback the queue is empty and no call uses it. A page waits in the same way for pipelines that
//! the browser compiles ahead.
//!
//! Rejected: submitting later work that does not depend on the fallback's results. It would need
//! the dependencies of every buffer here, and help only if a program has other work at that time.

use crate::{
    State,
    buffer::{Buffer, write},
    interop::Import,
    pipeline::Pipeline,
    shared::Shared,
    submit::{Bytes, compiling, is_cpu_fallback},
};
use futures_channel::oneshot;
use lanthorn_ir::{
    Error, Result,
    backend::{BufferId, Launch, LocalFuture, Read},
};
use std::{any::Any, cell::RefCell, collections::VecDeque, rc::Rc};

/// The sender of the future of a queued task.
type Answer<T> = oneshot::Sender<LocalFuture<Result<T>>>;

/// A queued task.
pub(crate) enum Task {
    /// Pipelines that later tasks use.
    Pipelines(Vec<Rc<Pipeline>>),
    /// Launches of a submission, by the number of the first, and reads after them.
    Device { submission: u64, first: usize, launches: Vec<Launch>, reads: Vec<(Read, Answer<Vec<u8>>)> },
    /// Launches of a submission that run on the CPU.
    CpuFallback { submission: u64, first: usize, launches: Vec<Launch> },
    /// Words to write to a buffer.
    Upload { buffer: Rc<Buffer>, offset: u64, words: Vec<u8> },
    /// A copy of a buffer of the program.
    Import(Import),
    /// A buffer that the program wants to use.
    Share(BufferId, Answer<Box<dyn Any>>),
    /// A buffer to free.
    Free(BufferId),
    /// A caller awaits the end of all earlier tasks.
    Synchronize(Answer<()>),
}

pub(crate) struct Queue {
    tasks: RefCell<VecDeque<Task>>,
    /// The future that drains the queue, while it is not empty.
    driver: RefCell<Option<Shared>>,
    /// Whether tasks wait until a result is awaited, on native devices too.
    pub(crate) deferred: bool,
}

impl Queue {
    pub(crate) fn new(deferred: bool) -> Queue {
        Queue { tasks: RefCell::default(), driver: RefCell::default(), deferred }
    }

    /// Whether tasks are queued that later calls must not overtake.
    pub(crate) fn is_busy(&self) -> bool {
        self.driver.borrow().is_some()
    }
}

impl State {
    /// Appends tasks to the queue, and drains it.
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
                        // A dropped read has no receiver.
                        let _ = answer.send(read);
                    }
                }
                Some(Task::CpuFallback { submission, first, launches }) => {
                    self.run_on_cpu(submission, first, &launches).await
                }
                Some(Task::Upload { buffer, offset, words }) => write(&self.device, &buffer, offset, &words),
                Some(Task::Import(import)) => self.finish_import(import).await,
                Some(Task::Share(buffer, answer)) => {
                    let _ = answer.send(self.shared_now(buffer));
                }
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

    /// Creates pipelines once they are compiled, and waits for the validation of each, so that all
    /// work that uses them is one submission.
    async fn make_pipelines(&self, pipelines: &[Rc<Pipeline>]) {
        for pipeline in pipelines {
            self.pipelines.finish(&self.device, &self.failures, &self.counters, pipeline).await;
        }
        for answer in self.failures.settle_pending() {
            answer.await;
        }
    }

    /// [`State::submit`] through the queue: divided into tasks for the device and for the CPU.
    pub(crate) fn submit_deferred(
        self: &Rc<State>,
        submission: u64,
        launches: &[Launch],
        reads: &[Read],
    ) -> Vec<Bytes> {
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
        waiting.into_iter().map(|waiting| self.run_deferred(waiting)).collect()
    }

    /// [`State::synchronize`] through the queue.
    pub(crate) fn synchronize_deferred(self: &Rc<State>) -> LocalFuture<Result<()>> {
        let (answer, waiting) = oneshot::channel();
        self.enqueue([Task::Synchronize(answer)]);
        self.run_deferred(waiting)
    }

    /// Waits until a task has left the queue, and then for its future.
    pub(crate) fn run_deferred<T: 'static>(
        self: &Rc<State>,
        waiting: oneshot::Receiver<LocalFuture<Result<T>>>,
    ) -> LocalFuture<Result<T>> {
        let state = self.clone();
        Box::pin(async move {
            match state.wait_for_task(waiting).await {
                Some(future) => future.await,
                None => Err(Error::device("wgpu", "the device was dropped before its work was done")),
            }
        })
    }

    /// In a page the event loop drains the queue.
    #[cfg(target_arch = "wasm32")]
    async fn wait_for_task<T>(&self, waiting: oneshot::Receiver<T>) -> Option<T> {
        waiting.await.ok()
    }

    /// Natively the waiting thread drains the queue, unless the task is done.
    #[cfg(not(target_arch = "wasm32"))]
    async fn wait_for_task<T>(&self, mut waiting: oneshot::Receiver<T>) -> Option<T> {
        loop {
            match waiting.try_recv() {
                Ok(None) => {
                    let driver = self.queue.driver.borrow().clone();
                    // A device that cannot be polled is lost, and every task reports that.
                    let _ = self.device.device.poll(wgpu::PollType::wait_indefinitely());
                    driver?.advance();
                }
                Ok(found) => return found,
                Err(_) => return None,
            }
        }
    }
}
