//! Kernels of one's own: their texts and functions, and how a call becomes a launch.
//!
//! A kernel is recorded as built-in ones are, and planned, profiled and explained; nothing is fused
//! into it. Its inputs are made contiguous first, and its results are contiguous. It must be a
//! function of its arguments alone: equal calls may be made once.

use super::Arguments;
use crate::{
    DType, Device, Error, Result, Scalar, Shape, Tensor, batch,
    ops::{Arg, pointwise::common_device},
    scalar::Ints,
    scalar::ScalarParam,
};
use lanthorn_ir::{
    backend::CustomLanguage,
    expr::{Constant, Type},
    kernel::{self, ArgumentKind, CustomKernel, Extent, HostCall, KernelRef},
};
use lanthorn_runtime::Param;
use lanthorn_schema::{ParamType, Schema};

/// The type and shape of a result, before it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeTensor {
    /// The element type.
    pub dtype: DType,
    /// The sizes.
    pub shape: Shape,
}

impl FakeTensor {
    /// One of this type and shape.
    ///
    /// # Errors
    ///
    /// `shape` for a negative size.
    pub fn new(dtype: DType, shape: impl Into<Ints>) -> Result<FakeTensor> {
        Ok(FakeTensor { dtype, shape: Shape::new("fake", &shape.into())? })
    }

    /// One of a tensor's type and shape.
    pub fn like(tensor: &Tensor) -> FakeTensor {
        FakeTensor { dtype: tensor.dtype(), shape: tensor.shape().clone() }
    }
}

/// How many calls of a body a launch makes.
type Threads = Box<dyn Fn(&Arguments<'_>, &[FakeTensor]) -> Result<usize> + Send + Sync>;

/// How many workgroups a launch of a module has.
type Workgroups = Box<dyn Fn(&Arguments<'_>, &[FakeTensor]) -> Result<[u32; 2]> + Send + Sync>;

/// The size of a launch.
pub(super) enum LaunchSize {
    /// A call for each element of the first result.
    Elements,
    Threads(Threads),
    Workgroups(Workgroups),
}

/// A kernel for WebGPU.
///
/// A *body* is the statements of a function of `i: u32`. It runs for `i` from 0 to below the number
/// of elements of the first result, or what [`Wgsl::threads`] says. For a tensor `x` of the schema
/// it has
///
/// | | |
/// |---|---|
/// | `x(i)` | element `i` in row-major order, 0 beyond the end: `f32` of float32, float16 and bfloat16, `i32`, `u32` of uint8, `bool` |
/// | `x_numel()`, `x_rank()`, `x_size(d)`, `x_stride(d)` | `u32`s; a size is 1 and a stride 0 beyond the rank |
/// | `x_given` | whether an optional tensor is given |
///
/// for a result `y` (`out` where the schema names none, or `out0`, `out1`) the sizes too and
/// `set_y(i, value)`, which drops what lies beyond the end and rounds to the result's type; for a
/// number its name, `f32`, `i32` or `bool`; for a list `l(k)` and `l_len()`. `self` is called
/// `input`. Elements that are not set are undefined.
///
/// A *module* is a whole shader with an entry point `main`. Group 0 has the given tensors in order,
/// `read`, then the results, `read_write`; float16 and bfloat16 are packed two to a word, bool and
/// uint8 four. Group 1, binding 0 is a uniform of `array<vec4<u32>, 16>` or more, whose words are:
/// the workgroups along x; 0; the numbers; for each tensor of the schema and each result its
/// elements, its rank, and the word at which its sizes begin, followed by the strides; for each
/// list its length and first word.
pub struct Wgsl {
    text: kernel::Wgsl,
    size: LaunchSize,
}

impl Wgsl {
    /// A kernel of these statements.
    pub fn body(text: impl Into<String>) -> Wgsl {
        Wgsl { text: kernel::Wgsl::Body { text: text.into(), declarations: String::new() }, size: LaunchSize::Elements }
    }

    /// Functions, constants and types that a body uses.
    #[must_use]
    pub fn declarations(mut self, declared: impl Into<String>) -> Wgsl {
        if let kernel::Wgsl::Body { declarations, .. } = &mut self.text {
            *declarations = declared.into();
        }
        self
    }

    /// The number of calls of a body, from the arguments and the results' shapes.
    #[must_use]
    pub fn threads(
        mut self,
        threads: impl Fn(&Arguments<'_>, &[FakeTensor]) -> Result<usize> + Send + Sync + 'static,
    ) -> Wgsl {
        self.size = LaunchSize::Threads(Box::new(threads));
        self
    }

    /// A whole module, and its number of workgroups along x and y.
    pub fn module(
        text: impl Into<String>,
        workgroups: impl Fn(&Arguments<'_>, &[FakeTensor]) -> Result<[u32; 2]> + Send + Sync + 'static,
    ) -> Wgsl {
        Wgsl { text: kernel::Wgsl::Module(text.into()), size: LaunchSize::Workgroups(Box::new(workgroups)) }
    }
}

/// A kernel for CUDA: statements in C++, with the same names as a body in [`Wgsl`]. Types are `f32`
/// (of the half types too), `f64`, `i32`, `i64`, `u32` and `bool`. `let` and `var` are words of the
/// language.
pub struct Cuda {
    text: String,
    size: LaunchSize,
}

impl Cuda {
    /// A kernel of these statements.
    pub fn body(text: impl Into<String>) -> Cuda {
        Cuda { text: text.into(), size: LaunchSize::Elements }
    }

    /// The number of calls, from the arguments and the results' shapes.
    #[must_use]
    pub fn threads(
        mut self,
        threads: impl Fn(&Arguments<'_>, &[FakeTensor]) -> Result<usize> + Send + Sync + 'static,
    ) -> Cuda {
        self.size = LaunchSize::Threads(Box::new(threads));
        self
    }
}

/// A kernel for the CPU: a function over typed slices, called once a launch.
///
/// It runs with the recorded work, not at the call, and cannot use tensors of the same device. An
/// error that it returns, and a panic in programs that unwind, is the error of every value that
/// depends on the results.
pub struct Cpu(kernel::HostFunction);

impl Cpu {
    /// A kernel of this function.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn::{Tensor, custom::{Cpu, FakeTensor, custom_op}};
    /// let running_max = custom_op("mylib::running_max(Tensor x) -> Tensor")
    ///     .register_fake(|args| Ok(vec![FakeTensor::like(args.tensor("x")?)]))
    ///     .register_kernel(Cpu::new(|call| {
    ///         let x = call.input("x")?.as_slice::<f32>()?;
    ///         let mut largest = f32::NEG_INFINITY;
    ///         for (y, &x) in call.output("out")?.as_mut_slice::<f32>()?.iter_mut().zip(x) {
    ///             largest = largest.max(x);
    ///             *y = largest;
    ///         }
    ///         Ok(())
    ///     }))
    ///     .register()?;
    /// let x = Tensor::from_slice(&[1.0f32, 3.0, 2.0], [3], &device)?;
    /// assert_eq!(pollster::block_on(running_max.tensor(&[x.into()])?.to_vec::<f32>())?, [1.0, 3.0, 3.0]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn new(function: impl Fn(&mut HostCall<'_>) -> Result<()> + Send + Sync + 'static) -> Cpu {
        Cpu(Box::new(function))
    }
}

/// A kernel for one kind of device.
pub enum DeviceKernel {
    /// For WebGPU.
    Wgsl(Wgsl),
    /// For CUDA.
    Cuda(Cuda),
    /// For the CPU.
    Cpu(Cpu),
}

impl From<Wgsl> for DeviceKernel {
    fn from(kernel: Wgsl) -> DeviceKernel {
        DeviceKernel::Wgsl(kernel)
    }
}

impl From<Cuda> for DeviceKernel {
    fn from(kernel: Cuda) -> DeviceKernel {
        DeviceKernel::Cuda(kernel)
    }
}

impl From<Cpu> for DeviceKernel {
    fn from(kernel: Cpu) -> DeviceKernel {
        DeviceKernel::Cpu(kernel)
    }
}

/// The function that describes the results of an op.
pub(super) type Fake = Box<dyn Fn(&Arguments<'_>) -> Result<Vec<FakeTensor>> + Send + Sync>;

/// The kernels of an op that is being declared.
#[derive(Default)]
pub(super) struct Declared {
    pub wgsl: Option<Wgsl>,
    pub cuda: Option<Cuda>,
    pub cpu: Option<Cpu>,
    pub fake: Option<Fake>,
}

impl Declared {
    pub fn is_empty(&self) -> bool {
        self.wgsl.is_none() && self.cuda.is_none() && self.cpu.is_none()
    }

    pub fn add(&mut self, kernel: DeviceKernel) {
        match kernel {
            DeviceKernel::Wgsl(kernel) => self.wgsl = Some(kernel),
            DeviceKernel::Cuda(kernel) => self.cuda = Some(kernel),
            DeviceKernel::Cpu(kernel) => self.cpu = Some(kernel),
        }
    }
}

/// The kernels of a registered op.
pub(super) struct Kernels {
    kernel: KernelRef,
    fake: Fake,
    wgsl: LaunchSize,
    cuda: LaunchSize,
}

/// How a kernel sees an argument of this type; `None` for one that it cannot see.
fn kind_of(ty: ParamType) -> Option<ArgumentKind> {
    match ty {
        ParamType::Tensor | ParamType::OptionalTensor => Some(ArgumentKind::Tensor),
        ParamType::Scalar | ParamType::Float | ParamType::Int | ParamType::Bool => Some(ArgumentKind::Number),
        ParamType::Ints => Some(ArgumentKind::Ints),
        _ => None,
    }
}

/// The names of the results in a kernel.
fn result_names(schema: &Schema) -> Vec<String> {
    let name = |(index, result): (usize, &lanthorn_schema::Return)| match (result.name.as_str(), schema.returns.len()) {
        ("", 1) => "out".to_string(),
        ("", _) => format!("out{index}"),
        (name, _) => name.to_string(),
    };
    schema.returns.iter().enumerate().map(name).collect()
}

impl Kernels {
    /// The kernels of an op with this schema and name.
    pub fn new(declared: Declared, schema: &Schema, name: &'static str) -> Result<Kernels> {
        let refused = |message: String| Error::argument(name, message);
        let Some(fake) = declared.fake else {
            return Err(refused("an op with kernels needs register_fake, which says what it gives".into()));
        };
        let mut arguments = Vec::with_capacity(schema.params.len());
        for param in &schema.params {
            let Some(kind) = kind_of(param.ty) else {
                let message =
                    format!("a kernel takes Tensor, Tensor?, Scalar, float, int, bool and int[], not {}", param.ty);
                return Err(refused(message));
            };
            arguments.push(kernel::Argument { name: param.name.clone(), kind });
        }
        let results = result_names(schema);
        let taken = |name: &str| name == "i" || schema.params.iter().any(|param| param.name == name);
        let i_is_taken = arguments.iter().any(|argument| argument.name == "i");
        if schema.returns.iter().any(|result| result.ty != "Tensor")
            || i_is_taken
            || results.iter().any(|name| taken(name))
        {
            return Err(refused(format!(
                "a kernel's arguments and results are single tensors with names apart, none of them `i`: {schema}"
            )));
        }
        let (wgsl, wgsl_size) = declared.wgsl.map_or((None, LaunchSize::Elements), |wgsl| (Some(wgsl.text), wgsl.size));
        let (cuda, cuda_size) = declared.cuda.map_or((None, LaunchSize::Elements), |cuda| (Some(cuda.text), cuda.size));
        let cpu = declared.cpu.map(|cpu| cpu.0);
        // Kept as long as the op, which is never taken back.
        let kernel = Box::leak(Box::new(CustomKernel { name, arguments, results, wgsl, cuda, cpu }));
        Ok(Kernels { kernel: KernelRef(kernel), fake, wgsl: wgsl_size, cuda: cuda_size })
    }

    /// Whether there is a kernel for a device.
    pub fn run_on(&self, device: &Device) -> bool {
        let kernel = self.kernel.0;
        match device.capabilities().custom_language {
            CustomLanguage::Host => kernel.cpu.is_some(),
            CustomLanguage::Wgsl => kernel.wgsl.is_some(),
            CustomLanguage::Cuda => kernel.cuda.is_some(),
        }
    }

    /// The results of the op by its fake function, as many as the schema has.
    pub fn fake(&self, arguments: &Arguments<'_>) -> Result<Vec<FakeTensor>> {
        let results = (self.fake)(arguments)?;
        let wanted = self.kernel.0.results.len();
        if results.len() != wanted {
            let message = format!(
                "its fake function gave {} results, the schema has {wanted}: {}",
                results.len(),
                arguments.schema
            );
            return Err(Error::argument(self.kernel.0.name, message));
        }
        Ok(results)
    }

    /// Records the launch.
    pub fn launch(&self, arguments: &Arguments<'_>, device: &Device) -> Result<Vec<Tensor>> {
        let name = self.kernel.0.name;
        if arguments.values().iter().any(batch::differs) {
            return batch::each(arguments.values(), &|values| {
                self.launch(&Arguments { schema: arguments.schema, values: values.to_vec() }, device)
            });
        }
        let results = self.fake(arguments)?;
        results.iter().try_for_each(|result| device.require_dtype(name, result.dtype))?;
        let language = device.capabilities().custom_language;
        let elements = || results.first().map_or(0, |result| result.shape.elements());
        let size = if language == CustomLanguage::Cuda { &self.cuda } else { &self.wgsl };
        let extent = match size {
            _ if language == CustomLanguage::Host => Extent::Threads(1),
            LaunchSize::Elements => Extent::Threads(elements()),
            LaunchSize::Threads(threads) => Extent::Threads(threads(arguments, &results)?),
            LaunchSize::Workgroups(workgroups) => {
                Extent::Workgroups(workgroups(arguments, &results)?.map(|groups| groups as usize))
            }
        };
        let (mut tensors, mut inputs, mut params, mut lists) = (vec![], vec![], vec![], vec![]);
        for (param, value) in arguments.schema.params.iter().zip(arguments.values()) {
            match (kind_of(param.ty), value) {
                (Some(ArgumentKind::Tensor), Arg::Tensor(tensor)) => {
                    tensors.push(Some((tensor.dtype(), tensor.shape().clone())));
                    inputs.push(tensor.materialized()?);
                }
                (Some(ArgumentKind::Tensor), _) => tensors.push(None),
                (Some(ArgumentKind::Number), Arg::Scalar(scalar)) => {
                    params.push(number(name, &param.name, param.ty, *scalar, language == CustomLanguage::Host)?);
                }
                (Some(ArgumentKind::Ints), Arg::Ints(values)) => {
                    // GPUs take words of 32 bits.
                    let fits = |value: &i64| language == CustomLanguage::Host || i32::try_from(*value).is_ok();
                    let list = values.iter().map(|value| isize::try_from(*value).ok().filter(|_| fits(value)));
                    lists.push(
                        list.collect::<Option<Vec<isize>>>().ok_or_else(|| too_large(name, &param.name, values))?,
                    );
                }
                // Binding has checked the types.
                _ => return Err(Error::argument(name, format!("the argument {} cannot reach a kernel", param.name))),
            }
        }
        let custom = kernel::Custom {
            kernel: self.kernel,
            tensors,
            lists,
            results: results.iter().map(|result| (result.dtype, result.shape.clone())).collect(),
            params: params.iter().map(|param: &Constant| param.ty()).collect(),
            extent,
        };
        let values = batch::record(
            device,
            name,
            lanthorn_ir::Kernel::Custom(Box::new(custom)),
            None,
            inputs,
            params.into_iter().map(Param::from).collect(),
        );
        Ok(values
            .into_iter()
            .zip(results)
            .map(|(value, result)| Tensor::from_value(device, value, result.shape))
            .collect())
    }
}

fn too_large(op: &str, name: &str, value: impl std::fmt::Debug) -> Error {
    Error::argument(op, format!("the argument {name} is {value:?}, which is beyond the device's whole numbers"))
}

/// A number as a launch's parameter. GPUs accept numbers of 32 bits.
fn number(op: &str, name: &str, ty: ParamType, scalar: Scalar, wide: bool) -> Result<Constant> {
    Ok(match (ty, scalar) {
        (ParamType::Bool, scalar) => scalar.constant(Type::Bool),
        (ParamType::Int, scalar) if !wide && let Some(value) = scalar.to_int() => {
            Constant::I32(i32::try_from(value).map_err(|_| too_large(op, name, value))?)
        }
        (ParamType::Int, scalar) => scalar.constant(Type::I64),
        (_, scalar) => scalar.constant(if wide { Type::F64 } else { Type::F32 }),
    })
}

/// The device that a call's tensors are on.
pub(super) fn device_of(op: &str, tensors: &[Tensor]) -> Result<Device> {
    common_device(op, tensors)
}
