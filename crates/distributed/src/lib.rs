//! Training on several processes, with the names of `torch.distributed`: process groups and their
//! collectives, [`DistributedDataParallel`], [`ZeroRedundancyOptimizer`]. Native only.
//!
//! A program runs once for every rank: `torchrun --nproc-per-node 2 --no-python program`, or, with
//! the feature `mpi`, `mpirun -n 2 program`. [`init_process_group`] connects the ranks over one of
//! four [`Backend`]s. Each rank has the model, and a part of the batch:
//!
//! ```
//! use lanthorn::data::{BatchOrder, BatchSampler, DistributedSampler};
//! use lanthorn::distributed::{
//!     Backend, DdpOptions, DistributedDataParallel, InitOptions, destroy_process_group, init_process_group,
//! };
//! use lanthorn::nn::{Layer, Linear, Module};
//! use lanthorn::optim::{Sgd, SgdOptions};
//! use lanthorn::Tensor;
//!
//! # let device = lanthorn::cpu();
//! # let options = InitOptions { rank: Some(0), world_size: Some(1), ..Default::default() };
//! # /*
//! let options = InitOptions::default(); // RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
//! # */
//! let group = init_process_group(Backend::Tcp, options)?;
//! let model = DistributedDataParallel::new(Linear::new(2, 1)?, &group, DdpOptions::default())?;
//! let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.1, ..Default::default() })?;
//! let inputs = Tensor::randn([100, 2])?;
//! let targets = inputs.sum([1], true)?;
//! // Every rank takes its part of the same order.
//! let part = DistributedSampler::new(100, group.world_size(), group.rank())?;
//! let batches = BatchSampler::new(part, 10, true)?;
//! for epoch in 0..8 {
//!     for batch in batches.batches(1, epoch) {
//!         let batch: Vec<i32> = batch.into_iter().map(|index| index as i32).collect();
//!         let batch = Tensor::from_slice(&batch, [batch.len() as i64], &device)?;
//!         let error = model.forward(&inputs.index_select(0, &batch)?)?.sub(&targets.index_select(0, &batch)?)?;
//!         optimizer.zero_grad()?;
//!         error.square()?.mean((), false)?.backward()?; // Gradients are averaged over the ranks here.
//!         optimizer.step()?;
//!     }
//! }
//! let error = model.forward(&inputs)?.sub(&targets)?.square()?.mean((), false)?;
//! assert!(pollster::block_on(error.item())? < 0.01);
//! destroy_process_group()?;
//! # Ok::<(), lanthorn::Error>(())
//! ```
//!
//! Execution is lazy as everywhere in lanthorn. A collective reads its tensors, which runs their
//! recorded kernels. It blocks the host, so the crate is native only: a page cannot block.
//!
//! If a rank ends, hangs or makes a different call, the others receive an error of kind
//! `distributed` within [`InitOptions::timeout`]. `mpirun` ends all processes when one is killed.

mod collectives;
mod ddp;
mod group;
mod options;
mod reduce;
mod sync;
mod transport;
mod work;
mod zero;

pub use ddp::{DdpOptions, DistributedDataParallel};
pub use group::{
    ProcessGroup, destroy_process_group, init_process_group, is_initialized, process_group, rank, world_size,
};
pub use options::{Backend, InitOptions};
pub use reduce::ReduceOp;
pub use work::Work;
pub use zero::ZeroRedundancyOptimizer;
