//! Modules, losses and initializers, with `torch.nn`'s names, defaults and parameter names.
//!
//! A built-in module is declared once, in a table ([`table`]) with a schema as the ops have, from which JavaScript's classes are
//! printed. What has no tensors of its own beyond its parameters is a [`Module`]; what compares two tensors is a [`Loss`].

pub mod init;
mod module;
mod modules;
pub mod table;

pub use module::{Buffer, Loss, Module, Parameter, StateDict, load_state_dict, state_dict};
pub use modules::{
    activation::{GELU, LeakyReLU, LogSoftmax, ReLU, SiLU, Sigmoid, Softmax, Tanh},
    container::Sequential,
    convolution::{Conv, Conv1d, Conv2d, ConvOptions, ConvTranspose2d},
    dropout::Dropout,
    embedding::Embedding,
    linear::Linear,
    loss::{CrossEntropyLoss, FunctionalLoss, MSELoss},
    normalization::{BatchNorm, BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm},
    pooling::{AdaptiveAvgPool2d, AvgPool2d, MaxPool2d},
    shape::{Flatten, Identity},
};
