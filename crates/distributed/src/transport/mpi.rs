//! The backend `mpi`: the collectives of the machine's MPI.
//!
//! Every call is non-blocking, and the transport tests it until it is complete. So a rank that does
//! not call causes an error after the timeout, and not a process that hangs. Before a collective,
//! the ranks compare their calls in a small exchange. MPI does not check this itself, and would mix
//! up their data. After an error, the transport makes no more calls of MPI and does not finalize
//! it, because finalizing waits for the other ranks.
//!
//! Rejected: the typed interface of the crate `mpi`. Its requests borrow their buffers for a scope,
//! but a request that is abandoned after the timeout must keep its buffers forever.

use super::{Call, Collective, Completion, Transport, signature::Signature};
use crate::{InitOptions, ReduceOp, reduce::divide};
use lanthorn_ir::{DType, Error, Result};
use mpi::ffi;
use std::{
    env,
    ffi::{c_int, c_void},
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

const OP: &str = "init_process_group";
/// The variables of MPI's launchers. Each launcher sets at least one.
const LAUNCHERS: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];
/// The most elements of one call of MPI, which counts with a C int.
const MAX_COUNT: usize = 1 << 28;

/// A communicator of MPI. The initialization allows calls from any thread.
#[derive(Clone, Copy)]
struct Communicator(ffi::MPI_Comm);

// SAFETY: a handle, which MPI_THREAD_MULTIPLE lets every thread use.
unsafe impl Send for Communicator {}
// SAFETY: as above.
unsafe impl Sync for Communicator {}

/// The transport over MPI.
pub(crate) struct Mpi {
    /// For collectives, which one thread calls.
    collectives: Communicator,
    /// For messages between two ranks, so they cannot match collectives.
    messages: Communicator,
    rank: usize,
    ranks: usize,
    timeout: Duration,
    broken: AtomicBool,
}

/// A pending call of MPI, with the buffers that MPI reads and writes until it is complete.
struct InFlight {
    request: ffi::MPI_Request,
    sent: Vec<u8>,
    received: Vec<u8>,
    is_complete: bool,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if !self.is_complete {
            // MPI may still read or write them.
            std::mem::forget(std::mem::take(&mut self.sent));
            std::mem::forget(std::mem::take(&mut self.received));
        }
    }
}

/// Returns the error of an MPI code, unless it is success.
fn check(op: &str, code: c_int) -> Result<()> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut text, mut length) = ([0u8; 1024], 0);
    // SAFETY: the buffer has more bytes than MPI_MAX_ERROR_STRING.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    let text = String::from_utf8_lossy(text.get(..length.max(0) as usize).unwrap_or_default()).into_owned();
    Err(Error::distributed(op, format!("MPI failed: {text}")))
}

/// Returns MPI's type of elements.
fn datatype(dtype: DType) -> ffi::MPI_Datatype {
    // SAFETY: constants of the library.
    unsafe {
        match dtype {
            DType::Bool | DType::U8 => ffi::RSMPI_UINT8_T,
            DType::I32 => ffi::RSMPI_INT32_T,
            DType::I64 => ffi::RSMPI_INT64_T,
            DType::F64 => ffi::RSMPI_DOUBLE,
            // Half types are never reduced, and move as bytes.
            DType::F32 | DType::F16 | DType::BF16 => ffi::RSMPI_FLOAT,
        }
    }
}

fn operation(op: ReduceOp) -> ffi::MPI_Op {
    // SAFETY: constants of the library.
    unsafe {
        match op {
            ReduceOp::Sum | ReduceOp::Avg => ffi::RSMPI_SUM,
            ReduceOp::Product => ffi::RSMPI_PROD,
            ReduceOp::Min => ffi::RSMPI_MIN,
            ReduceOp::Max => ffi::RSMPI_MAX,
        }
    }
}

fn bytes_type() -> ffi::MPI_Datatype {
    datatype(DType::U8)
}

/// Duplicates the communicator of all ranks, with errors returned to the caller.
fn duplicate() -> Result<Communicator> {
    // SAFETY: MPI is initialized; the result is written before it is used.
    unsafe {
        let mut communicator = ffi::RSMPI_COMM_NULL;
        check(OP, ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN))?;
        check(OP, ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, &mut communicator))?;
        check(OP, ffi::MPI_Comm_set_errhandler(communicator, ffi::RSMPI_ERRORS_RETURN))?;
        Ok(Communicator(communicator))
    }
}

/// Initializes MPI once in a process.
fn initialize() -> Result<()> {
    if LAUNCHERS.iter().all(|name| env::var_os(name).is_none()) {
        let message = "the process was not started by MPI: use `mpirun -n 2 program`, or the backend tcp";
        return Err(Error::distributed(OP, message));
    }
    let (mut begun, mut provided) = (0, 0);
    // SAFETY: null stands for the program's own arguments.
    unsafe {
        check(OP, ffi::MPI_Initialized(&mut begun))?;
        if begun != 0 {
            let message = "MPI can be initialized once in a process, and was; keep the group until the end";
            return Err(Error::distributed(OP, message));
        }
        let (argc, argv, wanted) = (ptr::null_mut(), ptr::null_mut(), ffi::RSMPI_THREAD_MULTIPLE);
        check(OP, ffi::MPI_Init_thread(argc, argv, wanted, &mut provided))?;
        if provided < wanted {
            return Err(Error::distributed(OP, "this MPI cannot be called by several threads (MPI_THREAD_MULTIPLE)"));
        }
    }
    Ok(())
}

impl Mpi {
    /// Initializes MPI, and reads the ranks from it.
    pub fn new(options: &InitOptions) -> Result<Mpi> {
        initialize()?;
        let (collectives, messages) = (duplicate()?, duplicate()?);
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the results are written before they are used.
        unsafe {
            check(OP, ffi::MPI_Comm_rank(collectives.0, &mut rank))?;
            check(OP, ffi::MPI_Comm_size(collectives.0, &mut ranks))?;
        }
        let (rank, ranks) = (rank as usize, ranks as usize);
        let found =
            Mpi { collectives, messages, rank, ranks, timeout: options.timeout, broken: AtomicBool::new(false) };
        for (name, given, is) in [("rank", options.rank, rank), ("world_size", options.world_size, ranks)] {
            if given.is_some_and(|given| given != is) {
                return Err(Error::argument(OP, format!("{name} is {is} for MPI, not {given:?}")));
            }
        }
        Ok(found)
    }

    /// Begins a call of MPI with these buffers.
    fn begin(
        &self,
        op: &str,
        sent: Vec<u8>,
        received: Vec<u8>,
        start: impl FnOnce(*const c_void, *mut c_void, *mut ffi::MPI_Request) -> c_int,
    ) -> Result<InFlight> {
        // SAFETY: a constant of the library.
        let none = unsafe { ffi::RSMPI_REQUEST_NULL };
        let mut call = InFlight { request: none, sent, received, is_complete: false };
        let code = start(call.sent.as_ptr().cast(), call.received.as_mut_ptr().cast(), &mut call.request);
        check(op, code)?;
        Ok(call)
    }

    /// Waits until a call is complete, and returns the received bytes.
    fn complete(timeout: Duration, op: &str, mut call: InFlight) -> Result<(Vec<u8>, ffi::MPI_Status)> {
        let deadline = Instant::now().checked_add(timeout);
        // SAFETY: a status is integers.
        let mut status: ffi::MPI_Status = unsafe { std::mem::zeroed() };
        let mut tests = 0u32;
        loop {
            let mut done = 0;
            // SAFETY: the request was begun, and its buffers live as long as it.
            check(op, unsafe { ffi::MPI_Test(&mut call.request, &mut done, &mut status) })?;
            if done != 0 {
                call.is_complete = true;
                return Ok((std::mem::take(&mut call.received), status));
            }
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(Error::distributed(op, format!("a rank did not answer within {timeout:?}")));
            }
            tests += 1;
            match tests {
                // An exchange in memory takes microseconds. A longer wait yields the core.
                0..200 => std::thread::yield_now(),
                200..400 => std::thread::sleep(Duration::from_micros(20)),
                _ => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    fn run(
        &self,
        op: &str,
        sent: Vec<u8>,
        received: Vec<u8>,
        start: impl FnOnce(*const c_void, *mut c_void, *mut ffi::MPI_Request) -> c_int,
    ) -> Result<Vec<u8>> {
        Ok(Mpi::complete(self.timeout, op, self.begin(op, sent, received, start)?)?.0)
    }

    /// Splits the bytes of a call into parts that a C int can count.
    fn in_parts(
        &self,
        op: &str,
        dtype: DType,
        bytes: Vec<u8>,
        start: impl Fn(*const c_void, *mut c_void, c_int, *mut ffi::MPI_Request) -> c_int,
    ) -> Result<Vec<u8>> {
        let most = MAX_COUNT * dtype.size();
        let run = |part: Vec<u8>| {
            let (count, received) = ((part.len() / dtype.size()) as c_int, vec![0; part.len()]);
            self.run(op, part, received, |sent, received, request| start(sent, received, count, request))
        };
        if bytes.len() <= most {
            return run(bytes);
        }
        let parts = bytes.chunks(most).map(|part| run(part.to_vec()));
        Ok(parts.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Compares the calls of the ranks.
    fn compare(&self, call: &Call) -> Result<()> {
        let (op, comm) = (call.collective.name(), self.collectives.0);
        let own = Signature::of(call);
        let (size, kind) = (Signature::SIZE as c_int, bytes_type());
        let all = vec![0; Signature::SIZE * self.ranks];
        // SAFETY: the buffers have a signature, and one for every rank.
        let all = self.run(op, own.to_bytes().to_vec(), all, |sent, received, request| unsafe {
            ffi::MPI_Iallgather(sent, size, kind, received, size, kind, comm, request)
        })?;
        own.compare(self.rank, &all)
    }

    /// Returns a number of bytes as a C int.
    fn count(op: &str, bytes: usize) -> Result<c_int> {
        c_int::try_from(bytes)
            .map_err(|_| Error::limit(op, format!("MPI moves less than 2 GiB a rank, not {bytes} bytes")))
    }

    fn reduce(&self, call: &Call, op: ReduceOp, root: Option<usize>, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (kind, operation, comm) = (datatype(call.dtype), operation(op), self.collectives.0);
        let own = if root.is_some_and(|root| root != self.rank) { Some(bytes.clone()) } else { None };
        // SAFETY: both buffers have `count` elements.
        let mut total =
            self.in_parts(call.collective.name(), call.dtype, bytes, |sent, received, count, request| unsafe {
                match root {
                    None => ffi::MPI_Iallreduce(sent, received, count, kind, operation, comm, request),
                    Some(root) => {
                        ffi::MPI_Ireduce(sent, received, count, kind, operation, root as c_int, comm, request)
                    }
                }
            })?;
        divide(op, call.dtype, &mut total, self.ranks);
        Ok(own.unwrap_or(total))
    }

    fn broadcast(&self, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (kind, comm, is_root) = (bytes_type(), self.collectives.0, self.rank == root);
        let own = if is_root { Some(bytes.clone()) } else { None };
        // SAFETY: the buffer has `count` bytes; MPI only reads the root's buffer.
        let received = self.in_parts("broadcast", DType::U8, bytes, |sent, received, count, request| unsafe {
            let buffer = if is_root { sent.cast_mut() } else { received };
            ffi::MPI_Ibcast(buffer, count, kind, root as c_int, comm, request)
        })?;
        Ok(own.unwrap_or(received))
    }

    fn gather(&self, op: &str, root: Option<usize>, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (kind, comm, count) = (bytes_type(), self.collectives.0, Mpi::count(op, bytes.len())?);
        let is_receiver = root.is_none_or(|root| root == self.rank);
        let all = vec![0; if is_receiver { bytes.len() * self.ranks } else { 0 }];
        // SAFETY: the second buffer has `count` bytes for every rank where MPI writes it.
        self.run(op, bytes, all, |sent, received, request| unsafe {
            match root {
                None => ffi::MPI_Iallgather(sent, count, kind, received, count, kind, comm, request),
                Some(root) => ffi::MPI_Igather(sent, count, kind, received, count, kind, root as c_int, comm, request),
            }
        })
    }

    fn reduce_scatter(&self, call: &Call, op: ReduceOp, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (kind, operation, comm) = (datatype(call.dtype), operation(op), self.collectives.0);
        let count = Mpi::count("reduce_scatter", call.bytes)? / call.dtype.size() as c_int;
        // SAFETY: the first buffer has `count` elements for every rank, the second `count`.
        let mut share = self.run("reduce_scatter", bytes, vec![0; call.bytes], |sent, received, request| unsafe {
            ffi::MPI_Ireduce_scatter_block(sent, received, count, kind, operation, comm, request)
        })?;
        divide(op, call.dtype, &mut share, self.ranks);
        Ok(share)
    }

    fn scatter(&self, share: usize, root: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (kind, comm, count) = (bytes_type(), self.collectives.0, Mpi::count("scatter", share)?);
        // SAFETY: the root's first buffer has `count` bytes for every rank, the second `count`.
        self.run("scatter", bytes, vec![0; share], |sent, received, request| unsafe {
            ffi::MPI_Iscatter(sent, count, kind, received, count, kind, root as c_int, comm, request)
        })
    }

    fn barrier(&self) -> Result<Vec<u8>> {
        let comm = self.collectives.0;
        // SAFETY: there are no buffers.
        self.run("barrier", vec![], vec![], |_, _, request| unsafe { ffi::MPI_Ibarrier(comm, request) })
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn world_size(&self) -> usize {
        self.ranks
    }

    fn collective(&self, call: &Call, bytes: Vec<u8>) -> Result<Vec<u8>> {
        self.compare(call)?;
        match call.collective {
            Collective::AllReduce(op) => self.reduce(call, op, None, bytes),
            Collective::Reduce(op, root) => self.reduce(call, op, Some(root), bytes),
            Collective::Broadcast(root) => self.broadcast(root, bytes),
            Collective::AllGather => self.gather("all_gather", None, bytes),
            Collective::Gather(root) => self.gather("gather", Some(root), bytes),
            Collective::ReduceScatter(op) => self.reduce_scatter(call, op, bytes),
            Collective::Scatter(root) => self.scatter(call.bytes, root, bytes),
            Collective::Barrier => self.barrier(),
        }
    }

    fn send(&self, to: usize, tag: u32, _dtype: DType, bytes: Vec<u8>) -> Result<Completion> {
        let (kind, comm, count) = (bytes_type(), self.messages.0, Mpi::count("send", bytes.len())?);
        let tag = Mpi::tag("send", tag)?;
        // SAFETY: the buffer has `count` bytes.
        let call = self.begin("send", bytes, vec![], |sent, _, request| unsafe {
            ffi::MPI_Isend(sent, count, kind, to as c_int, tag, comm, request)
        })?;
        let timeout = self.timeout;
        Ok(Box::new(move || Mpi::complete(timeout, "send", call).map(drop)))
    }

    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>> {
        let (kind, comm, count) = (bytes_type(), self.messages.0, Mpi::count("recv", bytes)?);
        let tag = Mpi::tag("recv", tag)?;
        // SAFETY: the buffer has `count` bytes.
        let call = self.begin("recv", vec![], vec![0; bytes], |_, received, request| unsafe {
            ffi::MPI_Irecv(received, count, kind, from as c_int, tag, comm, request)
        })?;
        let (received, status) = Mpi::complete(self.timeout, "recv", call)?;
        let mut arrived = 0;
        // SAFETY: the status belongs to a received message.
        check("recv", unsafe { ffi::MPI_Get_count(&status, kind, &mut arrived) })?;
        if arrived == count {
            return Ok(received);
        }
        let (arrived, expected) = (arrived as usize / dtype.size(), bytes / dtype.size());
        let message = format!("rank {from} sent {arrived} elements of {dtype}, and {expected} were expected");
        Err(Error::distributed("recv", message))
    }

    /// Does nothing: MPI has no such message. The others notice after their timeout, or when this
    /// process ends.
    fn abort(&self, _reason: &str) {
        self.broken.store(true, Ordering::Relaxed);
    }

    fn close(&self) {
        // `MPI_Finalize` would hang if a rank did not call it.
        if !self.broken.load(Ordering::Relaxed) && self.barrier().is_ok() {
            // SAFETY: this is the thread that initialized MPI, and no call is under way.
            unsafe { ffi::MPI_Finalize() };
        }
    }
}

impl Mpi {
    /// Returns a tag that every MPI supports.
    fn tag(op: &str, tag: u32) -> Result<c_int> {
        match c_int::try_from(tag) {
            Ok(tag @ 0..=32767) => Ok(tag),
            _ => Err(Error::argument(op, format!("MPI has tags from 0 to 32767, not {tag}"))),
        }
    }
}
