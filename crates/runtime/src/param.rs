//! Launch parameters, and the symbols that a replay binds to new values.

use lanthorn_ir::expr::{Constant, Type};

/// A number of the host that may be another when a [`Recording`](crate::Recording) is replayed, such as
/// a learning rate: an index whose meaning the caller of the recording knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

/// A launch parameter: its value, and the symbol that it is the value of, if it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value.
    pub value: Constant,
    /// The symbol whose value it is.
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
