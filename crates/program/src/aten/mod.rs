//! Maps ATen's operators, as files of PyTorch call them, to operations of the table.
//!
//! Every operator is a line of text in `schemas/`, in a file for each family (see
//! [`crate::operators`]). `x_` is the in-place form of `x` and needs no line.

pub mod complex;
mod functions;
mod raise;
mod table;

pub use raise::{Raised, raise};

use crate::{
    Dispatch, Error, Outcome, Result, Value, graph,
    operators::{Args, Numbers, Operator},
};

/// The operator of a name in a file, or the overloads that a call chooses from. A trailing `_`
/// selects their in-place forms.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    operators: &'static [Operator],
    in_place: bool,
}

/// Finds an operator by ATen's name: `add.Tensor`, `relu_.default`, or `add`, which is any
/// overload.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::aten;
/// assert!(aten::find("add.Tensor").is_some() && aten::find("relu_").is_some());
/// assert!(aten::find("no_such_operator").is_none());
/// ```
pub fn find(name: &str) -> Option<Target> {
    let (base, overload) = match name.split_once('.') {
        Some((base, "default")) => (base, Some("")),
        Some((base, overload)) => (base, Some(overload)),
        None => (name, None),
    };
    let writes = base.ends_with('_') && !base.ends_with("__");
    if let Some(target) = table::operators(base).and_then(|operators| select(operators, overload, writes)) {
        return Some(target);
    }
    // `__iand__` is the in-place form of `__and__`.
    let functional = match base.strip_prefix("__i") {
        Some(rest) => format!("__{rest}"),
        None => base.strip_suffix('_').filter(|_| writes)?.to_string(),
    };
    // In-place forms have different overload names, so the kinds of the arguments select the
    // overload.
    Some(Target { operators: table::operators(&functional)?, in_place: true })
}

/// Removes PyTorch's namespace from an operator's name. Returns `None` if the name has no known
/// namespace.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::aten::without_namespace;
/// assert_eq!(without_namespace("torch.ops.torchvision.nms.default"), Some("nms.default"));
/// assert_eq!(without_namespace("torch.ops.other.nms.default"), None);
/// ```
pub fn without_namespace(name: &str) -> Option<&str> {
    table::without_namespace(name)
}

/// Returns the namespace of an operator in PyTorch: `aten`, `prims` or `torchvision`.
pub fn namespace(base: &str) -> &'static str {
    table::namespace(base)
}

fn select(operators: &'static [Operator], overload: Option<&str>, in_place: bool) -> Option<Target> {
    let Some(overload) = overload else { return Some(Target { operators, in_place }) };
    let operator = operators.iter().find(|operator| operator.schema.overload == overload)?;
    Some(Target { operators: std::slice::from_ref(operator), in_place })
}

/// Calls an operator by ATen's name.
///
/// # Errors
///
/// [`Error::MissingOperators`] if there is no such operator; the errors of [`Target::call`].
pub fn call<'d, D: Dispatch>(
    dispatch: &'d D,
    name: &str,
    args: Vec<Value<D::Tensor>>,
    named: Vec<(String, Value<D::Tensor>)>,
) -> Result<Outcome<'d, D::Tensor>> {
    let target = find(name).ok_or_else(|| Error::MissingOperators(vec![name.to_string()]))?;
    target.call(dispatch, args, named)
}

/// Calls a graph's operator if it belongs to ATen. Most dispatchers implement
/// [`Dispatch::operator`] by this.
///
/// # Errors
///
/// [`Error::Unsupported`] for an operator of another format; the errors of [`Target::call`].
pub fn call_target<'d, D: Dispatch>(
    dispatch: &'d D,
    target: &graph::Target,
    args: Vec<Value<D::Tensor>>,
    named: Vec<(String, Value<D::Tensor>)>,
) -> Result<Outcome<'d, D::Tensor>> {
    match target {
        graph::Target::Aten(_, target) => target.call(dispatch, args, named),
        target => Err(Error::unsupported(format!("{target}, which is no operator of ATen"))),
    }
}

impl Target {
    /// Returns the overloads that a call chooses from.
    pub fn operators(&self) -> &'static [Operator] {
        self.operators
    }

    /// Calls the first overload that accepts the arguments. Several results are a tuple; a list of
    /// tensors is a list.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if no overload accepts the arguments; [`Error::Operation`] of the
    /// dispatcher.
    pub fn call<'d, D: Dispatch>(
        &self,
        dispatch: &'d D,
        args: Vec<Value<D::Tensor>>,
        named: Vec<(String, Value<D::Tensor>)>,
    ) -> Result<Outcome<'d, D::Tensor>> {
        let mut refused = None;
        for numbers in [Numbers::Apart, Numbers::AsTensors] {
            for operator in self.operators {
                match Args::bind(&operator.schema, &args, &named, numbers) {
                    Ok(args) => return operator.run(dispatch, args, self.in_place, functions::run),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
        }
        Err(refused.unwrap_or_else(|| Error::argument("aten", "an operator without overloads")))
    }
}
