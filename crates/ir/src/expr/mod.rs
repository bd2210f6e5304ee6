//! Scalar expressions: the computation of one element of a pointwise kernel.
//!
//! A pointwise op is one expression ([`Expr`]). Everything else about the op is derived from it:
//! the CPU program, the WGSL and CUDA text, the derivative ([`Expr::vjp`]) and fusion with other
//! ops. An expression is an immutable DAG with shared nodes. A [`Program`] is its flat form, which
//! backends interpret or print, and a [`CostModel`] estimates its cost.
//!
//! Rejected: closures per backend (they cannot be differentiated or printed), and a textual macro
//! language (it has no types, so a NaN test or an integer division would have to be written for
//! each target).

mod build;
mod cost;
mod derivative;
mod function;
mod gradient;
mod ops;
mod program;
mod simplify;

pub use build::Operand;
pub use cost::CostModel;
pub use function::Function;
pub use gradient::{InputGradient, gradients_derived};
pub use ops::{BinaryOp, Constant, Type, UnaryOp};
pub use program::{Instruction, Program};

use rustc_hash::FxHasher;
use std::{
    cell::RefCell,
    fmt,
    hash::{Hash, Hasher},
    rc::{Rc, Weak},
};

/// A typed scalar expression. Cloning shares it; two expressions are equal if they have the same
/// structure.
///
/// Nodes are interned: a thread has at most one node of each structure. So equality is equality of
/// addresses, however large the DAGs are.
///
/// ```
/// use lanthorn_ir::expr::{Expr, Type};
/// let x = Expr::input(0, Type::F32);
/// let silu = &x * x.sigmoid();
/// assert_eq!(silu.to_string(), "(x0 * (1 / (1 + exp(-x0))))");
/// ```
#[derive(Clone)]
pub struct Expr(Rc<Inner>);

struct Inner {
    node: Node,
    ty: Type,
    hash: u64,
    /// The number of nodes that were created before it.
    id: u64,
}

/// One node of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The element of input `slot` at the current point of the iteration space.
    Input(usize),
    /// A number that is data of the launch and never part of the kernel: a learning rate, an
    /// offset, a user's scalar.
    Param(usize),
    /// A number that is part of the expression.
    Constant(Constant),
    /// The linear index of the element in the iteration space, as u32.
    Index,
    /// The affine index `slot` of the kernel, as int32; see
    /// [`AffineIndex`](crate::kernel::AffineIndex).
    Affine(usize),
    /// A function of one value.
    Unary(UnaryOp, Expr),
    /// A function of two values of one type.
    Binary(BinaryOp, Expr, Expr),
    /// `condition ? a : b`.
    Select(Expr, Expr, Expr),
    /// Conversion to the node's type, by PyTorch's rules for `to`.
    Cast(Expr),
    /// A function that is defined in terms of others: one node for the sake of its derivative, and
    /// expanded in a [`Program`].
    Call(&'static Function, Vec<Expr>),
    /// One word of Threefry-2x32: key (2 words) and counter (2 words); see
    /// [`random`](crate::random).
    Threefry([Expr; 4]),
}

impl Expr {
    pub(crate) fn new(node: Node, ty: Type) -> Expr {
        let mut hasher = FxHasher::default();
        // Operands hash as their stored hashes, so that hashing a deep DAG stays linear.
        node.hash(&mut hasher);
        ty.hash(&mut hasher);
        intern(Inner { node, ty, hash: hasher.finish(), id: 0 })
    }

    /// A node over existing operands, for passes that rebuild expressions. `ty` must be the type of
    /// the node's value.
    pub fn from_node(node: Node, ty: Type) -> Expr {
        Expr::new(node, ty)
    }

    /// The element of input `slot`.
    pub fn input(slot: usize, ty: Type) -> Expr {
        Expr::new(Node::Input(slot), ty)
    }

    /// The launch parameter `slot`.
    pub fn param(slot: usize, ty: Type) -> Expr {
        Expr::new(Node::Param(slot), ty)
    }

    /// A constant of this type, converted from a number.
    pub fn constant(value: f64, ty: Type) -> Expr {
        Expr::new(Node::Constant(Constant::new(value, ty)), ty)
    }

    /// The linear index of the element, as [`Type::U32`].
    pub fn index() -> Expr {
        Expr::new(Node::Index, Type::U32)
    }

    /// The kernel's affine index `slot`, as [`Type::I32`]: a coordinate of the element, or a size.
    pub fn affine(slot: usize) -> Expr {
        Expr::new(Node::Affine(slot), Type::I32)
    }

    /// The node itself.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// The type of the value.
    pub fn ty(&self) -> Type {
        self.0.ty
    }

    /// A number that no other expression of this thread has or had.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<&Expr> {
        match self.node() {
            Node::Input(_) | Node::Param(_) | Node::Constant(_) | Node::Index | Node::Affine(_) => vec![],
            Node::Unary(_, a) | Node::Cast(a) => vec![a],
            Node::Binary(_, a, b) => vec![a, b],
            Node::Select(c, a, b) => vec![c, a, b],
            Node::Call(_, arguments) => arguments.iter().collect(),
            Node::Threefry(words) => words.iter().collect(),
        }
    }

    /// The same node over other operands.
    fn with_operands(&self, mut operands: impl Iterator<Item = Expr>) -> Expr {
        let mut next = || operands.next().expect("as many operands as the node has");
        let node = match self.node() {
            leaf @ (Node::Input(_) | Node::Param(_) | Node::Constant(_) | Node::Index | Node::Affine(_)) => {
                leaf.clone()
            }
            Node::Unary(op, _) => Node::Unary(*op, next()),
            Node::Cast(_) => Node::Cast(next()),
            Node::Binary(op, ..) => Node::Binary(*op, next(), next()),
            Node::Select(..) => Node::Select(next(), next(), next()),
            Node::Call(function, arguments) => Node::Call(function, arguments.iter().map(|_| next()).collect()),
            Node::Threefry(_) => Node::Threefry([next(), next(), next(), next()]),
        };
        Expr::new(node, self.ty())
    }

    /// Every distinct node reachable from `roots`, operands before users. Iterative, so that depth
    /// costs no stack.
    pub fn topological(roots: &[Expr]) -> Vec<Expr> {
        let mut order = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<(Expr, bool)> = roots.iter().rev().map(|root| (root.clone(), false)).collect();
        while let Some((expr, ready)) = stack.pop() {
            if ready {
                order.push(expr);
            } else if seen.insert(expr.clone()) {
                stack.push((expr.clone(), true));
                stack.extend(expr.operands().into_iter().rev().map(|operand| (operand.clone(), false)));
            }
        }
        order
    }

    /// The expression with every node replaced by the result of `replace`, leaves first; `None`
    /// keeps the node.
    pub fn rewrite(&self, mut replace: impl FnMut(&Expr) -> Option<Expr>) -> Expr {
        let mut done: rustc_hash::FxHashMap<Expr, Expr> = Default::default();
        for expr in Expr::topological(std::slice::from_ref(self)) {
            let rebuilt = if expr.operands().iter().any(|operand| done[*operand] != **operand) {
                expr.with_operands(expr.operands().into_iter().map(|operand| done[operand].clone()))
            } else {
                expr.clone()
            };
            let replaced = replace(&rebuilt).unwrap_or(rebuilt);
            done.insert(expr, replaced);
        }
        done.remove(self).expect("the root is the last of its topological order")
    }

    /// Whether the expression consists of sums, differences, products and bitwise functions. For
    /// integers that are equal modulo 2^n its results are equal modulo 2^n.
    pub fn is_modular(&self) -> bool {
        use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
        Expr::topological(std::slice::from_ref(self)).iter().all(|expr| match expr.node() {
            Node::Input(_) | Node::Param(_) | Node::Constant(_) | Node::Cast(_) => true,
            Node::Unary(op, _) => *op == UnaryOp::Neg,
            Node::Binary(op, ..) => matches!(op, Add | Sub | Mul | And | Or | Xor),
            _ => false,
        })
    }

    /// The number of input slots in use: the largest slot plus one.
    pub fn input_count(&self) -> usize {
        let slots = Expr::topological(std::slice::from_ref(self));
        slots.iter().map(|expr| if let Node::Input(slot) = expr.node() { slot + 1 } else { 0 }).max().unwrap_or(0)
    }
}

/// The live nodes of this thread, by hash.
#[derive(Default)]
struct Interner {
    nodes: rustc_hash::FxHashMap<u64, Vec<Weak<Inner>>>,
    /// The number of hashes at which dead entries are removed.
    limit: usize,
    /// The number of nodes that were created.
    made: u64,
}

fn intern(mut inner: Inner) -> Expr {
    thread_local! {
        static INTERNER: RefCell<Interner> = RefCell::default();
    }
    INTERNER.with_borrow_mut(|interner| {
        if interner.nodes.len() >= interner.limit {
            interner.nodes.retain(|_, alike| {
                alike.retain(|node| node.strong_count() > 0);
                !alike.is_empty()
            });
            interner.limit = (interner.nodes.len() * 2).max(1024);
        }
        let alike = interner.nodes.entry(inner.hash).or_default();
        // A loop that builds the same expression in each iteration must not accumulate dead
        // handles.
        alike.retain(|node| node.strong_count() > 0);
        // Operands are interned already, so comparing nodes compares their addresses.
        let same = |known: &Rc<Inner>| known.ty == inner.ty && known.node == inner.node;
        let known = alike.iter().filter_map(Weak::upgrade).find(same);
        Expr(known.unwrap_or_else(|| {
            interner.made += 1;
            inner.id = interner.made;
            let node = Rc::new(inner);
            alike.push(Rc::downgrade(&node));
            node
        }))
    })
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node() {
            Node::Input(slot) => write!(f, "x{slot}"),
            Node::Param(slot) => write!(f, "p{slot}"),
            Node::Constant(constant) => write!(f, "{constant}"),
            Node::Index => f.write_str("index"),
            Node::Affine(slot) => write!(f, "i{slot}"),
            Node::Unary(UnaryOp::Neg, a) => write!(f, "-{a}"),
            Node::Unary(op, a) => write!(f, "{}({a})", op.name()),
            Node::Binary(op, a, b) => match op.symbol() {
                Some(symbol) => write!(f, "({a} {symbol} {b})"),
                None => write!(f, "{}({a}, {b})", op.name()),
            },
            Node::Select(c, a, b) => write!(f, "({c} ? {a} : {b})"),
            Node::Cast(a) => write!(f, "{}({a})", self.ty().name()),
            Node::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Expr::to_string).collect();
                write!(f, "{}({})", function.name, arguments.join(", "))
            }
            Node::Threefry([k0, k1, c0, c1]) => write!(f, "threefry({k0}, {k1}, {c0}, {c1})"),
        }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
