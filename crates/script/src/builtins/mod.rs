//! Built-in functions: the interpreter's own, by their names in TorchScript and Python, and the
//! operators of ATen and of the op table.
//!
//! A single function has all kinds of values, like `torch.add` of integers, strings, lists and
//! tensors. It returns `None` if it does not support the kinds of the arguments. Then the call goes
//! to ATen's operator of that name.

mod comparison;
mod container;
mod conversion;
mod dictionary;
mod iteration;
mod language;
mod list;
mod math;
mod string;
mod tensor;

pub(crate) use comparison::{equal, identical};
pub(crate) use container::{element, has, remove_element, set_element};
pub(crate) use conversion::truth;
pub(crate) use iteration::{iterable, next};
pub(crate) use math::numbers;

use crate::{Error, Result, context::Context, value::Value};
use lanthorn_program::{Dispatch, aten};
use std::{collections::HashMap, rc::Rc, sync::OnceLock};

/// A built-in function, found by its path.
#[derive(Clone, Debug)]
pub(crate) struct Builtin {
    /// The name without its path.
    pub name: Rc<str>,
    /// The index of the interpreter's own function.
    pub own: Option<usize>,
    /// ATen's operator.
    pub aten: Option<aten::Target>,
    /// Whether it belongs to `torch.nn.functional`, whose functions have the signatures of the op
    /// table.
    pub functional: bool,
    /// Whether the name belongs to Python or `math`, so no operator has it.
    pub python: bool,
}

/// The arguments of a call.
pub(crate) struct Call<'c, 'd, D: Dispatch> {
    pub context: &'c mut Context<'d, D>,
    pub name: &'c str,
    pub args: Vec<Value<D::Tensor>>,
    pub named: Vec<(Rc<str>, Value<D::Tensor>)>,
}

/// A result, or `None` if the function does not support the kinds of the arguments.
pub(crate) type Answer<D> = Result<Option<Value<<D as Dispatch>::Tensor>>>;

impl<D: Dispatch> Call<'_, '_, D> {
    /// Returns the argument at a position or with a name.
    pub fn arg(&self, index: usize, name: &str) -> Option<&Value<D::Tensor>> {
        self.args.get(index).or_else(|| self.named.iter().find(|(key, _)| &**key == name).map(|(_, value)| value))
    }

    /// Returns an integer argument, or a default.
    pub fn int(&self, index: usize, name: &str, default: i64) -> Result<i64> {
        match self.arg(index, name) {
            None | Some(Value::None) => Ok(default),
            Some(Value::Int(value)) => Ok(*value),
            Some(Value::Bool(value)) => Ok(i64::from(*value)),
            Some(value) => self.refuse(format!("the argument {name} is an int, not {}", value.type_name())),
        }
    }

    /// Returns an error of this function.
    pub fn refuse<R>(&self, message: impl std::fmt::Display) -> Result<R> {
        Err(Error::runtime(format!("{}: {message}", self.name)))
    }

    /// Returns an exception of Python.
    pub fn raise<R>(&self, class: &str, message: impl Into<String>) -> Result<R> {
        Err(exception(class, message))
    }
}

/// Creates an exception of Python.
pub(crate) fn exception(class: &str, message: impl Into<String>) -> Error {
    Error::Raised { class: class.to_string(), message: message.into(), location: crate::Location::default() }
}

/// Prefixes of built-in functions' paths, longest first. The second text replaces the prefix, as in
/// ATen's names.
const MODULES: &[(&str, &str)] = &[
    ("torch.nn.functional.", ""),
    ("torch.functional.", ""),
    ("torch.special.", "special_"),
    ("torch.linalg.", "linalg_"),
    ("torch.fft.", "fft_"),
    ("torch.ops.aten.", ""),
    ("torch.ops.torchvision.", ""),
    ("torch._C._nn.", ""),
    ("torch._C._fft.", ""),
    ("torch._C._linalg.", ""),
    ("torch._C._special.", ""),
    ("torch.jit.", ""),
    ("torch.Tensor.", ""),
    ("torch.", ""),
    ("ops.aten.", ""),
    ("ops.torchvision.", ""),
    ("ops.prim.", ""),
    ("prim.", ""),
    ("aten.", ""),
    ("F.", ""),
    ("math.", ""),
    ("warnings.", ""),
];

/// The functions of Python without a path.
const PYTHON: &[&str] = &[
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "float",
    "format",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "int",
    "len",
    "list",
    "max",
    "min",
    "oct",
    "ord",
    "pow",
    "print",
    "range",
    "reversed",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "id",
];

impl Builtin {
    /// Finds the function of a path.
    pub fn find(path: &str) -> Option<Builtin> {
        for (module, prefix) in MODULES {
            let Some(name) = path.strip_prefix(module) else { continue };
            // Other modules, such as the ones in `torch.nn`, contain no functions.
            if name.contains('.') && !matches!(*module, "torch.ops.aten." | "ops.aten.") {
                continue;
            }
            let python = matches!(*module, "math." | "warnings.");
            let full = format!("{prefix}{name}");
            let mut builtin = Builtin::by_name(&full, python);
            if builtin.aten.is_none() && !prefix.is_empty() {
                builtin.aten = aten::find(name);
            }
            builtin.functional = matches!(*module, "torch.nn.functional." | "F.");
            return Some(builtin);
        }
        PYTHON.contains(&path).then(|| Builtin::by_name(path, true))
    }

    /// Whether the interpreter itself implements the function.
    pub fn is_special(&self) -> bool {
        [
            "fork",
            "_fork",
            "wait",
            "_wait",
            "tensor",
            "as_tensor",
            "scalar_tensor",
            "tolist",
            "no_grad",
            "enable_grad",
            "inference_mode",
        ]
        .contains(&&*self.name)
    }

    /// Whether a name belongs to a function of `math`, which accepts only numbers.
    pub fn is_math(name: &str) -> bool {
        !PYTHON.contains(&name)
    }

    /// Returns the function of a name, such as a method's name.
    pub fn by_name(name: &str, python: bool) -> Builtin {
        // `ops.prim.data(x)` is `x.data`.
        let name = if name == "data" { "detach" } else { name };
        let own = index(name);
        let aten = if python { None } else { aten::find(name) };
        Builtin { name: name.into(), own, aten, functional: false, python }
    }
}

fn index(name: &str) -> Option<usize> {
    static INDICES: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let indices = INDICES.get_or_init(|| NAMES.iter().enumerate().map(|(index, name)| (*name, index)).collect());
    indices.get(name).copied()
}

macro_rules! functions {
    ($($module:ident { $($name:literal => $function:ident,)* })*) => {
        const NAMES: &[&str] = &[$($($name,)*)*];

        /// Calls one of the interpreter's own functions by its index.
        pub(crate) fn call_own<D: Dispatch>(index: usize, call: &mut Call<'_, '_, D>) -> Answer<D> {
            let functions: &[fn(&mut Call<'_, '_, D>) -> Answer<D>] = &[$($($module::$function,)*)*];
            functions[index](call)
        }
    };
}

functions! {
    math {
        "add" => add,
        "sub" => sub,
        "mul" => mul,
        "div" => div,
        "floordiv" => floordiv,
        "floor_divide" => floordiv,
        "remainder" => remainder,
        "fmod" => fmod,
        "pow" => pow,
        "__and__" => and,
        "__or__" => or,
        "__xor__" => xor,
        "__lshift__" => left_shift,
        "__rshift__" => right_shift,
        "neg" => neg,
        "abs" => abs,
        "floor" => floor,
        "ceil" => ceil,
        "round" => round,
        "trunc" => trunc,
        "divmod" => divmod,
        "gcd" => gcd,
        "factorial" => factorial,
        "sqrt" => unary,
        "exp" => unary,
        "expm1" => unary,
        "log1p" => unary,
        "log2" => unary,
        "log10" => unary,
        "sin" => unary,
        "cos" => unary,
        "tan" => unary,
        "asin" => unary,
        "acos" => unary,
        "atan" => unary,
        "sinh" => unary,
        "cosh" => unary,
        "tanh" => unary,
        "asinh" => unary,
        "acosh" => unary,
        "atanh" => unary,
        "fabs" => unary,
        "degrees" => unary,
        "radians" => unary,
        "gamma" => unary,
        "lgamma" => unary,
        "erf" => unary,
        "erfc" => unary,
        "log" => log,
        "atan2" => binary_float,
        "copysign" => binary_float,
        "hypot" => binary_float,
        "isnan" => classify,
        "isinf" => classify,
        "isfinite" => classify,
        "modf" => modf,
        "frexp" => frexp,
        "ldexp" => ldexp,
    }
    comparison {
        "eq" => eq,
        "ne" => ne,
        "lt" => lt,
        "le" => le,
        "gt" => gt,
        "ge" => ge,
        "__is__" => is,
        "__isnot__" => is_not,
        "__not__" => not,
        "min" => min,
        "max" => max,
        "sorted" => sorted,
        "sort" => sort,
        "any" => any,
        "all" => all,
        "sum" => sum,
    }
    conversion {
        "bool" => bool,
        "Bool" => bool,
        "int" => int,
        "Int" => int,
        "IntImplicit" => int,
        "float" => float,
        "Float" => float,
        "FloatImplicit" => float,
        "ScalarImplicit" => scalar,
        "item" => scalar,
        "NumToTensor" => to_tensor,
        "str" => str,
        "chr" => chr,
        "ord" => ord,
        "hex" => radix,
        "oct" => radix,
        "bin" => radix,
        "hash" => hash,
        "format" => format,
        "percentFormat" => percent_format,
    }
    container {
        "len" => len,
        "list" => list,
        "tuple" => tuple,
        "dict" => dict,
        "__getitem__" => get_item,
        "_set_item" => set_item,
        "__contains__" => contains,
        "Delete" => delete,
        "slice" => slice,
        "clear" => clear,
        "copy" => copy,
        "pop" => pop,
        "index" => find,
        "count" => count,
    }
    list {
        "append" => append,
        "extend" => extend,
        "insert" => insert,
        "remove" => remove,
        "reverse" => reverse,
        "add_" => extend_or_add,
        "mul_" => repeat,
        "unbind" => unbind,
    }
    dictionary {
        "keys" => keys,
        "values" => values,
        "items" => items,
        "get" => get,
        "setdefault" => set_default,
        "update" => update,
        "popitem" => pop_item,
    }
    iteration {
        "range" => range,
        "__range_length" => range_length,
        "__derive_index" => derive_index,
        "enumerate" => enumerate,
        "zip" => zip,
        "reversed" => reversed,
    }
    string {
        "upper" => simple,
        "lower" => simple,
        "capitalize" => simple,
        "title" => simple,
        "swapcase" => simple,
        "casefold" => simple,
        "strip" => strip,
        "lstrip" => strip,
        "rstrip" => strip,
        "startswith" => starts_with,
        "endswith" => starts_with,
        "find" => search,
        "rfind" => search,
        "rindex" => search,
        "replace" => replace,
        "split" => split,
        "rsplit" => split,
        "splitlines" => split_lines,
        "partition" => partition,
        "rpartition" => partition,
        "join" => join,
        "center" => pad,
        "ljust" => pad,
        "rjust" => pad,
        "zfill" => pad,
        "expandtabs" => expand_tabs,
        "isdigit" => is,
        "isdecimal" => is,
        "isnumeric" => is,
        "isalpha" => is,
        "isalnum" => is,
        "isspace" => is,
        "isupper" => is,
        "islower" => is,
        "istitle" => is,
        "isidentifier" => is,
        "isprintable" => is,
    }
    tensor {
        "size" => size,
        "shape" => size,
        "dim" => dim,
        "ndimension" => dim,
        "numel" => numel,
        "nelement" => numel,
        "dtype" => dtype,
        "device" => device,
        "layout" => layout,
        "is_floating_point" => is_floating_point,
        "is_complex" => is_complex,
        "_is_zerotensor" => is_false,
        "are_deterministic_algorithms_enabled" => is_false,
        "cudnn_is_acceptable" => is_false,
        "has_names" => is_false,
        "is_anomaly_enabled" => is_false,
        "is_autocast_cpu_enabled" => is_false,
        "is_autocast_enabled" => is_false,
        "is_coalesced" => is_false,
        "is_conj" => is_false,
        "is_cuda" => is_false,
        "is_distributed" => is_false,
        "is_hpu" => is_false,
        "is_inference" => is_false,
        "is_ipu" => is_false,
        "is_maia" => is_false,
        "is_meta" => is_false,
        "is_mkldnn" => is_false,
        "is_mps" => is_false,
        "is_mtia" => is_false,
        "is_neg" => is_false,
        "is_nested" => is_false,
        "is_ort" => is_false,
        "is_pinned" => is_false,
        "is_privateuseone" => is_false,
        "is_quantized" => is_false,
        "is_shared" => is_false,
        "is_sparse" => is_false,
        "is_sparse_csr" => is_false,
        "is_vulkan" => is_false,
        "is_vulkan_available" => is_false,
        "is_warn_always_enabled" => is_false,
        "is_xla" => is_false,
        "is_xpu" => is_false,
        "retains_grad" => is_false,
        "is_cpu" => is_cpu,
        "itemsize" => element_size,
        "nbytes" => nbytes,
        "output_nr" => zero,
        "_version" => zero,
        "requires_grad" => requires_grad,
        "is_grad_enabled" => is_grad_enabled,
        "set_grad_enabled" => set_grad_enabled,
        "is_contiguous" => is_contiguous,
        "stride" => stride,
        "storage_offset" => storage_offset,
        "element_size" => element_size,
        "is_tensor" => is_tensor,
        "promote_types" => promote_types,
        "result_type" => result_type,
        "cpu" => identity,
        "cuda" => identity,
        "get_device" => get_device,
    }
    language {
        "RaiseException" => raise_exception,
        "warn" => ignore,
        "print" => print,
        "Print" => print,
        "hasattr" => has_attribute,
        "getattr" => get_attribute,
        "id" => id,
        "_unwrap_optional" => unwrap_optional,
        "unchecked_unwrap_optional" => unwrap_optional,
        "type" => device_type,
        "rangelist" => range_list,
        "_assert" => assert,
        "__is_scripting" => is_scripting,
        "is_scripting" => is_scripting,
        "is_tracing" => is_not_tracing,
    }
}
