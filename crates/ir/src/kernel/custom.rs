//! Custom kernels: text in a language of the device, or a function of the host.
//!
//! A [`CustomKernel`] is registered once and lives as long as the process. A [`Custom`] is one use
//! of it, with element types and shapes. The texts are the same for all shapes, because sizes are
//! data. Inputs and outputs are contiguous. The planner fuses nothing into a custom kernel.
//!
//! Rejected: a trait that a user implements for each backend. It would expose the backends' buffers
//! and pipelines, which change, and a page could not implement it.

use super::{HostCall, KernelKind};
use crate::{
    DType, Layout, Result, Shape,
    expr::Type,
    number::{Convert, Number},
};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// The implementations of a custom operation, one for each kind of device that it supports.
pub struct CustomKernel {
    /// The operation's name, `mylib::swiglu`.
    pub name: &'static str,
    /// The names of its tensors and numbers, in order.
    pub arguments: Vec<Argument>,
    /// The names of its results, in order.
    pub results: Vec<String>,
    /// For WebGPU.
    pub wgsl: Option<Wgsl>,
    /// For CUDA.
    pub cuda: Option<String>,
    /// For the CPU.
    pub cpu: Option<HostFunction>,
}

/// An argument that a kernel sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name in the schema.
    pub name: String,
    /// Its kind.
    pub kind: ArgumentKind,
}

/// The kinds of arguments that a kernel sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A tensor, which may be optional.
    Tensor,
    /// A number: a parameter of the launch.
    Number,
    /// A list of integers.
    Ints,
}

/// A kernel's text in WGSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wgsl {
    /// The statements of a function of `i: u32`, which runs for each number below the number of
    /// threads. They refer to the tensors, their sizes and the numbers by name.
    Body {
        /// The statements.
        text: String,
        /// Functions and constants that they use.
        declarations: String,
    },
    /// A whole module, with the entry point `main`. It declares the bindings itself.
    Module(String),
}

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent<N: Number = usize> {
    /// Calls of a body.
    Threads(N),
    /// Workgroups of a module, along two dimensions.
    Workgroups([N; 2]),
}

/// A kernel as a function of the host. It is called once a launch.
pub type HostFunction = Box<dyn Fn(&mut HostCall<'_>) -> Result<()> + Send + Sync>;

/// One use of a [`CustomKernel`].
///
/// The inputs are the given tensors, in order. Two uses are equal if they have the same kernel and
/// equal sizes. A kernel is equal only to itself.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Custom<N: Number = usize> {
    /// The kernel.
    pub kernel: KernelRef,
    /// The dtype and shape of each tensor argument; `None` for a tensor that is not given.
    pub tensors: Vec<Option<(DType, Shape<N>)>>,
    /// The lists of integers among the arguments.
    pub lists: Vec<Vec<N::Signed>>,
    /// The element type and shape of each result.
    pub results: Vec<(DType, Shape<N>)>,
    /// The types of the numbers, which are the launch's parameters.
    pub params: Vec<Type>,
    /// The size of the launch.
    pub extent: Extent<N>,
}

impl<N: Number> Custom<N> {
    /// The element type and shape of each input.
    pub fn inputs(&self) -> impl Iterator<Item = &(DType, Shape<N>)> {
        self.tensors.iter().flatten()
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Custom<M> {
        let mut described = |(dtype, shape): &(DType, Shape<N>)| (*dtype, shape.convert(convert));
        let tensors = self.tensors.iter().map(|tensor| tensor.as_ref().map(&mut described)).collect();
        let results = self.results.iter().map(&mut described).collect();
        let lists =
            self.lists.iter().map(|list| list.iter().map(|&number| convert.to_signed(number)).collect()).collect();
        let extent = match self.extent {
            Extent::Threads(threads) => Extent::Threads(convert.number(threads)),
            Extent::Workgroups(groups) => Extent::Workgroups(groups.map(|groups| convert.number(groups))),
        };
        Custom { kernel: self.kernel, tensors, lists, results, params: self.params.clone(), extent }
    }
}

impl<N: Number> KernelKind<N> for Custom<N> {
    fn name(&self) -> &'static str {
        "custom"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.results.clone()
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        self.inputs().map(|(dtype, shape)| (*dtype, Layout::contiguous(shape.clone()))).collect()
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn listing(&self) -> Vec<String> {
        let tensor = |(dtype, shape): &(DType, Shape<N>)| format!("{dtype}{shape:?}");
        let inputs: Vec<String> = self.inputs().map(tensor).collect();
        let results: Vec<String> = self.results.iter().map(tensor).collect();
        vec![format!("{} of {} -> {}", self.kernel.0.name, inputs.join(", "), results.join(", "))]
    }
}

/// A registered kernel. Two are equal if they are the same one.
#[derive(Clone, Copy)]
pub struct KernelRef(pub &'static CustomKernel);

impl PartialEq for KernelRef {
    fn eq(&self, other: &KernelRef) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for KernelRef {}

impl Hash for KernelRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl fmt::Debug for KernelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl<N: Number> fmt::Debug for Custom<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.listing().concat())
    }
}
