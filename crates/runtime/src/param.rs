//! Launch parameters, and the symbols that a replay binds to new values.

use lanthorn_ir::expr::{Constant, Type};

/// A host number that may change when a [`Recording`](crate::Recording) is replayed, such as a
/// learning rate. The caller of the recording defines the meaning of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

/// A launch parameter: its value, and the symbol that has this value, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value.
    pub value: Constant,
    /// The symbol that has this value.
    pub symbol: Option<Symbol>,
}

impl Param {
    /// The parameter's type.
    pub fn ty(&self) -> Type {
        self.value.ty()
    }
}

impl From<Constant> for Param {
    fn from(value: Constant) -> Param {
        Param { value, symbol: None }
    }
}
