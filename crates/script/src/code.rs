//! The compiler's output: functions as instructions of a stack machine, classes, constants, types.

use crate::{
    Source,
    ast::{BinaryOp, CompareOp, UnaryOp},
    builtins::Builtin,
    compiler::Type,
};
use std::{collections::HashMap, rc::Rc};

/// An instruction. It pops its operands from a stack of values, the last one first.
#[derive(Clone, Debug)]
pub(crate) enum Instr {
    /// Pushes a constant.
    Constant(u32),
    /// Pushes a local variable.
    Load(u32),
    /// Pops into a local variable.
    Store(u32),
    /// Deletes a local variable.
    Delete(u32),
    Pop,
    /// Duplicates the last value.
    Copy,
    /// Exchanges the last two values.
    Swap,
    /// Moves the last value below the two before it.
    Rotate,
    /// Creates a list, a tuple or a dictionary (from pairs) of the last values.
    List(u32),
    Tuple(u32),
    Dict(u32),
    /// Appends to the list N values below the top.
    Append(u32),
    /// Inserts a key and a value into the dictionary N values below the top.
    Insert(u32),
    /// Appends all items of an iterable to the list below it.
    Extend,
    /// Formats a value with a conversion and a constant format.
    Format(Option<char>, u32),
    /// Concatenates the last strings.
    Join(u32),
    /// Unpacks a tuple or a list of this length. The first item ends on top.
    Unpack(u32),
    /// Unpacks a sequence with a starred target, between these numbers of items at the start and
    /// the end.
    UnpackStarred(u32, u32),
    /// Reads, sets or deletes the attribute whose name is this constant.
    Attribute(u32),
    SetAttribute(u32),
    DeleteAttribute(u32),
    /// `object[index]`, `object[index] = value`, `del object[index]`, `object[index] op= value`.
    Index,
    SetIndex,
    DeleteIndex,
    AugmentIndex(BinaryOp),
    /// Makes a slice of the last three values.
    Slice,
    /// Calls a value below its arguments.
    Call(Arguments),
    /// Calls a method of the value below the arguments. Its name is a constant.
    Method(u32, Arguments),
    /// Calls a built-in function.
    Builtin(u32, Arguments),
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// Applies the in-place form of an operator, for an augmented assignment.
    Augment(BinaryOp),
    Compare(CompareOp),
    /// Whether the last value is an instance of a constant type.
    IsInstance(u32),
    Jump(u32),
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    /// Jumps and keeps the value, or pops it.
    JumpIfFalseOrPop(u32),
    JumpIfTrueOrPop(u32),
    /// Replaces an iterable by an iterator.
    Iterate,
    /// Pushes the iterator's next item, or pops the iterator and jumps.
    Next(u32),
    /// Enters the context of a `with`. Pushes the result of `__enter__` above the manager.
    Enter,
    /// Exits the context of the manager.
    Exit,
    Return,
    /// Raises the exception.
    Raise,
    /// Raises an `AssertionError` with a message.
    AssertionError,
}

/// The layout of a call's arguments on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    /// The number of positional arguments, or a single list of all of them.
    pub positional: u32,
    pub spread: bool,
    /// The constant with the names of keywords. Their values follow the positional arguments.
    pub keywords: Option<u32>,
}

/// The instructions of a function.
#[derive(Debug)]
pub(crate) struct Code {
    pub source: Rc<Source>,
    pub instrs: Vec<Instr>,
    /// The byte offset of each instruction in the source.
    pub offsets: Vec<u32>,
    pub constants: Vec<Constant>,
    pub builtins: Vec<Builtin>,
    /// The names of the local variables, parameters first.
    pub locals: Vec<Rc<str>>,
}

/// A compiled function.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: Rc<str>,
    pub params: Vec<Param>,
    pub code: Code,
}

/// A parameter.
#[derive(Debug)]
pub(crate) struct Param {
    pub name: Rc<str>,
    pub ty: Type,
    pub default: Option<Constant>,
    pub keyword_only: bool,
}

/// The kind of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ClassKind {
    Module,
    Plain,
    NamedTuple,
    Enum,
    Exception,
}

/// A class.
#[derive(Debug)]
pub(crate) struct Class {
    /// The qualified name.
    pub name: Rc<str>,
    pub kind: ClassKind,
    pub methods: HashMap<Rc<str>, Rc<Function>>,
    /// The names of methods that are read as attributes.
    pub properties: Vec<Rc<str>>,
    /// The names of methods without `self`.
    pub statics: Vec<Rc<str>>,
    /// The fields of a named tuple with their defaults, or the attributes of another class.
    pub fields: Vec<(Rc<str>, Option<Constant>)>,
    /// The constants of the class, or the members of an enumeration.
    pub constants: HashMap<Rc<str>, Constant>,
    /// The names of the tensors that are parameters, and of those that are buffers.
    pub parameters: Vec<Rc<str>>,
    pub buffers: Vec<Rc<str>>,
    pub bases: Vec<Rc<str>>,
}

impl Class {
    /// A class without members.
    pub fn new(name: Rc<str>, kind: ClassKind) -> Class {
        Class {
            name,
            kind,
            methods: HashMap::new(),
            properties: Vec::new(),
            statics: Vec::new(),
            fields: Vec::new(),
            constants: HashMap::new(),
            parameters: Vec::new(),
            buffers: Vec::new(),
            bases: Vec::new(),
        }
    }

    /// The name without its path.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// A constant of the code.
#[derive(Clone, Debug)]
pub(crate) enum Constant {
    None,
    Ellipsis,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    Device(Rc<str>),
    List(Vec<Constant>),
    Tuple(Vec<Constant>),
    Dict(Vec<(Constant, Constant)>),
    /// The names of keyword arguments.
    Names(Rc<[Rc<str>]>),
    Type(Rc<Type>),
    /// A function, a class, a member or a constant, by its path.
    Global(Rc<str>),
    /// An entry of the archive's constants.
    Archived(usize),
    /// A built-in function as a value.
    Builtin(Box<Builtin>),
}

/// The item of a path.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Function(Rc<Function>),
    Class(Rc<Class>),
    Constant(Constant),
}

/// The functions and classes of a program by their paths.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub items: HashMap<Rc<str>, Item>,
}

impl Library {
    /// Finds the item of a path. The end of the path suffices for a class.
    pub fn find(&self, path: &str) -> Option<&Item> {
        self.items.get(path)
    }

    /// Iterates over all functions and methods.
    pub fn functions(&self) -> impl Iterator<Item = &Rc<Function>> {
        self.items.values().flat_map(|item| -> Box<dyn Iterator<Item = &Rc<Function>>> {
            match item {
                Item::Function(function) => Box::new(std::iter::once(function)),
                Item::Class(class) => Box::new(class.methods.values()),
                Item::Constant(_) => Box::new(std::iter::empty()),
            }
        })
    }

    /// Finds the class of a path.
    pub fn class(&self, path: &str) -> Option<&Rc<Class>> {
        match self.find(path) {
            Some(Item::Class(class)) => Some(class),
            _ => None,
        }
    }
}
