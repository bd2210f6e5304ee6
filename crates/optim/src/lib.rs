//! Optimizers, with `torch.optim`'s names, defaults and arithmetic.
//!
//! An optimizer is declared once ([`table`]): its options with their defaults and documentation,
//! and a small rule that updates one parameter. Parameter groups, `state_dict`, JavaScript's
//! classes and the reference are derived from that. A rule is written in tensor ops under
//! `no_grad`, so that a whole step is fused. Every number that changes from step to step (the
//! learning rate, Adam's bias corrections) is data of the recorded kernels, never part of a kernel.
//!
//! Rejected: a type per optimizer with fields for its state. The same loops over parameters would
//! be written fourteen times, and nothing could be read by name.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod averaged;
pub mod clip;
mod group;
mod lbfgs;
mod manual;
mod optimizer;
mod options;
mod rules;
pub mod scaler;
pub mod schedule;
mod state;
mod state_dict;
pub mod table;

pub use averaged::AveragedModel;
pub use clip::{clip_finite_grad_norm_, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm};
pub use lbfgs::{Lbfgs, LbfgsOptions, LineSearch};
pub use optimizer::{Optimizer, ParameterGroup};
pub use rules::*;
pub use scaler::{GradScaler, GradScalerOptions};
pub use schedule::Scheduler;
pub use state_dict::{GroupState, OptimizerState, StateValue};
