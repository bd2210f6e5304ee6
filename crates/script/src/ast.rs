//! The syntax tree of a script.

use std::rc::Rc;

/// An expression, and the byte offset of its operator, its first token, or the name of the called
/// function.
#[derive(Debug)]
pub(crate) struct Expr {
    pub at: u32,
    pub kind: ExprKind,
}

/// The kinds of expressions.
#[derive(Debug)]
pub(crate) enum ExprKind {
    None,
    Ellipsis,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    /// An f-string.
    Joined(Vec<Piece>),
    Name(Rc<str>),
    Attribute(Box<Expr>, Rc<str>),
    Call(Box<Expr>, Vec<Argument>),
    Index(Box<Expr>, Box<Expr>),
    Slice(Option<Box<Expr>>, Option<Box<Expr>>, Option<Box<Expr>>),
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Unary(UnaryOp, Box<Expr>),
    /// Binary operators of one precedence, evaluated from the left. Each has its offset.
    Binary(Box<Expr>, Vec<(BinaryOp, u32, Expr)>),
    /// A chain of comparisons.
    Compare(Box<Expr>, Vec<(CompareOp, u32, Expr)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// Branches `value if test`, tried in order, and the last value.
    Conditional(Vec<(Expr, Expr)>, Box<Expr>),
    /// A list of elements from nested loops.
    ListComprehension(Box<Expr>, Vec<Loop>),
    /// A dictionary of keys and values from nested loops.
    DictComprehension(Box<(Expr, Expr)>, Vec<Loop>),
    /// `*values`, in a call, a list, or the targets of an assignment.
    Starred(Box<Expr>),
}

/// A piece of an f-string.
#[derive(Debug)]
pub(crate) enum Piece {
    Text(Rc<str>),
    /// A value, its conversion (`r`, `s`) and its format.
    Field(Expr, Option<char>, Rc<str>),
}

/// An argument of a call, with its keyword.
#[derive(Debug)]
pub(crate) struct Argument {
    pub keyword: Option<Rc<str>>,
    pub value: Expr,
}

/// `for target in iterable if …` of a comprehension.
#[derive(Debug)]
pub(crate) struct Loop {
    pub target: Expr,
    pub iterable: Expr,
    pub conditions: Vec<Expr>,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum UnaryOp {
    Neg,
    Pos,
    Invert,
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    And,
    Or,
    Xor,
    LeftShift,
    RightShift,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    In,
    NotIn,
}

/// A statement and the byte offset where it begins.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub at: u32,
    pub kind: StmtKind,
}

/// A block of statements.
pub(crate) type Block = Vec<Stmt>;

/// The kinds of statements.
#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    /// Targets that all receive the value.
    Assign(Vec<Expr>, Expr),
    AugmentedAssign(Expr, BinaryOp, Expr),
    /// A target with its type and optionally a value.
    Annotated(Expr, Expr, Option<Expr>),
    /// Conditions with their blocks, and the `else` block.
    If(Vec<(Expr, Block)>, Block),
    While(Expr, Block),
    For(Expr, Expr, Block),
    With(Vec<(Expr, Option<Expr>)>, Block),
    Return(Option<Expr>),
    Raise(Option<Expr>),
    Assert(Expr, Option<Expr>),
    Delete(Vec<Expr>),
    Pass,
    Break,
    Continue,
    Function(Rc<FunctionDef>),
    Class(Rc<ClassDef>),
}

/// A function's definition.
#[derive(Debug)]
pub(crate) struct FunctionDef {
    pub at: u32,
    pub name: Rc<str>,
    pub params: Vec<ParamDef>,
    pub body: Block,
    pub decorators: Vec<Expr>,
}

/// A parameter's definition.
#[derive(Debug)]
pub(crate) struct ParamDef {
    pub name: Rc<str>,
    pub annotation: Option<Expr>,
    pub default: Option<Expr>,
    pub keyword_only: bool,
}

/// A class's definition.
#[derive(Debug)]
pub(crate) struct ClassDef {
    pub name: Rc<str>,
    pub bases: Vec<Expr>,
    pub body: Block,
}
