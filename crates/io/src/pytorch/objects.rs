//! The pickles of a TorchScript archive: values that refer to each other, with instances of the
//! archive's own classes.
//!
//! A checkpoint is a tree. A module shares submodules and lists, so its values form a graph.
//! Classes are only names: none of their code runs.

use super::{
    FORMAT, PICKLE_LIMIT,
    storage::Storages,
    unpickle::{Machine, Node},
};
use crate::{Error, Result, TensorData, zip::Archive};
use std::collections::HashMap;

/// The values of a pickle; they refer to one another by their indices.
#[derive(Debug)]
pub struct Objects<'a> {
    /// The values.
    pub values: Vec<ObjectValue>,
    /// The tensors, each view of a storage once.
    pub tensors: Vec<ObjectTensor<'a>>,
    /// The index of the pickle's value.
    pub root: usize,
}

/// A tensor of a pickle.
#[derive(Debug)]
pub struct ObjectTensor<'a> {
    /// Its elements.
    pub data: TensorData<'a>,
    /// Whether it is trained.
    pub requires_grad: bool,
}

/// A value of a pickle.
#[derive(Debug)]
pub enum ObjectValue {
    /// `None`.
    None,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(String),
    /// A list, by the indices of its items.
    List(Vec<usize>),
    /// A tuple.
    Tuple(Vec<usize>),
    /// A dictionary.
    Dict(Vec<(usize, usize)>),
    /// A tensor, by its index among the tensors.
    Tensor(usize),
    /// An instance of a class, with the value of its attributes.
    Instance {
        /// The qualified name of the class.
        class: String,
        /// The dictionary of attributes, or the argument of `__setstate__`.
        state: Option<usize>,
    },
    /// The result of calling a class with a tuple: a member of an enumeration.
    Call {
        /// The qualified name of the class.
        class: String,
        /// The arguments.
        arguments: Vec<usize>,
    },
    /// An object that is not a value: a class or a storage.
    Other,
}

/// Reads a pickle of a TorchScript archive. `prefix` is where the entries of its storages begin:
/// `model/data/`.
///
/// # Errors
///
/// Malformed or unsupported contents, and limits, as for a checkpoint.
pub fn objects<'a>(archive: &Archive<'a>, pickle: &str, prefix: &str) -> Result<Objects<'a>> {
    let entry = archive.find(pickle);
    let entry = entry.ok_or_else(|| Error::unsupported(FORMAT, format!("the archive holds no {pickle:?}")))?;
    if entry.size > PICKLE_LIMIT {
        return Err(Error::too_large(FORMAT, format!("a pickle of {} bytes, more than {PICKLE_LIMIT}", entry.size)));
    }
    let program = archive.read(entry)?;
    let mut machine = Machine::new(&program, Storages::new(archive.directory(), prefix)).with_objects();
    let root = machine.execute()? as usize;
    let contents = machine.storages.read(archive)?;
    let mut budget = (64u64 << 20) + 16 * archive.length() as u64;
    let mut charge = |bytes: usize| -> Result<()> {
        let left = budget.checked_sub(bytes as u64);
        budget =
            left.ok_or_else(|| Error::too_large(FORMAT, "the archive expands its tensors to many times its size"))?;
        Ok(())
    };
    let mut tensors = Vec::new();
    let mut seen = HashMap::new();
    let indices = |ids: &[u32]| ids.iter().map(|&id| id as usize).collect::<Vec<usize>>();
    let mut values = Vec::with_capacity(machine.nodes().len());
    for node in machine.nodes() {
        values.push(match node {
            Node::None => ObjectValue::None,
            Node::Bool(value) => ObjectValue::Bool(*value),
            Node::Int(value) => ObjectValue::Int(*value),
            Node::Float(value) => ObjectValue::Float(*value),
            Node::Str(text) => {
                charge(text.len())?;
                ObjectValue::Str(text.to_string())
            }
            Node::List(ids) => ObjectValue::List(indices(ids)),
            Node::Tuple(ids) => ObjectValue::Tuple(indices(ids)),
            Node::Dict(dict) => {
                ObjectValue::Dict(dict.entries().iter().map(|&(key, value)| (key as usize, value as usize)).collect())
            }
            Node::Tensor(view) => match seen.get(&view.identity()) {
                Some(&index) => ObjectValue::Tensor(index),
                None => {
                    charge(machine.storages.copied(view))?;
                    let data = contents.tensor(view)?;
                    tensors.push(ObjectTensor { data, requires_grad: view.requires_grad });
                    seen.insert(view.identity(), tensors.len() - 1);
                    ObjectValue::Tensor(tensors.len() - 1)
                }
            },
            Node::Instance(class, state) => {
                charge(class.len())?;
                ObjectValue::Instance { class: class.to_string(), state: state.map(|id| id as usize) }
            }
            Node::Call(class, arguments) => {
                charge(class.len())?;
                ObjectValue::Call { class: class.to_string(), arguments: indices(arguments) }
            }
            Node::Bytes(_)
            | Node::Global(_)
            | Node::Class(_)
            | Node::Storage(_)
            | Node::Numpy(_)
            | Node::NumpyType(_)
            | Node::Array(_)
            | Node::Opaque(_) => ObjectValue::Other,
        });
    }
    Ok(Objects { values, tensors, root })
}
