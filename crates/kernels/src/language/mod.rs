//! The languages that kernels are generated in.
//!
//! [`Dialect`] is everything that depends on the language: type names, constants, scalar functions,
//! elements in memory, declarations. It has two implementations, [`Wgsl`] and [`Cuda`], and
//! [`Language`] names one of them and forwards to it. Most generated text is the same in both: the
//! generators write WGSL, and a header defines its words for C++ (`shaders/common/words.cuh`).
//! [`program`] prints the scalar part of a kernel.
//!
//! Rejected: a printer per kernel kind or per language. The scalar part is the same in all kernels,
//! and it is where numerical errors arise.

#[cfg(feature = "cuda")]
mod cuda;
mod function;
mod program;
mod wgsl;

pub(crate) use program::{Names, print};

#[cfg(feature = "cuda")]
use cuda::Cuda;
use lanthorn_ir::{
    DType, Result,
    expr::{BinaryOp, Constant, Program, Type, UnaryOp},
};
use std::collections::BTreeSet;
use wgsl::Wgsl;

/// A language that kernels are generated in.
///
/// In all of them a value of [`Type::U8`] is a `u32` below 256, masked after each operation that
/// may leave that range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// WebGPU's shading language.
    #[default]
    Wgsl,
    /// WGSL with the extension `f16`: float16 takes two bytes in memory. It is still computed in
    /// float32.
    WgslF16,
    /// CUDA C++, as NVRTC compiles it.
    #[cfg(feature = "cuda")]
    Cuda,
}

impl Language {
    /// Whether this is CUDA C++. Without the feature `cuda` it never is, and the compiler removes
    /// all code that only CUDA needs.
    #[inline(always)]
    pub const fn is_cuda(self) -> bool {
        #[cfg(feature = "cuda")]
        {
            matches!(self, Language::Cuda)
        }
        #[cfg(not(feature = "cuda"))]
        {
            false
        }
    }

    /// The first value for WGSL, the second for CUDA.
    #[inline(always)]
    pub(crate) fn pick<T>(self, wgsl: T, cuda: T) -> T {
        if self.is_cuda() { cuda } else { wgsl }
    }
}

/// Declares the trait, and implements it for [`Language`] by forwarding each method.
macro_rules! dialect {
    ($(#[$trait_doc:meta])* trait $trait:ident { $($(#[$doc:meta])* fn $method:ident(self $(, $argument:ident: $ty:ty)*) -> $result:ty;)* }) => {
        $(#[$trait_doc])*
        pub(crate) trait $trait: Copy {
            $($(#[$doc])* fn $method(self $(, $argument: $ty)*) -> $result;)*
        }

        impl $trait for Language {
            $(
                #[inline]
                fn $method(self $(, $argument: $ty)*) -> $result {
                    match self {
                        Language::Wgsl | Language::WgslF16 => Wgsl { f16: self == Language::WgslF16 }.$method($($argument),*),
                        #[cfg(feature = "cuda")]
                        Language::Cuda => Cuda.$method($($argument),*),
                    }
                }
            )*
        }
    };
}

dialect! {
    /// The parts of a kernel's text that depend on the language. A method that may call a function
    /// of `shaders/common` adds its name to `functions`.
    trait Dialect {
        /// The name of a type.
        ///
        /// # Errors
        /// A dtype error for a type that the language does not have.
        fn type_name(self, ty: Type) -> Result<&'static str>;

        /// The declaration of an immutable value, up to its `=`.
        fn declare(self, ty: Type, name: &str) -> Result<String>;

        /// A constant that parses back to the same bits. `zero` names a `u32` that is 0 at run time
        /// and unknown at compile time.
        fn constant(self, constant: Constant, zero: &str) -> Result<String>;

        /// A float32 zero of either sign as a factor, where `value` is its name: in a form that the
        /// compiler may not fold, because a product with NaN or infinity is not 0.
        fn zero_factor(self, bits: u32, zero: &str, value: String) -> String;

        /// Converts a value by PyTorch's rules for `to`. Where those are undefined, the result
        /// equals the CPU backend's: float to int32 saturates, float to a narrower or unsigned type
        /// wraps, and NaN becomes 0.
        ///
        /// # Errors
        /// A dtype error for a type that the language does not have.
        fn convert(self, from: Type, to: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String>;

        /// A function of one value.
        ///
        /// # Errors
        /// A dtype error for a type that the language does not have, or that has no such function.
        fn unary(self, op: UnaryOp, ty: Type, a: &str, functions: &mut BTreeSet<String>) -> Result<String>;

        /// A function of two values.
        ///
        /// # Errors
        /// The errors of [`Dialect::unary`].
        fn binary(self, op: BinaryOp, ty: Type, a: &str, b: &str, functions: &mut BTreeSet<String>) -> Result<String>;

        /// The type of an element in registers, and in memory unless it is
        /// [packed](Dialect::elements_per_word) there. A packed element is a `u32` with the element's bits.
        fn element(self, dtype: DType) -> Result<&'static str>;

        /// The number of elements that share a 32-bit word of memory. `None` if the language has a
        /// storage type of the element's size.
        fn elements_per_word(self, dtype: DType) -> Option<usize>;

        /// The type in which kernels move elements unchanged: an unsigned integer of their size.
        fn word_type(self, dtype: DType) -> Result<&'static str>;

        /// An element of a buffer as a value of its expression type.
        fn value(self, dtype: DType, element: &str) -> String;

        /// A value as an element.
        fn to_element(self, dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<String>) -> Result<String>;

        /// Output `output` of a program as an element. The value is rounded to a half type unless
        /// the program rounds it.
        fn output(self, dtype: DType, program: &Program, output: usize, value: &(String, Type), functions: &mut BTreeSet<String>) -> Result<String>;

        /// A floating-point value if a condition holds, otherwise 0, even if the value is NaN or
        /// infinite.
        fn within(self, ty: Type, condition: &str, value: &str, functions: &mut BTreeSet<String>) -> String;

        /// The definition of a structure.
        fn structure(self, name: &str, members: &[(&str, &str)]) -> String;

        /// A value of a structure.
        fn construct(self, name: &str, members: &[&str]) -> String;

        /// The definition of a function of two values `a` and `b` of a type, which returns that
        /// type.
        fn combination(self, name: &str, ty: &str, body: &str) -> String;
    }
}

/// The number of 32-bit words that a value takes.
pub(crate) fn word_count(ty: Type) -> usize {
    if matches!(ty, Type::I64 | Type::F64) { 2 } else { 1 }
}

/// A 32-bit word as a value of a type of that size.
pub(crate) fn from_word(ty: Type, word: &str) -> String {
    match ty {
        Type::Bool => format!("({word} != 0u)"),
        Type::F32 => format!("bitcast<f32>({word})"),
        Type::I32 => format!("bitcast<i32>({word})"),
        _ => word.to_string(),
    }
}

/// A value of a 32-bit type as a word.
pub(crate) fn to_word(ty: Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("select(0u, 1u, {value})"),
        Type::F32 | Type::I32 => format!("bitcast<u32>({value})"),
        _ => value.to_string(),
    }
}
