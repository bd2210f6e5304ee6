//! How kernels are written in each language: elements, words, declarations.
//!
//! What is generated is WGSL in most of its words, and a header gives them to C++ (`shaders/common/words.cuh`). Here is the rest.

use lanthorn_ir::{
    DType, Result,
    expr::{Instruction, Program, Type, UnaryOp},
    print::Language,
};
use std::collections::BTreeSet;

/// What a language of kernels says in its own way.
pub(crate) trait Dialect: Copy {
    /// One of two texts.
    fn pick<T>(self, wgsl: T, cuda: T) -> T;

    /// The type of an element in device memory.
    ///
    /// In WGSL it is a word for those that are [packed](Dialect::packed): the element's bits, as a thread has them in its hands. With the extension `f16` float16 is stored as such.
    fn element(self, dtype: DType) -> Result<&'static str>;

    /// How many elements of a type share a word of device memory, if they are packed: WGSL has no storage smaller than a word.
    fn packed(self, dtype: DType) -> Option<usize>;

    /// The type in which elements move as they are: words of their size.
    fn moved(self, dtype: DType) -> Result<&'static str>;

    /// An element of a buffer as a value of its expression type.
    fn value(self, dtype: DType, element: &str) -> String;

    /// A value as an element.
    fn stored(self, dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<String>) -> Result<String>;

    /// What a program gives for an output, as an element: rounded if the program does not do so itself.
    fn output(
        self,
        dtype: DType,
        program: &Program,
        output: usize,
        value: &(String, Type),
        functions: &mut BTreeSet<String>,
    ) -> Result<String>;

    /// A floating-point value where a condition holds, and 0 elsewhere, whatever the value is there.
    fn within(self, ty: Type, condition: &str, value: &str, functions: &mut BTreeSet<String>) -> String;

    /// How many words a value takes.
    fn words(self, ty: Type) -> usize;

    /// A structure's type.
    fn structure(self, name: &str, members: &[(&str, &str)]) -> String;

    /// A value of a structure's type.
    fn construct(self, name: &str, members: &[&str]) -> String;

    /// A function of two values of a type, which gives one of that type.
    fn combination(self, name: &str, ty: &str, body: &str) -> String;
}

impl Dialect for Language {
    // So that the other text is gone from a program that has one language.
    #[inline(always)]
    fn pick<T>(self, wgsl: T, cuda: T) -> T {
        if self.is_cuda() { cuda } else { wgsl }
    }

    fn element(self, dtype: DType) -> Result<&'static str> {
        let [wgsl, cuda] = match dtype {
            DType::Bool | DType::U8 => ["u32", "u8"],
            DType::F16 if self == Language::WgslF16 => ["f16", "f16"],
            DType::F16 => ["u32", "f16"],
            DType::BF16 => ["u32", "bf16"],
            _ => return self.type_name(Type::from(dtype)),
        };
        Ok(self.pick(wgsl, cuda))
    }

    // So that CUDA's half has no part in what a page loads.
    #[inline(always)]
    fn packed(self, dtype: DType) -> Option<usize> {
        let is_own = self.is_cuda() || (dtype == DType::F16 && self == Language::WgslF16);
        (dtype.size() < 4 && !is_own).then(|| 4 / dtype.size())
    }

    fn moved(self, dtype: DType) -> Result<&'static str> {
        self.element(dtype)?;
        let own = match dtype.size() {
            1 => "u8",
            2 => "u16",
            8 => "u64",
            _ => "u32",
        };
        Ok(match dtype {
            DType::F16 if self == Language::WgslF16 => "f16",
            _ => self.pick("u32", own),
        })
    }

    fn value(self, dtype: DType, element: &str) -> String {
        match dtype {
            DType::Bool => format!("({element} != 0u)"),
            DType::U8 if self.is_cuda() => format!("u32({element})"),
            DType::F16 | DType::BF16 if self.is_cuda() => format!("f32({element})"),
            DType::F16 if self == Language::WgslF16 => format!("f32({element})"),
            DType::F16 => format!("f16_value({element})"),
            DType::BF16 => format!("bitcast<f32>({element} << 16u)"),
            _ => element.to_string(),
        }
    }

    fn stored(self, dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<String>) -> Result<String> {
        let converted = self.convert(ty, Type::from(dtype), value, functions)?;
        Ok(match dtype {
            DType::Bool | DType::U8 | DType::F16 | DType::BF16 if self.is_cuda() => {
                format!("{}({converted})", self.element(dtype)?)
            }
            DType::Bool => format!("select(0u, 1u, {converted})"),
            DType::F16 if self == Language::WgslF16 => format!("f16({converted})"),
            DType::F16 => {
                functions.insert("f16_bits".to_string());
                format!("f16_bits({converted})")
            }
            DType::BF16 => format!("(bitcast<u32>({converted}) >> 16u)"),
            _ => converted,
        })
    }

    fn output(
        self,
        dtype: DType,
        program: &Program,
        output: usize,
        value: &(String, Type),
        functions: &mut BTreeSet<String>,
    ) -> Result<String> {
        let (value, ty) = value;
        let (round, function) = match dtype {
            DType::F16 => (UnaryOp::ToF16, "to_f16"),
            DType::BF16 => (UnaryOp::ToBF16, "to_bf16"),
            _ => return self.stored(dtype, value, *ty, functions),
        };
        let is_rounded = matches!(program.instructions[program.outputs[output]].0, Instruction::Unary(op, _) if op == round);
        // In CUDA storing rounds.
        if self.is_cuda() || is_rounded {
            return self.stored(dtype, value, *ty, functions);
        }
        let converted = self.convert(*ty, Type::F32, value, functions)?;
        functions.insert(function.to_string());
        self.stored(dtype, &format!("{function}({converted})"), Type::F32, functions)
    }

    fn within(self, ty: Type, condition: &str, value: &str, functions: &mut BTreeSet<String>) -> String {
        if self.is_cuda() {
            return format!("({condition} ? {value} : {}(0))", ty.name());
        }
        functions.insert("select_bits".to_string());
        format!("select_bits({value}, 0u, !({condition}))")
    }

    fn words(self, ty: Type) -> usize {
        if matches!(ty, Type::I64 | Type::F64) { 2 } else { 1 }
    }

    fn structure(self, name: &str, members: &[(&str, &str)]) -> String {
        let member = |(member, ty): &(&str, &str)| self.pick(format!("    {member}: {ty},\n"), format!("    {ty} {member};\n"));
        let members: String = members.iter().map(member).collect();
        format!("struct {name} {{\n{members}}}{}\n", self.pick("", ";"))
    }

    fn construct(self, name: &str, members: &[&str]) -> String {
        let members = members.join(", ");
        self.pick(format!("{name}({members})"), format!("{name}{{{members}}}"))
    }

    fn combination(self, name: &str, ty: &str, body: &str) -> String {
        let head = match self.is_cuda() {
            true => format!("__device__ inline {ty} {name}({ty} a, {ty} b)"),
            false => format!("fn {name}(a: {ty}, b: {ty}) -> {ty}"),
        };
        format!("{head} {{\n{body}\n}}\n")
    }
}

/// A word as a value of a type that has one.
pub(crate) fn from_word(ty: Type, word: &str) -> String {
    match ty {
        Type::Bool => format!("({word} != 0u)"),
        Type::F32 => format!("bitcast<f32>({word})"),
        Type::I32 => format!("bitcast<i32>({word})"),
        _ => word.to_string(),
    }
}

/// A value as a word.
pub(crate) fn to_word(ty: Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("select(0u, 1u, {value})"),
        Type::F32 | Type::I32 => format!("bitcast<u32>({value})"),
        _ => value.to_string(),
    }
}
