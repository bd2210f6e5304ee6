//! A program's graph: calls of operators on values, in order.

mod json;
mod meta;
mod module_call;
mod print;
mod size;
mod tree;

pub(crate) use json::constant as constant_json;
pub use meta::{Meta, Symbolic, TensorMeta};
pub use module_call::{ModuleCall, ModuleStack};
pub(crate) use module_call::{parse_stack, stack_text};
pub(crate) use size::redeclare;
pub use size::{Function, Range, Ranges, Size, Symbols};
pub use tree::Tree;

use crate::{Error, Result, Value, aten, operators::Operator};
use std::rc::Rc;

/// The most nodes of a program, including the nodes of all blocks.
pub const MAX_NODES: usize = 200_000;

/// A value of a graph, by its index in [`Graph::names`].
pub type ValueId = usize;

/// Calls of operators on values, in order: a program, or a block of one.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The names of all values.
    pub names: Vec<String>,
    /// The descriptions of values, by the same index. Values beyond the end have none.
    pub metas: Vec<Option<Meta>>,
    /// The values that a call passes.
    pub inputs: Vec<ValueId>,
    /// The calls.
    pub nodes: Vec<Node>,
    /// The results.
    pub outputs: Vec<Operand>,
}

/// A call of an operator.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operator.
    pub target: Target,
    /// Positional arguments.
    pub args: Vec<Operand>,
    /// Named arguments.
    pub named: Vec<(String, Operand)>,
    /// The values that receive its result.
    pub results: Results,
    /// The modules that it was called in, outermost first. Empty if unknown.
    pub modules: ModuleStack,
}

/// The values that receive a node's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// Nothing.
    None,
    /// One value.
    One(ValueId),
    /// A value or nothing for each element of a list or a tuple.
    Several(Vec<Option<ValueId>>),
}

/// The operator that a node calls.
#[derive(Clone, Debug)]
pub enum Target {
    /// An operator of ATen, by its name with the overload.
    Aten(String, aten::Target),
    /// An operator of another set than ATen's. Only a dispatcher for that set can call it.
    Operator {
        /// The name of the set, which is also the extension of its files: `onnx`.
        set: &'static str,
        /// The name of the operator with its version: `Conv.11`.
        name: String,
        /// The operator.
        operator: &'static Operator,
    },
    /// A Python operator on numbers: `add` of `_operator`, `floor` of `math`.
    Scalar(ScalarOp),
    /// An operator that runs blocks.
    HigherOrder(HigherOrder),
}

/// An argument of a node, or a result of a graph.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A value of the graph.
    Value(ValueId),
    /// A constant without tensors.
    Constant(Value<()>),
    /// A list of operands.
    List(Vec<Operand>),
    /// A block.
    Block(Rc<Graph>),
}

macro_rules! names {
    ($(#[$doc:meta])* $ty:ident: $($(#[$variant_doc:meta])* $variant:ident = $($name:literal)|+,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $ty {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $ty {
            /// Finds the operator by name.
            pub fn find(name: &str) -> Option<$ty> {
                match name {
                    $($($name)|+ => Some($ty::$variant),)*
                    _ => None,
                }
            }

            /// Returns the operator's name.
            pub fn name(self) -> &'static str {
                match self {
                    $($ty::$variant => names!(@first $($name)+),)*
                }
            }
        }
    };
    (@first $first:literal $($rest:literal)*) => { $first };
}

names! {
    /// Operators on numbers.
    ScalarOp:
    /// Addition.
    Add = "add",
    /// Subtraction.
    Sub = "sub",
    /// Multiplication.
    Mul = "mul",
    /// Division to a float.
    TrueDiv = "truediv" | "int_truediv",
    /// Division that rounds down.
    FloorDiv = "floordiv",
    /// The remainder with the divisor's sign.
    Mod = "mod",
    /// A power.
    Pow = "pow" | "pow_by_natural" | "float_pow",
    /// The negative.
    Neg = "neg",
    /// The number, unchanged.
    Pos = "pos",
    /// The absolute value.
    Abs = "abs",
    /// Whether two numbers are equal.
    Eq = "eq",
    /// Whether two numbers differ.
    Ne = "ne",
    /// Less than.
    Lt = "lt",
    /// Less than or equal.
    Le = "le",
    /// Greater than.
    Gt = "gt",
    /// Greater than or equal.
    Ge = "ge",
    /// Conjunction of booleans or bits.
    And = "and_" | "and" | "__and__",
    /// Disjunction of booleans or bits.
    Or = "or_" | "or" | "__or__",
    /// Exclusive disjunction of booleans or bits.
    Xor = "xor" | "__xor__",
    /// Bits shifted left.
    Lshift = "lshift",
    /// Bits shifted right.
    Rshift = "rshift",
    /// The negation of a boolean.
    Not = "not" | "not_" | "sym_not",
    /// The smaller number.
    Min = "min" | "sym_min",
    /// The larger number.
    Max = "max" | "sym_max",
    /// One of two values, selected by a condition.
    Ite = "ite" | "sym_ite",
    /// A float.
    Float = "float" | "sym_float" | "to_float",
    /// An integer, truncated.
    Int = "int" | "sym_int" | "trunc",
    /// Rounded down.
    Floor = "floor",
    /// Rounded up.
    Ceil = "ceil",
    /// Rounded, half to even.
    Round = "round",
    /// The square root.
    Sqrt = "sqrt" | "_sym_sqrt" | "sym_sqrt",
    /// The natural logarithm.
    Log = "log",
    /// The logarithm to base 2.
    Log2 = "log2" | "_sym_log2",
    /// The exponential.
    Exp = "exp",
    /// The sine.
    Sin = "sin",
    /// The cosine.
    Cos = "cos",
    /// The hyperbolic tangent.
    Tanh = "tanh",
    /// The sum of many numbers.
    Sum = "sym_sum",
    /// An element of a list.
    GetItem = "getitem",
}

names! {
    /// Operators that run blocks.
    HigherOrder:
    /// One of two blocks, by a condition.
    Cond = "cond",
    /// Runs a block while another one returns true.
    WhileLoop = "while_loop",
    /// Runs a block for each slice, with a state.
    Scan = "scan",
    /// Runs a block a number of times, while it returns true. The arguments are the number, the
    /// condition, the carried values, the block, and the outer values that it takes.
    Loop = "loop",
    /// Runs a block for each element of lists.
    SequenceMap = "sequence_map",
    /// Runs a block for each slice.
    Map = "map_impl" | "map",
    /// Runs a block with gradients enabled or disabled.
    SetGradEnabled = "wrap_with_set_grad_enabled",
    /// Runs a block under autocast.
    Autocast = "wrap_with_autocast",
    /// Runs a block.
    Call = "invoke_subgraph" | "wrap" | "tag_activation_checkpoint" | "wrap_activation_checkpoint" | "strict_mode"
        | "hints_wrapper" | "hop_call",
}

impl Target {
    /// Finds the target of a name in a file. Returns `None` for an unknown name.
    pub fn find(name: &str) -> Option<Target> {
        if let Some(op) = aten::without_namespace(name) {
            return Some(Target::Aten(op.to_string(), aten::find(op)?));
        }
        if let Some(op) = name.strip_prefix("torch.ops.higher_order.") {
            return HigherOrder::find(op).map(Target::HigherOrder);
        }
        if name.starts_with("torch.ops.") {
            return None;
        }
        ScalarOp::find(name.rsplit('.').next().unwrap_or(name)).map(Target::Scalar)
    }
}

impl Operand {
    /// Calls a function for each value of this graph in the operand.
    pub fn for_each_value(&self, function: &mut impl FnMut(ValueId)) {
        match self {
            Operand::Value(id) => function(*id),
            Operand::List(items) => items.iter().for_each(|item| item.for_each_value(function)),
            Operand::Constant(_) | Operand::Block(_) => {}
        }
    }
}

impl Node {
    /// Returns all arguments.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.args.iter().chain(self.named.iter().map(|(_, operand)| operand))
    }

    /// Returns the values that the node defines.
    pub fn defined(&self) -> Vec<ValueId> {
        match &self.results {
            Results::None => vec![],
            Results::One(id) => vec![*id],
            Results::Several(ids) => ids.iter().flatten().copied().collect(),
        }
    }
}

impl Graph {
    /// Adds a value.
    pub fn add_value(&mut self, name: impl Into<String>, meta: Option<Meta>) -> ValueId {
        let id = self.names.len();
        self.names.push(name.into());
        self.metas.resize(id, None);
        self.metas.push(meta);
        id
    }

    /// Returns the description of a value.
    pub fn meta(&self, id: ValueId) -> Option<&Meta> {
        self.metas.get(id)?.as_ref()
    }

    /// Returns the number of nodes, including the nodes of blocks.
    pub fn node_count(&self) -> usize {
        let in_blocks = self.nodes.iter().flat_map(Node::operands).map(|operand| match operand {
            Operand::Block(block) => block.node_count(),
            _ => 0,
        });
        self.nodes.len() + in_blocks.sum::<usize>()
    }

    /// Returns, for each node, the values that no later node and no result uses.
    pub fn last_uses(&self) -> Vec<Vec<ValueId>> {
        let mut kept = vec![false; self.names.len()];
        self.outputs.iter().for_each(|output| output.for_each_value(&mut |id| kept[id] = true));
        let mut frees = Vec::with_capacity(self.nodes.len());
        for node in self.nodes.iter().rev() {
            let mut free = Vec::new();
            let mut last_use = |id: ValueId| {
                if !std::mem::replace(&mut kept[id], true) {
                    free.push(id);
                }
            };
            node.operands().for_each(|operand| operand.for_each_value(&mut last_use));
            node.defined().into_iter().for_each(last_use);
            frees.push(free);
        }
        frees.reverse();
        frees
    }

    /// Checks that each value is defined once and before its first use, and that the names of
    /// arguments match the operators.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] with the value or the operator.
    pub fn check(&self) -> Result<()> {
        let mut defined = vec![false; self.names.len()];
        let name = |id: ValueId| self.names.get(id).map_or("?", String::as_str);
        let define = |id: ValueId, defined: &mut Vec<bool>| match defined.get_mut(id) {
            Some(known) if !*known => {
                *known = true;
                Ok(())
            }
            _ => Err(Error::malformed(format!("the value {} is defined twice", name(id)))),
        };
        let used = |operand: &Operand, defined: &[bool]| {
            let mut missing = None;
            operand.for_each_value(&mut |id| {
                if !defined.get(id).is_some_and(|&known| known) {
                    missing = Some(id);
                }
            });
            missing.map_or(Ok(()), |id| Err(Error::malformed(format!("the value {} is not defined", name(id)))))
        };
        for &id in &self.inputs {
            define(id, &mut defined)?;
        }
        for node in &self.nodes {
            for operand in node.operands() {
                used(operand, &defined)?;
                if let Operand::Block(block) = operand {
                    block.check()?;
                }
            }
            node.check_schema()?;
            for id in node.defined() {
                define(id, &mut defined)?;
            }
        }
        self.outputs.iter().try_for_each(|output| used(output, &defined))
    }
}

impl Node {
    /// Checks that an overload of the operator has the node's parameters.
    fn check_schema(&self) -> Result<()> {
        let Target::Aten(name, target) = &self.target else { return Ok(()) };
        let fits = target.operators().iter().any(|operator| {
            let params = &operator.schema.params;
            let known = |name: &String| params.iter().any(|param| param.name == *name);
            let given =
                |index: usize, name: &str| index < self.args.len() || self.named.iter().any(|(key, _)| key == name);
            self.args.len() <= params.len()
                && self.named.iter().all(|(name, _)| known(name))
                && params.iter().enumerate().all(|(index, param)| !param.is_required() || given(index, &param.name))
        });
        if fits {
            return Ok(());
        }
        let expected = target.operators().first().map(|operator| operator.schema.to_string()).unwrap_or_default();
        Err(Error::malformed(format!("a call of {name} does not fit {expected}")))
    }
}
