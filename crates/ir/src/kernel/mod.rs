//! The kernel kinds: the complete set of operations that a backend implements.
//!
//! A kernel describes a computation over an iteration space, with shapes, strides and offsets; the
//! backend decides how to run it, and which parts of the description become code and which become
//! data. Numbers that change from launch to launch are never part of a kernel: they are the
//! [`Param`] slots of its expressions. Each tensor is read through an [`Operand`], so permuted,
//! expanded and padded tensors need no copy.
//!
//! Each kind has its own file, which implements [`KernelKind`]: outputs, operands, parameters,
//! programs and the listing for readers. [`Kernel`] is the enum of all kinds and forwards to that
//! trait through one `match`. To add a kind: write its file, and add a variant and a line of that
//! `match` here.
//!
//! Rejected: a `match` over all kinds for each property, wherever it is needed. Every new kind then
//! had to be added to a dozen of them in three crates.
//!
//! [`Param`]: crate::expr::Node::Param

mod affine;
mod attention;
mod batch;
mod contract;
mod copy;
mod custom;
mod epilogue;
mod fused_reduction;
mod gather;
mod horizontal;
mod host_call;
mod linalg;
mod map;
mod operand;
mod recurrent;
mod reduce;
mod scan;
mod scatter;
mod sort;
mod store;

pub use affine::AffineIndex;
pub use attention::{Attention, AttentionGradient, AttentionPass};
pub use batch::Batch;
pub use contract::{Contract, Prologue};
pub use copy::Copy;
pub use custom::{Argument, ArgumentKind, Custom, CustomKernel, Extent, HostFunction, KernelRef, Wgsl};
pub use epilogue::Epilogue;
pub use fused_reduction::FusedReduction;
pub use gather::Gather;
pub use horizontal::{Fusible, Horizontal};
pub use host_call::{HostCall, HostTensor, HostTensorMut};
pub use linalg::{Elements, Linalg, Routine};
pub use map::Map;
pub use operand::{BoundedIndex, Operand};
pub use recurrent::{Recurrent, RecurrentCell};
pub use reduce::{Reduce, ReduceOp};
pub use scan::{Scan, ScanOp};
pub use scatter::{Scatter, ScatterOp};
pub use sort::Sort;
pub use store::{Pointwise, Store};

use crate::{
    DType, Error, Layout, Shape,
    expr::{Expr, Program, Type},
    number::{Convert, Number},
};

/// The facts about a kernel that do not depend on a backend. Every kind implements this trait.
pub trait KernelKind<N: Number = usize> {
    /// The name of the kind, as profiles, listings and tuning classes show it.
    fn name(&self) -> &'static str;

    /// The element type and shape of each output buffer, all of which are contiguous. A kernel that
    /// updates a base in place ([`KernelKind::updates`]) may know only the part that it writes.
    fn results(&self) -> Vec<(DType, Shape<N>)>;

    /// The operands that the kernel reads, in the order of its input buffers. A kind that moves
    /// elements unchanged, or that takes whole buffers, has [`KernelKind::sources`] instead.
    fn operands(&self) -> Vec<&Operand<N>> {
        vec![]
    }

    /// The element type of each input buffer and the layout of all elements that are read from it,
    /// for a kind without operands.
    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        vec![]
    }

    /// The types of the launch's parameters, by slot.
    fn params(&self) -> &[Type] {
        &[]
    }

    /// The programs that the kernel evaluates.
    fn programs(&self) -> Vec<&Program> {
        vec![]
    }

    /// Whether the output buffer already holds a base, of which the kernel changes a part.
    fn updates(&self) -> bool {
        false
    }

    /// The operand of input `input`, if the kernel reads an element of it only where, and in the
    /// pass in which, it writes the same element of output `output`.
    fn elementwise_operand(&self, _input: usize, _output: usize) -> Option<&Operand<N>> {
        None
    }

    /// The computation as text for people, one line per expression.
    fn listing(&self) -> Vec<String> {
        vec![]
    }
}

/// One launchable piece of work. Inputs and outputs are buffers, in the order given by each kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernel<N: Number = usize> {
    /// Pointwise: `outputs[j][i] = program(inputs[..][i])`.
    Map(Map<N>),
    /// Independent pointwise kernels in one launch, some of which may store to indexed positions of
    /// a base.
    Maps(Horizontal<Pointwise<N>>),
    /// A pointwise prologue, a reduction over the inner dimensions, and a pointwise epilogue.
    Reduce(Reduce<N>),
    /// Several reductions and maps over the same rows: softmax, layer norm, cross entropy.
    FusedReduction(FusedReduction<N>),
    /// A sum of products over any dimensions: matrix products and convolutions.
    Contract(Contract<N>),
    /// Several independent sums of products in one launch.
    Contracts(Horizontal<Contract<N>>),
    /// Scaled dot-product attention that never stores the matrix of weights.
    Attention(Box<Attention<N>>),
    /// Elements selected along one dimension by an index tensor.
    Gather(Gather<N>),
    /// Elements added or stored along one dimension at the positions that an index tensor names.
    Scatter(Scatter<N>),
    /// Running results along one dimension: cumulative sums, products and extrema, linear
    /// recurrences.
    Scan(Scan<N>),
    /// All steps of a recurrent cell. Only devices that
    /// [have it](crate::backend::Capabilities::has_recurrent_kernel) record it.
    Recurrent(Recurrent<N>),
    /// The elements along one dimension in sorted order, and their original positions.
    Sort(Sort<N>),
    /// A strided region of one buffer, copied to a strided region of another.
    Copy(Copy<N>),
    /// A matrix factorization, or a solve with one, for each matrix of a batch.
    Linalg(Linalg),
    /// A kernel from outside.
    Custom(Box<Custom<N>>),
}

impl<N: Number> Kernel<N> {
    fn as_kind(&self) -> &dyn KernelKind<N> {
        match self {
            Kernel::Map(map) => map,
            Kernel::Maps(maps) => maps,
            Kernel::Reduce(reduce) => reduce,
            Kernel::FusedReduction(reduction) => reduction,
            Kernel::Contract(contract) => contract,
            Kernel::Contracts(contracts) => contracts,
            Kernel::Attention(attention) => &**attention,
            Kernel::Gather(gather) => gather,
            Kernel::Scatter(scatter) => scatter,
            Kernel::Scan(scan) => scan,
            Kernel::Recurrent(recurrent) => recurrent,
            Kernel::Sort(sort) => sort,
            Kernel::Copy(copy) => copy,
            Kernel::Linalg(linalg) => linalg,
            Kernel::Custom(custom) => &**custom,
        }
    }

    /// The name of the kind: `map`, `reduce`, `fused_reduction`.
    pub fn kind(&self) -> &'static str {
        self.as_kind().name()
    }

    /// The element type and number of elements of each output buffer. For a kernel that updates a
    /// base in place ([`Kernel::updates`]) only the type is reliable.
    pub fn outputs(&self) -> Vec<(DType, N)> {
        self.as_kind().results().into_iter().map(|(dtype, shape)| (dtype, shape.elements())).collect()
    }

    /// The shape of each output.
    pub fn shapes(&self) -> Vec<Shape<N>> {
        self.as_kind().results().into_iter().map(|(_, shape)| shape).collect()
    }

    /// The number of input buffers of a launch.
    pub fn input_count(&self) -> usize {
        self.operands().len() + self.sources().len()
    }

    /// The type of the numbers of each input of a launch.
    pub fn input_dtypes(&self) -> Vec<DType> {
        let operands = self.operands().into_iter().map(Operand::dtype);
        operands.chain(self.sources().into_iter().map(|(dtype, _)| dtype)).collect()
    }

    /// Whether the output buffer already holds a base, of which the kernel changes a part.
    pub fn updates(&self) -> bool {
        self.as_kind().updates()
    }

    /// Checks that block-quantized operands occur only where a kernel computes with their numbers:
    /// in all kinds except attention.
    ///
    /// # Errors
    /// A dtype error for attention over blocks.
    pub fn check_blocks(&self) -> crate::Result<()> {
        let Kernel::Attention(_) = self else { return Ok(()) };
        match self.operands().into_iter().find_map(|operand| operand.encoding.format()) {
            Some(format) => Err(Error::dtype(
                self.kind(),
                format!("{format} numbers are read by products and pointwise kernels only"),
            )),
            None => Ok(()),
        }
    }

    /// The operands that the kernel reads, in the order of its input buffers; see
    /// [`KernelKind::operands`].
    pub fn operands(&self) -> Vec<&Operand<N>> {
        self.as_kind().operands()
    }

    /// The input buffers of a kind without operands; see [`KernelKind::sources`].
    pub fn sources(&self) -> Vec<(DType, Layout<N>)> {
        self.as_kind().sources()
    }

    /// Whether output buffer `output` may be the buffer of input `input`: the kernel reads each
    /// element of the input before it overwrites it and not afterwards, and both have the same
    /// element type and cover the same elements.
    pub fn can_replace(&self, input: usize, output: usize) -> bool {
        let operand = self.as_kind().elementwise_operand(input, output);
        operand.is_some_and(|operand| {
            let (dtype, elements) = self.outputs()[output];
            operand.encoding == dtype && operand.covers(elements)
        })
    }

    /// The types of the launch's parameters, by slot.
    pub fn params(&self) -> &[Type] {
        self.as_kind().params()
    }

    /// The programs that the kernel evaluates.
    pub fn programs(&self) -> Vec<&Program> {
        self.as_kind().programs()
    }

    /// The kernel with numbers of another type: all sizes, strides and offsets, in a fixed order.
    /// The sizes of a [`Linalg`] kernel belong to its structure, so they stay.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Kernel<M> {
        match self {
            Kernel::Map(map) => Kernel::Map(map.convert(convert)),
            Kernel::Maps(maps) => Kernel::Maps(maps.with_parts(|part| part.convert(convert))),
            Kernel::Reduce(reduce) => Kernel::Reduce(reduce.convert(convert)),
            Kernel::FusedReduction(reduction) => Kernel::FusedReduction(reduction.convert(convert)),
            Kernel::Contract(contract) => Kernel::Contract(contract.convert(convert)),
            Kernel::Contracts(contracts) => Kernel::Contracts(contracts.with_parts(|part| part.convert(convert))),
            Kernel::Attention(attention) => Kernel::Attention(Box::new(attention.convert(convert))),
            Kernel::Gather(gather) => Kernel::Gather(gather.convert(convert)),
            Kernel::Scatter(scatter) => Kernel::Scatter(scatter.convert(convert)),
            Kernel::Scan(scan) => Kernel::Scan(scan.convert(convert)),
            Kernel::Recurrent(recurrent) => Kernel::Recurrent(recurrent.convert(convert)),
            Kernel::Sort(sort) => Kernel::Sort(sort.convert(convert)),
            Kernel::Copy(copy) => Kernel::Copy(copy.convert(convert)),
            Kernel::Linalg(linalg) => Kernel::Linalg(linalg.clone()),
            Kernel::Custom(custom) => Kernel::Custom(Box::new(custom.convert(convert))),
        }
    }

    /// The computation as text for people, one line per expression.
    ///
    /// ```
    /// use lanthorn_ir::{DType, Kernel, Shape, expr::{Expr, Program, Type}, kernel::Map};
    /// let one = Program::new(&[Expr::constant(1.0, Type::F32)]);
    /// let shape = Shape::from_dims([2]);
    /// let dtypes = vec![DType::F32];
    /// let map = Map { shape, inputs: vec![], indices: vec![], params: vec![], program: one, dtypes };
    /// assert_eq!(Kernel::Map(map).listing(), ["v0 = 1 -> v0"]);
    /// ```
    pub fn listing(&self) -> Vec<String> {
        self.as_kind().listing()
    }
}

/// The program whose one result is its one input.
pub fn identity(ty: Type) -> Program {
    Program::new(&[Expr::input(0, ty)])
}

/// `shape` as three dimensions: the elements before, along and after dimension `dim`.
fn extents_around<N: Number>(shape: &Shape<N>, dim: usize) -> [N; 3] {
    let product = |sizes: &[N]| sizes.iter().fold(N::constant(1), |product, &size| product * size);
    [product(&shape[..dim]), shape[dim], product(&shape[dim + 1..])]
}

/// Shapes as one, the first one's dimensions first.
fn concat<N: Number, const COUNT: usize>(shapes: [&Shape<N>; COUNT]) -> Shape<N> {
    Shape::from_dims(shapes.into_iter().flat_map(|shape| shape.iter().copied()))
}
