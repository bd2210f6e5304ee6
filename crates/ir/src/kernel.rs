//! The kernel kinds: all that a backend runs.
//!
//! A kernel says what is computed over which iteration space, with shapes, strides and offsets; a backend decides how. What of
//! it becomes code and what becomes data is the backend's choice, but numbers that change from launch to launch ([`Param`] slots
//! of the expressions) are never part of a kernel. An operand is a strided window ([`Layout`]) onto a buffer, so a permuted or
//! expanded tensor is read in place.
//!
//! [`Param`]: crate::expr::Node::Param

use crate::{
    DType, Layout, Shape,
    expr::{Expr, Program, Type},
};

/// A tensor as a kernel reads it: its element type, and where each point of the iteration space finds its element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The element type in the buffer.
    pub dtype: DType,
    /// A window whose shape is the kernel's iteration space.
    pub layout: Layout,
}

/// One launchable piece of work. Inputs and outputs are buffers in the order given here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Pointwise: `outputs[j][i] = program(inputs[..][i])`.
    Map(Map),
    /// A pointwise prologue, a reduction over the inner dimensions, a pointwise epilogue.
    Reduce(Reduce),
    /// A batched matrix product.
    Contract(Contract),
    /// Elements picked along one dimension by an index tensor.
    Gather(Gather),
    /// Elements added or stored along one dimension at the places that an index tensor names.
    Scatter(Scatter),
    /// A strided window of one buffer written to a strided window of another.
    Copy(Copy),
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

/// `output[o] = epilogue(op over i of prologue(inputs[..][o, i]))`; the output is contiguous over `outer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduce {
    /// The dimensions that stay. Input layouts have shape `outer` followed by `inner`.
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
    /// What is done with the result, which is its input slot 0 (of type [`Type::I32`] for a position); one output.
    pub epilogue: Program,
    /// The element type of the output.
    pub dtype: DType,
}

impl Reduce {
    /// The type of what the epilogue gets: the reduced value's, or that of a position.
    pub fn epilogue_input(&self) -> Type {
        if self.op.is_index() { Type::I32 } else { self.prologue.ty(self.prologue.outputs[0]) }
    }
}

/// `output[b, m, n] = epilogue(sum over k of a[b, m, k] * b[b, k, n])`; the output is contiguous, float32 or float64.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// Batch dimensions, then m, then k.
    pub a: Layout,
    /// Batch dimensions, then k, then n.
    pub b: Layout,
    /// The type of operands and output.
    pub dtype: DType,
    /// What is done with the sum, which is its input slot 0; one output.
    pub epilogue: Program,
    /// The types of the epilogue's parameters.
    pub params: Vec<Type>,
}

impl Contract {
    /// The extents: the product of the batch dimensions, m, n and k.
    pub fn extents(&self) -> [usize; 4] {
        let (a, b) = (self.a.shape(), self.b.shape());
        let rank = a.rank();
        [a[..rank - 2].iter().product(), a[rank - 2], b[rank - 1], a[rank - 1]]
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

/// How a scatter combines what arrives at one place with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScatterOp {
    /// The value is added.
    Add,
    /// The value replaces; where several arrive at one place, the last in row-major order stays.
    Set,
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
            Kernel::Reduce(_) => "reduce",
            Kernel::Contract(_) => "contract",
            Kernel::Gather(_) => "gather",
            Kernel::Scatter(_) => "scatter",
            Kernel::Copy(_) => "copy",
        }
    }

    /// The element type and number of elements of each output buffer; for a kernel that updates its output in place
    /// ([`Kernel::updates`]) the type alone is known here.
    pub fn outputs(&self) -> Vec<(DType, usize)> {
        match self {
            Kernel::Map(map) => map.dtypes.iter().map(|&dtype| (dtype, map.shape.elements())).collect(),
            Kernel::Reduce(reduce) => vec![(reduce.dtype, reduce.outer.elements())],
            Kernel::Contract(contract) => {
                let [batch, m, n, _] = contract.extents();
                vec![(contract.dtype, batch * m * n)]
            }
            Kernel::Gather(gather) => vec![(gather.dtype, gather.shape.elements())],
            Kernel::Scatter(scatter) => vec![(scatter.dtype, scatter.output.elements())],
            Kernel::Copy(copy) => vec![(copy.dtype, copy.target.shape().elements())],
        }
    }

    /// Whether the output buffer holds a base that the kernel changes in part.
    pub fn updates(&self) -> bool {
        matches!(self, Kernel::Scatter(_) | Kernel::Copy(_))
    }

    /// The types of the launch's parameters.
    pub fn params(&self) -> &[Type] {
        match self {
            Kernel::Map(map) => &map.params,
            Kernel::Reduce(reduce) => &reduce.params,
            Kernel::Contract(contract) => &contract.params,
            Kernel::Gather(_) | Kernel::Scatter(_) | Kernel::Copy(_) => &[],
        }
    }
}

/// The program that gives back its one input: the epilogue that does nothing.
pub fn identity(ty: Type) -> Program {
    Program::new(&[Expr::input(0, ty)])
}
