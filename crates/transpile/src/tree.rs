//! The typed tree between Rust and the printed languages.
//!
//! A tree has no references, no `Result` and no pattern, which are lowered. Names are Rust's, and
//! unique among the visible names; a printer changes their case. Every expression has a type,
//! because operators on tensors are method calls and operators on numbers are not.

use crate::types::Type;

/// An expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The expression.
    pub kind: Kind,
    /// Its type.
    pub ty: Type,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A literal, as every printed language writes it.
    Number(String),
    /// A string.
    Text(String),
    /// A truth value.
    Bool(bool),
    /// No value.
    None,
    /// The object whose method this is.
    This,
    /// A local variable.
    Local(String),
    /// A constant, a function or an enum's variant of the library.
    Global(String),
    /// A field of an object.
    Field(Box<Expr>, String),
    /// An operation of the table, a method of its receiver if there is one.
    Operation(Box<Operation>),
    /// A method, or a property if it has no arguments, of an object of the library.
    Method {
        /// The object.
        receiver: Box<Expr>,
        /// The method.
        name: String,
        /// The arguments.
        args: Vec<Expr>,
        /// Whether it is read without a call.
        is_property: bool,
    },
    /// A function of the library.
    Call {
        /// The function.
        function: String,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// A function of a struct or an enum, which is named first.
    Static {
        /// The struct or enum.
        owner: String,
        /// The function.
        name: String,
        /// The arguments; nothing for a value, as the variant of an enum without data is.
        args: Option<Vec<Expr>>,
    },
    /// A call of a function value.
    Invoke(Box<Expr>, Vec<Expr>),
    /// An object made of its fields; another object has the missing ones.
    Construct {
        /// The struct.
        class: String,
        /// The fields.
        fields: Vec<(String, Expr)>,
        /// The object that has the other fields.
        rest: Option<Box<Expr>>,
    },
    /// A function of the package's `nn`, or one of its classes for a new module.
    Package {
        /// The name: `Conv2d`, `parameter`, `init.normal_`.
        name: String,
        /// Whether an object is made.
        is_new: bool,
        /// The arguments by position.
        args: Vec<Expr>,
        /// The arguments by name.
        named: Vec<(String, Expr)>,
    },
    /// The elements of a list as arguments.
    Spread(Box<Expr>),
    /// A row of the table of intrinsics.
    Intrinsic(&'static crate::intrinsics::Intrinsic, Vec<Expr>),
    /// An operator on numbers, strings or truth values.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `-` or `!`.
    Unary(&'static str, Box<Expr>),
    /// Whether there is a value.
    IsSome(Box<Expr>),
    /// Whether a tensor-or-number is a tensor.
    IsTensor(Box<Expr>),
    /// Whether a value of an enum with data is of a variant.
    IsVariant(Box<Expr>, String),
    /// The datum of a variant, by its number.
    Datum(Box<Expr>, usize),
    /// The second if the first holds, else the third.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function value.
    Closure(Vec<Binding>, Vec<Stmt>),
    /// A list or a tuple.
    List(Vec<Expr>),
    /// A copy of a list, which may be changed.
    Copy(Box<Expr>),
    /// An element of a list or a tuple.
    Index(Box<Expr>, Box<Expr>),
    /// A text with expressions in it.
    Format(Vec<Part>),
    /// An object as one of a subclass.
    Downcast(Box<Expr>, String),
    /// An error: its kind, the operation's name, and the message.
    Error(String, Box<Expr>, Box<Expr>),
    /// The value of a promise.
    Await(Box<Expr>),
}

/// A call of an operation of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The name without the overload's.
    pub name: String,
    /// The tensor whose method it is.
    pub receiver: Option<Expr>,
    /// The arguments by position.
    pub positional: Vec<Expr>,
    /// The arguments by name.
    pub named: Vec<(String, Expr)>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Characters.
    Text(String),
    /// A value as it is displayed.
    Display(Expr),
    /// A value as Rust's `{:?}` writes it.
    Debug(Expr),
}

/// The names that a variable, a parameter or a loop binds.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// A name.
    Name(String),
    /// The elements of a tuple.
    Tuple(Vec<Binding>),
    /// Nothing.
    Skip,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A variable, with its value unless branches assign it.
    Let {
        /// The name or names.
        binding: Binding,
        /// The value.
        value: Option<Expr>,
        /// Whether it is assigned later.
        is_assigned: bool,
        /// The number of the variable among [`Body::types`], if it is one.
        id: usize,
    },
    /// An assignment: `=`, `+=` and the like.
    Assign(Expr, &'static str, Expr),
    /// A condition.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A loop over a list.
    ForEach(Binding, Expr, Vec<Stmt>),
    /// A loop over integers from the first to before the second, backwards if that is true.
    ForRange(String, Expr, Expr, bool, Vec<Stmt>),
    /// A loop while a condition holds.
    While(Expr, Vec<Stmt>),
    /// The end of a function.
    Return(Option<Expr>),
    /// An error that ends the function.
    Throw(Expr),
    /// A call for its effect.
    Expr(Expr),
    /// The end of a loop.
    Break,
    /// The end of a loop's step.
    Continue,
}

/// The body of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The types of the variables, by their numbers.
    pub types: Vec<Type>,
    /// The names of the parameters, which may differ from the declared names.
    pub params: Vec<String>,
}

impl Expr {
    /// An expression.
    pub fn new(kind: Kind, ty: Type) -> Expr {
        Expr { kind, ty }
    }

    /// Whether repeating the expression costs nothing and has the same value.
    pub fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Local(_) | Kind::This | Kind::Number(_) | Kind::Text(_) | Kind::Bool(_))
    }

    /// Calls `visit` with this expression and those in it, without the statements of closures.
    pub fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        for part in self.parts() {
            part.walk(visit);
        }
    }

    fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Field(a, _) | Kind::IsSome(a) | Kind::IsTensor(a) | Kind::IsVariant(a, _) | Kind::Datum(a, _) => {
                vec![a]
            }
            Kind::Copy(a) | Kind::Unary(_, a) | Kind::Await(a) | Kind::Downcast(a, _) | Kind::Spread(a) => vec![a],
            Kind::Package { args, named, .. } => args.iter().chain(named.iter().map(|(_, value)| value)).collect(),
            Kind::Binary(_, a, b) | Kind::Index(a, b) | Kind::Error(_, a, b) => vec![a, b],
            Kind::Conditional(a, b, c) => vec![a, b, c],
            Kind::Intrinsic(_, args) | Kind::Call { args, .. } | Kind::List(args) => args.iter().collect(),
            Kind::Static { args, .. } => args.iter().flatten().collect(),
            Kind::Method { receiver, args, .. } | Kind::Invoke(receiver, args) => {
                std::iter::once(&**receiver).chain(args).collect()
            }
            Kind::Construct { fields, rest, .. } => {
                fields.iter().map(|(_, value)| value).chain(rest.as_deref()).collect()
            }
            Kind::Operation(call) => {
                let named = call.named.iter().map(|(_, value)| value);
                call.receiver.iter().chain(&call.positional).chain(named).collect()
            }
            Kind::Format(parts) => parts.iter().filter_map(Part::value).collect(),
            _ => vec![],
        }
    }
}

impl Part {
    fn value(&self) -> Option<&Expr> {
        match self {
            Part::Text(_) => None,
            Part::Display(value) | Part::Debug(value) => Some(value),
        }
    }
}

/// Calls `visit` with every expression of the statements, also of closures.
pub fn walk(stmts: &[Stmt], visit: &mut impl FnMut(&Expr)) {
    for stmt in stmts {
        let (exprs, blocks): (Vec<&Expr>, Vec<&[Stmt]>) = match stmt {
            Stmt::Let { value, .. } | Stmt::Return(value) => (value.iter().collect(), vec![]),
            Stmt::Assign(target, _, value) => (vec![target, value], vec![]),
            Stmt::If(condition, then, otherwise) => (vec![condition], vec![then, otherwise]),
            Stmt::ForEach(_, list, body) => (vec![list], vec![body]),
            Stmt::ForRange(_, from, to, _, body) => (vec![from, to], vec![body]),
            Stmt::While(condition, body) => (vec![condition], vec![body]),
            Stmt::Throw(value) | Stmt::Expr(value) => (vec![value], vec![]),
            Stmt::Break | Stmt::Continue => (vec![], vec![]),
        };
        for expr in exprs {
            walk_expr(expr, visit);
        }
        for block in blocks {
            walk(block, visit);
        }
    }
}

fn walk_expr(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    if let Kind::Closure(_, body) = &expr.kind {
        walk(body, visit);
    }
    for part in expr.parts() {
        walk_expr(part, visit);
    }
}
