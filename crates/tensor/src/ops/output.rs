//! The results of a dynamic call of an op.

use crate::{DType, Error, Result, Tensor};

/// The results of an op, whichever its schema says.
#[derive(Clone, Debug)]
pub enum Output {
    /// One tensor.
    Tensor(Tensor),
    /// Several tensors: a list, or one for each of the schema's results.
    Tensors(Vec<Tensor>),
    /// A list of whole numbers, as of `broadcast_shapes`.
    Ints(Vec<i64>),
    /// A truth value.
    Bool(bool),
    /// An element type.
    DType(DType),
}

impl Output {
    /// The one tensor that the op `name` returns; an error if it returns anything else.
    ///
    /// # Errors
    ///
    /// `argument` if the op returns anything else.
    pub fn into_tensor(self, name: &str) -> Result<Tensor> {
        match self {
            Output::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::argument(name, "does not give one tensor")),
        }
    }

    /// All tensors among the results.
    pub fn tensors(&self) -> &[Tensor] {
        match self {
            Output::Tensor(tensor) => std::slice::from_ref(tensor),
            Output::Tensors(tensors) => tensors,
            Output::Ints(_) | Output::Bool(_) | Output::DType(_) => &[],
        }
    }
}

impl From<Tensor> for Output {
    fn from(tensor: Tensor) -> Output {
        Output::Tensor(tensor)
    }
}

impl From<Vec<Tensor>> for Output {
    fn from(tensors: Vec<Tensor>) -> Output {
        Output::Tensors(tensors)
    }
}

impl From<(Tensor, Tensor)> for Output {
    fn from((a, b): (Tensor, Tensor)) -> Output {
        Output::Tensors(vec![a, b])
    }
}

impl From<(Tensor, Option<Tensor>)> for Output {
    fn from((first, second): (Tensor, Option<Tensor>)) -> Output {
        Output::Tensors([Some(first), second].into_iter().flatten().collect())
    }
}

impl From<(Tensor, Tensor, Tensor)> for Output {
    fn from((a, b, c): (Tensor, Tensor, Tensor)) -> Output {
        Output::Tensors(vec![a, b, c])
    }
}

impl From<(Tensor, Tensor, Tensor, Tensor)> for Output {
    fn from((a, b, c, d): (Tensor, Tensor, Tensor, Tensor)) -> Output {
        Output::Tensors(vec![a, b, c, d])
    }
}

impl From<Vec<i64>> for Output {
    fn from(values: Vec<i64>) -> Output {
        Output::Ints(values)
    }
}

impl From<bool> for Output {
    fn from(value: bool) -> Output {
        Output::Bool(value)
    }
}

impl From<DType> for Output {
    fn from(dtype: DType) -> Output {
        Output::DType(dtype)
    }
}
