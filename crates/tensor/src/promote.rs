//! PyTorch's type promotion among tensors and numbers.
//!
//! An operand belongs to one of three ranks: tensors with dimensions, 0-d tensors, plain numbers. A
//! lower rank changes the result only if its category (bool, integral, floating) is above the
//! higher rank's; see "type promotion" in PyTorch's tensor attributes.

use crate::{Operand, default_dtype};
use lanthorn_ir::{Category, DType};

/// `torch.result_type` of any number of operands; at least one must be given.
pub(crate) fn result_type<'a>(operands: impl IntoIterator<Item = &'a Operand>) -> DType {
    let mut ranks: [Option<DType>; 3] = [None; 3];
    let mut alone: Option<DType> = None;
    for operand in operands {
        let (rank, dtype) = match operand {
            Operand::Tensor(tensor) => (usize::from(tensor.rank() == 0), tensor.dtype()),
            Operand::Scalar(scalar) => {
                let own = of_number(scalar.own_dtype());
                alone = Some(alone.map_or(own, |so_far| so_far.promote(own)));
                (2, of_number(scalar.dtype()))
            }
        };
        ranks[rank] = Some(ranks[rank].map_or(dtype, |so_far| so_far.promote(dtype)));
    }
    if let ([None, None, Some(_)], Some(alone)) = (ranks, alone) {
        return alone;
    }
    let result = ranks.into_iter().flatten().reduce(combine);
    result.expect("an op promotes at least one operand")
}

/// The type of a number, which is the default type where the number is a fraction.
pub(crate) fn of_number(dtype: DType) -> DType {
    if dtype.is_floating_point() { default_dtype() } else { dtype }
}

/// The rank that a rank and the rank below it are promoted to.
fn combine(higher: DType, lower: DType) -> DType {
    match (higher.category(), lower.category()) {
        (Category::Floating, _) => higher,
        (Category::Bool, _) | (_, Category::Floating) => higher.promote(lower),
        _ => higher,
    }
}
