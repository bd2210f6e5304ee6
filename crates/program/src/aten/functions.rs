//! The operators that are not one call of the table.

use super::Args;
use crate::{Dispatch, Error, Result, Value};

macro_rules! functions {
    ($($name:ident: $module:ident;)*) => {
        /// The names of the functions.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name),)*];

        /// Runs a function by its name.
        pub(super) async fn run<D: Dispatch>(
            name: &str,
            dispatch: &D,
            args: Args<D::Tensor>,
        ) -> Result<Value<D::Tensor>> {
            match name {
                $(stringify!($name) => Box::pin($module::$name(dispatch, args)).await,)*
                _ => Err(Error::MissingOperators(vec![name.to_string()])),
            }
        }
    };
}

functions! {
    identity: bookkeeping;
}

mod bookkeeping;
