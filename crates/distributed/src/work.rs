//! Pending calls.

use crate::transport::Completion;
use lanthorn_ir::{Error, Result};
use std::sync::mpsc::{Receiver, TryRecvError};

/// The answer of the group's thread.
type Answer = Result<Vec<u8>>;

enum Pending {
    /// A collective that the group's thread runs.
    Collective { answer: Receiver<Answer>, arrived: Option<Answer> },
    /// A message that is being sent.
    Send(Completion),
    /// A message that `wait` receives.
    Recv(Box<dyn FnOnce() -> Answer>),
}

/// A call that began, like `torch.distributed.Work`. Data move while the program continues. `wait`
/// writes or returns the result. If the program drops the work, the call still happens on the other
/// ranks, and this rank loses its result.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributed::{Backend, InitOptions, ReduceOp, destroy_process_group, init_process_group};
/// use lanthorn::Tensor;
/// let alone = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
/// let group = init_process_group(Backend::Tcp, alone)?;
/// let x = Tensor::scalar(3.0f32, &device)?;
/// let work = group.all_reduce_async(&x, ReduceOp::Sum)?;
/// let y = x.square()?; // Computed meanwhile, of the old elements.
/// work.wait()?;
/// assert_eq!(pollster::block_on(y.item())?, 9.0);
/// destroy_process_group()?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[must_use = "the result is there after `wait`"]
pub struct Work<T> {
    pending: Pending,
    finish: Box<dyn FnOnce(Vec<u8>) -> Result<T>>,
    name: &'static str,
}

fn thread_error(name: &str) -> Error {
    Error::distributed(name, "the group's thread ended")
}

impl<T> Work<T> {
    pub(crate) fn collective(
        name: &'static str,
        answer: Receiver<Answer>,
        finish: impl FnOnce(Vec<u8>) -> Result<T> + 'static,
    ) -> Work<T> {
        Work { pending: Pending::Collective { answer, arrived: None }, finish: Box::new(finish), name }
    }

    pub(crate) fn recv(
        receive: impl FnOnce() -> Answer + 'static,
        finish: impl FnOnce(Vec<u8>) -> Result<T> + 'static,
    ) -> Work<T> {
        Work { pending: Pending::Recv(Box::new(receive)), finish: Box::new(finish), name: "recv" }
    }

    /// Waits for the other ranks, writes the result into the tensor of the call, and returns the
    /// call's result.
    ///
    /// # Errors
    ///
    /// `distributed` if another rank ended, did not answer within the group's timeout, or made a
    /// different call. Then the tensor is unchanged, and the group cannot be used any more.
    pub fn wait(self) -> Result<T> {
        let name = self.name;
        let bytes = match self.pending {
            Pending::Collective { arrived: Some(answer), .. } => answer,
            Pending::Collective { answer, .. } => answer.recv().unwrap_or_else(|_| Err(thread_error(name))),
            Pending::Send(completion) => completion().map(|()| vec![]),
            Pending::Recv(receive) => receive(),
        };
        (self.finish)(bytes?)
    }

    /// Whether `wait` will return at once. This is true for a message between two ranks only after
    /// a wait.
    pub fn is_completed(&mut self) -> bool {
        let Pending::Collective { answer, arrived } = &mut self.pending else { return false };
        if arrived.is_none() {
            match answer.try_recv() {
                Ok(value) => *arrived = Some(value),
                Err(TryRecvError::Disconnected) => *arrived = Some(Err(thread_error(self.name))),
                Err(TryRecvError::Empty) => {}
            }
        }
        arrived.is_some()
    }
}

impl Work<()> {
    pub(crate) fn send(completion: Completion) -> Work<()> {
        Work { pending: Pending::Send(completion), finish: Box::new(|_| Ok(())), name: "send" }
    }
}
