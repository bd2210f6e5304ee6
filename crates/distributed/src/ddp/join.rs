//! Uneven inputs: a rank without batches takes part in the exchanges of the others.
//!
//! At every forward, one reduction finds the largest rank that has a batch. A rank without a batch
//! contributes 0, and then copies buffers and averages gradients of 0, until no rank has a batch.
//! The largest rank of the last round took part in all steps, so it has the final parameters.

use super::{DistributedDataParallel, OP};
use crate::{
    ProcessGroup, ReduceOp, Work,
    sync::broadcast_tensors,
    transport::{Call, Collective},
};
use lanthorn_ir::{DType, Error, Result};
use lanthorn_nn::Module;

/// The rounds of one `join`.
#[derive(Default)]
pub(super) struct Joining {
    /// A rank that had a batch in the last round.
    last: Option<usize>,
}

/// The agreement of the ranks in a round.
struct Round {
    /// A rank that has a batch. All ranks copy its buffers.
    source: usize,
    /// Whether this round averages gradients.
    sync: bool,
}

impl Joining {
    /// Runs one round. `has_batch` is whether gradients will be averaged, if this rank has a batch.
    fn round(&mut self, group: &ProcessGroup, has_batch: Option<bool>) -> Result<Option<Round>> {
        let own = has_batch.map_or(0, |sync| (group.rank() as i64 + 1) * 2 + i64::from(sync));
        let call = Call { collective: Collective::AllReduce(ReduceOp::Max), dtype: DType::I64, bytes: 8 };
        let answer = group.submit(call, own.to_le_bytes().to_vec())?;
        let bytes = Work::collective("all_reduce", answer, Ok).wait()?;
        let largest = bytes.as_chunks().0.first().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        if largest == 0 {
            return Ok(None);
        }
        let source = (largest / 2 - 1) as usize;
        self.last = Some(source);
        Ok(Some(Round { source, sync: largest % 2 == 1 }))
    }

    /// Announces that this rank has a batch. Returns the rank whose buffers all ranks copy.
    pub fn announce(&mut self, group: &ProcessGroup, sync: bool) -> Result<usize> {
        Ok(self.round(group, Some(sync))?.map_or(group.rank(), |round| round.source))
    }
}

impl<M: Module> DistributedDataParallel<M> {
    /// Runs a training loop with a different number of batches on each rank, like PyTorch's context
    /// `join`. A rank whose `body` has returned takes part in the exchanges of the others with
    /// gradients of 0 until all ranks are done. Averages are still over all ranks. Finally all
    /// ranks copy the parameters and buffers of a rank that took all steps.
    ///
    /// # Errors
    ///
    /// The errors of `body`, which other ranks receive as an error of kind `distributed`;
    /// `argument` within another `join`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// # use lanthorn::distributed::{Backend, InitOptions, destroy_process_group};
    /// # use lanthorn::distributed::{DdpOptions, DistributedDataParallel, init_process_group};
    /// # use lanthorn::nn::{Layer, Linear, Module};
    /// # use lanthorn::Tensor;
    /// # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
    /// # let group = init_process_group(Backend::Tcp, options)?;
    /// # let model = DistributedDataParallel::new(Linear::new(4, 1)?, &group, DdpOptions::default())?;
    /// # let batches = [Tensor::ones([8, 4])?, Tensor::zeros([8, 4])?];
    /// model.join(|| {
    ///     for batch in &batches {
    ///         model.forward(batch)?.square()?.mean((), false)?.backward()?;
    ///     }
    ///     Ok(())
    /// })?;
    /// # destroy_process_group()?;
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn join<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.joining.borrow().is_some() {
            return Err(Error::argument(OP, "join within join: one of them is enough"));
        }
        *self.joining.borrow_mut() = Some(Joining::default());
        let outcome = body();
        let joining = self.joining.take().unwrap_or_default();
        match outcome.and_then(|result| self.shadow(joining).map(|()| result)) {
            Ok(result) => Ok(result),
            Err(error) => {
                self.reducer.group.fail(&error);
                Err(error)
            }
        }
    }

    /// Takes part in the rounds of the other ranks.
    fn shadow(&self, mut joining: Joining) -> Result<()> {
        let group = &self.reducer.group;
        while let Some(Round { source, sync }) = joining.round(group, None)? {
            if sync {
                self.broadcast_buffers(source)?;
                self.reducer.shadow()?;
            }
        }
        let Some(last) = joining.last else { return Ok(()) };
        let parameters = self.module.named_parameters().into_iter().chain(self.module.named_buffers());
        broadcast_tensors(group, parameters.map(|(_, tensor)| tensor).collect(), last)?.wait()
    }
}
