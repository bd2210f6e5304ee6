//! Training on several processes, with the names of `torch.distributed`.
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
