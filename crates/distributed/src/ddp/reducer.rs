//! Averages gradients during the backward pass.
//!
//! A hook runs when the gradient of a parameter is accumulated. When all gradients of a bucket are
//! accumulated, the reducer reads their elements. The read flushes: the kernels recorded so far
//! run, and the kernels of the rest of the pass are not recorded yet. The group's thread then
//! exchanges the bucket while the pass records and runs the kernels of the next one. All ranks send
//! buckets in the same order, whatever the order of hooks.
//!
//! Rejected: one flush at the end of the pass, which overlaps nothing; a flush for each parameter,
//! which prevents fusion and sends small messages.

use super::{DdpOptions, buckets::Bucket, buckets::buckets};
use crate::{
    ProcessGroup, ReduceOp, Work,
    collectives::reduction_type,
    transport::{Call, Collective},
};
use lanthorn_ir::{DType, Error, Result};
use lanthorn_tensor::{Tensor, no_grad};
use std::{
    cell::{Cell, RefCell},
    collections::{HashSet, VecDeque},
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
};

const OP: &str = "DistributedDataParallel";

/// A read of a bucket's gradients.
type Read = Pin<Box<dyn Future<Output = Result<Vec<u8>>>>>;

/// The passes since the end of the last exchange.
#[derive(Default)]
struct State {
    /// For each parameter, whether its gradient is accumulated.
    ready: Vec<bool>,
    /// For each bucket, the number of parameters that are not ready.
    missing: Vec<usize>,
    /// The first bucket that was not read yet.
    next: usize,
    /// Buckets that are being read from the device, in order.
    reads: VecDeque<(usize, Read)>,
    /// Buckets that are being exchanged.
    exchanges: Vec<(usize, Work<Vec<u8>>)>,
    /// Whether a forward announced a backward pass.
    expected: bool,
}

pub(super) struct Reducer {
    pub group: ProcessGroup,
    names: Vec<String>,
    parameters: Vec<Tensor>,
    buckets: Vec<Bucket>,
    /// The bucket of each parameter.
    bucket_of: Vec<usize>,
    find_unused: bool,
    /// Whether gradients are averaged; false in `no_sync`.
    pub sync: Cell<bool>,
    state: RefCell<State>,
}

impl Reducer {
    pub fn new(group: ProcessGroup, named: Vec<(String, Tensor)>, options: &DdpOptions) -> Reducer {
        let (names, parameters): (Vec<String>, Vec<Tensor>) = named.into_iter().unzip();
        let buckets = buckets(&parameters, options.first_bucket_bytes, options.bucket_bytes);
        let mut bucket_of = vec![0; parameters.len()];
        for (number, bucket) in buckets.iter().enumerate() {
            bucket.parameters.iter().for_each(|index| bucket_of[*index] = number);
        }
        let reducer = Reducer {
            group,
            names,
            parameters,
            buckets,
            bucket_of,
            find_unused: options.find_unused_parameters,
            sync: Cell::new(true),
            state: RefCell::default(),
        };
        reducer.reset();
        reducer
    }

    /// Marks all gradients as missing.
    fn reset(&self) {
        *self.state.borrow_mut() = State {
            ready: vec![false; self.parameters.len()],
            missing: self.buckets.iter().map(|bucket| bucket.parameters.len()).collect(),
            ..State::default()
        };
    }

    /// Checks before a forward that the last backward pass reached all parameters.
    pub fn prepare(&self, will_sync: bool) -> Result<()> {
        let unused: Vec<&str> = {
            let state = self.state.borrow();
            let is_halfway = state.expected && state.ready.contains(&true);
            let waiting = self.names.iter().zip(&state.ready).filter(|(_, ready)| !**ready && is_halfway);
            waiting.map(|(name, _)| name.as_str()).collect()
        };
        if !unused.is_empty() {
            let message = format!(
                "the last backward pass computed no gradients of [{}], so the ranks' gradients were not averaged; set \
                 find_unused_parameters",
                unused.join(", ")
            );
            let error = Error::autograd(OP, message);
            self.group.fail(&error);
            return Err(error);
        }
        self.reset();
        self.state.borrow_mut().expected = will_sync;
        Ok(())
    }

    /// Marks the parameters that an output does not depend on, whose hooks will not run.
    pub fn mark_unused(&self, reached: &HashSet<usize>) -> Result<()> {
        if !self.find_unused {
            return Ok(());
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            if !reached.contains(&parameter.id()) {
                self.mark(index)?;
            }
        }
        Ok(())
    }

    /// Whether a pass may skip parameters.
    pub fn finds_unused(&self) -> bool {
        self.find_unused
    }

    fn mark(&self, index: usize) -> Result<()> {
        let mut state = self.state.borrow_mut();
        if std::mem::replace(&mut state.ready[index], true) {
            let message =
                format!("the gradient of {} was accumulated twice before all others were there", self.names[index]);
            return Err(Error::autograd(OP, message));
        }
        state.missing[self.bucket_of[index]] -= 1;
        Ok(())
    }

    /// Records that the gradient of a parameter is accumulated, and exchanges complete buckets.
    pub fn record(&self, index: usize) -> Result<()> {
        if !self.sync.get() {
            return Ok(());
        }
        let outcome = self.mark(index).and_then(|()| self.advance());
        if let Err(error) = &outcome {
            self.group.fail(error);
            self.reset();
        }
        outcome
    }

    /// Reads and sends the buckets that are ready, and ends the exchange after the last one.
    fn advance(&self) -> Result<()> {
        loop {
            let next = {
                let mut state = self.state.borrow_mut();
                let next = state.next;
                if state.missing.get(next) != Some(&0) {
                    break;
                }
                state.next += 1;
                next
            };
            let read = self.read(&self.buckets[next])?;
            self.state.borrow_mut().reads.push_back((next, read));
            self.send_arrived()?;
        }
        if self.state.borrow().next == self.buckets.len() { self.finish() } else { Ok(()) }
    }

    /// Runs the kernels recorded so far, and begins to copy the gradients of a bucket to the host.
    fn read(&self, bucket: &Bucket) -> Result<Read> {
        let flat = no_grad(|| -> Result<Tensor> {
            let parts = bucket.parameters.iter().map(|index| {
                let parameter = &self.parameters[*index];
                match parameter.grad() {
                    Some(grad) => grad.detach().reshape([-1]),
                    None => Tensor::full_with([parameter.numel() as i64], 0.0, bucket.dtype, Some(parameter.device())),
                }
            });
            let parts = parts.collect::<Result<Vec<_>>>()?;
            let flat = if let [only] = &parts[..] { only.clone() } else { Tensor::cat(&parts, 0)? };
            if bucket.dtype.is_half() { flat.to(DType::F32) } else { Ok(flat) }
        })?;
        Ok(Box::pin(flat.to_bytes()))
    }

    /// Sends the buckets whose elements are on the host, without waiting for others.
    fn send_arrived(&self) -> Result<()> {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let (number, bytes) = {
                let mut state = self.state.borrow_mut();
                let Some((number, read)) = state.reads.front_mut() else { return Ok(()) };
                let number = *number;
                let Poll::Ready(bytes) = read.as_mut().poll(&mut context) else { return Ok(()) };
                state.reads.pop_front();
                (number, bytes)
            };
            self.send(number, bytes?)?;
        }
    }

    fn send(&self, number: usize, bytes: Vec<u8>) -> Result<()> {
        let dtype = reduction_type(self.buckets[number].dtype);
        let call = Call { collective: Collective::AllReduce(ReduceOp::Avg), dtype, bytes: bytes.len() };
        let answer = self.group.submit(call, bytes)?;
        self.state.borrow_mut().exchanges.push((number, Work::collective("all_reduce", answer, Ok)));
        Ok(())
    }

    /// Waits for all buckets, and replaces the gradients by the averages.
    fn finish(&self) -> Result<()> {
        let reads = std::mem::take(&mut self.state.borrow_mut().reads);
        for (number, read) in reads {
            self.send(number, pollster::block_on(read)?)?;
        }
        let used = self.find_used()?;
        let exchanges = std::mem::take(&mut self.state.borrow_mut().exchanges);
        for (number, work) in exchanges {
            self.unpack(&self.buckets[number], &work.wait()?, &used)?;
        }
        self.reset();
        Ok(())
    }

    /// For each parameter, whether any rank has a gradient.
    fn find_used(&self) -> Result<Vec<bool>> {
        if !self.find_unused {
            return Ok(vec![true; self.parameters.len()]);
        }
        let own = self.parameters.iter().map(|parameter| u8::from(parameter.grad().is_some())).collect();
        Ok(self.exchange_used(own)?.iter().map(|flag| *flag > 0).collect())
    }

    fn exchange_used(&self, own: Vec<u8>) -> Result<Vec<u8>> {
        let call = Call { collective: Collective::AllReduce(ReduceOp::Max), dtype: DType::U8, bytes: own.len() };
        Work::collective("all_reduce", self.group.submit(call, own)?, Ok).wait()
    }

    fn unpack(&self, bucket: &Bucket, bytes: &[u8], used: &[bool]) -> Result<()> {
        let Some(first) = bucket.parameters.first() else { return Ok(()) };
        let exchanged = reduction_type(bucket.dtype);
        let device = self.parameters[*first].device();
        let flat = Tensor::from_bytes(exchanged, bytes, [bucket.elements as i64], device)?;
        let flat = if exchanged == bucket.dtype { flat } else { no_grad(|| flat.to(bucket.dtype))? };
        let mut begin = 0;
        for index in &bucket.parameters {
            let parameter = &self.parameters[*index];
            let elements = parameter.numel() as i64;
            if used[*index] {
                let grad = no_grad(|| flat.narrow(0, begin, elements)?.reshape(parameter.shape()))?;
                parameter.set_grad(Some(grad))?;
            }
            begin += elements;
        }
        Ok(())
    }

    /// Takes part in an exchange with gradients of 0, on a rank without batches.
    pub fn shadow(&self) -> Result<()> {
        let exchange = |bucket: &Bucket| -> Result<Work<Vec<u8>>> {
            let dtype = reduction_type(bucket.dtype);
            let bytes = vec![0; bucket.elements * dtype.size()];
            let call = Call { collective: Collective::AllReduce(ReduceOp::Avg), dtype, bytes: bytes.len() };
            Ok(Work::collective("all_reduce", self.group.submit(call, bytes)?, Ok))
        };
        let exchanges = self.buckets.iter().map(exchange).collect::<Result<Vec<_>>>()?;
        if self.find_unused {
            self.exchange_used(vec![0; self.parameters.len()])?;
        }
        exchanges.into_iter().try_for_each(|work| work.wait().map(drop))
    }
}
