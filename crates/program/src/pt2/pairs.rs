//! The operators that take or return complex tensors in PyTorch and pairs along a last dimension in
//! the table. All other operators work on pairs, except for dimensions and sizes.

use crate::{
    Value,
    aten::complex::ON_PAIRS,
    graph::{Node, Operand, Target},
};

/// An operator with complex arguments or results in PyTorch.
#[derive(Clone, Copy)]
pub(super) struct Operator {
    /// Its base name in the table.
    base: &'static str,
    /// The parameters that are complex.
    pub complex: &'static [&'static str],
    /// Whether it returns a complex tensor.
    pub gives_complex: bool,
}

const fn operator(base: &'static str, complex: &'static [&'static str], gives_complex: bool) -> Operator {
    Operator { base, complex, gives_complex }
}

/// The operators with the same name in ATen and in the table.
const OPERATORS: [Operator; 26] = [
    operator("complex", &[], true),
    operator("polar", &[], true),
    operator("view_as_complex", &[], true),
    operator("view_as_real", &["self"], false),
    operator("resolve_conj", &["self"], true),
    operator("real", &["self"], false),
    operator("imag", &["self"], false),
    operator("fft_fft", &["self"], true),
    operator("fft_fft2", &["self"], true),
    operator("fft_fftn", &["self"], true),
    operator("fft_ifft", &["self"], true),
    operator("fft_ifft2", &["self"], true),
    operator("fft_ifftn", &["self"], true),
    operator("fft_rfft", &[], true),
    operator("fft_rfft2", &[], true),
    operator("fft_rfftn", &[], true),
    operator("fft_ihfft", &[], true),
    operator("fft_hfft", &["self"], false),
    operator("fft_irfft", &["self"], false),
    operator("fft_irfft2", &["self"], false),
    operator("fft_irfftn", &["self"], false),
    operator("_fft_r2c", &[], true),
    operator("_fft_c2r", &["self"], false),
    operator("_fft_c2c", &["self"], true),
    operator("stft", &[], true),
    operator("istft", &["self"], false),
];

/// Returns the operator of a node if pairs change it.
pub(super) fn operator_of(node: &Node) -> Option<Operator> {
    let Target::Aten(name, target) = &node.target else { return None };
    let base = name.split('.').next()?;
    if let Some(on) = ON_PAIRS.iter().find(|on| on.name == base) {
        return Some(operator(on.name, on.complex, on.gives_complex));
    }
    let operator = *OPERATORS.iter().find(|operator| operator.base == base)?;
    if base != "stft" {
        return Some(operator);
    }
    // It returns pairs by default.
    let params = target.operators().first().map(|operator| &operator.schema.params[..]).unwrap_or_default();
    let positional = params.iter().map(|param| param.name.as_str()).zip(&node.args);
    let mut given = positional.chain(node.named.iter().map(|(name, operand)| (name.as_str(), operand)));
    let told = |(name, operand): (&str, &Operand)| {
        name == "return_complex" && matches!(operand, Operand::Constant(Value::Bool(true)))
    };
    given.any(told).then_some(operator)
}

/// Returns the ATen operator's name and overload for a call, if it differs from the table's.
pub(super) fn aten_name(name: &str) -> Option<&'static str> {
    let base = name.split('.').next()?;
    ON_PAIRS.iter().find(|on| on.name == base).map(|on| on.aten)
}

/// Whether an operator transforms complex numbers and accepts a real argument.
pub(super) fn is_transform(base: &str) -> bool {
    let known = OPERATORS.iter().any(|operator| operator.base == base && operator.complex.contains(&"self"));
    known && base.starts_with("fft_")
}
