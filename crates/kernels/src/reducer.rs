//! How a kernel combines values: the state of a reduction, and its functions.

use crate::{
    Builder, Dialect, Language,
    language::{from_word, to_word, word_count},
};
use lanthorn_ir::{
    Result,
    expr::{BinaryOp, Constant, Type},
    kernel::ReduceOp,
};

/// The op and value type of one reduction. Its names end in `suffix`, which is empty if the kernel
/// has one reduction only.
#[derive(Clone)]
pub(super) struct Reducer {
    pub(super) language: Language,
    pub(super) op: ReduceOp,
    pub(super) ty: Type,
    pub(super) suffix: String,
}

impl Reducer {
    /// The only reduction of a kernel.
    pub(super) fn new(language: Language, op: ReduceOp, ty: Type) -> Reducer {
        Reducer { language, op, ty, suffix: String::new() }
    }

    /// The number of words of a partial result in scratch memory.
    pub(super) fn state_words(&self) -> usize {
        // In C++ a structure with an 8-byte member pads the position to 8 bytes.
        word_count(self.ty) * if self.op.is_index() { 2 } else { 1 }
    }

    /// The type of a partial result: a value, or a value and its position.
    pub(super) fn state(&self) -> Result<String> {
        if self.op.is_index() {
            Ok(format!("State{}", self.suffix))
        } else {
            self.language.type_name(self.ty).map(str::to_string)
        }
    }

    /// The definitions of the state's type, if it is a structure, and of `combine`.
    pub(super) fn definitions(&self, builder: &mut Builder) -> Result<String> {
        let language = self.language;
        let (name, state, combine) = (language.type_name(self.ty)?, self.state()?, format!("combine{}", self.suffix));
        let op = match self.op {
            ReduceOp::Sum => BinaryOp::Add,
            ReduceOp::Prod => BinaryOp::Mul,
            ReduceOp::Max => BinaryOp::Max,
            ReduceOp::Min => BinaryOp::Min,
            ReduceOp::ArgMax => BinaryOp::Gt,
            ReduceOp::ArgMin => BinaryOp::Lt,
        };
        if !self.op.is_index() {
            let value = language.binary(op, self.ty, "a", "b", &mut builder.functions)?;
            return Ok(language.combination(&combine, name, &format!("    return {value};")));
        }
        let better = language.binary(op, self.ty, "b.value", "a.value", &mut builder.functions)?;
        let worse = language.binary(op, self.ty, "a.value", "b.value", &mut builder.functions)?;
        let (nan_a, nan_b) = if self.ty.is_float() {
            builder.functions.insert("is_nan".to_string());
            ("is_nan(a.value)", "is_nan(b.value)")
        } else {
            ("false", "false")
        };
        // The first of equal values wins, and a NaN wins over numbers. `nothing` has the largest
        // position and always loses.
        let body = format!(
            "    let nan_a = {nan_a};\n    let nan_b = {nan_b};\n    var second = ({better}) | (nan_b & !nan_a);\n    let first = ({worse}) | (nan_a & !nan_b);\n    second = second | (!first & (b.index < a.index));\n    second = (second | (a.index == 0xffffffffu)) & (b.index != 0xffffffffu);\n    if (second) {{\n        return b;\n    }}\n    return a;"
        );
        let structure = language.structure(&state, &[("value", name), ("index", "u32")]);
        Ok(format!("{structure}\n{}", language.combination(&combine, &state, &body)))
    }

    /// The state of an empty range. It is a kernel argument, because WGSL cannot express infinity.
    pub(super) fn nothing(&self, builder: &mut Builder) -> Result<String> {
        let lowest = matches!(self.op, ReduceOp::Max | ReduceOp::ArgMax);
        let constant = match self.op {
            ReduceOp::Sum => Constant::new(0.0, self.ty),
            ReduceOp::Prod => Constant::new(1.0, self.ty),
            _ => match self.ty {
                Type::Bool => Constant::Bool(!lowest),
                Type::U8 => Constant::U8(if lowest { 0 } else { u8::MAX }),
                Type::U32 => Constant::U32(if lowest { 0 } else { u32::MAX }),
                Type::I64 => Constant::I64(if lowest { i64::MIN } else { i64::MAX }),
                Type::I32 => Constant::I32(if lowest { i32::MIN } else { i32::MAX }),
                Type::F32 => Constant::F32((if lowest { f32::NEG_INFINITY } else { f32::INFINITY }).to_bits()),
                Type::F64 => Constant::F64((if lowest { f64::NEG_INFINITY } else { f64::INFINITY }).to_bits()),
            },
        };
        let value = builder.constant(constant);
        Ok(if self.op.is_index() { self.language.construct(&self.state()?, &[&value, "0xffffffffu"]) } else { value })
    }

    /// The state of one element at `position` of the reduced range.
    pub(super) fn element(&self, value: &str, position: &str) -> Result<String> {
        Ok(if self.op.is_index() {
            self.language.construct(&self.state()?, &[value, position])
        } else {
            value.to_string()
        })
    }

    /// Several states, combined in pairs.
    pub(super) fn combine_states(&self, states: &[String]) -> String {
        match states {
            [one] => one.clone(),
            _ => {
                let (left, right) = states.split_at(states.len() / 2);
                format!("combine{}({}, {})", self.suffix, self.combine_states(left), self.combine_states(right))
            }
        }
    }

    /// The result that a state holds at the end.
    pub(super) fn result(&self, state: &str) -> String {
        if self.op.is_index() { format!("bitcast<i32>({state}.index)") } else { state.to_string() }
    }

    /// Statements that store the state `total` at index `at` of the scratch memory.
    pub(super) fn store_partial(&self, scratch: &str, at: &str) -> String {
        if self.language.is_cuda() {
            return format!("store({scratch}, {at}, total);\n");
        }
        if self.op.is_index() {
            let value = to_word(self.ty, "total.value");
            format!("let at = ({at}) * 2u;\n{scratch}[at] = {value};\n{scratch}[at + 1u] = total.index;\n")
        } else {
            format!("{scratch}[{at}] = {};\n", to_word(self.ty, "total"))
        }
    }

    /// Statements that load the state at index `at` of the scratch memory as `element`.
    pub(super) fn load_partial(&self, scratch: &str, at: &str) -> Result<String> {
        if self.language.is_cuda() {
            return Ok(format!("let element = load<{}>({scratch}, {at});\n", self.state()?));
        }
        if self.op.is_index() {
            let value = from_word(self.ty, &format!("{scratch}[at]"));
            Ok(format!("let at = ({at}) * 2u;\nlet element = {}({value}, {scratch}[at + 1u]);\n", self.state()?))
        } else {
            Ok(format!("let element = {};\n", from_word(self.ty, &format!("{scratch}[{at}]"))))
        }
    }
}
