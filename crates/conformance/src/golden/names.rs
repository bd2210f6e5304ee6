//! Maps PyTorch's names to names of the op table.

use lanthorn::ops::Op;

/// Python's operators with swapped operands: `__radd__(x, y)` is `y + x`.
const SWAPPED: &[(&str, &str)] = &[
    ("__radd__", "add"),
    ("__rmul__", "mul"),
    ("__rsub__", "sub"),
    ("__rdiv__", "div"),
    ("__rpow__", "pow"),
    ("__rmatmul__", "matmul"),
];

/// Methods that are `to` with a dtype.
const CASTS: &[(&str, &str)] = &[
    ("float", "float32"),
    ("double", "float64"),
    ("half", "float16"),
    ("bfloat16", "bfloat16"),
    ("int", "int32"),
    ("long", "int64"),
    ("bool", "bool"),
];

/// The function with the name of another op. Other functions whose ATen name differs are aliases of
/// their ops.
const RENAMED: (&str, &str) = ("nn.functional.unfold", "im2col");

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The same arguments.
    Plain,
    /// The first two are swapped.
    Swapped,
    /// `to` with this dtype.
    Cast(&'static str),
    /// An indexing expression.
    Index,
}

/// The ops that a golden op may be, in the order to try them, and the form of the call. Empty if
/// the table lacks it.
pub fn find(op: &str, aliases: &[String]) -> (Vec<&'static Op>, Form) {
    if op == "__getitem__" {
        return (Op::overloads("slice"), Form::Index);
    }
    if let Some((_, plain)) = SWAPPED.iter().find(|(name, _)| *name == op) {
        return (Op::overloads(plain), Form::Swapped);
    }
    for name in std::iter::once(op).chain(aliases.iter().map(String::as_str)).map(table_name) {
        let found = Op::overloads(&name);
        if !found.is_empty() {
            return (found, Form::Plain);
        }
    }
    match CASTS.iter().find(|(name, _)| *name == op) {
        Some((_, dtype)) => (Op::overloads("to"), Form::Cast(dtype)),
        None => (vec![], Form::Plain),
    }
}

/// `nn.functional.silu` is `silu`, `linalg.qr` is `linalg_qr`, as ATen has them.
fn table_name(name: &str) -> String {
    if name == RENAMED.0 {
        return RENAMED.1.into();
    }
    let plain = ["torch.", "Tensor.", "nn.functional."]
        .iter()
        .fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    plain.replace('.', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_form(op: &str) -> Option<(&'static str, Form)> {
        let (ops, form) = find(op, &[]);
        ops.first().map(|op| (op.name(), form))
    }

    #[test]
    fn prefixes_aliases_and_operators() {
        assert_eq!(find_form("nn.functional.silu"), Some(("silu", Form::Plain)));
        assert_eq!(find_form("swapaxes"), Some(("transpose", Form::Plain)));
        assert_eq!(find_form("__rsub__"), Some(("sub", Form::Swapped)));
        assert_eq!(find("no_such_op", &["torch.relu".into()]).0[0].name(), "relu");
        assert_eq!(find_form("no_such_op"), None);
        assert_eq!(table_name("linalg.qr"), "linalg_qr");
        assert_eq!((table_name("unfold"), table_name("nn.functional.unfold")), ("unfold".into(), "im2col".into()));
    }
}
