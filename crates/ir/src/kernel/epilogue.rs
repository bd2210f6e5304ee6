//! The pointwise tail of a reduction or product.

use super::{Operand, operand::convert_all};
use crate::{
    DType, Shape,
    expr::{Expr, Program, Type},
    number::{Convert, Number},
};

/// A map that is applied to each element of a result before it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Epilogue<N: Number = usize> {
    /// The operands of input slots 1.., over the shape of the result; slot 0 is the result itself.
    /// Their buffers follow the kernel's other inputs.
    pub inputs: Vec<Operand<N>>,
    /// The expressions, one output per entry of `dtypes`; each is converted to that type when
    /// stored.
    pub program: Program,
    /// The element types of the kernel's outputs, all of which have the shape of the result.
    pub dtypes: Vec<DType>,
}

impl<N: Number> Epilogue<N> {
    /// The epilogue that stores a result of type `ty`, converted to `dtype`.
    pub fn store(ty: Type, dtype: DType) -> Epilogue<N> {
        Epilogue { inputs: vec![], program: Program::new(&[Expr::input(0, ty).stored(dtype)]), dtypes: vec![dtype] }
    }

    /// The epilogue with numbers of another type. `shape` is the converted shape of the result.
    pub fn convert<M: Number>(&self, shape: &Shape<M>, convert: &mut dyn Convert<N, M>) -> Epilogue<M> {
        let inputs = convert_all(&self.inputs, shape, convert);
        Epilogue { inputs, program: self.program.clone(), dtypes: self.dtypes.clone() }
    }

    /// The line of a listing, unless the epilogue only stores the result.
    pub(super) fn listing(&self) -> Option<String> {
        (self.program.instructions.len() > 1).then(|| format!("then {}", self.program))
    }
}
