//! Collectives and messages on tensors.

use crate::{
    ProcessGroup, ReduceOp, Work,
    transport::{Call, Collective},
};
use lanthorn_ir::{DType, Error, Result, Shape};
use lanthorn_tensor::{Device, Tensor, no_grad};

/// Reads the elements to the host in the exchanged type. Reductions widen half types.
pub(crate) fn bytes_of(tensor: &Tensor, exchanged: DType) -> Result<Vec<u8>> {
    let tensor = tensor.detach();
    let tensor = if exchanged == tensor.dtype() { tensor } else { no_grad(|| tensor.to(exchanged))? };
    pollster::block_on(tensor.to_bytes())
}

/// Creates a tensor from bytes of the exchanged type.
pub(crate) fn tensor_of(bytes: &[u8], exchanged: DType, like: &Like) -> Result<Tensor> {
    let tensor = Tensor::from_bytes(exchanged, bytes, &like.shape, &like.device)?;
    if exchanged == like.dtype { Ok(tensor) } else { no_grad(|| tensor.to(like.dtype)) }
}

/// Returns the type in which elements are reduced.
pub(crate) fn reduction_type(dtype: DType) -> DType {
    if dtype.is_half() { DType::F32 } else { dtype }
}

/// The shape, type and device of a result.
pub(crate) struct Like {
    shape: Shape,
    dtype: DType,
    device: Device,
}

impl Like {
    pub fn new(tensor: &Tensor) -> Like {
        Like { shape: tensor.shape().clone(), dtype: tensor.dtype(), device: tensor.device().clone() }
    }

    fn bytes(&self, exchanged: DType) -> usize {
        self.shape.elements() * exchanged.size()
    }
}

/// Writes a result into the tensor of the call.
fn write(tensor: &Tensor, bytes: &[u8], exchanged: DType) -> Result<()> {
    let result = tensor_of(bytes, exchanged, &Like::new(tensor))?;
    no_grad(|| tensor.copy_(&result))
}

impl ProcessGroup {
    /// Begins a collective that writes its result into `tensor`, if this rank receives one.
    fn in_place(&self, collective: Collective, tensor: &Tensor, exchanged: DType) -> Result<Work<()>> {
        let bytes = bytes_of(tensor, exchanged)?;
        let call = Call { collective, dtype: exchanged, bytes: bytes.len() };
        let (answer, tensor) = (self.submit(call, bytes)?, tensor.clone());
        Ok(Work::collective(collective.name(), answer, move |bytes| write(&tensor, &bytes, exchanged)))
    }

    /// Begins a collective whose result is a list of tensors like `like`.
    fn begin_gather(&self, collective: Collective, tensor: &Tensor) -> Result<Work<Vec<Tensor>>> {
        let (like, dtype) = (Like::new(tensor), tensor.dtype());
        let bytes = bytes_of(tensor, dtype)?;
        let (share, ranks) = (bytes.len(), self.world_size());
        let answer = self.submit(Call { collective, dtype, bytes: share }, bytes)?;
        Ok(Work::collective(collective.name(), answer, move |bytes| {
            let count = bytes.len().checked_div(share).unwrap_or(ranks);
            (0..count).map(|rank| tensor_of(&bytes[rank * share..(rank + 1) * share], dtype, &like)).collect()
        }))
    }

    fn check_rank(&self, op: &str, rank: usize) -> Result<()> {
        if rank < self.world_size() {
            return Ok(());
        }
        Err(Error::argument(op, format!("there is no rank {rank} among {}, counted from 0", self.world_size())))
    }

    /// Replaces `tensor` on every rank by the reduction over all ranks, like
    /// `torch.distributed.all_reduce`. The results are bitwise equal on all ranks. The shape and
    /// type must be equal on all ranks.
    ///
    /// # Errors
    ///
    /// `dtype` for an average of integers or a sum of bools; `distributed` as in [`Work::wait`];
    /// the error of the work that computes the tensor.
    pub fn all_reduce(&self, tensor: &Tensor, op: ReduceOp) -> Result<()> {
        self.all_reduce_async(tensor, op)?.wait()
    }

    /// Begins an [`all_reduce`](ProcessGroup::all_reduce).
    ///
    /// # Errors
    ///
    /// The errors of `all_reduce`. Errors of other ranks appear in `wait`.
    pub fn all_reduce_async(&self, tensor: &Tensor, op: ReduceOp) -> Result<Work<()>> {
        op.check("all_reduce", tensor.dtype())?;
        self.in_place(Collective::AllReduce(op), tensor, reduction_type(tensor.dtype()))
    }

    /// Performs an [`all_reduce`](ProcessGroup::all_reduce) whose result only rank `dst` receives,
    /// like `torch.distributed.reduce`.
    ///
    /// # Errors
    ///
    /// The errors of `all_reduce`; `argument` if there is no rank `dst`.
    pub fn reduce(&self, tensor: &Tensor, dst: usize, op: ReduceOp) -> Result<()> {
        self.reduce_async(tensor, dst, op)?.wait()
    }

    /// Begins a [`reduce`](ProcessGroup::reduce).
    ///
    /// # Errors
    ///
    /// The errors of `reduce`. Errors of other ranks appear in `wait`.
    pub fn reduce_async(&self, tensor: &Tensor, dst: usize, op: ReduceOp) -> Result<Work<()>> {
        self.check_rank("reduce", dst)?;
        op.check("reduce", tensor.dtype())?;
        self.in_place(Collective::Reduce(op, dst), tensor, reduction_type(tensor.dtype()))
    }

    /// Replaces `tensor` on every rank by the tensor of rank `src`, like
    /// `torch.distributed.broadcast`. The shape and type must be equal on all ranks.
    ///
    /// # Errors
    ///
    /// `argument` if there is no rank `src`; `distributed` as in [`Work::wait`].
    pub fn broadcast(&self, tensor: &Tensor, src: usize) -> Result<()> {
        self.broadcast_async(tensor, src)?.wait()
    }

    /// Begins a [`broadcast`](ProcessGroup::broadcast).
    ///
    /// # Errors
    ///
    /// The errors of `broadcast`. Errors of other ranks appear in `wait`.
    pub fn broadcast_async(&self, tensor: &Tensor, src: usize) -> Result<Work<()>> {
        self.check_rank("broadcast", src)?;
        self.in_place(Collective::Broadcast(src), tensor, tensor.dtype())
    }

    /// Returns the tensors of all ranks in order, like `torch.distributed.all_gather`. The shape
    /// and type must be equal on all ranks.
    ///
    /// # Errors
    ///
    /// `distributed` as in [`Work::wait`].
    pub fn all_gather(&self, tensor: &Tensor) -> Result<Vec<Tensor>> {
        self.all_gather_async(tensor)?.wait()
    }

    /// Begins an [`all_gather`](ProcessGroup::all_gather).
    ///
    /// # Errors
    ///
    /// The errors of `all_gather`. Errors of other ranks appear in `wait`.
    pub fn all_gather_async(&self, tensor: &Tensor) -> Result<Work<Vec<Tensor>>> {
        self.begin_gather(Collective::AllGather, tensor)
    }

    /// Performs an [`all_gather`](ProcessGroup::all_gather) whose result only rank `dst` receives,
    /// like `torch.distributed.gather`. The result on other ranks is `None`.
    ///
    /// # Errors
    ///
    /// The errors of `all_gather`; `argument` if there is no rank `dst`.
    pub fn gather(&self, tensor: &Tensor, dst: usize) -> Result<Option<Vec<Tensor>>> {
        self.check_rank("gather", dst)?;
        let gathered = self.begin_gather(Collective::Gather(dst), tensor)?.wait()?;
        Ok((self.rank() == dst).then_some(gathered))
    }

    /// Reduces `inputs[r]` over all ranks and returns the result on rank `r`, like
    /// `torch.distributed.reduce_scatter`. All inputs must have the same shape and type.
    ///
    /// # Errors
    ///
    /// `argument` if the number of inputs is not the number of ranks; `shape` or `dtype` if the
    /// inputs differ; otherwise the errors of [`all_reduce`](ProcessGroup::all_reduce).
    pub fn reduce_scatter(&self, inputs: &[Tensor], op: ReduceOp) -> Result<Tensor> {
        self.reduce_scatter_async(inputs, op)?.wait()
    }

    /// Begins a [`reduce_scatter`](ProcessGroup::reduce_scatter).
    ///
    /// # Errors
    ///
    /// The errors of `reduce_scatter`. Errors of other ranks appear in `wait`.
    pub fn reduce_scatter_async(&self, inputs: &[Tensor], op: ReduceOp) -> Result<Work<Tensor>> {
        const OP: &str = "reduce_scatter";
        let first = self.check_blocks(OP, inputs)?;
        op.check(OP, first.dtype)?;
        let exchanged = reduction_type(first.dtype);
        let bytes = blocks(inputs, exchanged)?;
        let call = Call { collective: Collective::ReduceScatter(op), dtype: exchanged, bytes: first.bytes(exchanged) };
        let answer = self.submit(call, bytes)?;
        Ok(Work::collective(OP, answer, move |bytes| tensor_of(&bytes, exchanged, &first)))
    }

    /// Copies tensor `r` of rank `src`'s `inputs` to `output` on rank `r`, like
    /// `torch.distributed.scatter`. The other ranks pass no inputs.
    ///
    /// # Errors
    ///
    /// `argument` if rank `src` does not pass an input for each rank, or another rank passes any;
    /// `shape` or `dtype` if an input does not match `output`; `distributed` as in [`Work::wait`].
    pub fn scatter(&self, output: &Tensor, inputs: &[Tensor], src: usize) -> Result<()> {
        const OP: &str = "scatter";
        self.check_rank(OP, src)?;
        let (dtype, like) = (output.dtype(), Like::new(output));
        if self.rank() == src {
            let first = self.check_blocks(OP, inputs)?;
            check_like(OP, &like, &first)?;
        } else if !inputs.is_empty() {
            let message = format!("only rank {src} passes inputs, but rank {} passes {}", self.rank(), inputs.len());
            return Err(Error::argument(OP, message));
        }
        let call = Call { collective: Collective::Scatter(src), dtype, bytes: like.bytes(dtype) };
        let answer = self.submit(call, blocks(inputs, dtype)?)?;
        let tensor = output.clone();
        Work::collective(OP, answer, move |bytes| write(&tensor, &bytes, dtype)).wait()
    }

    /// Waits until all ranks have called it, like `torch.distributed.barrier`.
    ///
    /// # Errors
    ///
    /// `distributed` as in [`Work::wait`].
    pub fn barrier(&self) -> Result<()> {
        let call = Call { collective: Collective::Barrier, dtype: DType::U8, bytes: 0 };
        Work::collective("barrier", self.submit(call, vec![])?, |_| Ok(())).wait()
    }

    /// Sends `tensor` to rank `dst`, which receives it with the same tag, like
    /// `torch.distributed.send`.
    ///
    /// # Errors
    ///
    /// `argument` if there is no rank `dst`, or it is this one; `distributed` as in [`Work::wait`].
    pub fn send(&self, tensor: &Tensor, dst: usize, tag: u32) -> Result<()> {
        self.send_async(tensor, dst, tag)?.wait()
    }

    /// Begins a [`send`](ProcessGroup::send), like `torch.distributed.isend`.
    ///
    /// # Errors
    ///
    /// The errors of `send`.
    pub fn send_async(&self, tensor: &Tensor, dst: usize, tag: u32) -> Result<Work<()>> {
        self.check_peer("send", dst)?;
        let (dtype, bytes) = (tensor.dtype(), bytes_of(tensor, tensor.dtype())?);
        let sent = self.transport("send")?.send(dst, tag, dtype, bytes).inspect_err(self.breaker())?;
        let fail = self.breaker();
        Ok(Work::send(Box::new(move || sent().inspect_err(fail))))
    }

    /// Receives a message of rank `src` with the same tag into `tensor`, like
    /// `torch.distributed.recv`. Messages with the same tag arrive in order.
    ///
    /// # Errors
    ///
    /// `argument` if there is no rank `src`, or it is this rank; `distributed` as in
    /// [`Work::wait`], and if the message has another type or number of elements.
    pub fn recv(&self, tensor: &Tensor, src: usize, tag: u32) -> Result<()> {
        self.recv_async(tensor, src, tag)?.wait()
    }

    /// Begins a [`recv`](ProcessGroup::recv), like `torch.distributed.irecv`.
    ///
    /// # Errors
    ///
    /// The errors of `recv`.
    pub fn recv_async(&self, tensor: &Tensor, src: usize, tag: u32) -> Result<Work<()>> {
        self.check_peer("recv", src)?;
        let (transport, dtype, tensor) = (self.transport("recv")?, tensor.dtype(), tensor.clone());
        let (bytes, fail) = (tensor.numel() * dtype.size(), self.breaker());
        let receive = move || transport.recv(src, tag, dtype, bytes).inspect_err(fail);
        Ok(Work::recv(receive, move |bytes| write(&tensor, &bytes, dtype)))
    }

    fn check_peer(&self, op: &str, rank: usize) -> Result<()> {
        self.check_rank(op, rank)?;
        if rank == self.rank() {
            return Err(Error::argument(op, format!("rank {rank} is this rank, which has the tensor")));
        }
        Ok(())
    }

    /// Checks that there is one tensor for each rank, all of the same shape and type.
    fn check_blocks(&self, op: &str, inputs: &[Tensor]) -> Result<Like> {
        let Some(first) = inputs.first().filter(|_| inputs.len() == self.world_size()) else {
            let message = format!("{} inputs were given for {} ranks", inputs.len(), self.world_size());
            return Err(Error::argument(op, message));
        };
        let first = Like::new(first);
        inputs.iter().try_for_each(|input| check_like(op, &first, &Like::new(input)))?;
        Ok(first)
    }
}

fn check_like(op: &str, expected: &Like, found: &Like) -> Result<()> {
    if expected.dtype != found.dtype {
        return Err(Error::dtype(op, format!("the inputs are {} and {}", expected.dtype, found.dtype)));
    }
    if expected.shape != found.shape {
        return Err(Error::shape(op, format!("the inputs have shapes {} and {}", expected.shape, found.shape)));
    }
    Ok(())
}

/// Concatenates the bytes of tensors.
fn blocks(tensors: &[Tensor], exchanged: DType) -> Result<Vec<u8>> {
    let bytes = tensors.iter().map(|tensor| bytes_of(tensor, exchanged));
    Ok(bytes.collect::<Result<Vec<_>>>()?.concat())
}
