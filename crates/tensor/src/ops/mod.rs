//! The operations: one declaration each, collected in a table.
//!
//! `leaf/` holds ops with a lowering to kernels and a derivative, `composite/` ops written in other ops, whose derivative
//! follows. A family is a file; an op in it is a function under the `op` attribute and a row at the end of the file. The Rust
//! method, the JavaScript method, its documentation, the conformance run and the gradient check come from the table.

mod args;
pub mod composite;
pub(crate) mod in_place;
pub mod leaf;
pub(crate) mod pointwise;

pub use args::{Arg, Args};

#[cfg(any(test, feature = "reference"))]
use crate::samples::Sample;
use crate::{Error, Result, Tensor};
use lanthorn_schema::Schema;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// How an op is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// One formula of the scalar expression language; kernels and derivative are derived.
    Pointwise,
    /// Lowered to kernels, with its derivative declared.
    Leaf,
    /// Written in other ops.
    Composite,
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
    /// Whether there is an in-place form, `name_`.
    pub in_place: bool,
    /// Other names of the op.
    pub aliases: &'static [&'static str],
    /// Runs it on dynamic arguments.
    pub call: fn(&Args<'_>) -> Result<Tensor>,
    /// Inputs that every backend, and the gradient check, are tested on.
    #[cfg(any(test, feature = "reference"))]
    pub samples: fn() -> Vec<Sample>,
}

impl Op {
    /// The op's name.
    pub fn name(&self) -> &'static str {
        self.text.split('(').next().unwrap_or(self.text)
    }

    /// The parsed schema.
    pub fn schema(&'static self) -> &'static Schema {
        &entry(self.name()).schema
    }

    /// Runs the op on dynamic arguments in the schema's order; missing ones take their defaults.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_tensor::{Tensor, ops::{Arg, Op}};
    /// let x = Tensor::from_slice(&[3.0f32, -1.0], [2], &device)?;
    /// let y = Op::find("relu").unwrap().run(&[Arg::Tensor(x)])?;
    /// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [3.0, 0.0]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn run(&'static self, args: &[Arg]) -> Result<Tensor> {
        (self.call)(&Args::bind(self.schema(), args)?)
    }

    /// Runs the in-place form: the first argument takes the result.
    pub fn run_in_place(&'static self, args: &[Arg]) -> Result<()> {
        let Some(Arg::Tensor(target)) = args.first().filter(|_| self.in_place) else {
            return Err(Error::argument(self.name(), "has no in-place form"));
        };
        let mut args = args.to_vec();
        args[0] = Arg::Tensor(in_place::before(target));
        in_place::assign(self, target, self.run(&args)?)
    }

    /// The op with this name or alias.
    pub fn find(name: &str) -> Option<&'static Op> {
        table().get(name).map(|entry| entry.op)
    }
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
        for op in all() {
            for name in std::iter::once(op.name()).chain(op.aliases.iter().copied()) {
                // The attribute macro parsed the same text at compile time.
                let schema = Schema::parse(op.text).expect("the op attribute refuses a schema that does not parse");
                table.insert(name, Entry { op, schema });
            }
        }
        table
    })
}

/// Every op, family by family.
pub fn all() -> impl Iterator<Item = &'static Op> {
    leaf::FAMILIES.iter().chain(composite::FAMILIES).flat_map(|family| family.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_is_found_by_its_names_and_is_documented() {
        let mut names = std::collections::HashSet::new();
        for op in all() {
            assert_eq!(op.schema().name, op.name());
            assert!(!op.doc.is_empty(), "{} has no documentation", op.name());
            assert!(!(op.samples)().is_empty(), "{} has no samples", op.name());
            for name in std::iter::once(&op.name()).chain(op.aliases) {
                assert!(names.insert(*name), "{name} is declared twice");
            }
        }
        assert!(Op::find("no_such_op").is_none());
    }
}
