//! Modules, losses and initializers, with `torch.nn`'s names, defaults and parameter names.
//!
//! A [`Module`] has named parameters, buffers and child modules; a [`Layer`] is a module that maps
//! one tensor to one tensor. Built-in modules are declared once, in a table ([`table`]) with
//! schemas like the schemas of ops, from which JavaScript's classes are printed. Most of them call
//! an op with the arguments of their constructor ([`Functional`]). `#[derive(Module)]` makes a
//! module from a struct of other modules.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

// The derive macro writes paths as its users see them.
extern crate self as lanthorn;
#[doc(hidden)]
pub mod nn {
    pub use crate::{Buffer, Layer, Module, Parameter, derive};
}

#[doc(hidden)]
pub mod derive;
mod functional;
mod hooked;
pub mod init;
mod mode;
mod module;
mod modules;
mod parametrize;
mod print;
pub mod quantization;
mod state;
mod summary;
pub mod table;
pub mod utils;
mod var_builder;

pub use functional::Functional;
pub use hooked::{BackwardHook, BackwardPreHook, ForwardHook, ForwardPreHook, Hooked};
/// Makes a struct a [`Module`](trait@Module).
pub use lanthorn_macros::Module;
pub use mode::TrainingFlag;
pub use module::{Buffer, Layer, Module, Parameter, UNARY, buffer, call, parameter, signature};
pub use modules::{
    activation::*,
    attention::{MultiheadAttention, MultiheadAttentionBuilder},
    container::{ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential},
    convolution::{
        Conv, Conv1d, Conv2d, Conv3d, ConvBuilder, ConvTranspose, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d,
        ConvTransposeBuilder,
    },
    dropout::{
        AlphaDropout, AlphaDropoutBuilder, Dropout, Dropout1d, Dropout1dBuilder, Dropout2d, Dropout2dBuilder,
        Dropout3d, Dropout3dBuilder, DropoutBuilder, FeatureAlphaDropout, FeatureAlphaDropoutBuilder,
    },
    embedding::{Embedding, EmbeddingBag, EmbeddingBagBuilder, EmbeddingBuilder},
    linear::{Bilinear, BilinearBuilder, Linear, LinearBuilder},
    loss::*,
    normalization::{
        BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d, BatchNormBuilder, GroupNorm, GroupNormBuilder, InstanceNorm,
        InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, InstanceNormBuilder, LayerNorm, LayerNormBuilder,
        LocalResponseNorm, LocalResponseNormBuilder, RMSNorm, RMSNormBuilder,
    },
    padding::*,
    pooling::*,
    recurrent::{
        Elman, GRU, GRUCell, Gated, LSTM, LSTMCell, LongShortTerm, Nonlinearity, RNN, RNNCell, Recurrence, Recurrent,
        RecurrentBuilder, RecurrentCell, RecurrentCellBuilder,
    },
    shape::*,
    transformer::{
        Activation, Transformer, TransformerBuilder, TransformerDecoder, TransformerDecoderLayer,
        TransformerDecoderLayerBuilder, TransformerEncoder, TransformerEncoderLayer, TransformerEncoderLayerBuilder,
    },
};
pub use parametrize::{
    DirectionAndLength, FakeQuantized, FakeWeight, HookNamed, HookNames, Orthogonal, OrthogonalMap, OrthogonalWeight,
    ParameterMap, Parametrization, ParametrizationList, Parametrized, Quantized, QuantizedLayer, QuantizedWeight,
    Spectral, SpectralNorm, WeightNorm, is_parametrized, register_parametrization, remove_parametrizations,
};
pub use state::{Mismatch, StateDict, load_matching, load_state_dict, state_dict};
pub use summary::{Summary, SummaryRow, summary};
pub use var_builder::{Var, VarBuilder};
