//! The classes and functions that a checkpoint may name, and the results of calling them. The
//! reader calls nothing else: the result of another class or function is an opaque value with its
//! name.

use super::{
    FORMAT, numpy,
    unpickle::{Machine, Node, NodeId},
};
use crate::{DType, Error, Result};

/// The highest rank, as in PyTorch.
const RANK_LIMIT: usize = 64;

/// The most arguments of a function on the list.
const ARGUMENT_LIMIT: usize = 8;

/// The longest name of an opaque value in characters.
const NAME_LIMIT: usize = 200;

/// Python functions that create an object of the class in their first argument.
const CONSTRUCTORS: [&str; 3] = ["copy_reg._reconstructor", "copyreg._reconstructor", "copyreg.__newobj__"];

/// The longest key of a storage in bytes; a key is a decimal number.
const KEY_LIMIT: usize = 32;

/// A class or function on the list.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Global {
    /// `collections.OrderedDict` and `Counter`: a dictionary, of entries that may be given.
    OrderedDict,
    /// `collections.defaultdict`: a dictionary.
    DefaultDict,
    /// `set` and `frozenset`: a list.
    Set,
    /// `bytearray`: bytes.
    ByteArray,
    /// `torch.Size`: a tuple.
    Size,
    /// `torch._utils._rebuild_tensor` and `_rebuild_tensor_v2`.
    Tensor,
    /// `torch._utils._rebuild_parameter` and `_rebuild_parameter_with_state`: the tensor.
    Parameter,
    /// `torch._tensor._rebuild_from_type_v2`: the result of the function that is its first
    /// argument.
    FromType,
    /// `torch.FloatStorage` and the like.
    Storage(DType),
    /// `torch.device`: its name.
    Device,
    /// `_codecs.encode`: bytes, as protocol 2 writes them.
    Encode,
    /// `torch.jit._pickle.build_intlist` and the like, and `restore_type_tag`: the first argument.
    First,
}

/// The meaning of a global name in a TorchScript archive, which also contains its own classes.
pub(super) fn lookup_object(module: &str, name: &str) -> Result<Node<'static>> {
    const BUILDERS: [&str; 5] =
        ["build_intlist", "build_tensorlist", "build_doublelist", "build_boollist", "restore_type_tag"];
    match (module, name) {
        ("torch.jit._pickle", name) if BUILDERS.contains(&name) => Ok(Node::Global(Global::First)),
        _ if module == "__torch__" || module.starts_with("__torch__.") => {
            Ok(Node::Class(format!("{module}.{name}").into()))
        }
        _ => match lookup(module, name) {
            Node::Opaque(class) => Err(refuse(&class)),
            node => Ok(node),
        },
    }
}

/// The meaning of a global name: a callable, a value, or an opaque value.
pub(super) fn lookup(module: &str, name: &str) -> Node<'static> {
    // An opaque value has its name from here; a pickle may repeat a long one.
    let opaque = || Node::Opaque(crate::shorten(&format!("{module}.{name}"), NAME_LIMIT).as_ref().into());
    if let Some(numpy) = numpy::lookup(module, name) {
        return Node::Numpy(numpy);
    }
    let global = match (module, name) {
        ("collections", "OrderedDict" | "Counter") => Global::OrderedDict,
        ("collections", "defaultdict") => Global::DefaultDict,
        // Python 2 and Python 3 call the module differently.
        ("builtins" | "__builtin__", "set" | "frozenset") => Global::Set,
        ("builtins" | "__builtin__", "bytearray") => Global::ByteArray,
        ("torch", "Size") => Global::Size,
        ("torch", "device") => Global::Device,
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => Global::Tensor,
        ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => Global::Parameter,
        ("torch._tensor" | "torch.tensor", "_rebuild_from_type_v2") => Global::FromType,
        ("_codecs", "encode") => Global::Encode,
        ("torch" | "torch.cuda" | "torch.storage", name) => match (DType::from_storage(name), DType::from_name(name)) {
            (Some(dtype), _) => Global::Storage(dtype),
            // A dtype as a value is its name.
            (None, Some(dtype)) => return Node::Str(dtype.name()),
            (None, None) => return opaque(),
        },
        _ => return opaque(),
    };
    Node::Global(global)
}

fn refuse(class: &str) -> Error {
    let class = class.escape_debug();
    Error::unsupported(FORMAT, format!("the archive holds a {class}; only tensors and plain containers are read"))
}

impl<'p> Machine<'p, '_> {
    /// Returns the result of calling a global with a tuple of arguments.
    pub(super) fn call(&mut self, callee: NodeId, arguments: NodeId) -> Result<Node<'p>> {
        let class = match self.node(callee) {
            Node::Class(class) => Some(class.clone()),
            _ => None,
        };
        if let Some(class) = &class
            && !matches!(self.node(arguments), Node::Tuple(_))
        {
            // PyTorch writes the value of an enumeration's member without a tuple.
            return Ok(Node::Call(class.clone(), vec![arguments]));
        }
        let Node::Tuple(arguments) = self.node(arguments) else {
            return Err(self.malformed("calls a function without a tuple"));
        };
        if let Node::Opaque(class) = self.node(callee) {
            let made = arguments.first().filter(|_| CONSTRUCTORS.contains(&&**class)).map(|&class| self.node(class));
            return Ok(Node::Opaque(match made {
                Some(Node::Opaque(made)) => made.clone(),
                _ => class.clone(),
            }));
        }
        if arguments.len() > ARGUMENT_LIMIT {
            return Err(self.malformed("calls a function with too many arguments"));
        }
        let arguments = arguments.clone();
        if let Some(class) = class {
            return Ok(if arguments.is_empty() { Node::Instance(class, None) } else { Node::Call(class, arguments) });
        }
        if let &Node::Numpy(numpy) = self.node(callee) {
            let made = self.call_numpy(numpy, &arguments)?;
            return Ok(made.unwrap_or_else(|| Node::Opaque("value of NumPy that is no number".into())));
        }
        let Node::Global(global) = *self.node(callee) else { return Err(self.malformed("calls what is no function")) };
        let wrong =
            |machine: &Machine, what: &str| Err(machine.malformed(format!("{what} has other arguments than expected")));
        match (global, &arguments[..]) {
            // A list is one object however it is tagged, so that the node is the same value.
            (Global::First, &[value, ..]) => Ok(self.node(value).clone()),
            (Global::OrderedDict, []) | (Global::DefaultDict, _) => Ok(Node::dict()),
            (Global::OrderedDict, &[entries]) => match self.node(entries) {
                Node::Dict(dict) => Ok(Node::Dict(dict.clone())),
                // Python 2 writes a list of pairs.
                Node::List(pairs) => self.dict_of(&pairs.clone()),
                _ => wrong(self, "collections.OrderedDict"),
            },
            (Global::Set, []) => Ok(Node::List(Vec::new())),
            (Global::Set, &[items]) => match self.node(items) {
                Node::List(items) | Node::Tuple(items) => Ok(Node::List(items.clone())),
                _ => wrong(self, "set"),
            },
            (Global::ByteArray, []) => Ok(Node::Bytes([].into())),
            (Global::ByteArray, &[bytes]) => match self.node(bytes) {
                Node::Bytes(bytes) => Ok(Node::Bytes(bytes.clone())),
                _ => wrong(self, "bytearray"),
            },
            (Global::FromType, &[function, _, arguments, ..]) => match self.node(function) {
                Node::Global(Global::Tensor | Global::Parameter) | Node::Opaque(_) => self.call(function, arguments),
                _ => wrong(self, "torch._tensor._rebuild_from_type_v2"),
            },
            (Global::Size, &[sizes]) => match self.node(sizes) {
                Node::Tuple(sizes) if sizes.len() <= RANK_LIMIT => Ok(Node::Tuple(sizes.clone())),
                _ => wrong(self, "torch.Size"),
            },
            (Global::Device, &[kind] | &[kind, _]) => match self.node(kind) {
                Node::Str(kind) => Ok(Node::Str(kind)),
                _ => wrong(self, "torch.device"),
            },
            (Global::Parameter, &[data, ..]) => match self.node(data) {
                Node::Tensor(view) => Ok(Node::Tensor(view.clone())),
                Node::Opaque(class) => Ok(Node::Opaque(class.clone())),
                _ => wrong(self, "torch._utils._rebuild_parameter"),
            },
            (Global::Encode | Global::ByteArray, &[text, encoding]) => match (self.node(text), self.node(encoding)) {
                (Node::Str(text), Node::Str("latin1" | "latin-1")) => {
                    let text = *text;
                    self.charge_made(text.len())?;
                    let bytes = text
                        .chars()
                        .map(|character| u8::try_from(u32::from(character)).ok())
                        .collect::<Option<Vec<u8>>>();
                    bytes
                        .map(|bytes| Node::Bytes(bytes.into()))
                        .ok_or_else(|| self.malformed("bytes of more than 8 bits"))
                }
                _ => wrong(self, "_codecs.encode"),
            },
            (Global::Tensor, &[storage, offset, sizes, strides, ref rest @ ..]) => {
                let requires_grad = rest.first().is_some_and(|&flag| matches!(self.node(flag), Node::Bool(true)));
                let storage = match self.node(storage) {
                    &Node::Storage(storage) => storage,
                    Node::Opaque(class) => return Ok(Node::Opaque(class.clone())),
                    _ => return wrong(self, "torch._utils._rebuild_tensor"),
                };
                let (offset, sizes, strides) = (self.natural(offset)?, self.naturals(sizes)?, self.naturals(strides)?);
                let mut view = self.storages.view(storage, offset, &sizes, &strides)?;
                view.requires_grad = requires_grad;
                Ok(Node::Tensor(view.into()))
            }
            _ => wrong(self, "a function"),
        }
    }

    /// A dictionary of a list of pairs.
    fn dict_of(&mut self, pairs: &[NodeId]) -> Result<Node<'p>> {
        let mut entries = Vec::with_capacity(2 * pairs.len());
        for &pair in pairs {
            match self.node(pair) {
                Node::List(pair) | Node::Tuple(pair) if pair.len() == 2 => entries.extend(pair),
                _ => return Err(self.malformed("a dictionary of items that are no pairs")),
            }
        }
        let dict = self.add(Node::dict())?;
        self.set_items(dict, &entries)?;
        Ok(self.node(dict).clone())
    }

    /// The storage of a persistent id: `("storage", class, key, location, elements)`, and in files
    /// from before version 1.6 `view`, which is none or `(key, first element, elements)`; or the
    /// class of
    /// `("module", class, file, source)`.
    pub(super) fn persistent(&mut self, id: NodeId) -> Result<Node<'p>> {
        let malformed = self.malformed("a persistent id that names no storage");
        let Node::Tuple(parts) = self.node(id) else { return Err(malformed) };
        let (class, key, elements, view) = match (parts.first().map(|&kind| self.node(kind)), &parts[..]) {
            (Some(Node::Str("storage")), &[_, class, key, _location, elements]) => (class, key, elements, None),
            (Some(Node::Str("storage")), &[_, class, key, _location, elements, view]) => {
                (class, key, elements, Some(view))
            }
            (Some(Node::Str("module")), &[_, class, ..]) => return Ok(self.node(class).clone()),
            _ => return Err(malformed),
        };
        let elements = self.natural(elements)?;
        let Node::Str(key) = self.node(key) else { return Err(malformed) };
        let key = *key;
        if key.len() > KEY_LIMIT {
            return Err(malformed);
        }
        let dtype = match self.node(class) {
            Node::Global(Global::Storage(dtype)) => *dtype,
            Node::Opaque(class) => {
                let class = class.clone();
                self.storages.skip(key, &class, elements)?;
                return Ok(Node::Opaque(class));
            }
            _ => return Err(malformed),
        };
        let storage = self.storages.get(key, dtype, elements)?;
        let Some(view) = view else { return Ok(Node::Storage(storage)) };
        match self.node(view) {
            Node::None => Ok(Node::Storage(storage)),
            Node::Tuple(parts) => {
                let &[_, first, elements] = &parts[..] else { return Err(malformed) };
                let (first, elements) = (self.natural(first)?, self.natural(elements)?);
                self.storages.part(storage, first, elements).map(Node::Storage)
            }
            _ => Err(malformed),
        }
    }

    fn natural(&self, node: NodeId) -> Result<u64> {
        match self.node(node) {
            Node::Int(value) => {
                u64::try_from(*value).map_err(|_| self.malformed(format!("a size or stride of {value}")))
            }
            _ => Err(self.malformed("a size that is no number")),
        }
    }

    pub(super) fn naturals(&self, node: NodeId) -> Result<Vec<u64>> {
        match self.node(node) {
            Node::Tuple(values) if values.len() <= RANK_LIMIT => {
                values.iter().map(|&value| self.natural(value)).collect()
            }
            _ => Err(self.malformed("sizes that are no tuple of at most 64")),
        }
    }
}
