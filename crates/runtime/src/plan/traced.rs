//! The kernels of a graph during planning, with numbers that record how they were computed.
//!
//! Every pass uses these types instead of the types with `usize`. A decision of a pass that
//! compares sizes is then a condition of the plan, and a number computed from sizes can be computed
//! again.

#[cfg(test)]
use lanthorn_ir::number::Convert;
pub(super) use lanthorn_ir::number::Traced;

pub(crate) type AffineIndex = lanthorn_ir::kernel::AffineIndex<Traced>;
pub(crate) type BoundedIndex = lanthorn_ir::kernel::BoundedIndex<Traced>;
pub(crate) type Contract = lanthorn_ir::kernel::Contract<Traced>;
pub(crate) type Copy = lanthorn_ir::kernel::Copy<Traced>;
pub(crate) type Epilogue = lanthorn_ir::kernel::Epilogue<Traced>;
pub(crate) type FusedReduction = lanthorn_ir::kernel::FusedReduction<Traced>;
pub(crate) type Kernel = lanthorn_ir::Kernel<Traced>;
pub(crate) type Layout = lanthorn_ir::Layout<Traced>;
pub(crate) type Map = lanthorn_ir::kernel::Map<Traced>;
pub(crate) type Operand = lanthorn_ir::kernel::Operand<Traced>;
pub(crate) type Pointwise = lanthorn_ir::kernel::Pointwise<Traced>;
pub(crate) type Prologue = lanthorn_ir::kernel::Prologue<Traced>;
pub(crate) type Reduce = lanthorn_ir::kernel::Reduce<Traced>;
pub(crate) type Scan = lanthorn_ir::kernel::Scan<Traced>;
pub(crate) type Shape = lanthorn_ir::Shape<Traced>;

/// Converts numbers to constants and back.
#[cfg(test)]
pub(crate) struct Constants;

#[cfg(test)]
impl Convert<usize, Traced> for Constants {
    fn number(&mut self, number: usize) -> Traced {
        number.into()
    }

    fn to_signed(&mut self, number: isize) -> Traced {
        number.into()
    }
}

#[cfg(test)]
impl Convert<Traced, usize> for Constants {
    fn number(&mut self, number: Traced) -> usize {
        number.value() as usize
    }

    fn to_signed(&mut self, number: Traced) -> isize {
        number.value() as isize
    }
}
