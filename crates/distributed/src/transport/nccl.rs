//! The backend `nccl`: reductions, broadcasts and gathers on NVIDIA GPUs, one for each rank of a
//! machine.
//!
//! Creating a group loads the library. The ranks connect over TCP, and rank 0 distributes NCCL's
//! identifier. Over TCP the ranks also compare their calls, which NCCL does not do. Calls that NCCL
//! lacks (gather, scatter, barriers) and messages use TCP too.
//!
//! As in every backend, bytes pass through the host: the transport copies them to the rank's GPU,
//! the GPUs exchange them, and the transport copies them back. Rejected for now: the buffers of
//! tensors, which the CUDA backend does not expose. The transport aborts an exchange after the
//! timeout, so the stream ends.

use super::{Call, Collective, Completion, Transport, tcp::Tcp};
use crate::{InitOptions, ReduceOp, reduce::divide};
use cudarc::{
    driver::{
        self, CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError,
        sys::CUevent_flags::CU_EVENT_DISABLE_TIMING,
    },
    nccl::{result, sys},
};
use lanthorn_ir::{DType, Error, Result};
use std::{
    ffi::c_int,
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

const OP: &str = "init_process_group";

/// A communicator of NCCL.
#[derive(Clone, Copy)]
struct Communicator(sys::ncclComm_t);

// SAFETY: a handle. The lock of `Nccl` lets one thread use it at a time.
unsafe impl Send for Communicator {}

/// The transport over NCCL.
pub(crate) struct Nccl {
    control: Tcp,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    communicator: Mutex<Communicator>,
    /// Whether the communicator was aborted.
    is_gone: AtomicBool,
    timeout: Duration,
}

fn cuda<T>(op: &str, outcome: std::result::Result<T, DriverError>) -> Result<T> {
    outcome.map_err(|error| Error::device(op, format!("CUDA failed: {error}")))
}

fn nccl<T>(op: &str, outcome: std::result::Result<T, result::NcclError>) -> Result<T> {
    outcome.map_err(|error| Error::distributed(op, format!("NCCL failed: {:?}", error.0)))
}

/// Returns NCCL's type of elements.
fn datatype(dtype: DType) -> sys::ncclDataType_t {
    match dtype {
        DType::Bool | DType::U8 => sys::ncclDataType_t::ncclUint8,
        DType::I32 => sys::ncclDataType_t::ncclInt32,
        DType::I64 => sys::ncclDataType_t::ncclInt64,
        DType::F64 => sys::ncclDataType_t::ncclFloat64,
        // Half types are never reduced, and move as bytes.
        DType::F32 | DType::F16 | DType::BF16 => sys::ncclDataType_t::ncclFloat32,
    }
}

fn operation(op: ReduceOp) -> sys::ncclRedOp_t {
    match op {
        ReduceOp::Sum | ReduceOp::Avg => sys::ncclRedOp_t::ncclSum,
        ReduceOp::Product => sys::ncclRedOp_t::ncclProd,
        ReduceOp::Min => sys::ncclRedOp_t::ncclMin,
        ReduceOp::Max => sys::ncclRedOp_t::ncclMax,
    }
}

/// Checks that the libraries exist. A call of a missing library would panic.
fn probe() -> Result<()> {
    // SAFETY: these only look for libraries; loading them is safe.
    let (has_driver, has_nccl) = unsafe { (driver::sys::is_culib_present(), sys::is_culib_present()) };
    if !has_driver {
        return Err(Error::device(OP, "the NVIDIA driver is not installed; the backend tcp needs none"));
    }
    if !has_nccl {
        return Err(Error::device(OP, "NCCL is not installed: there is no libnccl.so; the backend tcp needs none"));
    }
    Ok(())
}

/// Creates the communicator in a thread, because NCCL waits for all ranks without a timeout.
fn communicator(
    context: &Arc<CudaContext>,
    control: &Tcp,
    id: sys::ncclUniqueId,
    timeout: Duration,
) -> Result<Communicator> {
    let (ranks, rank, context) = (control.world_size() as c_int, control.rank() as c_int, context.clone());
    let (sender, receiver) = mpsc::channel();
    let make = move || {
        let made = cuda(OP, context.bind_to_thread()).and_then(|()| {
            let mut communicator = ptr::null_mut();
            // SAFETY: the result is written before it is used, and the identifier is rank 0's.
            nccl(OP, unsafe { result::comm_init_rank(&mut communicator, ranks, id, rank) })?;
            Ok(Communicator(communicator))
        });
        // The receiver is gone after the timeout.
        let _ = sender.send(made);
    };
    let thread = std::thread::Builder::new().name("lanthorn-nccl".into()).spawn(make);
    thread.map_err(|error| Error::distributed(OP, format!("no thread could be made: {error}")))?;
    match receiver.recv_timeout(timeout) {
        Ok(made) => made,
        Err(_) => Err(Error::distributed(OP, format!("NCCL did not connect the ranks within {timeout:?}"))),
    }
}

impl Nccl {
    /// Connects the GPUs of all ranks. The index on the machine selects this rank's GPU.
    pub fn new(options: &InitOptions, local_rank: usize) -> Result<Nccl> {
        probe()?;
        let control = Tcp::new(options)?;
        let context = cuda(OP, CudaContext::new(local_rank))?;
        let stream = cuda(OP, context.new_stream())?;
        let mut id = sys::ncclUniqueId { internal: [0; 128] };
        if control.rank() == 0 {
            id = nccl(OP, result::get_uniqueid())?;
        }
        let call = Call { collective: Collective::Broadcast(0), dtype: DType::U8, bytes: id.internal.len() };
        let bytes = control.collective(&call, id.internal.iter().map(|byte| *byte as u8).collect())?;
        id.internal.iter_mut().zip(bytes).for_each(|(own, byte)| *own = byte as _);
        let communicator = communicator(&context, &control, id, options.timeout)?;
        Ok(Nccl {
            control,
            context,
            stream,
            communicator: Mutex::new(communicator),
            is_gone: AtomicBool::new(false),
            timeout: options.timeout,
        })
    }

    /// Runs an exchange of NCCL on a copy of the bytes on the GPU.
    fn run(
        &self,
        op: &str,
        bytes: &[u8],
        received: usize,
        exchange: impl FnOnce(*const u8, *mut u8, sys::ncclComm_t, sys::cudaStream_t) -> NcclOutcome,
    ) -> Result<Vec<u8>> {
        if received == 0 {
            return Ok(vec![]);
        }
        cuda(op, self.context.bind_to_thread())?;
        let stream = &self.stream;
        let sent: CudaSlice<u8> = cuda(op, stream.clone_htod(bytes))?;
        let mut result = cuda(op, stream.alloc_zeros::<u8>(received))?;
        {
            let communicator = self.communicator.lock().unwrap_or_else(PoisonError::into_inner);
            let (from, _read) = sent.device_ptr(stream);
            let (to, _written) = result.device_ptr_mut(stream);
            let outcome = exchange(from as *const u8, to as *mut u8, communicator.0, stream.cu_stream().cast());
            nccl(op, outcome)?;
        }
        self.wait(op)?;
        cuda(op, stream.clone_dtoh(&result))
    }

    /// Waits for the stream, and aborts the exchange after the timeout.
    fn wait(&self, op: &str) -> Result<()> {
        let event = cuda(op, self.stream.record_event(Some(CU_EVENT_DISABLE_TIMING)))?;
        let deadline = Instant::now().checked_add(self.timeout);
        while !cuda(op, event.try_is_complete())? {
            if deadline.is_some_and(|end| Instant::now() >= end) {
                self.end(true);
                return Err(Error::distributed(op, format!("a rank did not answer within {:?}", self.timeout)));
            }
            std::thread::sleep(Duration::from_micros(20));
        }
        Ok(())
    }

    /// Destroys the communicator once.
    fn end(&self, aborts: bool) {
        if self.is_gone.swap(true, Ordering::Relaxed) {
            return;
        }
        let communicator = self.communicator.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the communicator is destroyed once. No call uses it afterwards, because the group
        // has failed or is closed. An error here has no consequence.
        let _ = unsafe {
            match aborts {
                true => result::comm_abort(communicator.0),
                false => result::comm_destroy(communicator.0),
            }
        };
    }

    /// Compares the calls of the ranks over TCP.
    fn compare(&self, call: &Call) -> Result<()> {
        self.control.compare(call)
    }
}

type NcclOutcome = std::result::Result<result::NcclStatus, result::NcclError>;

impl Transport for Nccl {
    fn rank(&self) -> usize {
        self.control.rank()
    }

    fn world_size(&self) -> usize {
        self.control.world_size()
    }

    fn collective(&self, call: &Call, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (name, ranks, rank) = (call.collective.name(), self.world_size(), self.rank());
        let (kind, elements, share) = (datatype(call.dtype), call.bytes / call.dtype.size(), call.bytes);
        let raw = sys::ncclDataType_t::ncclUint8;
        if matches!(call.collective, Collective::Gather(_) | Collective::Scatter(_) | Collective::Barrier) {
            return self.control.collective(call, bytes);
        }
        self.compare(call)?;
        // SAFETY, for all of these: the buffers have the number of elements passed to NCCL, and
        // live until the stream has ended, which `run` waits for.
        match call.collective {
            Collective::AllReduce(op) => {
                let mut total = self.run(name, &bytes, share, |from, to, comm, stream| unsafe {
                    result::all_reduce(from.cast(), to.cast(), elements, kind, operation(op), comm, stream)
                })?;
                divide(op, call.dtype, &mut total, ranks);
                Ok(total)
            }
            Collective::Reduce(op, root) => {
                let mut total = self.run(name, &bytes, share, |from, to, comm, stream| unsafe {
                    result::reduce(from.cast(), to.cast(), elements, kind, operation(op), root as c_int, comm, stream)
                })?;
                divide(op, call.dtype, &mut total, ranks);
                Ok(if rank == root { total } else { bytes })
            }
            Collective::ReduceScatter(op) => {
                let mut part = self.run(name, &bytes, share, |from, to, comm, stream| unsafe {
                    result::reduce_scatter(from.cast(), to.cast(), elements, kind, operation(op), comm, stream)
                })?;
                divide(op, call.dtype, &mut part, ranks);
                Ok(part)
            }
            Collective::Broadcast(root) => self.run(name, &bytes, share, |from, to, comm, stream| unsafe {
                result::broadcast(from.cast(), to.cast(), share, raw, root as c_int, comm, stream)
            }),
            Collective::AllGather => self.run(name, &bytes, share * ranks, |from, to, comm, stream| unsafe {
                result::all_gather(from.cast(), to.cast(), share, raw, comm, stream)
            }),
            Collective::Gather(_) | Collective::Scatter(_) | Collective::Barrier => {
                self.control.collective(call, bytes)
            }
        }
    }

    fn send(&self, to: usize, tag: u32, dtype: DType, bytes: Vec<u8>) -> Result<Completion> {
        self.control.send(to, tag, dtype, bytes)
    }

    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>> {
        self.control.recv(from, tag, dtype, bytes)
    }

    fn abort(&self, reason: &str) {
        self.control.abort(reason);
        self.end(true);
    }

    fn close(&self) {
        self.end(false);
        self.control.close();
    }
}
