//! The kernel kinds: all that a backend runs.
//!
//! A kernel says what is computed over which iteration space, with shapes, strides and offsets; a backend decides how. What of
//! it becomes code and what becomes data is the backend's choice, but numbers that change from launch to launch ([`Param`] slots
//! of the expressions) are never part of a kernel. An [`Operand`] is a walk over a buffer, so a permuted, expanded or padded tensor is read in
//! place.
//!
//! [`Param`]: crate::expr::Node::Param

pub use crate::along::{Scan, ScanOp, Sort};
pub use crate::attention::{Attention, AttentionGradient, AttentionPass};
pub use crate::contract::{Contract, Prologue};
pub use crate::linalg::{Linalg, Routine};
pub use crate::operand::{Operand, Window};

use crate::{
    DType, Layout, Shape,
    expr::{Expr, Program, Type},
};

/// One launchable piece of work. Inputs and outputs are buffers in the order given here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Pointwise: `outputs[j][i] = program(inputs[..][i])`.
    Map(Map),
    /// Several pointwise kernels in one launch.
    Maps(Maps),
    /// A pointwise prologue, a reduction over the inner dimensions, a pointwise epilogue.
    Reduce(Reduce),
    /// Several reductions and maps over the same rows: softmax, layer norm, cross entropy.
    Row(Row),
    /// A sum of products over any dimensions: matrix products and convolutions.
    Contract(Contract),
    /// Softmax of products of queries and keys as weights of values, without the matrix of weights.
    Attention(Box<Attention>),
    /// Elements picked along one dimension by an index tensor.
    Gather(Gather),
    /// Elements added or stored along one dimension at the places that an index tensor names.
    Scatter(Scatter),
    /// Running results along one dimension: cumulative sums, products and extremes, linear recurrences.
    Scan(Scan),
    /// The elements along one dimension in order, and where they come from.
    Sort(Sort),
    /// A strided window of one buffer written to a strided window of another.
    Copy(Copy),
    /// A factorization of each matrix of a batch, or a solution by one.
    Linalg(Linalg),
}

/// `outputs[j][i] = program.outputs[j]` for every point `i` of `shape`; the outputs are contiguous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The iteration space.
    pub shape: Shape,
    /// What input slots read.
    pub inputs: Vec<Operand>,
    /// The types of the parameter slots.
    pub params: Vec<Type>,
    /// The formula; an output per entry of `dtypes`, converted to it when stored.
    pub program: Program,
    /// The element types of the outputs.
    pub dtypes: Vec<DType>,
}

impl Map {
    /// The element type and number of elements of each output.
    fn results(&self) -> impl Iterator<Item = (DType, usize)> + '_ {
        self.dtypes.iter().map(|&dtype| (dtype, self.shape.elements()))
    }
}

/// Pointwise kernels that do not read one another's results, each over a shape of its own. Inputs, outputs and parameters are those of the parts, one part after
/// another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Maps {
    /// The kernels.
    pub parts: Vec<Map>,
    /// The types of all parts' parameters.
    pub params: Vec<Type>,
}

impl Maps {
    /// The launch of all of `parts`.
    pub fn new(parts: Vec<Map>) -> Maps {
        let params = parts.iter().flat_map(|part| part.params.iter().copied()).collect();
        Maps { parts, params }
    }

    /// The part that input `input` belongs to and its number there, and the same for an output.
    fn locate(&self, mut input: usize, mut output: usize) -> Option<[(usize, usize); 2]> {
        let (mut reads, mut writes) = (None, None);
        for (at, part) in self.parts.iter().enumerate() {
            if reads.is_none() && input < part.inputs.len() {
                reads = Some((at, input));
            }
            if writes.is_none() && output < part.dtypes.len() {
                writes = Some((at, output));
            }
            input = input.wrapping_sub(part.inputs.len());
            output = output.wrapping_sub(part.dtypes.len());
        }
        Some([reads?, writes?])
    }
}

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// The sum, by pairs or blocks, never one long chain of float32 additions. Of nothing: 0.
    Sum,
    /// The product. Of nothing: 1.
    Prod,
    /// The largest; NaN if any is NaN. Of bool: "any". Of nothing: the type's lowest value (false for bool).
    Max,
    /// The smallest; NaN if any is NaN. Of bool: "all". Of nothing: the type's highest value (true for bool).
    Min,
    /// The position of the first largest (or first NaN), as int32.
    ArgMax,
    /// The position of the first smallest (or first NaN), as int32.
    ArgMin,
}

impl ReduceOp {
    /// Whether the result is a position and not a value.
    pub const fn is_index(self) -> bool {
        matches!(self, ReduceOp::ArgMax | ReduceOp::ArgMin)
    }
}

/// What is done with each element of a result before it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Epilogue {
    /// What input slots 1.. read, over the shape of the result; slot 0 is the result. Their buffers come after the kernel's other inputs.
    pub inputs: Vec<Operand>,
    /// The formula; an output per entry of `dtypes`, converted to it when stored.
    pub program: Program,
    /// The element types of the kernel's outputs, all of the result's shape and contiguous.
    pub dtypes: Vec<DType>,
}

impl Epilogue {
    /// The epilogue that stores a result of type `ty` as it is, or converted to `dtype`.
    pub fn store(ty: Type, dtype: DType) -> Epilogue {
        Epilogue { inputs: vec![], program: Program::new(&[Expr::input(0, ty).stored(dtype)]), dtypes: vec![dtype] }
    }
}

/// `outputs[j][o] = epilogue(op over i of prologue(inputs[..][o, i]))`; the outputs are contiguous over `outer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduce {
    /// The dimensions that stay. Operands have shape `outer` followed by `inner`.
    pub outer: Shape,
    /// The dimensions that are reduced. A position ([`ReduceOp::ArgMax`]) is the linear index over them.
    pub inner: Shape,
    /// What input slots of the prologue read.
    pub inputs: Vec<Operand>,
    /// The types of the parameter slots, shared by prologue and epilogue.
    pub params: Vec<Type>,
    /// What is reduced; one output.
    pub prologue: Program,
    /// How.
    pub op: ReduceOp,
    /// What becomes of the result (of type [`Type::I32`] for a position), over `outer`.
    pub epilogue: Epilogue,
}

impl Reduce {
    /// The type of what the epilogue gets: the reduced value's, or that of a position.
    pub fn result(&self) -> Type {
        if self.op.is_index() { Type::I32 } else { self.prologue.ty(self.prologue.outputs[0]) }
    }
}

/// Rows that are worked on as a whole: reductions over each, one after another, then results for the row and for each of its elements.
///
/// In every program, slots `0..inputs.len()` read the operands, and slot `inputs.len() + j` is the result of reduction `j`, for those that come after it. The
/// index ([`Node::Index`]) is the linear index over `outer` followed by `inner`.
///
/// [`Node::Index`]: crate::expr::Node::Index
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The dimensions that number the rows.
    pub outer: Shape,
    /// The dimensions of a row.
    pub inner: Shape,
    /// The operands, over `outer` followed by `inner`.
    pub inputs: Vec<Operand>,
    /// The types of the parameter slots, shared by all programs.
    pub params: Vec<Type>,
    /// What is reduced over each row and how, in order; one output each.
    pub reductions: Vec<(ReduceOp, Program)>,
    /// Results of a whole row: they read reductions, parameters, and operands that do not vary within a row.
    pub rows: Program,
    /// The element types of the row results, the first outputs, contiguous over `outer`.
    pub row_dtypes: Vec<DType>,
    /// Results of each element.
    pub elements: Program,
    /// The element types of these, the outputs that follow.
    pub element_dtypes: Vec<DType>,
    /// Where an element's results go in their buffers, over `outer` followed by `inner`: a permutation of a contiguous tensor.
    pub target: Layout,
}

impl Row {
    /// The type of the result of reduction `j`.
    pub fn result(&self, j: usize) -> Type {
        let (op, program) = &self.reductions[j];
        if op.is_index() { Type::I32 } else { program.ty(program.outputs[0]) }
    }
}

/// `output[i] = source[i with i[dim] replaced by index[i]]` over `shape`; the output is contiguous.
///
/// An index outside `0..extent` is an error of the launch; the element read for it does not matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// The iteration space.
    pub shape: Shape,
    /// The element type of source and output; a gather moves elements as they are.
    pub dtype: DType,
    /// Input 0: where `source[i]` lies without its part along the gathered dimension (stride 0 there).
    pub source: Layout,
    /// The distance of neighbours along the gathered dimension of the source.
    pub stride: isize,
    /// The size of the source along it.
    pub extent: usize,
    /// Input 1: the index of each point, int32.
    pub index: Layout,
}

/// How a scatter combines what arrives at one place with what is there. Half types are only stored: to be rounded once and not at each step, they are combined
/// as float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScatterOp {
    /// The value is added.
    Add,
    /// The value is multiplied with.
    Mul,
    /// The larger one stays; NaN if either is.
    Max,
    /// The smaller one stays; NaN if either is.
    Min,
    /// The value replaces; where several arrive at one place, the last in row-major order stays.
    Set,
}

impl ScatterOp {
    /// The reduction that this is of all that arrives at a place and what is there; `None` where only the last stays.
    pub const fn reduction(self) -> Option<ReduceOp> {
        match self {
            ScatterOp::Add => Some(ReduceOp::Sum),
            ScatterOp::Mul => Some(ReduceOp::Prod),
            ScatterOp::Max => Some(ReduceOp::Max),
            ScatterOp::Min => Some(ReduceOp::Min),
            ScatterOp::Set => None,
        }
    }
}

/// `output[i with i[dim] replaced by index[i]] op= source[i]` over `shape`, onto an output that holds the base already.
///
/// Input 0 is the source, input 1 the index; the output buffer is updated in place. The order of additions to one place is
/// fixed, so that the same launch gives the same bits. An index outside `0..extent` is an error of the launch and writes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// The iteration space: the shape of index and source.
    pub shape: Shape,
    /// The dimension along which places are chosen.
    pub dim: usize,
    /// The element type of source and output.
    pub dtype: DType,
    /// How values combine.
    pub op: ScatterOp,
    /// Input 0: the values.
    pub source: Layout,
    /// Input 1: the index of each, int32.
    pub index: Layout,
    /// The shape of the output, which is contiguous; no smaller than `shape` except along `dim`.
    pub output: Shape,
}

/// `output[target(i)] = input[source(i)]` for every point of their common shape; other elements of the output stay.
///
/// The target never names an element twice. Input and output are different buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// The element type; a copy moves elements as they are.
    pub dtype: DType,
    /// Where each element comes from, in input 0.
    pub source: Layout,
    /// Where it goes, in the output.
    pub target: Layout,
}

impl Kernel {
    /// The kind, as a profile names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Kernel::Map(_) => "map",
            Kernel::Maps(_) => "maps",
            Kernel::Reduce(_) => "reduce",
            Kernel::Row(_) => "row",
            Kernel::Contract(_) => "contract",
            Kernel::Attention(_) => "attention",
            Kernel::Gather(_) => "gather",
            Kernel::Scatter(_) => "scatter",
            Kernel::Scan(_) => "scan",
            Kernel::Sort(_) => "sort",
            Kernel::Copy(_) => "copy",
            Kernel::Linalg(_) => "linalg",
        }
    }

    /// The element type and number of elements of each output buffer; for a kernel that updates its output in place
    /// ([`Kernel::updates`]) the type alone is known here.
    pub fn outputs(&self) -> Vec<(DType, usize)> {
        match self {
            Kernel::Map(map) => map.results().collect(),
            Kernel::Maps(maps) => maps.parts.iter().flat_map(Map::results).collect(),
            Kernel::Reduce(reduce) => {
                let rows = reduce.outer.elements();
                reduce.epilogue.dtypes.iter().map(|&dtype| (dtype, rows)).collect()
            }
            Kernel::Row(row) => {
                let (rows, elements) = (row.outer.elements(), row.outer.elements() * row.inner.elements());
                let of_rows = row.row_dtypes.iter().map(|&dtype| (dtype, rows));
                of_rows.chain(row.element_dtypes.iter().map(|&dtype| (dtype, elements))).collect()
            }
            Kernel::Contract(contract) => {
                let [batch, m, n, _] = contract.extents();
                contract.epilogue.dtypes.iter().map(|&dtype| (dtype, batch * m * n)).collect()
            }
            Kernel::Attention(attention) => attention.outputs().into_iter().map(|elements| (attention.dtype(), elements)).collect(),
            Kernel::Gather(gather) => vec![(gather.dtype, gather.shape.elements())],
            Kernel::Scatter(scatter) => vec![(scatter.dtype, scatter.output.elements())],
            Kernel::Scan(scan) => {
                let positions = scan.op.has_positions().then_some(DType::I32);
                [scan.dtype].into_iter().chain(positions).map(|dtype| (dtype, scan.shape.elements())).collect()
            }
            Kernel::Sort(sort) => [sort.dtype, DType::I32].map(|dtype| (dtype, sort.source.shape().elements())).to_vec(),
            Kernel::Copy(copy) => vec![(copy.dtype, copy.target.shape().elements())],
            Kernel::Linalg(linalg) => linalg.outputs(),
        }
    }

    /// How many input buffers a launch has.
    pub fn input_count(&self) -> usize {
        match self {
            Kernel::Gather(_) | Kernel::Scatter(_) => 2,
            Kernel::Sort(_) | Kernel::Copy(_) => 1,
            Kernel::Linalg(linalg) => linalg.inputs().len(),
            _ => self.operands().len(),
        }
    }

    /// Whether the output buffer holds a base that the kernel changes in part.
    pub fn updates(&self) -> bool {
        matches!(self, Kernel::Scatter(_) | Kernel::Copy(_))
    }

    /// The operands that the kernel reads through, in the order of its input buffers; none for the kinds that move elements as they are or take whole buffers.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Kernel::Map(map) => map.inputs.iter().collect(),
            Kernel::Maps(maps) => maps.parts.iter().flat_map(|part| &part.inputs).collect(),
            Kernel::Reduce(reduce) => reduce.inputs.iter().chain(&reduce.epilogue.inputs).collect(),
            Kernel::Row(row) => row.inputs.iter().collect(),
            Kernel::Contract(contract) => contract.operands(),
            Kernel::Attention(attention) => attention.operands(),
            Kernel::Scan(scan) => scan.inputs.iter().collect(),
            Kernel::Gather(_) | Kernel::Scatter(_) | Kernel::Sort(_) | Kernel::Copy(_) | Kernel::Linalg(_) => vec![],
        }
    }

    /// Whether input buffer `input` may also be output buffer `output`, each element being replaced after it was last read: it has the output's
    /// element type, and the kernel reads it only where, and in the pass in which, it writes the same place.
    pub fn can_replace(&self, input: usize, output: usize) -> bool {
        let (dtype, elements) = self.outputs()[output];
        let operand = match self {
            Kernel::Map(map) => map.inputs.get(input),
            Kernel::Maps(maps) => match maps.locate(input, output) {
                Some([(part, input), (same, _)]) if part == same => maps.parts[part].inputs.get(input),
                _ => None,
            },
            Kernel::Reduce(reduce) => input.checked_sub(reduce.inputs.len()).and_then(|at| reduce.epilogue.inputs.get(at)),
            Kernel::Contract(contract) => {
                input.checked_sub(contract.epilogue_start()).and_then(|at| contract.epilogue.inputs.get(at))
            }
            _ => None,
        };
        operand.is_some_and(|operand| operand.dtype == dtype && operand.covers(elements))
    }

    /// The types of the launch's parameters.
    pub fn params(&self) -> &[Type] {
        match self {
            Kernel::Map(map) => &map.params,
            Kernel::Maps(maps) => &maps.params,
            Kernel::Reduce(reduce) => &reduce.params,
            Kernel::Row(row) => &row.params,
            Kernel::Contract(contract) => &contract.params,
            Kernel::Attention(attention) => attention.params(),
            Kernel::Scan(scan) => &scan.params,
            Kernel::Gather(_) | Kernel::Scatter(_) | Kernel::Sort(_) | Kernel::Copy(_) | Kernel::Linalg(_) => &[],
        }
    }
}

/// The program that gives back its one input.
pub fn identity(ty: Type) -> Program {
    Program::new(&[Expr::input(0, ty)])
}
