//! Operators on complex tensors, which the table represents as pairs along a last dimension. This
//! module declares once how a call changes, for graphs of files and for scripts.

mod apply;

pub use apply::{Applied, Arg, Form, Pairs, Part, apply};
pub use lanthorn_schema::{Default, Param, ParamType};

/// The change of a call with complex tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The operator works on pairs. These parameters become complex if they are real.
    Same(&'static [&'static str]),
    /// The operator moves elements. Dimensions that count from the last one skip the pairs, and 2
    /// is appended to sizes.
    Moves,
    /// The operator is applied to the real and imaginary parts separately. Of these parameters, a
    /// real one gets zeros as imaginary parts.
    Parts(&'static [&'static str]),
    /// The operator is applied to absolute values.
    Modulus,
    /// A different operator accepts pairs.
    Other(&'static OnPairs),
}

/// An operator on pairs that corresponds to an ATen operator on complex tensors.
#[derive(Debug, PartialEq, Eq)]
pub struct OnPairs {
    /// Its name.
    pub name: &'static str,
    /// The ATen operator, with the overload for tensors. If it has no overload, the operator on
    /// pairs has the same overloads.
    pub aten: &'static str,
    /// Other names of the ATen operator.
    pub aliases: &'static [&'static str],
    /// The complex parameters.
    pub complex: &'static [&'static str],
    /// Whether the results are complex.
    pub gives_complex: bool,
}

const fn on(
    name: &'static str,
    aten: &'static str,
    aliases: &'static [&'static str],
    complex: &'static [&'static str],
    gives_complex: bool,
) -> OnPairs {
    OnPairs { name, aten, aliases, complex, gives_complex }
}

/// An operator with one argument.
const fn unary(name: &'static str, aten: &'static str) -> OnPairs {
    on(name, aten, &[], &["self"], true)
}

/// The operators on pairs.
pub static ON_PAIRS: &[OnPairs] = &[
    on("complex_abs", "abs.default", &["absolute"], &["self"], false),
    on("complex_acos", "acos.default", &["arccos"], &["self"], true),
    on("complex_acosh", "acosh.default", &["arccosh"], &["self"], true),
    on("complex_addcdiv", "addcdiv.default", &[], &["self", "tensor1", "tensor2"], true),
    on("complex_addcmul", "addcmul.default", &[], &["self", "tensor1", "tensor2"], true),
    on("complex_addmm", "addmm.default", &[], &["self", "mat1", "mat2"], true),
    on("complex_addmv", "addmv.default", &[], &["self", "mat", "vec"], true),
    on("complex_addr", "addr.default", &[], &["self", "vec1", "vec2"], true),
    on("complex_allclose", "allclose.default", &[], &["self", "other"], false),
    on("complex_angle", "angle.default", &[], &["self"], false),
    on("complex_asin", "asin.default", &["arcsin"], &["self"], true),
    on("complex_asinh", "asinh.default", &["arcsinh"], &["self"], true),
    on("complex_atan", "atan.default", &["arctan"], &["self"], true),
    on("complex_atanh", "atanh.default", &["arctanh"], &["self"], true),
    on("complex_baddbmm", "baddbmm.default", &[], &["self", "batch1", "batch2"], true),
    on("complex_bmm", "bmm.default", &[], &["self", "mat2"], true),
    on("complex_conj", "conj_physical.default", &["conj", "_conj"], &["self"], true),
    on("complex_conv1d", "conv1d.default", &[], &["input", "weight", "bias"], true),
    on("complex_conv2d", "conv2d.default", &[], &["input", "weight", "bias"], true),
    on("complex_conv3d", "conv3d.default", &[], &["input", "weight", "bias"], true),
    on("complex_convolution", "convolution.default", &[], &["input", "weight", "bias"], true),
    unary("complex_cos", "cos.default"),
    unary("complex_cosh", "cosh.default"),
    on("complex_cumprod", "cumprod.default", &[], &["self"], true),
    on("complex_div", "div.Tensor", &["divide", "true_divide"], &["self", "other"], true),
    on("complex_dot", "dot.default", &[], &["self", "tensor"], true),
    on("complex_einsum", "einsum.default", &[], &["tensors"], true),
    on("complex_eq", "eq.Tensor", &[], &["self", "other"], false),
    unary("complex_exp", "exp.default"),
    unary("complex_exp2", "exp2.default"),
    unary("complex_expm1", "expm1.default"),
    on("complex_full_like", "full_like.default", &[], &["self"], true),
    on("complex_inner", "inner.default", &[], &["self", "other"], true),
    on("complex_isclose", "isclose.default", &[], &["self", "other"], false),
    on("complex_isfinite", "isfinite.default", &[], &["self"], false),
    on("complex_isinf", "isinf.default", &[], &["self"], false),
    on("complex_isnan", "isnan.default", &[], &["self"], false),
    on("complex_isreal", "isreal.default", &[], &["self"], false),
    on("complex_linear", "linear.default", &[], &["input", "weight", "bias"], true),
    unary("complex_log", "log.default"),
    unary("complex_log10", "log10.default"),
    unary("complex_log1p", "log1p.default"),
    unary("complex_log2", "log2.default"),
    on("complex_matmul", "matmul.default", &[], &["self", "other"], true),
    on("complex_matrix_H", "matrix_H.default", &["mH", "adjoint"], &["self"], true),
    on("complex_mm", "mm.default", &[], &["self", "mat2"], true),
    on("complex_mul", "mul.Tensor", &["multiply"], &["self", "other"], true),
    on("complex_mv", "mv.default", &[], &["self", "vec"], true),
    on("complex_ne", "ne.Tensor", &["not_equal"], &["self", "other"], false),
    on("complex_ones_like", "ones_like.default", &[], &["self"], true),
    on("complex_outer", "outer.default", &["ger"], &["self", "vec2"], true),
    on("complex_pow", "pow.Tensor_Tensor", &["float_power"], &["self", "exponent"], true),
    on("complex_prod", "prod.dim_int", &[], &["self"], true),
    unary("complex_reciprocal", "reciprocal.default"),
    unary("complex_rsqrt", "rsqrt.default"),
    unary("complex_sgn", "sgn.default"),
    on("complex_sigmoid", "sigmoid.default", &["special_expit"], &["self"], true),
    unary("complex_silu", "silu.default"),
    unary("complex_sin", "sin.default"),
    on("complex_sinc", "sinc.default", &["special_sinc"], &["self"], true),
    unary("complex_sinh", "sinh.default"),
    unary("complex_sqrt", "sqrt.default"),
    unary("complex_square", "square.default"),
    on("complex_std", "std", &[], &["self"], false),
    unary("complex_tan", "tan.default"),
    unary("complex_tanh", "tanh.default"),
    on("complex_tensordot", "tensordot.default", &[], &["self", "other"], true),
    on("complex_var", "var", &[], &["self"], false),
    on("complex_vdot", "vdot.default", &[], &["self", "other"], true),
];

/// The operators that work on pairs, with the parameters that must be complex.
const SAME: &[(&str, &[&str])] = &[
    ("add", &["self", "other"]),
    ("alias", &[]),
    ("alias_copy", &[]),
    ("clone", &[]),
    ("contiguous", &[]),
    ("copy", &["self", "src"]),
    ("detach", &[]),
    ("detach_copy", &[]),
    ("empty_like", &[]),
    ("equal", &["self", "other"]),
    ("expand_as", &["self", "other"]),
    ("index", &[]),
    ("index_put", &["self", "values"]),
    ("lift", &[]),
    ("lift_fresh", &[]),
    ("lift_fresh_copy", &[]),
    ("neg", &[]),
    ("negative", &[]),
    ("positive", &[]),
    ("resolve_conj", &[]),
    ("resolve_neg", &[]),
    ("rsub", &["self", "other"]),
    ("sub", &["self", "other"]),
    ("subtract", &["self", "other"]),
    ("zero", &[]),
    ("zeros_like", &[]),
];

/// Operators that move elements.
const MOVES: &[&str] = &[
    "_reshape_copy",
    "_unsafe_view",
    "broadcast_to",
    "cat",
    "chunk",
    "concat",
    "cumsum",
    "expand",
    "expand_copy",
    "flatten",
    "flip",
    "index_select",
    "moveaxis",
    "movedim",
    "narrow",
    "narrow_copy",
    "new_empty",
    "new_zeros",
    "permute",
    "permute_copy",
    "repeat",
    "reshape",
    "select",
    "select_copy",
    "slice",
    "slice_copy",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "squeeze",
    "squeeze_copy",
    "stack",
    "swapaxes",
    "swapdims",
    "sym_size",
    "tensor_split",
    "tile",
    "transpose",
    "transpose_copy",
    "unbind",
    "unflatten",
    "unsafe_split",
    "unsqueeze",
    "unsqueeze_copy",
    "view",
    "view_copy",
];

/// Operators that are linear in complex arguments and do not accept pairs.
const PARTS: &[(&str, &[&str])] = &[
    ("as_strided", &[]),
    ("constant_pad_nd", &["value"]),
    ("diag", &[]),
    ("diag_embed", &[]),
    ("diagonal", &[]),
    ("diff", &["prepend", "append"]),
    ("fill", &["value"]),
    ("flipud", &[]),
    ("fliplr", &[]),
    ("gather", &[]),
    ("im2col", &[]),
    ("index_add", &["self", "source"]),
    ("index_copy", &["self", "source"]),
    ("index_fill", &["value"]),
    ("lerp", &["self", "end"]),
    ("mT", &[]),
    ("masked_fill", &["value"]),
    ("masked_select", &[]),
    ("mean", &[]),
    ("nan_to_num", &[]),
    ("nansum", &[]),
    ("numpy_T", &[]),
    ("pad", &["value"]),
    ("pixel_shuffle", &[]),
    ("pixel_unshuffle", &[]),
    ("reflection_pad1d", &[]),
    ("reflection_pad2d", &[]),
    ("repeat_interleave", &[]),
    ("replication_pad1d", &[]),
    ("replication_pad2d", &[]),
    ("roll", &[]),
    ("rot90", &[]),
    ("scatter", &["self", "src", "value"]),
    ("scatter_add", &["self", "src"]),
    ("select_scatter", &["self", "src"]),
    ("slice_scatter", &["self", "src"]),
    ("sum", &[]),
    ("t", &[]),
    ("take", &[]),
    ("take_along_dim", &[]),
    ("trace", &[]),
    ("tril", &[]),
    ("triu", &[]),
    ("unfold", &[]),
    ("unfold_copy", &[]),
    ("where", &["self", "other"]),
];

/// Operators whose result depends only on absolute values.
const MODULUS: &[&str] = &[
    "all",
    "any",
    "argwhere",
    "count_nonzero",
    "linalg_vector_norm",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "nonzero",
    "norm",
];

/// Returns the change of an ATen operator's call with complex tensors. `base` is the name without
/// an overload. Returns `None` if pairs do not support the operator.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::aten::complex::{Rule, rule};
/// assert_eq!(rule("unsqueeze"), Some(Rule::Moves));
/// assert!(matches!(rule("exp"), Some(Rule::Other(exp)) if exp.name == "complex_exp"));
/// assert_eq!(rule("erf"), None);
/// ```
pub fn rule(base: &str) -> Option<Rule> {
    let find = |list: &'static [(&'static str, &'static [&'static str])]| {
        list.iter().find(|(name, _)| *name == base).map(|(_, params)| *params)
    };
    if let Some(params) = find(SAME) {
        return Some(Rule::Same(params));
    }
    if let Some(params) = find(PARTS) {
        return Some(Rule::Parts(params));
    }
    if MOVES.contains(&base) {
        return Some(Rule::Moves);
    }
    if MODULUS.contains(&base) {
        return Some(Rule::Modulus);
    }
    let is = |on: &&OnPairs| on.aten.split('.').next() == Some(base) || on.aliases.contains(&base);
    ON_PAIRS.iter().find(is).map(Rule::Other)
}

/// The change of a parameter of an operator that moves elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A dimension or dimensions. Those that count from the last one decrease by one.
    Dims,
    /// A permutation of all dimensions. The last dimension of the pairs is appended.
    Order,
    /// Sizes of all dimensions. 2 is appended.
    Sizes,
    /// Numbers of repetitions of all dimensions. 1 is appended.
    Repeats,
}

/// Returns the change of a parameter of an operator that moves elements, or `None`.
pub fn change(base: &str, param: &str) -> Option<Change> {
    match (base, param) {
        ("permute" | "permute_copy", "dims") => Some(Change::Order),
        ("tile" | "repeat", "dims" | "repeats") => Some(Change::Repeats),
        (_, "size" | "shape") => Some(Change::Sizes),
        (
            _,
            "dim" | "dims" | "dim0" | "dim1" | "axis0" | "axis1" | "start_dim" | "end_dim" | "source" | "destination",
        ) => Some(Change::Dims),
        _ => None,
    }
}

/// Changes a parameter's value for pairs.
pub fn change_value<T>(change: Change, value: crate::Value<T>) -> crate::Value<T> {
    use crate::Value;
    let last = |list: Vec<Value<T>>, more: i64| Value::List(list.into_iter().chain([Value::Int(more)]).collect());
    match (change, value) {
        (Change::Dims, Value::Int(dim)) if dim < 0 => Value::Int(dim - 1),
        (Change::Dims, Value::List(dims)) => {
            Value::List(dims.into_iter().map(|dim| change_value(change, dim)).collect())
        }
        (Change::Order, Value::List(dims)) => {
            let rank = dims.len() as i64;
            let counted = |dim: Value<T>| match dim {
                Value::Int(dim) if dim < 0 => Value::Int(dim + rank),
                dim => dim,
            };
            last(dims.into_iter().map(counted).collect(), rank)
        }
        (Change::Sizes, Value::List(sizes)) => last(sizes, 2),
        (Change::Repeats, Value::List(repeats)) => last(repeats, 1),
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aten;

    #[test]
    fn every_operator_of_a_rule_exists_with_its_parameters() {
        let params = |name: &str| -> Vec<String> {
            let target = aten::find(name).unwrap_or_else(|| panic!("no operator {name}"));
            let operators = target.operators().iter();
            operators.flat_map(|operator| operator.schema.params.iter().map(|param| param.name.clone())).collect()
        };
        for (name, wanted) in SAME.iter().chain(PARTS) {
            let known = params(name);
            assert!(wanted.iter().all(|param| known.iter().any(|known| known == param)), "{name}: {known:?}");
        }
        MOVES.iter().chain(MODULUS).for_each(|name| drop(params(name)));
        for on in ON_PAIRS {
            let (own, aten) = (params(on.name), params(on.aten));
            for param in on.complex {
                assert!(own.iter().any(|known| known == param), "{}: no {param}", on.name);
                assert!(aten.iter().any(|known| known == param), "{}: no {param}", on.aten);
            }
            assert_eq!(rule(on.aten.split('.').next().unwrap()), Some(Rule::Other(on)), "{}", on.name);
        }
    }
}
