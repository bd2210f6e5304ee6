//! The operations: one declaration each, collected in a table.
//!
//! `leaf/` holds ops with a lowering to kernels and a derivative, `composite/` ops written in other
//! ops, whose derivative follows. A family is a file; an op in it is a function under the `op`
//! attribute and a row at the end of the file. The Rust method, the JavaScript method, its
//! documentation, the conformance run and the gradient check come from the table.

mod arg;
mod args;
pub mod composite;
pub(crate) mod dispatch;
pub(crate) mod in_place;
pub mod leaf;
mod output;
pub(crate) mod pointwise;
mod precision;

pub use arg::Arg;
pub use args::Args;
pub use lanthorn_call::{ArgKind, Caller, Language};
pub use output::Output;
pub use pointwise::Rule;
pub(crate) use precision::Precision;

#[cfg(any(test, feature = "reference"))]
use crate::samples::Sample;
use crate::{Error, Result, Tensor, custom, trace};
use lanthorn_call::{Call as Given, Refusal, Resolved};
use lanthorn_ir::expr::Expr;
use lanthorn_schema::Schema;
use rustc_hash::FxHashMap;
use std::{
    future::Future,
    pin::Pin,
    sync::OnceLock,
    task::{Context, Poll, Waker},
};

/// How an op is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// One scalar expression, which the arguments may choose; kernels and derivative follow from
    /// it.
    Pointwise,
    /// Lowered to kernels, with its derivative declared.
    Leaf,
    /// Written in other ops, or a case of a leaf: without its own lowering or derivative.
    Composite,
}

/// The effect of an op's in-place form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// Writes the result to the tensor's memory: `add_`.
    Write,
    /// The same, and refuses a result of another type than the tensor's: `float_power_`.
    SameDtype,
    /// Makes the tensor another view of its memory: `transpose_`.
    View,
}

/// Why a program has no op whose result's shape depends on elements.
pub(crate) const READS: &str = "the shape of its result depends on elements";

/// The results of an op once it has read its input.
pub type Later = Pin<Box<dyn Future<Output = Result<Output>>>>;

/// How an op is run on dynamic arguments.
#[derive(Clone, Copy)]
pub enum Call {
    /// A scalar expression of the arguments, which are tensors and numbers.
    Pointwise(pointwise::Rule, fn(&[Expr]) -> Expr),
    /// At once, to one tensor.
    Tensor(fn(&Args<'_>) -> Result<Tensor>),
    /// At once.
    Sync(fn(&Args<'_>) -> Result<Output>),
    /// After reading: the result's shape depends on the elements.
    Async(fn(Args<'static>) -> Later),
    /// As it was registered; see [`custom`].
    Custom(&'static custom::Definition),
}

/// The declaration of an op.
pub struct Op {
    /// The ATen-style schema.
    pub text: &'static str,
    /// The documentation, a line an entry.
    #[cfg(any(test, feature = "reference"))]
    pub doc: &'static [&'static str],
    /// How it is made.
    pub kind: OpKind,
    /// What autocast does to its tensors.
    pub autocast: crate::autocast::Policy,
    /// The in-place form, `name_`, if there is one.
    pub in_place: Option<InPlace>,
    /// Other names of the op.
    pub aliases: &'static [&'static str],
    /// Runs it on dynamic arguments.
    pub call: Call,
    /// Inputs that every backend, and the gradient check, are tested on.
    #[cfg(any(test, feature = "reference"))]
    pub samples: fn() -> Vec<Sample>,
}

impl Op {
    /// The op's name, with its overload's: `max`, `max.dim`.
    pub fn name(&self) -> &'static str {
        self.text.split('(').next().unwrap_or(self.text)
    }

    /// The name without the overload's: the name of the method in PyTorch and JavaScript.
    pub fn base_name(&self) -> &'static str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Whether the result comes only after the elements were read.
    pub fn is_async(&self) -> bool {
        matches!(self.call, Call::Async(_))
    }

    /// The parsed schema.
    pub fn schema(&'static self) -> &'static Schema {
        match self.call {
            Call::Custom(definition) => definition.schema(),
            _ => &entry(self.name()).schema,
        }
    }

    /// Runs the op on dynamic arguments in the schema's order; missing ones take their defaults.
    ///
    /// # Errors
    ///
    /// `argument` for arguments that do not fit the schema, and for an op whose result's shape
    /// depends on the elements ([`Op::run_async`]); the error of the op.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn::{Tensor, ops::{Arg, Op}};
    /// let x = Tensor::from_slice(&[3.0f32, -1.0], [2], &device)?;
    /// let y = Op::find("relu").unwrap().run(&[Arg::Tensor(x)])?.into_tensor("relu")?;
    /// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [3.0, 0.0]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    ///
    /// An op whose result's shape depends on the elements is an error here; see [`Op::run_async`].
    pub fn run(&'static self, args: &[Arg]) -> Result<Output> {
        dispatch::run(self, args)
    }

    /// Runs the op itself.
    pub(crate) fn run_bound(&'static self, args: &Args<'_>) -> Result<Output> {
        match self.call {
            Call::Pointwise(rule, expression) => {
                pointwise::apply_declared(self, rule, &args.operands(self.schema()), expression).map(Output::Tensor)
            }
            Call::Tensor(call) => call(args).map(Output::Tensor),
            Call::Sync(call) => call(args),
            Call::Custom(definition) => definition.run(self, args),
            Call::Async(_) => Err(Error::argument(self.name(), "reads its input, so its result must be awaited")),
        }
    }

    /// Runs any op on dynamic arguments, at once as far as its first read, so that it sees tensors
    /// as they are at the call.
    ///
    /// # Errors
    ///
    /// As [`Op::run`], and the error of the device that is read.
    pub fn run_async(&'static self, args: &[Arg]) -> impl Future<Output = Result<Output>> + 'static {
        let mut running = match self.call {
            Call::Async(call) => trace::refuse(self.name(), READS)
                .and_then(|()| Args::bind_owned(self.schema(), args))
                .map(call)
                .map_err(Err),
            _ => Err(self.run(args)),
        };
        if let Ok(future) = &mut running
            && let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            running = Err(done);
        }
        async {
            match running {
                Ok(future) => future.await,
                Err(done) => done,
            }
        }
    }

    /// Runs the in-place form: the first argument takes the result. Returns the tensor afterwards,
    /// which for a view is another handle.
    ///
    /// # Errors
    ///
    /// `argument` if the op has no in-place form; as [`Op::run`].
    pub fn run_in_place(&'static self, args: &[Arg]) -> Result<Tensor> {
        dispatch::run_in_place(self, args)
    }

    /// Runs the in-place form itself. The op computes from `input_of` the first argument.
    pub(crate) fn write_in_place(&'static self, args: &[Arg], input_of: fn(&Tensor) -> Tensor) -> Result<Tensor> {
        let (Some(form), Some(Arg::Tensor(target))) = (self.in_place, args.first()) else {
            return Err(Error::argument(self.name(), "has no in-place form"));
        };
        let run = |target: Tensor| {
            let mut args = args.to_vec();
            args[0] = Arg::Tensor(target);
            self.run(&args)?.into_tensor(self.name())
        };
        match form {
            InPlace::Write | InPlace::SameDtype => {
                let result = run(input_of(target)).map_err(|error| in_place::rename(self, error))?;
                in_place::assign(self, target, result).map(|()| target.clone())
            }
            InPlace::View => in_place::view(self, target, |target| run(target.clone())),
        }
    }

    /// Returns a function that words an error of a call with these arguments for its caller. A
    /// call that succeeds pays nothing for it: the function is made when the call has failed, or
    /// before a call that answers later.
    ///
    /// A refused argument has its name in the caller's language. An error of the op has the name
    /// under which the op was called, and so has an error of shapes, types and other arguments in
    /// an op that a composite calls. Errors of memory, of the device and of the backward pass keep
    /// their names.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn::{Tensor, ops::{Arg, Caller, Language, Op}};
    /// let args = [Arg::Tensor(Tensor::zeros([2])?)];
    /// let col2im = Op::find("col2im").unwrap();
    /// let caller = Caller { language: Language::JavaScript, name: Some("fold") };
    /// let error = col2im.wording(&args, caller)(col2im.run(&args).err().unwrap());
    /// assert!(error.to_string().starts_with("fold: the argument outputSize is missing: "));
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    #[cold]
    pub fn wording(&'static self, args: &[Arg], caller: Caller) -> impl FnOnce(Error) -> Error + 'static {
        let refusal = lanthorn_call::bind(self.schema(), args, caller).err();
        move |error| match (refusal, caller.name) {
            (Some(refusal), _) => refusal.into_error(),
            (None, Some(name)) if self.is_cause(&error) => error.in_op(name),
            _ => error,
        }
    }

    /// Whether the op or one of its arguments is the cause of an error.
    fn is_cause(&self, error: &Error) -> bool {
        let is_of_arguments = error.is_shape() || error.is_dtype() || error.is_index() || error.is_argument();
        is_of_arguments || self.is_named(error.op())
    }

    /// Whether the op has this name in errors: with the overload's or without, or in place.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let name = name.strip_suffix('_').unwrap_or(name);
        name == self.base_name() || name == self.name()
    }

    /// The op with this name or alias: of the table, or registered ([`custom`]).
    pub fn find(name: &str) -> Option<&'static Op> {
        table().get(name).map(|entry| entry.op).or_else(|| custom::find(name))
    }

    /// Every op of this name: PyTorch's overloads, in the order in which they are tried.
    pub fn overloads(name: &str) -> Vec<&'static Op> {
        let found = Op::find(name);
        let base = found.map_or(name, |op| op.base_name());
        all().filter(|op| op.base_name() == base).collect()
    }

    /// Selects the overload that takes the arguments of a call, among the ops that share this op's
    /// base name and that `is_tried` accepts.
    ///
    /// # Errors
    ///
    /// `argument` with the reason of the overload that accepts the most arguments.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_call::Call;
    /// use lanthorn::{Tensor, ops::{Op, Selected}};
    /// let x = Tensor::from_slice(&[3.0f32, -1.0], [2], &device)?;
    /// let call = Call::new(vec![x.into()]).with("dim", 0);
    /// let max = Op::find("max").unwrap();
    /// assert!(matches!(max.resolve(&call, &|_| true)?, Selected::Op(1, op, _) if op.name() == "max.dim"));
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn resolve(&'static self, call: &Given<Tensor>, is_tried: &dyn Fn(&'static Op) -> bool) -> Result<Selected> {
        let registered;
        let overloads = match families().get(self.base_name()) {
            Some(overloads) => &overloads[..],
            None => {
                registered = Op::overloads(self.name());
                &registered[..]
            }
        };
        let tried: Vec<usize> = (0..overloads.len()).filter(|&index| is_tried(overloads[index])).collect();
        let schemas: Vec<&Schema> = tried.iter().map(|&index| overloads[index].schema()).collect();
        Ok(match lanthorn_call::resolve(&schemas, call).map_err(Refusal::into_error)? {
            Resolved::Overload(index, args) => Selected::Op(tried[index], overloads[tried[index]], args),
            Resolved::Arrays(arrays) => Selected::Arrays(arrays),
        })
    }

    /// Whether the parameters take arguments of these kinds: a name means the first of its
    /// [`Op::overloads`] that does.
    pub fn accepts(&'static self, args: &[Arg]) -> bool {
        lanthorn_call::fits(self.schema(), args)
    }
}

/// The overload that [`Op::resolve`] selects.
#[derive(Clone)]
pub enum Selected {
    /// The op with this index among its overloads, and the arguments in its schema's order.
    Op(usize, &'static Op, Vec<Arg>),
    /// An overload takes the arguments if the caller makes tensors of these: each by its position
    /// in the call, with the name of its parameter in the caller's language.
    Arrays(Vec<(usize, String)>),
}

struct Entry {
    op: &'static Op,
    schema: Schema,
}

fn entry(name: &str) -> &'static Entry {
    // An op is only ever asked for its own entry, and the table's test goes through all of them.
    table().get(name).expect("every op stands in its family's table")
}

fn table() -> &'static FxHashMap<&'static str, Entry> {
    static TABLE: OnceLock<FxHashMap<&'static str, Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = FxHashMap::default();
        for op in built_in() {
            for name in std::iter::once(op.name()).chain(op.aliases.iter().copied()) {
                // The attribute macro parsed the same text at compile time.
                let schema = Schema::parse(op.text).expect("the op attribute refuses a schema that does not parse");
                table.insert(name, Entry { op, schema });
            }
        }
        table
    })
}

/// The ops of the table by base name.
fn families() -> &'static FxHashMap<&'static str, Vec<&'static Op>> {
    static FAMILIES: OnceLock<FxHashMap<&'static str, Vec<&'static Op>>> = OnceLock::new();
    FAMILIES.get_or_init(|| {
        let mut families: FxHashMap<&'static str, Vec<&'static Op>> = FxHashMap::default();
        for op in built_in() {
            families.entry(op.base_name()).or_default().push(op);
        }
        families
    })
}

/// Makes the table now, and not at the first op: threads that make it together wait for one
/// another, which the main thread of a page may not.
pub fn prepare() {
    table();
    families();
}

/// Every op: the ops of the table, family by family, then the registered ops ([`custom`]), in their
/// order.
pub fn all() -> impl Iterator<Item = &'static Op> {
    built_in().chain(custom::all())
}

/// Every op of the table, family by family.
pub fn built_in() -> impl Iterator<Item = &'static Op> {
    leaf::FAMILIES.iter().chain(composite::FAMILIES).flat_map(|family| family.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_is_found_by_its_names_and_is_documented() {
        let mut names = std::collections::HashSet::new();
        for op in all() {
            assert_eq!(op.schema().full_name(), op.name());
            assert!(!op.doc.is_empty(), "{} has no documentation", op.name());
            assert!(!(op.samples)().is_empty(), "{} has no samples", op.name());
            for name in std::iter::once(&op.name()).chain(op.aliases) {
                assert!(names.insert(*name), "{name} is declared twice");
            }
        }
        assert!(Op::find("no_such_op").is_none());
    }

    /// The attributes in the sources of a folder.
    fn count_declared(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let count = |path: std::path::PathBuf| match path.is_dir() {
            true => count_declared(&path),
            false => std::fs::read_to_string(path).unwrap().lines().filter(|line| line.starts_with("#[op(")).count(),
        };
        entries.map(count).sum()
    }

    #[test]
    fn every_declared_op_stands_in_the_table() {
        assert_eq!(
            built_in().count(),
            count_declared(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops"))
        );
    }
}
