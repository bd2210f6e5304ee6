//! The optimizers whose step depends on gradients only: one file each, with options and rule.

pub(crate) mod adadelta;
pub(crate) mod adafactor;
pub(crate) mod adagrad;
pub(crate) mod adam;
pub(crate) mod adamax;
pub(crate) mod asgd;
pub(crate) mod lion;
pub(crate) mod muon;
pub(crate) mod nadam;
pub(crate) mod radam;
pub(crate) mod rmsprop;
pub(crate) mod rprop;
pub(crate) mod sgd;

pub use adadelta::{Adadelta, AdadeltaOptions};
pub use adafactor::{Adafactor, AdafactorOptions};
pub use adagrad::{Adagrad, AdagradOptions};
pub use adam::{Adam, AdamOptions, AdamW, AdamWOptions};
pub use adamax::{Adamax, AdamaxOptions};
pub use asgd::{Asgd, AsgdOptions};
pub use lion::{Lion, LionOptions};
pub use muon::{Muon, MuonOptions, RateAdjustment};
pub use nadam::{NAdam, NAdamOptions};
pub use radam::{RAdam, RAdamOptions};
pub use rmsprop::{RmsProp, RmsPropOptions};
pub use rprop::{Rprop, RpropOptions};
pub use sgd::{Sgd, SgdOptions};
