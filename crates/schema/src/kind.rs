//! The kinds of dynamic arguments, and the table of the kinds that each type of parameter accepts.
//!
//! This is the only table for dynamically typed arguments: `lanthorn_call` checks arguments and
//! resolves overloads with it. A kind is also the tag of an encoded argument, which the bindings
//! print for JavaScript. Rejected: resolving overloads in TypeScript, by a second table.

use crate::{Param, ParamType};

/// The kind of a dynamic argument. Its number is the tag of an argument that JavaScript encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ArgKind {
    /// Not given.
    Missing,
    /// `None`, given explicitly.
    Null,
    /// A tensor.
    Tensor,
    /// Tensors, at least one.
    Tensors,
    /// Tensors, at least one, and `None`.
    OptionalTensors,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A number that is not an integer.
    Float,
    /// Integers, at least one.
    Ints,
    /// Numbers, at least one of them not an integer.
    Floats,
    /// Integers, at least one, and `None`.
    PartialInts,
    /// An empty list.
    Empty,
    /// A list of `None` only.
    Nulls,
    /// A string.
    Str,
    /// A module.
    Module,
    /// An element type.
    DType,
    /// A device.
    Device,
    /// An array of the caller's language, of which the caller can make a tensor.
    Array,
    /// Any other value of the caller's language. No parameter accepts it.
    Foreign,
}

use ArgKind as K;

impl ArgKind {
    /// Every kind, in the order of the numbers.
    pub const ALL: [ArgKind; 19] = [
        K::Missing,
        K::Null,
        K::Tensor,
        K::Tensors,
        K::OptionalTensors,
        K::Bool,
        K::Int,
        K::Float,
        K::Ints,
        K::Floats,
        K::PartialInts,
        K::Empty,
        K::Nulls,
        K::Str,
        K::Module,
        K::DType,
        K::Device,
        K::Array,
        K::Foreign,
    ];
}

/// A set of kinds: those that a parameter accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindSet(u32);

impl KindSet {
    const fn of(kinds: &[ArgKind]) -> KindSet {
        let (mut bits, mut index) = (0, 0);
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u32;
            index += 1;
        }
        KindSet(bits)
    }

    const fn and(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }

    /// Whether a kind is in the set.
    pub const fn contains(self, kind: ArgKind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }

    /// The set as a number in which bit `k` represents the kind with number `k`.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// A single integer counts as a list of one.
const INTS: KindSet = KindSet::of(&[K::Int, K::Ints, K::Empty]);
const FLOATS: KindSet = INTS.and(KindSet::of(&[K::Float, K::Floats]));
const PARTIAL: KindSet = KindSet::of(&[K::PartialInts, K::Nulls]);
const TENSORS: KindSet = KindSet::of(&[K::Tensors, K::Empty]);
const SCALAR: KindSet = KindSet::of(&[K::Bool, K::Int, K::Float]);
const NULL: KindSet = KindSet::of(&[K::Null]);
const MISSING: KindSet = KindSet::of(&[K::Missing, K::Null]);

impl ParamType {
    /// The kinds of arguments that a parameter of this type takes.
    ///
    /// ```
    /// use lanthorn_schema::{ArgKind, ParamType};
    /// assert!(ParamType::Ints.kinds().contains(ArgKind::Int));
    /// assert!(!ParamType::Ints.kinds().contains(ArgKind::Float));
    /// ```
    pub const fn kinds(self) -> KindSet {
        match self {
            ParamType::Tensor => KindSet::of(&[K::Tensor]),
            ParamType::OptionalTensor => ParamType::Tensor.kinds().and(NULL),
            ParamType::TensorOrScalar => ParamType::Tensor.kinds().and(SCALAR),
            ParamType::TensorOrInts => ParamType::Tensor.kinds().and(INTS),
            ParamType::Tensors => TENSORS,
            ParamType::OptionalTensorList => TENSORS.and(NULL),
            ParamType::OptionalTensors => TENSORS.and(KindSet::of(&[K::OptionalTensors, K::Nulls])),
            ParamType::Scalar => SCALAR,
            ParamType::OptionalScalar => SCALAR.and(NULL),
            ParamType::Int => KindSet::of(&[K::Int]),
            ParamType::OptionalInt => ParamType::Int.kinds().and(NULL),
            ParamType::Ints => INTS,
            ParamType::OptionalInts => INTS.and(NULL),
            ParamType::PartialInts => INTS.and(PARTIAL),
            ParamType::IntsOrStr => INTS.and(ParamType::Str.kinds()),
            ParamType::Float => KindSet::of(&[K::Int, K::Float]),
            ParamType::OptionalFloat => ParamType::Float.kinds().and(NULL),
            ParamType::Floats => FLOATS,
            ParamType::OptionalFloats => FLOATS.and(NULL),
            ParamType::PartialFloats => FLOATS.and(PARTIAL),
            ParamType::Bool => KindSet::of(&[K::Bool]),
            ParamType::OptionalBool => ParamType::Bool.kinds().and(NULL),
            ParamType::Str => KindSet::of(&[K::Str]),
            ParamType::OptionalStr => ParamType::Str.kinds().and(NULL),
            ParamType::DType => KindSet::of(&[K::Str, K::DType]),
            ParamType::OptionalDType => ParamType::DType.kinds().and(NULL),
            ParamType::OptionalDevice => KindSet::of(&[K::Device]).and(NULL),
            ParamType::Module => KindSet::of(&[K::Module]),
            ParamType::OptionalModule => ParamType::Module.kinds().and(NULL),
            ParamType::ModuleOrStr => ParamType::Module.kinds().and(ParamType::Str.kinds()),
        }
    }
}

impl Param {
    /// The kinds of arguments that a call may pass: the kinds of the type, and a missing argument
    /// if there is a default.
    pub const fn kinds(&self) -> KindSet {
        let kinds = self.ty.kinds();
        if self.default.is_some() { kinds.and(MISSING) } else { kinds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, TYPES};

    #[test]
    fn a_kind_stands_at_its_number() {
        for (number, kind) in ArgKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }

    #[test]
    fn a_type_takes_null_where_it_is_optional_and_always_something_else() {
        for (name, ty) in TYPES {
            assert_eq!(ty.kinds().contains(K::Null), ty.is_optional(), "{name}");
            assert!(!ty.kinds().contains(K::Missing), "{name}");
            assert!(ty.kinds() != NULL && ty.kinds() != KindSet::default(), "{name}");
        }
    }

    #[test]
    fn an_argument_with_a_default_may_be_left_out() {
        let schema = Schema::parse("sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor").unwrap();
        let missing = schema.params.iter().map(|param| param.kinds().contains(K::Missing));
        assert_eq!(missing.collect::<Vec<_>>(), [false, true, true]);
        assert!(schema.params[2].kinds().contains(K::Null) && !schema.params[2].kinds().contains(K::Int));
    }
}
