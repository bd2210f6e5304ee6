//! The classes and functions that a checkpoint may name, and the results of calling them. Nothing
//! else is ever called.

use super::{
    FORMAT,
    unpickle::{Machine, Node, NodeId},
};
use crate::{DType, Error, Result};

/// The highest rank, as in PyTorch.
const RANK_LIMIT: usize = 64;

/// The most arguments of a function on the list.
const ARGUMENT_LIMIT: usize = 8;

/// The longest key of a storage in bytes; a key is a decimal number.
const KEY_LIMIT: usize = 32;

/// A class or function on the list.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Global {
    /// `collections.OrderedDict`.
    OrderedDict,
    /// `torch.Size`: a tuple.
    Size,
    /// `torch._utils._rebuild_tensor` and `_rebuild_tensor_v2`.
    Tensor,
    /// `torch._utils._rebuild_parameter` and `_rebuild_parameter_with_state`: the tensor.
    Parameter,
    /// `torch.FloatStorage` and the like.
    Storage(DType),
    /// `torch.device`: its name.
    Device,
    /// `_codecs.encode`: bytes, as protocol 2 writes them.
    Encode,
    /// `torch.jit._pickle.build_intlist` and the like, and `restore_type_tag`: the first argument.
    First,
}

/// The meaning of a global name in a TorchScript archive, which also has classes of its own.
pub(super) fn lookup_object(module: &str, name: &str) -> Result<Node<'static>> {
    const BUILDERS: [&str; 5] =
        ["build_intlist", "build_tensorlist", "build_doublelist", "build_boollist", "restore_type_tag"];
    match (module, name) {
        ("torch.jit._pickle", name) if BUILDERS.contains(&name) => Ok(Node::Global(Global::First)),
        _ if module == "__torch__" || module.starts_with("__torch__.") => {
            Ok(Node::Class(format!("{module}.{name}").into()))
        }
        _ => lookup(module, name),
    }
}

/// The meaning of a global name: something to call, or a value.
pub(super) fn lookup(module: &str, name: &str) -> Result<Node<'static>> {
    let global = match (module, name) {
        ("collections", "OrderedDict") => Global::OrderedDict,
        ("torch", "Size") => Global::Size,
        ("torch", "device") => Global::Device,
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => Global::Tensor,
        ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => Global::Parameter,
        ("_codecs", "encode") => Global::Encode,
        ("torch" | "torch.storage", name) => match (DType::from_storage(name), DType::from_name(name)) {
            (Some(dtype), _) => Global::Storage(dtype),
            // A dtype as a value is its name.
            (None, Some(dtype)) => return Ok(Node::Str(dtype.name())),
            (None, None) => return Err(refused(module, name)),
        },
        _ => return Err(refused(module, name)),
    };
    Ok(Node::Global(global))
}

fn refused(module: &str, name: &str) -> Error {
    let message = format!(
        "the checkpoint holds a {}.{}; only tensors and plain containers are read",
        module.escape_debug(),
        name.escape_debug()
    );
    Error::unsupported(FORMAT, message)
}

impl<'p> Machine<'p, '_, '_> {
    /// The result of calling a global with a tuple of arguments.
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
        if arguments.len() > ARGUMENT_LIMIT {
            return Err(self.malformed("calls a function with too many arguments"));
        }
        let arguments = arguments.clone();
        if let Some(class) = class {
            return Ok(if arguments.is_empty() { Node::Instance(class, None) } else { Node::Call(class, arguments) });
        }
        let Node::Global(global) = *self.node(callee) else { return Err(self.malformed("calls what is no function")) };
        let wrong =
            |machine: &Machine, what: &str| Err(machine.malformed(format!("{what} has other arguments than expected")));
        match (global, &arguments[..]) {
            // A list is one object however it is tagged, so that the node is the same value.
            (Global::First, &[value, ..]) => Ok(self.node(value).clone()),
            (Global::OrderedDict, []) => Ok(Node::dict()),
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
                _ => wrong(self, "torch._utils._rebuild_parameter"),
            },
            (Global::Encode, &[text, encoding]) => match (self.node(text), self.node(encoding)) {
                (Node::Str(text), Node::Str("latin1")) => {
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
                let Node::Storage(storage) = *self.node(storage) else {
                    return wrong(self, "torch._utils._rebuild_tensor");
                };
                let (offset, sizes, strides) = (self.natural(offset)?, self.naturals(sizes)?, self.naturals(strides)?);
                let mut view = self.storages.view(storage, offset, &sizes, &strides)?;
                view.requires_grad = requires_grad;
                Ok(Node::Tensor(view.into()))
            }
            _ => wrong(self, "a function"),
        }
    }

    /// The storage of a persistent id: `("storage", class, key, location, elements)`.
    pub(super) fn persistent(&mut self, id: NodeId) -> Result<Node<'p>> {
        let malformed = self.malformed("a persistent id that names no storage");
        let Node::Tuple(parts) = self.node(id) else { return Err(malformed) };
        let &[kind, class, key, _location, elements] = &parts[..] else { return Err(malformed) };
        let (Node::Str("storage"), Node::Global(Global::Storage(dtype)), Node::Str(key)) =
            (self.node(kind), self.node(class), self.node(key))
        else {
            return Err(malformed);
        };
        if key.len() > KEY_LIMIT {
            return Err(malformed);
        }
        let (dtype, key, elements) = (*dtype, *key, self.natural(elements)?);
        self.storages.get(key, dtype, elements).map(Node::Storage)
    }

    fn natural(&self, node: NodeId) -> Result<u64> {
        match self.node(node) {
            Node::Int(value) => {
                u64::try_from(*value).map_err(|_| self.malformed(format!("a size or stride of {value}")))
            }
            _ => Err(self.malformed("a size that is no number")),
        }
    }

    fn naturals(&self, node: NodeId) -> Result<Vec<u64>> {
        match self.node(node) {
            Node::Tuple(values) if values.len() <= RANK_LIMIT => {
                values.iter().map(|&value| self.natural(value)).collect()
            }
            _ => Err(self.malformed("sizes that are no tuple of at most 64")),
        }
    }
}
