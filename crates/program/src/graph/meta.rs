//! Types and sizes of values that are known before a program runs: PyTorch's `meta["val"]`.

use super::Size;
use lanthorn_io::DType;

/// The description of a value of a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Meta {
    /// A tensor.
    Tensor(TensorMeta),
    /// An integer, such as a size.
    Int(Size),
    /// A float.
    Float(Symbolic<f64>),
    /// A truth value.
    Bool(Symbolic<bool>),
}

/// The element type and the layout of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMeta {
    /// The element type.
    pub dtype: DType,
    /// The sizes.
    pub sizes: Vec<Size>,
    /// The strides in elements, as many as sizes.
    pub strides: Vec<Size>,
    /// Whether gradients flow through it.
    pub requires_grad: bool,
}

/// A number or an expression of symbols.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbolic<T> {
    /// A number.
    Value(T),
    /// An expression of symbols.
    Expression {
        /// sympy's `srepr`: `Eq(Symbol('u0', integer=True), Integer(1))`.
        sympy: String,
        /// Its value in the exported example.
        hint: Option<T>,
    },
}

impl TensorMeta {
    /// A contiguous tensor.
    pub fn contiguous(dtype: DType, sizes: Vec<Size>, requires_grad: bool) -> TensorMeta {
        let mut strides = Vec::with_capacity(sizes.len());
        let mut stride = Size::Int(1);
        for size in sizes.iter().rev() {
            strides.push(stride.clone());
            // A dimension of size 0 counts as size 1 in strides.
            if *size != Size::Int(0) {
                stride = stride.times(size.clone());
            }
        }
        strides.reverse();
        TensorMeta { dtype, sizes, strides, requires_grad }
    }
}

impl From<TensorMeta> for Meta {
    fn from(meta: TensorMeta) -> Meta {
        Meta::Tensor(meta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contiguous_tensor_has_the_products_of_its_sizes_as_strides() {
        let symbol = || Size::Symbol("s0".to_string());
        let meta = TensorMeta::contiguous(DType::F32, vec![Size::Int(2), symbol(), Size::Int(3), Size::Int(4)], false);
        let strides: Vec<String> = meta.strides.iter().map(Size::to_string).collect();
        assert_eq!(strides, ["12*s0", "12", "4", "1"]);
    }
}
