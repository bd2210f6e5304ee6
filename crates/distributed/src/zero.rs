//! Optimizer states shared out to the ranks: the first stage of ZeRO (Rajbhandari et al., 2020).

use crate::{ProcessGroup, sync::broadcast_tensors, sync::check_same};
use lanthorn_ir::{Error, Result};
use lanthorn_optim::Optimizer;
use lanthorn_tensor::Tensor;
use std::cmp::Reverse;

const OP: &str = "ZeroRedundancyOptimizer";

/// An optimizer of which every rank has the states of its share of the parameters, as
/// `torch.distributed.optim.ZeroRedundancyOptimizer`. A step updates the share and copies it to the other
/// ranks, so that Adam's moments take a rank's part of the memory.
///
/// The gradients must be the same on all ranks, as after a backward pass of
/// [`DistributedDataParallel`](crate::DistributedDataParallel).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_distributed::{Backend, InitOptions, destroy_process_group, init_process_group};
/// use lanthorn_distributed::ZeroRedundancyOptimizer;
/// use lanthorn_optim::{Adam, AdamOptions};
/// use lanthorn_tensor::Tensor;
/// # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
/// # let group = init_process_group(Backend::Tcp, options)?;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let make = |share| Adam::new(share, AdamOptions { lr: 0.25, ..Default::default() });
/// let optimizer = ZeroRedundancyOptimizer::new(vec![w.clone()], &group, make)?;
/// w.square()?.backward()?;
/// optimizer.step()?;
/// assert!((pollster::block_on(w.item())? - 0.75).abs() < 1e-6);
/// destroy_process_group()?;
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct ZeroRedundancyOptimizer {
    group: ProcessGroup,
    parameters: Vec<Tensor>,
    /// The parameters of each rank.
    shares: Vec<Vec<Tensor>>,
    /// None on a rank without parameters.
    local: Option<Optimizer>,
}

/// The rank of each parameter: the largest first, each to the rank with the fewest elements so far.
fn partition(sizes: &[usize], ranks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| Reverse(sizes[*index]));
    let mut loads = vec![0; ranks];
    let mut owners = vec![0; sizes.len()];
    for index in order {
        let owner = (0..ranks).min_by_key(|rank| loads[*rank]).unwrap_or(0);
        owners[index] = owner;
        loads[owner] += sizes[index];
    }
    owners
}

impl ZeroRedundancyOptimizer {
    /// Shares `parameters` out, which are the same on all ranks. `make` makes the optimizer of this rank's
    /// share; it is not called where there are fewer parameters than ranks and none is left.
    ///
    /// # Errors
    ///
    /// `argument` if there are no parameters; `distributed`, on all ranks, if they differ in number, shape or
    /// type; those of `make`.
    pub fn new(
        parameters: Vec<Tensor>,
        group: &ProcessGroup,
        make: impl FnOnce(Vec<Tensor>) -> Result<Optimizer>,
    ) -> Result<ZeroRedundancyOptimizer> {
        if parameters.is_empty() {
            return Err(Error::argument(OP, "got no parameters to optimize"));
        }
        let named =
            parameters.iter().enumerate().map(|(index, parameter)| (format!("parameter {index}"), parameter.clone()));
        check_same(group, OP, &named.collect::<Vec<_>>())?;
        let sizes: Vec<usize> = parameters.iter().map(Tensor::numel).collect();
        let owners = partition(&sizes, group.world_size());
        let share = |rank: usize| {
            let owned = parameters.iter().zip(&owners).filter(|(_, owner)| **owner == rank);
            owned.map(|(parameter, _)| parameter.clone()).collect::<Vec<_>>()
        };
        let shares: Vec<Vec<Tensor>> = (0..group.world_size()).map(share).collect();
        let own = shares[group.rank()].clone();
        let local = if own.is_empty() { None } else { Some(make(own)?) };
        Ok(ZeroRedundancyOptimizer { group: group.clone(), parameters, shares, local })
    }

    /// The optimizer of this rank's share, with its groups, options and states; schedules take it. `None` on a
    /// rank without parameters.
    pub fn local(&self) -> Option<&Optimizer> {
        self.local.as_ref()
    }

    /// The parameters of a rank's share, in their order.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such rank.
    pub fn share(&self, rank: usize) -> Result<&[Tensor]> {
        let share = self.shares.get(rank).map(Vec::as_slice);
        share.ok_or_else(|| Error::argument(OP, format!("there is no rank {rank} among {}", self.shares.len())))
    }

    /// Updates this rank's share with its gradients, and copies all shares to all ranks.
    ///
    /// # Errors
    ///
    /// Those of the optimizer's step; `distributed` as in [`Work::wait`](crate::Work::wait).
    pub fn step(&self) -> Result<()> {
        if let Some(local) = &self.local {
            local.step().inspect_err(|error| self.group.fail(error))?;
        }
        let copies = self.shares.iter().enumerate().filter(|(_, share)| !share.is_empty());
        let copies = copies.map(|(rank, share)| broadcast_tensors(&self.group, share.clone(), rank));
        copies.collect::<Result<Vec<_>>>()?.into_iter().try_for_each(|copy| copy.wait())
    }

    /// Clears the gradients of all parameters, also of those of other ranks.
    ///
    /// # Errors
    ///
    /// None that a caller can cause.
    pub fn zero_grad(&self) -> Result<()> {
        self.parameters.iter().try_for_each(|parameter| parameter.set_grad(None))
    }

    /// Changes the learning rate of this rank's share; all ranks must call it.
    ///
    /// # Errors
    ///
    /// `argument` if the learning rate is out of range.
    pub fn set_learning_rate(&self, lr: f64) -> Result<()> {
        self.local.as_ref().map_or(Ok(()), |local| local.set_learning_rate(lr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_similar_sizes() {
        assert_eq!(partition(&[10, 1, 9, 2, 3, 5], 2), [0, 1, 1, 0, 0, 1]);
        assert_eq!(partition(&[4], 3), [0]);
    }
}
