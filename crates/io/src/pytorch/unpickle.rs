//! The machine that runs the pickle of a checkpoint.
//!
//! Values are nodes that refer to one another by number, because a pickle may use a value several
//! times and change it later. The tree is made at the end. That step bounds its depth, which
//! rejects cycles, and charges the result against a budget, which rejects exponential repetition.
//!
//! A value of an unknown class is opaque: nothing of it runs, its state is dropped, and
//! the tree refuses it by its name or leaves it out.

use super::{
    FORMAT, LeftOut,
    numpy::{Array, Descriptor, Numpy},
    rebuild::{Global, lookup, lookup_object},
    storage::{Storage, Storages, View},
};
use crate::{Error, Reader, Result, TensorData, Value, pickle::*};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The most values that a pickle may make.
const NODE_LIMIT: usize = 2 << 20;

/// The deepest nesting of containers.
const DEPTH_LIMIT: usize = 100;

/// The longest key in bytes. The same text may be a key of many dictionaries, and is hashed for
/// each.
const KEY_LIMIT: usize = 4096;

/// The number of a node.
pub(super) type NodeId = u32;

/// A value that the pickle made.
#[derive(Clone)]
pub(super) enum Node<'p> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'p str),
    Bytes(Rc<[u8]>),
    List(Vec<NodeId>),
    Tuple(Vec<NodeId>),
    Dict(Box<Dict<'p>>),
    Global(Global),
    Storage(Storage),
    Tensor(Rc<View>),
    /// A function of NumPy, an element type, and an array, which has no elements before its state.
    Numpy(Numpy),
    NumpyType(Descriptor),
    Array(Option<Rc<Array>>),
    /// A class that is not known, or its result, by its name.
    Opaque(Rc<str>),
    /// A class of a TorchScript archive, an instance with its state, and a call with arguments.
    Class(Rc<str>),
    Instance(Rc<str>, Option<NodeId>),
    Call(Rc<str>, Vec<NodeId>),
}

/// The entries of a dictionary, and its keys, which must be unique.
#[derive(Clone, Default)]
pub(super) struct Dict<'p> {
    entries: Vec<(NodeId, NodeId)>,
    keys: HashSet<Key<'p>>,
}

/// A key, by its value.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<'p> {
    None,
    Number(i64),
    Float(u64),
    Str(&'p str),
    Tuple(Vec<Key<'p>>),
    /// A value of an unknown class, by its number.
    Opaque(NodeId),
}

impl Dict<'_> {
    /// The entries in their order.
    pub fn entries(&self) -> &[(NodeId, NodeId)] {
        &self.entries
    }
}

impl Node<'_> {
    pub fn dict() -> Self {
        Node::Dict(Box::default())
    }
}

/// A stack machine like Python's `pickle.Unpickler`.
pub(super) struct Machine<'p, 's> {
    reader: Reader<'p>,
    nodes: Vec<Node<'p>>,
    stack: Vec<NodeId>,
    /// The stack heights at which open containers begin.
    marks: Vec<usize>,
    memo: HashMap<u32, NodeId>,
    pub storages: Storages<'s>,
    /// Whether classes of a TorchScript archive are allowed.
    objects: bool,
    /// How many bytes may still be made of texts, which a pickle can name again and again.
    made: usize,
}

impl<'p, 's> Machine<'p, 's> {
    pub fn new(program: &'p [u8], storages: Storages<'s>) -> Machine<'p, 's> {
        let reader = Reader::new(program, FORMAT);
        let (nodes, stack, marks, memo) = (Vec::new(), Vec::new(), Vec::new(), HashMap::new());
        Machine { reader, nodes, stack, marks, memo, storages, objects: false, made: 2 * program.len() }
    }

    /// The same machine for a pickle of a TorchScript archive.
    pub fn with_objects(mut self) -> Self {
        self.objects = true;
        self
    }

    /// The values that the pickle made.
    pub fn nodes(&self) -> &[Node<'p>] {
        &self.nodes
    }

    /// The tree of a value. It may take `budget` bytes more than the file. Values of unknown
    /// classes are an error, or noted in `left`.
    pub fn tree(&self, root: NodeId, budget: u64, left: Option<&mut Vec<LeftOut>>) -> Result<Value<Leaf>> {
        let mut tree = Tree { machine: self, budget, depth: 0, path: String::new(), left };
        Ok(tree.value(root)?.unwrap_or(Value::None))
    }

    /// Runs the program, which ends with the bytes. Returns the resulting value.
    pub fn execute(&mut self) -> Result<NodeId> {
        let (root, _) = self.execute_first()?;
        if self.reader.left() > 0 {
            return Err(self.malformed("the pickle ends with more than one value"));
        }
        Ok(root)
    }

    /// Runs the program that the bytes begin with. Returns the resulting value, and the program's
    /// length.
    pub fn execute_first(&mut self) -> Result<(NodeId, usize)> {
        let version = (self.reader.u8("the pickle")?, self.reader.u8("the pickle")?);
        if version.0 != PROTO || !(2..=5).contains(&version.1) {
            return Err(Error::unsupported(FORMAT, "a pickle of another protocol than 2 to 5"));
        }
        loop {
            match self.reader.u8("the pickle")? {
                STOP => break,
                opcode => self.step(opcode)?,
            }
        }
        let root = self.pop()?;
        if !self.stack.is_empty() || !self.marks.is_empty() {
            return Err(self.malformed("the pickle ends with more than one value"));
        }
        Ok((root, self.reader.at()))
    }

    /// The meaning of a global name.
    fn global(&self, module: &str, name: &str) -> Result<Node<'p>> {
        match self.objects {
            true => lookup_object(module, name),
            false => Ok(lookup(module, name)),
        }
    }

    /// Counts bytes that are made of a text of the pickle.
    pub fn charge_made(&mut self, bytes: usize) -> Result<()> {
        let left = self.made.checked_sub(bytes);
        self.made = left.ok_or_else(|| Error::too_large(FORMAT, "a pickle that makes bytes of the same text again"))?;
        Ok(())
    }

    /// Replaces a value.
    pub fn replace(&mut self, id: NodeId, node: Node<'p>) {
        self.nodes[id as usize] = node;
    }

    pub fn malformed(&self, message: impl Into<String>) -> Error {
        self.reader.malformed(message).concerning("data.pkl")
    }

    pub fn node(&self, id: NodeId) -> &Node<'p> {
        &self.nodes[id as usize]
    }

    pub fn add(&mut self, node: Node<'p>) -> Result<NodeId> {
        if self.nodes.len() == NODE_LIMIT {
            return Err(Error::too_large(FORMAT, format!("a pickle of more than {NODE_LIMIT} values")));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as NodeId - 1)
    }

    fn push(&mut self, node: Node<'p>) -> Result<()> {
        let id = self.add(node)?;
        self.push_id(id)
    }

    /// A value can be on the stack several times without a new node, so the stack needs a limit as
    /// well.
    fn push_id(&mut self, id: NodeId) -> Result<()> {
        if self.stack.len() == NODE_LIMIT {
            return Err(Error::too_large(FORMAT, format!("a pickle with more than {NODE_LIMIT} open values")));
        }
        self.stack.push(id);
        Ok(())
    }

    /// Pops the last value; values below the last mark cannot be reached.
    fn pop(&mut self) -> Result<NodeId> {
        let bottom = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() == bottom {
            return Err(self.malformed("takes a value where there is none"));
        }
        self.stack.pop().ok_or_else(|| self.malformed("takes a value where there is none"))
    }

    /// The top of the stack, without popping it.
    fn top(&mut self) -> Result<NodeId> {
        let top = self.pop()?;
        self.stack.push(top);
        Ok(top)
    }

    fn since_mark(&mut self) -> Result<Vec<NodeId>> {
        let mark = self.marks.pop().ok_or_else(|| self.malformed("ends a container that was not begun"))?;
        Ok(self.stack.split_off(mark))
    }

    fn tuple(&mut self, count: usize) -> Result<()> {
        let mut values = (0..count).map(|_| self.pop()).collect::<Result<Vec<NodeId>>>()?;
        values.reverse();
        self.push(Node::Tuple(values))
    }

    fn text(&mut self, length: u64) -> Result<()> {
        let bytes = self.reader.take_u64(length, "a text")?;
        let text = self.reader.text(bytes, "a text of the pickle")?;
        self.push(Node::Str(text))
    }

    /// A text of Python 2, which may be bytes.
    fn old_text(&mut self, length: u64) -> Result<()> {
        let bytes = self.reader.take_u64(length, "a text")?;
        self.push(std::str::from_utf8(bytes).map_or_else(|_| Node::Bytes(bytes.into()), Node::Str))
    }

    fn bytes(&mut self, length: u64) -> Result<()> {
        let bytes = self.reader.take_u64(length, "bytes")?.into();
        self.push(Node::Bytes(bytes))
    }

    fn step(&mut self, opcode: u8) -> Result<()> {
        match opcode {
            // A frame is a hint for streaming readers.
            FRAME => self.reader.take(8, "a frame").map(|_| ()),
            MARK => {
                if self.marks.len() == NODE_LIMIT {
                    return Err(Error::too_large(
                        FORMAT,
                        format!("a pickle with more than {NODE_LIMIT} open containers"),
                    ));
                }
                self.marks.push(self.stack.len());
                Ok(())
            }
            POP => match self.marks.last() {
                // Python's machine has marks on its stack.
                Some(&mark) if mark == self.stack.len() => self.since_mark().map(|_| ()),
                _ => self.pop().map(|_| ()),
            },
            DUP => {
                let top = self.top()?;
                self.push_id(top)
            }
            POP_MARK => self.since_mark().map(|_| ()),
            NONE => self.push(Node::None),
            NEWTRUE => self.push(Node::Bool(true)),
            NEWFALSE => self.push(Node::Bool(false)),
            BININT => self.reader.i32("a number").and_then(|value| self.push(Node::Int(value.into()))),
            BININT1 => self.reader.u8("a number").and_then(|value| self.push(Node::Int(value.into()))),
            BININT2 => self.reader.u16("a number").and_then(|value| self.push(Node::Int(value.into()))),
            LONG1 => {
                let length = self.reader.u8("a number")?;
                self.long(length.into())
            }
            LONG4 => {
                let length = self.reader.u32("a number")?;
                self.long(length as usize)
            }
            BINFLOAT => {
                let value = f64::from_be_bytes(self.reader.array("a number")?);
                self.push(Node::Float(value))
            }
            SHORT_BINUNICODE => self.reader.u8("a text").and_then(|length| self.text(length.into())),
            BINUNICODE => self.reader.u32("a text").and_then(|length| self.text(length.into())),
            BINUNICODE8 => self.reader.u64("a text").and_then(|length| self.text(length)),
            SHORT_BINSTRING => self.reader.u8("a text").and_then(|length| self.old_text(length.into())),
            BINSTRING => self.reader.u32("a text").and_then(|length| self.old_text(length.into())),
            SHORT_BINBYTES => self.reader.u8("bytes").and_then(|length| self.bytes(length.into())),
            BINBYTES => self.reader.u32("bytes").and_then(|length| self.bytes(length.into())),
            BINBYTES8 | BYTEARRAY8 => self.reader.u64("bytes").and_then(|length| self.bytes(length)),
            EMPTY_LIST | EMPTY_SET => self.push(Node::List(Vec::new())),
            FROZENSET => {
                let values = self.since_mark()?;
                self.push(Node::List(values))
            }
            EMPTY_DICT => self.push(Node::dict()),
            EMPTY_TUPLE => self.tuple(0),
            TUPLE1 => self.tuple(1),
            TUPLE2 => self.tuple(2),
            TUPLE3 => self.tuple(3),
            TUPLE => {
                let values = self.since_mark()?;
                self.push(Node::Tuple(values))
            }
            APPEND => {
                let value = self.pop()?;
                self.append(&[value])
            }
            APPENDS | ADDITEMS => {
                let values = self.since_mark()?;
                self.append(&values)
            }
            SETITEM => {
                let (value, key) = (self.pop()?, self.pop()?);
                let dict = self.top()?;
                self.set_items(dict, &[key, value])
            }
            SETITEMS => {
                let items = self.since_mark()?;
                let dict = self.top()?;
                self.set_items(dict, &items)
            }
            GLOBAL => {
                let (module, name) = (self.line()?, self.line()?);
                let global = self.global(module, name)?;
                self.push(global)
            }
            STACK_GLOBAL => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Node::Str(module), Node::Str(name)) = (self.node(module), self.node(name)) else {
                    return Err(self.malformed("a class whose name is no text"));
                };
                let global = self.global(module, name)?;
                // The names may be texts that are kept.
                if let Node::Opaque(class) = &global {
                    self.charge_made(class.len())?;
                }
                self.push(global)
            }
            REDUCE | NEWOBJ => {
                let (arguments, callee) = (self.pop()?, self.pop()?);
                let result = self.call(callee, arguments)?;
                self.push(result)
            }
            NEWOBJ_EX => {
                let (_named, arguments, callee) = (self.pop()?, self.pop()?, self.pop()?);
                let result = self.call(callee, arguments)?;
                self.push(result)
            }
            BUILD => self.build(),
            BINPERSID => {
                let id = self.pop()?;
                let storage = self.persistent(id)?;
                self.push(storage)
            }
            BINPUT => self.reader.u8("the memo").and_then(|index| self.put(index.into())),
            LONG_BINPUT => self.reader.u32("the memo").and_then(|index| self.put(index)),
            MEMOIZE => self.put(self.memo.len() as u32),
            BINGET => self.reader.u8("the memo").and_then(|index| self.get(index.into())),
            LONG_BINGET => self.reader.u32("the memo").and_then(|index| self.get(index)),
            _ => Err(Error::unsupported(FORMAT, format!("data.pkl: opcode 0x{opcode:02x} of the pickle"))),
        }
    }

    fn line(&mut self) -> Result<&'p str> {
        let line = self.reader.until(b'\n', "a class's name")?;
        self.reader.text(line, "a class's name")
    }

    /// An integer of this many bytes, of which up to 8 are supported.
    fn long(&mut self, length: usize) -> Result<()> {
        let bytes = self.reader.take(length, "a number")?;
        if length > 8 {
            return Err(Error::unsupported(FORMAT, "data.pkl: a whole number of more than 64 bits"));
        }
        let negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
        let mut value = [if negative { 0xff } else { 0 }; 8];
        value[..length].copy_from_slice(bytes);
        self.push(Node::Int(i64::from_le_bytes(value)))
    }

    fn put(&mut self, index: u32) -> Result<()> {
        let top = self.top()?;
        if self.memo.len() == NODE_LIMIT {
            return Err(Error::too_large(FORMAT, format!("a pickle that keeps more than {NODE_LIMIT} values")));
        }
        self.memo.insert(index, top);
        Ok(())
    }

    fn get(&mut self, index: u32) -> Result<()> {
        let id = self.memo.get(&index).copied();
        let id = id.ok_or_else(|| self.malformed(format!("asks for value {index}, which was not kept")))?;
        self.push_id(id)
    }

    fn append(&mut self, values: &[NodeId]) -> Result<()> {
        let list = self.top()?;
        match &mut self.nodes[list as usize] {
            Node::List(list) => {
                list.extend(values);
                Ok(())
            }
            Node::Opaque(_) => Ok(()),
            _ => Err(self.malformed("appends to what is no list")),
        }
    }

    /// Inserts alternating keys and values into a dictionary.
    pub fn set_items(&mut self, dict: NodeId, items: &[NodeId]) -> Result<()> {
        if items.len() % 2 == 1 {
            return Err(self.malformed("a key without a value"));
        }
        if matches!(self.node(dict), Node::Opaque(_)) {
            return Ok(());
        }
        for pair in items.chunks_exact(2) {
            let key = self.key(pair[0], 0)?;
            let Node::Dict(dict) = &mut self.nodes[dict as usize] else {
                return Err(self.malformed("sets an entry of what is no dictionary"));
            };
            if !dict.keys.insert(key) {
                return Err(self.malformed("a key occurs twice in a dictionary"));
            }
            dict.entries.push((pair[0], pair[1]));
        }
        Ok(())
    }

    fn key(&self, node: NodeId, depth: usize) -> Result<Key<'p>> {
        Ok(match self.node(node) {
            Node::None => Key::None,
            // In Python, True and 1 are the same key.
            Node::Bool(value) => Key::Number((*value).into()),
            Node::Int(value) => Key::Number(*value),
            Node::Float(value) => Key::Float(value.to_bits()),
            Node::Str(text) if text.len() <= KEY_LIMIT => Key::Str(text),
            Node::Tuple(values) if depth < 4 && values.len() <= 16 => {
                Key::Tuple(values.iter().map(|&value| self.key(value, depth + 1)).collect::<Result<_>>()?)
            }
            Node::Opaque(_) | Node::Array(_) => Key::Opaque(node),
            _ => return Err(Error::unsupported(FORMAT, "data.pkl: a key that is neither a number nor a short text")),
        })
    }

    /// Sets attributes of an object. The `OrderedDict` of a state dict has some (`_metadata`, the
    /// versions of the modules), which are not needed here.
    fn build(&mut self) -> Result<()> {
        let state = self.pop()?;
        let object = self.top()?;
        if matches!(self.node(object), Node::NumpyType(_) | Node::Array(_)) {
            if !self.build_numpy(object, state)? {
                self.replace(object, Node::Opaque("array of NumPy without numbers".into()));
            }
            return Ok(());
        }
        match &mut self.nodes[object as usize] {
            // A tensor with attributes, a set, and an opaque value.
            Node::Dict(_) | Node::Tensor(_) | Node::List(_) | Node::Opaque(_) => Ok(()),
            Node::Instance(_, set @ None) => {
                *set = Some(state);
                Ok(())
            }
            _ => Err(self.malformed("attributes of what can have none")),
        }
    }
}

/// A tensor in the tree of a checkpoint.
pub(super) enum Leaf {
    /// A view of a storage.
    View(Rc<View>),
    /// An array of NumPy, whose elements are in the pickle.
    Array(Rc<Array>),
}

/// Builds the tree of a root, within a budget.
struct Tree<'m, 'p, 's> {
    machine: &'m Machine<'p, 's>,
    budget: u64,
    depth: usize,
    /// The keys and indices that lead to the value, joined by dots.
    path: String,
    /// Where values of unknown classes are noted; they are an error if `None`.
    left: Option<&'m mut Vec<LeftOut>>,
}

impl Tree<'_, '_, '_> {
    fn charge(&mut self, bytes: usize) -> Result<()> {
        let left = self.budget.checked_sub(bytes as u64);
        self.budget = left.ok_or_else(|| {
            Error::too_large(FORMAT, "the checkpoint repeats or expands its values to many times its size")
        })?;
        Ok(())
    }

    /// Notes a value of an unknown class.
    fn leave_out(&mut self, class: &str) -> Result<()> {
        let path = if self.path.is_empty() { "the root" } else { &self.path };
        if self.left.is_none() {
            let (class, path) = (class.escape_debug(), path.escape_debug());
            let message = format!(
                "the checkpoint holds a {class} ({path}); only tensors and plain values are read, and loading tensors \
                 only leaves it out"
            );
            return Err(Error::unsupported(FORMAT, message));
        }
        self.charge(size_of::<LeftOut>() + self.path.len() + class.len())?;
        if let Some(left) = &mut self.left {
            left.push(LeftOut { path: self.path.clone(), class: class.to_string() });
        }
        Ok(())
    }

    /// The value under a key or an index.
    fn below(&mut self, key: &str, id: NodeId) -> Result<Option<Value<Leaf>>> {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        let value = self.value(id);
        self.path.truncate(length);
        value
    }

    /// The tree of a value; `None` for one that is left out.
    fn value(&mut self, id: NodeId) -> Result<Option<Value<Leaf>>> {
        if self.depth == DEPTH_LIMIT {
            return Err(Error::too_large(
                FORMAT,
                format!("containers more than {DEPTH_LIMIT} deep, or one that contains itself"),
            ));
        }
        self.depth += 1;
        self.charge(size_of::<Value<TensorData>>())?;
        let machine = self.machine;
        let value = match machine.node(id) {
            Node::None => Value::None,
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(*value),
            Node::Float(value) => Value::Float(*value),
            Node::Str(text) => {
                self.charge(text.len())?;
                Value::Str(text.to_string())
            }
            Node::Bytes(bytes) => {
                self.charge(bytes.len())?;
                Value::Bytes(bytes.to_vec())
            }
            Node::List(values) => Value::List(self.values(values)?),
            Node::Tuple(values) => Value::Tuple(self.values(values)?),
            Node::Dict(dict) => {
                let mut entries = Vec::with_capacity(dict.entries.len());
                for &(key, value) in &dict.entries {
                    let Some(key) = self.value(key)? else { continue };
                    if let Some(value) = self.below(&key.short(), value)? {
                        entries.push((key, value));
                    }
                }
                Value::Dict(entries)
            }
            Node::NumpyType(descriptor) => Value::Str(descriptor.name().to_string()),
            Node::Array(array) => {
                self.charge(array.as_ref().map_or(0, |array| array.length()))?;
                let array = array.clone();
                let empty = || Error::malformed(FORMAT, 0u64, "an array without elements");
                Value::Tensor(Leaf::Array(array.ok_or_else(empty)?))
            }
            Node::Opaque(class) => {
                self.leave_out(class)?;
                self.depth -= 1;
                return Ok(None);
            }
            Node::Tensor(view) => {
                self.charge(machine.storages.copied(view))?;
                Value::Tensor(Leaf::View(view.clone()))
            }
            Node::Global(_)
            | Node::Numpy(_)
            | Node::Storage(_)
            | Node::Class(_)
            | Node::Instance(..)
            | Node::Call(..) => {
                self.leave_out("class or storage without a tensor")?;
                self.depth -= 1;
                return Ok(None);
            }
        };
        self.depth -= 1;
        Ok(Some(value))
    }

    /// Items by their indices; one that is left out is none.
    fn values(&mut self, ids: &[NodeId]) -> Result<Vec<Value<Leaf>>> {
        let items = ids.iter().enumerate();
        items.map(|(index, &id)| Ok(self.below(&index.to_string(), id)?.unwrap_or(Value::None))).collect()
    }
}
