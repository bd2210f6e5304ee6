//! The group of processes, and the thread that runs its collectives.
//!
//! Tensors belong to a thread, and so does a group: each thread has its own default group. A
//! separate thread of the group runs collectives on bytes, in the order of their calls, so data
//! move while the program records and runs kernels. An error ends the group. If ranks continued
//! after it, a rank could use data of a different call.

use crate::{
    Backend, InitOptions,
    transport::{Call, Transport, shm::Shm, tcp::Tcp},
};
use lanthorn_ir::{Error, Result};
use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread::JoinHandle,
};

/// A collective for the group's thread.
struct Job {
    call: Call,
    bytes: Vec<u8>,
    answer: Sender<Result<Vec<u8>>>,
}

/// The first error. It ends the group.
type Failure = Arc<Mutex<Option<Error>>>;

fn failure_of(failure: &Failure) -> Option<Error> {
    failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Records the first error, and reports it to the other ranks.
fn break_group(failure: &Failure, transport: &dyn Transport, error: &Error) {
    let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
    if first.is_none() {
        *first = Some(error.clone());
        drop(first);
        transport.abort(&error.to_string());
    }
}

/// The resources of a group until it is destroyed.
struct Running {
    transport: Arc<dyn Transport>,
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

struct Inner {
    backend: Backend,
    rank: usize,
    world_size: usize,
    local_rank: usize,
    failure: Failure,
    running: RefCell<Option<Running>>,
}

/// Processes that train together, like `torch.distributed.ProcessGroup`. A clone is another handle
/// of the same group.
///
/// Every rank must make the same calls in the same order. A call returns within the group's
/// timeout. If a rank ends, does not call, or makes a different call, this call and all later calls
/// of the group return an error of kind `distributed`.
///
/// All element types of tensors are supported. float16 and bfloat16 are reduced in float32 and
/// rounded once.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributed::{Backend, InitOptions, ReduceOp, destroy_process_group, init_process_group};
/// use lanthorn::{Device, Tensor};
/// # let port = 23000 + (std::process::id() % 8000) as u16;
/// // Two ranks as threads; programs have them in processes, and take the options from the environment.
/// let ranks = [0, 1].map(|rank| {
///     std::thread::spawn(move || -> lanthorn::Result<f64> {
///         let device = lanthorn::cpu();
///         let options = InitOptions {
///             rank: Some(rank),
///             world_size: Some(2),
///             master_addr: Some("127.0.0.1".into()),
///             master_port: Some(port),
///             ..Default::default()
///         };
///         let group = init_process_group(Backend::Tcp, options)?;
///         let x = Tensor::scalar(rank as f32 + 1.0, &device)?;
///         group.all_reduce(&x, ReduceOp::Sum)?;
///         destroy_process_group()?;
///         pollster::block_on(x.item())
///     })
/// });
/// for rank in ranks {
///     assert_eq!(rank.join().unwrap()?, 3.0);
/// }
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ProcessGroup(Rc<Inner>);

thread_local! {
    static DEFAULT: RefCell<Option<ProcessGroup>> = const { RefCell::new(None) };
}

/// Connects this process with the others, and creates the default group of this thread, like
/// `torch.distributed.init_process_group`.
///
/// # Errors
///
/// `argument` if the thread has a group, if an option and its variable are missing or invalid, or
/// if the build lacks the backend; `distributed` if other ranks do not connect within the timeout
/// or have other options, or if `mpirun` did not start the process for MPI.
pub fn init_process_group(backend: Backend, options: InitOptions) -> Result<ProcessGroup> {
    const OP: &str = "init_process_group";
    if DEFAULT.with_borrow(Option::is_some) {
        return Err(Error::argument(OP, "there is a group already; call destroy_process_group first"));
    }
    if options.timeout.is_zero() {
        return Err(Error::argument(OP, "a timeout of 0 leaves no time to connect"));
    }
    let local = match backend {
        Backend::Mpi => "OMPI_COMM_WORLD_LOCAL_RANK",
        Backend::Tcp | Backend::Shm | Backend::Nccl => "LOCAL_RANK",
    };
    let local_rank = options.local_rank(local);
    let group = ProcessGroup::new(backend, transport(backend, &options, local_rank)?, local_rank)?;
    DEFAULT.set(Some(group.clone()));
    Ok(group)
}

/// Connects the ranks.
fn transport(backend: Backend, options: &InitOptions, local_rank: usize) -> Result<Arc<dyn Transport>> {
    // The local rank chooses the GPU.
    let _ = local_rank;
    match backend {
        Backend::Tcp => Ok(Arc::new(Tcp::new(options)?)),
        Backend::Shm => Ok(Arc::new(Shm::new(options)?)),
        #[cfg(feature = "mpi")]
        Backend::Mpi => Ok(Arc::new(crate::transport::mpi::Mpi::new(options)?)),
        #[cfg(feature = "nccl")]
        Backend::Nccl => Ok(Arc::new(crate::transport::nccl::Nccl::new(options, local_rank)?)),
        #[allow(unreachable_patterns)]
        missing => Err(Error::argument(
            "init_process_group",
            format!("this build has no backend {missing}; build with the feature `{missing}`, or choose tcp"),
        )),
    }
}

/// Waits for the pending calls of the default group, and leaves it, like
/// `torch.distributed.destroy_process_group`.
///
/// # Errors
///
/// `argument` if the thread has no group.
pub fn destroy_process_group() -> Result<()> {
    let group = DEFAULT.take().ok_or_else(|| none("destroy_process_group"))?;
    group.0.leave();
    Ok(())
}

fn none(op: &str) -> Error {
    Error::argument(op, "this thread has no group; call init_process_group first")
}

/// Returns the default group of this thread.
///
/// # Errors
///
/// `argument` if there is none.
pub fn process_group() -> Result<ProcessGroup> {
    DEFAULT.with_borrow(Clone::clone).ok_or_else(|| none("process_group"))
}

/// Whether this thread has a default group, like `torch.distributed.is_initialized`.
pub fn is_initialized() -> bool {
    DEFAULT.with_borrow(Option::is_some)
}

/// Returns this process's rank in the default group, like `torch.distributed.get_rank`.
///
/// # Errors
///
/// `argument` if there is no default group.
pub fn rank() -> Result<usize> {
    Ok(process_group()?.rank())
}

/// Returns the number of processes in the default group, like `torch.distributed.get_world_size`.
///
/// # Errors
///
/// `argument` if there is no default group.
pub fn world_size() -> Result<usize> {
    Ok(process_group()?.world_size())
}

impl Inner {
    /// Waits for pending calls, and closes the transport.
    fn leave(&self) {
        let Some(Running { transport, jobs, thread }) = self.running.take() else { return };
        drop(jobs);
        // The thread does not panic. If it did, there would be nothing to wait for.
        let _ = thread.join();
        transport.close();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.leave();
    }
}

impl ProcessGroup {
    fn new(backend: Backend, transport: Arc<dyn Transport>, local_rank: usize) -> Result<ProcessGroup> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let failure = Failure::default();
        let (broken, worker) = (failure.clone(), transport.clone());
        let run = move || {
            for Job { call, bytes, answer } in queue {
                let result = match failure_of(&broken) {
                    Some(error) => Err(unusable(call.collective.name(), &error)),
                    None => worker.collective(&call, bytes),
                };
                if let Err(error) = &result {
                    break_group(&broken, &*worker, error);
                }
                // The receiver is gone if the program dropped the work.
                let _ = answer.send(result);
            }
        };
        let thread = std::thread::Builder::new()
            .name("lanthorn-collectives".into())
            .spawn(run)
            .map_err(|error| Error::distributed("init_process_group", format!("no thread could be made: {error}")))?;
        Ok(ProcessGroup(Rc::new(Inner {
            backend,
            rank: transport.rank(),
            world_size: transport.world_size(),
            local_rank,
            failure,
            running: RefCell::new(Some(Running { transport, jobs, thread })),
        })))
    }

    /// Returns this process's rank, from 0.
    pub fn rank(&self) -> usize {
        self.0.rank
    }

    /// Returns the number of processes.
    pub fn world_size(&self) -> usize {
        self.0.world_size
    }

    /// Returns this process's index on its machine, which selects a GPU.
    pub fn local_rank(&self) -> usize {
        self.0.local_rank
    }

    /// Returns the backend that exchanges the data.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Returns the group's transport, unless the group has ended.
    pub(crate) fn transport(&self, op: &str) -> Result<Arc<dyn Transport>> {
        if let Some(error) = failure_of(&self.0.failure) {
            return Err(unusable(op, &error));
        }
        match &*self.0.running.borrow() {
            Some(running) => Ok(running.transport.clone()),
            None => Err(Error::distributed(op, "the group was destroyed")),
        }
    }

    /// Passes a collective to the group's thread.
    pub(crate) fn submit(&self, call: Call, bytes: Vec<u8>) -> Result<Receiver<Result<Vec<u8>>>> {
        let op = call.collective.name();
        self.transport(op)?;
        let (answer, receiver) = mpsc::channel();
        let sent = self.0.running.borrow().as_ref().is_some_and(|running| {
            let job = Job { call, bytes, answer };
            running.jobs.send(job).is_ok()
        });
        if sent { Ok(receiver) } else { Err(Error::distributed(op, "the group's thread ended")) }
    }

    /// Ends the group on all ranks with an error of this rank.
    pub(crate) fn fail(&self, error: &Error) {
        if let Some(running) = &*self.0.running.borrow() {
            break_group(&self.0.failure, &*running.transport, error);
        }
    }

    /// Returns a function that ends the group after a failed message between two ranks. An invalid
    /// argument does not end it.
    pub(crate) fn breaker(&self) -> impl Fn(&Error) + use<> {
        let group = self.clone();
        move |error| {
            if error.is_distributed() {
                group.fail(error);
            }
        }
    }
}

fn unusable(op: &str, first: &Error) -> Error {
    let message = format!("the group is not usable after an error ({first}); destroy it and make a new one");
    Error::distributed(op, message)
}
