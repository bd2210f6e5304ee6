//! Optimizer states divided between the ranks: the first stage of ZeRO (Rajbhandari et al., 2020).

mod state;

use crate::{
    ProcessGroup,
    sync::{all_gather_bytes, broadcast_tensors, check_same},
};
use lanthorn_ir::{DType, Error, Result};
use lanthorn_optim::{GroupState, Optimizer, OptimizerState};
use lanthorn_tensor::Tensor;
use std::{cmp::Reverse, collections::BTreeMap};

const OP: &str = "ZeroRedundancyOptimizer";

/// An optimizer in which every rank has the states of its share of the parameters, like
/// `torch.distributed.optim.ZeroRedundancyOptimizer`. A step updates the share and copies it to the
/// other ranks. So Adam's moments need only a rank's part of the memory.
///
/// The gradients must be equal on all ranks, as after a backward pass of
/// [`DistributedDataParallel`](crate::DistributedDataParallel).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::distributed::{Backend, InitOptions, destroy_process_group, init_process_group};
/// use lanthorn::distributed::ZeroRedundancyOptimizer;
/// use lanthorn::optim::{Adam, AdamOptions};
/// use lanthorn::Tensor;
/// # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
/// # let group = init_process_group(Backend::Tcp, options)?;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let make = |share| Adam::new(share, AdamOptions { lr: 0.25, ..Default::default() });
/// let optimizer = ZeroRedundancyOptimizer::new(vec![w.clone()], &group, make)?;
/// w.square()?.backward()?;
/// optimizer.step()?;
/// assert!((pollster::block_on(w.item())? - 0.75).abs() < 1e-6);
/// destroy_process_group()?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ZeroRedundancyOptimizer {
    group: ProcessGroup,
    parameters: Vec<Tensor>,
    /// The rank of each parameter.
    owners: Vec<usize>,
    /// The parameters of each rank.
    shares: Vec<Vec<Tensor>>,
    /// `None` on a rank without parameters.
    local: Option<Optimizer>,
}

/// Assigns parameters to ranks: the largest first, each to the rank with the fewest elements so
/// far.
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
    /// Divides `parameters`, which must be equal on all ranks. `make` creates the optimizer of this
    /// rank's share. It is not called on a rank without parameters, if there are fewer parameters
    /// than ranks.
    ///
    /// # Errors
    ///
    /// `argument` if there are no parameters; `distributed`, on all ranks, if the parameters differ
    /// in number, shape or type; the errors of `make`.
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
        Ok(ZeroRedundancyOptimizer { group: group.clone(), parameters, owners, shares, local })
    }

    /// Returns the optimizer of this rank's share, with its groups, options and states, for example
    /// for a schedule. Returns `None` on a rank without parameters.
    pub fn local(&self) -> Option<&Optimizer> {
        self.local.as_ref()
    }

    /// Returns the parameters of a rank's share in order.
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
    /// The errors of the optimizer's step; `distributed` as in [`Work::wait`](crate::Work::wait).
    pub fn step(&self) -> Result<()> {
        if let Some(local) = &self.local {
            local.step().inspect_err(|error| self.group.fail(error))?;
        }
        let copies = self.shares.iter().enumerate().filter(|(_, share)| !share.is_empty());
        let copies = copies.map(|(rank, share)| broadcast_tensors(&self.group, share.clone(), rank));
        copies.collect::<Result<Vec<_>>>()?.into_iter().try_for_each(|copy| copy.wait())
    }

    /// Clears the gradients of all parameters, including those on other ranks' shares.
    ///
    /// # Errors
    ///
    /// The caller cannot cause an error.
    pub fn zero_grad(&self) -> Result<()> {
        self.parameters.iter().try_for_each(|parameter| parameter.set_grad(None))
    }

    /// Sets the learning rate of this rank's share. All ranks must call it.
    ///
    /// # Errors
    ///
    /// `argument` if the learning rate is out of range.
    pub fn set_learning_rate(&self, lr: f64) -> Result<()> {
        self.local.as_ref().map_or(Ok(()), |local| local.set_learning_rate(lr))
    }

    /// Returns the indices of a rank's parameters among all.
    fn positions(&self, rank: usize) -> impl Iterator<Item = usize> {
        let owned = self.owners.iter().enumerate().filter(move |(_, owner)| **owner == rank);
        owned.map(|(position, _)| position)
    }

    /// Collects the states of all ranks on rank `to`, like PyTorch's `consolidate_state_dict` and
    /// `state_dict`. The result is the state of one optimizer of all parameters in one group. The
    /// other ranks receive none.
    ///
    /// # Errors
    ///
    /// `argument` if there is no rank `to`, or the share's optimizer has several groups;
    /// `distributed` as in [`Work::wait`](crate::Work::wait).
    pub fn consolidate_state_dict(&self, to: usize) -> Result<Option<OptimizerState>> {
        const OP: &str = "consolidate_state_dict";
        self.share(to)?;
        let own = self.local.as_ref().map(Optimizer::state_dict).transpose()?;
        let groups = own.as_ref().map_or(1, |own| own.param_groups.len());
        if groups != 1 {
            let message =
                format!("the optimizer of a share has {groups} groups; the whole one would have other groups");
            return Err(Error::argument(OP, message));
        }
        let mut own_states = own.as_ref().map(|own| own.state.clone()).unwrap_or_default();
        let count = self.shares[self.group.rank()].len();
        let states = (0..count).map(|position| own_states.remove(&position).unwrap_or_default()).collect();
        let bytes = state::write(&states)?;
        let lengths = all_gather_bytes(&self.group, &(bytes.len() as u64).to_le_bytes())?;
        let transport = self.group.transport(OP)?;
        /// A tag that programs are unlikely to use.
        const TAG: u32 = 32_011;
        if self.group.rank() != to {
            if count > 0 {
                transport.send(to, TAG, DType::U8, bytes)?().inspect_err(self.group.breaker())?;
            }
            return Ok(None);
        }
        let mut all = BTreeMap::new();
        for (rank, length) in lengths.iter().enumerate().filter(|(rank, _)| !self.shares[*rank].is_empty()) {
            let length = length.as_chunks().0.first().map_or(0, |length| u64::from_le_bytes(*length)) as usize;
            let received = match rank == to {
                true => bytes.clone(),
                false => transport.recv(rank, TAG, DType::U8, length).inspect_err(self.group.breaker())?,
            };
            let states = state::read(&received, self.parameters[0].device())?;
            let named = self.positions(rank).zip(states).filter(|(_, entries)| !entries.is_empty());
            all.extend(named);
        }
        let options = own.and_then(|own| own.param_groups.into_iter().next()).map(|group| group.options);
        let params = (0..self.parameters.len()).collect();
        let param_groups = vec![GroupState { options: options.unwrap_or_default(), params }];
        Ok(Some(OptimizerState { state: all, param_groups }))
    }

    /// Loads this rank's share from the state of an optimizer of all parameters in one group. Every
    /// rank passes the same state.
    ///
    /// # Errors
    ///
    /// `argument` if it has another number of parameters; the errors of
    /// [`Optimizer::load_state_dict`](lanthorn_optim::Optimizer::load_state_dict).
    pub fn load_state_dict(&self, given: &OptimizerState) -> Result<()> {
        let [group] = &given.param_groups[..] else {
            let message = format!("the state has {} groups, and one is needed", given.param_groups.len());
            return Err(Error::argument("load_state_dict", message));
        };
        if group.params.len() != self.parameters.len() {
            let (theirs, own) = (group.params.len(), self.parameters.len());
            let message = format!("the state is of {theirs} parameters, the optimizer has {own}");
            return Err(Error::argument("load_state_dict", message));
        }
        let Some(local) = &self.local else { return Ok(()) };
        let own = self.positions(self.group.rank()).enumerate();
        let state =
            own.filter_map(|(index, position)| Some((index, given.state.get(&group.params[position])?.clone())));
        let params = (0..self.shares[self.group.rank()].len()).collect();
        let param_groups = vec![GroupState { options: group.options.clone(), params }];
        pollster::block_on(local.load_state_dict(&OptimizerState { state: state.collect(), param_groups }))
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
